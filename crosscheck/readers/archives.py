"""Documents that are archives: how large they may become when they are opened."""

from __future__ import annotations

import io
import zipfile

from crosscheck.errors import UserError

LARGEST = 200 * 2**20
"""Bytes that the parts of a document may come to."""
_RATIO = 200
"""How many times its size a part may grow: text in XML comes to some ten times."""
_SMALL = 2**20


def refuse_bombs(raw: bytes, name: str) -> None:
    """Refuse an archive that is none, or that is small only as long as it is closed."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise UserError(f"{name}: cannot be opened: {error}; is it the document itself?") from error
    size = sum(part.file_size for part in parts)
    grown = any(
        part.file_size > _SMALL and part.file_size > _RATIO * max(part.compress_size, 1)
        for part in parts
    )
    if size > LARGEST or grown:
        raise UserError(
            f"{name}: its parts come to {size:,} bytes when opened; at most {LARGEST:,} are read, "
            f"and none that grows {_RATIO}-fold"
        )
