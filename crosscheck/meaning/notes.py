"""What a footnote says about the number, the name or the row that its mark stands at.

A reader that knows which note a mark means gives the text with its note (`Written.notes`). Other
marks are signs, raised or not, that a caption or a line below the table explains: `† on the
development set`. A note that names a split or a population is read; one that says nothing about the
number is let be; any other is a condition that is not understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from crosscheck.meaning import context
from crosscheck.notation import word_lists as lists
from crosscheck.notation.labels import Label
from crosscheck.notation.metric_names import folded
from crosscheck.notation.pieces import Passed, Sentence, Table
from crosscheck.notation.written import RAISED, Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from crosscheck.notation.pieces import Piece

    Legend = dict[str, str]

_SYMBOLS = "*†‡§¶#★☆"
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉ", "0123456789abcde")
_RAISED_SIGNS = "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉ"
_SIGN = re.compile(
    rf" ?\^[{{(]?(?P<raised>[a-zA-Z]{{1,3}}|\d{{1,2}}(?:, ?\d{{1,2}})*)[)}}]?(?![\w.])"
    rf"|(?P<symbols>[{_SYMBOLS}]{{1,3}})|(?P<small>[{_RAISED_SIGNS}]{{1,3}})"
)
_LEGEND = re.compile(
    rf"(?:^|(?<=[\s;,.(]))(?:\^[{{(]?(?P<raised>[a-zA-Z]|\d{{1,2}})[)}}]?|(?P<symbols>[{_SYMBOLS}]{{1,3}})"
    rf"|(?P<small>[{_RAISED_SIGNS}]{{1,2}}))\)?[\s:.=–-]*(?P<text>[^\W\d_][^;{_SYMBOLS}{_RAISED_SIGNS}^]{{2,300}})"
)
"""A sign where no word or number ends, and what is said after it."""
_ENDED = re.compile(r"(?<=\w\w)\.(?:\s|$)")
_NUMBER = re.compile(r"\b[pα] ?[<>=≤≥] ?0?\.\d+|\b95 ?%")
_SHOWN = 60


@lru_cache(maxsize=1024)
def read(text: str) -> Label:
    """Give what a note says about the number that it stands at."""
    tidy = lists.tidy(text)
    said = context.read(tidy)
    open_words = [
        word
        for word in re.findall(r"[^\W\d_]+|\d+", _NUMBER.sub(" ", context.without_place(tidy)))
        if folded(word) not in lists.listed("note") and folded(word) not in lists.listed("plain")
    ]
    strange = bool(open_words) and not context.is_metric(tidy)
    condition = (f"note: {tidy[:_SHOWN].replace(' / ', ' or ')}",) if strange else ()
    if said.split or said.population:
        condition = condition if said.split in {None, "EVAL"} else ()
    return Label(split=said.split, population=said.population, condition=condition)


def said_by(written: Iterable[Written]) -> Label:
    """Give what all notes at some texts say together."""
    label = Label()
    for text in dict.fromkeys(text for one in written for _, text in one.notes):
        label = label.plus(read(text))
    return label


@dataclass(frozen=True)
class Legends:
    """What signs stand for: by table, and in the whole file."""

    near: dict[str, Legend]
    everywhere: Legend

    def of(self, table: Table) -> Legend:
        """Give the signs that a table's own caption and notes explain, else those of the file."""
        own = _explained([table.caption, *table.notes], anywhere=True)
        return self.everywhere | self.near.get(table.name, {}) | own


def legends(pieces: Sequence[Piece]) -> Legends:
    """Gather the signs that texts explain, those that follow a table as its own."""
    near: dict[str, Legend] = {}
    everywhere: Legend = {}
    last = ""
    for one in pieces:
        if isinstance(one, Table):
            last = one.name
        elif isinstance(one, Sentence):
            found = _explained([one.written], anywhere=False)
            everywhere |= found
            near.setdefault(last, {}).update(found)
    return Legends(near, everywhere)


def _explained(texts: Iterable[Written], *, anywhere: bool) -> Legend:
    found: Legend = {}
    for text in texts:
        plain = text.text
        if not plain or not (anywhere or _begins(text)):
            continue
        for one in _LEGEND.finditer(plain[:4000]):
            if one["raised"] and not text.flags[one.start("raised")] & RAISED:
                continue
            sign = one["raised"] or one["symbols"] or one["small"].translate(_SUPERSCRIPTS)
            found.setdefault(sign, _ENDED.split(one["text"])[0].strip())
    return found


def _begins(text: Written) -> bool:
    """Whether a text begins with a sign, as a note below a table does."""
    return text.text[:1] in f"{_SYMBOLS}{_RAISED_SIGNS}^"


def resolved(table: Table, known: Legends) -> tuple[Table, list[Passed]]:
    """Give a table with the notes that its signs stand for; letters and digits are taken off."""
    legend = known.of(table)
    if not legend:
        return table, []
    passed: list[Passed] = []
    cells = tuple(tuple(_cell(cell, legend, passed) for cell in row) for row in table.cells)
    return replace(table, cells=cells), passed


def _cell(cell: Written, legend: Legend, passed: list[Passed]) -> Written:
    parts, at = [], 0
    for found in _SIGN.finditer(cell.text):
        texts = list(_meant(found, cell, legend))
        if not texts:
            continue
        parts += [cell[at : found.start()], *map(Written.note, texts)]
        sign = cell[found.start() : found.end()]
        if found["symbols"]:
            parts.append(sign)
        else:
            passed.append(Passed.of(sign, "mark"))
        at = found.end()
    return Written.joined([*parts, cell[at:]]) if parts else cell


def _meant(found: re.Match[str], cell: Written, legend: Legend) -> Iterator[str]:
    """Give the notes of a sign; of several in a row only where each has one."""
    raised = found["raised"]
    if raised and not cell.flags[found.start("raised")] & RAISED:
        return
    whole = raised or found["symbols"] or found["small"].translate(_SUPERSCRIPTS)
    if whole in legend:
        yield legend[whole]
        return
    signs = re.split(", ?", whole) if "," in whole else list(whole)
    if all(one in legend for one in signs):
        yield from (legend[one] for one in signs)
