"""The formats of a report: whatever module of this folder has a `FORMAT`, or several `FORMATS`.

Writing, replacing an old report and rerunning all consult them here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.report.gallery import Galleries
    from crosscheck.report.view import Report

    Render = Callable[[Report, Galleries], str]


@dataclass(frozen=True, slots=True)
class Format:
    """A file's name, and its text from the report and its figures."""

    name: str
    render: Render


@cache
def formats() -> dict[str, Render]:
    """Give every format: the file's name → how it is written."""
    names = [one.name for one in iter_modules([str(Path(__file__).parent)])]
    modules = [import_module(f"{__package__}.{name}") for name in names]
    found: list[Format] = [one.FORMAT for one in modules if hasattr(one, "FORMAT")]
    found += [each for one in modules for each in getattr(one, "FORMATS", ())]
    return {one.name: one.render for one in found}


def encoded(text: str) -> bytes:
    """Give the bytes of a file; half a character, which no encoding has, is written out."""
    return text.encode("utf-8", "backslashreplace")
