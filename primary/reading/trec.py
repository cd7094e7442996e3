"""Qrels and run as data (contract, sections 1 and 14, TREC)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
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

    Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Lines:
    """The lines of a file, by query.

    Files are nearly always grouped by query, so only runs of lines are looked at, if they are.
    """

    frame: pl.DataFrame
    names: pl.Series
    """The queries, by first appearance, which numbers them."""
    query: Ints
    """Of each run of lines of one query: its number."""
    length: Ints
    """And how many lines it has."""

    @cached_property
    def grouped(self) -> tuple[Lists, Ints | slice]:
        """The documents of each query, and where they stand in the file, whose order they keep."""
        return self.ranked(np.arange(len(self.names)), len(self.names), "order")

    def ranked(self, number: Ints, queries: int, ties: str) -> tuple[Lists, Ints | slice]:
        """Give the same of queries under other numbers.

        Lines of no such query (-1) are left out; equals keep the file's order, or stand by id,
        descending. What is in order is not moved.
        """
        docs, owner = self.frame["doc"].rechunk(), number[self.query]
        own = owner >= 0
        lengths = np.zeros(queries, dtype=np.int64)
        np.add.at(lengths, owner[own], self.length[own])
        offsets = offsets_of(lengths)
        strangers = len(docs) - int(offsets[-1])
        if ties == "order" and bool((owner[1:] >= owner[:-1]).all()):
            return Lists(offsets, docs[strangers:]), slice(strangers, None)
        lines = np.repeat(owner, self.length)
        if ties == "order":
            order = np.argsort(lines, kind="stable")[strangers:]
        else:
            order = _by_id(lines, docs)[strangers:]
        return Lists(offsets, docs[order]), order


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

    def of_qrels() -> Lines:
        frame = read_qrels(Path(files["qrels"]), judged)
        relevance = _relevance(frame, settings.grade_max, judged)
        lines = _grouped(frame.with_columns(relevance=pl.Series(relevance)))
        _check_once(lines, judged)
        return lines

    def of_run() -> Lines:
        frame = read_run(Path(files["run"]), settings.run_path, ranked)
        lines = _grouped(frame.with_columns(score=_scores(frame, ranked)))
        if settings.dedupe is None:
            _check_once(lines, ranked)
        return lines

    topics, asked = side_by_side(lambda read: read(), (of_qrels, of_run))
    if judged.found or ranked.found:
        raise InputError(judged.found + ranked.found, judged.count + ranked.count)
    return _joined(topics, asked, settings)


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


def _numbers(given: pl.Series) -> pl.Series:
    """Give numbers, null where there is none; blanks and tabs at the ends are no part of them."""
    numbers = given.cast(pl.Float64, strict=False)
    if given.dtype != pl.String or not numbers.has_nulls():
        return numbers
    return given.str.strip_chars(" \t").cast(pl.Float64, strict=False)


def _relevance(qrels: pl.DataFrame, grade_max: int | None, problems: Problems) -> Ints:
    numbers = _numbers(qrels["relevance"])
    whole = numbers.is_between(*GRADES) & (numbers == numbers.round())
    expected = f"a whole number from {GRADES[0]} to {GRADES[1]}"
    _report(qrels, ~whole.fill_null(value=False), "relevance", expected, problems)
    if grade_max is not None:
        above = (numbers > grade_max).fill_null(value=False)
        _report(qrels, above, "relevance", f"at most grade_max {grade_max}", problems)
    return numbers.fill_null(0).fill_nan(0).clip(*GRADES).to_numpy().astype(np.int64)


def _scores(run: pl.DataFrame, problems: Problems) -> pl.Series:
    numbers = _numbers(run["score"])
    bad = ~numbers.is_finite().fill_null(value=False)
    _report(run, bad, "score", "a finite number", problems)
    return numbers


def _check_once(lines: Lines, problems: Problems) -> None:
    """No document twice for one query."""
    if not any(repeated(lines.grouped[0])):
        return
    frame = lines.frame
    later = ~frame.select(pl.struct("query", "doc").is_first_distinct()).to_series()
    for line, query, doc in (
        frame.filter(later).select("line", "query", "doc").head(KEPT).iter_rows()
    ):
        problems.add(
            f"the document {doc!r} is there twice", "Keep one.", row=line, query=query, column="doc"
        )
    problems.more(max(0, later.arg_true().len() - KEPT))


def _grouped(frame: pl.DataFrame) -> Lines:
    """Find the runs of lines of each query; queries are numbered by first appearance."""
    docs, found = side_by_side(lambda work: work(), (frame["doc"].rechunk, frame["query"].rle))
    frame, runs = frame.with_columns(docs), found.struct.unnest()
    distinct = runs["value"].unique(maintain_order=True)
    codes = runs["value"].replace_strict(distinct, pl.Series(np.arange(len(distinct))))
    return Lines(frame, distinct, codes.to_numpy(), runs["len"].to_numpy().astype(np.int64))


def _joined(topics: Lines, asked: Lines, settings: Settings) -> Data:
    names, docs = topics.names, topics.frame["doc"]
    relevance = topics.frame["relevance"].to_numpy()
    judged = np.repeat(topics.query, topics.length)
    numbers = asked.names.replace_strict(
        names, pl.Series(np.arange(len(names))), default=-1
    ).to_numpy()
    answered = np.zeros(len(names), dtype=bool)
    answered[numbers[numbers >= 0]] = True
    # What is below 0 was not judged, and so is not gold at any level (sections 1 and 14).
    level = max(settings.relevance_level, 0)
    graded, places = _chosen(judged, docs, relevance >= 1, len(names))
    gold = graded if level == 1 else _chosen(judged, docs, relevance >= level, len(names))[0]
    seen, _ = _chosen(judged, docs, relevance >= 0, len(names))
    if settings.ties == "order" and asked.names.equals(names):
        candidates, order = asked.grouped
    else:
        candidates, order = asked.ranked(numbers, len(names), settings.ties)
    scores = asked.frame["score"].to_numpy()[order]
    # Of a run that no wanted family needs, the lines are checked and the queries counted.
    ranked = "candidates" in columns_for(settings.families)
    rounded = settings.ties == "trec_eval"
    data = Data(
        rows={"EVAL": len(names), "TUNE": 0, "TRAIN": 0},
        columns={},
        query=names,
        gold=gold,
        graded=graded,
        grades=relevance[places] if relevance.max(initial=0) > 1 else None,
        judged=seen,
        candidates=candidates if ranked else None,
        scores=(_single(scores) if rounded else scores) if ranked else None,
        raw_scores=scores if ranked and rounded else None,
        strangers=asked.names.filter(pl.Series(numbers < 0)),
        answered=answered,
        place=np.arange(len(names)),
    )
    return data if settings.dedupe is None else deduplicated(data)


def _chosen(
    judged: Ints, docs: pl.Series, mask: NDArray[np.bool_], queries: int
) -> tuple[Lists, Ints]:
    """Give the chosen documents of each query, and where they stand in the qrels."""
    places = np.flatnonzero(mask)
    places = places[np.argsort(judged[places], kind="stable")]
    return _lists(judged[places], docs.gather(places), queries), places


def _single(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to 32 bits, as trec_eval does; beyond their range to infinity."""
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)


def _by_id(owner: Ints, docs: pl.Series) -> Ints:
    """Sort lines by query, and in each by id, descending."""
    frame = pl.DataFrame({"owner": owner, "doc": docs})
    by_id = pl.arg_sort_by("owner", "doc", descending=[False, True], maintain_order=True)
    return frame.select(by_id).to_series().to_numpy()


def _lists(owner: Ints, ids: pl.Series, queries: int) -> Lists:
    return Lists(offsets_of(np.bincount(owner, minlength=queries)), ids.rechunk())
