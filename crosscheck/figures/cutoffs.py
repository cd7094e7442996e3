"""Ranking metrics against the cut-off K, with bands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.contract.naming import base_name
from crosscheck.drawing import style
from crosscheck.drawing.plot import NotDrawnError, Plot
from crosscheck.drawing.words import count, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from crosscheck.drawing.data import FigureData

PANELS = (
    ("order", ("ndcg", "map", "mrr")),
    ("coverage", ("recall", "hit", "precision")),
)


def draw(data: FigureData) -> Plot:
    """Draw how each metric grows with K; the band is one standard deviation over folds."""
    cutoffs = [text for text in data.settings_of("ndcg@") if text != "all"]
    if not cutoffs:
        raise NotDrawnError("the data have no rankings with gold")
    shown = "10" if "10" in cutoffs else cutoffs[-1]
    lack = "the ledger has no ranking metrics"
    ndcg = data.need(f"ndcg@{shown}", "positives_only", "all", "mean", lack=lack)
    recall = data.need(f"recall@{shown}", "positives_only", "all", "mean", lack=lack)
    title = (
        f"At K = {shown}, recall is {number(recall, 3)} and nDCG {number(ndcg, 3)}; "
        f"{_gain(data, cutoffs)}"
    )
    positives = int(data.facts["queries"]["positives_only"])
    figure = style.blank(
        style.PAGE, 2.3, title, data.about(f"n = {count(positives)} queries with evidence")
    )
    for axes, (name, metrics) in zip(figure.subplots(1, 2, sharey=True), PANELS, strict=True):
        for index, metric in enumerate(metrics):
            _line(axes, data, metric, cutoffs=cutoffs, index=index)
        axes.set_title(name, color=style.MUTED)
        axes.set_xlabel("Cut-off K")
        axes.set_xticks([_x(text, cutoffs) for text in cutoffs], cutoffs)
        axes.legend(loc="best")
    figure.axes[0].set_ylabel("Mean over queries with evidence")
    figure.axes[0].set_ylim(0, 1.02)
    alt = f"Curves of {data.name} against K. " + "; ".join(
        f"{base_name(f'{metric}@10')}: "
        + ", ".join(f"{number(y, 3)} at {k}" for k, y in _points(data, metric, cutoffs))
        for _, metrics in PANELS
        for metric in metrics
    )
    band = (
        "bands are one standard deviation over folds (n − 1)"
        if data.folds
        else "without folds there are no bands"
    )
    caption = (
        f"Means over queries with evidence at each cut-off; {band}; strokes are 95 % intervals "
        "where they were computed."
    )
    return Plot(figure, title, f"{alt}.", caption)


def _gain(data: FigureData, cutoffs: list[str]) -> str:
    first, last = cutoffs[0], cutoffs[-1]
    low = data.value(f"hit@{first}", "positives_only", "all", "mean")
    high = data.value(f"hit@{last}", "positives_only", "all", "mean")
    if low is None or high is None:
        return "larger cut-offs add little"
    return f"a hit within {first} in {number(low, 3)}, within {last} in {number(high, 3)}"


def _x(text: str, cutoffs: list[str]) -> int:
    # K is spaced evenly: 1, 3, 5, 10, 20 are steps of a list, not of a scale.
    return cutoffs.index(text)


def _points(data: FigureData, metric: str, cutoffs: list[str]) -> list[tuple[str, float]]:
    points = [(k, data.value(f"{metric}@{k}", "positives_only", "all", "mean")) for k in cutoffs]
    return [(k, y) for k, y in points if y is not None]


def _line(axes: Axes, data: FigureData, metric: str, *, cutoffs: list[str], index: int) -> None:
    points = _points(data, metric, cutoffs)
    x = [_x(k, cutoffs) for k, _ in points]
    colour = style.CYCLE[index]
    low, high = [], []
    for k, _ in points:
        mean = data.value(f"{metric}@{k}", "positives_only", "folds", "mean")
        std = data.value(f"{metric}@{k}", "positives_only", "folds", "std")
        if mean is not None and std is not None:
            low.append(mean - std)
            high.append(mean + std)
    if len(low) == len(x):
        axes.fill_between(x, low, high, color=colour, alpha=0.16, linewidth=0)
    axes.plot(
        x,
        [y for _, y in points],
        color=colour,
        linestyle=style.DASHES[index],
        marker=style.MARKERS[index],
        label=base_name(f"{metric}@10"),
    )
    for k, _ in points:
        interval = data.interval(f"{metric}@{k}", "positives_only", "all")
        if interval is not None:
            axes.plot([_x(k, cutoffs)] * 2, interval, color=style.INK, linewidth=0.7)
