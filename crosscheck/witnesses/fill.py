"""From what a library computes to the owed keys: statistics, folds and criteria by numpy.

A library gives per-query values, or one value for a set of rows; which keys follow from them is
the same for every library, so it is written once, here.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
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
    given: dict[str, Mapping[str, Number] | None] = {}
    asked_of: Counter[tuple[str, str, str]] = Counter()
    later = []
    for text in owed:
        number, _, statistic = text.rpartition("|")
        if number not in given:
            key = Key.parse(text)
            if key.slice != "all" and "=" not in key.slice:
                later.append(key)
                continue
            asked_of[key.metric, key.population, _kind(key.slice)] += 1
            given[number] = values(key.metric, key.population, key.slice)
        answer = given[number]
        if answer is not None and statistic in answer:
            ledger[text] = answer[statistic]
    parts = _parts(ledger)
    for key in later:
        value = _over(key, parts, asked_of)
        if value is not None:
            ledger[str(key)] = value
    return ledger


def fill_shared(library: str, owed: Iterable[str], values: SharedValues) -> Ledger:
    """Answer the owed keys about metrics whose definition the library shares."""
    contract = load()

    @cache
    def measured(metric: str) -> tuple[MetricId, LibraryMeasure | None]:
        found = contract.metric(metric)
        return found, contract.libraries.sharing(found).get(library)

    def of_shared(metric: str, population: str, part: str) -> Mapping[str, Number] | None:
        found, measure = measured(metric)
        return values(found, measure, population, part) if measure else None

    return fill(owed, of_shared)


def once_a_number(why: Callable[[str], str]) -> Callable[[str], str]:
    """Ask for a reason once for all statistics of a number, which share it."""
    reasons: dict[str, str] = {}

    def of_key(key: str) -> str:
        number = key.rpartition("|")[0]
        if number not in reasons:
            reasons[number] = why(key)
        return reasons[number]

    return of_key


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


STATISTICS = ("mean", "std", "median", "p25", "p75", "p90")


def statistics(values: Floats) -> dict[str, Number]:
    """Every statistic over queries (contract, section 2); 0 over nothing."""
    return statistics_of(values[np.newaxis])[0]


def statistics_of(columns: Floats) -> list[dict[str, Number]]:
    """Give the same of several columns, which are the rows of a matrix."""
    many, size = columns.shape
    if not size:
        return [dict.fromkeys(STATISTICS, 0.0) for _ in range(many)]
    p25, median, p75, p90 = np.percentile(columns, (25, 50, 75, 90), axis=1)
    std = np.std(columns, axis=1, ddof=1) if size > 1 else np.zeros(many)
    table = np.array((np.mean(columns, axis=1), std, median, p25, p75, p90))
    return [dict(zip(STATISTICS, one, strict=True)) for one in table.T.tolist()]


Parts = dict[tuple[str, str, str], dict[str, float]]
"""(metric, population, kind of slice) → slice → its mean or value."""


def _kind(part: str) -> str:
    return part.partition("=")[0]


def _parts(ledger: Ledger) -> Parts:
    parts: Parts = {}
    for text, value in ledger.items():
        if text.endswith(("|mean", "|value")):
            key = Key.parse(text)
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
