"""scikit-learn as a witness: curves, confusion, several labels per post, thresholds from TUNE.

`roc_curve` is called with `drop_intermediate=False` (contract, T1). False positives are counted
back from the curve as whole numbers, so that no float decides whether a budget is kept (T16). One
class: AUROC and AUPRC are not asked, since scikit-learn's answer is not the contract's (T3), nor
is balanced accuracy (T10).
"""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from crosscheck.contract import load as load_contract
from crosscheck.data.rows import Rows, load
from crosscheck.witnesses import Testimony, Witness, decline
from crosscheck.witnesses.classes import CLIPPED, Classes
from crosscheck.witnesses.decided import Decided
from crosscheck.witnesses.fill import fill_shared, once_a_number, why_not

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.contract import MetricId
    from crosscheck.contract.libraries import LibraryMeasure
    from crosscheck.data.case import Case
    from crosscheck.data.rows import Floats, Mask
    from crosscheck.model.ledgers import Number

    Ints = np.ndarray[Any, np.dtype[np.int64]]
    Labels = np.ndarray[Any, np.dtype[np.int8]]
    Answer = dict[str, Number] | None

NAME = "scikit-learn"
ROUNDING = 1e-12


def testify(case: Case) -> Testimony:
    """Ask scikit-learn for every metric whose definition it shares."""
    from crosscheck.witnesses.sklearn_for_arrays import (  # noqa: PLC0415 - in the witness's process
        config_context,
    )

    rows, tune = load(case)
    bench = Classes(rows, case.facts["classes"]) if case.facts["classes"] else _Bench(rows, tune)
    with warnings.catch_warnings():
        # It remarks on every slice with one class; those are answered or declined knowingly.
        warnings.filterwarnings("ignore", message="A single label was found")
        warnings.filterwarnings("ignore", message="The y_prob values do not sum to one")
        warnings.filterwarnings("ignore", category=RuntimeWarning, message="invalid value")
        # What is handed over was checked by the loader, and is of the kinds that are asked for.
        with config_context(assume_finite=True, skip_parameter_validation=True):
            ledger = fill_shared(NAME, case.owed, bench.values)
    return Testimony(ledger, declined=decline(case, ledger, once_a_number(partial(why_not, NAME))))


@dataclass(frozen=True)
class _Curve:
    """A ROC curve, its points as whole numbers of false and true positives."""

    label: Mask
    score: Floats

    @classmethod
    def of(cls, label: Mask, score: Floats) -> _Curve:
        """Put the rows into the order in which each of its functions would sort them anew."""
        order = np.argsort(score)[::-1]
        return cls(label[order], score[order])

    @cached_property
    def positives(self) -> int:
        return int(self.label.sum())

    @cached_property
    def negatives(self) -> int:
        return len(self.label) - self.positives

    @cached_property
    def truth(self) -> Labels:
        """The label as scikit-learn goes through it fastest."""
        return self.label.astype(np.int8)

    @cached_property
    def points(self) -> tuple[Floats, Floats, Floats]:
        from sklearn.metrics import roc_curve  # noqa: PLC0415 - in the witness's process

        fpr, tpr, thresholds = roc_curve(self.truth, self.score, drop_intermediate=False)
        return np.rint(fpr * self.negatives), np.rint(tpr * self.positives), thresholds

    def areas(self) -> dict[str, float]:
        """AUROC and both readings of AUPRC."""
        from sklearn import metrics  # noqa: PLC0415 - in the witness's process

        precision, recall, _ = metrics.precision_recall_curve(self.truth, self.score)
        auroc = float(metrics.roc_auc_score(self.truth, self.score))
        return {
            "auroc": auroc,
            "gini": 2 * auroc - 1,
            "auprc": float(metrics.average_precision_score(self.truth, self.score)),
            "auprc/trapezoid": float(metrics.auc(recall, precision)),
        }

    def largest_f1(self) -> dict[str, float]:
        """Give the largest F1 of any threshold, and the largest threshold that reaches it."""
        false, true, thresholds = self.points
        f1 = 2 * true / (true + false + self.positives)
        point = int(np.flatnonzero(f1 >= f1.max() - ROUNDING)[0])
        return {"max_f1": float(f1[point]), "threshold": float(thresholds[point])}

    def partial(self, alpha: str) -> float:
        """Take McClish's correction back: it maps the least area to 1/2 and the largest to 1."""
        from sklearn.metrics import roc_auc_score  # noqa: PLC0415 - in the witness's process

        share = float(Fraction(alpha) / 100)
        corrected = float(roc_auc_score(self.truth, self.score, max_fpr=share))
        least = share**2 / 2
        return ((2 * corrected - 1) * (share - least) + least) / share

    def within(self, alpha: str, last_index: bool) -> dict[str, float]:
        """Give the point that the rule picks among those whose FPR is at most α %."""
        false, true, thresholds = self.points
        allowed = false <= math.floor(Fraction(alpha) * self.negatives / 100)
        if last_index:
            point = int(np.flatnonzero(allowed)[-1])
        else:
            point = int(np.flatnonzero(allowed & (true == true[allowed].max()))[0])
        return {
            "tpr": float(true[point] / self.positives),
            "fpr": float(false[point] / self.negatives),
            "threshold": float(thresholds[point]),
        }


class _Bench:
    """Answers one (metric, population, slice) at a time; work shared by several is kept."""

    def __init__(self, rows: Rows, tune: Rows) -> None:
        self.rows = rows
        self.tune = tune
        self._of: dict[str, Callable[[MetricId, str], Answer]] = {
            "budget": self._at_fpr,
            "beta": self._beta,
            "curve_points": lambda _, part: self.points(part),
            "partial": self._partial,
            "decision": lambda _, part: self.gate(part),
            "posts": lambda _, part: self.posts(part),
            "prob": lambda _, part: self.probabilities(part),
            "returned": lambda _, part: self.deployment(part),
            "state": lambda _, part: self.states(part),
            "tune": self._grid,
        }
        # Kept per object, not per class: each case has rows of its own.
        self.curve = cache(self._curve)
        self.areas = cache(self._areas)
        self.points = cache(self._points)
        self.gate = cache(self._gate)
        self.deployment = cache(self._deployment)
        self.posts = cache(self._posts)
        self.probabilities = cache(self._probabilities)
        self.states = cache(self._states)
        self.tuned = cache(self._tuned)
        self.on_tune = cache(self._on_tune)

    def values(
        self, metric: MetricId, measure: LibraryMeasure, population: str, part: str
    ) -> Answer:
        """Give the value of a metric on a slice, or None where scikit-learn is not asked."""
        rows = self.tune if measure.of == "tune" else self.rows
        if not rows.mask("all_queries", part).any():
            return None
        if measure.of == "curve":
            found = self.areas(population, part)
        else:
            found = self._of[measure.of](metric, part)
        value = None if found is None else found.get(self._name(metric))
        return None if value is None else {"value": value}

    @staticmethod
    def _name(metric: MetricId) -> str:
        """Name a metric as the answers do: without its parameter, its rule, whom it is about."""
        if "@" in metric.text:
            return metric.text.partition("@")[0]
        return metric.text.removeprefix("deployment_")

    def _curve(self, population: str, part: str) -> _Curve | None:
        """Give the curve of a slice where both classes are present."""
        if population == "pairs":
            label, score = self._pairs(part)
        else:
            mask = self.rows.mask(population, part)
            label, score = self.rows.label[mask], self.rows.score[mask]
        curve = _Curve.of(label, score)
        return curve if curve.positives and curve.negatives else None

    def _areas(self, population: str, part: str) -> Answer:
        curve = self.curve(population, part)
        return None if curve is None else dict(curve.areas())

    @cached_property
    def _all_pairs(self) -> tuple[Mask, Floats, Ints]:
        label, query = self.rows.relevance()
        scores = self.rows.frame["scores"].explode().drop_nulls().to_numpy().astype(np.float64)
        if self.rows.settings.get("ties") == "trec_eval":
            # The rows hold the scores as they were written; the metrics are of the rounded ones.
            with np.errstate(over="ignore"):
                scores = scores.astype(np.float32).astype(np.float64)
        return label, scores, query

    def _pairs(self, part: str) -> tuple[Mask, Floats]:
        label, scores, query = self._all_pairs
        mask = self.rows.mask("all_queries", part)[query]
        return label[mask], scores[mask]

    def _at_fpr(self, metric: MetricId, part: str) -> Answer:
        rule = metric.template.partition("/")[2]
        if rule == "tuned":
            return self.tuned(metric.at, part)
        curve = self.curve("all_queries", part)
        if curve is None:
            return None
        return dict(curve.within(metric.at, rule == "last_index"))

    def _tuned(self, alpha: str, part: str) -> Answer:
        """Choose the threshold on the fold's TUNE rows, apply it to its EVAL rows.

        With several seeds each chooses its own, about which it is not asked.
        """
        if self.rows.has("seed") and self.rows.frame["seed"].n_unique() > 1:
            return None
        mask = self.tune.mask("all_queries", part)
        curve = _Curve.of(self.tune.label[mask], self.tune.score[mask])
        if not (curve.positives and curve.negatives):
            return None
        threshold = curve.within(alpha, last_index=False)["threshold"]
        mask = self.rows.mask("all_queries", part)
        found = Decided.of(self.rows.label[mask], self.rows.score[mask] >= threshold)
        return found.told | found.mcc | {"tpr": found.told["sensitivity"], "threshold": threshold}

    def _grid(self, metric: MetricId, part: str) -> Answer:
        low, high = metric.at.split(",")
        if self._name(metric) == "screening_sensitivity":
            return {"screening_sensitivity": self.on_tune(low, part).rates["sensitivity"]}
        return {"alert_precision": self.on_tune(high, part).rates["precision"]}

    def _on_tune(self, tau: str, part: str) -> Decided:
        mask = self.tune.mask("all_queries", part)
        label, prob = self.tune.label[mask], self.tune.prob[mask]
        return Decided.of(label, prob >= float(tau))

    def _probabilities(self, part: str) -> dict[str, Number]:
        from sklearn import metrics  # noqa: PLC0415 - in the witness's process

        mask = self.rows.mask("all_queries", part)
        label, prob = self.rows.label[mask].astype(np.int8), self.rows.prob[mask]
        found: dict[str, Number] = {
            "brier": float(metrics.brier_score_loss(label, prob, pos_label=1))
        }
        if (np.where(label, prob, 1 - prob) >= CLIPPED).all():
            found["log_loss"] = float(metrics.log_loss(label, prob, labels=[0, 1]))
        if 0 < label.sum() < len(label):
            found["brier/skill"] = float(metrics.d2_brier_score(label, prob, pos_label=1))
        return found

    def _points(self, part: str) -> Answer:
        curve = self.curve("all_queries", part)
        return None if curve is None else dict(curve.largest_f1())

    def _partial(self, metric: MetricId, part: str) -> Answer:
        curve = self.curve("all_queries", part) if Fraction(metric.at) else None
        return None if curve is None else {"auroc/partial": curve.partial(metric.at)}

    def _beta(self, metric: MetricId, part: str) -> Answer:
        from sklearn.metrics import fbeta_score  # noqa: PLC0415 - in the witness's process

        mask = self.rows.mask("all_queries", part)
        both = Decided.of(self.rows.label[mask], self.rows.pred[mask])
        beta = float(metric.at)
        return {"f_beta": float(fbeta_score(both.label, both.decision, beta=beta, zero_division=0))}

    def _gate(self, part: str) -> dict[str, Number]:
        mask = self.rows.mask("all_queries", part)
        found = Decided.of(self.rows.label[mask], self.rows.pred[mask])
        return found.told | found.mcc | found.further

    def _deployment(self, part: str) -> dict[str, Number]:
        mask = self.rows.mask("all_queries", part)
        found = Decided.of(self.rows.label[mask], self.rows.returned[mask]).told
        return found | {"recall": found["sensitivity"]}

    def _states(self, part: str) -> dict[str, Number]:
        """Screening is the decision “not NEG”, an alert the decision “POS”."""
        mask = self.rows.mask("all_queries", part)
        label, state = self.rows.label[mask], self.rows.state[mask]
        screening = Decided.of(label, state != "NEG").told
        return {
            "screening_sensitivity": screening["sensitivity"],
            "screening_fn_per_1000": 1000 * screening["fn"] / len(label),
            "alert_precision": Decided.of(label, state == "POS").rates["precision"],
        }

    def _posts(self, part: str) -> Answer:
        from sklearn import metrics  # noqa: PLC0415 - in the witness's process

        mask = self.rows.mask("all_queries", part)
        # One column is no matrix to scikit-learn: it would take it for a plain binary label.
        if self.rows.frame["criterion_id"].n_unique() < 2:  # noqa: PLR2004 - a pair
            return None
        truth, decision = self.rows.matrices(mask)
        loss = float(metrics.hamming_loss(truth, decision))
        found: dict[str, Number] = {
            "exact_match": float(metrics.accuracy_score(truth, decision)),
            "hamming_loss": loss,
            "hamming_score": 1 - loss,
        }
        for metric, average in _averages().items():
            score = metrics.f1_score(truth, decision, average=average, zero_division=0)
            found[metric] = float(score)
        return found


@cache
def _averages() -> dict[str, str]:
    """Which average of F1 each metric of the posts is, as the contract's table calls it."""
    found: dict[str, str] = {}
    for measure in load_contract().measures:
        average = re.search(r'average="(\w+)"', measure.call)
        if measure.library == NAME and average:
            found |= dict.fromkeys(measure.metrics, average[1])
    return found


WITNESS = Witness(
    name=NAME,
    kind="library",
    testify=testify,
    packages=("scikit-learn",),
    rows_limit=2_000_000,
    pairs_limit=200_000,
)
