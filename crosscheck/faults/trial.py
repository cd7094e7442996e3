"""Try faults: inject each, run the gate, and note which rules speak that were silent before."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Literal
from unittest import mock

from crosscheck import gate
from crosscheck.audit import audit
from crosscheck.claims import read
from crosscheck.contract.identities import instances
from crosscheck.data import door
from crosscheck.errors import UserError
from crosscheck.faults import breaches, data, excerpt, reports
from crosscheck.faults import claims as wrong_claims
from crosscheck.faults import witnesses as wrong_witnesses
from crosscheck.faults.grounds import Ground, small, write
from crosscheck.mistakes.formulas import FORMULAS, WORLDS
from crosscheck.witnesses import Testimony
from crosscheck.witnesses.implementations import PRIMARY, REFERENCE
from crosscheck.witnesses.registry import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from crosscheck.contract import Instance
    from crosscheck.gate import Request
    from crosscheck.mistakes.catalogue import Mistake
    from crosscheck.witnesses import Witness

    Severity = Literal["error", "drift"]
    Caught = dict[str, Severity]
    """Rule → how it spoke."""

HONEST = "honest"
INTERVALS_SET = "curve"
"""The small data set on which intervals are drawn."""


@cache
def _identities(keys: frozenset[str]) -> tuple[Instance, ...]:
    return tuple(instances(keys))


def gated(request: Request) -> gate.Outcome:
    """Run the gate; which identities hold among the same keys is worked out once for all runs.

    One wrong claim of a system is explained, which shows that it can be: the rest takes its time.
    """
    with (
        mock.patch("crosscheck.contract.instances", _identities),
        mock.patch("crosscheck.checks.claims.MOST_EXPLAINED", 1),
    ):
        return gate.run(request)


def broken(fault: Mistake, ground: Ground) -> Testimony:
    """Give the primary's answers as the fault makes them."""
    bench, facts = ground.bench, ground.case.facts
    bench.known.clear()  # what the fault before has worked out
    if fault.injected in wrong_witnesses.LEDGERS:
        return Testimony(wrong_witnesses.LEDGERS[fault.injected](dict(bench.ledger)), facts)
    if fault.injected not in WORLDS or fault.only:
        return Testimony(FORMULAS[fault.injected].ledger(bench, fault.only), facts)
    world = WORLDS[fault.injected][1](bench)
    if world is None:  # the data have no place for it
        return ground.honest(PRIMARY)
    reading = door.primary.read(world.table, world.settings)
    as_read = door.primary.describe(reading) if fault.family == "reading" else facts
    return Testimony(door.primary.evaluate(reading), as_read)


@dataclass
class Trials:
    """Tries faults in a folder of its own; grounds are prepared once, and kept."""

    folder: Path
    grounds: dict[str, Ground] = field(default_factory=dict)
    before: dict[tuple[str, tuple[str, ...]], Caught] = field(default_factory=dict)
    rerun: dict[str, bool] = field(default_factory=dict)
    """Fault, or nothing for an honest report → whether a rerun finds a difference."""

    def attempt(self, fault: Mistake) -> Caught:
        """Inject a fault where it must show, and say which rules spoke because of it."""
        families = {
            "shared": self._shared,
            "data": self._data,
            "policy": self._policy,
            "claims": self._claims,
            "harness": self._harness,
        }
        return families.get(fault.family, self._metric_code)(fault)

    def _ground(self, name: str) -> Ground:
        if name not in self.grounds:
            made = excerpt.ground(self.folder) if name == "excerpt" else small(name, self.folder)
            self.grounds[name] = made
        return self.grounds[name]

    def _beyond(self, name: str, asked: tuple[str, ...], spoken: Caught) -> Caught:
        """Leave out the rules that speak on the honest data too."""
        if (name, asked) not in self.before:
            ground = self._ground(name)
            honest = [*ground.implementations, *self._libraries(ground, asked)]
            self.before[name, asked] = rules(gated(ground.request(honest)))
        known = self.before[name, asked]
        return {rule: how for rule, how in spoken.items() if known.get(rule) != how}

    def _libraries(self, ground: Ground, asked: Sequence[str]) -> list[Witness]:
        return [ground.recorded(BY_NAME[name]) for name in asked]

    def _metric_code(self, fault: Mistake) -> Caught:
        ground = self._ground(fault.set)
        faulty = replace(PRIMARY, testify=lambda _: broken(fault, ground), per_query=None)
        outcome = gated(ground.request([faulty, ground.implementations[1]]))
        return self._beyond(fault.set, (), rules(outcome))

    def _shared(self, fault: Mistake) -> Caught:
        ground = self._ground(fault.set)
        wrong = broken(fault, ground)
        both = [
            replace(one, testify=lambda _: wrong, per_query=None) for one in (PRIMARY, REFERENCE)
        ]
        outcome = gated(ground.request([*both, *self._libraries(ground, fault.asked)]))
        return self._beyond(fault.set, fault.asked, rules(outcome))

    def _data(self, fault: Mistake) -> Caught:
        honest = self._ground("excerpt")
        made = data.injected(fault.id, excerpt.rows(), honest.table)
        path = self.folder / f"{fault.id}.jsonl"
        if made.text is None:
            write(made.rows, path)
        else:
            path.write_text(made.text, encoding="utf-8")
        # Only where nothing but the claims can tell: saying why a claim is wrong takes its time.
        claims = honest.claims if fault.rule == "XC901" else ()
        ground = Ground(path, made.table, claims)
        try:
            outcome = gated(ground.request([PRIMARY, REFERENCE]))
        except UserError:
            return {"refused": "error"}
        return self._beyond("excerpt", (), rules(outcome))

    def _policy(self, fault: Mistake) -> Caught:
        honest = self._ground("excerpt")
        made, policy = breaches.injected(fault.id, excerpt.rows(), honest.table)
        path = self.folder / f"{fault.id}.jsonl"
        write(made.rows, path)
        ground = Ground(path, made.table)
        asked = [PRIMARY, REFERENCE, *self._libraries(ground, fault.asked)]
        request = replace(ground.request(asked), policy=policy, today=breaches.TODAY)
        return self._beyond("excerpt", fault.asked, rules(gated(request)))

    def _claims(self, fault: Mistake) -> Caught:
        if fault.id in wrong_claims.TABLES:
            table = wrong_claims.TABLES[fault.id]
            caught = self._possible(table.text) and not self._possible(table.wrong)
            return {"audit": "error"} if caught else {}
        ground = self._ground("excerpt")
        ledger = ground.honest(PRIMARY).ledger
        stated = wrong_claims.injected(fault.id, excerpt.claims(ledger), ledger)
        path = self.folder / f"{fault.id}.json"
        path.write_text(json.dumps(stated), encoding="utf-8")
        wrong = Ground(ground.data, ground.table, (str(path),), ground.known)
        outcome = gated(wrong.request(wrong.implementations))
        return self._beyond("excerpt", (), rules(outcome))

    def _possible(self, table: str) -> bool:
        path = self.folder / "table.md"
        path.write_text(table, encoding="utf-8")
        return audit(read(path)).possible

    def _harness(self, fault: Mistake) -> Caught:
        if fault.id in reports.INJECT:
            caught = self._rerun(fault.id) and not self._rerun(HONEST)
            return {"rerun": "error"} if caught else {}
        if fault.id in wrong_witnesses.INTERVALS:
            return self._intervals(fault)
        ground = self._ground("excerpt")
        outcome = gated(wrong_witnesses.WITNESSES[fault.id](ground))
        return self._beyond("excerpt", (), rules(outcome))

    def _rerun(self, fault: str) -> bool:
        """Make a report, tamper with it, and say whether a rerun finds out; once for each fault."""
        if fault not in self.rerun:
            folder = self.folder / f"report-{fault}"
            folder.mkdir()
            reports.INJECT.get(fault, reports.make)(folder)
            self.rerun[fault] = reports.caught(folder)
        return self.rerun[fault]

    def _intervals(self, fault: Mistake) -> Caught:
        request: Request = wrong_witnesses.with_intervals(self._ground(INTERVALS_SET))
        wrong = wrong_witnesses.INTERVALS[fault.id](door.primary.intervals)
        with mock.patch.object(door.primary, "intervals", wrong):
            spoken = rules(gated(request))
        honest = rules(gated(request))
        return {rule: how for rule, how in spoken.items() if honest.get(rule) != how}


def rules(outcome: gate.Outcome) -> Caught:
    """Give the rules that speak in a report, errors before drift; advice is no catch."""
    found: Caught = {}
    for one in outcome.findings:
        if one.severity == "error" or (one.severity == "drift" and one.rule not in found):
            found[one.rule] = one.severity
    return found
