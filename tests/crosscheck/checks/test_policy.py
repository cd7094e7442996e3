"""The policy's group of checks: breaches are findings, and nothing waives them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from crosscheck import policy
from crosscheck.checks.policy import gold_sha256
from crosscheck.config import Config
from crosscheck.data import door
from crosscheck.policy.terms import Terms, breaches
from crosscheck.report.assemble import report_of
from crosscheck.witnesses import Silence

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crosscheck.gate import Outcome

    Run = Callable[..., Outcome]

PLAIN = "threshold = 0.5\ntau_neg = 0.2\ntau_pos = 0.8\nk = [1]\n"


@pytest.fixture
def make(tmp_path: Path) -> Callable[[str], policy.Policy]:
    def make(text: str) -> policy.Policy:
        (tmp_path / "policy.toml").write_text(f'name = "lab"\n{text}', encoding="utf-8")
        return policy.read(tmp_path / "policy.toml")

    return make


def messages(outcome: Outcome, rule: str) -> list[str]:
    return [one.message for one in outcome.findings if one.rule == rule]


def test_no_tolerance_beyond_the_contracts_passes(run_gate: Run, errors_of: Any) -> None:
    assert errors_of(run_gate(config=f"{PLAIN}tolerance = 1e9\n")) == {"XC001"}


def test_a_policy_may_allow_more(run_gate: Run, make: Any) -> None:
    outcome = run_gate(config=f"{PLAIN}tolerance = 0.02\n", policy=make("tolerance = 0.02"))
    assert outcome.verdict == "pass"


def test_gold_is_not_read_from_elsewhere_while_the_file_has_it(
    run_gate: Run, rows: list[dict[str, Any]], errors_of: Any
) -> None:
    for row in rows:
        row["top1"] = row["candidates"][:1]
        row["has_evidence"] = int(bool(row["top1"]))
    outcome = run_gate(rows, config=f'{PLAIN}[columns]\ngold = "top1"\n')
    assert errors_of(outcome) == {"XC002"}
    assert messages(outcome, "XC002") == ["gold is read from “top1”, although the file has “gold”"]


def test_gold_under_another_of_its_names_counts_too(
    run_gate: Run, rows: list[dict[str, Any]], errors_of: Any
) -> None:
    for row in rows:
        row["gold_ids"] = row["top1"] = row.pop("gold")
    outcome = run_gate(rows, config=f'{PLAIN}[columns]\ngold = "top1"\n')
    assert errors_of(outcome) == {"XC002"}
    assert "although the file has “gold_ids”" in messages(outcome, "XC002")[0]


LABELS = [{"query_id": f"q{n}", "y_true": n % 2, "kind": "ab"[n % 2], "prob": 0.5} for n in (1, 2)]


def test_a_label_of_two_values_is_not_read_from_elsewhere_either(
    run_gate: Run, errors_of: Any
) -> None:
    mapped = '[columns]\nlabel = "kind"\n'
    outcome = run_gate(LABELS, config=f'positive = "b"\n{mapped}')
    assert errors_of(outcome) == {"XC002"}
    assert "although the file has “y_true”" in messages(outcome, "XC002")[0]


def test_a_positive_class_of_a_mapped_column_is_no_second_label(
    run_gate: Run, errors_of: Any
) -> None:
    rows = [{name: row[name] for name in row if name != "y_true"} for row in LABELS]
    assert errors_of(run_gate(rows, config='positive = "b"\n[columns]\nlabel = "kind"\n')) == set()


def test_gold_that_cannot_be_read_is_there_all_the_same(
    run_gate: Run, rows: list[dict[str, Any]], errors_of: Any
) -> None:
    for row in rows:
        row["top1"] = row["gold"]
        row["gold"] = ["x", "x"]
    outcome = run_gate(rows, config=f'{PLAIN}[columns]\ngold = "top1"\n')
    assert errors_of(outcome) == {"XC002"}


@pytest.mark.parametrize("column", ["gold", "criterion_id"])
def test_a_column_of_another_name_may_be_mapped(
    run_gate: Run, rows: list[dict[str, Any]], column: str
) -> None:
    for row in rows:
        row["other"] = row.pop(column)
    outcome = run_gate(rows, config=f'{PLAIN}[columns]\n{column} = "other"\n')
    assert outcome.verdict == "pass"


def test_figures_are_asked_for_where_a_policy_requires_them(make: Any) -> None:
    terms = Terms(make("figures = true"), Config(), (), 0, 0, undrawn="left out")
    told = "there are no figures (left out), and the policy requires them"
    assert list(breaches(terms)) == [("XC013", told)]
    assert not list(breaches(replace(terms, undrawn="")))
    assert not list(breaches(replace(terms, policy=make(""))))


def test_a_policy_may_allow_a_mapping(run_gate: Run, rows: list[dict[str, Any]], make: Any) -> None:
    for row in rows:
        row["adjudicated"] = row["gold"]
    lab = make('[allowed]\ncolumns = { gold = ["adjudicated"] }')
    config = f'{PLAIN}[columns]\ngold = "adjudicated"\n'
    assert run_gate(rows, config=config, policy=lab).verdict == "pass"


def test_a_reason_that_says_nothing_waives_nothing(run_gate: Run, errors_of: Any) -> None:
    config = f'{PLAIN}[waivers]\nXC901 = "."\n'
    outcome = run_gate(claims={"mrr": 0.1234}, config=config)
    assert errors_of(outcome) == {"XC003", "XC901"}
    assert "waives nothing" not in str(outcome.findings)


def test_nothing_waives_a_breach(run_gate: Run, errors_of: Any) -> None:
    config = (
        f"{PLAIN}tolerance = 1\n[waivers]\n"
        'XC001 = "the lab is sure that one is enough"\nXC003 = "and so is this one, surely"\n'
    )
    assert errors_of(run_gate(config=config)) == {"XC001"}


def test_rows_that_nobody_evaluates_are_bounded(
    run_gate: Run, rows: list[dict[str, Any]], errors_of: Any, make: Any
) -> None:
    # The twenty TUNE rows are of queries that are evaluated nowhere: 20 of 44.
    assert run_gate(rows, config=PLAIN, policy=make("unevaluated = 0.46")).verdict == "pass"
    outcome = run_gate(rows, config=PLAIN, policy=make("unevaluated = 0.45"))
    assert errors_of(outcome) == {"XC012"}
    assert "20 of 44 rows" in messages(outcome, "XC012")[0]


def test_most_rows_marked_train_fail_without_any_policy(run_gate: Run, errors_of: Any) -> None:
    rows = [
        {"query_id": f"q{n}", "split": "TRAIN" if n > 1 else "EVAL", "candidates": ["a"]}
        | {"gold": ["a"]}
        for n in range(30)
    ]
    assert errors_of(run_gate(rows, config="k = [1]\n")) == {"XC012"}


def test_a_query_that_one_fold_evaluates_may_train_the_others(run_gate: Run, make: Any) -> None:
    rows = [
        {"query_id": f"q{n}", "fold": fold, "split": "EVAL" if n % 4 == fold else "TRAIN"}
        | {"candidates": ["a", "b"], "gold": ["a"]}
        for n in range(8)
        for fold in range(4)
    ]
    assert run_gate(rows, config="k = [1]\n", policy=make("unevaluated = 0")).verdict == "pass"


def test_the_gold_is_the_one_that_the_lab_holds(
    run_gate: Run, rows: list[dict[str, Any]], make: Any, errors_of: Any
) -> None:
    first = run_gate(rows, config=PLAIN)
    held = gold_sha256(first.evidence[0].rows.frame)
    lab = make(f'[held]\ngold = ["{held}"]')
    rows.reverse()
    for row in rows:
        row["gold"].reverse()
        row["note"] = "the order of rows and uids says nothing, nor does a further column"
    assert run_gate(rows, config=PLAIN, policy=lab).verdict == "pass"
    given = next(row for row in rows if row["gold"])
    given["gold"] = given["gold"][:-1] or ["other"]
    outcome = run_gate(rows, config=PLAIN, policy=lab)
    assert errors_of(outcome) == {"XC011"}
    assert held in messages(outcome, "XC011")[0]


def test_a_query_that_left_the_evaluation_is_missed_in_the_gold(
    run_gate: Run, rows: list[dict[str, Any]], make: Any, errors_of: Any
) -> None:
    held = gold_sha256(run_gate(rows, config=PLAIN).evidence[0].rows.frame)
    rows[0]["split"] = rows[1]["split"] = "TRAIN"
    outcome = run_gate(rows, config=PLAIN, policy=make(f'[held]\ngold = ["{held}"]'))
    assert errors_of(outcome) == {"XC011"}


def test_the_gold_of_a_frame_by_hand(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("query_id,candidates,gold\nq2,a|b,\nq1,c|d,d|c\n")
    frame = door.primary.table(str(tmp_path / "d.csv"), {})
    import hashlib  # noqa: PLC0415 - only here

    by_hand = '["q1", ["c", "d"], 1]\n["q2", [], 0]\n'
    assert gold_sha256(frame) == hashlib.sha256(by_hand.encode()).hexdigest()


def test_fewer_claims_than_required_fail(run_gate: Run, errors_of: Any, make: Any) -> None:
    lab = make("[claims]\nleast = 2")
    held = run_gate(config=PLAIN).evidence[0].ledger["mrr@all|positives_only|all|mean"]
    outcome = run_gate(claims={"mrr": round(held, 4)}, config=PLAIN, policy=lab)
    assert errors_of(outcome) == {"XC010"}
    said = "1 claims were held against the data; the policy asks for 2"
    assert messages(outcome, "XC010") == [said]


def test_a_claim_that_the_config_lets_pass_is_no_claim_that_was_checked(
    run_gate: Run, errors_of: Any, make: Any
) -> None:
    config = f"""{PLAIN}[claims]
ignore = [{{ pattern = "mrr*", reason = "an erratum is on its way" }}]
"""
    lab = make("[claims]\nleast = 2\npassed = 0")
    true = run_gate(config=PLAIN).evidence[0].ledger["recall@1|positives_only|all|mean"]
    wrong = {"mrr": 0.1234, "recall@1": round(true, 4)}
    assert run_gate(claims=wrong, config=config).verdict == "pass"
    outcome = run_gate(claims=wrong, config=config, policy=lab)
    assert errors_of(outcome) == {"XC010"}
    assert messages(outcome, "XC010") == [
        "1 claims were held against the data; the policy asks for 2",
        "the config lets 1 claims pass unverified; the policy allows 0",
    ]


def test_a_claim_is_not_ignored_without_a_reason(run_gate: Run, errors_of: Any) -> None:
    config = f'{PLAIN}[claims]\nignore = [{{ pattern = "mrr*", reason = "." }}]\n'
    outcome = run_gate(claims={"mrr": 0.1234}, config=config)
    assert "XC003" in errors_of(outcome)


def test_a_required_witness_that_falls_silent_is_missed(
    run_gate: Run, errors_of: Any, make: Any
) -> None:
    from dataclasses import replace  # noqa: PLC0415 - only here

    from crosscheck.witnesses.implementations import PRIMARY, REFERENCE  # noqa: PLC0415 - the same
    from crosscheck.witnesses.trec_eval import WITNESS  # noqa: PLC0415 - the same

    silent = replace(WITNESS, testify=lambda _: Silence("no voice"))
    lab = make('[witnesses]\nrequired = ["trec_eval"]')
    outcome = run_gate(config=PLAIN, witnesses=(PRIMARY, REFERENCE, silent), policy=lab)
    assert "XC005" in errors_of(outcome)


def test_the_policys_profile_is_checked_whatever_the_config_declares(
    run_gate: Run, errors_of: Any, make: Any
) -> None:
    lab = make("[profile]\nposts = 13")
    assert errors_of(run_gate(config=PLAIN, policy=lab)) == {"XC201"}
    outcome = run_gate(config=f"{PLAIN}[profile]\nposts = 12\n", policy=lab)
    assert errors_of(outcome) == {"XC009", "XC201"}


def test_a_breach_of_the_run_is_said_once_for_all_systems(
    run_gate: Run, rows: list[dict[str, Any]]
) -> None:
    for row in rows:
        row["backwards"] = row["candidates"][::-1]
    rankings = (("forwards", "candidates"), ("back", "backwards"))
    outcome = run_gate(rows, config=f"{PLAIN}tolerance = 1\n", rankings=rankings)
    assert len(messages(outcome, "XC001")) == 1


def test_the_other_breaches_are_seen_in_the_tests_of_the_policy() -> None:
    # XC004, XC006, XC007 and XC008 need no data: tests/crosscheck/policy.
    from crosscheck.model.findings import rules  # noqa: PLC0415 - only here

    group = [one for one in rules().values() if one.group == "policy"]
    assert [one.id for one in group] == [f"XC{n:03}" for n in range(1, len(group) + 1)]
    assert {one.severity for one in group} == {"error"}


def test_the_report_names_the_policy_and_its_hash(run_gate: Run, make: Any) -> None:
    lab = make("")
    stated = report_of(run_gate(config=PLAIN, policy=lab)).provenance
    assert (stated.policy.name, stated.policy.sha256) == ("lab", lab.sha256)
    assert [one.sha256 for one in stated.inputs if one.role == "policy"] == [lab.sha256]


@pytest.mark.parametrize(
    ("column", "was", "forged"),
    [
        ("label", ["cat", "dog"], ["dog", "dog"]),
        ("grades", [[3, 1], [2]], [[1, 3], [2]]),
        ("judged", [["a", "b"], ["a"]], [["a", "b", "c"], ["a"]]),
    ],
)
def test_grades_judgements_and_classes_are_part_of_the_gold(
    column: str, was: list[object], forged: list[object]
) -> None:
    held = {"query_id": ["q1", "q2"], "gold": [["a", "b"], ["a"]]}
    one, other = (pl.DataFrame({**held, column: values}) for values in (was, forged))
    assert gold_sha256(one) != gold_sha256(other)
    swapped = pl.DataFrame(
        {"query_id": ["q2", "q1"], "gold": [["a"], ["b", "a"]], column: [was[1], _turned(was[0])]}
    )
    assert gold_sha256(one) == gold_sha256(swapped)


def _turned(value: object) -> object:
    return value[::-1] if isinstance(value, list) else value
