"""Several classes (section 17): by hand, and against the definition for every small table."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, Any

import pytest

import reference
from reference import classes, values
from reference.settings import Settings
from reference.study import Query, Study

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    Jsonl = Callable[[list[dict[str, Any]]], Path]
    Csv = Callable[[str], Path]

NAMES = ("a", "b", "c")
EMPTY = Study(Settings(), (), classes=NAMES)


def rows_of(told: Sequence[tuple[str, str]]) -> list[Query]:
    return [Query(i, truth=true, predicted=guess) for i, (true, guess) in enumerate(told)]


def measured(told: Sequence[tuple[str, str]]) -> dict[str, Any]:
    with values.high_precision():
        return {name: value for name, _, _, value in classes.decisions(rows_of(told), EMPTY)}


def mean(numbers: Sequence[Fraction]) -> Fraction:
    return sum(numbers, Fraction(0)) / len(numbers) if numbers else Fraction(0)


def share(above: int, below: int) -> Fraction:
    return Fraction(above, below) if below else Fraction(0)


def by_definition(told: Sequence[tuple[str, str]]) -> dict[str, Any]:
    n = len(told)
    precision, recall, f1, support = {}, {}, {}, {}
    for name in NAMES:
        tp = sum(true == guess == name for true, guess in told)
        precision[name] = share(tp, sum(guess == name for _, guess in told))
        support[name] = sum(true == name for true, _ in told)
        recall[name] = share(tp, support[name])
        both = precision[name] + recall[name]
        f1[name] = 2 * precision[name] * recall[name] / both if both else Fraction(0)
    agreed = share(sum(true == guess for true, guess in told), n)
    chance = sum(
        (share(sum(t == c for t, _ in told), n) * share(sum(g == c for _, g in told), n))
        for c in NAMES
    )
    found: dict[str, Any] = {
        "accuracy": agreed,
        "f1/micro": agreed,
        "kappa": (agreed - chance) / (1 - chance) if n and chance != 1 else 0,
        "balanced_accuracy/multiclass": mean([recall[c] for c in NAMES if support[c]]),
    }
    for name, each in (("precision", precision), ("recall", recall), ("f1", f1)):
        found[f"{name}/macro"] = mean([each[c] for c in NAMES])
        found[f"{name}/weighted"] = share(1, n) * sum(each[c] * support[c] for c in NAMES)
    return found


def correlation(told: Sequence[tuple[str, str]]) -> Fraction:
    """Return the square of R_K, signed: covariances of the indicator vectors."""
    n = len(told)

    def covariance(x: int, y: int) -> Fraction:
        total = Fraction(0)
        for c in NAMES:
            first, second = ([pair[side] == c for pair in told] for side in (x, y))
            total += Fraction(sum(a and b for a, b in zip(first, second, strict=True)), n)
            total -= Fraction(sum(first), n) * Fraction(sum(second), n)
        return total

    above, below = covariance(0, 1), covariance(0, 0) * covariance(1, 1)
    return above * abs(above) / below if below else Fraction(0)


@pytest.mark.parametrize("count", range(6))
def test_every_table_of_three_classes_by_the_definition(count: int) -> None:
    for told in combinations_with_replacement(list(product(NAMES, repeat=2)), count):
        found = measured(told)
        mcc = found.pop("mcc/multiclass")
        assert found == by_definition(told), told
        if told:
            wanted = correlation(told)
            signed = values.as_decimal(mcc) * abs(values.as_decimal(mcc))
            assert abs(signed - values.as_decimal(wanted)) < Decimal("1e-25"), told
        else:
            assert mcc == 0


ROWS = [
    {"label": true, "predicted": guess, "class_probs": probs}
    for true, guess, probs in [
        ("a", "a", [0.7, 0.2, 0.1]),
        ("a", "b", [0.3, 0.3, 0.4]),
        ("b", "b", [0.1, 0.8, 0.1]),
        ("c", "a", [0.5, 0.25, 0.25]),
        ("c", "c", [0, 0, 1]),
    ]
]
SETTINGS = {"classes": ["a", "b", "c"], "top_k": [1, 2, 3], "bins": [2]}


def test_a_study_by_hand(jsonl: Jsonl) -> None:
    found = reference.exact(jsonl(ROWS), SETTINGS)

    def value(metric: str, where: str = "all") -> Any:
        return found[f"{metric}|all_queries|{where}|value"]

    assert value("accuracy") == Fraction(3, 5)
    assert [value(f"count@true=a,predicted={c}") for c in NAMES] == [1, 1, 0]
    assert [value("support", f"class={c}") for c in NAMES] == [2, 1, 2]
    assert [value(m, "class=a") for m in ("tp", "fp", "tn", "fn")] == [1, 1, 2, 1]
    kept = [value("specificity", f"class={c}") for c in NAMES]
    assert kept == [Fraction(2, 3), Fraction(3, 4), 1]
    # p of a: .7 .3 against .1 .5 0, won 3 + 2 of 6; of b: .8 against .2 .3 .25 0;
    # of c: .25 1 against .1 .4 .1, won 2 + 3.
    areas = [Fraction(5, 6), Fraction(1), Fraction(2 + 3, 6)]
    assert value("auroc/ovr_macro") == sum(areas) / 3
    assert value("auroc/ovr_weighted") == (2 * areas[0] + areas[1] + 2 * areas[2]) / 5
    # (a, b): A(a|b) 1, A(b|a) 1; (a, c): .7 .3 against .5 0: 3/4; .25 1 against .1 .4: 3/4;
    # (b, c): .8 against .25 0: 1; .25 1 against .1: 1.
    assert value("auroc/ovo_macro") == (1 + Fraction(3, 4) + 1) / 3
    assert value("classes_left_out") == 0
    told = [0.7, 0.3, 0.8, 0.25, 1]
    assert float(value("log_loss")) == pytest.approx(-sum(map(math.log, told)) / 5, rel=1e-14)
    squares = [
        Fraction(9 + 4 + 1, 100), Fraction(49 + 9 + 16, 100), Fraction(1 + 4 + 1, 100),
        Fraction(25, 100) + Fraction(1, 16) + Fraction(9, 16), Fraction(0),
    ]  # fmt: skip
    assert value("brier/multiclass") == sum(squares) / 5
    # Ranks of the truth: 1, 2 (before b), 1, 3 (b is earlier), 1.
    assert value("top_k_accuracy@1") == Fraction(3, 5)
    assert value("top_k_accuracy@2") == Fraction(4, 5)
    assert "top_k_accuracy@3|all_queries|all|value" not in found
    # Largest .4 (wrong: c), in the first bin; .7 .8 1 right and .5 wrong in the second.
    assert value("ece@2/top_label") == (Fraction(4, 10) + abs(3 - Fraction(3))) / 5
    facts = reference.describe(jsonl(ROWS), SETTINGS)
    assert facts["families"] == ["class_probs", "classes", "confusion_matrix"]
    assert facts["classes"] == list(NAMES)
    assert facts["disagreeing_predictions"] == 1
    assert facts["columns"] == {name: name for name in ROWS[0]}
    assert facts["queries"] == {
        "all_queries": 5,
        "positives_only": None,
        "has_evidence": None,
        "predicted_positive": None,
    }
    assert {key for key in found if key.startswith("queries")} == {"queries|all_queries|all|n"}


def test_classes_are_the_union_in_code_point_order_and_are_escaped(csv_file: Csv) -> None:
    path = csv_file('id,y_true,y_pred\n1,"x,y",b|%\n2,ä,b|%\n3,"x,y","x,y"\n')
    assert reference.describe(path)["classes"] == ["b|%", "x,y", "ä"]
    found = reference.exact(path)
    assert found["count@true=x%2Cy,predicted=b%7C%25|all_queries|all|value"] == 1
    assert found["recall|all_queries|class=x%2Cy|value"] == Fraction(1, 2)


def test_a_class_that_does_not_occur_counts_in_the_macro_mean(csv_file: Csv) -> None:
    path = csv_file("label,predicted\na,a\nb,b\n")
    found = reference.exact(path, {"classes": ["a", "b", "c"]})
    assert found["f1/macro|all_queries|all|value"] == Fraction(2, 3)
    assert found["balanced_accuracy/multiclass|all_queries|all|value"] == 1
    assert found["support|all_queries|class=c|value"] == 0


def test_what_is_left_of_auroc_without_a_class(jsonl: Jsonl) -> None:
    found = reference.exact(jsonl(ROWS[:1]), SETTINGS)
    for kind in ("ovr_macro", "ovr_weighted", "ovo_macro"):
        assert found[f"auroc/{kind}|all_queries|all|value"] == Fraction(1, 2)
    assert found["classes_left_out|all_queries|all|value"] == 3
    two = reference.exact(jsonl(ROWS[:3]), SETTINGS)
    assert two["classes_left_out|all_queries|all|value"] == 1
    assert two["auroc/ovr_macro|all_queries|all|value"] == 1


def test_a_class_ruled_out_makes_the_loss_infinite(jsonl: Jsonl) -> None:
    rows = [*ROWS, {"label": "a", "predicted": "c", "class_probs": [0, 0.5, 0.5]}]
    assert reference.evaluate(jsonl(rows), SETTINGS)["log_loss|all_queries|all|value"] == math.inf


def test_above_a_hundred_classes_there_is_no_matrix(csv_file: Csv) -> None:
    lines = "".join(f"c{i},c{i}\n" for i in range(101))
    path = csv_file(f"label,predicted\n{lines}")
    assert "confusion_matrix" not in reference.describe(path)["families"]
    found = reference.exact(path)
    assert found["accuracy|all_queries|all|value"] == 1
    assert not [key for key in found if key.startswith("count@")]


def test_whole_numbers_are_classes_by_their_text(jsonl: Jsonl) -> None:
    rows = [{"label": 0, "predicted": "0"}, {"label": 2, "predicted": 1}]
    assert reference.describe(jsonl(rows))["classes"] == ["0", "1", "2"]


@pytest.mark.parametrize("settings", [{"task": "multiclass"}, {"classes": ["0", "1"]}])
def test_two_classes_may_be_told_apart_as_classes(csv_file: Csv, settings: dict[str, Any]) -> None:
    found = reference.exact(csv_file("label,predicted\n0,0\n1,0\n"), settings)
    assert found["recall|all_queries|class=0|value"] == 1
    assert "sensitivity|all_queries|all|value" not in found


def test_a_file_with_both_tasks_needs_to_be_told_which(csv_file: Csv) -> None:
    path = csv_file("query_id,has_evidence,prob,label,predicted\nq,1,0.9,cat,dog\n")
    with pytest.raises(reference.InputError, match="the file holds two tasks"):
        reference.evaluate(path)
    binary = reference.evaluate(path, {"task": "binary"})
    assert "f1/macro|all_queries|all|value" not in binary
    assert binary["tp|all_queries|all|value"] == 1
    several = reference.evaluate(path, {"task": "multiclass"})
    assert "auroc|all_queries|all|value" not in several
    assert several["f1/macro|all_queries|all|value"] == 0


def test_a_lone_column_of_classes_makes_no_task(csv_file: Csv) -> None:
    path = csv_file("query_id,label,prob,has_evidence\nq,cat,0.5,1\nr,,0.5,1\n")
    facts = reference.describe(path)
    assert (facts["columns"]["label"], facts["classes"]) == ("label", [])
    assert "confusion" in facts["families"]


def test_other_columns_of_a_file_of_classes_are_read_but_owe_nothing(csv_file: Csv) -> None:
    path = csv_file("label,predicted,y_prob,candidates\na,b,0.5,a||b\n")
    facts = reference.describe(path)
    assert facts["columns"] == {"prob": "y_prob", "label": "label", "predicted": "predicted"}
    assert facts["families"] == ["classes", "confusion_matrix"]
    with pytest.raises(reference.InputError, match="outside"):
        reference.evaluate(csv_file("label,predicted,y_prob\na,b,1.5\n"))


def test_the_task_does_not_depend_on_the_families_asked_for(csv_file: Csv) -> None:
    path = csv_file("label,predicted\na,b\nb,b\n")
    assert list(reference.evaluate(path, {"families": ["graded"]})) == ["queries|all_queries|all|n"]


@pytest.mark.parametrize(
    ("change", "settings", "column", "said"),
    [
        ({"label": "d"}, {}, "label", "found the class 'd', which classes does not name"),
        ({"predicted": ""}, {}, "predicted", "the name is empty"),
        ({"predicted": None}, {}, "predicted", "where a name is expected"),
        ({"label": 1.5}, {}, "label", "found the class '1.5', which classes does not name"),
        ({"label": ["a"]}, {}, "label", "where a name is expected"),
        ({"class_probs": [0.5, 0.5]}, {}, "class_probs", "2 class_probs for 3 classes"),
        ({"class_probs": [0.5, 0.4, 0]}, {}, "class_probs", "the probabilities sum to 0.9"),
        ({"class_probs": [1.5, -0.5, 0]}, {}, "class_probs", "outside [0, 1]"),
        ({"class_probs": ["a", 0, 1]}, {}, "class_probs", "where a number is expected"),
        ({"class_probs": [math.nan, 0, 1]}, {}, "class_probs", "where a finite number"),
        ({"class_probs": 1}, {}, "class_probs", "where a list is expected"),
    ],
)
def test_what_is_wrong_with_a_row_is_named(
    jsonl: Jsonl, change: dict[str, Any], settings: dict[str, Any], column: str, said: str
) -> None:
    path = jsonl([ROWS[0], {**ROWS[1], **change}])
    with pytest.raises(reference.InputError) as caught:
        reference.evaluate(path, {**SETTINGS, **settings})
    (problem,) = caught.value.problems
    assert (problem.row, problem.column) == (2, column)
    assert said in problem.what


def test_probabilities_that_nearly_sum_to_one_are_taken_as_they_are(jsonl: Jsonl) -> None:
    rows = [{**ROWS[0], "class_probs": [0.7, 0.2, 0.099999]}]
    found = reference.exact(jsonl(rows), SETTINGS)
    assert float(found["log_loss|all_queries|all|value"]) == pytest.approx(-math.log(0.7))


def test_probabilities_without_named_classes_are_refused(jsonl: Jsonl) -> None:
    with pytest.raises(reference.InputError, match="class_probs need the setting classes"):
        reference.evaluate(jsonl(ROWS))
    families = {"families": ["classes"]}
    assert "class_probs" not in reference.describe(jsonl(ROWS), families)["columns"]


def test_intervals_of_classes(jsonl: Jsonl) -> None:
    plan = {"query": [[1, 0, 2, 1, 1]]}
    sample = {"query": {"replicates": [0], "jackknife": [1]}}
    found = reference.intervals(jsonl(ROWS), SETTINGS, plan, {}, {}, sample)["recomputed"]["query"]
    names = {key.split("|")[0] for key in found["replicates"]}
    assert names == {*classes.HEADLINE, *classes.HEADLINE_PROBS}
    assert found["replicates"]["accuracy|all_queries|all|value"] == {0: 0.8}
    assert found["jackknife"]["accuracy|all_queries|all|value"] == {1: 0.75}


def test_folds_and_declared_slices_of_classes(jsonl: Jsonl) -> None:
    rows = [{**row, "fold": i % 2, "site": "xy"[i % 2]} for i, row in enumerate(ROWS)]
    found = reference.exact(jsonl(rows), {**SETTINGS, "slices": {"place": "site"}})
    assert found["accuracy|all_queries|place=x|value"] == 1
    assert found["accuracy|all_queries|folds|mean"] == Fraction(1, 2)
    assert found["accuracy|all_queries|place|macro"] == Fraction(1, 2)
    assert found["f1/macro|all_queries|place|micro"] == found["f1/macro|all_queries|all|value"]
    assert found["queries|all_queries|place=y|n"] == 2
    assert found["count@true=a,predicted=b|all_queries|fold=1|value"] == 1
    whole = [key for key in found if key.startswith(("count@", "classes_left_out"))]
    assert not [key for key in whole if "|folds|" in key]
    assert not [key for key in found if "|class=" in key and "fold" in key]


def test_one_class_alone_is_no_task(csv_file: Csv) -> None:
    path = csv_file("label,predicted\na,a\n")
    assert reference.describe(path)["families"] == []
