"""The last self-test's result, kept with the catalogue it was made of: the report's badge.

`crosscheck selftest --record` rewrites it; the test run holds it to a fresh self-test. A record of
another catalogue is none.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from crosscheck.mistakes.catalogue import FOLDER as MISTAKES

FOLDER = Path(__file__).parents[1] / "faults"
FILE = FOLDER / "record.json"


def fingerprint() -> str:
    """Hash the catalogue and the code that injects it."""
    content = hashlib.sha256()
    for folder in (FOLDER, MISTAKES):
        for path in sorted([*folder.glob("*.toml"), *folder.glob("*.py")]):
            content.update(path.name.encode() + b"\0" + path.read_bytes())
    return content.hexdigest()


def recorded() -> str | None:
    """Give the badge, such as 83/83, if it belongs to this catalogue."""
    if not FILE.is_file():
        return None
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    return str(kept["selftest"]) if kept["catalogue"] == fingerprint() else None


def record(badge: str) -> None:
    """Keep a result."""
    kept = {"selftest": badge, "catalogue": fingerprint()}
    FILE.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8", newline="\n")
