"""Signatures: what all ranking metrics of a query depend on, as a short text.

Row by row, without any shuffle: |G|, |R|, and the rank of every gold that was retrieved, with the
place and size of its group of equal scores where it shares one. Queries with one signature have the
same values, so counting signatures is all that an engine has to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crosscheck.engine.table import Table


@dataclass(frozen=True, slots=True)
class Hit:
    """A gold in the ranking; `higher` candidates score higher, `equal` the same, itself included.

    Of a gold that was not retrieved, the rank is 0.
    """

    rank: int
    higher: int
    equal: int
    grade: int = 1


@dataclass(frozen=True)
class Signature:
    """A query as the ranking metrics see it."""

    gold: int
    size: int
    hits: tuple[Hit, ...]
    missed: tuple[int, ...] = ()
    """Grades of the gold that was not retrieved."""

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """The ranks of the gold, upwards."""
        return tuple(sorted(hit.rank for hit in self.hits))

    @cached_property
    def tied(self) -> bool:
        """Whether a gold shares its score."""
        return any(hit.equal > 1 for hit in self.hits)

    @cached_property
    def groups(self) -> dict[int, tuple[int, list[int]]]:
        """Candidates above a group of equal scores → the group's size, its grades."""
        found: dict[int, tuple[int, list[int]]] = {}
        for hit in self.hits:
            found.setdefault(hit.higher, (hit.equal, []))[1].append(hit.grade)
        return found

    def arranged(self, *, first: bool) -> tuple[tuple[int, int], ...]:
        """Rank the gold first, or last, among equals; higher grades first, or last."""
        found: list[tuple[int, int]] = []
        for above, (size, grades) in self.groups.items():
            start = above if first else above + size - len(grades)
            ordered = sorted(grades, reverse=first)
            found += [(start + place, grade) for place, grade in enumerate(ordered, 1)]
        return tuple(sorted(found))


def text(table: Table) -> str:
    """Write a query's signature in SQL; empty where there is no gold, and every metric is 0."""
    words = table.engine.words
    hits = words.transform(_placed(table), "x", _shown(table))
    parts = [
        f"CAST({words.size('gold')} AS {words.text})",
        f"CAST({words.size('candidates')} AS {words.text})",
        words.joined(words.ordered(hits), ","),
    ]
    joined = ", ';', ".join(parts)
    return f"CASE WHEN {words.size('gold')} = 0 THEN '' ELSE concat({joined}) END"


def _placed(table: Table) -> str:
    """Write the gold with its position, its score, and how many score higher and the same.

    Each step is a list of its own, so that nothing is looked for again for every score.
    """
    words = table.engine.words
    if table.has("grades"):
        # Gold that was not retrieved is kept: its grade belongs to the ideal.
        position, grade = words.position("candidates", "u"), words.entry("grades", "nth")
        found = words.placed("gold", "u", "nth", words.record(p=position, g=grade))
        carried = {"p": "x.p", "g": "x.g"}
    else:
        found = words.transform("gold", "u", words.record(p=words.position("candidates", "u")))
        found = words.keep(found, "x", "x.p > 0")
        carried = {"p": "x.p"}
    if not table.has("scores"):
        return found
    own = words.record(**carried, s=words.entry("scores", "x.p"))
    found = words.transform(found, "x", own)
    higher, least = (words.size(words.keep("scores", "s", f"s {sign} x.s")) for sign in (">", ">="))
    return words.transform(found, "x", words.record(**carried, s="x.s", h=higher, e=least))


def _shown(table: Table) -> str:
    """Write a gold's rank, with its group of equals where it has any, and its grade."""
    words = table.engine.words

    def written(number: str) -> str:
        return f"CAST({number} AS {words.text})"

    place = written("x.p")
    if table.has("scores"):
        earlier = words.count_where("scores", "s", "at_s", "(s = x.s AND at_s < x.p)")
        group = f"':', {written('x.h')}, ':', {written('x.e - x.h')}"
        tied = f"concat({written(f'x.h + {earlier} + 1')}, {group})"
        place = f"CASE WHEN x.e = x.h + 1 THEN {written('x.e')} ELSE {tied} END"
        if table.has("grades"):
            place = f"CASE WHEN x.p = 0 THEN '0' ELSE {place} END"
    return f"concat({place}, '*', {written('x.g')})" if table.has("grades") else place


def parse(written: str) -> Signature:
    """Read a signature."""
    if not written:
        return Signature(0, 0, ())
    gold, size, listed = written.split(";")
    hits = [_hit(one) for one in listed.split(",") if one]
    return Signature(
        int(gold),
        int(size),
        tuple(hit for hit in hits if hit.rank),
        tuple(hit.grade for hit in hits if not hit.rank),
    )


def _hit(written: str) -> Hit:
    place, _, grade = written.partition("*")
    rank, _, group = place.partition(":")
    higher, _, equal = group.partition(":")
    return Hit(
        int(rank),
        int(higher) if group else int(rank) - 1,
        int(equal) if group else 1,
        int(grade) if grade else 1,
    )
