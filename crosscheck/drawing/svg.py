"""Both SVGs of a figure by one drawing: text as outlines for a paper, as text for the page.

Drawing means asking every line, tick and word where it stands, which takes far longer than writing
it down; where the two differ, in their words alone, each is written to its own sheet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.backends.backend_svg import FigureCanvasSVG, RendererSVG

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure

POINTS = 72
"""Of an inch: what every figure is drawn in."""
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


class _Renderer(RendererSVG):
    """Writes words to each sheet in its own way, and everything else to both."""

    def __init__(self, figure: Figure, facts: Mapping[str, str | None]) -> None:
        self.sheets = _Sheets()
        width, height = figure.get_size_inches() * POINTS
        super().__init__(width, height, self.sheets, image_dpi=POINTS, metadata=facts)  # type: ignore[no-untyped-call]

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
