"""The gate: probabilities, the thresholds that the TUNE rows give, decisions and states.

A probability is an integer number of ten-thousandths throughout.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from crosscheck.study import draws
from crosscheck.study.corpus import corpus, tune_labels
from crosscheck.study.profile import CRITERIA, FOLD_POSTS, Criterion

if TYPE_CHECKING:
    from crosscheck.study.draws import Booleans, Integers

PLACES: Final = 4
ONE: Final = 10**PLACES  # probability 1
FPR_PERCENT: Final = 5
TAU_NEG: Final = 30  # 0.003
TAU_POS: Final = 8_500  # 0.85
STATES: Final = ("NEG", "UNCERTAIN", "POS")

# Weights are integers: this factor keeps six more of their digits.
_PRECISION: Final = 10**6
# Within this distance of a tenth, one probability in four lies on it: bin edges get used.
_EDGE_REACH: Final = 100
_EDGE_CHANCE: Final = 4
# Closer than this to 0 or 1, a probability is 0 or 1.
_END_REACH: Final = 2, 150


@dataclass(frozen=True, slots=True)
class Gate:
    """What the gate says of every EVAL and TUNE query."""

    prob: Integers  # posts × criteria
    tune_prob: list[Integers]  # for each fold, its TUNE posts × criteria
    threshold: list[int]  # for each fold


@cache
def gate() -> Gate:
    """Run the gate over the corpus; it answers the same every time."""
    posts = corpus()
    prob = _probabilities(posts.label, "eval")
    tune_prob, threshold = [], []
    for number in range(len(FOLD_POSTS)):
        label = tune_labels(posts, number)
        tuned = _probabilities(label, f"tune {number}")
        tune_prob.append(tuned)
        threshold.append(threshold_within_budget(tuned, label))
    return Gate(prob=prob, tune_prob=tune_prob, threshold=threshold)


def states(prob: Integers) -> Integers:
    """Give each probability its state as a number: 0 NEG, 1 UNCERTAIN, 2 POS."""
    return (prob >= TAU_NEG).astype(np.int64) + (prob >= TAU_POS)


def threshold_within_budget(prob: Integers, label: Booleans) -> int:
    """Choose the threshold of the contract's `threshold@fpr=5%` (section 4)."""
    values, place = np.unique(prob.ravel(), return_inverse=True)
    positives = np.bincount(place[label.ravel()], minlength=len(values))
    negatives = np.bincount(place, minlength=len(values)) - positives
    true_positives = np.cumsum(positives[::-1])[::-1]
    false_positives = np.cumsum(negatives[::-1])[::-1]
    within = 100 * false_positives <= FPR_PERCENT * negatives.sum()
    best = true_positives[within].max()
    return int(values[within & (true_positives == best)].max())


def _probabilities(label: Booleans, purpose: str) -> Integers:
    prob = np.empty(label.shape, dtype=np.int64)
    for column, criterion in enumerate(CRITERIA):
        weights = _weights(criterion)
        shares = np.arange(ONE + 1)
        stream = f"{purpose} {criterion.id}"
        rows = label.shape[0]
        met = draws.pick(weights * shares, f"{stream} met", rows)
        unmet = draws.pick(weights * (ONE - shares), f"{stream} unmet", rows)
        prob[:, column] = np.where(label[:, column], met, unmet)
    return _to_edges(_overconfident(prob), purpose)


@cache
def _weights(criterion: Criterion) -> Integers:
    """Spread the criterion's probabilities: with labels drawn by them they are calibrated."""
    scale, fall = criterion.scale, criterion.fall
    unit = 10**8 * _PRECISION * scale ** (fall - criterion.rise - 2)
    level = criterion.level * _PRECISION // 100
    return np.array(
        [unit * i**criterion.rise // (i + scale) ** fall + level for i in range(ONE + 1)],
        dtype=np.int64,
    )


def _overconfident(prob: Integers) -> Integers:
    """Push probabilities from the middle outwards, so that some bins err high and some low."""
    push = prob * (ONE - prob) * (2 * prob - ONE) // (ONE * ONE)
    return prob + 35 * push // 100


def _to_edges(prob: Integers, purpose: str) -> Integers:
    tenth = (prob + ONE // 20) // (ONE // 10) * (ONE // 10)
    near = (np.abs(prob - tenth) <= _EDGE_REACH) & (tenth > 0) & (tenth < ONE)
    chosen = draws.below(_EDGE_CHANCE, f"{purpose} edges", *prob.shape) == 0
    prob = np.where(near & chosen, tenth, prob)
    low, high = _END_REACH
    return np.where(prob <= low, 0, np.where(prob >= ONE - high, ONE, prob))
