"""What comes with an extra of the package alone, and what is said where it is not installed.

The core gates CSV, JSON and TREC files; the rest is heavy, and asked for by name (docs/install.md).
What is missing is always said, never silently absent.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from crosscheck.errors import UserError

EXTRAS = {
    "ranx": ("ranx", "numba"),
    "figures": ("matplotlib", "fontTools"),
    "parquet": ("pyarrow",),
    "frames": ("pandas",),
    "documents": ("openpyxl", "pdfplumber", "docx", "lxml", "yaml"),
    "fuzz": ("hypothesis",),
    "engine": ("duckdb",),
    "spark": ("pyspark",),
    "serve": ("fastapi", "python_multipart", "uvicorn"),
    "certify": ("bcrypt", "cryptography", "rocrate"),
    "watch": ("watchfiles",),
}
"""Extra → the modules that it brings, and the core does not."""
EXTRA_OF = {module: extra for extra, modules in EXTRAS.items() for module in modules}


def told(extra: str) -> str:
    """Say that an extra is missing, and how to get it."""
    return f"not installed: {how(extra)}"


def how(extra: str) -> str:
    """Say how to get an extra."""
    return f"pip install 'metric-crosscheck[{extra}]'"


def lacking(extra: str) -> str:
    """Say that an extra is missing; nothing where it is here."""
    try:
        there = all(find_spec(module) is not None for module in EXTRAS.get(extra, ()))
    except (ImportError, ValueError):
        there = False
    return "" if there else told(extra)


def needed(module: str, what: str) -> Any:  # noqa: ANN401 - a module
    """Import a library of an extra, or say what needs it and how to get it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise UserError(f"{what}: {lacks(error) or f'{module} is broken ({error})'}") from error


def lacks(error: ImportError) -> str:
    """Say which extra an import has failed for; nothing where it is none of ours."""
    name = (error.name or "").partition(".")[0]
    extra = EXTRA_OF.get(name)
    return f"{name} is {told(extra)}" if extra else ""
