"""Thirty resamples, by primary, reference and scikit-learn on really replicated rows, to 1e-12."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn import metrics as sk

import primary
import reference
from crosscheck.witnesses import plan as plans

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Floats = np.ndarray[Any, np.dtype[np.float64]]

REPLICATES = 30
DRAWN = 200
SEED = 20260119
UNITS = ("post", "query")
CLASSIFICATION: dict[str, Any] = {
    "auroc": sk.roc_auc_score,
    "auprc": sk.average_precision_score,
    "brier": sk.brier_score_loss,
    "sensitivity": lambda y, p: sk.recall_score(y, p >= 0.5),
    "precision": lambda y, p: sk.precision_score(y, p >= 0.5, zero_division=0),
    "f1": lambda y, p: sk.f1_score(y, p >= 0.5, zero_division=0),
    "mcc": lambda y, p: sk.matthews_corrcoef(y, p >= 0.5),
}


@pytest.fixture(scope="module")
def systems(
    make: Callable[..., Any], save: Any, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[list[Any], Path]]:
    place = tmp_path_factory.mktemp("replicates")
    rows = make(posts=40, folds=4)
    return {name: (own, save(own, place / f"{name}.csv")) for name, own in rows.items()}


@pytest.fixture(scope="module")
def drawn(systems: Any) -> Any:
    """Draw two hundred resamples by each unit, and choose thirty of each at random."""
    facts = primary.describe(systems["gated"][1], {})
    plan = plans.draw(plans.units(facts), SEED, DRAWN)
    generator = np.random.default_rng(SEED)
    chosen = {
        unit: sorted(generator.choice(DRAWN, REPLICATES, replace=False).tolist()) for unit in UNITS
    }
    return plan, chosen


@pytest.fixture(scope="module")
def answers(systems: Any, drawn: Any) -> Any:
    """What primary and reference say about the resamples of the gated system."""
    plan, chosen = drawn
    data = systems["gated"][1]
    ours = primary.intervals(data, {}, plan.counts)
    theirs = reference.intervals(
        data,
        {},
        {unit: {b: plan.counts[unit][b].tolist() for b in chosen[unit]} for unit in UNITS},
        {unit: {key: v.tolist() for key, v in ours.replicates[unit].items()} for unit in UNITS},
        {unit: {key: v.tolist() for key, v in ours.jackknife[unit].items()} for unit in UNITS},
        {unit: {"replicates": chosen[unit], "jackknife": []} for unit in UNITS},
    )
    return ours, theirs["recomputed"]


def replicated(rows: list[Any], counts: Any, unit: str) -> list[Any]:
    """Repeat the rows as often as their post, or they themselves, were drawn."""
    numbers: dict[str, int] = {}
    found = []
    for place, row in enumerate(rows):
        post = numbers.setdefault(row["post_id"], len(numbers))
        found += [row] * int(counts[post if unit == "post" else place])
    return found


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("metric", CLASSIFICATION)
def test_classification(metric: str, unit: str, systems: Any, drawn: Any, answers: Any) -> None:
    plan, chosen = drawn
    ours, theirs = answers
    key = f"{metric}|all_queries|all|value"
    for b in chosen[unit]:
        rows = replicated(systems["gated"][0], plan.counts[unit][b], unit)
        label = np.array([row["has_evidence"] for row in rows])
        prob = np.array([row["prob"] for row in rows])
        library = CLASSIFICATION[metric](label, prob)
        assert ours.replicates[unit][key][b] == pytest.approx(library, abs=1e-12)
        assert theirs[unit]["replicates"][key][b] == pytest.approx(library, abs=1e-12)


def ndcg(rows: list[Any]) -> float:
    """Mean nDCG@10 of the rows with gold, by scikit-learn."""
    positive = [row for row in rows if row["gold"]]
    gold = [[uid in row["gold"] for uid in row["candidates"]] for row in positive]
    scores = [row["scores"] for row in positive]
    return float(sk.ndcg_score(gold, scores, k=10))


@pytest.mark.parametrize("unit", UNITS)
def test_ranking(unit: str, systems: Any, drawn: Any, answers: Any) -> None:
    plan, chosen = drawn
    ours, theirs = answers
    key = "ndcg@10|positives_only|all|mean"
    for b in chosen[unit]:
        library = ndcg(replicated(systems["gated"][0], plan.counts[unit][b], unit))
        assert ours.replicates[unit][key][b] == pytest.approx(library, abs=1e-12)
        assert theirs[unit]["replicates"][key][b] == pytest.approx(library, abs=1e-12)


def test_every_recomputed_value_is_the_primarys(answers: Any) -> None:
    ours, theirs = answers
    compared = [
        (ours.replicates[unit][key][b], exact)
        for unit in UNITS
        for key, by_number in theirs[unit]["replicates"].items()
        for b, exact in by_number.items()
    ]
    assert len(compared) > 100 * REPLICATES
    first, second = zip(*compared, strict=True)
    assert first == pytest.approx(second, abs=1e-12)


@pytest.fixture(scope="module")
def compared(systems: Any, drawn: Any) -> Any:
    """Both implementations on `better` against `base`, thirty resamples and permutations."""
    plan, chosen = drawn
    numbers = chosen["post"]
    swaps = plans.swaps(len(plan.counts["post"][0]), DRAWN, SEED)
    sides = [(systems[name][1], {}) for name in ("base", "better")]
    keys = ["ndcg@10|positives_only|all|mean"]
    ours = primary.compare(*sides, plan.counts, keys, swaps=swaps)
    theirs = reference.compare(
        *sides,
        {"post": {b: plan.counts["post"][b].tolist() for b in numbers}},
        keys,
        {b: swaps[b].tolist() for b in numbers},
        ours.replicates,
    )
    return ours.replicates, theirs["recomputed"], swaps


def test_paired_differences(systems: Any, drawn: Any, compared: Any) -> None:
    plan, chosen = drawn
    ours, theirs, _ = compared
    key = "ndcg@10|positives_only|all|mean"
    for b in chosen["post"]:
        counts = plan.counts["post"][b]
        first, second = (
            ndcg(replicated(systems[name][0], counts, "post")) for name in ("base", "better")
        )
        assert ours["difference"]["post"][key][b] == pytest.approx(second - first, abs=1e-12)
        assert theirs["difference"]["post"][key][b] == pytest.approx(second - first, abs=1e-12)


def test_permutations(systems: Any, drawn: Any, compared: Any) -> None:
    _, chosen = drawn
    ours, theirs, swaps = compared
    key = "ndcg@10|positives_only|all|mean"
    for number in chosen["post"]:
        turned: list[list[Any]] = [[], []]
        numbers: dict[str, int] = {}
        for a, b in zip(systems["base"][0], systems["better"][0], strict=True):
            post = numbers.setdefault(a["post_id"], len(numbers))
            pair = (b, a) if swaps[number][post] else (a, b)
            for side, row in zip(turned, pair, strict=True):
                side.append(row)
        library = ndcg(turned[1]) - ndcg(turned[0])
        assert ours["permuted"][key][number] == pytest.approx(library, abs=1e-12)
        assert theirs["permuted"][key][number] == pytest.approx(library, abs=1e-12)
