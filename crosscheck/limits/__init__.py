"""How much is taken from a file that may be anybody's, asked before any reader opens it.

Regular files alone, of a bounded size, that unpack to a bounded size. The bounds belong to whoever
runs the command: `CROSSCHECK_LIMITS="file=40GB,ratio=1000"` changes them, a config cannot.
"""

from __future__ import annotations

import os
import re
import stat
import zipfile
import zlib
from dataclasses import dataclass, fields
from functools import cache
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck.errors import UserError
from crosscheck.limits.measures import TooManyError, unpacks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

VARIABLE = "CROSSCHECK_LIMITS"
MB, GB = 2**20, 2**30
UNITS = {"": 1, "KB": 2**10, "MB": MB, "GB": GB}
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
    replicates: int = 8 * GB
    """Resamples times numbers that have an interval, by each unit: eight bytes each."""
    points: int = 20_000
    """Bins of a calibration, points of a grid: each has numbers of its own."""
    slices: int = 10_000
    """Values of all slices together: each has numbers of its own."""
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
        free = max(FREE, limits().ratio * size)
        for unpacked in unpacks(path, limits().files, min(free, limits().unpacked)):
            if unpacked > limits().unpacked:
                raise UserError(_dense(path, size, unpacked, "unpacked"))
            if unpacked > free:
                raise UserError(_dense(path, size, unpacked, "ratio"))
    except TooManyError as error:
        raise UserError(f"{path}: holds {error.count:,} files; {more('files')}") from None
    except (OSError, EOFError, ValueError, RuntimeError, ArithmeticError, KeyError) as error:
        del error  # damaged: the reader says how
    except (zlib.error, zipfile.BadZipFile):
        return  # the same


def _dense(path: str, size: int, unpacked: int, most: str) -> str:
    return (
        f"{path}: {size:,} bytes that unpack to {unpacked:,} or more; that is no honest data, and "
        f"it was not read further; {more(most)}"
    )


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


def refuse_replicates(resamples: int, intervals: int) -> None:
    """Refuse more intervals than a machine holds the replicates of."""
    size = resamples * intervals * 8
    if size > limits().replicates:
        raise UserError(
            f"resamples: {resamples:,} of {intervals:,} numbers would take {size:,} bytes; ask for "
            f"fewer resamples, or for fewer slices; {more('replicates')}"
        )


def refuse_points(settings: Mapping[str, Any]) -> None:
    """Refuse bins and grids so fine that their numbers fill a machine."""
    grid, bins = settings.get("grid"), settings.get("bins")
    sides = [grid.get(name, ()) for name in ("tau_neg", "tau_pos")] if grid else [(), ()]
    counted = {"grid": len(sides[0]) * len(sides[1])}
    counted["bins"] = max((one for one in bins or () if isinstance(one, int)), default=0)
    for name, count in counted.items():
        if count > limits().points:
            raise UserError(
                f"{name}: asks for {count:,} points, more than the {limits().points:,} that are "
                f"computed here; ask for fewer; {more('points')}"
            )


def refuse_slices(values: Mapping[str, Sequence[Any]]) -> None:
    """Refuse a column of ids as a slice: every value has all its numbers."""
    count = sum(map(len, values.values()))
    if count > limits().slices:
        widest = max(values, key=lambda name: len(values[name]))
        raise UserError(
            f"slices: have {count:,} values ({widest} alone {len(values[widest]):,}), more than "
            f"the {limits().slices:,} that are computed here; name another column; {more('slices')}"
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
