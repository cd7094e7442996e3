"""One system against another: the primary computes everything, the reference checks.

Both are handed the same resamples and the same permutations, drawn from the run's seed. The
reference recomputes a declared sample of them exactly, from really replicated and really swapped
rows, and derives interval, p-value and Holm's correction from the primary's replicates by itself.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck.data import door
from crosscheck.data.hashes import sha256
from crosscheck.data.sampling import sampled
from crosscheck.model.ledgers import Ledger, judge
from crosscheck.witnesses.implementations import REFERENCE
from crosscheck.witnesses.resampling import REPLICATE_EXACT, Replicate, plain
from crosscheck.witnesses.tasks import Task

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

    from crosscheck.data.case import Case

    Side = tuple[Any, dict[str, Any] | None]
    """Data and settings, or what was read of them."""

RECOMPUTED = 2
"""Resamples, and permutations, of each comparison that the reference recomputes."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """A system, its baseline, and the base keys to compare them on."""

    baseline: Case
    system: Case
    keys: tuple[str, ...]

    @property
    def name(self) -> str:
        """How the comparison is called in messages."""
        return f"{self.system.system} against {self.baseline.system}"

    @property
    def scope(self) -> str:
        """All rows."""
        return ""


@dataclass(frozen=True, slots=True)
class Compared:
    """What both implementations say about one pairing; `ledger` is the primary's, on all rows."""

    ledger: Ledger
    unit: str = "post"
    checked: Ledger = field(default_factory=dict)
    """The primary's on the rows that the reference saw: all of them, or the sample."""
    reference: Ledger = field(default_factory=dict)
    scope: str = ""
    """Empty for all rows; else the words that say which sample."""
    numbers: tuple[int, ...] = ()
    """The resamples, and the permutations, that were recomputed."""
    recomputed: int = 0
    differing: tuple[Replicate, ...] = ()


def task(seed: int, resamples: int, pairings: tuple[Pairing, ...]) -> Task[Pairing, Compared]:
    """Make the task of comparing every pairing."""
    waiting = f"{resamples:,} paired resamples and as many permutations" if resamples else ""
    return Task("comparison", partial(compared, seed, resamples), pairings, waiting)


def compared(seed: int, resamples: int, asked: Pairing) -> Compared:
    """Ask the primary on all rows, and both on the rows that both can take.

    Two systems seldom have the same columns: one has a gate, the other none. Both are asked for the
    families of the numbers compared, and for nothing else. What comes out is held against the
    ledgers of the systems that are gated: a difference that is not that of their values is a
    finding.
    """
    keys = asked.keys
    pairing = Pairing(asked.baseline.about(keys), asked.system.about(keys), keys)
    limited = sampled(pairing.baseline, [REFERENCE.rows_limit])
    whole = _Scope(pairing, {}, pairing.baseline.facts, kept=limited is None)
    shared = whole if limited is None else _sample(pairing, limited["sample"])
    ours = _primary(whole, seed, resamples)
    seen = ours if shared is whole else _primary(shared, seed, resamples)
    numbers = _numbers(seed, resamples)
    theirs = _reference(shared, seed, resamples, numbers, seen.replicates)
    again = list(_recomputed(shared.unit, seen.replicates, theirs["recomputed"]))
    return Compared(
        ledger=_asked(ours.ledger, whole),
        unit=whole.unit,
        checked=_asked(seen.ledger, shared),
        reference=_asked(theirs["ledger"], shared),
        scope="" if limited is None else f"1 in {limited['sample']} {whole.unit}s",
        numbers=numbers,
        recomputed=len(again),
        differing=tuple(one for one in again if one is not None),
    )


@dataclass(frozen=True)
class _Scope:
    """A pairing on all rows, or on the sample that the extra settings choose."""

    pairing: Pairing
    extra: dict[str, Any]
    facts: Mapping[str, Any]
    kept: bool = False
    """Whether what was read is kept for the next pairing: large data would fill the memory."""

    def sides(self, package: ModuleType) -> tuple[Side, Side]:
        """Give baseline and system as the door takes them."""
        return self._side(package, self.pairing.baseline), self._side(package, self.pairing.system)

    def _side(self, package: ModuleType, one: Case) -> Side:
        settings = one.settings | self.extra
        if not self.kept:
            return one.data, settings
        return reading(package, _File.of(one.data, settings)), None

    @property
    def queries(self) -> int:
        """How many units by query there are."""
        return self._sizes["query"]

    @property
    def unit(self) -> str:
        """What is resampled and swapped: posts, or queries where there are none."""
        return "post" if self.facts["posts"] else "query"

    @property
    def units(self) -> int:
        """How many there are."""
        return self._sizes[self.unit]

    @cached_property
    def _sizes(self) -> dict[str, int]:
        from crosscheck.witnesses import plan as plans  # noqa: PLC0415 - needs numpy

        base = self.pairing.baseline
        seeds = self.facts.get("seeds")
        rows = door.primary.table(base.data, base.settings | self.extra) if seeds else None
        return plans.units(self.facts, rows)


@dataclass(frozen=True, slots=True)
class _File:
    """A system's file, known by its content: the baseline is the same in many pairings."""

    content: tuple[str, ...]
    written: str
    """The settings, as text."""
    data: Any = field(compare=False)
    settings: dict[str, Any] = field(compare=False)

    @classmethod
    def of(cls, data: Any, settings: dict[str, Any]) -> _File:  # noqa: ANN401 - a path, or TREC's two
        """Look into the file."""
        paths = [data] if isinstance(data, str) else [data[role] for role in sorted(data)]
        content = tuple(sha256(Path(path)) for path in paths)
        return cls(content, json.dumps(settings, sort_keys=True, default=str), data, settings)


@lru_cache(maxsize=4)
def reading(package: ModuleType, file: _File) -> Any:  # noqa: ANN401 - the package's own class
    """Read a file, unless it is one of those that were read last."""
    return package.read(file.data, file.settings)


def _sample(pairing: Pairing, one_in: int) -> _Scope:
    extra = {"sample": one_in}
    base = pairing.baseline
    return _Scope(pairing, extra, door.primary.describe(base.data, base.settings | extra))


def _primary(rows: _Scope, seed: int, resamples: int) -> Any:  # noqa: ANN401 - the primary's own class
    keys = list(rows.pairing.keys)
    if not resamples:
        return door.primary.compare(*rows.sides(door.primary), None, keys)
    counts, swaps = _drawn(rows.unit, rows.units, seed, resamples)
    plan = {rows.unit: counts}
    if rows.unit == "post":
        # The interval is by post; the door wants a plan by query too: each query once.
        plan["query"] = [[1] * rows.queries]
    return door.primary.compare(*rows.sides(door.primary), plan, keys, swaps=swaps)


def _reference(
    rows: _Scope, seed: int, resamples: int, numbers: Sequence[int], replicates: Mapping[str, Any]
) -> dict[str, Any]:
    keys = list(rows.pairing.keys)
    if not resamples:
        return door.reference.compare(*rows.sides(door.reference), None, keys, None, None)
    counts, swaps = _drawn(rows.unit, rows.units, seed, resamples)
    return door.reference.compare(
        *rows.sides(door.reference),
        {rows.unit: {number: counts[number].tolist() for number in numbers}},
        keys,
        {number: swaps[number].tolist() for number in numbers},
        {
            "difference": {rows.unit: plain(replicates["difference"][rows.unit])},
            "permuted": plain(replicates["permuted"]),
        },
    )


@lru_cache(maxsize=2)
def _drawn(unit: str, size: int, seed: int, resamples: int) -> tuple[Any, Any]:
    """Draw the resamples, the same as those of the intervals, and the permutations."""
    from crosscheck.witnesses import plan as plans  # noqa: PLC0415 - needs numpy

    return plans.resample(size, resamples, seed, unit), plans.swaps(size, resamples, seed)


def _numbers(seed: int, resamples: int) -> tuple[int, ...]:
    """Choose the resamples and permutations that are recomputed."""
    from crosscheck.witnesses import plan as plans  # noqa: PLC0415 - needs numpy

    if not resamples:
        return ()
    drawn = plans.choose_sample({"comparison": 1}, seed, resamples)["comparison"]["replicates"]
    return tuple(drawn[:RECOMPUTED])


def _asked(ledger: Mapping[str, float], rows: _Scope) -> Ledger:
    """Leave out the interval by query where posts are resampled: its plan was a stand-in."""
    other = "/query/" if rows.unit == "post" else "/post/"
    return {key: float(value) for key, value in ledger.items() if other not in key}


def _recomputed(
    unit: str, ours: Mapping[str, Any], theirs: Mapping[str, Any]
) -> Iterator[Replicate | None]:
    """Compare each recomputed value with the primary's; None where they are the same."""
    kinds = (
        ("resample", ours["difference"].get(unit, {}), theirs["difference"].get(unit, {})),
        ("permutation", ours["permuted"], theirs["permuted"]),
    )
    for kind, stated, by_key in kinds:
        for key, values in by_key.items():
            for number, exact in values.items():
                given = float(stated[key][number])
                wrong = judge(given, float(exact)) == "wrong"
                one = Replicate(unit, kind, key, number, given, float(exact), wrong)
                yield None if _same(one) else one


def _same(one: Replicate) -> bool:
    # A difference of two shares may be near 0, so the reach is absolute there.
    reach = REPLICATE_EXACT * max(1.0, abs(one.primary), abs(one.reference))
    return abs(one.primary - one.reference) <= reach
