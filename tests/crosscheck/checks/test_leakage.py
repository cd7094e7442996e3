"""Columns that know more than a model may, and the file's own columns they are read from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from crosscheck.checks import Evidence, Result, leakage
from crosscheck.model.findings import finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.data.case import Case
    from crosscheck.model.findings import Finding

    CaseOf = Callable[..., Case]
    PrimarySays = Callable[..., Evidence]


def told(rule: str, message: str, **seen: Any) -> Finding:
    return finding(rule, message, system="study", **seen)


def rows(positive: int = 8, negative: int = 8, **columns: Callable[[int, int], Any]) -> list[Any]:
    """Make queries with evidence, then without; each column from row number and label."""
    labels = [1] * positive + [0] * negative
    return [
        {"query_id": str(n), "has_evidence": label}
        | {name: of(n, label) for name, of in ({"prob": mixed} | columns).items()}
        for n, label in enumerate(labels)
    ]


def mixed(number: int, label: int) -> float:
    del label
    return (number % 5) / 10


def low(number: int, label: int) -> float:
    """Lie below 0.1 with evidence, from 0.5 without."""
    return number / 1000 if label else 0.5 + number / 1000


def high(number: int, label: int) -> float:
    return -low(number, label)


def as_label(number: int, label: int) -> int:
    del number
    return label


def test_columns_that_know_nothing_pass(case_of: CaseOf, primary_says: PrimarySays) -> None:
    case = case_of(*rows(extra=mixed))
    assert leakage.check(primary_says(case)) == Result(2, ())


def test_without_a_number_or_a_ranking_there_is_nothing_to_look_at(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    case = case_of({"query_id": "1", "has_evidence": 1, "pred": 1})
    skipped = Result(0, (), "no numeric column and no ranking to look at")
    assert leakage.check(primary_says(case)) == skipped


def test_a_probability_that_is_the_label_is_told(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    message = "prob is 1 on all 8 rows with evidence and 0 on the others"
    found = told("XC821", message, place="column prob")
    case = case_of(*rows(prob=as_label))
    assert leakage.check(primary_says(case)) == Result(1, (found,))


@pytest.mark.parametrize(("positive", "negative"), [(7, 9), (9, 7)])
def test_fewer_than_eight_of_a_class_separate_by_chance(
    case_of: CaseOf, primary_says: PrimarySays, positive: int, negative: int
) -> None:
    for column in (as_label, low):
        case = case_of(*rows(positive, negative, prob=column))
        assert leakage.check(primary_says(case)) == Result(1, ())


@pytest.mark.parametrize("column", [low, high])
def test_a_column_that_separates_the_classes_from_either_side_is_told(
    case_of: CaseOf, primary_says: PrimarySays, column: Any
) -> None:
    message = "column extra separates the rows with evidence from those without, perfectly"
    found = told("XC822", message, place="column extra")
    case = case_of(*rows(extra=column))
    assert leakage.check(primary_says(case)) == Result(2, (found,))


def test_a_probability_that_separates_without_being_the_label_is_told(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    [found] = leakage.check(primary_says(case_of(*rows(prob=low)))).findings
    assert (found.rule, found.place) == ("XC822", "column prob")


def test_another_column_that_is_the_label_separates(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    [found] = leakage.check(primary_says(case_of(*rows(extra=as_label)))).findings
    assert (found.rule, found.place) == ("XC822", "column extra")


def test_gold_is_a_label_too(case_of: CaseOf, primary_says: PrimarySays) -> None:
    made = rows(prob=low)
    for one in made:
        one |= {"gold": ["u"] if one.pop("has_evidence") else [], "candidates": ["u"]}
    result = leakage.check(primary_says(case_of(*made)))
    assert result.examined == 2
    [found] = result.findings
    assert (found.rule, found.place) == ("XC822", "column prob")


def test_without_labels_nothing_can_be_separated(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    made = rows(prob=low)
    for one in made:
        del one["has_evidence"]
    case = case_of(*made, settings={"tau_neg": 0.1, "tau_pos": 0.9})
    assert leakage.check(primary_says(case)) == Result(1, ())


@pytest.mark.parametrize(
    ("positive", "negative", "apart"),
    [
        ([2.0, 3.0], [0.0, 1.0], True),
        ([0.0, 1.0], [2.0, 3.0], True),
        ([1.0, 2.0], [0.0, 1.0], False),
        ([0.0, 1.0], [1.0, 2.0], False),
        ([0.0, 3.0], [1.0, 2.0], False),
    ],
)
def test_classes_are_apart_where_one_threshold_tells_them(
    positive: list[float], negative: list[float], *, apart: bool
) -> None:
    label = np.array([True, True, False, False])
    assert leakage.separates(label, np.array([*positive, *negative])) is apart


def test_other_columns_are_the_numeric_ones_that_the_contract_does_not_know(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    case = case_of(
        {"query_id": "1", "has_evidence": 1, "p": 0.5, "x": 1, "y": "a", "z": None, "one": 1},
        {"query_id": "2", "has_evidence": 0, "p": 0.5, "x": "2", "y": "3", "z": 4, "one": 1},
        settings={"columns": {"prob": "p"}},
    )
    found = leakage.other_columns(primary_says(case))
    assert {name: values.tolist() for name, values in found.items()} == {"x": [1.0, 2.0]}


def test_other_columns_are_those_of_eval_rows(case_of: CaseOf, primary_says: PrimarySays) -> None:
    parts = [("a", "TUNE", 9), ("b", "EVAL", 1), ("c", "EVAL", 2)]
    case = case_of(
        *[
            {"query_id": name, "fold": 0, "split": split, "has_evidence": 1, "prob": 0.5, "x": x}
            for name, split, x in parts
        ]
    )
    found = leakage.other_columns(primary_says(case))
    assert {name: values.tolist() for name, values in found.items()} == {"x": [1.0, 2.0]}


def test_columns_of_other_rows_than_the_table_holds_are_not_looked_at(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    made = rows(extra=mixed)
    assert list(leakage.other_columns(primary_says(case_of(*made)))) == ["extra"]
    sample = case_of(*made, settings={"sample": 2})
    assert leakage.other_columns(primary_says(sample)) == {}


def per_query(monkeypatch: pytest.MonkeyPatch, **columns: list[Any]) -> None:
    values = {name.replace("_at_", "@"): column for name, column in columns.items()}
    monkeypatch.setattr(
        "crosscheck.witnesses.implementations.primary_per_query",
        lambda case: values if case.system == "study" else {},
    )


def test_a_column_that_repeats_a_metric_is_told_once(
    case_of: CaseOf, primary_says: PrimarySays, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = [0.0, 0.5, 1.0]
    per_query(
        monkeypatch,
        k=values,
        unknown=values,
        hit_at_1=[0.0, 1.0, 1.0],
        map_at_1=[0.0, 0.5, 0.9],
        ndcg_at_10=[0.0, 0.5 + 9e-7, 1.0],
        mrr_at_10=values,
    )
    made = rows(1, 2, extra=lambda number, _: number / 2)
    message = "column extra is ndcg@10 of the query, row by row"
    found = told("XC823", message, place="column extra")
    assert leakage.check(primary_says(case_of(*made))) == Result(2, (found,))


@pytest.mark.parametrize("values", [[0.0, 0.5, 1.0 + 2e-6], [0.0, 0.0, 1.0], [0.0, None, 1.0]])
def test_a_column_that_is_no_metric_passes(
    case_of: CaseOf,
    primary_says: PrimarySays,
    monkeypatch: pytest.MonkeyPatch,
    values: list[Any],
) -> None:
    per_query(monkeypatch, ndcg_at_10=values)
    column = [0.0, 0.0, 1.0] if values[1] == 0.0 else [0.0, 0.5, 1.0]
    made = rows(1, 2, extra=lambda number, _: column[number])
    assert leakage.check(primary_says(case_of(*made))) == Result(2, ())


def test_the_selection_and_the_probability_need_no_gold(
    case_of: CaseOf, primary_says: PrimarySays, monkeypatch: pytest.MonkeyPatch
) -> None:
    per_query(monkeypatch, k=[1.0, 2.0, 3.0], prob=[0.0, 0.1, 0.2], ndcg_at_10=[0.0, 0.1, 0.2])
    made = rows(1, 2, extra=lambda number, _: number + 1)
    assert leakage.check(primary_says(case_of(*made))) == Result(2, ())


def ranked(count: int, gold: list[str], ranking: list[str]) -> list[dict[str, Any]]:
    return [{"query_id": str(n), "gold": gold, "candidates": ranking} for n in range(count)]


def test_a_ranking_with_all_gold_before_everything_else_is_told(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    made = ranked(8, ["u", "v"], ["v", "u", "w"])
    made += [{"query_id": "none", "gold": [], "candidates": ["u"]}]
    made += [{"query_id": "short", "gold": ["u"], "candidates": ["u"]}]
    made += [{"query_id": "missing", "gold": ["x"], "candidates": ["u"]}]
    message = "in all 8 queries with gold, the gold comes before everything else"
    assert leakage.check(primary_says(case_of(*made))) == Result(1, (told("XC824", message),))


def test_one_query_with_gold_further_down_is_enough(
    case_of: CaseOf, primary_says: PrimarySays
) -> None:
    made = ranked(8, ["u", "v"], ["v", "u", "w"])
    made += [{"query_id": "other", "gold": ["v"], "candidates": ["u", "v"]}]
    assert leakage.check(primary_says(case_of(*made))) == Result(1, ())


def test_seven_perfect_rankings_may_be_chance(case_of: CaseOf, primary_says: PrimarySays) -> None:
    case = case_of(*ranked(7, ["u"], ["u", "w"]))
    assert leakage.check(primary_says(case)) == Result(1, ())


def test_a_ranking_needs_gold_and_candidates(case_of: CaseOf, primary_says: PrimarySays) -> None:
    candidates = {"query_id": "1", "candidates": ["u"], "has_evidence": 1, "prob": 0.5}
    gold = {"query_id": "1", "gold": ["u"], "prob": 0.5}
    for one in (candidates, gold):
        assert leakage.check(primary_says(case_of(one))) == Result(1, ())
