"""Raw columns into typed arrays; every cell that does not fit is reported with its place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from primary.data.lists import Lists
from primary.data.rows import STATES
from primary.errors import KEPT
from primary.reading.cells import number_lists, text_lists

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from primary.errors import Problems

SPLITS = {
    "EVAL": "EVAL",
    "TEST": "EVAL",
    "TUNE": "TUNE",
    "VAL": "TUNE",
    "DEV": "TUNE",
    "TRAIN": "TRAIN",
}
"""What each name of a split means."""

GRADES = (-(2**31), 2**31 - 1)
"""Between these a grade, or a relevance, is read."""


@dataclass(frozen=True)
class Reporter:
    """Knows where each row stands in the file and which query it is."""

    problems: Problems
    columns: Mapping[str, str]
    key: pl.DataFrame
    place: NDArray[np.int64]
    sources: tuple[tuple[str, int], ...] = ()
    """Of several files each one's name, and the row where it begins."""

    def at(self, chosen: NDArray[np.int64]) -> Reporter:
        """Give the same for a choice of rows."""
        return replace(self, key=self.key[chosen], place=self.place[chosen])

    def stands(self, row: int) -> tuple[str | None, int]:
        """Give the file of a row, where there are several, and its row there, from 1."""
        place = int(self.place[row])
        file, begin = next((one for one in reversed(self.sources) if one[1] <= place), (None, 0))
        return file, place - begin + 1

    def report(
        self,
        rows: NDArray[np.int64],
        name: str | None,
        what: Callable[[int], str],
        remedy: str,
    ) -> None:
        """Report each of the rows; `what` tells what was found in one."""
        for row in rows[:KEPT].tolist():
            file, number = self.stands(row)
            self.problems.add(
                what(row),
                remedy,
                file=file,
                row=number,
                query=" / ".join("" if part is None else str(part) for part in self.key.row(row)),
                column=None if name is None else self.columns[name],
            )
        self.problems.more(max(0, len(rows) - KEPT))


def _true(mask: pl.Series) -> NDArray[np.int64]:
    return mask.arg_true().to_numpy().astype(np.int64)


def _nothing(series: pl.Series, dtype: type[pl.DataType]) -> pl.Series:
    """Give as many gaps as there are cells, in the type that was hoped for."""
    return pl.Series([None], dtype=dtype).new_from_index(0, len(series))


def words(series: pl.Series) -> pl.Series:
    """Give each cell as text; what polars has no text for is shown as Python would."""
    try:
        return series.cast(pl.String)
    except pl.exceptions.PolarsError:
        return pl.Series([None if cell is None else str(cell) for cell in series.to_list()])


def _seen(series: pl.Series, row: int) -> str:
    """Show what one cell holds; a list as a list, on one line."""
    cell = series[row]
    shown = repr(cell.to_list() if isinstance(cell, pl.Series) else cell)
    return shown if len(shown) <= 60 else f"{shown[:57]}…"  # noqa: PLR2004 - what a line can show


def text(series: pl.Series, name: str, reporter: Reporter) -> pl.Series:
    """Ids, verbatim; whole numbers become their decimal text, anything else is no id."""
    dtype = series.dtype
    if dtype.is_integer() or isinstance(dtype, pl.Categorical | pl.Enum) or dtype == pl.Null:
        series = series.cast(pl.String)
    elif dtype != pl.String:
        reporter.problems.add(
            f"the ids are of type {dtype}", "Store ids as text.", column=reporter.columns[name]
        )
        return pl.Series([""]).new_from_index(0, len(series))
    empty = series.is_null() | (series == "")
    reporter.report(_true(empty), name, lambda _: "the id is empty", "Every row needs its key.")
    return series.fill_null("")


def folds(series: pl.Series, reporter: Reporter) -> NDArray[np.int64]:
    """Whole numbers of 64 bits, as numbers or as text; behind them a point and zeros may stand."""
    if series.dtype == pl.String:
        digits = series.str.extract(r"^[ \t]*([+-]?[0-9]+)(?:\.0*)?[ \t]*$")
        numbers = digits.cast(pl.Int64, strict=False)
    elif series.dtype.is_float():
        numbers = series.set(series != series.round(), None).cast(pl.Int64, strict=False)
    elif series.dtype.is_integer():
        numbers = series.cast(pl.Int64, strict=False)
    else:
        numbers = _nothing(series, pl.Int64)
    reporter.report(
        _true(numbers.is_null()),
        "fold",
        lambda row: f"found {_seen(series, row)} as a fold",
        "A fold is a whole number; without folds leave the column out.",
    )
    return numbers.fill_null(0).to_numpy()


def splits(series: pl.Series, reporter: Reporter) -> pl.Series:
    """EVAL, TUNE or TRAIN; an empty cell is EVAL."""
    given = words(series).fill_null("")
    names = given.replace_strict({"": "EVAL", **SPLITS}, default=None)
    reporter.report(
        _true(names.is_null()),
        "split",
        lambda row: f"found {given[row]!r} as a split",
        f"A split is one of {', '.join(SPLITS)}.",
    )
    return names.fill_null("EVAL")


NO_LABEL = -1
"""Stands for the label of a TRAIN row that has none."""


def labels(
    series: pl.Series, name: str, reporter: Reporter, needed: NDArray[np.bool_] | None = None
) -> NDArray[np.int8]:
    """0, 1, true, false in any case, and nothing else; rows that do not need one may lack it."""
    if series.dtype == pl.String:
        meaning = {"0": 0, "false": 0, "1": 1, "true": 1}
        numbers = series.str.to_lowercase().replace_strict(
            meaning, default=None, return_dtype=pl.Int8
        )
    elif series.dtype == pl.Boolean:
        numbers = series.cast(pl.Int8)
    elif series.dtype.is_integer():
        numbers = series.replace_strict({0: 0, 1: 1}, default=None, return_dtype=pl.Int8)
    else:
        numbers = _nothing(series, pl.Int8)
    bad = numbers.is_null()
    if needed is not None:
        bad &= _given(series) | pl.Series(needed)
    reporter.report(
        _true(bad),
        name,
        lambda row: f"found {_seen(series, row)} as a label",
        "A label is 0, 1, true or false.",
    )
    return numbers.fill_null(NO_LABEL if needed is not None else 0).to_numpy()


def _given(series: pl.Series) -> pl.Series:
    """Say which cells hold something."""
    return series.is_not_null() if series.dtype != pl.String else (series.fill_null("") != "")


def states(series: pl.Series, reporter: Reporter) -> NDArray[np.int8]:
    """NEG, UNCERTAIN, POS as 0, 1, 2."""
    given = words(series)
    codes = given.replace_strict(
        {name: code for code, name in enumerate(STATES)}, default=None, return_dtype=pl.Int8
    )
    reporter.report(
        _true(codes.is_null()),
        "state",
        lambda row: f"found {given[row]!r} as a state",
        f"A state is one of {', '.join(STATES)}.",
    )
    return codes.fill_null(0).to_numpy()


def floats(series: pl.Series) -> pl.Series:
    """float64 that means the decimal which the column's own type shows; null where no number."""
    if series.dtype == pl.String:
        return series.str.strip_chars(" \t").cast(pl.Float64, strict=False)
    if series.dtype == pl.Float32:
        return series.cast(pl.String).cast(pl.Float64)
    if series.dtype.is_numeric():
        return series.cast(pl.Float64)
    return _nothing(series, pl.Float64)


def probabilities(
    series: pl.Series, needed: NDArray[np.bool_], reporter: Reporter
) -> NDArray[np.float64]:
    """Numbers from 0 to 1; only TRAIN rows, of which none is used, may lack one."""
    numbers = floats(series)
    inside = numbers.is_between(0, 1) & ~numbers.is_nan()
    _report_numbers(series, inside, needed, PROBABILITY, reporter)
    return _one_zero(numbers)


def row_scores(
    series: pl.Series, needed: NDArray[np.bool_], reporter: Reporter
) -> NDArray[np.float64]:
    """Finite numbers; only TRAIN rows may lack one."""
    numbers = floats(series)
    _report_numbers(series, numbers.is_finite(), needed, SCORE, reporter)
    return _one_zero(numbers)


PROBABILITY = ("prob", "a probability", "A probability is a number from 0 to 1.")
SCORE = ("score", "a score", "A score is a finite number.")


def _report_numbers(
    series: pl.Series,
    good: pl.Series,
    needed: NDArray[np.bool_],
    said: tuple[str, str, str],
    reporter: Reporter,
) -> None:
    bad = ~good.fill_null(value=False) & (_given(series) | pl.Series(needed))
    name, what, remedy = said
    reporter.report(_true(bad), name, lambda row: f"found {_seen(series, row)} as {what}", remedy)


def _one_zero(numbers: pl.Series) -> NDArray[np.float64]:
    # Sorting takes −0 and 0 for equals, so that a threshold could be either: adding 0 leaves one.
    return numbers.fill_null(np.nan).to_numpy() + 0.0


def id_lists(series: pl.Series, name: str, reporter: Reporter) -> Lists | None:
    """Read lists of ids, from cells of text or from a column of lists; None from any other."""
    if series.dtype in (pl.String, pl.Null):
        found = text_lists(series.cast(pl.String))
        reporter.report(
            _true(found.is_null()),
            name,
            lambda row: f"found {_seen(series, row)}, which is no list of ids",
            'Write a JSON array of text, ["a", "b"], or ids joined by |.',
        )
        return _named(Lists.of(found), name, reporter)
    series = as_lists(series)
    inner = series.dtype.inner if isinstance(series.dtype, pl.List) else None
    if inner is not None and (
        inner.is_integer() or isinstance(inner, pl.Categorical | pl.Enum) or inner == pl.Null
    ):
        series = series.cast(pl.List(pl.String))
    elif inner != pl.String:
        reporter.problems.add(
            f"the column is of type {series.dtype}",
            "Store lists of text.",
            column=reporter.columns[name],
        )
        return None
    return _named(_flat(series, name, reporter), name, reporter)


def _named(lists: Lists, name: str, reporter: Reporter) -> Lists:
    """Refuse an id that is empty: looked for by its hash, which every list is checked by anyway."""
    suspects = np.flatnonzero(lists.hashes == pl.Series([""]).hash()[0])
    empty = suspects[(lists.values.gather(suspects) == "").to_numpy()]
    rows = np.unique(lists.owner_of(empty))
    reporter.report(
        rows,
        name,
        lambda _: "the list holds an empty id",
        "Give every item its id, or leave it out.",
    )
    return lists


def as_lists(series: pl.Series) -> pl.Series:
    """Give lists of a fixed length as any others."""
    if isinstance(series.dtype, pl.Array):
        return series.arr.to_list()
    return series


def _flat(series: pl.Series, name: str, reporter: Reporter) -> Lists:
    """Flatten lists; one with a null in it is told, and goes on without."""
    lists = Lists.of(series)
    if not lists.values.null_count():
        return lists
    rows = np.unique(lists.owner_of(_true(lists.values.is_null())))
    reporter.report(
        rows, name, lambda _: "the list holds a null", "Every item of a list needs a value."
    )
    return Lists.of(series.list.drop_nulls())


ALIGNED = {
    "scores": ("candidate", "a finite score", -np.inf, np.inf),
    "node_probs": ("candidate", "a probability from 0 to 1", 0, 1),
    "grades": ("gold id", f"a whole number from 1 to {GRADES[1]}", 1, GRADES[1]),
}
"""Lists of numbers: what they are aligned with, what each item is, and between which bounds."""


def aligned_numbers(
    series: pl.Series, name: str, beside: Lists | None, reporter: Reporter
) -> NDArray[np.float64] | None:
    """Read lists of numbers, one for each item of another list."""
    lists = number_cells(series, name, reporter)
    if lists is None:
        return None
    item, expected, *_ = ALIGNED[name]
    numbers = lists.values.to_numpy()
    wrong = _wrong(numbers, name)
    rows, first = np.unique(lists.owner_of(wrong), return_index=True)
    found = dict(zip(rows.tolist(), numbers[wrong][first].tolist(), strict=True))
    reporter.report(
        rows,
        name,
        lambda row: f"found {found[row]!r} in the list",
        f"Each item is {expected}.",
    )
    if beside is None:
        return numbers
    told = [problem.row for problem in reporter.problems.found if problem.row is not None]
    unequal = np.flatnonzero((lists.lengths != beside.lengths) & ~np.isin(reporter.place + 1, told))
    reporter.report(
        unequal,
        name,
        lambda row: f"found {lists.lengths[row]} numbers for {beside.lengths[row]} {item}s",
        f"Give one for each {item}, in the same order.",
    )
    return numbers


def _wrong(numbers: NDArray[np.float64], name: str) -> NDArray[np.int64]:
    """Give the places of what is no number of its column."""
    _, _, least, most = ALIGNED[name]
    lowest, highest = numbers.min(initial=most), numbers.max(initial=least)
    # Not a number is passed on by both, and is not within the bounds.
    within = bool(max(least, LEAST) <= lowest and highest <= min(most, -LEAST))
    if within and name != "grades":
        return np.zeros(0, dtype=np.int64)
    wrong = ~np.isfinite(numbers) | (numbers < least) | (numbers > most)
    if name == "grades":
        wrong |= np.rint(numbers) != numbers
    return np.flatnonzero(wrong)


LEAST = np.finfo(np.float64).min
"""The smallest finite number."""


def number_cells(series: pl.Series, name: str, reporter: Reporter) -> Lists | None:
    """Read lists of numbers, from cells of text or from a column of lists; None from any other."""
    if series.dtype in (pl.String, pl.Null):
        found = number_lists(series.cast(pl.String))
        reporter.report(
            _true(found.is_null()),
            name,
            lambda row: f"found {_seen(series, row)}, which is no list of numbers",
            "Write a JSON array of numbers, [0.5, 0.25].",
        )
        return Lists.of(found)
    series = as_lists(series)
    inner = series.dtype.inner if isinstance(series.dtype, pl.List) else None
    if inner is None or not (inner.is_numeric() or inner == pl.Null):
        reporter.problems.add(
            f"the column is of type {series.dtype}",
            "Store lists of numbers.",
            column=reporter.columns[name],
        )
        return None
    lists = _flat(series, name, reporter)
    # Scores are only ever compared with each other, and float32 keeps its order in float64.
    values = lists.values.cast(pl.Float64) if name == "scores" else floats(lists.values)
    return Lists(lists.offsets, values)
