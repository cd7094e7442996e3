"""The gate as a whole: systems, samples, waivers, verdict, and a report with nothing by chance."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.data import sampling
from crosscheck.errors import UserError
from crosscheck.report import json as report_json
from crosscheck.report import ledger, publish
from crosscheck.report.assemble import report_of
from crosscheck.witnesses.implementations import PRIMARY, REFERENCE
from crosscheck.witnesses.registry import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crosscheck.checks import Evidence
    from crosscheck.data.case import Case
    from crosscheck.gate import Outcome
    from crosscheck.witnesses import Testimony

    Row = dict[str, Any]
    Run = Callable[..., Outcome]


def test_every_owed_key_is_compared(run_gate: Run) -> None:
    outcome = run_gate()
    [system] = report_of(outcome).systems
    assert system.compared == system.keys == len(outcome.evidence[0].case.owed)
    [pair] = system.pairs
    assert (pair.first, pair.second) == ("primary", "reference")
    assert (pair.exact, pair.drift, pair.wrong) == (system.keys, 0, 0)


class Onlooker:
    """Keeps what it is shown."""

    workers = None

    def __init__(self) -> None:
        self.early: list[Evidence] = []
        self.late: list[Evidence] = []

    def idle(self) -> None:
        pass

    def tend(self) -> None:
        pass

    def spoken(self, one: Evidence) -> None:
        self.early.append(one)

    def gathered(self, one: Evidence) -> None:
        self.late.append(one)


@pytest.mark.parametrize("processes", [False, True])
def test_an_onlooker_sees_each_system_early_and_whole(run_gate: Run, *, processes: bool) -> None:
    onlooker = Onlooker()
    outcome = run_gate(onlooker=onlooker, resamples=20, processes=processes)
    [early], [late] = onlooker.early, onlooker.late
    assert late is outcome.evidence[0]
    assert early.ledger == late.ledger
    assert any("|ci_low/" in key for key in early.ledger)
    assert early.readings is late.readings
    assert early.rows is late.rows


def test_a_primary_that_fell_silent_is_seen_too(run_gate: Run) -> None:
    def fail(case: Case) -> Testimony:
        raise RuntimeError(case.system)

    onlooker = Onlooker()
    run_gate(witnesses=(replace(PRIMARY, testify=fail), REFERENCE), onlooker=onlooker)
    [early] = onlooker.early
    assert early.statement("primary").ledger == {}


def test_large_data_are_not_read_beside_the_witnesses(
    run_gate: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "SAMPLE_ROWS", 12)
    monkeypatch.setattr(sampling, "FEWEST", 1)
    limited = replace(REFERENCE, rows_limit=20)
    onlooker = Onlooker()
    run_gate(witnesses=(PRIMARY, limited), onlooker=onlooker, processes=True)
    # Everybody has spoken already when it is shown.
    assert [len(one.statements) for one in onlooker.early] == [3]


def test_scored_candidates_are_rows_of_their_own_to_scikit_learn() -> None:
    witness = BY_NAME["scikit-learn"]
    assert witness.limit({"families": ["curves"]}) == witness.rows_limit
    assert witness.limit({"families": ["pairs", "curves"]}) == witness.pairs_limit
    assert BY_NAME["scipy"].limit({"families": ["pairs"]}) == BY_NAME["scipy"].rows_limit


def test_the_same_run_gives_the_same_report(run_gate: Run) -> None:
    assert report_json.render(report_of(run_gate())) == report_json.render(report_of(run_gate()))


def test_coverage_counts_every_witness_by_family(run_gate: Run) -> None:
    outcome = run_gate(witnesses=(PRIMARY, REFERENCE, BY_NAME["trec_eval"]))
    coverage = report_of(outcome).systems[0].coverage
    assert coverage["ranking"]["primary"] == coverage["ranking"]["reference"]
    assert 0 < coverage["ranking"]["trec_eval"] < coverage["ranking"]["primary"]
    assert (
        sum(family["primary"] for family in coverage.values()) == report_of(outcome).systems[0].keys
    )


def test_what_a_library_declines_is_told_with_its_reason(run_gate: Run) -> None:
    outcome = run_gate(witnesses=(PRIMARY, REFERENCE, BY_NAME["trec_eval"]))
    [library] = [one for one in report_of(outcome).systems[0].witnesses if one.kind == "library"]
    assert library.version.startswith("pytrec_eval-terrier 0.")
    reasons = [one.reason for one in library.declined]
    assert any("T6" in reason for reason in reasons)
    assert (
        sum(one.keys for one in library.declined) + library.keys
        == report_of(outcome).systems[0].keys
    )


def test_families_that_the_data_lack_are_listed(run_gate: Run, rows: list[Row]) -> None:
    for row in rows:
        del row["prob"], row["node_probs"], row["selected"]
    outcome = run_gate(rows, config="")
    [system] = report_of(outcome).systems
    assert {"curves", "calibration", "gamma", "tuned"} <= set(system.not_owed)
    [targets] = [one for one in system.checks if one.group == "targets"]
    assert targets.status == "skipped"
    assert targets.reason


def test_several_rankings_in_one_file_are_gated_each(run_gate: Run, rows: list[Row]) -> None:
    for row in rows:
        row["reversed"] = row["candidates"][::-1]
        del row["scores"], row["node_probs"]
    outcome = run_gate(rows, rankings=(("plain", "candidates"), ("turned", "reversed")))
    assert [one.name for one in report_of(outcome).systems] == ["plain", "turned"]
    key = "mrr@all|positives_only|all|mean"
    ledgers = outcome.ledgers
    assert ledgers["plain"]["primary"][key] != ledgers["turned"]["primary"][key]
    assert "2 systems" in report_of(outcome).summary


def test_claims_belong_to_the_ranking_they_are_nested_under(
    run_gate: Run, rows: list[Row], errors_of: Any
) -> None:
    for row in rows:
        row["reversed"] = row["candidates"][::-1]
        del row["scores"], row["node_probs"]
    rankings = (("plain", "candidates"), ("turned", "reversed"))
    ledgers = run_gate(rows, rankings=rankings).ledgers
    key = "mrr@all|positives_only|all|mean"
    claims = {
        name: {"positives_only": {"mrr@all": round(ledgers[name]["primary"][key], 4)}}
        for name in ("plain", "turned")
    }
    outcome = run_gate(rows, rankings=rankings, claims=claims)
    assert errors_of(outcome) == set()
    assert [len(one.claims) for one in report_of(outcome).systems] == [1, 1]
    claims["plain"], claims["turned"] = claims["turned"], claims["plain"]
    outcome = run_gate(rows, rankings=rankings, claims=claims)
    wrong = [one for one in report_of(outcome).findings if one.rule == "XC901"]
    assert sorted(one.system or "" for one in wrong) == ["plain", "turned"]


def test_the_verdict_is_over_all_systems(run_gate: Run, rows: list[Row], lying: Any) -> None:
    for row in rows:
        row["second"] = row["candidates"]
    key = "brier|all_queries|criterion=A.1|value"

    def lies_about_one(case: Any) -> Any:
        told = REFERENCE.testify(case)
        change = {key: 0.9} if case.system == "b" else {}
        return replace(told, ledger=told.ledger | change)

    del lying
    outcome = run_gate(
        rows,
        rankings=(("a", "candidates"), ("b", "second")),
        witnesses=(PRIMARY, replace(REFERENCE, testify=lies_about_one)),
    )
    assert outcome.verdict == "fail"
    assert {one.system for one in report_of(outcome).findings if one.severity == "error"} == {"b"}


def test_large_data_are_verified_on_a_declared_sample(
    run_gate: Run, errors_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "SAMPLE_ROWS", 12)
    monkeypatch.setattr(sampling, "FEWEST", 1)
    limited = replace(REFERENCE, rows_limit=20)
    outcome = run_gate(witnesses=(PRIMARY, limited, BY_NAME["trec_eval"]))
    assert errors_of(outcome) == set()
    [system] = report_of(outcome).systems
    assert system.sampled is not None
    assert "1 in 2 posts" in system.sampled
    names = [one.name for one in system.witnesses]
    assert names == ["primary", "primary/sample", "reference/sample", "trec_eval"]
    pairs = {(one.first, one.second) for one in system.pairs}
    assert pairs == {("primary", "trec_eval"), ("primary/sample", "reference/sample")}
    sample = outcome.evidence[0].statement("reference/sample")
    count = sample.ledger["queries|all_queries|all|n"]
    assert 0 < count < outcome.evidence[0].ledger["queries|all_queries|all|n"]


def test_what_was_said_about_the_sample_has_a_ledger_of_its_own(
    run_gate: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "SAMPLE_ROWS", 12)
    monkeypatch.setattr(sampling, "FEWEST", 1)
    outcome = run_gate(witnesses=(PRIMARY, replace(REFERENCE, rows_limit=20)))
    (tmp_path / "out").mkdir()
    publish.write(outcome, tmp_path / "out", {})
    whole = ledger.read((tmp_path / "out" / "ledger.csv").read_text())
    sample = ledger.read((tmp_path / "out" / "ledger-sample.csv").read_text())
    assert list(whole) == ["primary"]
    assert list(sample) == ["primary/sample", "reference/sample"]


def test_a_refusal_that_the_reference_does_not_share_is_told(
    run_gate: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    import primary  # noqa: PLC0415 - heavy

    def refuse(*_: object) -> None:
        raise primary.InputError([], 0)

    monkeypatch.setattr(primary, "describe", refuse)
    with pytest.raises(UserError, match="The reference reads this input without complaint"):
        run_gate()


def test_a_difference_on_the_sample_fails(
    run_gate: Run, errors_of: Any, lying: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "SAMPLE_ROWS", 12)
    monkeypatch.setattr(sampling, "FEWEST", 1)
    liar = replace(
        lying(REFERENCE, ledger={"brier|all_queries|criterion=A.1|value": 0.9}), rows_limit=20
    )
    assert "XC401" in errors_of(run_gate(witnesses=(PRIMARY, liar)))


def test_the_checklist_has_six_answers(run_gate: Run) -> None:
    items = report_of(run_gate()).systems[0].checklist
    assert [one.status for one in items] == [
        "passed",
        "cannot be seen from data",  # no rule is stated for the threshold
        "passed",
        "cannot be seen from data",
        "passed",
        "passed",
    ]


def test_a_post_in_two_folds_fails_the_checklist(run_gate: Run, rows: list[Row]) -> None:
    row = dict(next(row for row in rows if row["split"] == "TUNE"))
    outcome = run_gate([*rows, row | {"post_id": "p00"}])
    assert report_of(outcome).systems[0].checklist[0].status == "failed"


def test_a_flood_of_findings_is_shortened_and_counted(run_gate: Run, lying: Any) -> None:
    changes = dict.fromkeys(run_gate().evidence[0].case.owed, 0.987654)
    outcome = run_gate(witnesses=(PRIMARY, lying(REFERENCE, ledger=changes)))
    listed = [one for one in report_of(outcome).findings if one.rule == "XC401"]
    assert len(listed) == 26
    assert "more of the same" in listed[-1].message
    [check] = [one for one in report_of(outcome).systems[0].checks if one.group == "agreement"]
    assert check.findings > 1000
    found = [one for one in report_of(outcome).findings if one.group == "agreement"]
    assert sum(one.stands_for for one in found) == check.findings


def test_provenance_names_inputs_contract_versions_and_seed(run_gate: Run) -> None:
    found = report_of(run_gate()).provenance
    assert [one.role for one in found.inputs] == ["config", "data"]
    assert all(len(one.sha256) == 64 for one in found.inputs)
    assert len(found.contract_sha256) == 64
    assert {"python", "numpy", "polars", "metric-crosscheck"} <= set(found.versions)
    assert (found.seed, found.resamples, found.tolerance) == (1, 0, 0.01)


@pytest.mark.parametrize("tolerance", [0.01, 0.001])
def test_the_tolerance_of_the_config_is_the_limit(
    run_gate: Run, honest: dict[str, Any], lying: Any, tolerance: float
) -> None:
    key = "brier|all_queries|criterion=A.2|value"
    liar = lying(REFERENCE, ledger={key: honest[key] * 1.005})
    config = f"threshold = 0.5\ntau_neg = 0.2\ntau_pos = 0.8\ntolerance = {tolerance}\n"
    outcome = run_gate(witnesses=(PRIMARY, liar), config=config)
    assert outcome.verdict == ("pass" if tolerance == 0.01 else "fail")
