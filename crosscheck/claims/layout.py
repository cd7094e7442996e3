"""From what a reader found to claims: tables, named values and sentences, each by its own rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.meaning.blocks import is_remark
from crosscheck.meaning.nested import from_leaves, is_told
from crosscheck.meaning.notes import legends
from crosscheck.meaning.printed import from_printed
from crosscheck.meaning.sentences import from_sentences
from crosscheck.meaning.tables import from_table
from crosscheck.notation.pieces import Leaf, Passed, Printed, Sentence, Table
from crosscheck.notation.quantity import convention

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.notation.claim import Claim
    from crosscheck.notation.number import Comma
    from crosscheck.notation.pieces import Piece


@dataclass(frozen=True, slots=True)
class Found:
    """What pieces say: claims, and text that is no claim by a rule."""

    claims: tuple[Claim, ...] = ()
    passed: tuple[Passed, ...] = ()


def from_pieces(pieces: Sequence[Piece], file: str) -> Found:
    """Read the claims of everything that a reader found."""
    comma = _comma(pieces)
    leaves = [one for one in pieces if isinstance(one, Leaf)]
    claims, passed = from_leaves(leaves, file, comma)
    signs = legends(pieces)
    for one in pieces:
        if isinstance(one, Printed):
            claims.append(from_printed(one, file, len(claims)))
            passed.append(Passed.of(one.name, "name"))
        elif isinstance(one, Table):
            found, named = from_table(one, file, comma, signs)
            claims += found
            passed += named
    texts = [one for one in pieces if isinstance(one, Sentence)]
    remarks = [each for one in pieces if isinstance(one, Table) for each in _remarks(one)]
    found, named = from_sentences([*texts, *remarks, *_told(leaves, file)], file, comma)
    claims += found
    passed += named
    return Found(tuple(claims), tuple(passed))


def _remarks(table: Table) -> Iterator[Sentence]:
    """Give the rows of a table that are remarks in words: they may hold claims of their own."""
    for cells, row in zip(table.cells, table.rows, strict=True):
        if is_remark(row):
            yield Sentence(cells[0], table.title, table.above)


def _told(leaves: Sequence[Leaf], file: str) -> Iterator[Sentence]:
    """Give the remarks of a nested file, and other texts of it that clearly state a number."""
    for leaf in leaves:
        if leaf.numeric or len(leaf.text.split()) < 2:  # noqa: PLR2004 - a name and a number
            continue
        told = Sentence(leaf.value, "/".join(leaf.path))
        clear = (one.key and one.number for one in from_sentences([told], file)[0])
        if is_told(leaf) or any(clear):
            yield told


def _comma(pieces: Sequence[Piece]) -> Comma:
    """Tell what a comma between digits is in this file, from all of its cells."""
    texts = [one.text for one in pieces if isinstance(one, Leaf)]
    for one in pieces:
        if isinstance(one, Table):
            texts += [text for row in one.rows for text in row]
    return convention(texts)
