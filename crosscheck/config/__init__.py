"""The config: `crosscheck.toml`, or `[tool.crosscheck]` of a pyproject.toml (docs/data.md).

`find` looks for the file (`files`), `read` reads it into a `Config` (`settled`), which is loaded on
use: whoever only looks for a file, or for what a path means, does without its models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crosscheck.config.files import FILE, PROJECT, find

if TYPE_CHECKING:
    from crosscheck.config.settled import (
        Claims,
        Config,
        DeclaredProfile,
        SystemConfig,
        Waiver,
        from_table,
        read,
    )

__all__ = [
    "FILE",
    "PROJECT",
    "Claims",
    "Config",
    "DeclaredProfile",
    "SystemConfig",
    "Waiver",
    "find",
    "from_table",
    "read",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever is asked for
    """Load what a config says on first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from crosscheck.config import settled  # noqa: PLC0415 - only then

    return getattr(settled, name)
