"""One look for every figure: sizes, colours, type, and what keeps the bytes stable.

The colours are Okabe and Ito's, told apart by colour-blind readers; every series also has its own
line style, marker or hatch, so that a grey print loses nothing. The type is DejaVu Sans, which
matplotlib carries with it: the same glyphs, and so the same bytes, on every machine.
"""

from __future__ import annotations

import gc
import textwrap
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from crosscheck.drawing.wording import fit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.textpath import TextPath

COLUMN = 3.5
"""Width in inches of one column of a two-column paper."""

PAGE = 7.16
"""Width in inches of both columns."""

INK = "#1b1f24"
MUTED = "#59636e"
RULE = "#d5dade"
PAPER = "#ffffff"
BLUE = "#0072b2"
ORANGE = "#d55e00"
GREEN = "#009e73"
PINK = "#cc79a7"
SKY = "#56b4e9"
AMBER = "#e69f00"

CYCLE = (BLUE, ORANGE, GREEN, PINK, AMBER, SKY)
DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)), (0, (3, 3)), "-")
MARKERS = ("o", "s", "^", "D", "v", "P")

BODY = 7.0
SMALL = 6.2
TITLE = 8.2

_LINE = 1.32
"""Line height, in font sizes."""

_EM = 0.58
"""Mean width of a character of bold DejaVu Sans, in font sizes: decides where titles wrap."""


def parameters() -> dict[str, Any]:
    """Every rcParam that a figure depends on."""
    return {
        "axes.axisbelow": True,
        "axes.edgecolor": MUTED,
        "axes.grid": True,
        "axes.labelcolor": INK,
        "axes.labelpad": 3.0,
        "axes.labelsize": BODY,
        "axes.linewidth": 0.6,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlelocation": "left",
        "axes.titlepad": 4.0,
        "axes.titlesize": BODY,
        "axes.unicode_minus": True,
        "figure.dpi": 72,
        "figure.facecolor": PAPER,
        "font.family": "DejaVu Sans",
        "font.size": BODY,
        "grid.color": RULE,
        "grid.linewidth": 0.5,
        "hatch.linewidth": 0.5,
        "legend.borderaxespad": 0.4,
        "legend.fontsize": SMALL,
        "legend.frameon": False,
        "legend.handlelength": 2.2,
        "legend.labelspacing": 0.35,
        "lines.linewidth": 1.3,
        "lines.markersize": 4.0,
        "patch.linewidth": 0.6,
        "path.simplify": True,
        "path.simplify_threshold": 0.1,
        "pdf.compression": 0,  # not every build of zlib packs into the same bytes
        "pdf.fonttype": 42,
        "savefig.facecolor": PAPER,
        "svg.fonttype": "path",
        "svg.hashsalt": "metric-crosscheck",
        "text.color": INK,
        "text.parse_math": False,
        "xtick.color": MUTED,
        "xtick.labelcolor": INK,
        "xtick.labelsize": SMALL,
        "xtick.major.size": 2.5,
        "xtick.major.width": 0.6,
        "ytick.color": MUTED,
        "ytick.labelcolor": INK,
        "ytick.labelsize": SMALL,
        "ytick.major.size": 2.5,
        "ytick.major.width": 0.6,
    }


@contextmanager
def applied() -> Iterator[None]:
    """Draw and save under the project's style, whatever the user's matplotlibrc says."""
    from matplotlib import rc_context, rcParamsDefault  # noqa: PLC0415 - loaded on use

    base = {name: value for name, value in rcParamsDefault.items() if not _of_backend(name)}
    wanted: dict[Any, Any] = {**base, **parameters()}
    with rc_context(wanted), warnings.catch_warnings(), _uncollected():
        # Laying out a name in a script that DejaVu Sans lacks warns; `scripts.py` takes care of it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


@contextmanager
def _uncollected() -> Iterator[None]:
    """Let garbage wait: collecting it while figures are made is a fifth of the whole time."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _of_backend(name: str) -> bool:
    # Setting these would switch or warn about backends; no figure here depends on them.
    return name.startswith(("backend", "interactive", "toolbar", "webagg", "tk.", "keymap"))


def blank(width: float, height: float, title: str, subtitle: str) -> Figure:
    """Give an empty figure with its title and subtitle set flush left above the axes."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - loaded on use

    title, subtitle = fit(title), fit(subtitle)
    lines = _wrapped(title, (width - 0.1) * 72)
    below = textwrap.wrap(subtitle, int((width - 0.1) * 72 / (SMALL * _EM * 0.93)))
    head = (len(lines) * TITLE + len(below) * SMALL) * _LINE / 72 + 0.1
    total = height + head
    figure = Figure(figsize=(width, total), layout="constrained")
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(rect=(0, 0, 1, 1 - head / total), h_pad=0.03, w_pad=0.03)  # type: ignore[call-arg]
    y = 1 - 0.04 / total
    for line in lines:
        figure.text(0.05 / width, y, line, fontsize=TITLE, fontweight="bold", va="top")
        y -= TITLE * _LINE / 72 / total
    for line in below:
        figure.text(0.05 / width, y, line, fontsize=SMALL, color=MUTED, va="top")
        y -= SMALL * _LINE / 72 / total
    return figure


def _wrapped(title: str, room: float) -> list[str]:
    """Wrap a title at the usual count of characters, or earlier where its letters are wide."""
    from matplotlib.font_manager import FontProperties  # noqa: PLC0415 - loaded on use
    from matplotlib.textpath import TextPath  # noqa: PLC0415 - the same

    bold = FontProperties(weight="bold")
    usual = int(room / (TITLE * _EM))
    for characters in range(usual, usual // 2, -1):
        lines = textwrap.wrap(title, characters)
        if all(_fits(TextPath((0, 0), line, TITLE, prop=bold), room) for line in lines):
            return lines
    return textwrap.wrap(title, usual)


def _fits(line: TextPath, room: float) -> bool:
    """Whether a line is no wider than the room; a curve lies within its control points."""
    return bool(line.vertices[:, 0].max(initial=0.0) <= room or line.get_extents().x1 <= room)


def unit_axis(axes: Axes, which: str) -> None:
    """Set an axis to [0, 1] with ticks at fifths."""
    low, high, ticks = -0.012, 1.012, [0, 0.2, 0.4, 0.6, 0.8, 1]
    if which in ("x", "both"):
        axes.set_xlim(low, high)
        axes.set_xticks(ticks)
    if which in ("y", "both"):
        axes.set_ylim(low, high)
        axes.set_yticks(ticks)
