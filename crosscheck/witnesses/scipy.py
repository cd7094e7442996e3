"""scipy as a witness: calibration by `binned_statistic`, AUROC by `mannwhitneyu`.

Its bins are half-open, the last one closed: the contract's (section 5). A float means the decimal
that its shortest form shows, so the edge handed over for j/M is the least float whose decimal is at
least that: for 1/3 the one above 0.3333333333333333, which is less than a third (T4).
Bootstrap intervals are another matter, and asked for by name: see `bootstrap.py`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from crosscheck.data.rows import load
from crosscheck.witnesses import Testimony, Witness, decline
from crosscheck.witnesses.fill import fill_shared, once_a_number, why_not

if TYPE_CHECKING:
    from crosscheck.contract import MetricId
    from crosscheck.contract.libraries import LibraryMeasure
    from crosscheck.data.case import Case
    from crosscheck.data.rows import Floats, Mask, Rows
    from crosscheck.model.ledgers import Ledger, Number

    Bins = tuple[Floats, Floats, Floats]
    """n, mean probability and mean label of each bin."""

NAME = "scipy"


def testify(case: Case) -> Testimony:
    """Ask scipy for calibration and AUROC."""
    ledger: Ledger = {}
    # Everything that it is asked about is of probabilities: without any, no row is read.
    if "prob" in case.facts["columns"]:
        rows, _ = load(case)
        ledger = fill_shared(NAME, case.owed, _Bench(rows).value)
    return Testimony(ledger, declined=decline(case, ledger, once_a_number(partial(why_not, NAME))))


class _Bench:
    """Answers one (metric, population, slice) at a time; bins shared by several are kept."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        # Kept per object, not per class: each case has rows of its own.
        self.bins = cache(self._bins)

    def value(
        self, metric: MetricId, measure: LibraryMeasure, population: str, part: str
    ) -> dict[str, Number] | None:
        """Give the value of a metric on a slice, or None where scipy is not asked."""
        if population != "all_queries":
            return None
        mask = self.rows.mask(population, part)
        if measure.of == "queries":
            return auroc(self.rows.label[mask], self.rows.prob[mask])
        if not mask.any():
            return None
        count, j = int(metric.at), metric.parameters.get("j")
        given = self.bins(part, count)
        return {"value": ece(given)} if j is None else reliability(given, int(j))

    def _bins(self, part: str, count: int) -> Bins:
        mask = self.rows.mask("all_queries", part)
        return bins(self.rows.label[mask], self.rows.prob[mask], count)


def auroc(label: Mask, prob: Floats) -> dict[str, Number] | None:
    """U / (positives · negatives), ties half."""
    from scipy.stats import mannwhitneyu  # noqa: PLC0415 - in the witness's process

    positive, negative = prob[label], prob[~label]
    if not (len(positive) and len(negative)):
        return None
    statistic = mannwhitneyu(positive, negative, method="asymptotic").statistic
    return {"value": float(statistic / (len(positive) * len(negative)))}


def bins(label: Mask, prob: Floats, count: int) -> Bins:
    """n, mean probability and mean label of each bin; 0 where the bin is empty."""
    from scipy.stats import binned_statistic  # noqa: PLC0415 - in the witness's process

    given = edges(count)

    def total(values: Floats, statistic: Literal["count", "sum"]) -> Floats:
        return np.asarray(binned_statistic(prob, values, statistic, given).statistic, np.float64)

    n = total(prob, "count")
    filled = np.maximum(n, 1)
    return n, total(prob, "sum") / filled, total(label.astype(np.float64), "sum") / filled


def edges(count: int) -> Floats:
    """Give the edges of bins of equal width, as the floats at which the decimals part."""
    return np.array([_edge(Fraction(j, count)) for j in range(count + 1)])


def _edge(exact: Fraction) -> float:
    """Give the least float whose shortest decimal is at least a number from 0 to 1."""
    near = float(exact)
    below = math.nextafter(near, 0.0)
    some = (below, near, math.nextafter(near, 1.0))
    return next(one for one in some if Fraction(repr(one)) >= exact)


def ece(given: Bins) -> float:
    """Σ (n_j/N) · |mean label − mean prob|."""
    n, mean_prob, mean_label = given
    return float(np.sum(n / n.sum() * np.abs(mean_label - mean_prob)))


def reliability(given: Bins, j: int) -> dict[str, Number]:
    """One bin of the reliability diagram."""
    n, mean_prob, mean_label = given
    return {
        "n": int(n[j]),
        "mean_prob": float(mean_prob[j]),
        "mean_label": float(mean_label[j]),
    }


WITNESS = Witness(
    name=NAME,
    kind="library",
    testify=testify,
    packages=("scipy",),
    rows_limit=2_000_000,
    after="scikit-learn",
)
