"""How often the 95 % intervals hold the truth: `make coverage`.

Data sets are drawn whose AUROC and nDCG@10 are known exactly, since every score is a sum of bell
curves. The queries of a post share a part of their scores, as sentences of one text do. Each data
set gets its intervals by post and by query from the primary, and we count how often they hold the
truth. The table that is printed is the one in docs/intervals.md; the exit code is 1 if the interval
by post holds it too seldom or too often.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import primary
from crosscheck.witnesses import plan as plans

if TYPE_CHECKING:
    from collections.abc import Iterator

    Floats = np.ndarray[Any, np.dtype[np.float64]]

AUROC = "auroc|all_queries|all|value"
NDCG = "ndcg@10|positives_only|all|mean"
NAMES = {AUROC: "AUROC", NDCG: "nDCG@10"}
UNITS = ("post", "query")
METHODS = ("percentile", "bca")
ALLOWED = (0.92, 0.98)

SEED = 20260119
CRITERIA = 10
CANDIDATES = 20
CUT = 10
RATE = 0.25
"""Share of queries with evidence."""
LIFT = 1.6
"""How much higher a query with evidence scores at the gate, and a gold sentence in the ranking."""
NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class World:
    """Where the data sets come from."""

    title: str
    shared: float
    """Standard deviation of what the queries of a post share; that of each query's own is 1."""
    posts: int

    @property
    def truth(self) -> dict[str, float]:
        """AUROC and nDCG@10 of infinitely many posts."""
        spread = math.sqrt(1 + self.shared**2)
        return {AUROC: NORMAL.cdf(LIFT / (math.sqrt(2) * spread)), NDCG: _expected_ndcg(spread)}


def _expected_ndcg(spread: float) -> float:
    """Integrate over the gold sentence's score g: its rank is 1 + Binomial(n, P(another > g)).

    One gold sentence a query, so that nDCG@10 is 1/log2(rank + 1) up to rank 10.
    """
    others = CANDIDATES - 1
    scores = np.linspace(LIFT - 10 * spread, LIFT + 10 * spread, 20_001)
    beaten = np.array([1 - NORMAL.cdf(score) for score in scores])
    gain = sum(
        math.comb(others, above)
        * beaten**above
        * (1 - beaten) ** (others - above)
        / math.log2(above + 2)
        for above in range(CUT)
    )
    weight = np.exp(-0.5 * ((scores - LIFT) / spread) ** 2) / (spread * math.sqrt(2 * math.pi))
    return float(np.trapezoid(gain * weight, scores))


def draw(world: World, generator: np.random.Generator) -> pl.DataFrame:
    """Draw one data set: posts × criteria, a gate's probability and a ranking for each query."""
    posts, size = world.posts, world.posts * CRITERIA
    shape = (posts, CRITERIA)
    rate = RATE
    if world.shared:
        # Some posts meet most criteria, many none; what makes them so moves no score.
        rate = generator.beta(RATE, 1 - RATE, size=(posts, 1))
    label = (generator.random(shape) < rate).ravel()
    gate = generator.normal(size=shape) + world.shared * generator.normal(size=(posts, 1))
    prob = 1 / (1 + np.exp(-(gate.ravel() + LIFT * label)))
    scores = generator.normal(size=(size, CANDIDATES))
    ease = world.shared * generator.normal(size=(posts, 1))
    # The gold sentence is the first of the list; its place there says nothing, its score does.
    scores[:, 0] += np.broadcast_to(LIFT + ease, shape).ravel()
    uids = [[f"{post}_{n}" for n in range(CANDIDATES)] for post in range(posts)]
    return pl.DataFrame(
        {
            "post_id": np.repeat([str(post) for post in range(posts)], CRITERIA),
            "criterion_id": np.tile([f"A.{n}" for n in range(CRITERIA)], posts),
            "candidates": [uids[post] for post in range(posts) for _ in range(CRITERIA)],
            "scores": scores.tolist(),
            "gold": [[f"{n // CRITERIA}_0"] if held else [] for n, held in enumerate(label)],
            "prob": prob,
        }
    )


@dataclass(frozen=True, slots=True)
class Trial:
    """One interval of one data set, and where the truth lay."""

    key: str
    unit: str
    method: str
    width: float
    below: bool
    above: bool


def trials(world: World, sets: int, resamples: int, *, talk: bool) -> Iterator[Trial]:
    """Draw the data sets one after the other, and take the intervals of each."""
    truth, began = world.truth, time.monotonic()
    sizes = {"post": world.posts, "query": world.posts * CRITERIA}
    for number in range(sets):
        generator = np.random.Generator(np.random.PCG64([SEED, world.posts, number]))
        frame = draw(world, generator)
        plan = plans.draw(sizes, SEED + number, resamples)
        ledger = primary.intervals(frame, {}, plan.counts, metrics=[AUROC, NDCG]).ledger
        for key, value in truth.items():
            stem = key.rpartition("|")[0]
            for unit in UNITS:
                for method in METHODS:
                    low, high = (
                        ledger[f"{stem}|{end}/{unit}/{method}"] for end in ("ci_low", "ci_high")
                    )
                    yield Trial(key, unit, method, high - low, value < low, value > high)
        if talk and (number + 1) % 50 == 0:
            spent = time.monotonic() - began
            print(f"{world.title}: {number + 1} of {sets}, {spent:.0f} s", file=sys.stderr)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table."""

    world: World
    key: str
    unit: str
    method: str
    held: float
    below: float
    above: float
    width: float

    @property
    def owed(self) -> bool:
        """Whether this is one of the intervals that must hold the truth often enough."""
        return self.unit == "post" and self.method == "percentile"


def lines(world: World, found: list[Trial]) -> Iterator[Line]:
    """Count, for every metric, unit and method."""
    groups: dict[tuple[str, str, str], list[Trial]] = defaultdict(list)
    for one in found:
        groups[one.key, one.unit, one.method].append(one)
    for (key, unit, method), group in groups.items():
        below, above = (sum(getattr(one, side) for one in group) for side in ("below", "above"))
        yield Line(
            world=world,
            key=key,
            unit=unit,
            method=method,
            held=1 - (below + above) / len(group),
            below=below / len(group),
            above=above / len(group),
            width=sum(one.width for one in group) / len(group),
        )


def table(found: list[Line]) -> str:
    """Write the table in Markdown."""
    rows = [
        "| data | metric | truth | interval | holds it | truth below | truth above | width |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in found:
        name = "BCa" if one.method == "bca" else one.method
        held = f"{100 * one.held:.1f} %"
        rows.append(
            f"| {one.world.title} | {NAMES[one.key]} | {one.world.truth[one.key]:.4f} "
            f"| by {one.unit}, {name} | {f'**{held}**' if one.owed else held} "
            f"| {100 * one.below:.1f} % | {100 * one.above:.1f} % | {one.width:.4f} |"
        )
    return "\n".join(rows)


def main() -> int:
    """Run the study and print its table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=500, help="data sets of each kind")
    parser.add_argument("--resamples", type=int, default=1000, help="resamples of each data set")
    parser.add_argument("--posts", type=int, default=100, help="posts of each data set")
    asked = parser.parse_args()
    worlds = (World("clustered", 1.0, asked.posts), World("independent", 0.0, asked.posts))
    found = [
        line
        for world in worlds
        for line in lines(world, list(trials(world, asked.sets, asked.resamples, talk=True)))
    ]
    error = math.sqrt(0.95 * 0.05 / asked.sets)
    print(table(found))
    print(
        f"\n{asked.sets} data sets of each kind, {asked.posts} posts × {CRITERIA} criteria, "
        f"{asked.resamples:,} resamples each; chance alone moves a share by {100 * error:.1f} % "
        "(one standard error)."
    )
    wrong = [one for one in found if one.owed and not ALLOWED[0] <= one.held <= ALLOWED[1]]
    for one in wrong:
        print(
            f"{NAMES[one.key]} by post, {one.world.title} data: the interval holds the truth in "
            f"{100 * one.held:.1f} % of the data sets; expected between "
            f"{100 * ALLOWED[0]:.0f} % and {100 * ALLOWED[1]:.0f} %",
            file=sys.stderr,
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
