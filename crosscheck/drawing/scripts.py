"""Names in scripts that DejaVu Sans, the type of every figure, has no glyphs for.

Any other type would have to be installed, and would draw other bytes on other machines; boxes would
make two names alike. Code points do neither.
"""

from __future__ import annotations

from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

MOST = 3
"""Characters of a name that are spelled out: enough to tell names apart on a label."""


def spell_out(figure: Figure) -> bool:
    """Spell out what has no glyph, in every text of a figure; say whether anything had none."""
    from matplotlib.text import Text  # noqa: PLC0415 - loaded on use

    texts = [text for text in figure.findobj(Text) if isinstance(text, Text)]
    foreign = [text for text in texts if spelled(text.get_text()) != text.get_text()]
    for axes in figure.axes if foreign else ():
        for axis in (axes.xaxis, axes.yaxis):
            _spell_out_ticks(axis)
    for text in foreign:
        text.set_text(spelled(text.get_text()))
    return bool(foreign)


def _spell_out_ticks(axis: Axis) -> None:
    """Give an axis spelled labels: its ticks ask it for their text whenever they are drawn."""
    labels = [label.get_text() for label in axis.get_ticklabels()]
    plain = [spelled(label) for label in labels]
    if plain != labels:
        axis.set_ticks(axis.get_majorticklocs(), plain)


def spelled(text: str) -> str:
    r"""Write `\u7126` for a character that has no glyph."""
    if text.isascii():
        return text
    parts = []
    for drawn, run in groupby(text, lambda character: ord(character) in _glyphs()):
        characters = list(run)
        if not drawn:
            rest = "…" if len(characters) > MOST else ""
            characters = [f"\\u{ord(each):04x}" for each in characters[:MOST]] + [rest]
        parts += characters
    return "".join(parts)


@cache
def _glyphs() -> frozenset[int]:
    from matplotlib.font_manager import findfont, get_font  # noqa: PLC0415 - loaded on use

    return frozenset(get_font(findfont("DejaVu Sans")).get_charmap()) | {ord("\n")}
