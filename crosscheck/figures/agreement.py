"""How far apart the witnesses are: every shared key, on a log scale, with both limits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.compare import EXACT, relative_difference
from crosscheck.figures import style
from crosscheck.figures.plot import NotDrawnError, Plot
from crosscheck.figures.words import count
from crosscheck.report.printing import tiny

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from crosscheck.figures.data import FigureData, Ledger

FLOOR = -17
"""Exponent below which a difference counts as none: no two doubles near 1 are closer."""

STEPS = 2
"""Bars per decade."""


@dataclass(frozen=True, slots=True)
class Apart:
    """Two witnesses' relative differences on the keys they share."""

    name: str
    equal: int
    differences: list[float]

    @property
    def shared(self) -> int:
        """Number of keys compared."""
        return self.equal + len(self.differences)

    @property
    def worst(self) -> float:
        """The largest relative difference."""
        return max(self.differences, default=0.0)


def draw(data: FigureData) -> Plot:
    """Draw one row a witness, each against the primary."""
    pairs = [
        apart(name, data.ledger, ledger)
        for name, ledger in data.ledgers.items()
        if name not in ("primary", "claims")
    ]
    pairs = [pair for pair in pairs if pair.shared]
    if not pairs:
        raise NotDrawnError("only one witness testified")
    keys = max(pair.shared for pair in pairs)
    worst = max(pair.worst for pair in pairs)
    title = (
        f"{'All' if worst <= EXACT else 'Not all'} witnesses agree to nine digits: "
        f"on {count(keys)} keys the furthest apart is {tiny(worst)}"
    )
    figure = style.blank(
        style.COLUMN,
        0.75 + 0.42 * len(pairs),
        title,
        data.about("relative difference from primary, every shared key"),
    )
    axes = figure.add_subplot()
    upwards = list(enumerate(reversed(pairs)))
    for row, pair in upwards:
        _ridge(axes, row, pair)
    axes.set_yticks([row + 0.35 for row, _ in upwards], [pair.name for _, pair in upwards])
    _limits(axes, data.tolerance, len(pairs))
    alt = f"Relative differences of {data.name} from the primary: " + "; ".join(
        f"{pair.name}: {count(pair.shared)} keys, {count(pair.equal)} equal to the last digit, "
        f"worst {tiny(pair.worst)}"
        for pair in pairs
    )
    caption = (
        "Relative difference of every shared key from the primary's value, in half decades; the "
        "height of a bar is the logarithm of its number of keys. Left of the first line two values "
        f"count as exact; right of the second (tolerance {tiny(data.tolerance)}) as wrong."
    )
    return Plot(figure, title, f"{alt}.", caption)


def apart(name: str, first: Ledger, second: Ledger) -> Apart:
    """Relative differences by the rule of contract 11.3."""
    equal, differences = 0, []
    for key, value in first.items():
        if key in second:
            relative = relative_difference(value, second[key])
            if relative:
                differences.append(min(relative, 1.0))
            else:
                equal += 1
    return Apart(name, equal, sorted(differences))


def _ridge(axes: Axes, row: int, pair: Apart) -> None:
    bars: dict[int, int] = {}
    for difference in pair.differences:
        step = math.floor(max(math.log10(difference), FLOOR) * STEPS)
        bars[step] = bars.get(step, 0) + 1
    scale = 0.8 / math.log10(max(pair.shared, 10) + 1)

    def height(n: int) -> float:
        return math.log10(n + 1) * scale

    x = [FLOOR - 1.0, *(step / STEPS for step in bars)]
    heights = [height(pair.equal), *(height(n) for n in bars.values())]
    axes.bar(
        x,
        heights,
        bottom=row,
        width=[0.9, *[0.9 / STEPS] * len(bars)],
        align="edge",
        color=[style.GREEN, *[style.BLUE] * len(bars)],
        alpha=0.6,
        linewidth=0,
    )
    axes.axhline(row, color=style.MUTED, linewidth=0.5)
    axes.text(
        -8.7,
        row + 0.3,
        f"{count(pair.shared)} keys\nworst {tiny(pair.worst)}",
        va="center",
        fontsize=5.4,
        color=style.MUTED,
    )
    axes.text(
        FLOOR - 0.55, row + height(pair.equal) + 0.04, count(pair.equal), ha="center", fontsize=5
    )


def _limits(axes: Axes, tolerance: float, rows: int) -> None:
    for limit, word in ((EXACT, "exact"), (tolerance, "wrong")):
        place = math.log10(limit) if limit > 0 else FLOOR
        axes.axvline(place, color=style.ORANGE, linewidth=0.9, linestyle=style.DASHES[1])
        side = "right" if word == "exact" else "left"
        gap = -0.2 if word == "exact" else 0.2
        axes.text(place + gap, rows + 0.02, word, ha=side, fontsize=style.SMALL, color=style.ORANGE)
    axes.set_xlim(FLOOR - 1.4, 2.2)
    ticks = list(range(-15, 1, 3))
    labels = ["equal", *("1" if tick == 0 else f"1e{tick}".replace("-", "−") for tick in ticks)]
    axes.set_xticks([FLOOR - 0.55, *ticks], labels)
    axes.set_xlabel("Relative difference")
    axes.set_ylim(0, rows + 0.25)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
