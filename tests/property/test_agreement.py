"""Random small data sets: both implementations give the same answers, to the last digits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings

import primary
import reference
from crosscheck.contract import keys_owed
from crosscheck.fuzz.dress import broken
from crosscheck.fuzz.field import field_datasets
from crosscheck.fuzz.strategies import datasets, tables

if TYPE_CHECKING:
    from pathlib import Path

    from crosscheck.fuzz.dataset import DataSet

CLOSE = 1e-12
COMMON = settings(
    deadline=None,
    database=None,
    derandomize=True,
    # The folder is written anew for every data set.
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def apart(first: dict[str, Any], second: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """The keys on which two ledgers differ in type, or by more than the last digits."""
    return {
        key: (value, second[key])
        for key, value in first.items()
        if type(value) is not type(second[key])
        or (
            value != second[key]
            and not abs(value - second[key]) <= CLOSE * max(1.0, abs(value), abs(second[key]))
        )
    }


def hold(data: DataSet, folder: Path) -> None:
    place = data.place(folder)
    facts = primary.describe(place, data.settings)
    others = reference.describe(place, data.settings)
    assert {**facts, "missing": None} == {**others, "missing": None}
    owed = keys_owed(facts, data.settings)
    first, second = (package.evaluate(place, data.settings) for package in (primary, reference))
    assert sorted(first) == sorted(second) == sorted(owed)
    assert apart(first, second) == {}


@settings(COMMON, max_examples=300)
@given(data=datasets())
def test_agreement_on_every_key_and_every_fact(data: DataSet, tmp_path: Path) -> None:
    """Section 11.3, 13: the same keys, exactly those owed, the same values; the same facts."""
    hold(data, tmp_path)


@settings(COMMON, max_examples=120)
@given(spoiled=broken(tables()))
def test_both_refuse_the_same_files(spoiled: tuple[str, DataSet], tmp_path: Path) -> None:
    """Section 1, *Refused*: each of these ways of being wrong is refused by both."""
    way, data = spoiled
    place = data.place(tmp_path)
    accepted = []
    for package in (primary, reference):
        try:
            package.evaluate(place, data.settings)
        except package.InputError:
            continue
        accepted.append(package.__name__)
    assert accepted == [], way


@settings(COMMON, max_examples=60)
@given(data=field_datasets())
def test_both_agree_on_data_of_the_field(data: DataSet, tmp_path: Path) -> None:
    """Sections 11.3 and 14 to 18: the keys owed, the same values, the same facts.

    `make agree` asks the same of 500, and counts them by kind.
    """
    hold(data, tmp_path)
