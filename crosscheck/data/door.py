"""The two implementations as the harness reaches them: by the functions of docs/interface.md.

`door.primary` and `door.reference` are the packages themselves, loaded when they are first asked:
polars is heavy, and most witnesses need neither. No other module of the harness imports them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    import primary
    import reference

__all__ = ["primary", "reference"]


def __getattr__(name: str) -> ModuleType:
    """Load an implementation on first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(name)
