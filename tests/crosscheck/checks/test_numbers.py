"""Sections 11.1 to 11.5 and 13: each rule fails for its own reason, on a doctored ledger."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.model.frozen import shown
from crosscheck.report.assemble import report_of
from crosscheck.witnesses import Silence, Testimony, Witness
from crosscheck.witnesses.implementations import PRIMARY, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.gate import Outcome

    Run = Callable[..., Outcome]

RANK = "ndcg@10|positives_only|all|mean"


def both(lying: Callable[..., Witness], **changes: Any) -> tuple[Witness, Witness]:
    """Let both implementations tell the same lie, so that they still agree."""
    return lying(PRIMARY, **changes), lying(REFERENCE, **changes)


def test_honest_data_pass(run_gate: Run, errors_of: Any) -> None:
    outcome = run_gate()
    assert errors_of(outcome) == set()
    assert outcome.verdict == "pass"


def test_a_missing_key_is_a_failure_never_a_skip(run_gate: Run, errors_of: Any, lying: Any) -> None:
    outcome = run_gate(witnesses=(PRIMARY, lying(REFERENCE, leave_out=[RANK])))
    assert errors_of(outcome) == {"XC301"}
    [found] = [one for one in report_of(outcome).findings if one.rule == "XC301"]
    assert found.key == RANK
    assert "reference" in found.message


def test_an_invented_key_is_a_failure(run_gate: Run, errors_of: Any, lying: Any) -> None:
    outcome = run_gate(witnesses=(lying(PRIMARY, ledger={"ndcg@7|posts|all|mean": 0.5}), REFERENCE))
    assert errors_of(outcome) == {"XC302"}


def test_a_float_count_is_a_failure(run_gate: Run, errors_of: Any, lying: Any) -> None:
    key = "queries|all_queries|all|n"
    outcome = run_gate(witnesses=(lying(PRIMARY, ledger={key: 24.0}), REFERENCE))
    assert errors_of(outcome) == {"XC303"}


def test_a_value_that_is_no_number_is_a_failure(run_gate: Run, errors_of: Any, lying: Any) -> None:
    outcome = run_gate(witnesses=both(lying, ledger={RANK: float("nan")}))
    assert {"XC304", "XC401", "XC601"} <= errors_of(outcome)


def test_an_endless_value_is_for_thresholds_only(run_gate: Run, errors_of: Any, lying: Any) -> None:
    outcome = run_gate(witnesses=both(lying, ledger={RANK: float("inf")}))
    assert "XC304" in errors_of(outcome)


def test_implementations_more_than_one_percent_apart_fail(
    run_gate: Run, honest: dict[str, Any], errors_of: Any, lying: Any
) -> None:
    value = honest["auroc|all_queries|all|value"]
    lie = {"auroc|all_queries|all|value": value * 1.02}
    outcome = run_gate(witnesses=(PRIMARY, lying(REFERENCE, ledger=lie)))
    assert "XC401" in errors_of(outcome)
    [found] = [one for one in report_of(outcome).findings if one.rule == "XC401"]
    assert found.values == {"primary": shown(value), "reference": shown(value * 1.02)}
    assert found.difference == pytest.approx(1 - 1 / 1.02)
    assert found.limit == 0.01


def test_drift_passes_and_is_listed(
    run_gate: Run, honest: dict[str, Any], rules_of: Any, lying: Any
) -> None:
    key = "brier|all_queries|criterion=A.2|value"
    value = honest[key]
    outcome = run_gate(witnesses=(PRIMARY, lying(REFERENCE, ledger={key: value * 1.0001})))
    assert outcome.verdict == "pass"
    assert "XC402" in rules_of(outcome)


def test_counts_one_apart_fail_however_large(
    run_gate: Run, honest: dict[str, Any], errors_of: Any, lying: Any
) -> None:
    key = "reliability@10/bin=9|all_queries|all|n"
    value = honest[key]
    outcome = run_gate(witnesses=(PRIMARY, lying(REFERENCE, ledger={key: value + 1})))
    assert "XC401" in errors_of(outcome)


def test_a_difference_is_traced_to_the_query_where_it_starts(
    run_gate: Run, honest: dict[str, Any], lying: Any
) -> None:
    truthful = REFERENCE.per_query
    assert truthful is not None

    def one_query_off(case: Any) -> dict[str, list[Any]]:
        columns = truthful(case)
        values = [*columns["ndcg@10"]]
        first = next(row for row, gold in enumerate(columns["has_evidence"]) if gold)
        values[first] += 0.25
        return {**columns, "ndcg@10": values}

    lie = {RANK: honest[RANK] + 0.02}
    liar = lying(REFERENCE, ledger=lie, per_query=one_query_off)
    outcome = run_gate(witnesses=(PRIMARY, liar))
    [found] = [
        one for one in report_of(outcome).findings if one.key == RANK and one.rule == "XC401"
    ]
    [query] = found.starts_at
    assert query.values["reference"] - query.values["primary"] == pytest.approx(0.25)
    assert query.query.startswith("post p0")
    assert query.gold
    assert query.ranking
    assert "1 queries differ" in found.message


def test_a_difference_without_a_differing_query_lies_in_the_averaging(
    run_gate: Run, honest: dict[str, Any], lying: Any
) -> None:
    lie = {RANK: honest[RANK] + 0.02}
    liar = lying(REFERENCE, ledger=lie, per_query=REFERENCE.per_query)
    outcome = run_gate(witnesses=(PRIMARY, liar))
    [found] = [
        one for one in report_of(outcome).findings if one.key == RANK and one.rule == "XC401"
    ]
    assert found.starts_at == []
    assert "averaging" in found.message


def library(name: str, ledger: dict[str, float]) -> Witness:
    return Witness(name=name, kind="library", testify=lambda case: Testimony(dict(ledger)))  # noqa: ARG005 - the interface


def test_a_library_that_disagrees_fails(run_gate: Run, errors_of: Any) -> None:
    outcome = run_gate(witnesses=(PRIMARY, REFERENCE, library("other", {RANK: 0.123})))
    assert errors_of(outcome) == {"XC501"}


def test_a_library_that_drifts_is_listed(
    run_gate: Run, honest: dict[str, Any], rules_of: Any
) -> None:
    near = honest[RANK] * (1 + 1e-6)
    outcome = run_gate(witnesses=(PRIMARY, REFERENCE, library("other", {RANK: near})))
    assert "XC502" in rules_of(outcome)
    assert outcome.verdict == "pass"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (RANK, 1.2),
        (RANK, -0.1),
        ("mcc|all_queries|all|value", -1.5),
        ("alert_rate_per_1000|all_queries|all|value", 1200.0),
        ("threshold@fpr=5%|all_queries|all|value", 1.5),
        ("ndcg@10|positives_only|all|std", 1.5),
        ("k|all_queries|all|mean", -1.0),
    ],
)
def test_an_impossible_value_fails_even_if_all_agree(
    run_gate: Run, errors_of: Any, lying: Any, key: str, value: float
) -> None:
    outcome = run_gate(witnesses=both(lying, ledger={key: value}))
    assert "XC601" in errors_of(outcome)
    assert "XC401" not in errors_of(outcome)


def test_an_endless_threshold_is_possible(run_gate: Run, errors_of: Any, lying: Any) -> None:
    lie = {"threshold@fpr=1%|all_queries|fold=0|value": float("inf")}
    outcome = run_gate(witnesses=both(lying, ledger=lie))
    assert "XC601" not in errors_of(outcome)
    assert "XC304" not in errors_of(outcome)


def counts(honest: dict[str, Any]) -> dict[str, int]:
    return {name: honest[f"{name}|all_queries|all|value"] for name in ("tp", "fp", "tn", "fn")}


def test_four_counts_that_lose_a_query_fail(
    run_gate: Run, honest: dict[str, Any], errors_of: Any, lying: Any
) -> None:
    tn = counts(honest)["tn"]
    outcome = run_gate(witnesses=both(lying, ledger={"tn|all_queries|all|value": tn - 1}))
    assert "XC611" in errors_of(outcome)


def test_labels_turned_round_fail(
    run_gate: Run, honest: dict[str, Any], errors_of: Any, lying: Any
) -> None:
    known = counts(honest)
    turned = {"tp": known["fp"], "fp": known["tp"], "tn": known["fn"], "fn": known["tn"]}
    lie = {f"{name}|all_queries|all|value": count for name, count in turned.items()}
    outcome = run_gate(witnesses=both(lying, ledger=lie))
    assert "XC612" in errors_of(outcome)
    assert "XC611" not in errors_of(outcome)


@pytest.mark.parametrize("rate", ["sensitivity", "specificity", "precision", "npv", "f1", "mcc"])
def test_a_rate_that_does_not_follow_from_the_counts_fails(
    run_gate: Run, errors_of: Any, lying: Any, rate: str
) -> None:
    outcome = run_gate(witnesses=both(lying, ledger={f"{rate}|all_queries|fold=0|value": 0.123456}))
    assert "XC613" in errors_of(outcome)


def test_a_count_that_is_no_number_fails_and_does_not_end_the_run(
    run_gate: Run, errors_of: Any, lying: Any
) -> None:
    outcome = run_gate(witnesses=both(lying, ledger={"tp|all_queries|all|value": float("nan")}))
    assert "XC304" in errors_of(outcome)


@pytest.mark.parametrize(
    ("key", "value", "rule"),
    [
        ("hit@1|positives_only|all|mean", 0.123, "XC621"),
        ("auroc|all_queries|criteria|micro", 0.123, "XC621"),
        ("f1|all_queries|view=one|value", 0.123, "XC621"),
        ("mrr@3|positives_only|all|mean", 0.0001, "XC623"),
        ("recall@10|positives_only|all|median", 0.0001, "XC623"),
        ("recall@3|positives_only|all|mean", 0.9999, "XC622"),
        ("map@10/by_gold|positives_only|all|mean", 0.9999, "XC622"),
        ("auroc/strict|all_queries|all|value", 0.9999, "XC622"),
        ("ndcg@10/tie_low|positives_only|all|mean", 0.9999, "XC622"),
        ("evidence_recall/pooled|positives_only|all|value", 1.0, "XC622"),
        ("neg_rate|all_queries|all|value", 0.987, "XC624"),
        ("hamming_loss|posts|all|value", 0.987, "XC624"),
        ("specificity|all_queries|all|value", 0.987, "XC624"),
        ("k/hist=1|all_queries|all|n", 99, "XC624"),
        ("deployment_tp|all_queries|all|value", 99, "XC621"),
    ],
)
def test_an_identity_that_does_not_hold_fails(
    run_gate: Run, errors_of: Any, lying: Any, *, key: str, value: float, rule: str
) -> None:
    outcome = run_gate(witnesses=both(lying, ledger={key: value}))
    assert rule in errors_of(outcome)


def test_identities_never_speak_of_standard_deviations(
    run_gate: Run, errors_of: Any, lying: Any
) -> None:
    outcome = run_gate(
        witnesses=both(lying, ledger={"hit@1|positives_only|criterion=A.2|std": 0.01})
    )
    assert errors_of(outcome) == set()


def test_one_quantity_under_two_names_must_have_one_value(
    run_gate: Run, errors_of: Any, lying: Any
) -> None:
    lie = {"brier|all_queries|view=both|value": 0.123}
    outcome = run_gate(witnesses=both(lying, ledger=lie))
    assert errors_of(outcome) == {"XC701"}


def test_systems_must_be_about_the_same_queries(
    run_gate: Run, errors_of: Any, rows: list[dict[str, Any]], lying: Any
) -> None:
    def other_gold(case: Any) -> Testimony:
        told = PRIMARY.testify(case)
        if case.system == "b":
            return replace(told, ledger=told.ledger | {"queries|positives_only|all|n": 1})
        return told

    for row in rows:
        row["second"] = row["candidates"]
    del lying
    outcome = run_gate(
        rows,
        rankings=(("a", "candidates"), ("b", "second")),
        witnesses=(replace(PRIMARY, testify=other_gold), REFERENCE),
    )
    assert "XC702" in errors_of(outcome)


def test_a_silent_witness_is_an_error(run_gate: Run, errors_of: Any) -> None:
    def fail(case: Any) -> Testimony:
        raise ZeroDivisionError(f"about {case.system}")

    silent = Witness(name="library", kind="library", testify=fail)
    outcome = run_gate(witnesses=(PRIMARY, REFERENCE, silent))
    assert errors_of(outcome) == {"XC991"}
    [found] = [one for one in report_of(outcome).findings if one.rule == "XC991"]
    assert "ZeroDivisionError: about data" in found.message


def test_nothing_compared_is_never_a_pass(run_gate: Run, errors_of: Any) -> None:
    outcome = run_gate(witnesses=(PRIMARY,))
    assert {"XC992", "XC995"} <= errors_of(outcome)
    assert outcome.verdict == "fail"


def test_a_missing_implementation_is_never_a_pass(run_gate: Run, errors_of: Any) -> None:
    outcome = run_gate(witnesses=(REFERENCE, library("other", {})))
    assert "XC995" in errors_of(outcome)


def test_a_witness_that_shares_no_key_is_an_error(run_gate: Run, errors_of: Any) -> None:
    own = Witness("mine:f", "user", lambda case: Testimony({"my|own|key|here": 1.0}))  # noqa: ARG005 - the interface
    outcome = run_gate(witnesses=(PRIMARY, REFERENCE, own))
    assert errors_of(outcome) == {"XC993"}
    assert "XC306" in {found.rule for found in report_of(outcome).findings}


def test_an_implementation_that_refuses_alone_is_an_error(run_gate: Run, errors_of: Any) -> None:
    class InputError(ValueError):
        pass

    def refuse(case: Any) -> Testimony:
        raise InputError(f"{case.data}: row 3: no")

    outcome = run_gate(witnesses=(PRIMARY, replace(REFERENCE, testify=refuse)))
    assert "XC105" in errors_of(outcome)


def test_implementations_that_read_differently_are_an_error(
    run_gate: Run, errors_of: Any, lying: Any
) -> None:
    outcome = run_gate(witnesses=(PRIMARY, lying(REFERENCE, facts={"max_k": 99})))
    assert errors_of(outcome) == {"XC104"}
    outcome = run_gate(witnesses=(PRIMARY, lying(REFERENCE, facts={"missing": {"x": ["y"]}})))
    assert errors_of(outcome) == set()


def test_headline_numbers_without_an_outside_opinion_are_told(run_gate: Run, rules_of: Any) -> None:
    outcome = run_gate()
    assert "XC305" in rules_of(outcome)
    assert "ndcg@10|positives_only|all|mean" in report_of(outcome).systems[0].uncovered_headline


def test_silence_is_no_absence(run_gate: Run) -> None:
    silent = replace(REFERENCE, testify=lambda case: Silence("was asleep"))  # type: ignore[arg-type, return-value]  # noqa: ARG005 - the interface
    outcome = run_gate(witnesses=(PRIMARY, silent))
    [witness] = [one for one in report_of(outcome).systems[0].witnesses if one.name == "reference"]
    assert (witness.status, witness.note) == ("crashed", "was asleep")
    assert outcome.verdict == "fail"
