"""Fonts as PDFs embed them: reduced once a process to the letters of figures, without layout.

In a PDF text is laid out already. matplotlib has no setting that leaves those tables out, fontTools
reads even those that it is told to drop, and both read a whole font for each figure anew: thousands
of outlines, of which a figure has dozens.
"""

from __future__ import annotations

import io
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from fontTools import subset
from matplotlib.backends import _backend_pdf_ps as embedding
from matplotlib.font_manager import FontProperties, findfont, get_font

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fontTools.ttLib import TTFont

POINTS = 72
"""Of an inch: what every figure is drawn in."""
LAYOUT_TABLES = ("GDEF", "GPOS", "GSUB", "MATH", "kern")
USUAL = frozenset((*range(0x20, 0x7F), *range(0xA0, 0x100), *map(ord, "αβγΔκτμρσ–—’“”…→≈≠≤≥−×√")))
"""Characters that figures are full of."""

_load = subset.load_font
_subset = embedding.get_glyphs_subset


class _Small(io.BytesIO):
    """A font that was reduced, as a file."""

    face_index = 0


@dataclass(frozen=True, slots=True)
class _Reduced:
    """A font with few glyphs, and where they stood in the whole one."""

    content: bytes
    places: Mapping[int, int]


@contextmanager
def read_once() -> Iterator[None]:
    """Let fonts be embedded that way."""
    embedding.get_glyphs_subset = _of_few  # type: ignore[assignment]
    try:
        yield
    finally:
        embedding.get_glyphs_subset = _subset


@contextmanager
def _of_few(file: Any, glyphs: Iterable[int]) -> Iterator[Any]:  # noqa: ANN401 - as it is called
    wanted = set(glyphs)
    few = _reduced(file, frozenset())
    if not wanted <= few.places.keys():
        few = _reduced(file, frozenset(wanted - few.places.keys()))
    with _subset(_Small(few.content), {few.places[one] for one in wanted}) as found:
        places = {one: found.glyph_index_map[few.places[one]] for one in wanted}
        yield found._replace(glyph_index_map=places)


@cache
def _reduced(file: Any, further: frozenset[int]) -> _Reduced:  # noqa: ANN401 - the path of a font, as matplotlib has it
    """Reduce a font to the usual glyphs, and to further ones."""
    subset.load_font = without_layout
    try:
        names = get_font(file).get_charmap()
        glyphs = {names[one] for one in USUAL if one in names} | further
        with _subset(file, glyphs) as found:
            content = embedding.font_as_file(found.font).getvalue()  # type: ignore[no-untyped-call]
            return _Reduced(content, dict(found.glyph_index_map))
    finally:
        subset.load_font = _load


def without_layout(file: Any, options: subset.Options, **named: Any) -> TTFont:  # noqa: ANN401 - as it is called
    """Open a font without the tables that lay text out."""
    font = _load(file, options, **named)
    for tag in LAYOUT_TABLES:
        if tag in font:
            del font[tag]
    return font


Names = tuple[tuple[str, ...], Any, Any, Any, Any]
Heights = tuple[float, float, float] | tuple[None, None, None]
TABLES = (
    ("OS/2", "sTypoAscender", "sTypoDescender", "sTypoLineGap"),
    ("hhea", "ascent", "descent", "lineGap"),
)


def named(font: FontProperties) -> Names:
    """Give what a font is asked for by, but for its size."""
    return (
        tuple(font.get_family()),
        font.get_style(),
        font.get_variant(),
        font.get_weight(),
        font.get_stretch(),
    )


def heights(font: FontProperties) -> Heights:
    """Give a line's ascent, descent and gap at 72 points an inch.

    matplotlib looks for the font, and reads its tables, whenever it asks where a word stands.
    """
    known = _tables(named(font))
    if known is None:
        return None, None, None
    per_em, ascent, descent, gap = known
    scale = 1 / per_em * font.get_size_in_points() * POINTS / POINTS
    return ascent * scale, -descent * scale, gap * scale


@cache
def _tables(names: Names) -> tuple[int, int, int, int] | None:
    family, style, variant, weight, stretch = names
    wanted = FontProperties(
        family=list(family), style=style, variant=variant, weight=weight, stretch=stretch
    )
    font = get_font(findfont(wanted))
    head = font.get_sfnt_table("head")
    for name, ascent, descent, gap in TABLES:
        table: Mapping[str, int] | None = font.get_sfnt_table(name)  # type: ignore[call-overload]
        if head is not None and table is not None:
            return head["unitsPerEm"], table[ascent], table[descent], table[gap]
    return None
