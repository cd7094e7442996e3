"""scikit-learn's metrics, loaded for whoever hands them arrays: without pandas and rich.

It does without either where they are not installed. Where they are, it loads pandas for those who
hand it data frames and rich for those who watch it learn, which is a third of all that it loads.
So a process of ours says that they are missing until it is loaded, and no longer; a user's own
process, whose other threads may be loading them, is left alone.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from multiprocessing import parent_process
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["config_context", "metrics"]


@contextmanager
def _without(*packages: str) -> Iterator[None]:
    """Let packages that are not loaded yet be missing, as Python has it: by an entry of None."""
    ours = parent_process() is not None
    missing = [one for one in packages if ours and one not in sys.modules]
    sys.modules |= dict.fromkeys(missing)  # type: ignore[arg-type]
    try:
        yield
    finally:
        for one in missing:
            del sys.modules[one]


with _without("pandas", "rich"):
    from sklearn import config_context, metrics
