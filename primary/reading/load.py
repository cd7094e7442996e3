"""From an input to checked data; everything that is wrong with it is told at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from primary.data.rows import Data, Tune
from primary.errors import Problems
from primary.families import OF_CLASSES, columns_for
from primary.reading import names, task, typed
from primary.reading.cells import empty_cells
from primary.reading.check import (
    check_grades,
    check_judged,
    check_keys,
    check_lists,
    check_posts,
    check_threshold,
    check_tune,
)
from primary.reading.columns import SLICE, key_columns
from primary.reading.dedupe import deduplicated
from primary.reading.formats import read
from primary.reading.sampling import sampled
from primary.settings import COLUMNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from primary.reading.files.raw import Raw
    from primary.settings import Settings

IDS = ("post_id", "criterion_id", "query_id")


def load(data: Any, settings: Settings) -> Data:  # noqa: ANN401 - every kind of table
    """Read, type, check and sample an input; of its columns those that the families need."""
    if isinstance(data, Mapping):
        from primary.reading import trec  # noqa: PLC0415 - most data are tables

        loaded = trec.load(data, settings)
    else:
        loaded = _load_table(data, settings)
    if settings.sample == 1:
        return loaded
    given = settings.classes is not None
    return sampled(loaded, settings.sample, _file(data), classes_given=given)


def _file(data: Any) -> str | None:  # noqa: ANN401 - every kind of table
    """Name the file that has the queries; a table in memory has no name."""
    source = data["qrels"] if isinstance(data, Mapping) else data
    return str(source) if isinstance(source, str | PathLike) else None


def _wanted(settings: Settings) -> set[str]:
    """Name the columns to read: those of the families, and what may be labels or classes."""
    families = settings.families
    if settings.task == "multiclass":
        families = families & OF_CLASSES
    found = {*columns_for(families), *(f"{SLICE}{name}" for name in settings.slices)}
    return found if settings.task == "multiclass" else {*found, "label", "predicted"}


def _raw(data: Any, settings: Settings, problems: Problems) -> Raw:  # noqa: ANN401 - every kind of table
    mapped = dict(settings.columns)
    mapped |= {f"{SLICE}{name}": source for name, source in settings.slices.items()}
    raw = read(data, mapped, _wanted(settings), problems)
    if key_columns(raw.columns):
        return raw
    number = pl.Series("query_id", np.arange(1, raw.frame.height + 1)).cast(pl.String)
    return replace(raw, frame=raw.frame.with_columns(number))


def _load_table(data: Any, settings: Settings) -> Data:  # noqa: ANN401 - every kind of table
    problems = Problems(_file(data))
    raw = _raw(data, settings, problems)
    by_row = not key_columns(raw.columns)
    key = ("query_id",) if by_row else key_columns(raw.columns)
    everywhere = _reporter(raw, key, problems)
    ids = {
        name: typed.text(raw.frame[name], name, everywhere)
        if name in raw.columns
        else raw.frame[name]
        for name in IDS
        if name in raw.frame.columns
    }
    seed = names.seeds(raw.frame["seed"], everywhere) if "seed" in raw.columns else None
    fold = typed.folds(raw.frame["fold"], everywhere) if "fold" in raw.columns else None
    split = _split(raw, everywhere)
    sound = not problems.found
    if sound:
        parts = [ids[name] for name in key] + ([] if seed is None else [seed])
        check_keys(parts, fold, split, everywhere)
    place = split.eq("EVAL").arg_true().to_numpy().astype(np.int64)
    if not len(place):
        problems.add("no row is an EVAL row", "Every number is over EVAL rows: give some.")
        problems.stop_if_any()
    raw = task.settled(raw, settings, (split == "EVAL").to_numpy(), everywhere)
    everywhere = _reporter(raw, key, problems)
    rows = _row_columns(raw, split, everywhere)
    others = _others({**ids, "fold": fold, "seed": seed, "split": split, **rows}, split)
    loaded = Data(
        rows={name: split.eq(name).arg_true().len() for name in ("EVAL", "TUNE", "TRAIN")},
        columns=_told(raw, settings),
        post=_at(ids.get("post_id"), place),
        criterion=_at(ids.get("criterion_id"), place),
        query=_at(ids.get("query_id"), place),
        seed=_at(seed, place),
        fold=None if fold is None else fold[place],
        has_evidence=rows["has_evidence"][place] if "has_evidence" in raw.columns else None,
        prob=rows["prob"][place] if "prob" in rows else None,
        score=rows["score"][place] if "score" in rows else None,
        tune=_tune(rows, fold, seed, split),
        place=place,
        others=others,
        key="rows" if by_row else "columns",
        **_eval_columns(raw, settings, everywhere.at(place), place),
    )
    loaded = _checked(loaded, settings, everywhere.at(place), sound=sound)
    problems.stop_if_any()
    return loaded


def _told(raw: Raw, settings: Settings) -> dict[str, str]:
    """Name the columns of the facts; classes that only told the task are not among them."""
    unasked = set(task.BINARY) - columns_for(settings.families)
    return {
        name: source
        for name, source in raw.columns.items()
        if name in COLUMNS and name not in unasked
    }


def _reporter(raw: Raw, key: tuple[str, ...], problems: Problems) -> typed.Reporter:
    return typed.Reporter(
        problems, raw.columns, raw.frame.select(key), np.arange(raw.frame.height), raw.sources
    )


def _checked(loaded: Data, settings: Settings, reporter: typed.Reporter, *, sound: bool) -> Data:
    """Check what must hold between cells; take out what `dedupe` says."""
    if settings.dedupe is not None:
        loaded = deduplicated(loaded)
    check_lists(loaded, reporter)
    check_judged(loaded, reporter)
    check_grades(loaded, settings, reporter)
    check_threshold(loaded, settings, reporter.problems)
    if sound:
        # With keys, folds or splits in doubt, these would report what is not there.
        if "per_post" in settings.families:
            check_posts(loaded, reporter, stated=settings.threshold is not None)
        if settings.families & {"tuned", "grid"}:
            check_tune(loaded, reporter.problems)
    return loaded


def _split(raw: Raw, reporter: typed.Reporter) -> pl.Series:
    if "split" in raw.columns:
        return typed.splits(raw.frame["split"], reporter)
    return pl.Series(["EVAL"]).new_from_index(0, raw.frame.height)


def _at(series: pl.Series | None, place: NDArray[np.int64]) -> pl.Series | None:
    return None if series is None else series.gather(place)


def _row_columns(raw: Raw, split: pl.Series, reporter: typed.Reporter) -> dict[str, NDArray[Any]]:
    """Type what is read of every row: the label, and the probability or score."""
    found: dict[str, NDArray[Any]] = {}
    needed = (split != "TRAIN").to_numpy()
    label = _labels(raw, needed, reporter)
    if label is not None:
        found["has_evidence"] = label
    if "prob" in raw.columns:
        found["prob"] = typed.probabilities(raw.frame["prob"], needed, reporter)
    elif "score" in raw.columns:
        found["score"] = typed.row_scores(raw.frame["score"], needed, reporter)
    return found


def _labels(
    raw: Raw, needed: NDArray[np.bool_], reporter: typed.Reporter
) -> NDArray[np.int8] | None:
    """Give the label of every row: as given, else whether there is gold; no list is parsed."""
    if "has_evidence" in raw.columns:
        return typed.labels(raw.frame["has_evidence"], "has_evidence", reporter, needed)
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
    rows: Mapping[str, NDArray[Any]],
    fold: NDArray[np.int64] | None,
    seed: pl.Series | None,
    split: pl.Series,
) -> Tune | None:
    chosen = (split == "TUNE").to_numpy()
    score = rows.get("prob", rows.get("score"))
    if fold is None or "has_evidence" not in rows or score is None or not chosen.any():
        return None
    own = None if seed is None else seed.filter(pl.Series(chosen))
    return Tune(fold[chosen], rows["has_evidence"][chosen], score[chosen], own)


def _others(columns: Mapping[str, Any], split: pl.Series) -> pl.DataFrame:
    """Keep what is read of the rows outside EVAL."""
    chosen = (split != "EVAL").arg_true()
    present = {name: value for name, value in columns.items() if value is not None}
    frame = pl.DataFrame({"place": np.arange(len(split)), **present}, nan_to_null=True)[chosen]
    if "has_evidence" in frame.columns:
        label = pl.col("has_evidence")
        frame = frame.with_columns(pl.when(label != typed.NO_LABEL).then(label))
    return frame


def _eval_columns(
    raw: Raw, settings: Settings, reporter: typed.Reporter, place: NDArray[np.int64]
) -> dict[str, Any]:
    """Type what is read of EVAL rows alone."""
    rows = raw.frame if len(place) == raw.frame.height else raw.frame[place]
    found: dict[str, Any] = {}
    for name in ("candidates", "gold", "selected", "judged"):
        if name in raw.columns:
            found[name] = typed.id_lists(rows[name], name, reporter)
    for name in ("scores", "node_probs"):
        if name in raw.columns:
            found[name] = typed.aligned_numbers(rows[name], name, found.get("candidates"), reporter)
    if "grades" in raw.columns:
        grades = typed.aligned_numbers(rows["grades"], "grades", found.get("gold"), reporter)
        if grades is not None and found.get("gold") is not None:
            whole = np.where(np.isfinite(grades), grades, 1).astype(np.int64)
            found |= {"graded": found["gold"], "grades": whole}
    if "pred" in raw.columns:
        found["pred"] = typed.labels(rows["pred"], "pred", reporter)
    if "state" in raw.columns:
        found["state"] = typed.states(rows["state"], reporter)
    found["slices"] = {
        name: names.slice_values(rows[f"{SLICE}{name}"], f"{SLICE}{name}", reporter)
        for name in settings.slices
    }
    return found | task.classes(rows, raw, settings, reporter)
