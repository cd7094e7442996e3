"""An archive that every program unpacks to the same files.

A ZIP says everything twice: at its end, where `zipfile` reads, and before each file, where others
do; and it may hold more than either names. One that says two things could be called the same here
and show an auditor something else. So the files follow each other from the first byte, each as the
end says that it is, and nothing stands between or behind them.
"""

from __future__ import annotations

import struct
from typing import IO, TYPE_CHECKING

from crosscheck.errors import UserError

if TYPE_CHECKING:
    import zipfile
    from pathlib import Path

LOCAL = struct.Struct("<4s5H3L2H")
"""Mark, version, flags, method, time, day, CRC, two sizes, length of the name and of extras."""
MARK = b"PK\x03\x04"
END = struct.Struct("<4s4H2LH")
END_MARK = b"PK\x05\x06"
LARGE = 0xFFFFFFFF
"""Stands for a size that is written elsewhere."""


def refuse_two_faces(bundle: Path, archive: zipfile.ZipFile, file: IO[bytes]) -> None:
    """Refuse an archive in which another program could find other files."""
    entries = sorted(archive.infolist(), key=lambda one: one.header_offset)
    at = 0
    for entry in entries:
        if entry.header_offset != at:
            raise UserError(_two(bundle, f"something stands before “{entry.filename}”"))
        file.seek(at)
        at += _length(bundle, file.read(LOCAL.size), entry)
        name = file.read(len(entry.orig_filename.encode()))
        if name.decode("utf-8", "replace") != entry.orig_filename:
            raise UserError(_two(bundle, f"“{entry.filename}” goes by two names"))
    file.seek(max(0, bundle.stat().st_size - END.size))
    mark, *_, comment = END.unpack(file.read(END.size).rjust(END.size, b"\0"))
    if archive.start_dir != at or mark != END_MARK or comment:
        raise UserError(_two(bundle, "something stands behind its files"))


def _length(bundle: Path, head: bytes, entry: zipfile.ZipInfo) -> int:
    """Say how long an entry is, with what is said before it, once that is what the end says."""
    if len(head) < LOCAL.size:
        raise UserError(_two(bundle, f"“{entry.filename}” is cut off"))
    mark, _, flags, method, _, _, check, packed, unpacked, name, extra = LOCAL.unpack(head)
    same = (mark, flags, method, check) == (MARK, entry.flag_bits, entry.compress_type, entry.CRC)
    sizes = ((packed, entry.compress_size), (unpacked, entry.file_size))
    if not same or any(told not in (held, LARGE) for told, held in sizes):
        raise UserError(_two(bundle, f"“{entry.filename}” is described in two ways"))
    return LOCAL.size + int(name) + int(extra) + entry.compress_size


def _two(bundle: Path, why: str) -> str:
    return (
        f"{bundle}: programs would unpack it to different files ({why}), so it is no bundle of "
        "ours; it was not unpacked"
    )
