"""Section 1: columns that contradict each other, loaders that differ, what is legal and counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.checks import Evidence, Result, Statement, inputs
from crosscheck.model.findings import finding
from crosscheck.witnesses import Silence

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.data.case import Case
    from crosscheck.model.findings import Finding

    CaseOf = Callable[..., Case]
    Said = Callable[..., Statement]
    PrimarySays = Callable[..., Evidence]

QUIET = {
    "contradictions": {"has_evidence": 0, "state": 0, "pred": 0},
    "dropped_queries": 0,
    "gold_not_in_candidates": 0,
    "queries": {"positives_only": 1},
    "queries_with_ties": 0,
}


def told(rule: str, message: str, **seen: Any) -> Finding:
    return finding(rule, message, system="study", **seen)


def row(post: str, **cells: Any) -> dict[str, Any]:
    return {"post_id": post, "criterion_id": "c", "gold": ["u"], "candidates": ["u", "v"]} | cells


def test_quiet_data_are_looked_at_fact_by_fact(bare: CaseOf, primary_says: PrimarySays) -> None:
    assert inputs.check(primary_says(bare(facts=QUIET))) == Result(5, ())


def test_a_label_against_the_gold_is_told_where_it_first_stands(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    rows = [row("p", has_evidence=1), row("q", has_evidence=0), row("r", has_evidence=0)]
    place = "post q, criterion c"
    message = f"2 EVAL rows have a has_evidence that contradicts the rest of the row, first {place}"
    found = inputs.check(primary_says(case_of(*rows)))
    assert found.findings == (told("XC101", message, place=place),)


def test_a_decision_against_its_folds_threshold_is_told(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    rows = [
        row("p", fold=0, prob=0.25, pred=1),
        row("q", fold=1, prob=0.5, pred=0),
        row("r", fold=1, prob=0.75, pred=0),
    ]
    settings = {"threshold": {"0": 0.25, "1": 0.75}}
    place = "post r, criterion c, fold 1"
    message = f"1 EVAL rows have a pred that contradicts the rest of the row, first {place}"
    found = inputs.check(primary_says(case_of(*rows, settings=settings)))
    assert found.findings == (told("XC103", message, place=place),)


def test_a_state_against_the_thresholds_is_told_past_other_splits(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    settings = {"tau_neg": 0.25, "tau_pos": 0.75, "columns": {"state": "gate"}}
    rows = [
        row("t", fold=0, split="TUNE", prob=0.5, gate="POS"),
        row("p", fold=0, split="EVAL", prob=0.5, gate="UNCERTAIN"),
        row("q", fold=0, split="EVAL", prob=0.75, gate="NEG"),
    ]
    place = "post q, criterion c, fold 0"
    message = f"1 EVAL rows have a state that contradicts the rest of the row, first {place}"
    found = inputs.check(primary_says(case_of(*rows, settings=settings)))
    assert found.findings == (told("XC102", message, place=place),)


def test_a_state_without_splits_is_found_by_its_row(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    settings = {"tau_neg": 0.25, "tau_pos": 0.75}
    rows = [row("p", prob=0.5, state="UNCERTAIN"), row("q", prob=0.625, state="POS")]
    [found] = inputs.check(primary_says(case_of(*rows, settings=settings))).findings
    assert (found.rule, found.place) == ("XC102", "post q, criterion c")


def test_a_contradiction_whose_row_is_not_found_has_no_place(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    facts = {"contradictions": QUIET["contradictions"] | {"has_evidence": 1000}}
    found = inputs.check(primary_says(case_of(row("p", has_evidence=1), facts=facts)))
    message = "1,000 EVAL rows have a has_evidence that contradicts the rest of the row"
    assert found.findings == (told("XC101", message),)


def readers(bare: CaseOf, said: Said, ours: Any, theirs: Any, scope: str = "") -> Evidence:
    key = {"auroc|all_queries|all|value": 0.5}
    case = bare(facts=QUIET)
    return Evidence(
        case,
        (
            said("primary", key, case, facts=ours),
            said("reference", key, bare(scope=scope), facts=theirs),
        ),
    )


def test_a_fact_that_only_one_reads_so_is_told(bare: CaseOf, said: Said) -> None:
    ours = {"max_k": 3, "posts": 2, "missing": {"a": 1}, "x": 1}
    theirs = {"max_k": 3, "posts": 4, "missing": {"b": 2}, "y": 2}
    assert inputs.check(readers(bare, said, ours, theirs)).findings == (
        told("XC104", "posts: primary reads 2, reference reads 4"),
        told("XC104", "x: primary reads 1, reference reads None"),
        told("XC104", "y: primary reads None, reference reads 2"),
    )


def test_facts_of_a_sample_are_not_held_against_those_of_all(bare: CaseOf, said: Said) -> None:
    evidence = readers(bare, said, {"posts": 2}, {"posts": 4}, scope="1 in 2 posts")
    case = evidence.statements[0].case
    third = said("third", {"auroc|all_queries|all|value": 0.5}, case, facts={"posts": 3})
    evidence = Evidence(case, (*evidence.statements, third))
    assert inputs.check(evidence).findings == (
        told("XC104", "posts: primary reads 2, third reads 3"),
    )


def test_long_facts_are_cut_after_200_characters(bare: CaseOf, said: Said) -> None:
    # A text of n letters is shown with its two quotation marks.
    evidence = readers(bare, said, {"long": "a" * 198}, {"long": "b" * 199})
    message = f"long: primary reads '{'a' * 198}', reference reads '{'b' * 199} …"
    assert inputs.check(evidence).findings == (told("XC104", message),)


def test_a_refusal_of_one_alone_is_told(bare: CaseOf, said: Said) -> None:
    case = bare(facts=QUIET)
    witness = said("reference", {}, case).witness
    refused = Statement(witness, case, Silence("row 3: no", refused=True))
    crashed = Statement(witness, case, Silence("was asleep"))
    assert inputs.check(Evidence(case, (crashed, refused))).findings == (
        told("XC105", "reference refuses the input: row 3: no"),
    )


def test_dropped_queries_are_counted(bare: CaseOf, primary_says: PrimarySays) -> None:
    found = inputs.check(primary_says(bare(facts=QUIET | {"dropped_queries": 1000})))
    message = "1,000 queries of the run have no judgements and were dropped"
    assert found.findings == (told("XC106", message),)


def test_gold_outside_the_candidates_is_named(case_of: CaseOf, primary_says: PrimarySays) -> None:
    rows = [row("p", gold=["u", "x", "y"]), row("q"), row("r", gold=["z"])]
    names = [f"post {post}, criterion c ({uid})" for post, uid in ("px", "py", "rz")]
    message = f"3 gold ids are not among their query's candidates: {'; '.join(names)}"
    found = inputs.check(primary_says(case_of(*rows)))
    assert found.findings == (told("XC107", message, place=names[0]),)


@pytest.mark.parametrize(
    ("gold", "words"),
    [
        (["x"], "1 gold id is not among its query's candidates: "),
        (["x", "y"], "2 gold ids are not among their query's candidates: "),
    ],
)
def test_one_missing_gold_id_is_one(
    case_of: CaseOf, primary_says: PrimarySays, gold: list[str], words: str
) -> None:
    [found] = inputs.check(primary_says(case_of(row("p", gold=gold)))).findings
    assert found.message.startswith(words)


@pytest.mark.parametrize(("count", "end"), [(3, "(x2)"), (4, "(x2) …")])
def test_three_missing_gold_ids_are_named(
    case_of: CaseOf, primary_says: PrimarySays, count: int, end: str
) -> None:
    case = case_of(row("p", gold=[f"x{number}" for number in range(count)]))
    [found] = inputs.check(primary_says(case)).findings
    assert found.message.startswith(f"{count} gold ids are not among")
    assert found.message.endswith(end)


def test_data_without_gold_are_told(bare: CaseOf, primary_says: PrimarySays) -> None:
    found = inputs.check(primary_says(bare(facts=QUIET | {"queries": {"positives_only": 0}})))
    assert found.findings == (told("XC109", "no EVAL query has gold"),)


def tied(metric: str, low: float, high: float, population: str = "positives_only") -> Any:
    return {
        f"{metric}/tie_{end}|{population}|all|mean": value
        for end, value in (("low", low), ("high", high))
    }


def test_the_metric_that_ties_move_most_is_told(bare: CaseOf, primary_says: PrimarySays) -> None:
    ledger = {
        "auroc|all_queries|all|value": 0.5,
        **tied("hit@1", 0.25, 0.5),
        **tied("mrr@10", 0.5, 0.875),
        **tied("map@10", 0.125, 0.5),
        **tied("map@10/by_hits", 0.0, 1.0),
        **tied("ndcg@10", 0.0, 1.0, "all_queries"),
        **tied("recall@10", 0.5, 0.625),
    }
    case = bare(facts=QUIET | {"queries_with_ties": 1000})
    message = (
        "1,000 queries have equal scores; the order among them moves mrr@10 between 0.5 and 0.875, "
        "the most of all metrics"
    )
    assert inputs.check(primary_says(case, ledger)).findings == (told("XC108", message),)


@pytest.mark.parametrize(("high", "moved"), [(1e-12, []), (2e-12, ["XC108"])])
def test_rounding_is_no_tie(
    bare: CaseOf, primary_says: PrimarySays, high: float, moved: list[str]
) -> None:
    found = inputs.check(primary_says(bare(facts=QUIET), tied("hit@1", 0.0, high)))
    assert [one.rule for one in found.findings] == moved


def test_half_a_bound_tells_nothing(bare: CaseOf, primary_says: PrimarySays) -> None:
    ledger = {"hit@1/tie_low|positives_only|all|mean": 0.5}
    assert inputs.check(primary_says(bare(facts=QUIET), ledger)).findings == ()


def test_selections_outside_their_bounds_are_counted(
    bare: CaseOf, primary_says: PrimarySays
) -> None:
    case = bare(facts=QUIET)
    below, above = "k_below_min|all_queries|all|value", "k_above_max|all_queries|all|value"
    message = "1,000 selections are smaller than k_min allows and 2,000 larger than k_max"
    found = inputs.check(primary_says(case, {below: 1000, above: 2000}))
    assert found.findings == (told("XC110", message),)
    message = "0 selections are smaller than k_min allows and 1 larger than k_max"
    assert inputs.check(primary_says(case, {above: 1})).findings == (told("XC110", message),)
    message = "1 selections are smaller than k_min allows and 0 larger than k_max"
    assert inputs.check(primary_says(case, {below: 1})).findings == (told("XC110", message),)
    assert inputs.check(primary_says(case, {below: 0, above: 0})).findings == ()
