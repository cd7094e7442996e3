"""The harness: contract, witnesses, comparison, checks, claims, report, commands.

From Python: `crosscheck.check(data, claims=…)` (docs/python.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crosscheck.api import Result, check
    from crosscheck.errors import UserError

__all__ = ["Result", "UserError", "check"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever is asked for
    """Load what people call on first use: `import crosscheck` answers at once."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - only then

    return getattr(import_module(f"{__name__}.{'errors' if name == 'UserError' else 'api'}"), name)


def __dir__() -> list[str]:
    """Name what people call beside what is loaded."""
    return sorted({*globals(), *__all__})
