"""One system against another: the primary computes everything, the reference checks.

Both are handed the same resamples and the same permutations, drawn from the run's seed. The
reference recomputes a declared sample of them exactly, from really replicated and really swapped
rows, and derives interval, p-value and Holm's correction from the primary's replicates by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from crosscheck.data import door
from crosscheck.data.readings import reading
from crosscheck.data.sampling import sampled
from crosscheck.model.ledgers import Ledger, judge
from crosscheck.witnesses.implementations import REFERENCE
from crosscheck.witnesses.resampling import REPLICATE_EXACT, Lists, Replicate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import ModuleType

    from crosscheck.data.case import Case

    Side = tuple[Any, None]
    """What was read, which has its settings."""

RECOMPUTED = 2
"""Resamples, and permutations, of each comparison that the reference recomputes."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """A system, its baseline, and the base keys to compare them on.

    Two systems seldom have the same columns: one has a gate, the other none. The settings of each
    ask for what the table needs of it, and for nothing else.
    """

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


def compared(seed: int, resamples: int, pairing: Pairing) -> Compared:
    """Ask the primary on all rows, and both on the rows that both can take.

    What comes out is held against the ledgers of the systems that are gated: a difference that is
    not that of their values is a finding.
    """
    limited = sampled(pairing.baseline, [REFERENCE.rows_limit])
    whole = _Scope(pairing, {}, pairing.baseline.facts)
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

    def sides(self, package: ModuleType) -> tuple[Side, Side]:
        """Give baseline and system as the door takes them."""
        both = (self.pairing.baseline, self.pairing.system)
        first, second = (reading(package, one, self.extra) for one in both)
        return (first, None), (second, None)

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


def _sample(pairing: Pairing, one_in: int) -> _Scope:
    extra = {"sample": one_in}
    base = pairing.baseline
    return _Scope(pairing, extra, door.primary.describe(base.data, base.settings | extra))


def _primary(rows: _Scope, seed: int, resamples: int) -> Any:  # noqa: ANN401 - the primary's own class
    keys = list(rows.pairing.keys)
    if not resamples:
        return door.primary.compare(*rows.sides(door.primary), None, keys)
    drawn = _drawn(rows.unit, rows.units, rows.queries, seed, resamples)
    return door.primary.compare(*rows.sides(door.primary), drawn.plan, keys, swaps=drawn.swaps)


def _reference(
    rows: _Scope, seed: int, resamples: int, numbers: tuple[int, ...], replicates: Mapping[str, Any]
) -> dict[str, Any]:
    keys = list(rows.pairing.keys)
    if not resamples:
        return door.reference.compare(*rows.sides(door.reference), None, keys, None, None)
    drawn = _drawn(rows.unit, rows.units, rows.queries, seed, resamples)
    plan, swaps = drawn.recomputed(rows.unit, numbers)
    return door.reference.compare(
        *rows.sides(door.reference),
        plan,
        keys,
        swaps,
        {
            "difference": {rows.unit: Lists(replicates["difference"][rows.unit])},
            "permuted": Lists(replicates["permuted"]),
        },
    )


@dataclass(frozen=True)
class _Drawn:
    """The resamples, the same as those of the intervals, and the permutations.

    Every comparison is handed the same objects: whoever has answered under a plan knows it again.
    """

    plan: dict[str, Any]
    swaps: Any
    _few: dict[tuple[int, ...], tuple[dict[str, Any], dict[int, Any]]] = field(default_factory=dict)

    def recomputed(
        self, unit: str, numbers: tuple[int, ...]
    ) -> tuple[dict[str, Any], dict[int, Any]]:
        """Give those that the reference recomputes, as plain lists."""
        if numbers not in self._few:
            counts = {number: self.plan[unit][number].tolist() for number in numbers}
            swaps = {number: self.swaps[number].tolist() for number in numbers}
            self._few[numbers] = {unit: counts}, swaps
        return self._few[numbers]


@lru_cache(maxsize=2)
def _drawn(unit: str, size: int, queries: int, seed: int, resamples: int) -> _Drawn:
    from crosscheck.witnesses import plan as plans  # noqa: PLC0415 - needs numpy

    plan: dict[str, Any] = {unit: plans.resample(size, resamples, seed, unit)}
    # Where the interval is by post, the door wants a plan by query too: each query once.
    plan.setdefault("query", [[1] * queries])
    return _Drawn(plan, plans.swaps(size, resamples, seed))


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
