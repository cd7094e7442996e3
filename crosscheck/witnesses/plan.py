"""The resampling plan (contract, section 10): drawn once, from one seed, for everybody.

Counts per unit, one row per resample: PCG64, one stream per unit, so that the plan by post is the
same whether or not there is one by query. Anyone with the seed and numpy can draw it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    Counts = np.ndarray[Any, np.dtype[np.unsignedinteger[Any]]]

STREAMS = {"post": 0, "query": 1, "sample": 2, "permutation": 3}
"""Numbers of the streams; permanent, since a new order would be a new plan."""
SAMPLED = 4
"""Resamples, and deletions, of each unit that the reference recomputes."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Counts per unit, and which resamples and deletions are recomputed exactly."""

    counts: dict[str, Counts]
    sample: dict[str, dict[str, list[int]]]

    def sampled_counts(self) -> dict[str, dict[int, list[int]]]:
        """Give the sampled resamples alone, as plain lists."""
        return {
            unit: {b: self.counts[unit][b].tolist() for b in chosen["replicates"]}
            for unit, chosen in self.sample.items()
        }


def units(facts: dict[str, Any]) -> dict[str, int]:
    """Say how many units of each kind there are; without posts, queries only."""
    found = {"query": int(facts["queries"]["all_queries"])}
    return {"post": int(facts["posts"]), **found} if facts["posts"] else found


def draw(sizes: dict[str, int], seed: int, resamples: int) -> Plan:
    """Draw every resample of every unit, and the sample to be recomputed."""
    return Plan(
        counts={unit: resample(size, resamples, seed, unit) for unit, size in sizes.items()},
        sample=choose_sample(sizes, seed, resamples),
    )


def resample(size: int, resamples: int, seed: int, unit: str) -> Counts:
    """Draw `size` units with replacement, `resamples` times; one row of counts each."""
    generator = _stream(seed, unit)
    counts: Counts = np.zeros((resamples, size), dtype=np.uint8)
    for b in range(resamples):
        drawn = np.bincount(generator.integers(0, size, size, dtype=np.uint32), minlength=size)
        if drawn.max(initial=0) > np.iinfo(counts.dtype).max:
            counts = counts.astype(np.uint32)
        counts[b] = drawn
    return counts


def choose_sample(
    sizes: dict[str, int], seed: int, resamples: int
) -> dict[str, dict[str, list[int]]]:
    """Choose what the reference recomputes: some resamples and some deletions of each unit."""
    generator = _stream(seed, "sample")
    return {
        unit: {
            "replicates": _some(generator, resamples),
            "jackknife": _some(generator, size),
        }
        for unit, size in sizes.items()
    }


def swaps(size: int, permutations: int, seed: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Draw the permutation test's plan: 1 where a permutation swaps the two systems in a unit."""
    generator = _stream(seed, "permutation")
    return generator.integers(0, 2, (permutations, size), dtype=np.uint8)


def _some(generator: np.random.Generator, size: int) -> list[int]:
    chosen: Iterable[int] = generator.choice(size, min(SAMPLED, size), replace=False).tolist()
    return sorted(chosen)


def _stream(seed: int, name: str) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64([seed, STREAMS[name]]))
