"""Bundles: inputs, config, report, lock file and hashes in one archive that reruns from itself.

A bundle is a ZIP with the same bytes whenever it is made: fixed order, fixed dates. One that comes
from elsewhere is not trusted: only plain files under known names, no more than it says, hashes
verified before anything is used.
"""

from __future__ import annotations

import hashlib
import os
import struct
import unicodedata
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.limits import FREE, admit, limits, more
from crosscheck.report import json
from crosscheck.rerun.archive import refuse_two_faces
from crosscheck.rerun.folder import INPUTS, LOCK, SUMS, files, lock, sum_of, verify
from crosscheck.rerun.inputs import locate
from crosscheck.system import one_line, scratch

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from crosscheck.report.view import Report

EPOCH = (1980, 1, 1, 0, 0, 0)
ENCRYPTED = 0x1
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
    struct.error,
)
"""What zipfile raises over damaged archives."""


def pack(report: Path, target: Path, within: Collection[Path] = ()) -> int:
    """Write a report's folder and its inputs to one archive; say how many files it holds."""
    folder = report if report.is_dir() else report.parent
    stored = json.read(report)
    packed = {path.relative_to(folder).as_posix(): path for path in files(folder)}
    packed |= _inputs(stored, folder, within)
    part = target.with_name(f".{target.name}.part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            sums = [_copy(archive, name, packed[name]) for name in sorted(packed)]
            sums.append(_add(archive, LOCK, lock(stored).encode()))
            _add(archive, SUMS, "".join(sums).encode())
        part.replace(target)
    except OSError as error:
        raise UserError(
            f"{target}: cannot be written ({error.strerror}); name another file"
        ) from None
    finally:
        part.unlink(missing_ok=True)
    return len(packed) + 2


def _inputs(stored: Report, folder: Path, within: Collection[Path]) -> dict[str, Path]:
    """Name the inputs inside the archive as they lie to each other, so that configs find data."""
    places = [Path(place).resolve() for place in locate(stored, folder, within).values()]
    if not places:
        return {}
    common = Path(os.path.commonpath([place.parent for place in places]))
    return {f"{INPUTS}/{place.relative_to(common).as_posix()}": place for place in places}


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> str:
    archive.writestr(_entry(name), content)
    return f"{sum_of(name, hashlib.sha256(content).hexdigest())}\n"


def _copy(archive: zipfile.ZipFile, name: str, path: Path) -> str:
    """Add a file of any size, piece by piece."""
    digest = hashlib.sha256()
    large = path.stat().st_size >= zipfile.ZIP64_LIMIT
    with path.open("rb") as source, archive.open(_entry(name), "w", force_zip64=large) as target:
        while chunk := source.read(1 << 20):
            digest.update(chunk)
            target.write(chunk)
    return f"{sum_of(name, digest.hexdigest())}\n"


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


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
    admit(bundle)
    try:
        with open(bundle, "rb") as file, zipfile.ZipFile(file) as archive:  # noqa: PTH123 - as zipfile opens it
            entries = archive.infolist()
            _refuse(bundle, entries)
            refuse_two_faces(bundle, archive, file)
            for entry in entries:
                _extract(archive, entry, folder / entry.filename)
    except BROKEN as error:
        raise UserError(f"{bundle}: is damaged ({error}); ask for it again") from None
    except OSError as error:
        raise UserError(
            f"{bundle}: cannot be unpacked here ({error.strerror}); make room, or set TMPDIR to a "
            "place where names may be long and differ in case alone"
        ) from None
    verify(folder, bundle)


def _refuse(bundle: Path, entries: list[zipfile.ZipInfo]) -> None:
    """Refuse what no bundle of ours holds: foreign paths, links, doubles, secrets, bombs."""
    if len(entries) > limits().files:
        raise UserError(
            f"{bundle}: holds {len(entries):,} files; a bundle has a few dozen; {more('files')}"
        )
    _refuse_clashes(bundle, [entry.filename for entry in entries])
    total = 0
    for entry in entries:
        if not _is_plain(entry):
            raise UserError(
                f"{bundle}: the entry “{one_line(entry.filename)}” is no plain file inside it; "
                "it was not unpacked"
            )
        if entry.flag_bits & ENCRYPTED or entry.compress_type not in METHODS:
            raise UserError(
                f"{bundle}: “{entry.filename}” is encrypted, or packed as no bundle of ours is; "
                "it was not unpacked"
            )
        total += entry.file_size
        if total > limits().unpacked or total > max(FREE, limits().ratio * _size(bundle)):
            raise UserError(
                f"{bundle}: would unpack to {total:,} bytes or more, from {_size(bundle):,}; that "
                f"is no honest data, and it was not unpacked; {more('ratio')}"
            )


def _size(bundle: Path) -> int:
    return bundle.stat().st_size


def _refuse_clashes(bundle: Path, names: list[str]) -> None:
    """Refuse names that are the same file somewhere, or a file and a folder at once."""
    if len({unicodedata.normalize("NFC", name).casefold() for name in names}) != len(names):
        raise UserError(f"{bundle}: holds one name twice, so it is no bundle of ours")
    known = set(names)
    for name in names:
        above = [str(one) for one in PurePosixPath(name).parents if str(one) in known]
        if above:
            raise UserError(
                f"{bundle}: holds “{above[0]}” as a file and as a folder, as no bundle of ours does"
            )


def _is_plain(entry: zipfile.ZipInfo) -> bool:
    """Whether an entry is a file with a plain path below the bundle's folder."""
    path = PurePosixPath(entry.filename)
    return (
        not path.is_absolute()
        and ".." not in path.parts
        and path.as_posix() == entry.filename
        and not any(sign in entry.filename for sign in "\\:")
        and entry.filename.isprintable()
        and not entry.is_dir()
        and entry.external_attr >> 28 in {0, 0o10}
        and len(path.parts) <= limits().depth
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
