"""Witnesses that are not what they seem, and intervals drawn wrongly.

Each function makes, of an honest ground, the request that the gate is given.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from crosscheck.data import door
from crosscheck.mistakes.formulas import FORMULAS
from crosscheck.model.key import Key
from crosscheck.witnesses import Testimony, Witness
from crosscheck.witnesses.implementations import PRIMARY, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.data.case import Case
    from crosscheck.faults.grounds import Ground
    from crosscheck.gate import Request
    from crosscheck.model.ledgers import Ledger

RESAMPLES = 40
UNREADABLE = door.primary.Problem(None, None, None, None, "the file cannot be read", "mend it")


def answering(witness: Witness, ledger: Ledger, facts: dict[str, Any] | None) -> Witness:
    """Let a witness say this, whatever it is asked."""
    return replace(witness, testify=lambda _: Testimony(ledger, facts), per_query=None)


def _changed(change: Callable[[Ledger], Ledger]) -> Callable[[Ground], Request]:
    """Let the primary answer with a changed ledger."""

    def inject(ground: Ground) -> Request:
        honest = ground.honest(PRIMARY)
        ledger = change(dict(honest.ledger))
        return ground.request([answering(PRIMARY, ledger, honest.facts), ground.implementations[1]])

    return inject


def _raising(error: Exception) -> Callable[[Ground], Request]:
    def testify(_: Case) -> Testimony:
        raise error

    def inject(ground: Ground) -> Request:
        return ground.request([ground.implementations[0], replace(REFERENCE, testify=testify)])

    return inject


def _own(ledger: Callable[[Ground], Ledger]) -> Callable[[Ground], Request]:
    """Hear a function of the user's besides the two."""

    def inject(ground: Ground) -> Request:
        own = Witness("mine:evaluate", "user", lambda _: Testimony(ledger(ground)))
        return ground.request([*ground.implementations, own])

    return inject


def not_asked(ground: Ground) -> Request:
    """Leave the reference out, and hear a library in its place."""
    own = Witness("mine:evaluate", "user", lambda _: Testimony(ground.honest(PRIMARY).ledger))
    return ground.request([ground.implementations[0], own])


def nothing_compared(ground: Ground) -> Request:
    """Let the reference rename every key."""
    ledger = {key.replace("|", "@first|", 1): v for key, v in ground.honest(PRIMARY).ledger.items()}
    renamed = answering(REFERENCE, ledger, ground.honest(REFERENCE).facts)
    return ground.request([ground.implementations[0], renamed])


def other_rows(ground: Ground) -> Request:
    """Let the primary report one row more."""
    honest = ground.honest(PRIMARY)
    rows = {**ground.case.facts["rows"], "EVAL": ground.case.facts["rows"]["EVAL"] + 1}
    facts = {**(honest.facts or {}), "rows": rows}
    return ground.request([answering(PRIMARY, honest.ledger, facts), ground.implementations[1]])


def echo(ground: Ground) -> Request:
    """Let the reference be wrong about AUPRC, and the primary repeat it word by word."""
    from crosscheck.witnesses.registry import BY_NAME  # noqa: PLC0415 - scikit-learn is heard here

    wrong = FORMULAS["auprc-trapezoid"].ledger(ground.bench)
    both = [answering(one, wrong, ground.case.facts) for one in (PRIMARY, REFERENCE)]
    return ground.request([*both, BY_NAME["scikit-learn"]])


def _infinite(ledger: Ledger) -> Ledger:
    return {
        key: math.inf if isinstance(value, float) and Key.parse(key).slice == "all" else value
        for key, value in ledger.items()
    }


def _without(part: str) -> Callable[[Ledger], Ledger]:
    """Leave out the keys with this part."""
    return lambda ledger: {key: value for key, value in ledger.items() if part not in key}


WITNESSES: dict[str, Callable[[Ground], Request]] = {
    "witness-says-nothing": _changed(lambda _: {}),
    "witness-crashes": _raising(RuntimeError("out of memory")),
    "witness-not-asked": not_asked,
    "witness-answers-nan": _changed(lambda ledger: dict.fromkeys(ledger, math.nan)),
    "witness-answers-infinity": _changed(_infinite),
    "witness-answers-one-half": _changed(lambda ledger: dict.fromkeys(ledger, 0.5)),
    "witness-answers-for-another-file": _changed(_without("|fold")),
    "witness-echoes-a-fault": echo,
    "witness-drops-a-metric": _changed(_without("ndcg@3|")),
    "witness-invents-a-key": _changed(
        lambda ledger: ledger | {"ndcg@7|positives_only|all|mean": 0.5}
    ),
    "witness-counts-in-floats": _changed(
        lambda ledger: {key: float(value) for key, value in ledger.items()}
    ),
    "witness-refuses": _raising(door.primary.InputError([UNREADABLE])),
    "witness-reads-other-rows": other_rows,
    "own-witness-disagrees": _own(
        lambda ground: {
            key: value * 1.02
            for key, value in ground.honest(PRIMARY).ledger.items()
            if key.startswith("auroc|")
        }
    ),
    "own-witness-unheard": _own(lambda _: {"my_metric|all_queries|all|value": 0.5}),
    "nothing-compared": nothing_compared,
}


def empty_bins_left_out(ledger: Ledger) -> Ledger:
    """Drop the answers about bins without a query."""
    empty = {
        key.partition("|")[0]
        for key, value in ledger.items()
        if key.startswith("reliability@") and key.endswith("|n") and value == 0
    }
    return {key: value for key, value in ledger.items() if key.partition("|")[0] not in empty}


LEDGERS: dict[str, Callable[[Ledger], Ledger]] = {
    "reliability-empty-bins-left-out": empty_bins_left_out
}
"""Faults of metric code that leave keys out."""


def with_intervals(ground: Ground) -> Request:
    """Ask for intervals too."""
    return ground.request(ground.implementations, resamples=RESAMPLES)


Original = Any
"""`primary.intervals`, as it is."""


def unpaired(original: Original) -> Original:
    """Resample scores apart from labels: each fold's scores are turned by one query."""

    def intervals(data: Any, settings: Any, plan: Any) -> Any:  # noqa: ANN401 - the door's own signature
        table = door.primary.table(data, settings)
        turned = table.with_columns(prob=table["prob"].shift(1).fill_null(table["prob"][-1]))
        kept = turned.select(list(door.primary.describe(data, settings)["columns"]))
        return original(kept, settings, plan)

    return intervals


def ninety_percent(found: door.primary.Intervals) -> door.primary.Intervals:
    """Take the 5th and the 95th percentile."""
    ledger = dict(found.ledger)
    for unit, replicates in found.replicates.items():
        for key, values in replicates.items():
            for end, share in (("ci_low", 5), ("ci_high", 95)):
                name = f"{key.rpartition('|')[0]}|{end}/{unit}/percentile"
                ledger[name] = float(np.percentile(values, share))
    return replace(found, ledger=ledger)


INTERVALS: dict[str, Callable[[Original], Original]] = {
    "bootstrap-unpaired": unpaired,
    "interval-of-ninety-percent": lambda original: lambda *asked: ninety_percent(original(*asked)),
    "fallback-not-flagged": lambda original: lambda *asked: replace(original(*asked), flags=[]),
}
"""What `primary.intervals` becomes."""
