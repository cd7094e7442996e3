"""A metric at other cut-offs than were asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crosscheck.contract import load
from crosscheck.data import door
from crosscheck.mistakes.worlds import World, evaluated, families, first_problem
from crosscheck.model.key import Key

if TYPE_CHECKING:
    from crosscheck.mistakes.bench import Bench

CUTS = (*range(1, 21), 25, 30, 50, 100, 200, 500, 1000)
ASKED: dict[str, tuple[str, tuple[int, ...]]] = {
    "K": ("k", CUTS),
    "k": ("top_k", tuple(range(1, 11))),
    "α": ("fpr", (1, 2, 3, 5, 10, 15, 20, 25, 30, 50)),
}
"""Parameter of a metric → its setting, and what it may have been set to instead."""


def elsewhere(key: str, bench: Bench, untried: dict[str, str]) -> list[tuple[str, str, float]]:
    """List the values at other parameters: the mistake, its particulars, the value."""
    one = Key.parse(key)
    found = load().find(one.metric)
    if found is None or found.bound or len(found.parameters) != 1:
        return []
    [(name, mine)] = dict(found.parameters).items()
    if name not in ASKED or not mine.isdecimal():
        return []
    setting, values = ASKED[name]
    try:
        ledger = _ledger(bench, one, setting, values)
    except door.primary.InputError as error:
        untried["other-cutoff"] = first_problem(error)
        return []
    taken = []
    for value in values:
        metric = one.metric.replace(mine, str(value), 1)
        other = f"{metric}|{one.population}|{one.slice}|{one.statistic}"
        known = other in bench.ledger or (name == "K" and abs(value - int(mine)) == 1)
        if not known and other in ledger:
            taken.append(("other-cutoff", metric, float(ledger[other])))
    return taken


def _ledger(bench: Bench, key: Key, setting: str, values: tuple[int, ...]) -> dict[str, Any]:
    wanted = families(key)
    known = bench.known.setdefault("other parameters", {})
    if (setting, wanted) not in known:
        world = World(bench.source, bench.settings | {setting: list(values)})
        known[setting, wanted] = evaluated(world, wanted)
    ledger: dict[str, Any] = known[setting, wanted]
    return ledger
