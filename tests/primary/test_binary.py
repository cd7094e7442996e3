"""Section 16 by its definitions, and the columns of section 14 that it reads."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import polars as pl
import pytest

import primary
from primary.classification.calibration import equal_mass, rest_of, straddling
from primary.classification.further import (
    further_areas,
    further_rates,
    largest_f1,
    largest_quotient,
)


def quotient(part: Any, whole: Any) -> Fraction:
    return Fraction(part) / whole if whole else Fraction(0)


def rates(tp: int, fp: int, tn: int, fn: int) -> dict[str, float]:
    """The rates as the contract's sentences have them."""
    n = tp + fp + tn + fn
    if not n:
        names = further_rates(0, 0, 0, 0, [Fraction(2)])
        return dict.fromkeys(names, 0.0)
    precision, recall = quotient(tp, tp + fp), quotient(tp, tp + fn)
    specificity, npv = quotient(tn, tn + fp), quotient(tn, tn + fn)
    chance = Fraction((tp + fp) * (tp + fn) + (tn + fn) * (tn + fp), n * n)
    both = (tp + fn) * (tn + fp) > 0
    found = {
        "accuracy": Fraction(tp + tn, n),
        "error_rate": 1 - Fraction(tp + tn, n),
        "jaccard": quotient(tp, tp + fp + fn),
        "kappa": quotient(Fraction(tp + tn, n) - chance, 1 - chance),
        "informedness": recall + specificity - 1,
        "markedness": precision + npv - 1,
        "fdr": 1 - precision if tp + fp else 0,
        "fomr": 1 - npv if tn + fn else 0,
        "prevalence": Fraction(tp + fn, n),
        "auroc/decisions": (recall + specificity) / 2 if both else Fraction(1, 2),
        "f_beta@beta=2": quotient(5 * precision * recall, 4 * precision + recall),
    }
    return {name: float(value) for name, value in found.items()}


def test_all_confusions_up_to_two_of_each() -> None:
    for counts in product(range(3), repeat=4):
        got = further_rates(*counts, [Fraction(2)])
        assert got == pytest.approx(rates(*counts), abs=1e-15), counts


def roc_points(positive: list[float], negative: list[float]) -> list[tuple[Fraction, Fraction]]:
    thresholds = sorted({*positive, *negative}, reverse=True)
    points = [(Fraction(0), Fraction(0))]
    for threshold in thresholds:
        reached = (sum(score >= threshold for score in scores) for scores in (negative, positive))
        fp, tp = reached
        points.append((Fraction(fp, len(negative)), Fraction(tp, len(positive))))
    return points


def area_upto(points: list[tuple[Fraction, Fraction]], limit: Fraction) -> Fraction:
    area = Fraction(0)
    for (x, y), (x_next, y_next) in pairwise(points):
        if x_next == x or x >= limit:
            continue
        end = min(x_next, limit)
        y_end = y + (y_next - y) * (end - x) / (x_next - x)
        area += (end - x) * (y + y_end) / 2
    return area


LEVELS = (0.2, 0.5, 0.8)


def test_areas_of_all_small_samples_with_ties() -> None:
    alphas = [Fraction(5), Fraction(30), Fraction(100, 3), Fraction(100)]
    for size in (1, 2, 3):
        for positive in product(LEVELS, repeat=2):
            for negative in product(LEVELS, repeat=size):
                got = further_areas(
                    np.sort(np.array(positive)), np.sort(np.array(negative)), alphas
                )
                points = roc_points(list(positive), list(negative))
                whole = area_upto(points, Fraction(1))
                assert got["gini"] == pytest.approx(float(2 * whole - 1), abs=1e-15)
                for alpha, value in zip(alphas, list(got.values())[3:], strict=True):
                    share = alpha / 100
                    exact = area_upto(points, share) / share
                    assert value == pytest.approx(float(exact), abs=1e-15)
                assert value == pytest.approx(float(whole), abs=1e-15)


@pytest.mark.parametrize(("positive", "negative"), [([0.5], []), ([], [0.5]), ([], [])])
def test_areas_of_one_class(positive: list[float], negative: list[float]) -> None:
    got = further_areas(np.array(positive), np.array(negative), [Fraction(5), Fraction(0)])
    assert got["auroc/partial@fpr=5%"] == (0.025 if positive or negative else 0.0)
    assert got["auroc/partial@fpr=0%"] == 0.0
    assert got["gini"] == 0.0
    best = (1.0, 0.5) if positive else (0.0, math.inf)
    assert (got["max_f1"], got["threshold@max_f1"]) == best


def test_the_largest_f1_is_at_the_largest_threshold_that_reaches_it() -> None:
    for size in (1, 2, 3):
        for positive in product(LEVELS, repeat=2):
            for negative in product(LEVELS, repeat=size):
                tried = []
                for threshold in sorted({*positive, *negative}):
                    tp = sum(score >= threshold for score in positive)
                    fp = sum(score >= threshold for score in negative)
                    tried.append((Fraction(2 * tp, 2 * tp + fp + 2 - tp), threshold))
                best, threshold = largest_f1(
                    np.sort(np.array(positive)), np.sort(np.array(negative))
                )
                assert (best, threshold) == (float(max(tried)[0]), max(tried)[1])


def test_f1_of_large_counts_is_compared_as_a_fraction() -> None:
    """Two fractions that round to one float: the larger fraction wins, wherever it stands."""
    half = 2**28
    first, second = (2 * half, 2 * half + 1), (2 * (half + 1), 2 * (half + 1) + 1)
    assert Fraction(*second) > Fraction(*first)
    assert second[0] / second[1] == first[0] / first[1]
    for pairs, place in (([first, second], 1), ([second, first], 0), ([second, second], 1)):
        part, whole = (np.array(column) for column in zip(*pairs, strict=True))
        assert largest_quotient(part, whole) == place


def scored(prob: list[float], label: list[int], **columns: Any) -> pl.DataFrame:
    return pl.DataFrame({"has_evidence": label, "prob": prob, **columns})


def of_all(ledger: dict[str, Any]) -> dict[str, Any]:
    return {key.partition("|")[0]: value for key, value in ledger.items() if "|all|value" in key}


def test_the_loss_of_a_label_is_that_of_its_decimal() -> None:
    prob = [0.9999999999999999, 0.9999999, 0.3, 0.1, 1.0, 1e-300]
    label = [0, 0, 1, 0, 1, 1]
    exact = [
        -(Decimal(repr(p)) if y else 1 - Decimal(repr(p))).ln()
        for p, y in zip(prob, label, strict=True)
    ]
    got = of_all(primary.evaluate(scored(prob, label)))
    assert got["log_loss"] == pytest.approx(float(sum(exact) / 6), rel=1e-15)
    assert rest_of(np.array([0.9999999999999999, 0.5, 1.0, 0.7]))[[0, 2, 3]].tolist() == [
        *(1e-16, 0.0, 0.3)
    ]


def test_a_label_of_probability_zero_costs_everything() -> None:
    rows = scored([0.0, 0.5, 0.5], [1, 1, 0], fold=[0, 1, 1])
    ledger = primary.evaluate(rows)
    assert ledger["log_loss|all_queries|all|value"] == math.inf
    assert ledger["log_loss|all_queries|fold=1|value"] == pytest.approx(math.log(2), rel=1e-15)
    assert ledger["log_loss|all_queries|folds|std"] == math.inf
    assert ledger["brier|all_queries|folds|mean"] == (1 + 0.25) / 2


def test_brier_skill_and_the_largest_gap() -> None:
    got = of_all(primary.evaluate(scored([0.25, 0.75, 0.75], [0, 1, 0])))
    brier = Fraction(1, 16) * (1 + 1 + 9) / 3
    assert got["brier/skill"] == pytest.approx(float(1 - brier / Fraction(2, 9)), abs=1e-15)
    assert got["mce@10"] == 0.25
    alike = of_all(primary.evaluate(scored([0.25, 0.75], [1, 1])))
    assert alike["brier/skill"] == 0.0


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 10, 11])
@pytest.mark.parametrize("bins", [1, 2, 3, 10])
def test_bins_of_equal_mass_differ_by_one_larger_first(count: int, bins: int) -> None:
    rng = np.random.default_rng(count)
    error = rng.normal(size=count)
    sizes = [count // bins + (number < count % bins) for number in range(bins)]
    ends = np.cumsum(sizes)
    exact = sum(
        abs(sum(map(Fraction, error[end - size : end].tolist())))
        for size, end in zip(sizes, ends.tolist(), strict=True)
    )
    assert equal_mass(error, bins) == pytest.approx(float(exact / count), rel=1e-14)


def test_equal_probabilities_on_both_sides_of_a_cut_are_counted() -> None:
    prob = np.array([0.1, 0.2, 0.2, 0.2, 0.9, 0.9])
    assert straddling(prob, 2) == 3
    assert straddling(prob, 3) == 3
    assert straddling(prob, 6) == 5
    assert straddling(prob, 1) == 0
    facts = primary.describe(scored(prob.tolist(), [0, 1, 0, 1, 0, 1]), {"bins": [2, 6]})
    assert facts["straddling"] == 5


SCORES = pl.DataFrame({"y_true": [1, 0, 1, 0], "y_score": [2.5, -1.0, 0.5, 0.5]})


def test_a_score_has_curves_and_no_decision_by_itself() -> None:
    facts = primary.describe(SCORES)
    assert facts["columns"] == {"has_evidence": "y_true", "score": "y_score"}
    assert facts["families"] == ["curves", "has_evidence_slices"]
    assert facts["queries"]["predicted_positive"] is None
    got = of_all(primary.evaluate(SCORES))
    assert got["auroc"] == 7 / 8
    assert got["threshold@max_f1"] == 0.5
    assert "log_loss" not in got
    assert "tp" not in got


def test_a_score_decides_at_a_stated_threshold() -> None:
    got = of_all(primary.evaluate(SCORES, {"threshold": "2"}))
    assert (got["tp"], got["fp"], got["tn"], got["fn"]) == (1, 0, 2, 1)
    facts = primary.describe(SCORES, {"threshold": -7})
    assert "confusion" in facts["families"]
    assert facts["queries"]["predicted_positive"] == 4


def test_beside_a_probability_the_score_is_not_read() -> None:
    rows = SCORES.with_columns(prob=pl.Series([0.1, 0.2, 0.3, 0.4]), y_score=pl.lit("x"))
    assert "score" not in primary.describe(rows)["columns"]


def test_a_threshold_of_probabilities_is_a_probability() -> None:
    rows = scored([0.5], [1])
    with pytest.raises(primary.InputError, match="expected a number from 0 to 1, found 2"):
        primary.evaluate(rows, {"threshold": 2})


@pytest.mark.parametrize("value", [math.nan, math.inf, "x", None])
def test_a_score_that_is_no_finite_number_is_refused(value: Any) -> None:
    rows = pl.DataFrame({"y_true": [1, 0], "score": [value, value]})
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(rows)
    assert "as a score. A score is a finite number." in str(caught.value)
    assert [(one.row, one.column) for one in caught.value.problems] == [(1, "score"), (2, "score")]


def test_scores_of_tune_rows_choose_the_tuned_threshold() -> None:
    rows = pl.DataFrame(
        {
            "query_id": ["a", "b", "t", "u"],
            "fold": [0, 0, 0, 0],
            "split": ["EVAL", "EVAL", "TUNE", "TUNE"],
            "has_evidence": [1, 0, 1, 0],
            "score": [3.0, 1.0, 2.0, 0.0],
        }
    )
    ledger = primary.evaluate(rows)
    assert ledger["threshold@fpr=5%/tuned|all_queries|fold=0|value"] == 2.0
    assert ledger["tpr@fpr=5%/tuned|all_queries|fold=0|value"] == 1.0
    assert "tuned" in primary.describe(rows)["families"]
    assert "grid" not in primary.describe(rows)["families"]


def test_half_a_key_is_refused_and_none_is_the_row() -> None:
    with pytest.raises(primary.InputError, match="the key column criterion_id is missing"):
        primary.evaluate(pl.DataFrame({"post_id": ["p"], "prob": [0.5]}))
    rows = scored([0.5, 0.25], [1, 0], id=["x", "y"])
    facts = primary.describe(rows)
    assert (facts["key"], facts["columns"]["query_id"]) == ("columns", "id")
    assert primary.table(scored([0.5, 0.25], [1, 0]))["query_id"].to_list() == ["1", "2"]
    with pytest.raises(primary.InputError, match="qid and id could each be query_id"):
        primary.evaluate(rows.with_columns(qid=pl.lit("z")).select("qid", "id", "prob"))
