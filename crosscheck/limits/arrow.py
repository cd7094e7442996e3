"""What an Arrow file or stream unpacks to, by what its messages say, before any library obeys.

Each message is a flatbuffer that names the rows and the buffers of a batch; a buffer that is packed
begins with its unpacked length. The batches of a file are those that its end lists, wherever they
stand. A stream that was cut between two batches reads like a shorter table: so one without the mark
of its end is refused.
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, BinaryIO

from crosscheck.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAGIC = b"ARROW1"
CONTINUED = b"\xff\xff\xff\xff"
DICTIONARY, BATCH = 2, 3
"""Kinds of message that hold rows."""
LAST = 10
"""Bytes at the end of a file: the length of its list, and the mark once more."""
BLOCK = 24
"""Bytes of an entry of that list: where a message stands, and two lengths."""
SMALLEST = 8
"""Bytes of the length before a packed buffer."""


def unpacked(path: Path) -> Iterator[int]:
    """Give, batch by batch, what all so far unpack to: their buffers, and a byte a cell."""
    total = 0
    with path.open("rb") as file:
        whole = file.read(len(MAGIC)) == MAGIC
        file.seek(0)
        for message in _listed(path, file) if whole else _in_order(path, file):
            total += _size(file, message, file.tell())
            yield total


def _in_order(path: Path, file: BinaryIO) -> Iterator[bytes]:
    """Give the messages of a stream, one after the other."""
    while (message := _message(path, file, ends=True)) is not None:
        after = file.tell() + _Table.root(message).number(3, "<q")
        yield message
        file.seek(after)


def _listed(path: Path, file: BinaryIO) -> Iterator[bytes]:
    """Give the messages that the end of a file lists: dictionaries, then batches."""
    end = file.seek(-LAST, os.SEEK_END)
    size = int.from_bytes(file.read(4), "little")
    file.seek(max(0, end - size))
    footer = _Table.root(file.read(size))
    for number in (2, 3):
        for place in footer.structs(number, BLOCK):
            file.seek(_read(footer.content, "<q", place))
            message = _message(path, file, ends=False)
            if message is not None:
                yield message


def _message(path: Path, file: BinaryIO, *, ends: bool) -> bytes | None:
    """Read the next message; None at the end, which a stream has to mark."""
    head = file.read(4)
    if head == CONTINUED:
        head = file.read(4)
    if len(head) < 4:  # noqa: PLR2004 - bytes of a length
        if ends:
            raise UserError(
                f"{path}: the stream of Arrow ends without the mark of its end, so it may have "
                "been cut off between two batches; write it again, and close the writer"
            )
        return None
    size = int.from_bytes(head, "little")
    if not size:
        return None
    message = file.read(size)
    if len(message) < size:
        raise ValueError("a message that is cut off")
    return message


def _size(file: BinaryIO, message: bytes, start: int) -> int:
    root = _Table.root(message)
    kind, batch = root.number(1, "<B"), root.table(2)
    if kind == DICTIONARY and batch is not None:
        batch = batch.table(1)
    if kind not in (DICTIONARY, BATCH) or batch is None:
        return 0
    packed = batch.table(3) is not None
    cells = sum(length for length, _ in batch.pairs(1))
    return cells + sum(_buffer(file, start + at, size, packed) for at, size in batch.pairs(2))


def _buffer(file: BinaryIO, at: int, size: int, packed: bool) -> int:
    if not packed or size < SMALLEST:
        return size
    file.seek(at)
    found = int.from_bytes(file.read(SMALLEST), "little", signed=True)
    return size if found == -1 else found


class _Table:
    """A table of a flatbuffer: its fields by number."""

    def __init__(self, content: bytes, at: int) -> None:
        self.content = content
        self.at = at
        self.fields = at - _read(content, "<i", at)

    @classmethod
    def root(cls, content: bytes) -> _Table:
        return cls(content, _read(content, "<I", 0))

    def _place(self, number: int) -> int | None:
        if 4 + 2 * number >= _read(self.content, "<H", self.fields):
            return None
        offset = _read(self.content, "<H", self.fields + 4 + 2 * number)
        return self.at + offset if offset else None

    def number(self, number: int, form: str) -> int:
        """Give a field that is a whole number; 0 where it is left out."""
        place = self._place(number)
        return 0 if place is None else _read(self.content, form, place)

    def table(self, number: int) -> _Table | None:
        """Give a field that is a table."""
        place = self._place(number)
        if place is None:
            return None
        return _Table(self.content, place + _read(self.content, "<I", place))

    def pairs(self, number: int) -> Iterator[tuple[int, int]]:
        """Give a field that is a list of pairs: length and gaps of a column, or place and size."""
        for at in self.structs(number, 16):
            yield _read(self.content, "<q", at), _read(self.content, "<q", at + 8)

    def structs(self, number: int, size: int) -> range:
        """Give the places of the structs that a field lists."""
        place = self._place(number)
        if place is None:
            return range(0)
        begin = place + _read(self.content, "<I", place)
        count = _read(self.content, "<I", begin)
        if begin + 4 + size * count > len(self.content):
            raise ValueError("a list that is cut off")
        return range(begin + 4, begin + 4 + size * count, size)


def _read(content: bytes, form: str, at: int) -> int:
    if not 0 <= at <= len(content) - struct.calcsize(form):
        raise ValueError("a message that leads out of itself")
    found: int = struct.unpack_from(form, content, at)[0]
    return found
