"""Reliability diagram with bin counts and ECE (S4 10.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.drawing import style
from crosscheck.drawing.plot import NotDrawnError, Plot
from crosscheck.drawing.words import count, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from crosscheck.drawing.data import FigureData


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin of the ledger."""

    n: int
    mean_prob: float
    mean_label: float


def draw(data: FigureData) -> Plot:
    """Draw the bins of the first declared M, the contract's ten by default."""
    sizes = data.settings_of("ece@")
    if not sizes:
        raise NotDrawnError("the data have no probabilities, or no label to hold them against")
    size = "10" if "10" in sizes else sizes[0]
    bins = _bins(data, size)
    filled = [each for each in bins if each.n]
    ece = data.need(f"ece@{size}", "all_queries", "all", "value", lack="the ledger has no ECE")
    worst = max(filled, key=lambda each: abs(each.mean_label - each.mean_prob))
    side = "too high" if worst.mean_prob > worst.mean_label else "too low"
    title = (
        f"ECE {number(ece)}; the furthest bin says {number(worst.mean_prob, 2)} "
        f"where {number(worst.mean_label, 2)} have evidence"
    )
    figure = style.blank(
        style.COLUMN, 3.05, title, data.about(f"n = {count(data.counts()[0])} queries, {size} bins")
    )
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[3.4, 1])
    diagram(upper, filled, "Share with evidence")
    counts(lower, bins, "Queries", "Mean predicted probability")
    alt = (
        f"Reliability diagram of {data.name} with {len(filled)} filled bins of {size}; expected "
        f"calibration error {number(ece)}. The furthest bin, with {count(worst.n)} queries, is "
        f"{number(abs(worst.mean_prob - worst.mean_label), 3)} {side}."
    )
    caption = (
        f"Share with evidence against mean probability in {size} bins of equal width, and how many "
        "queries each bin holds (log scale). On the dashed line probabilities mean what they say; "
        "the vertical strokes are the gaps that ECE weighs by their counts."
    )
    return Plot(figure, title, alt, caption)


def _bins(data: FigureData, size: str) -> list[Bin]:
    lack = "the ledger has no reliability bins"
    bins = []
    for index in range(int(size)):
        name = f"reliability@{size}/bin={index}"
        n, prob, label = (
            data.need(name, "all_queries", "all", statistic, lack=lack)
            for statistic in ("n", "mean_prob", "mean_label")
        )
        bins.append(Bin(int(n), prob, label))
    return bins


def diagram(axes: Axes, filled: list[Bin], observed: str) -> None:
    """Draw what was observed against what was said; the strokes between are the gaps."""
    x = [each.mean_prob for each in filled]
    y = [each.mean_label for each in filled]
    axes.plot(
        [0, 1], [0, 1], color=style.MUTED, linewidth=0.8, linestyle=style.DASHES[4], label="perfect"
    )
    axes.vlines(x, x, y, color=style.ORANGE, linewidth=1.2, label="gap")
    axes.plot(x, y, "o-", color=style.BLUE, label="observed")
    style.unit_axis(axes, "both")
    axes.set_ylabel(observed)
    axes.legend(loc="upper left")


def counts(axes: Axes, bins: list[Bin], what: str, said: str) -> None:
    """Draw how much each bin holds."""
    width = 1 / len(bins)
    centres = [(index + 0.5) * width for index in range(len(bins))]
    axes.bar(centres, [each.n for each in bins], width=width * 0.86, color=style.BLUE, alpha=0.55)
    axes.set_yscale("log")
    top = max(each.n for each in bins)
    axes.set_ylim(0.7, top * 9)
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(lambda value, _: count(value) if value >= 1 else "")
    for centre, each in zip(centres, bins, strict=True):
        if len(bins) <= 12:  # noqa: PLR2004 - more labels would overlap at column width
            axes.annotate(
                count(each.n),
                (centre, max(each.n, 0.7)),
                xytext=(0, 1.5),
                textcoords="offset points",
                ha="center",
                fontsize=5,
                color=style.INK,
            )
    axes.set_ylabel(what)
    axes.set_xlabel(said)
