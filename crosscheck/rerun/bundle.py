"""Bundles: inputs, config, report, lock file and hashes in one archive that reruns from itself.

A bundle is a ZIP with the same bytes whenever it is made: fixed order, fixed dates. One that comes
from elsewhere is not trusted: only plain files under known names, no more than it says, hashes
verified before anything is used.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.report import json
from crosscheck.rerun import locate
from crosscheck.rerun.folder import INPUTS, LOCK, SUMS, files, sum_of, verify
from crosscheck.system import scratch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.report.view import Report

EPOCH = (1980, 1, 1, 0, 0, 0)
LARGEST = 20 * 2**30
"""Bytes that a bundle may unpack to."""
MOST_FILES = 10_000
DENSEST = 1000
"""Bytes per compressed byte: DEFLATE cannot do much better, and honest data do far worse."""


def pack(report: Path, target: Path) -> int:
    """Write a report's folder and its inputs to one archive; say how many files it holds."""
    folder = report if report.is_dir() else report.parent
    packed = {path.relative_to(folder).as_posix(): path for path in files(folder)}
    packed |= _inputs(json.read(report), folder)
    part = target.with_name(f".{target.name}.part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            sums = [_add(archive, name, packed[name].read_bytes()) for name in sorted(packed)]
            sums.append(_add(archive, LOCK, _lock().encode()))
            _add(archive, SUMS, "".join(sums).encode())
        part.replace(target)
    except OSError as error:
        raise UserError(
            f"{target}: cannot be written ({error.strerror}); name another file"
        ) from None
    finally:
        part.unlink(missing_ok=True)
    return len(packed) + 2


def _inputs(stored: Report, folder: Path) -> dict[str, Path]:
    """Name the inputs inside the archive as they lie to each other, so that configs find data."""
    places = [Path(place).resolve() for place in locate(stored, folder).values()]
    if not places:
        return {}
    common = Path(os.path.commonpath([place.parent for place in places]))
    return {f"{INPUTS}/{place.relative_to(common).as_posix()}": place for place in places}


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> str:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, content)
    return f"{sum_of(name, hashlib.sha256(content).hexdigest())}\n"


def _lock() -> str:
    """Name every installed package with its version: what the numbers were computed with."""
    found = {one.metadata["Name"]: one.version for one in metadata.distributions()}
    return "".join(f"{name}=={found[name]}\n" for name in sorted(found, key=str.lower))


@contextmanager
def opened(report: Path) -> Iterator[Path]:
    """Give a report's folder: as it is, or unpacked from a bundle for as long as it is needed."""
    if not (report.is_file() and zipfile.is_zipfile(report)):
        yield report
        return
    with scratch("bundle") as folder:
        unpack(report, folder)
        yield folder


def unpack(bundle: Path, folder: Path) -> None:
    """Unpack a bundle after looking at every entry, and verify every hash."""
    try:
        with zipfile.ZipFile(bundle) as archive:
            entries = archive.infolist()
            _refuse(bundle, entries)
            for entry in entries:
                _extract(archive, entry, folder / entry.filename)
    except (zipfile.BadZipFile, EOFError, NotImplementedError) as error:
        raise UserError(f"{bundle}: is damaged ({error}); ask for it again") from None
    except OSError as error:
        raise UserError(
            f"{bundle}: cannot be unpacked here ({error.strerror}); make room, or set TMPDIR to a "
            "place where names may be long and differ in case alone"
        ) from None
    verify(folder, bundle)


def _refuse(bundle: Path, entries: list[zipfile.ZipInfo]) -> None:
    """Refuse what no bundle of ours holds: foreign paths, links, doubles, bombs."""
    if len(entries) > MOST_FILES:
        raise UserError(f"{bundle}: holds {len(entries):,} files; a bundle has a few dozen")
    names = [entry.filename for entry in entries]
    if len(set(names)) != len(names):
        raise UserError(f"{bundle}: holds one name twice, so it is no bundle of ours")
    total = 0
    for entry in entries:
        path = PurePosixPath(entry.filename)
        kind = entry.external_attr >> 28
        if (
            path.is_absolute()
            or ".." in path.parts
            or "\\" in entry.filename
            or ":" in entry.filename
            or entry.is_dir()
            or kind not in {0, 0o10}
        ):
            raise UserError(
                f"{bundle}: the entry “{entry.filename}” is no plain file inside the bundle; "
                "it was not unpacked"
            )
        total += entry.file_size
        if total > LARGEST or entry.file_size > DENSEST * max(entry.compress_size, 64):
            raise UserError(
                f"{bundle}: “{entry.filename}” would unpack to {entry.file_size:,} bytes from "
                f"{entry.compress_size:,}; that is no honest data, and it was not unpacked"
            )


def _extract(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    left = entry.file_size
    with archive.open(entry) as source, place.open("xb") as target:
        # zipfile stops at the stated size by itself; this is for the day it does not.
        while chunk := source.read(min(1 << 20, left + 1)):
            left -= len(chunk)
            if left < 0:
                raise zipfile.BadZipFile(f"“{entry.filename}” is longer than it says")
            target.write(chunk)
