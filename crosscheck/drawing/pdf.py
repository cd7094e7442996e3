"""The PDF of a figure, its fonts reduced beforehand; one that is laid out already is only drawn."""

from __future__ import annotations

import io
from functools import cache
from typing import TYPE_CHECKING, Any

from matplotlib.backends.backend_pdf import PdfFile, RendererPdf

from crosscheck.drawing import fonts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties


Size = tuple[float, float, float]


@cache
def _sizes() -> dict[tuple[Any, ...], Size]:
    """How wide, high and deep words are that were asked for."""
    return {}


class _Renderer(RendererPdf):
    """Knows how high a line is, and measures every word once a process."""

    def get_text_width_height_descent(
        self, s: str, prop: FontProperties, ismath: bool | str
    ) -> Size:
        """Measure a word."""
        asked = s, ismath, prop.get_size_in_points(), fonts.named(prop)
        known = _sizes()
        if asked not in known:
            known[asked] = super().get_text_width_height_descent(s, prop, ismath)  # type: ignore[no-untyped-call]
        return known[asked]

    def _get_font_height_metrics(self, prop: FontProperties) -> fonts.Heights:
        return fonts.heights(prop)


def drawn(figure: Figure, facts: Mapping[str, str | None]) -> bytes:
    """Draw a figure, as it is laid out or as its words now ask for."""
    content = io.BytesIO()
    if figure.get_layout_engine() is not None:
        with fonts.read_once():
            figure.savefig(content, format="pdf", metadata=dict(facts))
        return content.getvalue()
    width, height = figure.get_size_inches()
    file = PdfFile(content, metadata=facts)  # type: ignore[no-untyped-call]
    try:
        file.newPage(width, height)  # type: ignore[no-untyped-call]
        renderer = _Renderer(file, fonts.POINTS, height, width)  # type: ignore[no-untyped-call]
        figure.draw(renderer)
        renderer.finalize()  # type: ignore[no-untyped-call]
        with fonts.read_once():
            file.finalize()  # type: ignore[no-untyped-call]
    finally:
        file.close()  # type: ignore[no-untyped-call]
    return content.getvalue()
