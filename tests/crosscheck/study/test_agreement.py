"""The primary implementation and the claims reader see in the study what is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import primary
from crosscheck import claims as published
from crosscheck import config

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


OF_OTHER_STUDIES = {
    "graded",
    "exponential",
    "judged",
    "classes",
    "class_probs",
    "confusion_matrix",
}


@pytest.fixture(scope="module")
def ledger(written: dict[str, Path]) -> dict[str, Any]:
    settings = config.read(written["config"]).settings("full")
    return dict(primary.evaluate(written["full"], settings))


def test_primary_gives_the_plain_answers(
    ledger: dict[str, Any], answers: Callable[[str], dict[str, float]]
) -> None:
    plain = answers("full")
    assert {key: ledger[key] for key in plain} == pytest.approx(plain, rel=1e-12, abs=1e-12)


def test_every_family_of_the_contract_can_be_seen(written: dict[str, Path]) -> None:
    settings = config.read(written["config"]).settings("full")
    facts = primary.describe(written["full"], settings)
    assert set(facts["missing"]) == OF_OTHER_STUDIES
    assert set(facts["contradictions"].values()) == {0}
    assert facts["rows"] == {"EVAL": 14_770, "TUNE": 17_700, "TRAIN": 0}


def test_every_claim_is_read_and_holds(written: dict[str, Path], ledger: dict[str, Any]) -> None:
    outcomes = published.verify(published.read(written["claims"]), ledger)
    assert len(outcomes) == 108
    assert [each.sentence for each in outcomes if each.status != "holds"] == []
