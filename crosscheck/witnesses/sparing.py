"""Load a library without what it does without: packages that it takes where they are installed.

A process of ours says that they are missing while the library is loaded, and no longer. A user's
own process, whose other threads may be loading them, is left alone; what is there already stays.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from multiprocessing import parent_process
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def without(*packages: str) -> Iterator[None]:
    """Let packages be missing, as Python has it: by an entry of None among the modules."""
    ours = parent_process() is not None
    missing = [one for one in packages if ours and one not in sys.modules]
    sys.modules |= dict.fromkeys(missing)  # type: ignore[arg-type]
    try:
        yield
    finally:
        for one in missing:
            del sys.modules[one]
