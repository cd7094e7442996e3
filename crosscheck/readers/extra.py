"""Libraries that only some formats need: asked for when a file of theirs is read."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from crosscheck.errors import UserError


def needed(module: str, name: str) -> Any:  # noqa: ANN401 - a module
    """Import a library of the extra `documents`, or say how to get it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise UserError(
            f"{name}: to read it, {module} is needed: pip install 'metric-crosscheck[documents]'"
        ) from error
