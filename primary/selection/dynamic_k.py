"""Dynamic-K and deployment (contract, section 6)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primary.arithmetic.aggregate import Ledger, key, ratio, shares, summaries
from primary.arithmetic.decimals import share_floor
from primary.arithmetic.exact import tally, total
from primary.classification.binary import confusion_counts
from primary.data.lists import match

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from primary.data.rows import Data
    from primary.data.study import Slice, Study
    from primary.settings import Settings

    Ints = NDArray[np.int64]

DEPLOYMENT_RATES = ("fpr", "fnr", "precision", "recall", "f1")


@dataclass(frozen=True)
class Selection:
    """What was selected for each query, and how much of it is gold."""

    k: Ints
    gold: Ints
    found: Ints
    passed: NDArray[np.bool_]
    """pred = 1: what was selected is returned."""


def selection(study: Study) -> Selection:
    """Match what was selected with gold."""
    data, pred = study.data, study.pred
    if data.selected is None or data.gold is None or pred is None:
        raise LookupError("dynamic-K needs selected, gold, and pred or prob")
    hits, _ = match(data.selected, data.gold)
    found = np.bincount(data.selected.owner_of(hits), minlength=study.size)
    return Selection(data.selected.lengths, data.gold.lengths, found, pred == 1)


def ledger(study: Study, chosen: Selection) -> Ledger:
    """Give the distribution of K, evidence recall and precision, and what was returned."""
    found = _k_statistics(study, chosen)
    found |= _k_histogram(study, chosen)
    found |= _evidence(study, chosen)
    for part in [*study.all, *study.folds, *study.views]:
        rows = part.rows
        returned = np.where(chosen.passed, chosen.k, 0)[rows]
        passed = int(np.count_nonzero(chosen.passed[rows]))
        in_all = int(tally(returned))
        found[key("avg_k", "predicted_positive", part.name, "mean")] = ratio(in_all, passed)
        found[key("avg_k", "all_queries", part.name, "mean")] = ratio(in_all, len(rows))
        found |= _pooled(chosen, part)
    return found


def _k_statistics(study: Study, chosen: Selection) -> Ledger:
    found: Ledger = {}
    for part in [*study.all, *study.folds, *study.states, *study.evidence, *study.views]:
        for population, rows in (
            ("all_queries", part.rows),
            ("positives_only", part.rows[study.positive[part.rows]]),
        ):
            for statistic, value in _whole_statistics(np.sort(chosen.k[rows])).items():
                found[key("k", population, part.name, statistic)] = value
    return found


def _whole_statistics(ordered: Ints) -> dict[str, int | float]:
    """Give the statistics of sorted whole numbers, from exact sums."""
    count = len(ordered)
    summed, squares = int(tally(ordered)), int(tally(ordered * ordered))
    spread = count * squares - summed * summed
    found: dict[str, int | float] = {
        "mean": ratio(summed, count),
        "std": math.sqrt(spread / (count * (count - 1))) if count > 1 else 0.0,
        "min": int(ordered[0]) if count else 0,
        "max": int(ordered[-1]) if count else 0,
    }
    for name, (part, whole) in {
        "median": (1, 2),
        "p25": (1, 4),
        "p75": (3, 4),
        "p90": (9, 10),
    }.items():
        below, rest = divmod((count - 1) * part, whole)
        low = int(ordered[below]) if count else 0
        high = int(ordered[min(below + 1, count - 1)]) if count else 0
        found[name] = (low * (whole - rest) + high * rest) / whole
    return found


def _k_histogram(study: Study, chosen: Selection) -> Ledger:
    most = int(chosen.k.max())
    found: Ledger = {}
    for part in [*study.all, *study.states, *study.evidence]:
        counts = np.bincount(chosen.k[part.rows], minlength=most + 1).tolist()
        for k, count in enumerate(counts):
            found[key(f"k/hist={k}", "all_queries", part.name, "n")] = count
    return found


def evidence_values(chosen: Selection) -> dict[str, NDArray[np.float64]]:
    """Give each query's evidence recall and precision; 0 where nothing divides."""
    return {
        "evidence_recall": shares(chosen.found, chosen.gold),
        "evidence_precision": shares(chosen.found, chosen.k),
    }


def _evidence(study: Study, chosen: Selection) -> Ledger:
    values = evidence_values(chosen)
    nothing = (chosen.k == 0) & (chosen.gold == 0)
    found: Ledger = {}
    for part in study.by_row:
        rows = part.rows[study.positive[part.rows]]
        stacked = np.stack([column[rows] for column in values.values()])
        for statistic, numbers in summaries(stacked, 0)[0].items():
            for metric, value in zip(values, numbers, strict=True):
                found[key(metric, "positives_only", part.name, statistic)] = value
    for part in [*study.all, *study.folds, *study.views]:
        for metric, column in values.items():
            # S1 3.1, 3.2: without gold, and with nothing selected, a query earns 1.
            earned = float(total(column[part.rows])) + int(np.count_nonzero(nothing[part.rows]))
            mean = ratio(earned, len(part.rows))
            found[key(f"{metric}/all_queries", "all_queries", part.name, "mean")] = mean
    return found


def _pooled(chosen: Selection, part: Slice) -> Ledger:
    """Give Σ|G ∩ returned| / Σ|G|, over positives and over those that passed (S3 C.3, C.4)."""
    gold, passed = chosen.gold[part.rows], chosen.passed[part.rows]
    returned = int(tally(chosen.found[part.rows][passed]))
    return {
        key("evidence_recall/pooled", "positives_only", part.name, "value"): ratio(
            returned, int(tally(gold))
        ),
        key("evidence_recall/pooled_conditional", "positives_only", part.name, "value"): ratio(
            returned, int(tally(gold[passed]))
        ),
    }


def deployment(study: Study, chosen: Selection) -> Ledger:
    """Give the confusion of has_evidence against "something was returned" (S3 D)."""
    returned = (chosen.passed & (chosen.k > 0)).astype(np.int8)
    found: Ledger = {}
    for part in [*study.all, *study.folds, *study.views]:
        tp, fp, tn, fn = confusion_counts(study.label[part.rows], returned[part.rows])
        rates = (
            ratio(fp, fp + tn),
            ratio(fn, fn + tp),
            ratio(tp, tp + fp),
            ratio(tp, tp + fn),
            ratio(2 * tp, 2 * tp + fp + fn),
        )
        values: dict[str, int | float] = {"tp": tp, "fp": fp, "tn": tn, "fn": fn}
        values |= dict(zip(DEPLOYMENT_RATES, rates, strict=True))
        for name, value in values.items():
            found[key(f"deployment_{name}", "all_queries", part.name, "value")] = value
    return found


def largest_k(data: Data, settings: Settings) -> Ints:
    """Give k_max = min(hard_cap, ⌊n·ratio⌋) of each query (S1 3.4)."""
    if data.candidates is None:
        raise LookupError("k_max needs candidates")
    return np.minimum(settings.hard_cap, share_floor(data.candidates.lengths, settings.k_max_ratio))


def bounds(study: Study, chosen: Selection) -> Ledger:
    """Count the passed queries whose K lies outside its bounds."""
    k_min = study.settings.k_min
    k_max = largest_k(study.data, study.settings)
    unreachable = chosen.passed & (k_max < k_min)
    below = chosen.passed & ~unreachable & ((chosen.k < k_min) | (chosen.k == 0))
    above = chosen.passed & (chosen.k > k_max)
    found: Ledger = {}
    for part in [*study.all, *study.folds, *study.views]:
        for metric, mask in (
            ("k_below_min", below),
            ("k_above_max", above),
            ("k_min_unreachable", unreachable),
        ):
            found[key(metric, "all_queries", part.name, "value")] = int(
                np.count_nonzero(mask[part.rows])
            )
    return found
