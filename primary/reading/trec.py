"""Qrels and run as data (contract, sections 1 and 14, TREC)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from primary.arithmetic.cores import side_by_side
from primary.data.lists import Lists, offsets_of, repeated
from primary.data.rows import Data
from primary.errors import KEPT, InputError, Problems, refuse
from primary.families import columns_for
from primary.reading.dedupe import deduplicated
from primary.reading.files.rankings import read_qrels, read_run
from primary.reading.typed import GRADES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from primary.settings import Settings


@dataclass(frozen=True)
class Lines:
    """The lines of a file, by query."""

    frame: pl.DataFrame
    owner: NDArray[np.int64]
    """The number of each line's query."""
    names: pl.Series
    """The queries, by their numbers."""


def load(files: Mapping[str, Any], settings: Settings) -> Data:
    """Read both files; queries come in the order of the qrels."""
    if set(files) != {"qrels", "run"}:
        raise refuse(
            f"found the keys {', '.join(sorted(map(str, files))) or 'none'}",
            "TREC data is a mapping with the keys qrels and run.",
        )
    if settings.positive is not None:
        raise refuse(
            "the setting positive names a class, and qrels and a run have none",
            "Leave it out.",
            file=str(files["qrels"]),
        )
    judged, ranked = Problems(str(files["qrels"])), Problems(str(files["run"]))
    readers = (
        partial(read_qrels, Path(files["qrels"]), judged),
        partial(read_run, Path(files["run"]), settings.run_path, ranked),
    )
    qrels, run = side_by_side(lambda read: read(), readers)
    relevance = _relevance(qrels, settings.grade_max, judged)
    scores = _scores(run, ranked)
    topics, asked = _grouped(qrels), _grouped(run.with_columns(score=scores))
    _check_once(topics, judged)
    if settings.dedupe is None:
        _check_once(asked, ranked)
    if judged.found or ranked.found:
        raise InputError(judged.found + ranked.found, judged.count + ranked.count)
    return _joined(topics, relevance, asked, settings)


def _report(
    frame: pl.DataFrame, bad: pl.Series, column: str, expected: str, problems: Problems
) -> None:
    for line, query, value in (
        frame.filter(bad).select("line", "query", column).head(KEPT).iter_rows()
    ):
        problems.add(
            f"found {value!r} as {column}",
            f"Expected {expected}.",
            row=line,
            query=query,
            column=column,
        )
    problems.more(max(0, bad.arg_true().len() - KEPT))


def _relevance(qrels: pl.DataFrame, grade_max: int | None, problems: Problems) -> NDArray[np.int64]:
    numbers = qrels["relevance"].cast(pl.Float64, strict=False)
    whole = numbers.is_between(*GRADES) & (numbers == numbers.round())
    expected = f"a whole number from {GRADES[0]} to {GRADES[1]}"
    _report(qrels, ~whole.fill_null(value=False), "relevance", expected, problems)
    if grade_max is not None:
        above = (numbers > grade_max).fill_null(value=False)
        _report(qrels, above, "relevance", f"at most grade_max {grade_max}", problems)
    return numbers.fill_null(0).fill_nan(0).clip(*GRADES).to_numpy().astype(np.int64)


def _scores(run: pl.DataFrame, problems: Problems) -> pl.Series:
    numbers = run["score"].cast(pl.Float64, strict=False)
    bad = ~numbers.is_finite().fill_null(value=False)
    _report(run, bad, "score", "a finite number", problems)
    return numbers


def _check_once(lines: Lines, problems: Problems) -> None:
    """No document twice for one query."""
    frame, owner = lines.frame, lines.owner
    order = _order(owner, frame["doc"], "order")
    if not any(repeated(_lists(owner[order], frame["doc"][order], len(lines.names)))):
        return
    later = ~frame.select(pl.struct("query", "doc").is_first_distinct()).to_series()
    for line, query, doc in (
        frame.filter(later).select("line", "query", "doc").head(KEPT).iter_rows()
    ):
        problems.add(
            f"the document {doc!r} is there twice", "Keep one.", row=line, query=query, column="doc"
        )
    problems.more(max(0, later.arg_true().len() - KEPT))


def _grouped(frame: pl.DataFrame) -> Lines:
    """Give each line the number of its query, by first appearance.

    Files are nearly always grouped by query, so only the first row of each run of equal names is
    looked up.
    """
    frame = frame.with_columns(frame["doc"].rechunk())
    runs = frame["query"].rle().struct.unnest()
    distinct = runs["value"].unique(maintain_order=True)
    codes = runs["value"].replace_strict(distinct, pl.Series(np.arange(len(distinct))))
    return Lines(frame, np.repeat(codes.to_numpy(), runs["len"].to_numpy()), distinct)


def _joined(topics: Lines, relevance: NDArray[np.int64], asked: Lines, settings: Settings) -> Data:
    judged, names, run = topics.owner, topics.names, asked.frame
    numbers = asked.names.replace_strict(
        names, pl.Series(np.arange(len(names))), default=-1
    ).to_numpy()
    owner = numbers[asked.owner]
    dropped = int(np.count_nonzero(numbers < 0))
    docs = topics.frame["doc"]
    # What is below 0 was not judged, and so is not gold at any level (sections 1 and 14).
    level = max(settings.relevance_level, 0)
    graded, places = _chosen(judged, docs, relevance >= 1, len(names))
    gold = graded if level == 1 else _chosen(judged, docs, relevance >= level, len(names))[0]
    seen, _ = _chosen(judged, docs, relevance >= 0, len(names))
    order = _order(owner, run["doc"], settings.ties)
    scores = run["score"].to_numpy()[order]
    # Of a run that no wanted family needs, the lines are checked and the queries counted.
    ranked = "candidates" in columns_for(settings.families)
    candidates = _lists(owner[order], run["doc"][order], len(names)) if ranked else None
    rounded = settings.ties == "trec_eval"
    data = Data(
        rows={"EVAL": len(names), "TUNE": 0, "TRAIN": 0},
        columns={},
        query=names,
        gold=gold,
        graded=graded,
        grades=relevance[places] if relevance.max(initial=0) > 1 else None,
        judged=seen,
        candidates=candidates,
        scores=(_single(scores) if rounded else scores) if ranked else None,
        raw_scores=scores if ranked and rounded else None,
        dropped=dropped,
        missing_topics=len(names) - int(np.count_nonzero(numbers >= 0)),
        place=np.arange(len(names)),
    )
    return data if settings.dedupe is None else deduplicated(data)


def _chosen(
    judged: NDArray[np.int64], docs: pl.Series, mask: NDArray[np.bool_], queries: int
) -> tuple[Lists, NDArray[np.int64]]:
    """Give the chosen documents of each query, and where they stand in the qrels."""
    places = np.flatnonzero(mask)
    places = places[np.argsort(judged[places], kind="stable")]
    return _lists(judged[places], docs.gather(places), queries), places


def _single(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to 32 bits, as trec_eval does; beyond their range to infinity."""
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)


def _order(owner: NDArray[np.int64], doc: pl.Series, ties: str) -> NDArray[np.int64] | slice:
    """Group the lines by query; equals keep the file's order, or stand by id, descending.

    Lines of no judged query (-1) come first, and are left out. What is in order is not moved.
    """
    strangers = int(np.count_nonzero(owner < 0))
    if ties == "order":
        if bool((owner[1:] >= owner[:-1]).all()):
            return slice(strangers, None)
        order = np.argsort(owner, kind="stable")
    else:
        frame = pl.DataFrame({"owner": owner, "doc": doc})
        by_id = frame.select(
            pl.arg_sort_by("owner", "doc", descending=[False, True], maintain_order=True)
        )
        order = by_id.to_series().to_numpy()
    return order[strangers:]


def _lists(owner: NDArray[np.int64], ids: pl.Series, queries: int) -> Lists:
    return Lists(offsets_of(np.bincount(owner, minlength=queries)), ids.rechunk())
