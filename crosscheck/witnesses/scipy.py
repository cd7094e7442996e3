"""scipy as a witness: calibration by `binned_statistic`, AUROC by `mannwhitneyu`.

Its bins are half-open, the last one closed: the contract's (section 5). The edges handed over are
the floats nearest to j/M, which is what a probability written as that decimal is read as (T4).
Bootstrap intervals are another matter, and asked for by name: see `bootstrap.py`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import numpy as np

from crosscheck.key import Key
from crosscheck.witnesses import Case, Testimony, Witness, decline
from crosscheck.witnesses.fill import fill
from crosscheck.witnesses.rows import load

if TYPE_CHECKING:
    from crosscheck.witnesses import Number
    from crosscheck.witnesses.rows import Floats, Mask

ECE = re.compile(r"ece@(\d+)")
BIN = re.compile(r"reliability@(\d+)/bin=(\d+)")


def testify(case: Case) -> Testimony:
    """Ask scipy for calibration and AUROC."""
    rows, _ = load(case)

    def values(metric: str, population: str, part: str) -> dict[str, Number] | None:
        if population != "all_queries" or not rows.has("prob"):
            return None
        mask = rows.mask(population, part)
        label, prob = rows.label[mask], rows.prob[mask]
        if metric == "auroc":
            return auroc(label, prob)
        if not len(prob):
            return None
        if found := ECE.fullmatch(metric):
            return {"value": ece(label, prob, int(found[1]))}
        if found := BIN.fullmatch(metric):
            return reliability(label, prob, int(found[1]), int(found[2]))
        return None

    ledger = fill(case.owed, values)
    return Testimony(ledger, declined=decline(case, ledger, why_not))


def why_not(key: str) -> str:
    """Why scipy is not asked about a key."""
    parsed = Key.parse(key)
    if parsed.metric == "auroc" and parsed.population == "pairs":
        return "asked about queries only"
    if parsed.metric == "auroc":
        return "a class is missing from a slice: U is undefined"
    if ECE.fullmatch(parsed.metric):
        return "the slice is empty"
    return "has no function for it"


def auroc(label: Mask, prob: Floats) -> dict[str, Number] | None:
    """U / (positives · negatives), ties half."""
    from scipy.stats import mannwhitneyu  # noqa: PLC0415 - in the witness's process

    positive, negative = prob[label], prob[~label]
    if not (len(positive) and len(negative)):
        return None
    statistic = mannwhitneyu(positive, negative, method="asymptotic").statistic
    return {"value": float(statistic / (len(positive) * len(negative)))}


def bins(label: Mask, prob: Floats, count: int) -> tuple[Floats, Floats, Floats]:
    """n, mean probability and mean label of each bin; 0 where the bin is empty."""
    from scipy.stats import binned_statistic  # noqa: PLC0415 - in the witness's process

    edges = np.array([j / count for j in range(count + 1)])

    def total(values: Floats, statistic: Literal["count", "sum"]) -> Floats:
        return np.asarray(binned_statistic(prob, values, statistic, edges).statistic, np.float64)

    n = total(prob, "count")
    filled = np.maximum(n, 1)
    return n, total(prob, "sum") / filled, total(label.astype(np.float64), "sum") / filled


def ece(label: Mask, prob: Floats, count: int) -> float:
    """Σ (n_j/N) · |mean label − mean prob|."""
    n, mean_prob, mean_label = bins(label, prob, count)
    return float(np.sum(n / len(prob) * np.abs(mean_label - mean_prob)))


def reliability(label: Mask, prob: Floats, count: int, j: int) -> dict[str, Number]:
    """One bin of the reliability diagram."""
    n, mean_prob, mean_label = bins(label, prob, count)
    return {
        "n": int(n[j]),
        "mean_prob": float(mean_prob[j]),
        "mean_label": float(mean_label[j]),
    }


WITNESS = Witness(
    name="scipy",
    kind="library",
    testify=testify,
    packages=("scipy",),
    rows_limit=2_000_000,
)
