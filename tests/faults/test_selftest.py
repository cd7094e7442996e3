"""The self-test: every fault caught, on the data made for it and on the study; a miss is a miss."""

from __future__ import annotations

import json

import pytest

from crosscheck import cli
from crosscheck.faults import selftest
from crosscheck.mistakes import catalogue
from crosscheck.mistakes.catalogue import Mistake, faults
from crosscheck.report import badge

EVERY = tuple(faults().values())


def test_every_fault_is_caught_by_its_rule_on_its_adversarial_data() -> None:
    spoken = selftest.try_on_small(EVERY)
    missed = {one.id: spoken[one.id] for one in EVERY if spoken[one.id][0].get(one.rule) != "error"}
    assert missed == {}


def test_on_the_study_a_fault_shows_or_changes_nothing() -> None:
    tried = [one for one in EVERY if one.family in selftest.ON_EVIDENCE]
    effects = selftest.try_on_studies(tried)
    assert set(effects) == {one.id for one in tried}
    assert {fault for fault, effect in effects.items() if effect == "silent"} == set()
    assert sum(effect in {"error", "drift"} for effect in effects.values()) >= 100
    assert effects["folds-mean-weighted"] == "drift"


def test_every_trap_of_the_field_is_an_error_on_the_studies_of_topics_and_classes() -> None:
    tried = [one for one in EVERY if one.family in selftest.ON_FIELD]
    effects = selftest.try_on_studies(tried)
    assert {fault for fault, effect in effects.items() if effect != "error"} == set()
    traps = {*(f"F{n}" for n in range(1, 8)), *(f"C{n}" for n in range(1, 7))}
    assert {one.trap for one in tried if one.id in effects} >= traps


def test_the_badge_is_that_of_this_catalogue() -> None:
    assert badge.recorded() == f"{len(EVERY)}/{len(EVERY)}"


UNSEEN = Mistake(
    id="both-ece-unweighted",
    family="shared",
    kind="bins",
    section="5",
    bug="Both weigh every bin alike, and no library is heard.",
    rule="XC501",
    set="edges",
    formula="ece-bins-unweighted",
)
"""Agreement cannot see it, no identity holds it, and nobody else is asked: no rule covers it."""


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "faults", lambda: {UNSEEN.id: UNSEEN})


@pytest.mark.usefixtures("planted")
def test_a_fault_that_no_rule_covers_is_reported_as_a_miss(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert cli.run(["selftest"]) == 1
    out, err = capfd.readouterr()
    assert "MISSED" in out
    assert "selftest 0/1" in out
    assert "missed: both-ece-unweighted" in err


@pytest.mark.usefixtures("planted")
def test_a_miss_is_a_miss_in_json_too(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["selftest", "--json"]) == 1
    (fault,) = json.loads(capfd.readouterr().out)["faults"]
    assert (fault["caught"], fault["spoken"]) == (False, {})
