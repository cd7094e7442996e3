"""Tables for the paper, from a written report whose ledger is what it was when it was verified.

A number is rounded with its uncertainty: two significant digits of the standard deviation (or of
half the interval), the value to the same place, so that `0.8972 ± 0.0015` says what is known and no
more. `paper_text.py` writes the cells out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck import contract
from crosscheck.contract import load
from crosscheck.contract.naming import base_name, meaning_of, name_of
from crosscheck.errors import UserError
from crosscheck.model.key import Key, unescape
from crosscheck.report import ledger, printing
from crosscheck.report.pivot import pivot
from crosscheck.report.results import CRITERIA, VIEWS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crosscheck.model.comparison import ComparisonRow
    from crosscheck.report.pivot import Pivot
    from crosscheck.report.view import Report, RowView, SystemView

HEADLINE = "headline"
ABLATION = "ablation"
DIFFERENCES = "differences"

TWO_SIDED = (CRITERIA, VIEWS)
"""Tables whose two sides the claims reader understands; the others are lists on paper."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number with what is known about its uncertainty."""

    value: float
    std: float | None = None
    signed: bool = False

    def digits(self, fixed: int | None, spread: float | None = None) -> int:
        """Decimals to print."""
        if isinstance(self.value, int):
            return 0
        if fixed is not None:
            return fixed
        known = self.std if self.std is not None else spread
        return printing.DIGITS if known is None else printing.places(known)


@dataclass(frozen=True, slots=True)
class Bracket:
    """A 95 % interval, printed to the place of the number it belongs to."""

    low: float
    high: float


Cell = str | Number | Bracket | None


@dataclass(frozen=True, slots=True)
class Paper:
    """A table ready to be written out."""

    name: str
    caption: str
    header: list[str]
    rows: list[list[Cell]]
    notes: list[str]
    """What each metric means, below the table (S4 10.2)."""


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
    caption = _caption(system, title)
    if title in TWO_SIDED:
        turned = pivot(title, rows, load().words(system.facts))
        if turned is not None:
            return _two_sided(name, caption, turned)
    return _listed(name, caption, rows)


def keys_of(report: Report, system: SystemView, name: str) -> list[str]:
    """List the ledger keys that a table prints."""
    if name in (ABLATION, DIFFERENCES):
        return [row.key for row in report.comparison.rows] if report.comparison else []
    title = names(system, report)[name]
    rows = system.headline if name == HEADLINE else system.tables[title]
    return [row.key for row in rows]


def verify(report: Report, system: SystemView, directory: Path, keys: list[str]) -> None:
    """Refuse numbers that are not what was verified: a changed ledger, an open error."""
    file = system.ledger
    if file is None:
        raise UserError(f"{directory}: the report names no ledger; write it with `crosscheck gate`")
    path = directory / file.path
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read ({error.strerror}); the tables come from the verified ledger, "
            "so keep it beside report.json"
        ) from error
    if ledger.digest(text, file.columns) != file.sha256:
        raise UserError(
            f"{path}: is not the ledger that was verified (its SHA-256 differs from that in "
            "report.json); run `crosscheck gate` again"
        )
    _same(system, ledger.read(text).get("primary", {}), keys, path)
    wrong = [
        found
        for found in report.findings
        if found.severity == "error" and found.waived is None and found.key in keys
        if found.system in (None, system.name)
    ]
    if wrong:
        listed = "\n".join(f"  {found.rule} {found.key}: {found.message}" for found in wrong)
        raise UserError(
            f"{directory}: these numbers of the table did not pass the gate:\n{listed}\n"
            "Settle them and run `crosscheck gate` again; only verified numbers are printed."
        )


def _same(system: SystemView, stated: dict[str, int | float], keys: list[str], path: Path) -> None:
    rows = [row for rows in (system.headline, *system.tables.values()) for row in rows]
    for row in rows:
        if row.key in keys and stated.get(row.key) != row.value:
            raise UserError(
                f"{path}: {row.key} is {stated.get(row.key)!r}, but report.json says "
                f"{row.value!r}; run `crosscheck gate` again"
            )


def _caption(system: SystemView, title: str) -> str:
    folds = len(system.facts.get("folds") or [])
    over = f", mean ± standard deviation over {folds} folds" if folds > 1 else ""
    what = "headline results" if title == HEADLINE else title
    return f"{printing.titled(what)} of {system.name}{over}; every number verified."


def _number(row: RowView | ComparisonRow) -> Number:
    if row.folds_mean is not None and row.folds_std is not None:
        return Number(row.folds_mean, row.folds_std)
    return Number(row.value)


def _bracket(row: RowView) -> Bracket | None:
    intervals = row.folds_intervals if row.folds_mean is not None else row.intervals
    return Bracket(intervals[0].low, intervals[0].high) if intervals else None


def _listed(name: str, caption: str, rows: list[RowView]) -> Paper:
    """One line a number, each label in a column of its own, as the claims reader takes it."""
    columns = [column for column in COLUMNS if any(column.of(row) is not None for row in rows)]
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


COLUMNS = (
    PaperColumn("Metric", _metric),
    PaperColumn("Statistic", _statistic),
    PaperColumn("Subset", lambda row: row.population.replace("_", " ")),
    PaperColumn("State", _slice("state")),
    PaperColumn("Has evidence", _slice("has_evidence")),
    PaperColumn("Value", _number),
    PaperColumn("95 % CI", _bracket),
)


def _two_sided(name: str, caption: str, table: Pivot) -> Paper:
    """Two sides; the subset stands beside the metric where the rows are metrics."""
    subsets = {each.name: each.subset.replace("_", " ") for each in table.legend}
    by_metric = table.corner == "Metric"
    body: list[list[Cell]] = []
    for label, cells in table.rows:
        first = next(cell for cell in cells if cell is not None)
        beside: list[Cell] = [subsets[base_name(first.metric)]] if by_metric else []
        numbers = [None if cell is None else _number(cell) for cell in cells]
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
    cells: dict[str, dict[str, ComparisonRow]] = {}
    columns: dict[str, str] = {}
    for row in comparison.rows:
        cells.setdefault(row.system, {})[row.key] = row
        columns.setdefault(row.key, row.name)
    change = name == DIFFERENCES
    body: list[list[Cell]] = [
        [system, *(_compared(cells[system].get(key), change=change) for key in columns)]
        for system in comparison.systems
        if system in cells and not (change and system == comparison.baseline)
    ]
    what = f"Difference from {comparison.baseline}" if change else "Ablation"
    caption = f"{what}; paired bootstrap, {printing.count(comparison.resamples)} resamples."
    return Paper(name, caption, ["System", *columns.values()], body, [])


def _compared(row: ComparisonRow | None, *, change: bool) -> Cell:
    if row is None:
        return None
    if change:
        return None if row.difference is None else Number(row.difference, signed=True)
    return _number(row)
