"""Read a file of claims, whatever its format, and account for every number in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from crosscheck.claims import layout
from crosscheck.claims.accounting import Entry, account
from crosscheck.claims.scale import settle
from crosscheck.errors import UserError
from crosscheck.limits import admit
from crosscheck.meaning.marks import best
from crosscheck.notation.claim import Claim
from crosscheck.notation.pieces import Passed, Unread
from crosscheck.notation.source import Source
from crosscheck.notation.written import Written
from crosscheck.readers import readers
from crosscheck.readers.bounds import bounded
from crosscheck.readers.files import Library, content, decoded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crosscheck.notation.pieces import Piece
    from crosscheck.readers import Load, Reader

_Read = TypeVar("_Read")

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
    reader: str = ""
    """The name of the format that it was read as."""
    taken: tuple[Path, ...] = ()
    """Further files that it takes in."""
    absent: tuple[Path, ...] = ()
    """Where it names a file and none lies."""

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The outcome of each token, in the order of the file."""
        return account(self.source, self.claims, self.passed)

    @property
    def ignored(self) -> tuple[Entry, ...]:
        """The tokens that a rule passes over."""
        return tuple(one for one in self.entries if one.state == "ignored")


class NothingClaimedError(UserError):
    """A document without a number that could be a claim."""


def read(path: str | Path) -> list[Claim]:
    """Read every number that a file claims; what is not understood keeps its problem.

    A file without any number is refused: a gate that checked nothing of it must not pass.
    """
    return list(examine(path).claims)


def examine(path: str | Path) -> Reading:
    """Read a file, with the account of every token in it."""
    file = Path(path)
    admit(file, "document")
    raw = content(file)
    kind = next((one for one in readers().values() if one.open and _is(file, one)), None)
    if kind is not None and kind.open is not None:
        reading = understood(*_tried(partial(kind.open, raw, file.name), kind, file.name))
    else:
        text = decoded(raw, file)
        library = Library(file, text)
        kind = readers()[form(text, file.suffix)]
        pieces = _pieces(kind, Written.of(text), file.name, library.load)
        reading = understood(library.source, pieces)
        reading = replace(reading, taken=library.taken, absent=library.absent)
    if all(claim.role == "setting" for claim in reading.claims):
        raise NothingClaimedError(
            f"{file}: holds no number in a table or under a name; expected "
            f"{', '.join(one.name for one in readers().values())}, with one of the two"
        )
    return replace(reading, reader=kind.name)


def _is(file: Path, reader: Reader) -> bool:
    return file.suffix.lower() in reader.suffixes


def read_text(text: str, name: str, form: str) -> list[Claim]:
    """Read claims from text in a known format."""
    return list(examine_text(text, name, form).claims)


def examine_text(text: str, name: str, form: str) -> Reading:
    """Read text in a known format, with the account of every token in it."""
    pieces = _pieces(readers()[form], Written.of(text), name, lambda _: None)
    return understood(Source(name, text), pieces)


def _pieces(reader: Reader, page: Written, name: str, load: Load) -> Sequence[Piece]:
    if reader.read_with is not None:
        return _tried(partial(reader.read_with, page, name, load), reader, name)
    return _tried(partial(reader.read, page, name), reader, name)


def _tried(read: Callable[[], _Read], reader: Reader, name: str) -> _Read:
    """Let a reader read; one that fails has met a file that it cannot read, and says so."""
    try:
        return read()
    except UserError:
        raise
    except Exception as error:  # the file is the user's, whatever it does to a reader
        raise UserError(
            f"{name}: cannot be read as {reader.name} ({type(error).__name__}: {error}); "
            f"give the table alone, or in another format"
        ) from error


def understood(source: Source, pieces: Sequence[Piece]) -> Reading:
    """Make claims of what a reader found, and of every token that nobody read."""
    pieces = bounded(pieces, source)
    found = layout.from_pieces(pieces, source.file)
    passed = (*found.passed, *(one for one in pieces if isinstance(one, Passed)))
    claims = settle([_placed(claim, source) for claim in found.claims])
    claims += best(claims)
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
        label=one.name,
        printed="…",
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
