"""What the files and folders of a report are called."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

REPORT = "report.json"
LEDGER = "ledger.csv"
SAMPLE = "ledger-sample.csv"
MACHINE = "machine.json"
RESERVED = {"CON", "PRN", "AUX", "NUL"} | {
    f"{name}{n}" for name in ("COM", "LPT") for n in range(10)
}
"""What Windows takes for devices, whatever follows the dot."""


def folder_name(system: str, beside: Iterable[str] = ()) -> str:
    """Make a system's name safe as one folder of any file system, beside those of others."""
    safe = "".join(
        character if character.isalnum() or character in "-_.+ " else "_" for character in system
    ).strip(". ")
    alike = any(one != system and one.casefold() == system.casefold() for one in beside)
    if safe and safe == system and not alike and safe.partition(".")[0].upper() not in RESERVED:
        return safe
    # Two names that look alike once made safe, or to a file system, must not share a folder.
    return f"{safe or 'system'}-{hashlib.sha256(system.encode()).hexdigest()[:8]}"
