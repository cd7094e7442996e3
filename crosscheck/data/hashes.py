"""SHA-256 of files of any size: who an input is."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

CHUNK = 1 << 20


def sha256(path: Path) -> str:
    """Hash a file of any size."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
