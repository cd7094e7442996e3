r"""Every headline number as a LaTeX macro: `\newcommand{\ndcgTen}{0.8169}`.

A paper that writes `\ndcgTen` cannot go stale: the file is written anew, or the number stays the
verified one. A name follows from the key alone (and from the system's name where a report has
several), so it is the same in every run; each line says its key, by which `crosscheck gate
--claims` verifies the file itself.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from crosscheck import contract
from crosscheck.model.key import Key, unescape
from crosscheck.paper.tables import ends, over_folds
from crosscheck.report import printing
from crosscheck.report.cells import Stated
from crosscheck.system import harmless

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crosscheck.report.view import RowView, SystemView

SMALL = (
    *("Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"),
    *("Eleven", "Twelve", "Thirteen", "Fourteen", "Fifteen", "Sixteen", "Seventeen", "Eighteen"),
    "Nineteen",
)
TENS = ("Twenty", "Thirty", "Forty", "Fifty", "Sixty", "Seventy", "Eighty", "Ninety")
WORDS = re.compile(r"[A-Za-z]+|\d+|(?<=\d)\.(?=\d)")
STATISTICS = {"mean": "", "value": "", "n": ""}
"""Statistics that go without saying."""
ENDS = {"ci_low": "Low", "ci_high": "High"}
TAKEN = frozenset(("k", "kappa", "map", "rank", "hit", "top", "gamma", "tau", "alpha", "beta"))
"""Words that are commands of LaTeX or of a common package already."""
LETTERS = 6


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
        "% Written by `crosscheck tables --macros`; write it anew instead of editing it.",
        "% `crosscheck gate --claims` verifies each number by the key behind it.",
    ]
    for one, name in zip(listed, names(listed, several=several), strict=True):
        value = _printed(one.value, printing.DIGITS if digits is None else digits)
        about = f"{_one_line(one.system)}: {_one_line(one.key)}" if several else _one_line(one.key)
        lines.append(f"\\newcommand{{\\{name}}}{{{value}}} % {about}")
    return "\n".join(lines) + "\n"


def names(stated: list[Stated], *, several: bool) -> list[str]:
    """Name each number; where two would share a name, both get letters drawn from their keys."""
    plain = [_name(one, several=several) for one in stated]
    shared = {name for name in plain if plain.count(name) > 1}
    return [
        name + _letters(f"{one.system}: {one.key}") if name in shared else name
        for one, name in zip(stated, plain, strict=True)
    ]


def _name(one: Stated, *, several: bool) -> str:
    key = Key.parse(one.key)
    own = contract.load().metric(key.metric).metric
    parts = [_spelled(key.metric)]
    if key.population != own.population:
        parts.append(f"Over{_spelled(key.population)}")
    if key.slice != "all":
        parts.append(_spelled(unescape(key.slice)))
    end, _, _ = key.statistic.partition("/")
    if end in ENDS:
        parts.append(ENDS[end])
    elif key.slice == "folds" or key.statistic not in STATISTICS:
        parts.append(_spelled(key.statistic))
    if several:
        parts.insert(0, _spelled(one.system) or f"System{_letters(one.system)}")
    name = "".join(parts)
    name = name[:1].lower() + name[1:]
    return f"{name}Value" if name in TAKEN else name


def _spelled(text: str) -> str:
    """Write any text in letters alone: `ndcg@10` is `NdcgTen`."""
    return "".join(_word(word) for word in WORDS.findall(text))


def _word(word: str) -> str:
    if word == ".":
        return "Point"
    if not word.isdigit():
        return word[:1].upper() + word[1:]
    number = int(word)
    if word != str(number) or number >= 100:  # noqa: PLR2004 - above it digit by digit
        return "".join(SMALL[int(digit)] for digit in word)
    if number < len(SMALL):
        return SMALL[number]
    return TENS[number // 10 - 2] + (SMALL[number % 10] if number % 10 else "")


def _letters(text: str) -> str:
    """Draw letters from a text, always the same ones."""
    drawn = hashlib.sha256(text.encode("utf-8", "backslashreplace")).digest()
    return "".join(chr(ord("a") + byte % 26) for byte in drawn[:LETTERS])


def _printed(value: float, digits: int) -> str:
    if isinstance(value, int):
        return printing.count(value)
    text = printing.number(value, digits)
    if text == printing.NEVER:
        return r"\ensuremath{\infty}"
    return f"\\ensuremath{{{text.replace('−', '-')}}}" if text.startswith("−") else text


def _one_line(text: str) -> str:
    """Keep a name within its comment."""
    return " ".join(harmless(text).split())
