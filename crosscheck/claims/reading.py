"""Read a file of claims, whatever its format, and account for every number in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck.claims import layout
from crosscheck.claims.accounting import Entry, account
from crosscheck.claims.claim import Claim
from crosscheck.claims.pieces import Passed, Unread
from crosscheck.claims.readers import readers
from crosscheck.claims.scale import settle
from crosscheck.claims.source import Source
from crosscheck.claims.written import Written
from crosscheck.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.claims.pieces import Piece

OTHERWISE = "markdown"
"""What a text is read as that no reader recognises: any text may hold a pipe table."""


@dataclass(frozen=True)
class Reading:
    """A file as it was understood.

    `claims` holds a claim for every token that is not ignored: one that was not read is there with
    role `unknown` and its problem. So whoever judges the claims has judged every number.
    """

    source: Source
    pieces: tuple[Piece, ...]
    claims: tuple[Claim, ...]
    passed: tuple[Passed, ...]

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The outcome of each token, in the order of the file."""
        return account(self.source, self.claims, self.passed)

    @property
    def ignored(self) -> tuple[Entry, ...]:
        """The tokens that a rule passes over."""
        return tuple(one for one in self.entries if one.state == "ignored")


def read(path: str | Path) -> list[Claim]:
    """Read every number that a file claims; what is not understood keeps its problem.

    A file without any number is refused: a gate that checked nothing of it must not pass.
    """
    return list(examine(path).claims)


def examine(path: str | Path) -> Reading:
    """Read a file, with the account of every token in it."""
    file = Path(path)
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{file}: not UTF-8 text (byte {error.start}); save it as UTF-8") from error
    reading = examine_text(text, file.name, form(text, file.suffix))
    if all(claim.role == "setting" for claim in reading.claims):
        raise UserError(
            f"{file}: holds no number in a table or under a name; expected "
            f"{', '.join(one.name for one in readers().values())}, with one of the two"
        )
    return reading


def read_text(text: str, name: str, form: str) -> list[Claim]:
    """Read claims from text in a known format."""
    return list(examine_text(text, name, form).claims)


def examine_text(text: str, name: str, form: str) -> Reading:
    """Read text in a known format, with the account of every token in it."""
    return understood(Source(name, text), readers()[form].read(Written.of(text), name))


def understood(source: Source, pieces: Sequence[Piece]) -> Reading:
    """Make claims of what a reader found, and of every token that nobody read."""
    found = layout.from_pieces(pieces, source.file)
    passed = (*found.passed, *(one for one in pieces if isinstance(one, Passed)))
    claims = settle([_placed(claim, source) for claim in found.claims])
    missed = [one for one in account(source, claims, passed) if one.state == "unread"]
    claims += [_unread(entry, source) for entry in missed]
    claims += [_lost(one, source) for one in pieces if isinstance(one, Unread)]
    return Reading(source, tuple(pieces), tuple(claims), passed)


def _placed(claim: Claim, source: Source) -> Claim:
    """Say in which line and column a claim stands."""
    if not claim.covers:
        return claim
    line, column = source.place(claim.covers[0][0])
    return replace(claim, line=line, column=column)


def _unread(entry: Entry, source: Source) -> Claim:
    token = entry.token
    return Claim(
        file=source.file,
        place=source.landmark(token.start),
        label=token.text,
        printed=token.text,
        role="unknown",
        problem="not read: it stands in no table, under no name and in no sentence",
        covers=((token.start, token.end),),
        line=token.line,
        column=token.column,
    )


def _lost(one: Unread, source: Source) -> Claim:
    """Make a claim of what stands somewhere else, so that it is not taken for verified."""
    claim = Claim(
        file=source.file,
        place=source.landmark(one.ranges[0][0]),
        label="",
        printed="",
        role="unknown",
        problem=one.problem,
        covers=one.ranges,
    )
    return _placed(claim, source)


def form(text: str, suffix: str = "") -> str:
    """Tell the format by the end of the file's name, else by the text."""
    named = (name for name, one in readers().items() if suffix.lower() in one.suffixes)
    seen = (name for name, one in readers().items() if one.recognises(text))
    return next(named, None) or next(seen, OTHERWISE)
