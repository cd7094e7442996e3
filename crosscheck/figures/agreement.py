"""How far apart the witnesses are: every shared key, by decades, with both limits.

What counts as exact is one bar: how far apart exact values are depends on the machine that an
outside library ran on, and a figure must not.
"""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING

from crosscheck.drawing import style
from crosscheck.drawing.plot import NotDrawnError, Plot
from crosscheck.drawing.words import count
from crosscheck.model.ledgers import EXACT, compare
from crosscheck.report.printing import WITHIN, tiny

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from crosscheck.drawing.data import FigureData
    from crosscheck.model.ledgers import LedgerComparison

LOWEST, HIGHEST = -9, -1
"""Decades that have a bar: from what is no longer exact to a difference as large as the value."""

LEFT = LOWEST - 2.0
"""Where the bar of the exact keys begins."""


def draw(data: FigureData) -> Plot:
    """Draw one row a witness, each against the primary."""
    pairs = [
        compare(("primary", name), data.ledger, ledger, data.tolerance)
        for name, ledger in data.ledgers.items()
        if name not in ("primary", "claims")
    ]
    pairs = [pair for pair in pairs if pair.shared]
    if not pairs:
        raise NotDrawnError("only one witness testified")
    title = _title(pairs)
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
    axes.set_yticks([row + 0.35 for row, _ in upwards], [pair.second for _, pair in upwards])
    _limits(axes, data.tolerance, len(pairs))
    alt = f"Relative differences of {data.name} from the primary: " + "; ".join(
        f"{pair.second}: {count(pair.shared)} keys, {count(pair.count('exact'))} exact, "
        f"{_furthest(pair)}"
        for pair in pairs
    )
    caption = (
        "Relative difference of every shared key from the primary's value, in decades; the height "
        f"of a bar is the logarithm of its number of keys. The first bar holds what is {WITHIN} "
        f"and so counts as exact; right of the second line (tolerance {tiny(data.tolerance)}) "
        "two values count as wrong."
    )
    return Plot(figure, title, f"{alt}.", caption)


def _title(pairs: list[LedgerComparison]) -> str:
    keys = count(max(pair.shared for pair in pairs))
    worst = max(pair.furthest or 0.0 for pair in pairs)
    if any(pair.differences for pair in pairs):
        return (
            "Not all witnesses agree to nine digits: "
            f"on {keys} keys the furthest apart is {tiny(worst)}"
        )
    return f"All witnesses agree to nine digits on {keys} keys"


def _furthest(pair: LedgerComparison) -> str:
    worst = pair.furthest
    return f"all {WITHIN}" if worst is None else f"worst {tiny(worst)}"


def decades(pair: LedgerComparison) -> dict[int, int]:
    """Count the keys that are not exact by the decade of their relative difference."""
    found: Counter[int] = Counter()
    for one in pair.differences:
        # Read off the decimal: a logarithm that ends a hair below a whole number is another decade.
        decade = Decimal(repr(one.relative)).adjusted() if one.relative < 1 else HIGHEST
        found[min(max(decade, LOWEST), HIGHEST)] += 1
    return dict(sorted(found.items()))


def _ridge(axes: Axes, row: int, pair: LedgerComparison) -> None:
    bars = decades(pair)
    exact = pair.count("exact")
    scale = 0.8 / math.log10(max(pair.shared, 10) + 1)

    def height(n: int) -> float:
        return math.log10(n + 1) * scale

    axes.bar(
        [LEFT, *bars],
        [height(n) for n in (exact, *bars.values())],
        bottom=row,
        width=0.9,
        align="edge",
        color=[style.GREEN, *[style.BLUE] * len(bars)],
        alpha=0.6,
        linewidth=0,
    )
    axes.axhline(row, color=style.MUTED, linewidth=0.5)
    axes.text(
        0.2,
        row + 0.3,
        f"{count(pair.shared)} keys\n{_furthest(pair)}",
        va="center",
        fontsize=5.4,
        color=style.MUTED,
    )
    axes.text(LEFT + 0.45, row + height(exact) + 0.04, count(exact), ha="center", fontsize=5)


def _limits(axes: Axes, tolerance: float, rows: int) -> None:
    for limit, word in ((EXACT, "exact"), (tolerance, "wrong")):
        place = math.log10(max(limit, EXACT))
        axes.axvline(place, color=style.ORANGE, linewidth=0.9, linestyle=style.DASHES[1])
        side = "right" if word == "exact" else "left"
        gap = -0.1 if word == "exact" else 0.1
        axes.text(place + gap, rows + 0.02, word, ha=side, fontsize=style.SMALL, color=style.ORANGE)
    axes.set_xlim(LEFT - 0.3, 3.4)
    ticks = list(range(LOWEST, 1, 3))
    labels = ["exact", *("1" if tick == 0 else f"1e{tick}".replace("-", "−") for tick in ticks)]
    axes.set_xticks([LEFT + 0.45, *ticks], labels)
    axes.set_xlabel("Relative difference")
    axes.set_ylim(0, rows + 0.25)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
