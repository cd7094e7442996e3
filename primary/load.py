"""From an input to checked data; everything that is wrong with it is told at once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from primary import trec, typed
from primary.cells import empty_cells
from primary.check import check_keys, check_lists, check_posts, check_tune
from primary.columns import key_columns
from primary.data import Data, Tune
from primary.errors import Problems, refuse
from primary.families import columns_for
from primary.formats import read
from primary.lists import spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from primary.raw import Raw
    from primary.settings import Settings


def load(data: Any, settings: Settings) -> Data:  # noqa: ANN401 - every kind of table
    """Read, type, check and sample an input; of its columns those that the families need."""
    reader = trec.load if isinstance(data, Mapping) else _load_table
    loaded = reader(data, settings)
    return _sampled(loaded, settings.sample, _file(data)) if settings.sample > 1 else loaded


def _file(data: Any) -> str | None:  # noqa: ANN401 - every kind of table
    """Name the file that has the queries; a table in memory has no name."""
    source = data["qrels"] if isinstance(data, Mapping) else data
    return str(source) if isinstance(source, str | PathLike) else None


def _load_table(data: Any, settings: Settings) -> Data:  # noqa: ANN401 - every kind of table
    problems = Problems(_file(data))
    raw = read(data, settings.columns, columns_for(settings.families), problems)
    key = key_columns(raw.columns)
    everywhere = typed.Reporter(
        problems, raw.columns, raw.frame.select(key), np.arange(raw.frame.height)
    )
    names = [name for name in ("post_id", "criterion_id", "query_id") if name in raw.columns]
    ids = {name: typed.text(raw.frame[name], name, everywhere) for name in names}
    fold = typed.folds(raw.frame["fold"], everywhere) if "fold" in raw.columns else None
    split = _split(raw, everywhere)
    sound = not problems.found
    if sound:
        check_keys([ids[name] for name in key], fold, split, everywhere)
    place = split.eq("EVAL").arg_true().to_numpy().astype(np.int64)
    if not len(place):
        problems.add("no row is an EVAL row", "Every number is over EVAL rows: give some.")
        problems.stop_if_any()
    label = _labels(raw, everywhere)
    prob = None
    if "prob" in raw.columns:
        prob = typed.probabilities(raw.frame["prob"], (split != "TRAIN").to_numpy(), everywhere)
    loaded = Data(
        rows={name: split.eq(name).arg_true().len() for name in ("EVAL", "TUNE", "TRAIN")},
        columns=raw.columns,
        post=_at(ids.get("post_id"), place),
        criterion=_at(ids.get("criterion_id"), place),
        query=_at(ids.get("query_id"), place),
        fold=None if fold is None else fold[place],
        has_evidence=label[place] if label is not None and "has_evidence" in raw.columns else None,
        prob=None if prob is None else prob[place],
        tune=_tune(fold, label, prob, split),
        place=place,
        others=_others(ids, fold, split, label, prob),
        **_eval_columns(raw, everywhere.at(place), place),
    )
    check_lists(loaded, everywhere.at(place))
    if sound:
        # With keys, folds or splits in doubt, these would report what is not there.
        if "per_post" in settings.families:
            check_posts(loaded, everywhere.at(place))
        if settings.families & {"tuned", "grid"}:
            check_tune(loaded, problems)
    problems.stop_if_any()
    return loaded


def _split(raw: Raw, reporter: typed.Reporter) -> pl.Series:
    if "split" in raw.columns:
        return typed.splits(raw.frame["split"], reporter)
    return pl.Series(["EVAL"]).new_from_index(0, raw.frame.height)


def _at(series: pl.Series | None, place: NDArray[np.int64]) -> pl.Series | None:
    return None if series is None else series.gather(place)


def _labels(raw: Raw, reporter: typed.Reporter) -> NDArray[np.int8] | None:
    """Give the label of every row: as given, else whether there is gold; no list is parsed."""
    if "has_evidence" in raw.columns:
        return typed.labels(raw.frame["has_evidence"], "has_evidence", reporter)
    if "gold" not in raw.columns:
        return None
    gold = raw.frame["gold"]
    if gold.dtype in (pl.String, pl.Null):
        filled = ~empty_cells(gold.cast(pl.String))
    elif isinstance(gold.dtype, pl.List | pl.Array):
        filled = typed.as_lists(gold).list.len().fill_null(0) > 0
    else:
        return None
    return filled.cast(pl.Int8).to_numpy()


def _tune(
    fold: NDArray[np.int64] | None,
    label: NDArray[np.int8] | None,
    prob: NDArray[np.float64] | None,
    split: pl.Series,
) -> Tune | None:
    chosen = (split == "TUNE").to_numpy()
    if fold is None or label is None or prob is None or not chosen.any():
        return None
    return Tune(fold[chosen], label[chosen], prob[chosen])


def _others(
    ids: Mapping[str, pl.Series],
    fold: NDArray[np.int64] | None,
    split: pl.Series,
    label: NDArray[np.int8] | None,
    prob: NDArray[np.float64] | None,
) -> pl.DataFrame:
    """Keep what is read of the rows outside EVAL."""
    chosen = (split != "EVAL").arg_true()
    columns: dict[str, Any] = {"place": np.arange(len(split)), **ids, "fold": fold, "split": split}
    columns |= {"has_evidence": label, "prob": prob}
    present = {name: value for name, value in columns.items() if value is not None}
    return pl.DataFrame(present, nan_to_null=True)[chosen]


def _eval_columns(raw: Raw, reporter: typed.Reporter, place: NDArray[np.int64]) -> dict[str, Any]:
    """Type what is read of EVAL rows alone."""
    rows = raw.frame if len(place) == raw.frame.height else raw.frame[place]
    found: dict[str, Any] = {}
    for name in ("candidates", "gold", "selected"):
        if name in raw.columns:
            found[name] = typed.id_lists(rows[name], name, reporter)
    for name in ("scores", "node_probs"):
        if name in raw.columns:
            found[name] = typed.aligned_numbers(rows[name], name, found.get("candidates"), reporter)
    if "pred" in raw.columns:
        found["pred"] = typed.labels(rows["pred"], "pred", reporter)
    if "state" in raw.columns:
        found["state"] = typed.states(rows["state"], reporter)
    return found


def _kept(ids: pl.Series, sample: int) -> NDArray[np.bool_]:
    """Say which ids are in the sample: SHA-256, first eight bytes, modulo m."""
    distinct = ids.unique()
    chosen = [
        one
        for one in distinct
        if not int.from_bytes(hashlib.sha256(one.encode()).digest()[:8]) % sample
    ]
    return ids.is_in(chosen).to_numpy()


def _sampled(data: Data, sample: int, file: str | None) -> Data:
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
    arrays = ("fold", "has_evidence", "prob", "pred", "state", "place")
    lists = ("candidates", "gold", "selected")
    changes: dict[str, Any] = {
        one: getattr(data, one)[kept] for one in arrays if getattr(data, one) is not None
    }
    changes |= {
        one: getattr(data, one).take(kept) for one in lists if getattr(data, one) is not None
    }
    changes |= {one: _at(getattr(data, one), kept) for one in ("post", "criterion", "query")}
    for one in ("scores", "node_probs"):
        if getattr(data, one) is not None and data.candidates is not None:
            places = spread(data.candidates.offsets, kept)
            changes[one] = getattr(data, one)[places]
    counts = {"EVAL": len(kept)}
    for split in ("TUNE", "TRAIN"):
        counts[split] = others["split"].eq(split).arg_true().len() if others.height else 0
    return replace(
        data, rows=counts, others=others, tune=_sampled_tune(data.tune, others), **changes
    )


def _sampled_tune(tune: Tune | None, others: pl.DataFrame) -> Tune | None:
    if tune is None:
        return None
    rows = others.filter(pl.col("split") == "TUNE")
    return Tune(rows["fold"].to_numpy(), rows["has_evidence"].to_numpy(), rows["prob"].to_numpy())
