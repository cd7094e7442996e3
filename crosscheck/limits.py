"""How much is taken from a file that may be anybody's, asked before any reader opens it.

Regular files alone, of a bounded size, that unpack to a bounded size. The bounds belong to whoever
runs the command: `CROSSCHECK_LIMITS="file=40GB,ratio=1000"` changes them, a config cannot.
"""

from __future__ import annotations

import gzip
import os
import re
import stat
import zipfile
import zlib
from dataclasses import dataclass, fields
from functools import cache
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

VARIABLE = "CROSSCHECK_LIMITS"
MB, GB = 2**20, 2**30
UNITS = {"": 1, "KB": 2**10, "MB": MB, "GB": GB}
CHUNK = MB
KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds by name; sizes are bytes."""

    file: int = 20 * GB
    """A file of data."""
    document: int = 64 * MB
    """A file of claims."""
    config: int = MB
    report: int = 512 * MB
    """A `report.json`, or a bundle's SHA256SUMS."""
    unpacked: int = 40 * GB
    """What a compressed file, a Parquet file or a bundle may unpack to."""
    ratio: int = 200
    """Unpacked bytes a packed one, beyond the first 64 MB: honest data stay far below."""
    files: int = 10_000
    """Files of a bundle, of an archive, of a folder of data."""
    values: int = 1_000
    """Entries of one list of a config."""
    depth: int = 32
    """Levels of a config or of claims in JSON."""
    resamples: int = 1_000_000
    plan: int = 16 * GB
    """Resamples times units: a byte each."""
    answer: int = 32 * MB
    """What a witness of the user's own may answer about one system."""
    memory: int = 0
    """Its address space; 0: as much as the machine has memory, and 4 GB at least."""
    written: int = GB
    """A file that it writes."""
    opened: int = 1_024
    """Files that it holds open."""


FREE = 64 * MB
"""Nobody is held to a ratio below this size."""


def limits() -> Limits:
    """Give the bounds in force."""
    return _stated(os.environ.get(VARIABLE, ""))


@cache
def _stated(text: str) -> Limits:
    known = {one.name for one in fields(Limits)}
    found: dict[str, int] = {}
    for word in filter(None, (one.strip() for one in text.split(","))):
        name, _, size = word.partition("=")
        told = re.fullmatch(r"(\d{1,15})\s*([KMG]B)?", size.strip(), re.IGNORECASE)
        if name.strip() not in known or told is None:
            raise UserError(
                f"{VARIABLE}: “{word}” is no limit; expected NAME=NUMBER, or NUMBER with KB, MB or "
                f"GB; known are {', '.join(sorted(known))}"
            )
        found[name.strip()] = int(told[1]) * UNITS[(told[2] or "").upper()]
    return Limits(**found)


def more(name: str) -> str:
    """End a sentence about a limit: how to raise it."""
    return f"if it is honest, {VARIABLE}={name}=… allows more"


def admit(path: str | Path, most: str = "file") -> None:
    """Refuse what is no regular file, is too large, or unpacks to too much.

    What is not there, or cannot be looked at, is left to whoever reads it: they say it better.
    """
    try:
        found = os.stat(path)  # noqa: PTH116 - text that is no path is for the reader to refuse
    except (OSError, ValueError):
        return
    if stat.S_ISDIR(found.st_mode):
        return
    refuse_special(path, found.st_mode)
    bound = getattr(limits(), most)
    if found.st_size > bound:
        raise UserError(
            f"{path}: is {found.st_size:,} bytes long, more than the {bound:,} that are read here; "
            f"{more(most)}"
        )
    _refuse_dense(str(path), found.st_size, found.st_mtime_ns, found.st_ino)


def admit_data(word: str) -> None:
    """Admit what names data: a file, a folder of files, or a pattern that several fit."""
    if Path(word).is_dir():
        found = [os.path.join(at, name) for at, _, names in os.walk(word) for name in names]  # noqa: PTH118 - as os.walk gives them
    else:
        found = [word] if Path(word).exists() else glob(word)  # noqa: PTH207 - a pattern with its folders
    if len(found) > limits().files:
        raise UserError(
            f"{word}: names {len(found):,} files, more than the {limits().files:,} that are read "
            f"here; {more('files')}"
        )
    for file in found:
        admit(file)


def refuse_special(path: str | Path, mode: int) -> None:
    """Refuse a pipe, a device, a socket: reading one may never end."""
    if not stat.S_ISREG(mode):
        kind = KINDS.get(stat.S_IFMT(mode), "no file")
        raise UserError(
            f"{path}: is {kind}, and only regular files are read; write its content to a file"
        )


@cache
def _refuse_dense(path: str, size: int, *_: int) -> None:
    """Refuse a small file that unpacks to a large one; a file that has not changed, once."""
    try:
        with Path(path).open("rb") as file:
            head = file.read(6)
        measure = next((by for mark, by in MEASURES.items() if head.startswith(mark)), None)
        if measure is None:
            return
        for unpacked in measure(path):
            if unpacked > limits().unpacked:
                raise UserError(_dense(path, size, unpacked, "unpacked"))
            if unpacked > max(FREE, limits().ratio * size):
                raise UserError(_dense(path, size, unpacked, "ratio"))
    except (OSError, EOFError, ValueError, RuntimeError, zlib.error, zipfile.BadZipFile):
        return  # damaged: the reader says how


def _dense(path: str, size: int, unpacked: int, most: str) -> str:
    return (
        f"{path}: {size:,} bytes that unpack to {unpacked:,} or more; that is no honest data, and "
        f"it was not read further; {more(most)}"
    )


def _gzip(path: str) -> Iterator[int]:
    total = 0
    with gzip.open(path) as file:
        while chunk := file.read(CHUNK):
            total += len(chunk)
            yield total


def _zstd(path: str) -> Iterator[int]:
    import pyarrow as pa  # noqa: PLC0415 - heavy, and for this format alone

    total = 0
    with pa.OSFile(path) as raw, pa.CompressedInputStream(raw, "zstd") as file:
        while chunk := file.read(CHUNK):
            total += len(chunk)
            yield total


def _zip(path: str) -> Iterator[int]:
    """Add up what an archive's entries say; whoever reads one reads no more than that."""
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
    if len(entries) > limits().files:
        raise UserError(f"{path}: holds {len(entries):,} files; {more('files')}")
    yield sum(one.file_size for one in entries)


def _parquet(path: str) -> Iterator[int]:
    """Take the stated sizes, and at least a byte a cell: a value repeated is packed to nothing."""
    from pyarrow import parquet  # noqa: PLC0415 - heavy, and for this format alone

    found = parquet.read_metadata(path)
    groups = (found.row_group(n) for n in range(found.num_row_groups))
    yield max(found.num_rows * found.num_columns, sum(one.total_byte_size for one in groups))


MEASURES: dict[bytes, Callable[[str], Iterator[int]]] = {
    b"\x1f\x8b": _gzip,
    b"\x28\xb5\x2f\xfd": _zstd,
    b"PK\x03\x04": _zip,
    b"PAR1": _parquet,
}
"""First bytes → what a file unpacks to, as far as that is known by now."""


def refuse_resamples(resamples: int, units: int = 0) -> None:
    """Refuse more resamples than a machine draws in a day or holds in its memory."""
    if resamples > limits().resamples:
        raise UserError(
            f"resamples: {resamples:,} are more than the {limits().resamples:,} that are drawn "
            f"here; ask for fewer; {more('resamples')}"
        )
    if resamples * units > limits().plan:
        raise UserError(
            f"resamples: {resamples:,} of {units:,} queries and posts would take "
            f"{resamples * units:,} bytes; ask for fewer; {more('plan')}"
        )


def refuse_shape(path: str | Path, value: object) -> None:
    """Refuse a config with levels inside each other without end, or with endless lists."""
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > limits().depth:
            raise UserError(
                f"{path}: has more than {limits().depth} levels inside each other; {more('depth')}"
            )
        within: list[object] = []
        for one in level:
            if isinstance(one, dict | list):
                if len(one) > limits().values:
                    raise UserError(
                        f"{path}: has a list or table of {len(one):,} entries, more than the "
                        f"{limits().values:,} that are read here; {more('values')}"
                    )
                within += one.values() if isinstance(one, dict) else one
        level = within
