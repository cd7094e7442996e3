"""nDCG against the cut-off under each reading of the grades: binary, graded, exponential."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.contract.naming import name_of
from crosscheck.drawing import style
from crosscheck.drawing.plot import NotDrawnError, Plot
from crosscheck.drawing.words import count, number

if TYPE_CHECKING:
    from crosscheck.drawing.data import FigureData

READINGS = {
    "ndcg@{}/graded": "gain g",
    "ndcg@{}/exponential": "gain 2^g − 1",
    "ndcg@{}": "gain 1 for all that is relevant",
}
PLAIN, BINARY = "ndcg@{}", " (binary)"


def draw(data: FigureData) -> Plot:
    """Draw one line a reading: papers mean different ones by the same name."""
    cutoffs = [text for text in data.settings_of("ndcg@") if text != "all"]
    lines = {
        metric: [data.value(metric.format(k), "positives_only", "all", "mean") for k in cutoffs]
        for metric in READINGS
    }
    known = {metric: line for metric, line in lines.items() if line and None not in line}
    if "ndcg@{}/graded" not in known:
        raise NotDrawnError("the data have no grades")
    shown = "10" if "10" in cutoffs else cutoffs[-1]
    place = cutoffs.index(shown)
    title = ", ".join(
        f"{name_of(metric.format(shown))}{BINARY if metric == PLAIN else ''} "
        f"{number(float(line[place] or 0), 3)}"
        for metric, line in known.items()
    )
    positives = int(data.facts["queries"]["positives_only"])
    subtitle = data.about(
        f"n = {count(positives)} queries with evidence, grades up to {data.facts.get('grade_max')}"
    )
    figure = style.blank(style.COLUMN, 2.4, title, subtitle)
    axes = figure.add_subplot()
    for index, (metric, line) in enumerate(known.items()):
        axes.plot(
            range(len(cutoffs)),
            [float(value or 0) for value in line],
            color=style.CYCLE[index],
            linestyle=style.DASHES[index],
            marker=style.MARKERS[index],
            label=READINGS[metric],
        )
        for x, k in enumerate(cutoffs):
            interval = data.interval(metric.format(k), "positives_only", "all")
            if interval is not None:
                axes.plot([x, x], interval, color=style.INK, linewidth=0.7)
    axes.set_xticks(range(len(cutoffs)), cutoffs)
    axes.set_xlabel("Cut-off K")
    axes.set_ylabel("nDCG@K, mean over queries")
    axes.set_ylim(0, 1.02)
    axes.legend(loc="lower right")
    alt = f"nDCG of {data.name} against K. " + "; ".join(
        f"{READINGS[metric]}: "
        + ", ".join(
            f"{number(float(y or 0), 3)} at {k}" for k, y in zip(cutoffs, line, strict=True)
        )
        for metric, line in known.items()
    )
    caption = (
        "The same rankings under three readings of the grades, each divided by its own ideal; "
        "a paper’s nDCG is one of them. Strokes are 95 % intervals where they were computed."
    )
    return Plot(figure, title, f"{alt}.", caption)
