"""The libraries asked what they are not asked otherwise: keys whose definition they do not share.

Called as a hurried person calls them, with the defaults, under the contract's names. The fuzzer
then finds by itself why the witnesses decline these keys (contract, T1, T3, T5, T6, T10, T19).
"""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.data.rows import load
from crosscheck.witnesses import Testimony, ranx, trec_eval
from crosscheck.witnesses.fill import fill
from crosscheck.witnesses.rankings import answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.data.case import Case
    from crosscheck.data.rows import Floats, Mask, Rows
    from crosscheck.model.ledgers import Ledger, Number
    from crosscheck.witnesses import Witness
    from crosscheck.witnesses.rankings import PerQuery

BY_GOLD = re.compile(r"(map@\w+)/by_gold")
TPR = re.compile(r"tpr@fpr=([^/%]+)%")
NDCG = re.compile(r"ndcg@(\d+)")
ECE = re.compile(r"ece@(\d+)")


def _by_gold(columns: PerQuery, case: Case) -> Ledger:
    """Call ranx's map@K, or trec_eval's map_cut, by the contract's name map@K."""
    rows, _ = load(case)
    found = ((BY_GOLD.fullmatch(name), one) for name, one in columns(case, rows).items())
    return answer(case, rows, {match[1]: values for match, values in found if match})


def scikit_learn(case: Case) -> Ledger:
    """Call scikit-learn's functions with their defaults, whatever the classes."""
    rows, _ = load(case)

    def values(metric: str, population: str, part: str) -> dict[str, Number] | None:
        if metric.startswith("ndcg@"):
            return None
        if population != "all_queries" or not rows.has("prob"):
            return None
        mask = rows.mask(population, part)
        if not mask.any():
            return None
        found = _value(metric, rows.label[mask], rows.prob[mask], rows.pred[mask])
        return None if found is None else {"value": found}

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it remarks on one class, which is the point here
        ledger = fill(case.owed, values)
        return ledger | answer(case, rows, _ndcg(case, rows))


def _value(metric: str, label: Mask, prob: Floats, pred: Mask) -> float | None:
    from sklearn import calibration, metrics  # noqa: PLC0415 - 1.6 s to import

    if metric == "auroc":
        return float(metrics.roc_auc_score(label, prob))
    if metric == "auprc":
        return float(metrics.average_precision_score(label, prob))
    if metric == "balanced_accuracy":
        return float(metrics.balanced_accuracy_score(label, pred))
    both = label.any() and not label.all()
    if (at := TPR.fullmatch(metric)) and both:
        fpr, tpr, _ = metrics.roc_curve(label, prob)
        return float(tpr[fpr <= float(at[1]) / 100].max(initial=0.0))
    if at := ECE.fullmatch(metric):
        share, mean = calibration.calibration_curve(label, prob, n_bins=int(at[1]))
        edges = np.linspace(0, 1, int(at[1]) + 1)
        counts = np.bincount(np.searchsorted(edges[1:-1], prob), minlength=int(at[1]))
        return float(np.sum(counts[counts > 0] / len(prob) * np.abs(share - mean)))
    return None


def _ndcg(case: Case, rows: Rows) -> dict[str, Floats]:
    """Give ndcg_score of each query with two candidates or more; it refuses fewer."""
    from sklearn.metrics import ndcg_score  # noqa: PLC0415 - 1.6 s to import

    if not (rows.has("scores") and rows.has("gold") and rows.has("candidates")):
        return {}
    lists = rows.lists("candidates")
    if not all(len(uids) > 1 for uids in lists):
        return {}
    found: dict[str, Floats] = {}
    for metric in {key.partition("|")[0] for key in case.owed}:
        if at := NDCG.fullmatch(metric):
            pairs = zip(lists, rows.gold, rows.frame["scores"].to_list(), strict=True)
            found[metric] = np.array(
                [
                    ndcg_score([[uid in gold for uid in uids]], [scores], k=int(at[1]))
                    for uids, gold, scores in pairs
                ]
            )
    return found


UNDECLARED: dict[str, Callable[[Case], Ledger]] = {
    "ranx": partial(_by_gold, ranx.columns),
    "scikit-learn": scikit_learn,
    "trec_eval": partial(_by_gold, trec_eval.columns),
}


def with_undeclared(witness: Witness) -> Witness:
    """Ask a library what it declines otherwise, and nothing else; others stay as they are."""
    extra = UNDECLARED.get(witness.name)
    if extra is None:
        return witness
    return replace(witness, testify=lambda case: Testimony(extra(case)))
