"""The bytes of a claims file as text, within limits, and the files that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.notation.source import Source
from crosscheck.notation.written import Written

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

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
        self._absent: dict[Path, None] = {}
        self._landmarks: list[tuple[int, str]] = []

    def load(self, name: str) -> Written | None:
        """Give the text of a file in the same folder or below; None where there is none."""
        folder = self._file.parent.resolve()
        try:
            path = (folder / name).resolve()
            if not path.suffix:
                path = path.with_suffix(".tex")
            inside = path.is_relative_to(folder)
            there = inside and path.is_file()
        except (OSError, ValueError):
            return None
        if inside and not there:
            self._absent[path] = None
        if not there or path == self._file.resolve():
            return None
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
        return self._beside(self._known)

    @property
    def absent(self) -> tuple[Path, ...]:
        """Where a file was looked for and none lay."""
        return self._beside(self._absent)

    def _beside(self, places: Iterable[Path]) -> tuple[Path, ...]:
        folder = self._file.parent
        return tuple(folder / one.relative_to(folder.resolve()) for one in places)

    @property
    def source(self) -> Source:
        """The whole text."""
        text = "".join(self._texts) if self._known else self._texts[0]
        return Source(self._file.name, text, tuple(self._landmarks))
