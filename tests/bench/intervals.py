"""Intervals from an engine's sums against the exact bootstrap (`make bench-intervals`).

The primary resamples every post and every query of the built-in study. The engine's way is held
against it with draws of its own: posts in fewer and fewer groups, and queries by their kinds. Ends
may differ by chance alone, and the command fails where one differs by more.
"""

from __future__ import annotations

import math
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck import config, study
from crosscheck.data import door
from crosscheck.engine.connect import connect
from crosscheck.engine.evaluate import evaluate
from crosscheck.engine.intervals.drawn import draw
from crosscheck.witnesses import plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

GROUPS = (4096, 1024, 256)
SHOWN = (
    "ndcg@10",
    "recall@10",
    "mrr@all",
    "f1",
    "sensitivity",
    "brier",
    "ece@10",
    "evidence_recall",
)
END, WIDTH, Z = 2.67, 3.92, 1.96
"""The standard error of an end times √B, and the width of an interval, in σ; a 95 % quantile."""
MOST = 5
"""Standard errors that chance alone will not take an end."""
GROUPED = ("brier", "ece@10", "log_loss")
"""By query, these go by groups; the others by kinds, which is the bootstrap itself."""
SEEDS = (0, 1)
"""Of the exact bootstrap, and of the draws that are held against it."""

Ledger = dict[str, float]


def exact(path: str, settings: dict[str, Any], resamples: int) -> Ledger:
    """Let the primary resample every post and every query."""
    facts = door.primary.describe(path, settings)
    drawn = plan.draw(plan.units(facts), SEEDS[0], resamples)
    return dict(door.primary.intervals(path, settings, drawn.counts).ledger)


def scaled(path: str, settings: dict[str, Any], resamples: int) -> Iterator[tuple[int, Any]]:
    """Draw from the engine's sums, with so many groups at most."""
    with closing(connect("duckdb")) as engine:
        facts = evaluate(engine, [path], settings).facts
        for groups in GROUPS:
            draws = plan.Draws(SEEDS[1], resamples)
            yield groups, draw(engine, [path], settings, facts, draws, groups=groups)


def compared(
    ours: Mapping[str, float], theirs: Ledger, unit: str, resamples: int, groups: int | None
) -> dict[str, tuple[float, float, float]]:
    """Give (metric) → width, exact width, how many standard errors the further end is off."""
    found = {}
    for low in ours:
        if not low.endswith(f"ci_low/{unit}/percentile") or low.split("|")[2] != "all":
            continue
        high = low.replace("|ci_low/", "|ci_high/")
        width, truth = (some[high] - some[low] for some in (ours, theirs))
        metric = low.partition("|")[0]
        grouped = groups is not None and (unit == "post" or metric in GROUPED)
        chance = 2 * END**2 / resamples + (Z**2 / (2 * groups) if groups and grouped else 0)
        error = math.sqrt(chance) * truth / WIDTH
        gap = max(abs(ours[end] - theirs[end]) for end in (low, high))
        found[metric] = width, truth, gap / error
    return found


def told(title: str, found: dict[str, tuple[float, float, float]]) -> float:
    """Print a line for the table; give the furthest end."""
    ratios = sorted(width / truth for width, truth, _ in found.values())
    worst = max(found, key=lambda one: found[one][2])
    shown = " | ".join(f"{found[one][0]:.4f}" if one in found else "" for one in SHOWN)
    print(
        f"| {title} | {shown} | {ratios[0]:.3f} to {ratios[-1]:.3f} | "
        f"{found[worst][2]:.1f} ({worst}) |",
        flush=True,
    )
    return found[worst][2]


def main(resamples: int) -> int:
    """Print the table of docs/scale.md; say whether chance explains every difference."""
    with tempfile.TemporaryDirectory() as folder:
        study.write(Path(folder), systems=("full",), format="parquet")
        settings = config.read(Path(folder) / config.FILE).settings(None)
        path = str(Path(folder) / "full.parquet")
        theirs = exact(path, settings, resamples)
        print(f"{resamples:,} resamples each; width of the 95 % percentile interval, slice all\n")
        names = " | ".join(f"`{one}`" for one in SHOWN)
        print(f"| resampled | {names} | width ÷ exact, all metrics | furthest end, in s.e. |")
        print("|---" * (len(SHOWN) + 3) + "|")
        furthest, every = [], list(scaled(path, settings, resamples))
        for unit in ("post", "query"):
            own = " | ".join(
                f"{theirs[high] - theirs[high.replace('ci_high', 'ci_low')]:.4f}"
                for name in SHOWN
                for high in theirs
                if high.startswith(f"{name}|") and f"|all|ci_high/{unit}/percentile" in high
            )
            print(f"| **every {unit}** (primary) | {own} | | |")
            for groups, found in every:
                if unit == "query" and groups != GROUPS[0]:
                    continue
                hashed = "groups" in found.units[unit]
                held = compared(found.ledger, theirs, unit, resamples, groups if hashed else None)
                furthest.append(told(found.units[unit], held))
    return int(max(furthest) > MOST)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
