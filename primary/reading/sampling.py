"""The setting `sample`: some of the posts, or queries, in every split (docs/interface.md)."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from primary.data.lists import spread
from primary.data.rows import Data, Tune
from primary.errors import refuse

if TYPE_CHECKING:
    from numpy.typing import NDArray

ARRAYS = (
    *("fold", "has_evidence", "prob", "score", "pred", "state", "place", "duplicates"),
    *("float32_ties", "answered"),
    *("label_class", "predicted_class", "class_probs"),
)
SERIES = ("post", "criterion", "query", "seed")
LISTS = ("candidates", "gold", "selected", "graded", "judged")
ALIGNED = {
    **dict.fromkeys(("scores", "raw_scores", "node_probs"), "candidates"),
    "grades": "graded",
}
"""Flat numbers, and the lists that they go with."""


def _kept(ids: pl.Series, sample: int) -> NDArray[np.bool_]:
    """Say which ids are in the sample: SHA-256, first eight bytes, modulo m."""
    distinct = ids.unique()
    chosen = [
        one
        for one in distinct.to_list()
        if not int.from_bytes(hashlib.sha256(one.encode()).digest()[:8]) % sample
    ]
    return ids.is_in(chosen).to_numpy()


def _sampled(ids: pl.Series | None, sample: int) -> pl.Series | None:
    """Give those ids that are in the sample."""
    return None if ids is None else ids.filter(pl.Series(_kept(ids, sample)))


def sampled(data: Data, sample: int, file: str | None, *, classes_given: bool = False) -> Data:
    """Keep the sampled posts (without posts: queries) in every split."""
    units = {"post_id": data.post, "query_id": data.query}
    name, ids = next((name, ids) for name, ids in units.items() if ids is not None)
    kept = np.flatnonzero(_kept(ids, sample))
    if not len(kept):
        raise refuse(
            "no EVAL row is in the sample",
            "Every number is over EVAL rows: give a smaller `sample`.",
            file=file,
        )
    others = data.others
    if others.height:
        others = others.filter(pl.Series(_kept(others[name], sample)))
    counts = {"EVAL": len(kept)}
    for split in ("TUNE", "TRAIN"):
        counts[split] = others["split"].eq(split).arg_true().len() if others.height else 0
    data = replace(
        data,
        rows=counts,
        others=others,
        tune=None if data.tune is None else tune_of(others),
        strangers=_sampled(data.strangers, sample),
        slices={one: values.gather(kept) for one, values in data.slices.items()},
        **_taken(data, kept),
    )
    return data if classes_given else _fewer_classes(data)


def _fewer_classes(data: Data) -> Data:
    """Keep the classes that the sample still has: they are the union of its rows'."""
    if data.classes is None or data.label_class is None or data.predicted_class is None:
        return data
    left = np.unique(np.concatenate([data.label_class, data.predicted_class]))
    if len(left) < 2:  # noqa: PLR2004 - one class is no classification
        return replace(data, classes=None, label_class=None, predicted_class=None)
    return replace(
        data,
        classes=tuple(data.classes[place] for place in left.tolist()),
        label_class=np.searchsorted(left, data.label_class),
        predicted_class=np.searchsorted(left, data.predicted_class),
    )


def _taken(data: Data, kept: NDArray[np.int64]) -> dict[str, Any]:
    """Give the chosen rows of everything that the data has."""
    held = {name: getattr(data, name) for name in (*ARRAYS, *SERIES, *LISTS, *ALIGNED)}
    held = {name: value for name, value in held.items() if value is not None}
    found: dict[str, Any] = {name: held[name][kept] for name in ARRAYS if name in held}
    found |= {name: held[name].gather(kept) for name in SERIES if name in held}
    found |= {name: held[name].take(kept) for name in LISTS if name in held}
    for name, lists in ALIGNED.items():
        if name in held:
            found[name] = held[name][spread(held[lists].offsets, kept)]
    return found


def tune_of(others: pl.DataFrame) -> Tune:
    """Give what is read of the TUNE rows."""
    rows = others.filter(pl.col("split") == "TUNE")
    score = "prob" if "prob" in rows.columns else "score"
    return Tune(
        rows["fold"].to_numpy(),
        rows["has_evidence"].to_numpy(),
        rows[score].to_numpy(),
        rows["seed"] if "seed" in rows.columns else None,
    )
