"""How much memory an engine may take on this machine, and where it may spill to."""

from __future__ import annotations

import os
import re

from crosscheck.engine.base import EngineError

MEMORY = "CROSSCHECK_MEMORY"
SPILL = "CROSSCHECK_SPILL"
SIZE = re.compile(r"\d+(\.\d+)?\s*([KMGT]i?B)", re.IGNORECASE)
USUAL = "2GB"


def memory() -> str:
    """Give the memory limit: the one stated, else the usual one."""
    stated = os.environ.get(MEMORY, "").strip()
    if stated and not SIZE.fullmatch(stated):
        raise EngineError(f"{MEMORY}={stated}: expected a size such as 2GB or 800MB")
    return stated or USUAL


def spill() -> str | None:
    """Give the folder that was named for what memory does not hold."""
    folder = os.environ.get(SPILL, "").strip()
    if folder and not os.path.isdir(folder):  # noqa: PTH112 - text of the environment
        raise EngineError(f"{SPILL}={folder}: is no folder; make it, or name another")
    return folder or None
