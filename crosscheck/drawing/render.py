"""A drawn figure as SVG and PDF for a paper and as markup for the page, the same bytes each time.

The paper's files carry their glyphs with them. The page's copy keeps text as text (it can be read
aloud, searched, and is a tenth of the size) and takes its colours from the page, light or dark.

A name in a script that the figures' own type lacks (Chinese, Arabic, emoji) stays text in the SVG,
for the reader's machine to show, and is spelled out by code points in the PDF.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from crosscheck.drawing import style
from crosscheck.drawing.scripts import spell_out
from crosscheck.report.gallery import Drawn

if TYPE_CHECKING:
    from crosscheck.drawing.plot import Plot

VARIABLES = {
    style.INK: "--fig-ink",
    style.MUTED: "--fig-muted",
    style.RULE: "--fig-rule",
    style.PAPER: "--fig-paper",
    style.BLUE: "--fig-blue",
    style.ORANGE: "--fig-orange",
    style.GREEN: "--fig-green",
    style.PINK: "--fig-pink",
    style.SKY: "--fig-sky",
    style.AMBER: "--fig-amber",
}
"""Which of the page's colours stands in for which of the figure's."""

_ROOT = re.compile(r"<svg .*?>", re.DOTALL)
_VIEW_BOX = re.compile(r'viewBox="([^"]*)"')
_METADATA = re.compile(r"<metadata>.*?</metadata>|<title>.*?</title>", re.DOTALL)
_STYLE = re.compile(r"<defs>\s*<style.*?</style>\s*</defs>", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
_ID = re.compile(r' id="([^"]*)"')
_USE = re.compile(r'(xlink:href="#|url\(#)([^")]*)')
_HASH = re.compile(r"[0-9a-f]{10}$")
_FAMILY = re.compile(r"font-family: [^;\"]*; ?")
_SPACE = re.compile(r"\n\s*")


def render(name: str, plot: Plot) -> Drawn:
    """Write the figure out in all three forms, under the style that it was drawn in."""
    from crosscheck.drawing import pdf, svg  # noqa: PLC0415 - loaded on use

    figure = plot.figure
    layout = figure.get_layout_engine()
    told = {"Title": plot.title, "Description": plot.alt, "Date": None}
    outlined, as_text = map(_numbered, svg.drawn(figure, told))
    inline = _inline(name, as_text, plot.alt)
    if spell_out(figure):
        outlined = as_text.replace("'DejaVu Sans'", "'DejaVu Sans', sans-serif")
        figure.set_layout_engine(layout)
    facts = {"Title": plot.title, "Subject": plot.alt, "CreationDate": None}
    return Drawn(
        name=name,
        title=plot.title,
        alt=plot.alt,
        caption=plot.caption,
        svg=outlined,
        pdf=pdf.drawn(figure, facts),
        inline=inline,
        wide=figure.get_figwidth() > style.COLUMN,
    )


def _numbered(svg: str) -> str:
    """Give numbers to the ids that matplotlib makes by hashing coordinates.

    Written out, a coordinate has six decimals; in the hash it has all its digits, and the last of
    them are the machine's.
    """
    hashed = dict.fromkeys(name for name in _ID.findall(svg) if _HASH.search(name))
    names = {name: _HASH.sub(f"n{place}", name) for place, name in enumerate(hashed, 1)}
    svg = _ID.sub(lambda match: f' id="{names.get(match[1], match[1])}"', svg)
    return _USE.sub(lambda match: f"{match[1]}{names.get(match[2], match[2])}", svg)


def _inline(name: str, svg: str, alt: str) -> str:
    """Make a stand-alone SVG fit to live inside the page among others."""
    body = svg[svg.index("<svg ") :]
    root = _ROOT.match(body)
    box = _VIEW_BOX.search(body)
    if root is None or box is None:
        raise ValueError(f"matplotlib's SVG of {name} has no root or no viewBox")
    body = body[root.end() :]
    for unwanted in (_METADATA, _STYLE, _COMMENT):
        body = unwanted.sub("", body)
    body = _scoped(name, body)
    body = _COLOUR.sub(_variable, body)
    body = _FAMILY.sub("", body)
    head = f'<svg viewBox="{box[1]}" role="img" aria-label="{escape(alt)}">'
    return head + _SPACE.sub("\n", body).strip()


def _scoped(name: str, body: str) -> str:
    """Keep only ids that something refers to, under the figure's own name."""
    used = {reference for _, reference in _USE.findall(body)}
    body = _ID.sub(lambda match: f' id="{name}-{match[1]}"' if match[1] in used else "", body)
    return _USE.sub(lambda match: f"{match[1]}{name}-{match[2]}", body)


def _variable(match: re.Match[str]) -> str:
    colour = match[0]
    return f"var({VARIABLES[colour]})" if colour in VARIABLES else colour
