"""What differs between machines and operating systems, so that nothing else has to ask.

Where libraries keep their caches, how many cores there are, what a process died of, how a report
reaches the disk, what a terminal can print. The rest of the program reads the same everywhere.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

CACHES = {
    "NUMBA_CACHE_DIR": "numba",
    "MPLCONFIGDIR": "matplotlib",
    "IR_DATASETS_HOME": "ir_datasets",
}
"""Variable → folder, of libraries that write into the user's home or beside their own files."""

_PROJECT = Path(__file__).parents[1]


def keep_caches() -> None:
    """Give the libraries one place to keep what they compile; to be called before their import.

    The set-up, `make` and a bare command then share it. A variable that the user has set stays.
    """
    for variable, name in CACHES.items():
        if not os.environ.get(variable):
            os.environ[variable] = str(cache_folder() / name)


@cache
def cache_folder() -> Path:
    """Give the checkout's own folder, else the user's, else one that ends with this process."""
    for folder in (_checkout_cache(), _user_cache()):
        if folder is not None and _writable(folder):
            return folder
    # Never a name that others can guess: numba runs what it finds there.
    folder = Path(tempfile.mkdtemp(prefix="crosscheck-cache-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _checkout_cache() -> Path | None:
    return _PROJECT / ".cache" if (_PROJECT / "pyproject.toml").is_file() else None


def _user_cache() -> Path | None:
    """Name the folder for caches by the system's convention; none for a user without a home."""
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    if Path(named).is_absolute():
        return Path(named) / "metric-crosscheck"
    inside = {"win32": "AppData/Local", "darwin": "Library/Caches"}.get(sys.platform, ".cache")
    try:
        return Path.home() / inside / "metric-crosscheck"
    except RuntimeError:
        return None


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
