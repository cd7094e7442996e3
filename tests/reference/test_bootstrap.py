"""Intervals: which keys they have, what is refused, and where BCa gives up."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from operator import eq, lt
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import reference
from reference import bootstrap

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Jsonl = Callable[[list[dict[str, Any]]], Path]

SETTINGS = {"tau_neg": 0.2, "tau_pos": 0.6, "k": [3, 7], "fpr": [5], "bins": [10]}


def study() -> list[dict[str, Any]]:
    """Return two posts in two folds, each with both criteria, and every column."""
    return [
        {
            "post_id": post, "criterion_id": criterion, "fold": fold, "candidates": ["a", "b"],
            "scores": [2, 1], "gold": ["b"] if criterion == "A" else [], "selected": ["a"],
            "prob": 0.7 if criterion == "A" else 0.3,
        }
        for fold, post in enumerate("pq")
        for criterion in "AB"
    ]  # fmt: skip


def replicates(path: Path, sample: dict[str, Any], plan: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = reference.intervals(path, SETTINGS, plan, {}, {}, sample)["recomputed"]
    return found


def test_the_headline_metrics_are_those_of_section_10(jsonl: Jsonl) -> None:
    found = replicates(jsonl(study()), {"post": {"replicates": [0]}}, {"post": [[1, 1]]})
    names = {key.split("|")[0] for key in found["post"]["replicates"]}
    ranking = {f"{m}@3" for m in ("recall", "precision", "hit", "mrr", "map", "ndcg")} | {"mrr@all"}
    curves = {"auroc", "auprc", "tpr@fpr=5%", "ece@10", "brier", "log_loss", "ece@10/equal_mass"}
    confusion = {"sensitivity", "specificity", "fpr", "fnr", "precision", "npv", "f1", "mcc"}
    confusion |= {"accuracy", "kappa"}
    evidence = {"evidence_recall", "evidence_precision", "balanced_accuracy"}
    states = {"neg_rate", "uncertain_rate", "pos_rate", "alert_rate_per_1000"}
    screening = {"screening_sensitivity", "screening_fn_per_1000", "alert_precision"}
    posts = {"exact_match", "hamming_score", "hamming_loss", "f1_micro"}
    f1 = {f"f1_{kind}/per_{of}" for kind in ("macro", "weighted") for of in ("criterion", "post")}
    whole = ranking | curves | confusion | evidence | states | screening | posts | f1
    assert names == whole


def test_a_fold_without_posts_in_a_resample_enters_with_zero(jsonl: Jsonl) -> None:
    found = replicates(jsonl(study()), {"post": {"replicates": [0]}}, {"post": [[2, 0]]})
    values = {key: by[0] for key, by in found["post"]["replicates"].items()}
    for metric in ("exact_match", "hamming_loss", "f1_macro/per_post", "f1_weighted/per_criterion"):
        assert values[f"{metric}|posts|fold=1|value"] == 0
    assert values["exact_match|posts|fold=0|value"] == 1
    assert values["exact_match|posts|folds|mean"] == 0.5


def test_without_criteria_there_is_no_matrix_of_posts(jsonl: Jsonl) -> None:
    rows = [{"query_id": q, "post_id": "p", "pred": 1, "has_evidence": int(q == "a")} for q in "ab"]
    plan = {"post": [[1]], "query": [[1, 1]]}
    found = replicates(jsonl(rows), {unit: {"replicates": [0]} for unit in plan}, plan)
    assert [key for parts in found.values() for key in parts["replicates"] if "posts" in key] == []
    assert found["post"]["replicates"]["sensitivity|all_queries|all|value"] == {0: 1.0}


def given(path: Path, **values: list[float]) -> dict[str, Any]:
    """Hand in the same values for every key of unit `query`."""
    keys = replicates(path, {"query": {"replicates": [0]}}, {"query": [[1] * 4]})
    return {
        kind: {"query": dict.fromkeys(keys["query"]["replicates"], found)}
        for kind, found in values.items()
    }


def test_every_key_whose_bca_is_undefined_is_flagged(jsonl: Jsonl) -> None:
    path = jsonl(study())
    handed = given(path, replicates=[0.0, 0.25], jackknife=[0.5] * 4)
    found = reference.intervals(path, SETTINGS, {}, **handed, sample={})
    bca = {key for key in found["ledger"] if key.endswith("/bca")}
    assert set(found["flags"]) == bca
    assert len(found["flags"]) == len(bca) > 100


@pytest.mark.parametrize("kind", ["replicates", "jackknife"])
def test_a_unit_without_values_is_refused_with_its_name(jsonl: Jsonl, kind: str) -> None:
    path = jsonl(study())
    handed = given(path, replicates=[0.0, 0.25], jackknife=[0.5] * 4)
    if kind == "replicates":
        del handed[kind]["query"]["brier|all_queries|all|value"]
    else:
        del handed[kind]["query"]
    with pytest.raises(reference.MismatchError) as caught:
        reference.intervals(path, SETTINGS, {}, **handed, sample={})
    word = {"replicates": "replicates", "jackknife": "jackknife values"}[kind]
    expected = f"no {word} for brier|all_queries|all|value by query"
    assert expected in [problem.what for problem in caught.value.problems]
    assert {problem.remedy for problem in caught.value.problems} == {
        "Hand in the values of every headline base key"
    }


def test_a_plan_for_other_data_is_refused_with_a_remedy(jsonl: Jsonl) -> None:
    with pytest.raises(reference.MismatchError) as caught:
        replicates(jsonl(study()), {"post": {"replicates": [0]}}, {"post": [[1]]})
    (problem,) = caught.value.problems
    assert problem.what == "the plan counts 1 units of post, the data has 2"
    assert problem.remedy == "Make the plan for this data and these settings"


def test_arrays_become_plain_floats() -> None:
    found = bootstrap.floats(np.array([0.5, 1.0], dtype=np.float32))
    assert found == [0.5, 1.0]
    assert {type(value) for value in found} == {float}


@pytest.mark.parametrize("different", [1, 2, 40, 10**6])
@pytest.mark.parametrize("many", [1, 2, 19, 300, 2_000])
@pytest.mark.parametrize("rising", [True, False])
def test_values_stand_where_sorting_puts_them(many: int, different: int, rising: bool) -> None:
    """Rising, the few values that tell where an end begins are as good as can be, else drawn."""
    draw = random.Random(many)
    values = [draw.randrange(different) / different for _ in range(many)]
    values = [*(sorted(values) if rising else values), math.inf]
    ordered = bootstrap.Ordered(values)
    assert [ordered[place] for place in range(len(ordered))] == sorted(values)
    below, same = (sum(sign(value, 0.5) for value in values) for sign in (lt, eq))
    assert ordered.share_below(0.5) == Fraction(2 * below + same, 2 * len(values))
    assert ordered.share_below(0.5 + 1e-13) == ordered.share_below(0.5)


def test_a_bad_guess_where_the_ends_begin_changes_nothing() -> None:
    """Every twentieth value is the largest: nothing but these is thought to be an end."""
    values = [1.0 if place % 20 == 0 else place / 1000 for place in range(1000)]
    ordered = bootstrap.Ordered(values)
    assert [ordered[place] for place in range(1000)] == sorted(values)


def test_without_a_unit_every_slice_is_that_of_the_rows_that_are_left(jsonl: Jsonl) -> None:
    rows = [
        {**{k: v for k, v in row.items() if k != "post_id"}, "seed": seed, "query_id": place}
        for seed in "st"
        for place, row in enumerate(study())
    ]
    sample = {"query": {"jackknife": [0, 1, 2, 3]}}
    found = replicates(jsonl(rows), sample, {})["query"]["jackknife"]
    for unit in range(4):
        ledger = reference.evaluate(jsonl([r for r in rows if r["query_id"] != unit]), SETTINGS)
        there = [key for key in found if key in ledger]
        assert len(there) > 100
        assert {key: found[key][unit] for key in there} == {key: ledger[key] for key in there}


def test_deletions_that_differ_by_1e_12_are_equal() -> None:
    assert bootstrap.bias_corrected(1.0, bootstrap.Ordered([0.0, 2.0]), [0.0, 1e-12]) is None
    assert bootstrap.bias_corrected(1.0, bootstrap.Ordered([0.0, 2.0]), [0.0, 3e-12]) is not None


def test_an_acceleration_that_turns_the_interval_round_is_undefined() -> None:
    """One far outlier among 10⁵ deletions, all but one of 10⁵ resamples below the estimate."""
    many = 100_000
    ordered = bootstrap.Ordered([0.0] * (many - 1) + [2.0])
    assert bootstrap.bias_corrected(1.0, ordered, [1.0] * (many - 1) + [0.0]) is None
    assert bootstrap.bias_corrected(1.0, ordered, [0.0, 1.0] * 10) is not None


def test_the_acceleration_is_undefined_from_one_float_to_the_next() -> None:
    """Between these two last deletions, which were searched for, acceleration · reach is 1."""
    ordered = bootstrap.Ordered([0.0] * 99_999 + [2.0])
    deleted = [1.0] * 60 + [0.0]
    assert bootstrap.bias_corrected(1.0, ordered, [*deleted, 0.9087335610637273]) is not None
    assert bootstrap.bias_corrected(1.0, ordered, [*deleted, 0.9087335610637274]) is None


def test_what_is_measured_briefly_is_what_the_ledger_says(jsonl: Jsonl) -> None:
    path = jsonl(study())
    plan = {"post": [[1, 1]], "query": [[1] * 4]}
    found = replicates(path, {"post": {"replicates": [0]}}, plan)["post"]["replicates"]
    ledger = reference.evaluate(path, SETTINGS)
    assert {key: by[0] for key, by in found.items()} == {key: ledger[key] for key in found}
