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

MOST = 4_000_000
"""Rows of counted signatures that the driver takes."""


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
    graded = table.has("grades")
    golds = words.numbers("1", words.size("gold")) if graded else "gold"
    uid = words.entry("gold", "u") if graded else "u"
    shown = _place(table, words.position("candidates", uid), "u" if graded else "")
    hits = words.transform(golds, "u", shown)
    if not graded:
        hits = words.keep(hits, "t", "t <> '0'")
    parts = [
        f"CAST({words.size('gold')} AS {words.text})",
        f"CAST({words.size('candidates')} AS {words.text})",
        words.joined(words.ordered(hits), ","),
    ]
    joined = ", ';', ".join(parts)
    return f"CASE WHEN {words.size('gold')} = 0 THEN '' ELSE concat({joined}) END"


def _place(table: Table, position: str, at_gold: str) -> str:
    """Write a gold's rank, with its group of equals where it has any."""
    words = table.engine.words
    grade = f", '*', CAST({words.entry('grades', at_gold)} AS {words.text})" if at_gold else ""
    if not table.has("scores"):
        return f"concat(CAST({position} AS {words.text}){grade})"
    own = words.entry("scores", position)
    higher = words.count_where("scores", "s", "at_s", f"s > {own}")
    equal = words.count_where("scores", "s", "at_s", f"s = {own}")
    earlier = words.count_where("scores", "s", "at_s", f"(s = {own} AND at_s < {position})")
    rank = f"CAST({higher} + {earlier} + 1 AS {words.text})"
    tied = (
        f"CASE WHEN {equal} = 1 THEN '' ELSE "
        f"concat(':', CAST({higher} AS {words.text}), ':', CAST({equal} AS {words.text})) END"
    )
    return f"CASE WHEN {position} = 0 THEN {_missed(grade)} ELSE concat({rank}, {tied}{grade}) END"


def _missed(grade: str) -> str:
    return f"concat('0'{grade})" if grade else "'0'"


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
