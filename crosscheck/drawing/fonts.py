"""Fonts as PDFs embed them: read once a process, and without what lays text out.

In a PDF text is laid out already. matplotlib has no setting that leaves those tables out, fontTools
reads even those that it is told to drop, and both read a whole font for each figure anew.
"""

from __future__ import annotations

import copy
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from fontTools import subset
from fontTools.ttLib.tables._g_l_y_f import Glyph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fontTools.ttLib import TTFont

LAYOUT_TABLES = ("GDEF", "GPOS", "GSUB", "MATH", "kern")
READ_ONCE = ("post", "cmap", "hmtx", "glyf")
"""Names, characters, widths and outlines: thousands of each, of which a figure has dozens."""

_load = subset.load_font


@contextmanager
def read_once() -> Iterator[None]:
    """Let fonts be embedded that way."""
    usual = subset.load_font
    subset.load_font = _prepared
    try:
        yield
    finally:
        subset.load_font = usual


def _prepared(file: Any, options: subset.Options, **named: Any) -> TTFont:  # noqa: ANN401 - as it is called
    font = _load(file, options, **named)
    for tag in LAYOUT_TABLES:
        if tag in font:
            del font[tag]
    known = _read(file, options.font_number)
    font.setGlyphOrder(known.getGlyphOrder())
    for tag in READ_ONCE:
        if tag in known:
            font[tag] = _own(known[tag])
    return font


@cache
def _read(file: Any, number: int) -> TTFont:  # noqa: ANN401 - the path of a font, as matplotlib has it
    """Read the large tables of a font."""
    font = _load(file, subset.Options(font_number=number))
    large = {tag: font[tag] for tag in READ_ONCE if tag in font}
    for one in large["cmap"].tables:
        one.ensureDecompiled()
    return font


def _own(table: Any) -> Any:  # noqa: ANN401 - fontTools makes its classes as it goes
    """Copy what reducing a table changes in place; lists and mappings it makes anew."""
    mine = copy.copy(table)
    if table.tableTag == "cmap":
        mine.tables = [copy.copy(one) for one in table.tables]
    if table.tableTag == "glyf":
        outlines = ((name, getattr(one, "data", b"")) for name, one in table.glyphs.items())
        mine.glyphs = {name: Glyph(outline) for name, outline in outlines}
    return mine
