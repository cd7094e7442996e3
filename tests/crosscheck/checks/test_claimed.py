"""Section 11.7: what became of each claim, and which mistake gives a wrong one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.checks import Evidence, Result, Statement, claims
from crosscheck.claims import Claim, ClaimOutcome
from crosscheck.diagnose.forensics import Diagnosis
from crosscheck.model.findings import Explanation, finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.data.case import Case

    Bare = Callable[..., Case]
    Said = Callable[..., Statement]

KEY = "auroc|all_queries|all|value"
FEW = {"rows": {"EVAL": 200_000}}
WHY = Explanation(title="Typed", value=0.8, surprise=0.1, sentence="a digit is off")


def claim(place: str, role: Any = "value") -> Claim:
    return Claim(file_of(place), place, "AUROC", "0.81", role)


def file_of(place: str) -> str:
    return "other.md" if place == "row 2" else "table.md"


def outcome(status: Any, place: str = "row 1", **rest: Any) -> ClaimOutcome:
    role = rest.pop("role", "value")
    return ClaimOutcome(claim(place, role), status, f"{place} {status}", **rest)


@pytest.fixture
def explained(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Explain only claims that have a key, and keep what was asked."""
    asked: list[Any] = []

    def explain(one: Claim, case: Any, key: str | None) -> Diagnosis | None:
        asked.append((one.place, case.data, key))
        return Diagnosis(key, "0.81", 0.8, (), (), 1000) if key else None

    monkeypatch.setattr("crosscheck.diagnose.forensics.explain_claim", explain)
    monkeypatch.setattr(claims, "forensic_case", lambda one: FakeCase(one.system))
    return asked


class FakeCase:
    """The data behind a claim, of which only the name matters here."""

    def __init__(self, data: str) -> None:
        self.data = data


def test_no_claims_are_no_assertion(bare: Bare) -> None:
    assert claims.check(Evidence(bare(), ())) == Result(0, (), "no claims were given")


def test_a_claim_that_holds_passes(bare: Bare) -> None:
    evidence = Evidence(bare(), (), claims=(outcome("holds"), outcome("holds", "row 2")))
    assert claims.check(evidence) == Result(2, ())


def test_a_wrong_claim_is_told_with_what_explains_it(bare: Bare, explained: list[Any]) -> None:
    wrong = outcome("wrong", "row 2", key=KEY, computed=0.8, distance=0.0125)
    evidence = Evidence(bare(facts=FEW), (), claims=(outcome("holds"), wrong))
    told = finding(
        "XC901",
        "row 2 wrong; none of the 1,000 definitions and mistakes tried gives 0.81, "
        "alone or in pairs",
        system="study",
        key=KEY,
        values={"recomputed": 0.8},
        difference=0.0125,
        place="other.md, row 2",
    )
    assert claims.check(evidence) == Result(2, (told,))
    assert explained == [("row 2", "study", KEY)]


def test_explanations_stand_in_the_finding(bare: Bare, monkeypatch: pytest.MonkeyPatch) -> None:
    diagnosis = Diagnosis(KEY, "0.81", 0.8, (), (WHY,), 9)
    monkeypatch.setattr("crosscheck.diagnose.forensics.explain_claim", lambda *_: diagnosis)
    monkeypatch.setattr(claims, "forensic_case", lambda one: FakeCase(one.system))
    evidence = Evidence(bare(facts=FEW), (), claims=(outcome("wrong", key=KEY),))
    [found] = claims.check(evidence).findings
    assert found.explanations == [WHY]


@pytest.mark.usefixtures("explained")
def test_a_wrong_claim_that_nothing_explains_stands_alone(bare: Bare) -> None:
    evidence = Evidence(bare(facts=FEW), (), claims=(outcome("wrong"),))
    told = finding("XC901", "row 1 wrong", system="study", place="table.md, row 1")
    assert claims.check(evidence) == Result(1, (told,))


def test_a_setting_that_is_not_in_force_is_not_explained(bare: Bare, explained: list[Any]) -> None:
    evidence = Evidence(bare(facts=FEW), (), claims=(outcome("wrong", role="setting", key=KEY),))
    told = finding("XC904", "row 1 wrong", system="study", key=KEY, place="table.md, row 1")
    assert claims.check(evidence).findings[0] == told
    assert explained == []


def test_claims_that_cannot_be_verified_are_told_one_by_one_and_together(bare: Bare) -> None:
    outcomes = outcome("unverified"), outcome("unverified", "row 3")
    evidence = Evidence(bare(), (), claims=outcomes)
    assert claims.check(evidence) == Result(
        2,
        (
            finding("XC902", "row 1 unverified", system="study", place="table.md, row 1"),
            finding("XC902", "row 3 unverified", system="study", place="table.md, row 3"),
            finding(
                "XC903",
                "none of the 2 claims names a metric that could be verified",
                system="study",
                place="table.md",
            ),
        ),
    )


def test_one_verified_claim_of_a_file_is_enough(bare: Bare) -> None:
    evidence = Evidence(bare(), (), claims=(outcome("unverified"), outcome("holds", "row 3")))
    assert [one.rule for one in claims.check(evidence).findings] == ["XC902"]


def test_counts_and_settings_alone_verify_no_file(bare: Bare) -> None:
    outcomes = outcome("holds", role="count"), outcome("holds", "row 3", role="setting")
    evidence = Evidence(bare(), (), claims=outcomes)
    assert [one.rule for one in claims.check(evidence).findings] == ["XC903"]


def test_what_the_authors_let_pass_is_no_finding_and_no_proof(bare: Bare) -> None:
    evidence = Evidence(bare(), (), claims=(outcome("ignored"), outcome("holds", "row 3")))
    assert claims.check(evidence) == Result(2, ())
    evidence = Evidence(bare(), (), claims=(outcome("ignored"),))
    assert [one.rule for one in claims.check(evidence).findings] == ["XC903"]


def test_a_split_that_the_data_do_not_name_is_advice_once(bare: Bare) -> None:
    said = outcome("holds", advice="val"), outcome("holds", "row 3", advice="val")
    [told] = claims.check(Evidence(bare(), (), claims=said)).findings
    assert (told.rule, told.severity, told.message) == ("XC905", "advice", "val")


@pytest.mark.parametrize(
    ("sentence", "rest", "lines"),
    [
        (
            "belongs to “B”, which is no ranking of this run (study)",
            {"system": "B"},
            '[claims.systems]\n"B" = "study"',
        ),
        ("not known", {"name": "Click"}, '[claims.names]\n"Click" = "METRIC"'),
        ("not known", {"name": "Click"}, '[[claims.ignore]]\npattern = "Click"'),
        (
            "it is about the data set “D”, one of several in the file",
            {"dataset": "D", "system": "A"},
            '[claims.systems]\n"A / D" = "study"',
        ),
    ],
)
def test_the_remedy_names_the_lines_to_paste(
    bare: Bare, sentence: str, rest: dict[str, Any], lines: str
) -> None:
    one = ClaimOutcome(replace(claim("row 1"), **rest), "unverified", sentence)
    [found, *_] = claims.check(Evidence(bare(), (), claims=(one,))).findings
    assert found.rule == "XC902"
    assert lines in found.remedy


def test_five_wrong_claims_are_explained(bare: Bare, explained: list[Any]) -> None:
    outcomes = tuple(outcome("wrong", f"row {n}", key=KEY) for n in range(6))
    found = claims.check(Evidence(bare(facts=FEW), (), claims=outcomes)).findings
    assert [one[0] for one in explained] == [f"row {n}" for n in range(5)]
    told = "not searched for: a gate does so for 5 wrong claims; ask `crosscheck explain`"
    assert [told in one.message for one in found] == [False] * 5 + [True]


def test_large_data_are_not_searched(bare: Bare, explained: list[Any]) -> None:
    case = bare(facts={"rows": {"EVAL": 200_001}})
    [found] = claims.check(Evidence(case, (), claims=(outcome("wrong", key=KEY),))).findings
    assert found.message == (
        "row 1 wrong; its mistake was not searched for: a gate does so up to 200,000 rows; "
        "ask `crosscheck explain`"
    )
    assert explained == []


def test_the_data_behind_a_claim_come_with_the_systems_beside_it(case_of: Bare, said: Said) -> None:
    row = {"post_id": "p", "criterion_id": "c", "yes": 1, "prob": 0.5}
    settings = {"columns": {"has_evidence": "yes"}, "threshold": 0.25}
    case = case_of(row, settings=settings)
    other_case = case_of(row | {"post_id": "q"}, settings=settings, name="other.jsonl")
    other = Evidence(other_case, (said("primary", {KEY: 0.75}, other_case),))
    evidence = Evidence(case, (said("primary", {KEY: 0.5}, case),), others={"b": other})
    found = claims.forensic_case(evidence)
    assert (found.data, found.settings) == (case.data, settings)
    assert found.table is evidence.table
    assert found.known == {KEY: 0.5}
    assert list(found.others) == ["b"]
    beside = found.others["b"]
    assert beside.table["post_id"].to_list() == ["q"]
    assert (beside.settings, beside.known) == (settings, {KEY: 0.75})
    assert beside.others == {}
