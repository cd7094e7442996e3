"""What a file unpacks to, found out without unpacking it into memory.

Which packing a reader sees is decided by the file's name for some and by its first bytes for
others, so both count: gzip and Zstandard by name too, an archive also where bytes stand before it.
"""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.extras import needed
from crosscheck.limits import arrow, pages, repeated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Measure = Callable[[str], Iterator[int]]

CHUNK = 2**20
DOCUMENTS = (".docx", ".docm", ".xlsx", ".xlsm", ".zip")
"""What is opened as an archive, whatever its first bytes are."""
TABLES = (".arrow", ".feather")


class TooManyError(Exception):
    """An archive holds more files than are read here."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.count = count


def unpacks(path: str, files: int, enough: int) -> Iterator[int]:
    """Say what a file unpacks to, as far as that is known by now.

    An archive may hold so many files; what cannot come to `enough` bytes is not measured further.
    """
    with Path(path).open("rb") as file:
        head = file.read(8)
    name = path.lower()
    if head.startswith(b"\x1f\x8b") or name.endswith(".gz"):
        yield from _gzip(path)
    elif head.startswith(b"\x28\xb5\x2f\xfd") or name.endswith(".zst"):
        yield from _zstd(path)
    elif head.startswith(b"PAR1"):
        yield from _parquet(path, enough)
    elif head.startswith(arrow.MAGIC) or name.endswith(TABLES):
        yield from _arrow(path)
    elif head.startswith(b"PK") or name.endswith(DOCUMENTS):
        yield _zip(path, files)


def _gzip(path: str) -> Iterator[int]:
    total = 0
    with gzip.open(path) as file:
        while chunk := file.read(CHUNK):
            total += len(chunk)
            yield total


def _zstd(path: str) -> Iterator[int]:
    pa = needed("pyarrow", path)
    total = 0
    with pa.OSFile(path) as raw, pa.CompressedInputStream(raw, "zstd") as file:
        while chunk := file.read(CHUNK):
            total += len(chunk)
            yield total


def _arrow(path: str) -> Iterator[int]:
    """Measure a table of Arrow; a damaged one is refused here, for it can be the death of readers.

    They believe offsets that lead out of a batch, and no message follows from that.
    """
    pa = needed("pyarrow", path)
    try:
        yield from arrow.unpacked(Path(path))
        yield from repeated.of_arrow(Path(path))
    except (ValueError, OSError, OverflowError, pa.ArrowException) as error:
        told = str(error).partition("\n")[0][:200]
        raise UserError(
            f"{path}: cannot be read as Arrow: it is truncated or damaged ({told}); write it again"
        ) from None


def _zip(path: str, files: int) -> int:
    """Add up what an archive's entries say; whoever reads one reads no more than that."""
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
    if len(entries) > files:
        raise TooManyError(len(entries))
    return sum(one.file_size for one in entries)


def _parquet(path: str, enough: int) -> Iterator[int]:
    """Take the stated sizes, and at least a byte a cell: a value repeated is packed to nothing."""
    parquet = needed("pyarrow.parquet", path)
    found = parquet.read_metadata(path)
    groups = (found.row_group(n) for n in range(found.num_row_groups))
    yield max(found.num_rows * found.num_columns, sum(one.total_byte_size for one in groups))
    total = 0
    with Path(path).open("rb") as file:
        for size in pages.page_sizes(file, found):
            total += size
            yield total
    yield from repeated.of_parquet(path, found, enough)
