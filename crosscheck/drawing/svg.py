"""Both SVGs of a figure by one drawing: text as outlines for a paper, as text for the page.

Drawing means asking every line, tick and word where it stands, which takes far longer than writing
it down; where the two differ, in their words alone, each is written to its own sheet.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from matplotlib.backends.backend_svg import FigureCanvasSVG, RendererSVG
from matplotlib.textpath import TextToPath

from crosscheck.drawing import fonts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.ft2font import FT2Font

TAG_ENDS = ">\n"
"""Written late, when the next element begins."""


class _Sheets:
    """Two texts that are written as one until told otherwise."""

    def __init__(self) -> None:
        self.outlined: list[str] = []
        self.plain: list[str] = []
        self.both = (self.outlined, self.plain)
        self.written: tuple[list[str], ...] = self.both

    def write(self, text: str) -> None:
        """Write on the sheets that are written on."""
        for sheet in self.written:
            sheet.append(text)


class _Words(TextToPath):
    """How wide words are and which outlines they have, each asked for once a process."""

    def __init__(self) -> None:
        super().__init__()
        self._sizes: dict[tuple[Any, ...], tuple[float, float, float]] = {}
        self._outlined: dict[tuple[Any, str], tuple[list[Any], dict[str, Any]]] = {}

    def get_text_width_height_descent(
        self,
        s: str,
        prop: FontProperties,
        ismath: Any,  # noqa: ANN401 - as matplotlib calls it
    ) -> tuple[float, float, float]:
        """Measure a word."""
        asked = s, ismath, prop.get_size_in_points(), fonts.named(prop)
        if asked not in self._sizes:
            self._sizes[asked] = super().get_text_width_height_descent(s, prop, ismath)
        return self._sizes[asked]

    def get_glyphs_with_font(
        self,
        font: FT2Font,
        s: str,
        glyph_map: dict[str, Any] | None = None,
        return_new_glyphs_only: bool = False,
        **further: Any,  # noqa: ANN401 - the same
    ) -> tuple[list[Any], dict[str, Any], list[Any]]:
        """Give the places of a word's glyphs, and the outlines that are not known yet."""
        if not return_new_glyphs_only or any(further.values()):
            return super().get_glyphs_with_font(
                font, s, glyph_map, return_new_glyphs_only, **further
            )
        asked = font.fname, s
        if asked not in self._outlined:
            self._outlined[asked] = super().get_glyphs_with_font(font, s)[:2]
        places, outlines = self._outlined[asked]
        known = glyph_map or {}
        return places, {one: path for one, path in outlines.items() if one not in known}, []


@cache
def _words() -> _Words:
    return _Words()


class _Renderer(RendererSVG):
    """Writes words to each sheet in its own way, and everything else to both."""

    def __init__(self, figure: Figure, facts: Mapping[str, str | None]) -> None:
        self.sheets = _Sheets()
        width, height = figure.get_size_inches() * fonts.POINTS
        super().__init__(width, height, self.sheets, image_dpi=fonts.POINTS, metadata=facts)  # type: ignore[no-untyped-call]
        self._text2path = _words()

    def _get_font_height_metrics(self, prop: FontProperties) -> fonts.Heights:
        return fonts.heights(prop)

    def _draw_text_as_path(self, *words: Any) -> None:  # noqa: ANN401 - as matplotlib calls it
        sheets = self.sheets
        sheets.written = (sheets.outlined,)
        before = len(sheets.outlined)
        super()._draw_text_as_path(*words)  # type: ignore[no-untyped-call]
        sheets.written = (sheets.plain,)
        if sheets.outlined[before] == TAG_ENDS:
            sheets.write(TAG_ENDS)
        super()._draw_text_as_text(*words)  # type: ignore[no-untyped-call]
        sheets.written = sheets.both


class _Canvas(FigureCanvasSVG):
    """Lets the layout be measured by who will draw it, so that every word is measured once."""

    def __init__(self, figure: Figure, renderer: _Renderer) -> None:
        super().__init__(figure)
        self._renderer = renderer

    def get_renderer(self) -> _Renderer:
        """Give who draws."""
        return self._renderer


def drawn(figure: Figure, facts: Mapping[str, str | None]) -> tuple[str, str]:
    """Lay a figure out and draw it: with its words as outlines, and with its words as text."""
    renderer = _Renderer(figure, facts)
    _Canvas(figure, renderer)
    layout = figure.get_layout_engine()
    if layout is not None and figure.axes:
        layout.execute(figure)
    # Laid out it is; drawing need not do so again.
    figure.set_layout_engine(None)
    figure.draw(renderer)
    renderer.finalize()  # type: ignore[no-untyped-call]
    return "".join(renderer.sheets.outlined), "".join(renderer.sheets.plain)
