"""From what a library computes to the owed keys: statistics, folds and criteria by numpy.

A library gives per-query values, or one value for a set of rows; which keys follow from them is
the same for every library, so it is written once, here.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.contract import load
from crosscheck.model.key import Key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from crosscheck.contract import MetricId
    from crosscheck.contract.libraries import LibraryMeasure
    from crosscheck.data.rows import Floats
    from crosscheck.model.ledgers import Ledger, Number

    Values = Callable[[str, str, str], Mapping[str, Number] | None]
    """(metric, population, slice) → statistic → value, or None where it is not answered."""
    SharedValues = Callable[[MetricId, LibraryMeasure, str, str], Mapping[str, Number] | None]
    """The same for a metric and the library's measure of it."""

OVER_SLICES = {"folds": "fold", "criteria": "criterion", "seeds": "seed"}
"""Slices that are made of others; a declared one has its own name."""


def fill(owed: Iterable[str], values: Values) -> Ledger:
    """Answer the owed keys that the values give, then those over folds and criteria."""
    ledger: Ledger = {}
    given: dict[tuple[str, str, str], Mapping[str, Number] | None] = {}
    later = []
    for text in owed:
        key = Key.parse(text)
        if key.slice != "all" and "=" not in key.slice:
            later.append(key)
            continue
        asked = (key.metric, key.population, key.slice)
        if asked not in given:
            given[asked] = values(*asked)
        answer = given[asked]
        if answer is not None and key.statistic in answer:
            ledger[text] = answer[key.statistic]
    parts = _parts(ledger)
    asked_of = Counter((metric, population, _kind(part)) for metric, population, part in given)
    for key in later:
        value = _over(key, parts, asked_of)
        if value is not None:
            ledger[str(key)] = value
    return ledger


def fill_shared(library: str, owed: Iterable[str], values: SharedValues) -> Ledger:
    """Answer the owed keys about metrics whose definition the library shares."""
    contract = load()

    def of_shared(metric: str, population: str, part: str) -> Mapping[str, Number] | None:
        found = contract.metric(metric)
        measure = contract.libraries.sharing(found).get(library)
        return values(found, measure, population, part) if measure else None

    return fill(owed, of_shared)


def why_not(library: str, key: str) -> str:
    """Why a library is not asked about a key, by the contract's table."""
    contract = load()
    parsed = Key.parse(key)
    measure = contract.libraries.measure(library, contract.metric(parsed.metric))
    if measure is None:
        return "has no function for it"
    if measure.of == "queries" and parsed.population == "pairs":
        return "asked about queries only"
    of_seeds = "seeds of folds: not asked" if parsed.slice == "seeds" else "the slice is empty"
    return measure.differs or measure.unless or of_seeds


def statistics(values: Floats) -> dict[str, Number]:
    """Every statistic over queries (contract, section 2); 0 over nothing."""
    if not len(values):
        return dict.fromkeys(("mean", "std", "median", "p25", "p75", "p90"), 0.0)
    p25, median, p75, p90 = np.percentile(values, (25, 50, 75, 90)).tolist()
    return {
        "mean": float(np.mean(values)),
        "std": float(np.std(values, ddof=1)) if len(values) > 1 else 0.0,
        "median": median,
        "p25": p25,
        "p75": p75,
        "p90": p90,
    }


Parts = dict[tuple[str, str, str], dict[str, float]]
"""(metric, population, kind of slice) → slice → its mean or value."""


def _kind(part: str) -> str:
    return part.partition("=")[0]


def _parts(ledger: Ledger) -> Parts:
    parts: Parts = {}
    for text, value in ledger.items():
        key = Key.parse(text)
        if key.statistic in {"mean", "value"}:
            family = parts.setdefault((key.metric, key.population, _kind(key.slice)), {})
            family[key.slice] = float(value)
    return parts


def _over(key: Key, parts: Parts, asked_of: Counter[tuple[str, str, str]]) -> float | None:
    # A seed's number is its mean over folds, which no slice that a library was asked about gives.
    if key.slice == "seeds" and asked_of[key.metric, key.population, "fold"]:
        return None
    if key.statistic == "micro":
        return parts.get((key.metric, key.population, "all"), {}).get("all")
    family = (key.metric, key.population, OVER_SLICES.get(key.slice, key.slice))
    found = parts.get(family, {})
    # An average that leaves out a fold which the library declined would be another number.
    if not found or len(found) != asked_of[family]:
        return None
    values = np.array(list(found.values()))
    if key.statistic in {"mean", "macro"}:
        return float(np.mean(values))
    if key.statistic == "std":
        return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    if key.statistic == "std/population":
        return float(np.std(values))
    return None
