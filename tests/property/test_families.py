"""Random data sets, asked about some families alone: both implementations leave out the same."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import primary
import reference
from crosscheck.contract import keys_owed, load
from crosscheck.contract.keys import COUNTED
from crosscheck.fuzz.strategies import datasets

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from crosscheck.fuzz.dataset import DataSet

# What the door offers by name; predictions are counted with the queries.
FAMILIES = sorted({family.id for family in load().families} - COUNTED)
COMMON = settings(
    deadline=None,
    database=None,
    derandomize=True,
    # The folder is written anew for every data set.
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
wanted = st.lists(st.sampled_from(FAMILIES), min_size=1, max_size=4, unique=True)


@settings(COMMON, max_examples=120)
@given(data=datasets(), families=wanted)
def test_both_give_the_same_facts_and_the_same_keys(
    data: DataSet, families: list[str], tmp_path: Path
) -> None:
    place = data.place(tmp_path)
    asked = data.settings | {"families": families}
    facts = primary.describe(place, asked)
    assert facts | {"missing": None} == reference.describe(place, asked) | {"missing": None}
    assert set(facts["families"]) <= set(families)
    first, second = (package.evaluate(place, asked) for package in (primary, reference))
    assert sorted(first) == sorted(second) == sorted(keys_owed(facts, asked))
    ours, theirs = (package.per_query(place, asked) for package in (primary, reference))
    assert list(ours) == list(theirs)
    assert all(math.isclose(first[key], second[key], abs_tol=1e-12) for key in first)


@settings(COMMON, max_examples=60)
@given(data=datasets(), families=wanted)
def test_a_value_never_depends_on_which_other_families_are_wanted(
    data: DataSet, families: list[str], tmp_path: Path
) -> None:
    place = data.place(tmp_path)
    for package in (primary, reference):
        whole = package.evaluate(place, data.settings)
        some = package.evaluate(place, data.settings | {"families": families})
        assert some == {key: whole[key] for key in some}


@pytest.mark.parametrize("package", [primary, reference])
def test_no_family_at_all_is_refused(package: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text("query_id,candidates,gold\nq1,a|b,a\n", encoding="utf-8")
    with pytest.raises(package.InputError, match="families"):
        package.evaluate(file, {"families": []})
