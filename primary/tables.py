"""Rows for people and for outside witnesses: the contract's table, and the per-query values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from primary.data.available import available
from primary.data.lists import nested, order_within
from primary.data.rows import STATES
from primary.ranking import graded, judged, metrics
from primary.reading.columns import SLICE
from primary.selection import dynamic_k

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from primary.data.study import Study


def table(study: Study) -> pl.DataFrame:
    """Give all rows under the contract's column names, candidates in ranked order.

    Of rows outside EVAL only what the contract reads is given; their other cells are null.
    """
    data = study.data
    columns = _keys(study) | {"split": ["EVAL"] * study.size} | _ranked(study)
    if data.gold is not None:
        columns["gold"] = data.gold.series()
    columns |= _decisions(study) | _beyond(study)
    if data.selected is not None:
        columns["selected"] = data.selected.series()
    frame = pl.DataFrame({"place": data.place, **columns})
    if data.others.height:
        others = data.others.select(name for name in data.others.columns if name in frame.columns)
        frame = pl.concat([frame, others.cast({"place": pl.Int64})], how="diagonal_relaxed")
    return frame.sort("place").drop("place")


def _keys(study: Study) -> dict[str, Any]:
    data = study.data
    columns = (
        ("post_id", data.post),
        ("criterion_id", data.criterion),
        ("query_id", data.query),
        ("seed", data.seed),
        ("fold", data.fold),
    )
    return {name: series for name, series in columns if series is not None}


def _ranked(study: Study) -> dict[str, Any]:
    data = study.data
    if data.candidates is None:
        return {}
    offsets = data.candidates.offsets
    order = np.arange(offsets[-1]) if data.scores is None else order_within(offsets, data.scores)
    ids = data.candidates.values  # noqa: PD011 - our own lists, no pandas
    found: dict[str, Any] = {"candidates": nested(ids.gather(order), offsets)}
    scores = data.scores if data.raw_scores is None else data.raw_scores
    for name, numbers in (("scores", scores), ("node_probs", data.node_probs)):
        if numbers is not None:
            found[name] = nested(pl.Series(numbers[order]), offsets)
    return found


def _beyond(study: Study) -> dict[str, Any]:
    """Give what the contract has beyond the study: grades, judgements, scores, classes, slices."""
    data = study.data
    found: dict[str, Any] = {}
    if data.grades is not None and data.graded is not None:
        # In qrels the grades of all ids, which are more or fewer than the gold ones.
        found["graded"] = data.graded.series()
        found["grades"] = nested(pl.Series(data.grades), data.graded.offsets)
    if data.judged is not None:
        found["judged"] = data.judged.series()
    if data.score is not None:
        found["score"] = data.score
    if data.classes is not None:
        names = pl.Series(data.classes)
        for name, codes in (("label", data.label_class), ("predicted", data.predicted_class)):
            if codes is not None:
                found[name] = names.gather(codes)
    if data.class_probs is not None:
        found["class_probs"] = pl.Series(data.class_probs.tolist())
    return found | {f"{SLICE}{name}": values for name, values in data.slices.items()}


def _decisions(study: Study) -> dict[str, Any]:
    data = study.data
    found: dict[str, Any] = {}
    if data.label is not None:
        found["has_evidence"] = data.label
    if data.prob is not None:
        found["prob"] = data.prob
    if study.pred is not None:
        found["pred"] = study.pred
    if study.state is not None:
        found["state"] = pl.Series(np.array(STATES)[study.state])
    return found


def per_query(study: Study) -> pd.DataFrame:
    """Give the values behind the ledger, one row per EVAL query in file order."""
    import pandas as pd  # noqa: PLC0415 - half a second, for those who ask for a DataFrame

    return pd.DataFrame(per_query_columns(study))


def per_query_columns(study: Study) -> dict[str, list[str] | NDArray[Any]]:
    """Give the same by column: texts in lists, numbers in arrays; needs no pandas."""
    return {
        name: values.to_list() if isinstance(values, pl.Series) else values
        for name, values in _per_query(study).items()
    }


def _per_query(study: Study) -> dict[str, Any]:
    columns = _keys(study)
    if "criterion_id" in columns and "post_id" in columns:
        columns.pop("query_id", None)
    owed = available(study)
    if "ranking" in owed:
        columns |= metrics.columns(study)
    if owed & graded.FAMILIES:
        columns |= graded.columns(study, owed & graded.FAMILIES)
    if "judged" in owed:
        columns |= judged.columns(study)
    if "dynamic_k" in owed:
        chosen = dynamic_k.selection(study)
        columns |= dynamic_k.evidence_values(chosen)
        columns["k"] = chosen.k
    decisions = _decisions(study)
    for name in ("prob", "pred", "state", "has_evidence"):
        if name in decisions:
            columns[name] = decisions[name]
    return columns
