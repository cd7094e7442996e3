"""One quantity printed twice: in one table, in two, in a table and in running text.

One finding for each quantity, whatever the number of places. It is an error only inside one table,
where two names of one metric stand beside each other. Between two tables it is advice, for nothing
says that both are of one run; two columns are held against each other where they are said to be on
one data set or stand under one heading, or where they agree in most rows, so that the others are
odd. Where two tables differ in most of what they share, that is said once.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

from crosscheck.audit.rates import interval
from crosscheck.audit.verdicts import Tally, exact
from crosscheck.notation import labels
from crosscheck.notation.abbreviation import stands_for
from crosscheck.notation.metric_names import folded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crosscheck.notation.claim import Claim

    Row = tuple[str, str]
    Column = dict[Row, Claim]
    Pair = tuple[Claim, Claim]

_ROLES = frozenset(("value", "std", "ci_low", "ci_high", "count"))
_SHORTEST = 3
"""Letters that a system's name needs to be found in running text."""
_OURS = re.compile(r"\s*[(\[](?:ours|proposed|this work|this paper)[)\]]", re.IGNORECASE)
_SHARED = 3
_SHOWN = 3
"""Pairs that are named of two tables that differ in most."""
_AGREEING = 0.6
"""The share of rows, among at least three, in which two columns agree that print one quantity."""
_RUN = "both are of one run on one data set"


def audit(claims: Sequence[Claim]) -> Tally:
    """Compare every quantity with itself."""
    tally = Tally()
    printed = [
        c for c in claims if c.readable and c.key and c.role in _ROLES and not c.prose and c.table
    ]
    _inside(printed, tally)
    _across(printed, claims, tally)
    _spoken(claims, tally)
    return tally


def _row(claim: Claim) -> Row:
    """Name a row: the system, or what stands in its place, and the data set."""
    return folded(_OURS.sub("", _name(claim))), folded(claim.dataset or "")


def _name(claim: Claim) -> str:
    return claim.system or claim.condition


def _split(claim: Claim) -> str:
    return "" if claim.split in {None, "EVAL"} else str(claim.split)


def _inside(printed: Sequence[Claim], tally: Tally) -> None:
    """Compare cells of one table that have one subject and one key."""
    same: dict[tuple[object, ...], list[Claim]] = defaultdict(list)
    for claim in printed:
        same[*claim.beside, claim.role, claim.key].append(claim)
    blurred: dict[str, list[tuple[Claim, ...]]] = defaultdict(list)
    for some in same.values():
        first = some[0]
        tally.looked_at(some if len(some) > 1 else ())
        apart = [c for c in some if not interval(first).meets(interval(c)) and c.at != first.at]
        if not apart:
            continue
        if all(_is_synonym(first, c) for c in apart):
            _found((first, *apart), tally, "")
        else:
            blurred[first.file].append((first, *apart))
    for found in blurred.values():
        more = f"; so it is with {len(found) - 1} more of this file" * (len(found) > 1)
        _found(found[0], tally, _RUN, more)


def _is_synonym(one: Claim, other: Claim) -> bool:
    """Whether two labels are different names of one metric, and nothing else."""
    names = {folded(c.name) for c in (one, other)}
    return len(names) > 1 and all(
        said.pure and said.metric == one.metric for said in map(labels.read, (one.name, other.name))
    )


def _across(printed: Sequence[Claim], claims: Sequence[Claim], tally: Tally) -> None:
    """Compare columns of different tables row by row."""
    texts = _around(claims)
    tables: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    seen: dict[tuple[str, str], int] = defaultdict(int)
    for one, other in _columns(printed):
        shared = [(one[row], other[row]) for row in _shared(one, other, texts)]
        apart = [pair for pair in shared if _differ_in(*pair)]
        if not _is_one(shared, apart, texts):
            continue
        tally.looked_at(c for pair in shared for c in pair)
        place = (shared[0][0].table, shared[0][1].table)
        seen[place] += len(shared)
        tables[place] += apart
    quantities: dict[tuple[object, ...], list[Pair]] = defaultdict(list)
    for place, apart in tables.items():
        if len(apart) * 2 > seen[place] > 1:
            _differ(place, apart, seen[place], tally)
        else:
            for pair in apart:
                quantities[pair[0].key, *_head(pair[0])].append(pair)
    for pairs in quantities.values():
        cells = dict.fromkeys(c for pair in pairs for c in pair)
        _found(tuple(cells), tally, _RUN + _renamed(pairs))


def _columns(printed: Sequence[Claim]) -> list[tuple[Column, Column]]:
    """Pair the columns of different tables that print one metric."""
    found: dict[tuple[str, ...], dict[tuple[str, str], Column]] = defaultdict(dict)
    for claim in printed:
        place = claim.table, claim.condition if claim.system else ""
        kind = claim.file, claim.role, claim.key or "", _split(claim)
        found[kind].setdefault(place, {}).setdefault(_row(claim), claim)
    return [
        (_by_head(columns[one]), _by_head(columns[other]))
        for columns in found.values()
        for one, other in combinations(columns, 2)
        if one[0] != other[0]
    ]


def _by_head(column: Column) -> Column:
    """Name rows by the first part of their label, where that tells them apart."""
    heads = {_head(claim): claim for claim in column.values()}
    return heads if len(heads) == len(column) else dict(column)


def _head(claim: Claim) -> Row:
    first = claim.said.other[0] if claim.said and claim.said.other else claim.system or ""
    name, dataset = _row(claim)
    return folded(_OURS.sub("", first)) or name, dataset


def _differ_in(one: Claim, other: Claim) -> bool:
    """Whether two cells differ; those that share but the end of rounding do, for advice."""
    a, b = interval(one), interval(other)
    return (a.high <= b.low or b.high <= a.low) and one.printed != other.printed


def _around(claims: Sequence[Claim]) -> dict[tuple[str, str], str]:
    """Give the words of each table that are no names of numbers: its caption and its notes."""
    found: dict[tuple[str, str], str] = defaultdict(str)
    for claim in claims:
        if claim.table:
            place = claim.file, claim.table
            text = claim.label if claim.role == "unknown" else ""
            found[place] = found[place] or claim.title
            found[place] += f" {text}" if text and text not in found[place] else ""
    return found


def _shared(one: Column, other: Column, texts: Mapping[tuple[str, str], str]) -> list[Row]:
    """Give the rows of both columns; a table that names its data set in words counts as such."""
    found = [row for row in one if row in other]
    for first, second in ((one, other), (other, one)):
        for row, claim in list(first.items()):
            partner = second.get((row[0], "")) or _abbreviated(claim, second)
            if not row[1] or not row[0] or partner is None or row in second:
                continue
            if _mentions(texts.get((partner.file, partner.table), ""), claim.dataset):
                second[row] = partner
                found.append(row)
    return found


def _abbreviated(claim: Claim, column: Column) -> Claim | None:
    """Give the one cell of a column whose system this one's name stands for, or the other way."""
    cells = [cell for cell in column.values() if cell.dataset is None and _name(cell)]
    found = [cell for cell in cells if _stand_for_each_other(claim, cell)]
    return found[0] if len(found) == 1 else None


def _is_one(
    shared: Sequence[Pair], apart: Sequence[Pair], texts: Mapping[tuple[str, str], str]
) -> bool:
    """Whether two columns are to be held against each other."""
    if not shared:
        return False
    if len(shared) >= _SHARED and len(shared) - len(apart) >= _AGREEING * len(shared):
        return True
    one, other = shared[0]
    if one.system and other.system and one.condition != other.condition:
        return False
    if one.system and other.system and not _is_same(one, other):
        return False
    if one.dataset and other.dataset:
        return True
    if one.dataset or other.dataset:
        bare, named = (other, one) if one.dataset else (one, other)
        return _mentions(texts.get((bare.file, bare.table), ""), named.dataset)
    return one.title == other.title


def _is_same(one: Claim, other: Claim) -> bool:
    """Whether two cells are of one system by its name, or by what one name stands for."""
    return _row(one)[0] == _row(other)[0] or _stand_for_each_other(one, other)


def _stand_for_each_other(one: Claim, other: Claim) -> bool:
    names = _name(one), _name(other)
    return stands_for(*names) or stands_for(*reversed(names))


def _renamed(pairs: Sequence[Pair]) -> str:
    """Say which two names would have to be one system's."""
    apart = [pair for pair in pairs if _row(pair[0])[0] != _row(pair[1])[0]]
    names = [f", and “{_name(a)}” and “{_name(b)}” are one system"
             for a, b in apart if _stand_for_each_other(a, b)]  # fmt: skip
    return "".join(dict.fromkeys(names))


def _differ(place: tuple[str, str], apart: Sequence[Pair], among: int, tally: Tally) -> None:
    """Tell once of two tables that differ in most of what they share."""
    one, other = apart[0]
    more = f"; {place[0]} and {place[1]} differ in {len(apart)} of the {among} that they share"
    also = [f"{a.printed} against {b.printed} ({b.place})" for a, b in apart[1:_SHOWN]]
    more += f", also in {', '.join(also)}" if also else ""
    _found((one, other), tally, _RUN + _renamed(apart[:_SHOWN]), more if len(apart) > 1 else "")


def _found(cells: tuple[Claim, ...], tally: Tally, only_if: str, more: str = "") -> None:
    one = cells[0]
    far = max(cells, key=lambda c: abs(interval(c).low - interval(one).low))
    low, high = sorted((one, far), key=lambda c: interval(c).low)
    places = ", ".join(f"{c.printed} ({c.place})" for c in cells[1:])
    sign = "<" if interval(low).high < interval(high).low else "≤"
    tally.found(
        "XC919",
        cells,
        f"{one.where} prints {one.printed} for {one.key}, and elsewhere stands {places}{more}",
        "the same value in every place",
        ("the places are about different data or runs, and do not say so",) if only_if else (),
        worked=f"{exact(interval(low).high)} {sign} {exact(interval(high).low)}",
        only_if=only_if,
    )


def _spoken(claims: Sequence[Claim], tally: Tally) -> None:
    """Look up what running text says of a metric among the tables' cells of it.

    A sentence may name two systems, or quote an older number: only a value that no table prints
    for that metric, in a sentence that names a system of those tables, is told.
    """
    printed = [c for c in claims if c.readable and c.key and c.role == "value" and not c.prose]
    for said in claims:
        if not (said.prose and said.readable and said.key and said.role == "value"):
            continue
        same = [c for c in printed if c.file == said.file and c.metric == said.metric]
        of = [c for c in same if _mentions(said.title, c.system)]
        if not of:
            continue
        tally.looked_at((said,))
        if not any(interval(said).meets(interval(c)) for c in same):
            near = min(of, key=lambda c: abs(interval(c).low - interval(said).low))
            _found((said, near), tally, "the sentence and the table are of one run on one data set")


def _mentions(sentence: str, name: str | None) -> bool:
    """Whether a text holds a name, as words of its own."""
    if not name or len(name) < _SHORTEST:
        return False
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sentence, re.IGNORECASE) is not None
