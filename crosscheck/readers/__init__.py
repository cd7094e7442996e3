"""Readers of claims, one module per format: whatever module of this folder has a `READER` is used.

A reader gives the pieces of a text (`pieces.py`): tables, named values, sentences, and what is
passed over by a stated rule. What they mean is read from there on by the same code for every
format, and what is in no piece is reported as not read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crosscheck.notation.pieces import Piece
    from crosscheck.notation.source import Source
    from crosscheck.notation.written import Written

    Load = Callable[[str], Written | None]


@dataclass(frozen=True, slots=True)
class Reader:
    """How one format is read."""

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Written, str], Sequence[Piece]]
    """The text and the file's name → what it holds."""
    recognises: Callable[[str], bool] = lambda _: False
    """Whether a text is of this format, where the file's name does not tell."""
    open: Callable[[bytes, str], tuple[Source, Sequence[Piece]]] | None = None
    """For a format that is no text: the file's bytes and name → its text and what it holds."""
    read_with: Callable[[Written, str, Load], Sequence[Piece]] | None = None
    """For a format whose files name others that belong to them: the same, with a way to them."""


@cache
def readers() -> dict[str, Reader]:
    """Give every reader by its name in small letters."""
    modules = [import_module(f"{__name__}.{one.name}") for one in iter_modules(__path__)]
    found: list[Reader] = [one.READER for one in modules if hasattr(one, "READER")]
    return {reader.name.lower(): reader for reader in found}


def unreadable(page: Written, name: str) -> Sequence[Piece]:
    """Stand for the text reader of a format that is no text."""
    raise NotImplementedError(f"{name}: {len(page)} characters of a document are no document")
