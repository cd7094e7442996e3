"""A small made-up system: real curves from made-up probabilities, plausible numbers elsewhere."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from crosscheck.drawing.curves import curves
from crosscheck.drawing.data import FigureData

FOLDS = [0, 1, 2, 3, 4]
CRITERIA = [f"A.{number}" for number in range(1, 11)]
STATES = {"NEG": (9000, 90), "UNCERTAIN": (4300, 489), "POS": (1470, 800)}
CUTOFFS = {"1": 0.0, "3": 0.12, "5": 0.16, "10": 0.19, "20": 0.2, "all": 0.2}


def _spread(ledger: dict[str, int | float], head: str, value: float, statistic: str) -> None:
    """State a metric on all, folds and criteria, with intervals."""
    draw = random.Random(head)
    ledger[f"{head}|all|{statistic}"] = value
    values = []
    for fold in FOLDS:
        values.append(min(1.0, value + draw.uniform(-0.02, 0.02)))
        ledger[f"{head}|fold={fold}|{statistic}"] = values[-1]
    ledger[f"{head}|folds|mean"] = float(np.mean(values))
    ledger[f"{head}|folds|std"] = float(np.std(values, ddof=1))
    for criterion in CRITERIA:
        here = min(1.0, value + draw.uniform(-0.15, 0.1))
        ledger[f"{head}|criterion={criterion}|{statistic}"] = here
        ledger[f"{head}|criterion={criterion}|ci_low/post/percentile"] = here - 0.03
        ledger[f"{head}|criterion={criterion}|ci_high/post/percentile"] = min(1.0, here + 0.03)
    ledger[f"{head}|criteria|macro"] = value - 0.01
    ledger[f"{head}|all|ci_low/post/percentile"] = value - 0.011
    ledger[f"{head}|all|ci_high/post/percentile"] = min(1.0, value + 0.011)


def _counts(ledger: dict[str, int | float]) -> None:
    for state, (total, positive) in STATES.items():
        ledger[f"queries|all_queries|state={state}|n"] = total
        ledger[f"queries|positives_only|state={state}|n"] = positive
    for index, criterion in enumerate(CRITERIA):
        ledger[f"queries|all_queries|criterion={criterion}|n"] = 1477
        ledger[f"queries|positives_only|criterion={criterion}|n"] = 60 + 17 * index
    for cut, shift in (
        ("all", 2),
        ("state=NEG", 1),
        ("state=UNCERTAIN", 3),
        ("state=POS", 5),
        ("has_evidence=0", 2),
        ("has_evidence=1", 4),
    ):
        ledger[f"k|all_queries|{cut}|mean"] = float(shift)
        for size in range(11):
            ledger[f"k/hist={size}|all_queries|{cut}|n"] = max(0, 900 - 150 * abs(size - shift))


def _policies(ledger: dict[str, int | float]) -> None:
    for step, gamma in enumerate(["0.7", "0.8", "0.9", "0.95"]):
        ledger[f"k@gamma={gamma}|all_queries|all|mean"] = 2.5 + 1.3 * step
        recall = 0.7 + 0.06 * step
        ledger[f"evidence_recall@gamma={gamma}|positives_only|all|mean"] = recall
        ledger[f"sentences@gamma={gamma}|all_queries|all|value"] = 40_000 + 17_000 * step
    for low in ("0.05", "0.1", "0.2", "0.3"):
        for high in ("0.5", "0.6", "0.7", "0.8", "0.9"):
            tau, tail = f"tau={low},{high}", "tune_queries|folds|mean"
            ledger[f"screening_sensitivity@{tau}|{tail}"] = 1 - float(low) / 3
            ledger[f"alert_precision@{tau}|{tail}"] = float(high) * 0.9
            ledger[f"alert_rate_per_1000@{tau}|{tail}"] = 200 * (1 - float(high))
            ledger[f"neg_rate@{tau}|{tail}"] = 0.4 + float(low)


@pytest.fixture(scope="session")
def ledger() -> dict[str, int | float]:
    stated: dict[str, int | float] = {}
    for name, start in (
        ("ndcg", 0.63),
        ("map", 0.6),
        ("mrr", 0.64),
        ("recall", 0.76),
        ("hit", 0.78),
        ("precision", 0.2),
    ):
        for k, gain in CUTOFFS.items():
            _spread(stated, f"{name}@{k}|positives_only", start + gain, "mean")
    for name, value in (("evidence_recall", 0.82), ("evidence_precision", 0.4)):
        _spread(stated, f"{name}|positives_only", value, "mean")
    for name, value in (
        ("sensitivity", 0.6),
        ("precision", 0.55),
        ("fpr", 0.05),
        ("screening_sensitivity", 0.97),
        ("alert_precision", 0.7),
    ):
        _spread(stated, f"{name}|all_queries", value, "value")
    _counts(stated)
    _policies(stated)
    return stated


@pytest.fixture(scope="session")
def gate() -> tuple[np.ndarray, np.ndarray]:
    """Labels and probabilities of 14,770 queries, 1,379 of them positive."""
    generator = np.random.default_rng(7)
    label = np.zeros(14_770, dtype=bool)
    label[:1379] = True
    strength = generator.normal(size=len(label)) + np.where(label, 1.8, 0.0)
    return label, np.round(1 / (1 + np.exp(2.4 - 1.2 * strength)), 4)


@pytest.fixture(scope="session")
def data(ledger: dict[str, int | float], gate: tuple[np.ndarray, np.ndarray]) -> FigureData:
    label, prob = gate
    curve = curves(label, prob)
    assert curve is not None
    whole = dict(ledger)
    _spread(whole, "auroc|all_queries", curve.auroc, "value")
    _spread(whole, "auprc|all_queries", curve.auprc, "value")
    for percent in (1, 3, 5, 10):
        inside = np.flatnonzero(curve.fpr <= percent / 100)[-1]
        head = f"fpr={percent}%|all_queries|all|value"
        whole[f"tpr@{head}"] = float(curve.tpr[inside])
        whole[f"fpr@{head}"] = float(curve.fpr[inside])
    bins = np.minimum((prob * 10).astype(int), 9)
    whole["ece@10|all_queries|all|value"] = 0.021
    for index in range(10):
        chosen = bins == index
        head = f"reliability@10/bin={index}|all_queries|all"
        whole[f"{head}|n"] = int(chosen.sum())
        whole[f"{head}|mean_prob"] = float(prob[chosen].mean()) if chosen.any() else 0.0
        whole[f"{head}|mean_label"] = float(label[chosen].mean()) if chosen.any() else 0.0
    grid = np.linspace(0, 1, 101)
    middle = np.array([curve.tpr[curve.fpr <= x].max() for x in grid])
    other = {key: value * (1 + 1e-15) for key, value in whole.items() if type(value) is float}
    return FigureData(
        system="full",
        ledgers={
            "primary": whole,
            "reference": whole | other,
            "ranx": {key: whole[key] for key in whole if key.startswith("ndcg@")},
        },
        facts={
            "rows": {"EVAL": 14_770, "TUNE": 17_700, "TRAIN": 0},
            "folds": FOLDS,
            "criteria": CRITERIA,
            "posts": 1477,
            "queries": {"all_queries": 14_770, "positives_only": 1379, "has_evidence": 1379},
        },
        label=label,
        prob=prob,
        roc_band={
            "post": {
                "fpr": list(grid),
                "low": list(np.clip(middle - 0.03, 0, 1)),
                "high": list(np.clip(middle + 0.03, 0, 1)),
            }
        },
        resamples=10_000,
    )


CLASSES = ["bird", "cat, big", "dog"]
SEEDS = ["1", "2", "3"]


@pytest.fixture(scope="session")
def ranking() -> FigureData:
    """Give rankings with grades, over two data sets."""
    ledger: dict[str, int | float] = {}
    for place, k in enumerate(("1", "3", "10", "all")):
        for name, start in (("ndcg", 0.5), ("map", 0.4), ("mrr", 0.6)):
            ledger[f"{name}@{k}|positives_only|all|mean"] = start + 0.05 * place
        for name, start in (("recall", 0.3), ("hit", 0.5), ("precision", 0.4)):
            ledger[f"{name}@{k}|positives_only|all|mean"] = start + 0.03 * place
        ledger[f"ndcg@{k}/graded|positives_only|all|mean"] = 0.45 + 0.05 * place
        ledger[f"ndcg@{k}/exponential|positives_only|all|mean"] = 0.4 + 0.05 * place
    for tenth in range(11):
        ledger[f"iprec@recall={tenth / 10:g}|positives_only|all|mean"] = 0.9 - tenth / 20
    for name, shift in (("nfcorpus", 0.0), ("scifact", 0.2)):
        ledger[f"ndcg@10/graded|positives_only|dataset={name}|mean"] = 0.4 + shift
        ledger[f"ndcg@10|positives_only|dataset={name}|mean"] = 0.45 + shift
        ledger[f"queries|all_queries|dataset={name}|n"] = 20
    ledger["ndcg@10/graded|positives_only|dataset|macro"] = 0.5
    return FigureData(
        system="bm25",
        ledgers={"primary": ledger, "reference": dict(ledger)},
        facts={
            "rows": {"EVAL": 40, "TUNE": 0, "TRAIN": 0},
            "columns": {},
            "families": ["ranking", "graded", "exponential", "judged"],
            "queries": {"all_queries": 40, "positives_only": 38, "has_evidence": None},
            "slices": {"dataset": ["nfcorpus", "scifact"]},
            "grade_max": 3,
        },
    )


@pytest.fixture(scope="session")
def classes() -> FigureData:
    """Give a classifier of three classes with probabilities in eighths, in three seeds."""
    truth = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 0] * 9)
    shift = np.arange(len(truth)) % 4
    probs = np.full((len(truth), 3), 1 / 8)
    probs[np.arange(len(truth)), (truth + (shift == 3)) % 3] = 6 / 8
    predicted = probs.argmax(axis=1)
    ledger: dict[str, int | float] = {}
    for a, true in enumerate(("bird", "cat%2C big", "dog")):
        for b, other in enumerate(("bird", "cat%2C big", "dog")):
            key = f"count@true={true},predicted={other}|all_queries|all|value"
            ledger[key] = int(np.sum((truth == a) & (predicted == b)))
        n, right = int((truth == a).sum()), int(np.sum((truth == a) & (predicted == a)))
        ledger[f"support|all_queries|class={true}|value"] = n
        ledger[f"recall|all_queries|class={true}|value"] = float(Fraction(right, n))
        ledger[f"precision|all_queries|class={true}|value"] = 0.7
        ledger[f"f1|all_queries|class={true}|value"] = 0.6 + 0.1 * a
    for name in ("accuracy", "f1/macro", "kappa"):
        ledger[f"{name}|all_queries|all|value"] = 0.7
        for place, seed in enumerate(SEEDS):
            ledger[f"{name}|all_queries|seed={seed}|value"] = 0.68 + 0.02 * place
        ledger[f"{name}|all_queries|seeds|mean"] = 0.7
        ledger[f"{name}|all_queries|seeds|std"] = 0.02
    ledger["auroc/ovr_macro|all_queries|all|value"] = 0.81
    ledger["ece@10/top_label|all_queries|all|value"] = 0.05
    return FigureData(
        system="net",
        ledgers={"primary": ledger, "reference": dict(ledger)},
        facts={
            "rows": {"EVAL": 90, "TUNE": 0, "TRAIN": 0},
            "columns": {"label": "y_true", "predicted": "y_pred"},
            "families": ["classes", "class_probs", "confusion_matrix"],
            "queries": {"all_queries": 90, "positives_only": 0, "has_evidence": None},
            "classes": CLASSES,
            "seeds": SEEDS,
        },
        truth=truth,
        class_probs=probs,
    )
