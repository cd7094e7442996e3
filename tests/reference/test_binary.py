"""Binary classification beyond the study (section 16), and the columns that it is read from."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import pytest

import reference
from reference import classification

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Jsonl = Callable[[list[dict[str, Any]]], Path]
    Csv = Callable[[str], Path]

Rows = list[dict[str, Any]]


def gate(*cells: tuple[float, int]) -> Rows:
    return [
        {"query_id": f"q{i}", "prob": prob, "has_evidence": label}
        for i, (prob, label) in enumerate(cells)
    ]


def all_of(found: dict[str, Any]) -> dict[str, Any]:
    """Keep the values on slice `all`, by metric."""
    end = "|all_queries|all|value"
    return {key.removesuffix(end): value for key, value in found.items() if key.endswith(end)}


def test_rates_of_a_confusion_table_by_hand(jsonl: Jsonl) -> None:
    # tp 3, fn 1, fp 2, tn 4
    cells = [(0.9, 1)] * 3 + [(0.1, 1)] + [(0.9, 0)] * 2 + [(0.1, 0)] * 4
    found = all_of(reference.exact(jsonl(gate(*cells))))
    wanted = {
        "accuracy": Fraction(7, 10),
        "error_rate": Fraction(3, 10),
        "f_beta@beta=0.5": Fraction(15, 24),  # P 3/5, R 3/4: 1.25·P·R / (0.25·P + R)
        "f_beta@beta=2": Fraction(15, 21),
        "jaccard": Fraction(1, 2),
        "kappa": Fraction(2, 5),  # agreement by chance (5·4 + 5·6)/100 = 1/2
        "informedness": Fraction(3, 4) + Fraction(2, 3) - 1,
        "markedness": Fraction(3, 5) + Fraction(4, 5) - 1,
        "fdr": Fraction(2, 5),
        "fomr": Fraction(1, 5),
        "prevalence": Fraction(2, 5),
        "auroc/decisions": (Fraction(3, 4) + Fraction(2, 3)) / 2,
    }
    assert {name: found[name] for name in wanted} == wanted
    assert found["auroc/decisions"] == found["balanced_accuracy"]


@pytest.mark.parametrize("counts", list(product(range(3), repeat=4)))
def test_every_small_table_by_the_definition(counts: tuple[int, ...]) -> None:
    tp, fp, tn, fn = counts
    table = classification.Confusion(*counts)
    found, n = classification.further(table), sum(counts)
    if not n:
        assert set(found.values()) == {0}
        assert classification.of_decisions(table) == 0
        return
    precision = Fraction(tp, tp + fp) if tp + fp else Fraction(0)
    recall = Fraction(tp, tp + fn) if tp + fn else Fraction(0)
    npv = Fraction(tn, tn + fn) if tn + fn else Fraction(0)
    specificity = Fraction(tn, tn + fp) if tn + fp else Fraction(0)
    agreed = Fraction(tp + tn, n)
    chance = Fraction(tp + fp, n) * Fraction(tp + fn, n) + Fraction(tn + fn, n) * Fraction(
        tn + fp, n
    )
    assert found == {
        "accuracy": agreed,
        "error_rate": 1 - agreed,
        "jaccard": Fraction(tp, tp + fp + fn) if tp + fp + fn else 0,
        "kappa": (agreed - chance) / (1 - chance) if chance != 1 else 0,
        "informedness": recall + specificity - 1,
        "markedness": precision + npv - 1,
        "fdr": 1 - precision if tp + fp else 0,
        "fomr": 1 - npv if tn + fn else 0,
        "prevalence": Fraction(tp + fn, n),
    }
    for beta in ("0.5", "2"):
        square = Fraction(beta) ** 2
        below = square * precision + recall
        wanted = (1 + square) * precision * recall / below if below else 0
        assert classification.f_beta(table, Decimal(beta)) == wanted
    pairs = [
        Fraction(a > b) + Fraction(a == b, 2)
        for a in [1] * tp + [0] * fn
        for b in [1] * fp + [0] * tn
    ]
    area = sum(pairs, Fraction(0)) / len(pairs) if pairs else Fraction(1, 2)
    assert classification.of_decisions(table) == area


def test_curves_by_hand(jsonl: Jsonl) -> None:
    # positives .9 .6 .3, negatives .6 .4 .2 .1
    cells = [(0.9, 1), (0.6, 1), (0.6, 0), (0.4, 0), (0.3, 1), (0.2, 0), (0.1, 0)]
    found = all_of(reference.exact(jsonl(gate(*cells)), {"fpr": [25, 50, 100, 0]}))
    # F1 at .9: 2/4; .6: 4/6; .4: 4/7; .3: 6/8; .2: 6/9; .1: 6/10.
    assert (found["max_f1"], found["threshold@max_f1"]) == (Fraction(3, 4), Fraction(3, 10))
    assert found["auroc"] == (4 + Fraction(7, 2) + 2) / 12
    assert found["gini"] == 2 * found["auroc"] - 1
    # (0, 1/3) → (1/4, 2/3) is a diagonal; then flat to 1/2, up to 1, flat.
    assert found["auroc/partial@fpr=25%"] == Fraction(1, 2)
    assert found["auroc/partial@fpr=50%"] == (Fraction(1, 8) + Fraction(1, 6)) * 2
    assert found["auroc/partial@fpr=100%"] == found["auroc"]
    assert found["auroc/partial@fpr=0%"] == 0


@pytest.mark.parametrize("percent", [5, 12.5, 30, 60])
def test_the_partial_area_is_that_of_a_fine_staircase(jsonl: Jsonl, percent: float) -> None:
    """The ROC with diagonals, seen as the mean over all orders of equals, integrated exactly."""
    cells = [(0.9, 1), (0.9, 0), (0.7, 1), (0.5, 0), (0.5, 0), (0.5, 1), (0.2, 0)]
    key = f"auroc/partial@fpr={percent:g}%"
    found = all_of(reference.exact(jsonl(gate(*cells)), {"fpr": [percent]}))[key]
    points = [(0, 0), (Fraction(1, 4), Fraction(1, 3)), (Fraction(1, 4), Fraction(2, 3))]
    points += [(Fraction(3, 4), 1), (1, 1)]
    alpha, steps = Fraction(str(percent)) / 100, 2000
    height = [_at(points, alpha * (2 * i + 1) / (2 * steps)) for i in range(steps)]
    assert float(sum(height) / steps) == pytest.approx(float(found), abs=1e-3)


def _at(points: list[Any], x: Fraction) -> Fraction:
    for (x1, y1), (x2, y2) in pairwise(points):
        if x1 < x <= x2:
            return Fraction(y1) + (y2 - y1) * (x - x1) / (x2 - x1)
    raise AssertionError(x)


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        ([(0.3, 1), (0.8, 1)], {"max_f1": 1, "threshold@max_f1": Fraction(3, 10), "gini": 0}),
        ([(0.3, 0), (0.8, 0)], {"max_f1": 0, "threshold@max_f1": math.inf, "gini": 0}),
        ([(0.3, 0)], {"auroc/partial@fpr=5%": Fraction(1, 40), "auroc/decisions": Fraction(1, 2)}),
        ([(0.3, 0)], {"brier/skill": 0, "kappa": 0, "jaccard": 0}),
        ([(0.5, 1), (0.5, 0)], {"log_loss": "ln 2", "brier/skill": 0}),
        ([(0, 1), (1, 1)], {"log_loss": math.inf}),
        ([(1, 0), (1, 1)], {"log_loss": math.inf, "brier/skill": -1}),
        ([(1, 1), (0, 0)], {"log_loss": 0, "brier/skill": 1, "mce@10": 0}),
    ],
)
def test_edges(jsonl: Jsonl, cells: list[tuple[float, int]], wanted: dict[str, Any]) -> None:
    found = all_of(reference.exact(jsonl(gate(*cells))))
    for name, value in wanted.items():
        if value == "ln 2":
            assert float(found[name]) == math.log(2)
        else:
            assert found[name] == value, name


def test_over_no_rows_everything_of_section_16_is_zero(jsonl: Jsonl) -> None:
    row = {"post_id": "p", "criterion_id": "A", "prob": 0.5, "has_evidence": 1}
    found = reference.exact(jsonl([row]), {"views": {"none": []}, "bins": [3]})
    of_none = {key: value for key, value in found.items() if "|view=none|value" in key}
    names = {
        "error_rate", "informedness", "markedness", "kappa", "log_loss", "brier/skill", "mce@3",
        "ece@3/equal_mass", "gini", "max_f1", "auroc/partial@fpr=5%", "auroc/decisions", "fdr",
    }  # fmt: skip
    assert {of_none[f"{name}|all_queries|view=none|value"] for name in names} == {0}
    assert of_none["threshold@max_f1|all_queries|view=none|value"] == math.inf


def test_calibration_by_hand(jsonl: Jsonl) -> None:
    cells = [(0.1, 0), (0.2, 1), (0.2, 0), (0.2, 0), (0.9, 1)]
    found = all_of(reference.exact(jsonl(gate(*cells)), {"bins": [2, 10]}))
    # Bins of 3 and 2: |1 − .5| + |1 − 1.1|, over 5.
    assert found["ece@2/equal_mass"] == Fraction(6, 50)
    # Ten bins, five rows: one each. .1 + .8 + .2 + .2 + .1, over 5.
    assert found["ece@10/equal_mass"] == Fraction(14, 50)
    assert found["mce@2"] == Fraction(1, 10)  # [0, .5): |1 − .7|/4; [.5, 1]: |1 − .9|
    assert found["mce@10"] == max(Fraction(1, 10), abs(Fraction(1, 3) - Fraction(1, 5)))
    logs = [0.9, 0.2, 0.8, 0.8, 0.9]
    assert float(found["log_loss"]) == pytest.approx(-sum(map(math.log, logs)) / 5, rel=1e-14)
    facts = reference.describe(jsonl(gate(*cells)), {"bins": [2]})
    assert facts["straddling"] == 3


def test_the_file_order_breaks_equal_probabilities(jsonl: Jsonl) -> None:
    key = "ece@2/equal_mass|all_queries|all|value"
    mixed = gate((0.5, 1), (0.5, 0), (0.5, 1), (0.5, 0))
    apart = gate((0.5, 1), (0.5, 1), (0.5, 0), (0.5, 0))
    assert reference.evaluate(jsonl(mixed))[key.replace("2", "10")] == 0.5
    assert reference.exact(jsonl(mixed), {"bins": [2]})[key] == 0
    assert reference.exact(jsonl(apart), {"bins": [2]})[key] == Fraction(1, 2)


def test_an_infinite_loss_makes_means_over_folds_infinite(jsonl: Jsonl) -> None:
    rows = [{**row, "fold": i % 2} for i, row in enumerate(gate((0, 1), (0.5, 0), (0.5, 1)))]
    found = reference.evaluate(jsonl(rows))
    for statistic in ("mean", "std", "std/population"):
        assert found[f"log_loss|all_queries|folds|{statistic}"] == math.inf
    assert math.isfinite(found["log_loss|all_queries|fold=1|value"])


def test_a_score_is_what_the_curves_use_where_there_is_no_probability(jsonl: Jsonl) -> None:
    scores = [(3.5, 1), (-2, 0), (1e9, 1), (0.25, 0)]
    rows = [{"query_id": str(i), "score": s, "has_evidence": y} for i, (s, y) in enumerate(scores)]
    facts = reference.describe(jsonl(rows))
    assert facts["families"] == ["curves", "has_evidence_slices"]
    assert facts["queries"]["predicted_positive"] is None
    found = all_of(reference.exact(jsonl(rows)))
    assert (found["auroc"], found["threshold@fpr=1%"]) == (1, Fraction(7, 2))
    assert "tp" not in found
    stated = reference.exact(jsonl(rows), {"threshold": -2})
    assert stated["fp|all_queries|all|value"] == 2
    assert not [key for key in stated if key.startswith(("brier", "ece", "log_loss"))]


def test_scores_are_tuned_on_too(jsonl: Jsonl) -> None:
    cells = [("EVAL", 5, 1), ("EVAL", -3, 0), ("TUNE", 4, 1), ("TUNE", -7, 0)]
    rows = [
        {"query_id": str(i), "fold": 0, "split": s, "y_score": x, "has_evidence": y}
        for i, (s, x, y) in enumerate(cells)
    ]
    found = reference.evaluate(jsonl(rows), {"fpr": [1]})
    assert found["threshold@fpr=1%/tuned|all_queries|fold=0|value"] == 4
    assert found["tpr@fpr=1%/tuned|all_queries|folds|mean"] == 1
    assert "grid" not in reference.describe(jsonl(rows))["families"]


def test_a_score_beside_a_probability_is_not_read(jsonl: Jsonl) -> None:
    rows = [{**row, "score": "none"} for row in gate((0.9, 1), (0.1, 0))]
    assert "score" not in reference.describe(jsonl(rows))["columns"]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("x", "a number is expected"),
        ("1", "Unquote it"),
        (None, "finite number"),
        (math.inf, "finite"),
        ([1], "finite"),
    ],
)
def test_a_bad_score_is_named(jsonl: Jsonl, cell: object, said: str) -> None:
    with pytest.raises(reference.InputError, match=said) as caught:
        reference.evaluate(jsonl([{"query_id": "q", "logit": cell, "has_evidence": 1}]))
    assert caught.value.problems[0].column == "logit"


def test_a_threshold_beyond_the_probabilities_is_refused(jsonl: Jsonl) -> None:
    with pytest.raises(reference.SettingsError, match=r"setting threshold is 1\.5"):
        reference.evaluate(jsonl(gate((0.9, 1))), {"threshold": 1.5})
    with pytest.raises(reference.SettingsError, match="setting threshold is -1"):
        reference.evaluate(jsonl(gate((0.9, 1))), {"threshold": {"0": -1}})


@pytest.mark.parametrize("truth", ["label", "y_true", "target"])
@pytest.mark.parametrize("guess", ["predicted", "y_pred"])
@pytest.mark.parametrize("prob", ["y_prob", "probability"])
def test_a_frame_without_a_key_is_read(csv_file: Csv, truth: str, guess: str, prob: str) -> None:
    path = csv_file(f",{truth},{guess},{prob}\n0,1,1,0.9\n1,0,true,0.2\n2,False,0,0.1\n")
    facts = reference.describe(path)
    assert facts["columns"] == {"has_evidence": truth, "prob": prob, "pred": guess}
    assert (facts["key"], facts["rows"]["EVAL"]) == ("rows", 3)
    assert facts["contradictions"] == {"has_evidence": 0, "state": 0, "pred": 1}
    assert reference.per_query(path)["query_id"] == ["1", "2", "3"]
    assert reference.exact(path)["accuracy|all_queries|all|value"] == Fraction(2, 3)


@pytest.mark.parametrize("row", [{"label": "1"}, {"label": 1}, {"label": True}, {"label": "TRUE"}])
def test_a_label_may_be_text_number_or_boolean(jsonl: Jsonl, row: dict[str, Any]) -> None:
    found = reference.per_query(jsonl([{"query_id": "q", "prob": 0.5, **row}]))
    assert found["has_evidence"] == [1]


def test_two_columns_that_could_both_be_the_label_are_named(csv_file: Csv) -> None:
    path = csv_file("label,y_true,y_prob\n1,1,0.5\n")
    with pytest.raises(reference.InputError, match="columns label and y_true could both be"):
        reference.evaluate(path)
    path = csv_file("has_evidence,label,prob\n1,1,0.5\n")
    with pytest.raises(reference.InputError, match="columns has_evidence and label could both be"):
        reference.evaluate(path)


def test_a_label_that_is_mapped_but_missing_is_named(csv_file: Csv) -> None:
    path = csv_file("y,prob\n1,0.5\n")
    with pytest.raises(reference.InputError, match="no column 'x' to read label from"):
        reference.evaluate(path, {"columns": {"label": "x"}})
    found = reference.describe(path, {"columns": {"label": "y"}})
    assert found["columns"] == {"has_evidence": "y", "prob": "prob"}
