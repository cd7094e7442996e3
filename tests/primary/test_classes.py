"""Section 17 by its definitions: all tables of three classes up to five rows, and by hand."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import polars as pl
import pytest

import primary
from primary.classification.classes import summary, table

NAMES = ("a", "b", "c")


def quotient(part: Any, whole: Any) -> Fraction:
    return Fraction(part) / whole if whole else Fraction(0)


def by_definition(rows: list[tuple[int, int]]) -> dict[str, float]:
    """Every metric of the confusion matrix, from the rows themselves."""
    n = len(rows)
    right = sum(true == guess for true, guess in rows)
    found: dict[str, Any] = {"accuracy": quotient(right, n), "f1/micro": quotient(right, n)}
    true = [sum(row[0] == k for row in rows) for k in range(3)]
    guess = [sum(row[1] == k for row in rows) for k in range(3)]
    hit = [sum(row == (k, k) for row in rows) for k in range(3)]
    chance = quotient(sum(p * t for p, t in zip(guess, true, strict=True)), n * n)
    found["kappa"] = quotient(quotient(right, n) - chance, 1 - chance)
    root = (n * n - sum(p * p for p in guess)) * (n * n - sum(t * t for t in true))
    cross = right * n - sum(p * t for p, t in zip(guess, true, strict=True))
    found["mcc/multiclass"] = cross / math.sqrt(root) if root else 0.0
    recalls = [quotient(h, t) for h, t in zip(hit, true, strict=True)]
    precisions = [quotient(h, p) for h, p in zip(hit, guess, strict=True)]
    f1 = [quotient(2 * p * r, p + r) for p, r in zip(precisions, recalls, strict=True)]
    present = [recall for recall, held in zip(recalls, true, strict=True) if held]
    found["balanced_accuracy/multiclass"] = quotient(sum(present), len(present))
    for name, column in (("precision", precisions), ("recall", recalls), ("f1", f1)):
        found[f"{name}/macro"] = sum(column, Fraction(0)) / 3
        found[f"{name}/weighted"] = quotient(
            sum(t * value for t, value in zip(true, column, strict=True)), n
        )
    return {name: float(value) for name, value in found.items()}


def test_all_tables_of_three_classes_up_to_five_rows() -> None:
    cells = list(product(range(3), repeat=2))
    seen = 0
    for size in range(6):
        for rows in combinations_with_replacement(cells, size):
            label, predicted = (np.array([row[k] for row in rows], dtype=np.int64) for k in (0, 1))
            got = summary(table(label, predicted, 3))
            assert got == pytest.approx(by_definition(list(rows)), abs=1e-15)
            seen += 1
    assert seen == 2002


def frame(rows: list[tuple[str, str]], **columns: Any) -> pl.DataFrame:
    label, predicted = zip(*rows, strict=True)
    return pl.DataFrame({"label": label, "predicted": predicted, **columns})


ROWS = [("a", "a"), ("a", "b"), ("b,1", "b,1"), ("c|%", "a"), ("c|%", "c|%")]


def test_the_keys_of_classes() -> None:
    data = frame([(x.replace("b,1", "b"), y.replace("b,1", "b")) for x, y in ROWS])
    ledger = primary.evaluate(data)
    assert ledger["queries|all_queries|all|n"] == 5
    assert {key.split("|")[1] for key in ledger} == {"all_queries"}
    assert not [key for key in ledger if key.startswith("queries|p")]
    assert ledger["accuracy|all_queries|all|value"] == 3 / 5
    assert ledger["tp|all_queries|class=a|value"] == 1
    assert ledger["fp|all_queries|class=a|value"] == 1
    assert ledger["tn|all_queries|class=a|value"] == 2
    assert ledger["fn|all_queries|class=a|value"] == 1
    assert ledger["support|all_queries|class=c%7C%25|value"] == 2
    assert ledger["specificity|all_queries|class=a|value"] == 2 / 3
    assert ledger["count@true=a,predicted=b|all_queries|all|value"] == 1
    assert ledger["count@true=c%7C%25,predicted=a|all_queries|all|value"] == 1
    assert isinstance(ledger["count@true=a,predicted=b|all_queries|all|value"], int)
    assert sum(value for key, value in ledger.items() if key.startswith("count@")) == 5


def test_a_comma_in_a_class_is_escaped() -> None:
    ledger = primary.evaluate(frame(ROWS), {"classes": ["b", "a", "b,1", "c|%"]})
    assert ledger["support|all_queries|class=b%2C1|value"] == 1
    assert ledger["count@true=a,predicted=b|all_queries|all|value"] == 1
    assert ledger["f1/macro|all_queries|all|value"] == pytest.approx(
        (0 + Fraction(1, 2) + 1 + Fraction(2, 3)) / 4
    )
    facts = primary.describe(frame(ROWS), {"classes": ["b", "a", "b,1", "c|%"]})
    assert facts["classes"] == ["b", "a", "b,1", "c|%"]
    assert facts["families"] == ["classes", "confusion_matrix"]
    assert facts["queries"] == {
        "all_queries": 5,
        "positives_only": None,
        "has_evidence": None,
        "predicted_positive": None,
    }
    assert facts["key"] == "rows"


def test_above_a_hundred_classes_there_is_no_matrix() -> None:
    rows = [(str(number), str(number)) for number in range(101)]
    owed = primary.describe(frame(rows))["families"]
    assert owed == ["classes"]
    assert primary.describe(frame(rows[:100]))["families"] == ["classes", "confusion_matrix"]


PROBS = [
    [0.5, 0.25, 0.25],
    [0.25, 0.5, 0.25],
    [0.25, 0.25, 0.5],
    [0.5, 0.5, 0.0],
    [0.0, 0.25, 0.75],
]
LABELS = ["a", "b", "a", "b", "c"]


def pair_share(own: int, other: int | None, probs: Any, labels: list[str]) -> Fraction:
    """P(p_own higher for a row of `own` than of `other`, or of any other), ½ for equal."""
    names = ["a", "b", "c"]
    ours = [row[own] for row, label in zip(probs, labels, strict=True) if label == names[own]]
    rest = [
        row[own]
        for row, label in zip(probs, labels, strict=True)
        if label != names[own] and (other is None or label == names[other])
    ]
    won = sum(Fraction(x > y) + Fraction(x == y, 2) for x in ours for y in rest)
    return won / (len(ours) * len(rest))


def test_areas_losses_and_calibration_of_probabilities() -> None:
    data = frame(list(zip(LABELS, LABELS, strict=True)), class_probs=PROBS)
    settings = {"classes": ["a", "b", "c"], "top_k": [1, 2, 3]}
    ledger = primary.evaluate(data, settings)
    value = {key.partition("|")[0]: got for key, got in ledger.items() if "|all|" in key}
    each = [pair_share(own, None, PROBS, LABELS) for own in range(3)]
    assert value["auroc/ovr_macro"] == pytest.approx(float(sum(each) / 3), abs=1e-15)
    weighted = (2 * each[0] + 2 * each[1] + each[2]) / 5
    assert value["auroc/ovr_weighted"] == pytest.approx(float(weighted), abs=1e-15)
    pairs = [
        (pair_share(i, j, PROBS, LABELS) + pair_share(j, i, PROBS, LABELS)) / 2
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    assert value["auroc/ovo_macro"] == pytest.approx(float(sum(pairs) / 3), abs=1e-15)
    losses = [-Decimal(str(p)).ln() for p in (0.5, 0.5, 0.25, 0.5, 0.75)]
    assert value["log_loss"] == pytest.approx(float(sum(losses) / 5), abs=1e-15)
    squares = [
        sum((p - (k == "abc".index(label))) ** 2 for k, p in enumerate(row))
        for row, label in zip(PROBS, LABELS, strict=True)
    ]
    assert value["brier/multiclass"] == pytest.approx(sum(squares) / 5, abs=1e-15)
    # Row 3 has a after c; in row 4 a and b are equal, and a is the earlier one.
    assert value["top_k_accuracy@1"] == 3 / 5
    assert value["top_k_accuracy@2"] == 1.0
    assert "top_k_accuracy@3" not in value
    # Four rows at .5 of which two are right, one at .75 which is.
    assert value["ece@10/top_label"] == pytest.approx((abs(2 - 4 * 0.5) + 0.25) / 5, abs=1e-15)
    assert value["classes_left_out"] == 0
    assert isinstance(value["classes_left_out"], int)
    assert primary.describe(data, settings)["disagreeing_predictions"] == 2


def test_a_class_that_does_not_occur_is_left_out_of_areas() -> None:
    data = frame([("a", "a"), ("b", "b")], class_probs=[[0.9, 0.1, 0.0], [0.2, 0.5, 0.3]])
    ledger = primary.evaluate(data, {"classes": ["a", "b", "c"]})
    assert ledger["auroc/ovr_macro|all_queries|all|value"] == 1.0
    assert ledger["classes_left_out|all_queries|all|value"] == 1
    one = frame([("a", "a")], class_probs=[[0.9, 0.1, 0.0]])
    ledger = primary.evaluate(one, {"classes": ["a", "b", "c"]})
    for metric in ("ovr_macro", "ovr_weighted", "ovo_macro"):
        assert ledger[f"auroc/{metric}|all_queries|all|value"] == 0.5
    assert ledger["classes_left_out|all_queries|all|value"] == 3


def test_a_label_without_probability_has_an_infinite_loss() -> None:
    data = frame([("a", "b"), ("b", "b")], class_probs=[[0.0, 1.0], [0.5, 0.5]], fold=[0, 1])
    ledger = primary.evaluate(data, {"classes": ["a", "b"]})
    assert ledger["log_loss|all_queries|all|value"] == math.inf
    assert ledger["log_loss|all_queries|fold=1|value"] == pytest.approx(math.log(2))
    for statistic in ("mean", "std", "std/population"):
        assert ledger[f"log_loss|all_queries|folds|{statistic}"] == math.inf


@pytest.mark.parametrize(
    ("columns", "settings", "words"),
    [
        ({"class_probs": [[0.5, 0.5]]}, {}, "nothing says which class each of them belongs to"),
        ({"class_probs": [[0.5, 0.6]]}, {"classes": ["a", "b"]}, "the probabilities add up to 1.1"),
        ({"class_probs": [[0.5, 0.500002]]}, {"classes": ["a", "b"]}, "add up to 1.0000"),
        ({"class_probs": [[1.0]]}, {"classes": ["a", "b"]}, "found 1 numbers for 2 classes"),
        ({"class_probs": [[1.5, -0.5]]}, {"classes": ["a", "b"]}, "found 1.5 in the list"),
        ({"class_probs": [[math.nan, 1]]}, {"classes": ["a", "b"]}, "found nan in the list"),
        ({"class_probs": ["x"]}, {"classes": ["a", "b"]}, "is no list of numbers"),
        ({"label": [""]}, {}, "the class is empty"),
        ({"predicted": [None]}, {}, "the class is empty"),
        ({"label": ["z"]}, {"classes": ["a", "b"]}, "found 'z', which is none of the classes"),
        ({}, {"classes": ["a", "a"]}, "the class 'a' is there twice"),
        ({}, {"classes": ["a"]}, "expected two classes or more, found 1"),
        ({}, {"classes": ["a", 1]}, "expected a list of texts"),
        ({"has_evidence": [1], "prob": [0.5]}, {}, "the file holds two labels"),
        ({"candidates": [["x"]], "gold": [["x"]]}, {}, "the file holds a ranking"),
    ],
)
def test_classes_that_cannot_be_are_refused(
    columns: dict[str, Any], settings: dict[str, Any], words: str
) -> None:
    rows = pl.DataFrame({"label": ["a"], "predicted": ["b"], **columns})
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(rows, settings)
    assert words in str(caught.value)


@pytest.mark.parametrize("label", ["", "z"])
def test_classes_that_nobody_asked_for_may_be_wrong(label: str) -> None:
    rows = pl.DataFrame({"label": [label, "a"], "predicted": ["a", "b"]})
    settings = {"families": ["curves"], "classes": ["a", "b"]}
    assert primary.evaluate(rows, settings) == {"queries|all_queries|all|n": 2}
    assert primary.describe(rows, settings)["classes"] == []


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"label": ["a"], "class_probs": [[0.5, 0.4]]}, "the probabilities add up to 0.9"),
        ({"class_probs": [[0.5, 0.4]]}, "the probabilities add up to 0.9"),
        ({"label": ["z"]}, "found 'z', which is none of the classes"),
        ({"predicted": [""]}, "the class is empty"),
    ],
)
def test_a_column_of_classes_alone_is_read_as_strictly(columns: dict[str, Any], words: str) -> None:
    rows = pl.DataFrame({"query_id": ["q"], **columns})
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(rows, {"classes": ["a", "b"], "task": "multiclass"})
    assert words in str(caught.value)


def test_probabilities_add_up_on_decimals() -> None:
    data = frame([("a", "a")], class_probs=[[0.5, 0.500001]])
    assert primary.evaluate(data, {"classes": ["a", "b"]})["accuracy|all_queries|all|value"] == 1.0


def test_the_task_says_which_labels_are_meant() -> None:
    rows = pl.DataFrame(
        {
            "label": ["a", "b"],
            "predicted": ["a", "a"],
            "has_evidence": [1, 0],
            "prob": [0.9, 0.2],
        }
    )
    binary = primary.describe(rows, {"task": "binary"})
    assert "confusion" in binary["families"]
    assert "classes" not in binary["families"]
    assert "label" not in binary["columns"]
    several = primary.describe(rows, {"task": "multiclass"})
    assert several["families"] == ["classes", "confusion_matrix"]
    ledger = primary.evaluate(rows, {"task": "multiclass"})
    assert ledger["accuracy|all_queries|all|value"] == 0.5


@pytest.mark.parametrize("values", [[0, 1], ["0", "1"], ["True", "false"], [False, True]])
def test_two_labels_under_other_names_are_labels(values: list[Any]) -> None:
    rows = pl.DataFrame({"y_true": values, "y_pred": values[::-1], "y_prob": [0.25, 0.5]})
    facts = primary.describe(rows)
    assert facts["columns"] == {"has_evidence": "y_true", "pred": "y_pred", "prob": "y_prob"}
    assert facts["key"] == "rows"
    several = primary.describe(rows, {"task": "multiclass"})
    assert several["classes"] == sorted(
        {str(value).lower() if isinstance(value, bool) else str(value) for value in values}
    )
    ledger = primary.evaluate(rows)
    assert ledger["tp|all_queries|all|value"] + ledger["tn|all_queries|all|value"] == 0


def test_one_value_that_is_no_label_makes_classes_of_both() -> None:
    rows = pl.DataFrame({"target": ["0", "1"], "predicted": ["0", "2"]})
    assert primary.describe(rows)["classes"] == ["0", "1", "2"]


@pytest.mark.parametrize(
    "columns",
    [
        {"has_evidence": [1, 0], "state": ["POS", "NEG"]},
        {"gold": [["x"], []], "selected": [["x"], []]},
        {"candidates": [["x"], ["x", "x"]]},
        {"score": [math.inf, 1.0]},
    ],
)
def test_beside_classes_alone_nothing_else_is_owed_or_read(columns: dict[str, Any]) -> None:
    plain = frame([("a", "a"), ("b", "a")])
    rows = plain.with_columns(pl.Series(name, cells) for name, cells in columns.items())
    assert primary.evaluate(rows) == primary.evaluate(plain)
    facts = primary.describe(rows)
    assert facts["families"] == ["classes", "confusion_matrix"]
    assert set(facts["columns"]) - set(plain.columns) == columns.keys() & {"has_evidence", "gold"}


def test_classes_that_only_tell_the_task_are_no_facts() -> None:
    rows = frame([("a", "a"), ("b", "a")], has_evidence=[1, 0])
    facts = primary.describe(rows, {"families": ["curves"]})
    assert (facts["families"], facts["classes"]) == ([], [])
    assert not {"label", "predicted"} & facts["columns"].keys()
    assert facts["queries"]["positives_only"] is None


def test_empty_cells_are_neither_labels_nor_classes() -> None:
    rows = frame([("1", "1"), ("0", "1"), ("", "")], split=["EVAL", "EVAL", "TRAIN"])
    ledger = primary.evaluate(rows)
    assert ledger["tp|all_queries|all|value"] == ledger["fp|all_queries|all|value"] == 1
    assert primary.table(rows)["has_evidence"].to_list() == [1, 0, None]
    tuned = rows.with_columns(split=pl.Series(["EVAL", "EVAL", "TUNE"]))
    with pytest.raises(primary.InputError, match=r"row 3, query .*, column label: found '' as"):
        primary.evaluate(tuned)


def test_two_columns_that_could_be_the_label_are_refused() -> None:
    rows = pl.DataFrame({"has_evidence": [1], "y_true": [1], "prob": [0.5]})
    with pytest.raises(primary.InputError, match="has_evidence and y_true could each be"):
        primary.evaluate(rows)
    mapped = primary.describe(rows, {"columns": {"has_evidence": "y_true"}})
    assert mapped["columns"]["has_evidence"] == "y_true"
    with pytest.raises(primary.InputError, match="y_true and target could each be label"):
        primary.evaluate(pl.DataFrame({"y_true": [1], "target": [1]}))


def test_a_sample_has_the_classes_of_its_rows() -> None:
    rows = pl.DataFrame(
        {
            "query_id": [str(number) for number in range(12)],
            "label": [f"c{number}" for number in range(12)],
            "predicted": ["c7"] * 12,
        }
    )
    kept = primary.table(rows, {"sample": 3})["query_id"].to_list()
    facts = primary.describe(rows, {"sample": 3})
    assert facts["classes"] == sorted({"c7", *(f"c{one}" for one in kept)})
    assert len(kept) < 12
    ledger = primary.evaluate(rows, {"sample": 3})
    chosen = rows.filter(pl.col("query_id").is_in(kept))
    assert ledger == primary.evaluate(chosen)
    given = primary.describe(rows, {"sample": 3, "classes": [f"c{n}" for n in range(12)]})
    assert len(given["classes"]) == 12
