"""The pages of a Parquet file: what each says that it unpacks to, read before any library does.

The footer of a file states sizes, and so does the header of every page; a library allocates what a
header says. So the headers are walked here, which costs a few bytes a page, and the larger word
counts. Headers are Thrift structs in the compact protocol; only their first three fields matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER = 1 << 16
"""Bytes that a page's header may have: statistics in it hold a value or two."""
LONGEST = 1 << 24
"""The same where they hold long ones."""
UNPACKED, PACKED = 2, 3
"""Fields of a header."""
STOP, TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = 0, 1, 2, 3, 7, 8, 9, 10, 11, 12
UUID = 13
FIXED = {TRUE: 1, FALSE: 1, BYTE: 1, DOUBLE: 8, UUID: 16}
"""Bytes of what has one length; outside of structs, a truth is a byte."""
WHOLE = (4, 5, 6)
DEPTH = 64


class _Short(Exception):  # noqa: N818 - no error: more has to be read
    """The header is longer than what was read of it."""


def page_sizes(file: BinaryIO, metadata: Any) -> Iterator[int]:  # noqa: ANN401 - pyarrow's
    """Give the unpacked size of every page of every column, as its own header states it."""
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        for number in range(row_group.num_columns):
            yield from _of_column(file, row_group.column(number))


def _of_column(file: BinaryIO, column: Any) -> Iterator[int]:  # noqa: ANN401 - the same
    starts = [column.data_page_offset]
    if column.has_dictionary_page and column.dictionary_page_offset:
        starts.append(column.dictionary_page_offset)
    at, end = min(starts), min(starts) + column.total_compressed_size
    while at < end:
        header, unpacked, packed = _header(file, at)
        if unpacked < 0 or packed < 0:
            raise ValueError("a page of a negative size")
        yield unpacked
        at += header + packed


def _header(file: BinaryIO, at: int) -> tuple[int, int, int]:
    """Read a header: its length, and the page's size unpacked and packed."""
    for most in (HEADER, LONGEST):
        file.seek(at)
        reader = _Reader(file.read(most))
        try:
            fields = reader.struct()
        except _Short:
            continue
        return reader.at, fields[UNPACKED], fields[PACKED]
    raise ValueError("a page's header without end")


class _Reader:
    """Thrift's compact protocol, as far as it takes to step over it."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def struct(self, depth: int = 0) -> dict[int, int]:
        """Step over a struct; give its whole numbers by field."""
        if depth > DEPTH:
            raise ValueError("a page's header with levels without end")
        found: dict[int, int] = {}
        field = 0
        while (head := self._byte()) & 0xF != STOP:
            field = field + (head >> 4) if head >> 4 else self._zigzag()
            if (kind := head & 0xF) in WHOLE:
                found[field] = self._zigzag()
            elif kind not in (TRUE, FALSE):
                self._skip(kind, depth)
        return found

    def _skip(self, kind: int, depth: int) -> None:
        """Step over a value that stands in a struct, a list or a map."""
        if depth > DEPTH:
            raise ValueError("a page's header with levels without end")
        if kind in FIXED:
            self._step(FIXED[kind])
        elif kind in WHOLE:
            self._number()
        elif kind == BINARY:
            self._step(self._number())
        elif kind in (LIST, SET):
            self._skip_list(depth)
        elif kind == MAP:
            self._skip_map(depth)
        elif kind == STRUCT:
            self.struct(depth + 1)
        else:
            raise ValueError(f"a page's header with a field of kind {kind}")

    def _skip_list(self, depth: int) -> None:
        head = self._byte()
        count = self._number() if head >> 4 == 0xF else head >> 4  # noqa: PLR2004 - “more follows”
        if count > len(self.content):
            raise _Short
        for _ in range(count):
            self._skip(head & 0xF, depth + 1)

    def _skip_map(self, depth: int) -> None:
        count = self._number()
        kinds = self._byte() if count else 0
        if count > len(self.content):
            raise _Short
        for _ in range(count):
            self._skip(kinds >> 4, depth + 1)
            self._skip(kinds & 0xF, depth + 1)

    def _byte(self) -> int:
        self._step(1)
        return self.content[self.at - 1]

    def _step(self, size: int) -> None:
        if self.at + size > len(self.content):
            raise _Short
        self.at += size

    def _number(self) -> int:
        found = shift = 0
        while True:
            byte = self._byte()
            found |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return found
            if shift > 63:  # noqa: PLR2004 - bits of the longest
                raise ValueError("a number without end")

    def _zigzag(self) -> int:
        number = self._number()
        return (number >> 1) ^ -(number & 1)
