"""Probabilities of several classes (contract, section 17): areas, losses, calibration."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic.aggregate import Ledger, key, ratio
from primary.arithmetic.decimals import bin_of
from primary.arithmetic.exact import tally_runs, total, totals_by
from primary.arithmetic.logarithms import of_decimals
from primary.classification.calibration import mean_loss
from primary.classification.classes import codes, slices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from primary.data.study import Study

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

HEADLINE = ("auroc/ovr_macro", "log_loss", "brier/multiclass")


@dataclass(frozen=True)
class Judged:
    """What each row's probabilities say about its label."""

    losses: Floats
    """−ln p(label)"""
    squares: Floats
    """Σ_k (p_k − 1[label = k])²"""
    place: Ints
    """How many classes stand before the label, by probability; equals in the order of classes."""
    confidence: Floats
    """The largest probability."""
    right: NDArray[np.bool_]
    """Whether the label is the class that has it."""


def judge(probs: Floats, label: Ints) -> Judged:
    """Look at every row."""
    rows = np.arange(len(label))
    own = probs[rows, label]
    before = np.zeros(len(label), dtype=np.int64)
    squares = np.zeros(len(label))
    for number, column in enumerate(probs.T):
        before += (column > own) | ((column == own) & (number < label))
        off = column - (label == number)
        squares += off * off
    top = probs.argmax(axis=1)
    return Judged(0.0 - of_decimals(own), squares, before, probs[rows, top], label == top)


def ledger(study: Study) -> Ledger:
    """Give every metric on every slice."""
    names, label, _ = codes(study)
    probs, settings = study.data.class_probs, study.settings
    if probs is None:
        raise LookupError("class_probs are not there")
    judged = judge(probs, label)
    held = {bins: bin_of(judged.confidence, bins) for bins in settings.bins}
    found: Ledger = {}
    for part in slices(study):
        rows = part.rows
        values = dict(areas(wins(probs[rows], label[rows]), label[rows]))
        values["log_loss"] = mean_loss(judged.losses[rows])
        values["brier/multiclass"] = ratio(float(total(judged.squares[rows])), len(rows))
        for k in (k for k in settings.top_k if k < len(names)):
            among = int(np.count_nonzero(judged.place[rows] < k))
            values[f"top_k_accuracy@{k}"] = ratio(among, len(rows))
        gap = judged.right[rows] - judged.confidence[rows]
        for bins, bin_ in held.items():
            gaps = np.abs(totals_by(bin_[rows], gap, bins)).tolist()
            values[f"ece@{bins}/top_label"] = ratio(math.fsum(gaps), len(rows))
        for metric, value in values.items():
            found[key(metric, "all_queries", part.name, "value")] = value
    return found


@dataclass(frozen=True)
class Wins:
    """For classes i and j: twice the pairs in which a row of i has more of p_i, once where equal.

    A pair is a row of i and a row of j.
    """

    doubled: Ints


def wins(probs: Floats, label: Ints) -> Wins:
    """Count every pair of rows, each class's probabilities sorted once."""
    count = probs.shape[1]
    order = np.argsort(label, kind="stable")
    ordered = label[order]
    present, begins = np.unique(ordered, return_index=True)
    found = np.zeros((count, count), dtype=np.int64)
    for own in present.tolist():
        column = probs[order, own]
        ours = np.sort(column[ordered == own])
        # For every row, how many of ours have less, and how many at most as much.
        below = np.searchsorted(ours, column, side="left")
        upto = np.searchsorted(ours, column, side="right")
        found[own, present] = tally_runs(2 * len(ours) - below - upto, begins)
    return Wins(found)


def areas(won: Wins, label: Ints) -> dict[str, int | float]:
    """Give the areas of one class against the rest, and of one against one (Hand and Till)."""
    doubled = won.doubled
    count = len(label)
    support = np.bincount(label, minlength=len(doubled)).tolist()
    every = {
        own: (int(_others(doubled[own], own)), 2 * held * (count - held))
        for own, held in enumerate(support)
        if held and held < count
    }
    shares = {own: part / whole for own, (part, whole) in every.items()}
    weight = math.fsum(support[own] for own in shares)
    weighted = math.fsum(support[own] * share for own, share in shares.items())
    return {
        "auroc/ovr_macro": math.fsum(shares.values()) / len(shares) if shares else 0.5,
        "auroc/ovr_weighted": weighted / weight if shares else 0.5,
        "auroc/ovo_macro": _one_against_one(doubled, support),
        "classes_left_out": len(support) - len(shares),
    }


def _others(row: Ints, own: int) -> int:
    """Add up the pairs with rows of other classes."""
    whole = int(tally_runs(row, np.zeros(1, dtype=np.int64))[0])
    return whole - int(row[own])


def _one_against_one(doubled: Ints, support: list[int]) -> float:
    present = [own for own, held in enumerate(support) if held]
    values = [
        (int(doubled[i, j]) + int(doubled[j, i])) / (4 * support[i] * support[j])
        for place, i in enumerate(present)
        for j in present[place + 1 :]
    ]
    return math.fsum(values) / len(values) if values else 0.5
