"""The resampling plan (contract, section 10): drawn once, from one seed, for everybody.

Counts per unit, one row per resample: PCG64, one stream per unit, so that the plan by post is the
same whether or not there is one by query. Anyone with the seed and numpy can draw it again. With
several seeds in the data, unit `seed` takes the draws of its posts (or queries), and seeds drawn
beside them from a stream of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import polars as pl

    Counts = np.ndarray[Any, np.dtype[np.unsignedinteger[Any]]]

STREAMS = {"post": 0, "query": 1, "sample": 2, "permutation": 3, "seed": 4}
"""Numbers of the streams; permanent, since a new order would be a new plan."""
KINDS_AT_ONCE = 2**22
"""Counts of kinds that are drawn at a time."""
SAMPLED = 4
"""Resamples, and deletions, of each unit that the reference recomputes."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Counts per unit, and which resamples and deletions are recomputed exactly."""

    counts: dict[str, Any]
    """Unit → counts; of unit `seed` the counts of its units and of its seeds."""
    sample: dict[str, dict[str, list[int]]]

    def sampled_counts(self) -> dict[str, dict[Any, Any]]:
        """Give the sampled resamples alone, as plain lists."""
        return {
            unit: _sampled(self.counts[unit], chosen["replicates"])
            for unit, chosen in self.sample.items()
        }


def _sampled(counts: Any, numbers: list[int]) -> dict[Any, Any]:  # noqa: ANN401 - an array, or two
    if isinstance(counts, dict):
        return {part: _sampled(drawn, numbers) for part, drawn in counts.items()}
    return {number: counts[number].tolist() for number in numbers}


def units(facts: Mapping[str, Any], table: pl.DataFrame | None = None) -> dict[str, int]:
    """Say how many units of each kind there are; without posts, queries only.

    With seeds a unit is the same post, or query, in every seed and fold: `table` has the rows.
    """
    seeds = facts.get("seeds", ())
    if not seeds or table is None:
        found = {"query": int(facts["queries"]["all_queries"])}
        return {"post": int(facts["posts"]), **found} if facts["posts"] else found
    rows = table.filter(table["split"] == "EVAL")
    key = [name for name in ("post_id", "criterion_id", "query_id") if name in rows.columns]
    found = {"query": rows.select(key).n_unique()}
    if facts["posts"]:
        found = {"post": rows["post_id"].n_unique(), **found}
    return found | ({"seed": len(seeds)} if len(seeds) > 1 else {})


def draw(sizes: dict[str, int], seed: int, resamples: int) -> Plan:
    """Draw every resample of every unit, and the sample to be recomputed."""
    counts: dict[str, Any] = {
        unit: resample(size, resamples, seed, unit) for unit, size in sizes.items()
    }
    if "seed" in sizes:
        whole = "post" if "post" in sizes else "query"
        counts["seed"] = {"units": counts[whole], "seeds": counts["seed"]}
    return Plan(counts, choose_sample(sizes, seed, resamples))


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


@dataclass(frozen=True, slots=True)
class Draws:
    """The plan where an engine adds up: groups by the same streams, queries by their kinds."""

    seed: int
    resamples: int

    def groups(self, size: int, unit: str) -> Counts:
        """Draw groups, or units that are groups of their own."""
        return resample(size, self.resamples, self.seed, unit)

    def kinds(self, counts: tuple[int, ...]) -> Iterator[np.ndarray[Any, np.dtype[np.int64]]]:
        """Draw as many queries as there are, by the counts of their kinds."""
        generator = _stream(self.seed, "query")
        total = sum(counts)
        shares = np.array(counts, dtype=np.float64) / max(1, total)
        batch = max(1, KINDS_AT_ONCE // max(1, len(counts)))
        for done in range(0, self.resamples, batch):
            size = min(batch, self.resamples - done)
            yield generator.multinomial(total, shares, size=size)


def choose_sample(
    sizes: dict[str, int], seed: int, resamples: int
) -> dict[str, dict[str, list[int]]]:
    """Choose what the reference recomputes: some resamples and some deletions of each unit."""
    generator = _stream(seed, "sample")
    return {
        unit: {
            "replicates": _some(generator, resamples),
            "jackknife": [] if unit == "seed" else _some(generator, size),
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
