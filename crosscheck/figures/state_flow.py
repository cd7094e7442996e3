"""The three-state gate as a flow: evidence on the left, NEG, UNCERTAIN and POS on the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.drawing import style
from crosscheck.drawing.plot import NotDrawnError, Plot
from crosscheck.drawing.words import count, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from crosscheck.drawing.data import FigureData

STATES = ("POS", "UNCERTAIN", "NEG")
SIDES = ("evidence", "no evidence")
COLOURS = {"evidence": style.ORANGE, "no evidence": style.BLUE}
GAP = 0.05
"""Space between blocks, as a share of the height."""

LEFT, RIGHT, WIDTH = 0.16, 0.80, 0.022


def draw(data: FigureData) -> Plot:
    """Draw a ribbon from each side of the label to each state, as high as its share."""
    flow = {side: dict.fromkeys(STATES, 0) for side in SIDES}
    lack = "the data have no states, or no thresholds to make them"
    for state in STATES:
        cut = f"state={state}"
        total = int(data.need("queries", "all_queries", cut, "n", lack=lack))
        positive = int(data.need("queries", "positives_only", cut, "n", lack=lack))
        flow["evidence"][state] = positive
        flow["no evidence"][state] = total - positive
    found, missed = flow["evidence"], sum(flow["evidence"].values())
    if not missed:
        raise NotDrawnError("no query has evidence: there is no flow to compare")
    title = (
        f"{percent(found['POS'] / missed)} of the queries with evidence raise an alert, "
        f"{percent(found['NEG'] / missed, 1)} are missed as NEG"
    )
    total = sum(sum(each.values()) for each in flow.values())
    figure = style.blank(style.COLUMN, 2.6, title, data.about(f"n = {count(total)} queries"))
    axes = figure.add_subplot()
    _ribbons(axes, flow)
    alt = f"Flow of {data.name}: " + "; ".join(
        f"{side}: " + ", ".join(f"{count(flow[side][state])} {state}" for state in STATES)
        for side in SIDES
    )
    caption = (
        "Left: queries with and without evidence, each side scaled to the same height so that the "
        "rare one can be seen; right: the state the gate gives them, with counts as "
        "with evidence + without."
    )
    return Plot(figure, title, f"{alt}.", caption)


def _ribbons(axes: Axes, flow: dict[str, dict[str, int]]) -> None:
    """Lay out both columns, then join them; each side of the label has the same height."""
    height = (1 - GAP) / 2
    share = {
        side: {state: n / max(1, sum(states.values())) * height for state, n in states.items()}
        for side, states in flow.items()
    }
    tops = _right_tops(share)
    y = 1.0
    for side in SIDES:
        _block(axes, LEFT, y, height, COLOURS[side])
        label = f"{side}\n{count(sum(flow[side].values()))}"
        axes.text(LEFT - 0.015, y - height / 2, label, ha="right", va="center")
        start = y
        for state in STATES:
            part = share[side][state]
            _ribbon(axes, start, tops[state], part, COLOURS[side])
            start -= part
            tops[state] -= part
        y -= height + GAP
    for state, top in _right_tops(share).items():
        part = sum(share[side][state] for side in SIDES)
        _block(axes, RIGHT, top, part, style.INK)
        counts = " + ".join(count(flow[side][state]) for side in SIDES)
        axes.text(RIGHT + WIDTH + 0.015, top - part / 2, f"{state}\n{counts}", va="center")
    axes.set_xlim(0, 1)
    axes.set_ylim(-0.02, 1.02)
    axes.axis("off")


def _right_tops(share: dict[str, dict[str, float]]) -> dict[str, float]:
    space = GAP / (len(STATES) - 1)
    tops, y = {}, 1.0
    for state in STATES:
        tops[state] = y
        y -= sum(share[side][state] for side in SIDES) + space
    return tops


def _block(axes: Axes, x: float, top: float, height: float, colour: str) -> None:
    axes.fill_between([x, x + WIDTH], top - height, top, color=colour, linewidth=0)


def _ribbon(axes: Axes, left: float, right: float, height: float, colour: str) -> None:
    from matplotlib.patches import PathPatch  # noqa: PLC0415 - loaded on use
    from matplotlib.path import Path  # noqa: PLC0415 - loaded on use

    x0, x1 = LEFT + WIDTH, RIGHT
    middle = (x0 + x1) / 2
    points = [
        (x0, left),
        (middle, left),
        (middle, right),
        (x1, right),
        (x1, right - height),
        (middle, right - height),
        (middle, left - height),
        (x0, left - height),
        (x0, left),
    ]
    codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
    axes.add_patch(PathPatch(Path(points, codes), facecolor=colour, alpha=0.35, linewidth=0))
