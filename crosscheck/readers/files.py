"""The bytes of a claims file as text, within limits, and the files that it names."""

from __future__ import annotations

from os.path import normpath
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.notation.source import Source
from crosscheck.notation.written import Written

if TYPE_CHECKING:
    from collections.abc import Iterable

LARGEST = 16 * 2**20
"""Bytes of a file that is read: claims are tables and text, not data."""
_MOST_FILES = 100


def content(file: Path) -> bytes:
    """Give the bytes of a file."""
    try:
        if file.stat().st_size > LARGEST:
            raise UserError(
                f"{file}: {file.stat().st_size:,} bytes; claims are read from files of at most "
                f"{LARGEST:,}: give the table or the summary alone"
            )
        return file.read_bytes()
    except OSError as error:
        raise UserError(f"{file}: cannot be read: {error.strerror}") from error


def decoded(raw: bytes, file: Path) -> str:
    """Give the text of a file, which is UTF-8."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{file}: not UTF-8 text (byte {error.start}); save it as UTF-8") from error


class Library:
    """A file and the files beside it that it takes in: one text, in the order of their use."""

    def __init__(self, file: Path, text: str) -> None:
        self._file = file
        self._texts = [text, "\n"]
        self._size = len(text) + 1
        self._known: dict[Path, Written | None] = {}
        self._taken: dict[Path, None] = {}
        self._absent: dict[Path, None] = {}
        self._landmarks: list[tuple[int, str]] = []

    def load(self, name: str) -> Written | None:
        """Give the text of a file in the same folder or below; None where there is none."""
        folder = self._file.parent.resolve()
        try:
            named = folder / (name if PurePath(name).suffix else f"{name}.tex")
            path = named.resolve()
            inside = path.is_relative_to(folder)
            there = inside and path.is_file()
        except (OSError, ValueError):
            return None
        if not there:
            self._absent[_as_named(named, path)] = None
        if not there or path == self._file.resolve():
            return None
        self._taken[_as_named(named, path)] = None
        if path not in self._known:
            self._known[path] = self._read(path, path.relative_to(folder).as_posix())
        return self._known[path]

    def _read(self, path: Path, name: str) -> Written | None:
        if len(self._known) > _MOST_FILES:
            raise UserError(f"{self._file}: takes in more than {_MOST_FILES} files")
        text = decoded(content(path), path)
        page = Written.of(text, self._size)
        self._landmarks.append((self._size, name))
        self._texts += [text, "\n"]
        self._size += len(text) + 1
        if self._size > LARGEST:
            raise UserError(
                f"{self._file}: comes to more than {LARGEST:,} characters with its files"
            )
        return page

    @property
    def taken(self) -> tuple[Path, ...]:
        """The files that were taken in, beside the one that names them."""
        return self._beside(self._taken)

    @property
    def absent(self) -> tuple[Path, ...]:
        """Where a file was looked for and none lay that is read: none, or a link out of here."""
        return self._beside(self._absent)

    def _beside(self, places: Iterable[Path]) -> tuple[Path, ...]:
        folder = self._file.parent
        own = folder.resolve()
        return tuple(
            folder / one.relative_to(own) if one.is_relative_to(own) else one for one in places
        )

    @property
    def source(self) -> Source:
        """The whole text."""
        text = "".join(self._texts) if self._known else self._texts[0]
        return Source(self._file.name, text, tuple(self._landmarks))


def _as_named(named: Path, found: Path) -> Path:
    """Give the name by which a file was asked for: a link may lead elsewhere the next time."""
    plain = Path(normpath(named))
    return plain if plain.resolve() == found else named
