r"""Every headline number as a LaTeX macro: `\newcommand{\ndcgTen}{0.8169}`.

A paper that writes `\ndcgTen` cannot go stale: the file is written anew, or the number stays the
verified one. A name follows from the key alone (and from the system's name where a report has
several), so it is the same in every run; each line says its key, by which `crosscheck gate
--claims` verifies the file itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.latex.naming import WRITTEN, letters, name_of, one_line
from crosscheck.paper.tables import ends, over_folds
from crosscheck.report import printing
from crosscheck.report.cells import Stated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crosscheck.report.view import RowView, SystemView


def states(system: SystemView) -> Iterator[Stated]:
    """Give the headline numbers: pooled, their interval, and over folds."""
    for row in system.headline:
        yield from _of_row(system.name, row)


def _of_row(system: str, row: RowView) -> Iterator[Stated]:
    yield Stated(system, row.key, row.value)
    if row.intervals:
        yield from ends(system, row.key, row.intervals[0])
    if row.folds_mean is None or row.folds_std is None:
        return
    mean = over_folds(row.key, "mean")
    yield Stated(system, mean, row.folds_mean)
    yield Stated(system, over_folds(row.key, "std"), row.folds_std)
    if row.folds_intervals:
        yield from ends(system, mean, row.folds_intervals[0])


def latex(stated: Iterable[Stated], digits: int | None = None, *, several: bool = False) -> str:
    """Write the macros; `several`: each begins with its system's name."""
    listed = list(stated)
    lines = [
        WRITTEN,
        "% `crosscheck gate --claims` verifies each number by the key behind it.",
    ]
    for one, name in zip(listed, names(listed, several=several), strict=True):
        value = _printed(one.value, printing.DIGITS if digits is None else digits)
        about = f"{one_line(one.system)}: {one_line(one.key)}" if several else one_line(one.key)
        lines.append(f"\\newcommand{{\\{name}}}{{{value}}} % {about}")
    return "\n".join(lines) + "\n"


def names(stated: list[Stated], *, several: bool) -> list[str]:
    """Name each number; where two would share a name, both get letters drawn from their keys."""
    plain = [name_of(one.key, one.system if several else None) for one in stated]
    shared = {name for name in plain if plain.count(name) > 1}
    return [
        name + letters(f"{one.system}: {one.key}") if name in shared else name
        for one, name in zip(stated, plain, strict=True)
    ]


def _printed(value: float, digits: int) -> str:
    if isinstance(value, int):
        return printing.count(value)
    text = printing.number(value, digits)
    if text == printing.NEVER:
        return r"\ensuremath{\infty}"
    return f"\\ensuremath{{{text.replace('−', '-')}}}" if text.startswith("−") else text
