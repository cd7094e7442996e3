"""Tables for the paper, from a written report whose ledger is what it was when it was verified.

A number is rounded with its uncertainty: two significant digits of the standard deviation (or of
half the interval), the value to the same place, so that `0.8972 ± 0.0015` says what is known and no
more. Each number knows the keys that it shows: the mean over folds is stated under the key of the
folds, the pooled value under that of all. `text.py` writes the cells out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from crosscheck import contract
from crosscheck.contract import load
from crosscheck.contract.naming import base_name, meaning_of, name_of
from crosscheck.errors import UserError
from crosscheck.model.key import Key, unescape
from crosscheck.report import printing
from crosscheck.report.cells import Bracket, Number, Paper, Stated
from crosscheck.report.pivot import pivot
from crosscheck.report.results import CRITERIA, VIEWS

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.model.comparison import Comparison, ComparisonRow
    from crosscheck.report.cells import Cell
    from crosscheck.report.pivot import Pivot
    from crosscheck.report.view import IntervalView, Report, RowView, SystemView

    Cells = dict[tuple[str, str], ComparisonRow]

HEADLINE = "headline"
ABLATION = "ablation"
DIFFERENCES = "differences"

TWO_SIDED = (CRITERIA, VIEWS)
"""Tables whose two sides the claims reader understands; the others are lists on paper."""


def names(system: SystemView, report: Report) -> dict[str, str]:
    """Every table there is: its name on the command line → its title."""
    found = {HEADLINE: HEADLINE}
    found |= {slug(title): title for title in system.tables}
    if report.comparison is not None:
        found |= {ABLATION: ABLATION, DIFFERENCES: DIFFERENCES}
    return found


def slug(title: str) -> str:
    """Write a table's title as one word: `selected-k`."""
    words = title.replace("γ", "gamma").lower().split()
    return "-".join(words)


def build(report: Report, system: SystemView, name: str) -> Paper:
    """Make one table of a report."""
    known = names(system, report)
    title = known.get(name)
    if title is None:
        raise UserError(f"no table “{name}” in this report; there are {', '.join(known)}")
    if name in (ABLATION, DIFFERENCES):
        return _comparison(report, name)
    rows = system.headline if name == HEADLINE else system.tables[title]
    caption = _caption(system, title, rows)
    if title in TWO_SIDED:
        turned = pivot(title, rows, load().words(system.facts))
        if turned is not None:
            return _two_sided(system.name, name, caption, turned)
    return _listed(system.name, name, caption, rows)


def _caption(system: SystemView, title: str, rows: list[RowView]) -> str:
    """Say what the numbers are; over folds only where each of them is."""
    folds = len(system.facts.get("folds") or [])
    told = {row.folds_std is not None for row in rows if not isinstance(row.value, int)}
    over = ""
    if folds > 1 and told == {True}:
        over = f", mean ± standard deviation over {folds} folds"
    elif True in told:
        over = "; a value with ± is the mean of the folds and their standard deviation"
    what = "headline results" if title == HEADLINE else title
    return f"{printing.titled(what)} of {system.name}{over}; every number verified."


def _number(system: str, row: RowView | ComparisonRow) -> Number:
    pooled = Stated(system, row.key, row.value)
    if row.folds_mean is None or row.folds_std is None:
        return Number(row.value, states=(pooled,))
    states = (
        Stated(system, over_folds(row.key, "mean"), row.folds_mean),
        Stated(system, over_folds(row.key, "std"), row.folds_std),
        pooled,  # what failed over all rows is no number for a paper over folds either
    )
    return Number(row.folds_mean, row.folds_std, states=states)


def _bracket(system: str, row: RowView) -> Bracket | None:
    over = row.folds_mean is not None and row.folds_std is not None
    intervals = row.folds_intervals if over else row.intervals
    if not intervals:
        return None
    key = over_folds(row.key, "mean") if over else row.key
    return Bracket(intervals[0].low, intervals[0].high, ends(system, key, intervals[0]))


def ends(system: str, key: str, interval: IntervalView) -> tuple[Stated, ...]:
    """State both ends of a number's interval."""
    own = Key.parse(key)
    return tuple(
        Stated(system, str(replace(own, statistic=f"{end}/{interval.unit}/{interval.method}")), at)
        for end, at in (("ci_low", interval.low), ("ci_high", interval.high))
    )


def over_folds(key: str, statistic: str) -> str:
    """Give the key of a number's mean, or spread, over folds."""
    return str(replace(Key.parse(key), slice="folds", statistic=statistic))


def _listed(system: str, name: str, caption: str, rows: list[RowView]) -> Paper:
    """One line a number, each label in a column of its own, as the claims reader takes it."""
    columns = [
        column for column in _columns(system) if any(column.of(row) is not None for row in rows)
    ]
    notes: dict[str, str] = {}
    for row in rows:
        notes.setdefault(_noted(row.metric), meaning_of(row.metric, general=True))
    return Paper(
        name=name,
        caption=caption,
        header=[column.head for column in columns],
        rows=[[column.of(row) or "" for column in columns] for row in rows],
        notes=[f"{metric}: {meaning}" for metric, meaning in notes.items()],
    )


def _noted(metric: str) -> str:
    """Name what a note is about: all cut-offs of a metric at once, each variant by itself."""
    return name_of(metric) if contract.load().metric(metric).variant else base_name(metric)


@dataclass(frozen=True, slots=True)
class PaperColumn:
    """One column of a list: its head, and what it shows of a row."""

    head: str
    of: Callable[[RowView], Cell]


def _metric(row: RowView) -> str:
    """Name the metric so that it can be read back: its id where the name cannot."""
    name = name_of(row.metric)
    return name if contract.read_name(name).metric == row.metric else row.metric


def _statistic(row: RowView) -> str | None:
    statistic = Key.parse(row.key).statistic
    return None if statistic in ("mean", "value", "n") else statistic


def _slice(kind: str) -> Callable[[RowView], str | None]:
    def value(row: RowView) -> str | None:
        name, _, found = Key.parse(row.key).slice.partition("=")
        return unescape(found) if name == kind else None

    return value


def _columns(system: str) -> list[PaperColumn]:
    return [
        PaperColumn("Metric", _metric),
        PaperColumn("Statistic", _statistic),
        PaperColumn("Subset", lambda row: row.population.replace("_", " ")),
        PaperColumn("State", _slice("state")),
        PaperColumn("Has evidence", _slice("has_evidence")),
        PaperColumn("Value", partial(_number, system)),
        PaperColumn("95 % CI", partial(_bracket, system)),
    ]


def _two_sided(system: str, name: str, caption: str, table: Pivot) -> Paper:
    """Two sides; the subset stands beside the metric where the rows are metrics."""
    subsets = {each.name: each.subset.replace("_", " ") for each in table.legend}
    by_metric = table.corner == "Metric"
    body: list[list[Cell]] = []
    for label, cells in table.rows:
        first = next(cell for cell in cells if cell is not None)
        beside: list[Cell] = [subsets[base_name(first.metric)]] if by_metric else []
        numbers = [None if cell is None else _number(system, cell) for cell in cells]
        body.append([_metric(first) if by_metric else label, *beside, *numbers])
    heads = table.columns if by_metric else [_metric(row) for row in _first_cells(table)]
    return Paper(
        name=name,
        caption=caption,
        header=[table.corner, *(["Subset"] if by_metric else []), *heads],
        rows=body,
        notes=[f"{each.name} ({subsets[each.name]}): {each.text}" for each in table.legend],
    )


def _first_cells(table: Pivot) -> list[RowView]:
    """Give one filled cell of each column."""
    columns = zip(*(cells for _, cells in table.rows), strict=True)
    return [next(cell for cell in column if cell is not None) for column in columns]


def _comparison(report: Report, name: str) -> Paper:
    """Systems by metric: the values, or the differences from the baseline."""
    comparison = report.comparison
    if comparison is None:
        raise UserError("the report compares no systems; give it several with `--ranking`")
    cells: dict[tuple[str, str], ComparisonRow] = {}
    columns: dict[str, str] = {}
    for row in comparison.rows:
        cells[row.system, row.key] = row
        columns.setdefault(row.key, row.name)
    change = name == DIFFERENCES
    shown = _change if change else _compared
    body: list[list[Cell]] = [
        [system, *(shown(cells, system, key) for key in columns)]
        for system in comparison.systems
        if any(system == one for one, _ in cells)
        if not (change and system == comparison.baseline)
    ]
    return Paper(
        name, _compares(comparison, change=change), ["System", *columns.values()], body, []
    )


def _compares(comparison: Comparison, *, change: bool) -> str:
    if not change:
        folds = any(row.folds_std is not None for row in comparison.rows)
        over = ", mean ± standard deviation over folds" if folds else ""
        return f"Ablation{over}; every number verified."
    drawn = comparison.resamples
    how = f"; paired bootstrap, {printing.count(drawn)} resamples" if drawn else ""
    return f"Difference from {comparison.baseline}{how}."


def _compared(cells: Cells, system: str, key: str) -> Cell:
    row = cells.get((system, key))
    return None if row is None else _number(system, row)


def _change(cells: Cells, system: str, key: str) -> Cell:
    """Show a difference; it holds if the two values do."""
    row = cells.get((system, key))
    if row is None or row.difference is None:
        return None
    against = cells[row.baseline, key]
    states = tuple(Stated(one.system, key, one.value) for one in (row, against))
    return Number(row.difference, signed=True, states=states)
