"""Section 11.3: who differs from whom, by how much, and where it starts."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.checks import Evidence, Result, Statement, agreement
from crosscheck.checks.origin import Origin, query_name
from crosscheck.model.findings import QueryDifference, finding
from crosscheck.model.ledgers import compare

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.data.case import Case

    CaseOf = Callable[..., Case]
    Said = Callable[..., Statement]

AUROC = "auroc|all_queries|all|value"
BRIER = "brier|all_queries|all|value"
COUNT = "tp|all_queries|all|value"


def heard(*statements: Statement, tolerance: float = 0.01) -> Evidence:
    """Compare everybody with everybody who saw the same rows, as the gate does."""
    pairs = [
        compare((a.name, b.name), a.ledger, b.ledger, tolerance)
        for a, b in combinations(statements, 2)
        if a.case.scope == b.case.scope
    ]
    return Evidence(statements[0].case, statements, tuple(pairs), tolerance)


def test_a_wrong_value_is_told_with_everything_that_was_said(bare: CaseOf, said: Said) -> None:
    case = bare()
    evidence = heard(
        said("primary", {AUROC: 0.5, BRIER: 0.1}, case),
        said("reference", {AUROC: 0.625, BRIER: 0.1}, case),
        said("ranx", {AUROC: 0.5}, case, "library"),
        said("silent", {}, case, "library"),
        tolerance=0.05,
    )
    wrong = finding(
        "XC401",
        f"{AUROC}: primary 0.5, reference 0.625, 20 % apart",
        system="study",
        key=AUROC,
        values={"primary": 0.5, "reference": 0.625, "ranx": 0.5},
        difference=0.2,
        limit=0.05,
    )
    assert agreement.check(evidence) == Result(2, (wrong,))


def test_drift_has_no_limit(bare: CaseOf, said: Said) -> None:
    case = bare()
    evidence = heard(
        said("primary", {AUROC: 0.99609375}, case), said("reference", {AUROC: 1.0}, case)
    )
    drift = finding(
        "XC402",
        f"{AUROC}: primary 0.99609375, reference 1, 0.391 % apart",
        system="study",
        key=AUROC,
        values={"primary": 0.99609375, "reference": 1.0},
        difference=1 / 256,
    )
    assert agreement.check(evidence) == Result(1, (drift,))


@pytest.mark.parametrize(("first", "second"), [(3, 4), (3, 4.0), (3.0, 4)])
def test_counts_are_equal_or_wrong(bare: CaseOf, said: Said, first: float, second: float) -> None:
    case = bare()
    evidence = heard(
        said("primary", {COUNT: first}, case), said("reference", {COUNT: second}, case)
    )
    [found] = agreement.check(evidence).findings
    assert found.message == f"{COUNT}: primary 3, reference 4, and counts are equal or wrong"


def test_an_outside_witness_is_judged_apart(bare: CaseOf, said: Said) -> None:
    case = bare()
    evidence = heard(
        said("primary", {AUROC: 0.5, BRIER: 0.1}, case),
        said("reference", {AUROC: 0.5, BRIER: 0.1}, case),
        said("ranx", {AUROC: 0.625}, case, "library"),
    )
    wrong = finding(
        "XC501",
        f"{AUROC}: primary 0.5, ranx 0.625, 20 % apart",
        system="study",
        key=AUROC,
        values={"primary": 0.5, "reference": 0.5, "ranx": 0.625},
        difference=0.2,
        limit=0.01,
    )
    assert agreement.check(evidence) == Result(2, ())
    assert agreement.check_outside(evidence) == Result(2, (wrong,))


def test_without_outside_witnesses_there_is_nothing_to_judge(bare: CaseOf, said: Said) -> None:
    case = bare()
    evidence = heard(said("primary", {AUROC: 0.5}, case), said("reference", {AUROC: 0.5}, case))
    assert agreement.check_outside(evidence) == Result(0, (), "no outside witness was heard")


def test_a_key_is_told_once_by_the_pair_farthest_apart(bare: CaseOf, said: Said) -> None:
    case = bare()
    evidence = heard(
        said("primary", {AUROC: 0.5}, case),
        said("near", {AUROC: 0.502}, case, "library"),
        said("far", {AUROC: 0.75}, case, "library"),
        said("between", {AUROC: 0.503}, case, "library"),
    )
    [found] = agreement.check_outside(evidence).findings
    assert found.message.startswith(f"{AUROC}: primary 0.5, far 0.75, 33.3 % apart")


def test_wrong_comes_before_drift_and_worse_before_better(bare: CaseOf, said: Said) -> None:
    case = bare()
    one, two = "a|all_queries|all|value", "b|all_queries|all|value"
    evidence = heard(
        said("primary", {AUROC: 0.5, one: 0.5, COUNT: 1_000_000, two: 0.5}, case),
        said("reference", {AUROC: 0.501, one: 0.502, COUNT: 1_000_001, two: 0.9}, case),
    )
    found = agreement.check(evidence).findings
    assert [each.key for each in found] == [two, COUNT, one, AUROC]
    assert [each.rule for each in found] == ["XC401", "XC401", "XC402", "XC402"]


def test_only_who_saw_the_same_rows_is_quoted(bare: CaseOf, said: Said) -> None:
    case, sample = bare(), bare(scope="1 in 2 posts")
    evidence = heard(
        said("primary", {AUROC: 0.75}, case),
        said("primary", {AUROC: 0.5}, sample),
        said("reference", {AUROC: 0.625}, sample),
    )
    [found] = agreement.check(evidence).findings
    assert found.values == {"primary/sample": 0.5, "reference/sample": 0.625}


def test_twenty_five_differences_are_traced_to_their_queries(bare: CaseOf, said: Said) -> None:
    case = bare()
    keys = [f"auroc|all_queries|folds|{number}" for number in range(26)]

    def same(asked: Case) -> dict[str, list[float]]:
        del asked
        return {"auroc": [0.5]}

    evidence = heard(
        said("primary", dict.fromkeys(keys, 0.5), case, per_query=same),
        said("reference", dict.fromkeys(keys, 0.75), case, per_query=same),
    )
    found = agreement.check(evidence).findings
    remark = "; no query's own value differs, so the difference lies in the averaging"
    assert [each.message.endswith(remark) for each in found] == [True] * 25 + [False]
    assert found[-1].message.endswith("33.3 % apart")


def row(post: str, gold: list[str], **cells: Any) -> dict[str, Any]:
    listed = {"candidates": ["u", "v"], "gold": gold}
    return {"post_id": post, "criterion_id": "c"} | listed | cells


def asked(case: Case, said: Said, first: Any, second: Any) -> tuple[Evidence, Any]:
    """Give evidence of two witnesses with these per-query values, and the pair they make."""
    evidence = heard(
        said("primary", {AUROC: 0.5}, case, per_query=first),
        said("reference", {AUROC: 0.75}, case, per_query=second),
    )
    return evidence, evidence.comparisons[0]


def of(values: list[Any]) -> Callable[[Case], dict[str, list[Any]]]:
    return lambda case: {"hit@1": values} if case.system == "study" else {}


def test_the_queries_that_differ_are_named_the_worst_first(case_of: CaseOf, said: Said) -> None:
    case = case_of(*[row(f"p{number}", ["u"]) for number in range(7)])
    evidence, pair = asked(case, said, of([0.0] * 7), of([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.0]))
    starts, remark = Origin(evidence).of("hit@1|all_queries|all|mean", pair)
    assert remark == "; 6 queries differ, first post p5, criterion c"
    assert starts[0] == QueryDifference(
        query="post p5, criterion c",
        values={"primary": 0.0, "reference": 0.6},
        ranking=["u", "v"],
        gold=["u"],
    )
    assert starts[1:] == [
        QueryDifference(
            query=f"post p{number}, criterion c",
            values={"primary": 0.0, "reference": (number + 1) / 10},
        )
        for number in (4, 3, 2, 1)
    ]


def test_a_finding_names_the_queries_where_it_starts(case_of: CaseOf, said: Said) -> None:
    case = case_of(row("p", ["u"]), row("q", ["u"]))
    key = "hit@1|all_queries|all|mean"
    evidence = heard(
        said("primary", {key: 0.5}, case, per_query=of([0.0, 1.0])),
        said("reference", {key: 1.0}, case, per_query=of([1.0, 1.0])),
    )
    [found] = agreement.check(evidence).findings
    assert [one.query for one in found.starts_at] == ["post p, criterion c"]
    assert found.message.endswith("50 % apart; 1 queries differ, first post p, criterion c")


@pytest.mark.parametrize(
    ("key", "count"),
    [
        ("hit@1|all_queries|all|mean", 3),
        ("hit@1|positives_only|all|mean", 2),
        ("hit@1|all_queries|fold=1|mean", 2),
        ("hit@1|positives_only|folds|mean", 3),
        ("hit@1|positives_only|criteria|macro", 3),
    ],
)
def test_only_queries_that_the_key_is_about_are_named(
    case_of: CaseOf, said: Said, key: str, count: int
) -> None:
    rows = [row("p", ["u"], fold=0), row("q", ["u"], fold=1), row("r", [], fold=1)]
    evidence, pair = asked(case_of(*rows), said, of([0.0] * 3), of([1.0] * 3))
    starts, remark = Origin(evidence).of(key, pair)
    assert len(starts) == count
    assert remark.startswith(f"; {count} queries differ")


def test_what_the_data_lack_is_not_shown(case_of: CaseOf, said: Said) -> None:
    case = case_of({"query_id": "q7", "has_evidence": 1, "prob": 0.5})
    evidence, pair = asked(case, said, of([0.0]), of([1.0]))
    starts, remark = Origin(evidence).of("hit@1|all_queries|all|mean", pair)
    assert starts == [QueryDifference(query="query q7", values={"primary": 0.0, "reference": 1.0})]
    assert remark == "; 1 queries differ, first query q7"


def test_without_per_query_values_nothing_is_said(bare: CaseOf, said: Said) -> None:
    evidence, pair = asked(bare(), said, of([0.0]), None)
    assert Origin(evidence).of("hit@1|all_queries|all|mean", pair) == ([], "")
    evidence, pair = asked(bare(), said, of([0.0]), of([1.0]))
    assert Origin(evidence).of("mcc|all_queries|all|value", pair) == ([], "")


def test_rows_of_a_sample_are_not_looked_for_among_all(bare: CaseOf, said: Said) -> None:
    evidence, pair = asked(bare(scope="1 in 2 posts"), said, of([0.0]), of([1.0]))
    assert Origin(evidence).of("hit@1|all_queries|all|mean", pair) == ([], "")


def test_a_witness_that_fails_by_query_is_told(bare: CaseOf, said: Said) -> None:
    def fail(case: Case) -> dict[str, list[float]]:
        raise ValueError(f"not about {case.system}")

    evidence, pair = asked(bare(), said, of([0.0]), fail)
    remark = "; reference gave no per-query values (not about study)"
    assert Origin(evidence).of("hit@1|all_queries|all|mean", pair) == ([], remark)


def test_a_witness_is_asked_for_its_per_query_values_once(bare: CaseOf, said: Said) -> None:
    calls: list[str] = []

    def counted(case: Case) -> dict[str, list[float]]:
        calls.append(case.system)
        return {"hit@1": [1.0]}

    evidence, pair = asked(bare(), said, counted, counted)
    origin = Origin(evidence)
    for _ in range(2):
        origin.of("hit@1|all_queries|folds|mean", pair)
    assert calls == ["study", "study"]


@pytest.mark.parametrize(
    ("cells", "name"),
    [
        ({"query_id": "7"}, "query 7"),
        ({"post_id": "p", "criterion_id": "c"}, "post p, criterion c"),
        ({"post_id": "p", "criterion_id": "c", "fold": 3}, "post p, criterion c, fold 3"),
    ],
)
def test_a_query_is_named_as_one_would_look_for_it(
    case_of: CaseOf, primary_says: Callable[..., Evidence], cells: dict[str, Any], name: str
) -> None:
    first = {key: 0 if key == "fold" else "other" for key in cells}
    rows = [cells | {"gold": ["u"], "candidates": ["u"]} for cells in (first, cells)]
    assert query_name(primary_says(case_of(*rows)), 1) == name
