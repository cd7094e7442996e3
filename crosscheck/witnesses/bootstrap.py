"""scipy's own bootstrap: a second opinion on intervals, from resamples that nobody gave it.

Asked for by name (`--witness scipy`). It draws by itself, so its ends are equal to ours within
chance only, and are judged so. By query, percentile, over all rows; paired, which scipy is not
unless told (contract, T2). Per-query values are trec_eval's, curves scikit-learn's.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.data.rows import load
from crosscheck.model.key import Key
from crosscheck.witnesses import Testimony, Witness, trec_eval
from crosscheck.witnesses.scipy import WITNESS as PLAIN
from crosscheck.witnesses.scipy import testify as testify_plainly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crosscheck.data.case import Case
    from crosscheck.data.rows import Floats, Rows

    Statistic = Callable[..., float]

RESAMPLES = 1000
SEED = 0
ENDS = ("ci_low/query/percentile", "ci_high/query/percentile")


def testify(case: Case) -> Testimony:
    """Ask scipy for what it always answers and, where intervals are owed, for its own draws."""
    told = testify_plainly(case)
    rows, _ = load(case)
    drawn: dict[str, tuple[float, int]] = {}
    owed = set(case.intervals)
    for base, columns, statistic in _asked(case, rows):
        keys = [f"{base.rpartition('|')[0]}|{end}" for end in ENDS]
        if owed.issuperset(keys):
            drawn |= dict(zip(keys, _ends(columns, statistic), strict=True))
    note = f"{len(drawn) // 2} intervals by query, {RESAMPLES:,} resamples of its own (seed {SEED})"
    return replace(told, drawn=drawn, note=note if drawn else told.note)


def _asked(case: Case, rows: Rows) -> Iterator[tuple[str, tuple[Floats, ...], Statistic]]:
    """Give each base key with the columns that are drawn together, and the statistic of a draw."""
    gold, label = rows.with_gold.astype(np.float64), rows.label.astype(np.float64)
    for metric, values in trec_eval.columns(case, rows).items():
        yield str(Key(metric, "positives_only", "all", "mean")), (values, gold), _mean
    if rows.has("prob"):
        both = (rows.prob, label)
        yield "brier|all_queries|all|value", both, _brier
        yield "auroc|all_queries|all|value", both, _auroc
        yield "auprc|all_queries|all|value", both, _auprc


def _auroc(prob: Floats, label: Floats) -> float:
    from sklearn.metrics import roc_auc_score  # noqa: PLC0415 - in the witness's process

    # A draw of one class follows the contract's convention, not scikit-learn's (T3).
    return float(roc_auc_score(label > 0, prob)) if 0 < label.mean() < 1 else 0.5


def _auprc(prob: Floats, label: Floats) -> float:
    from sklearn.metrics import average_precision_score  # noqa: PLC0415 - the same

    rate = float(label.mean())
    return float(average_precision_score(label > 0, prob)) if 0 < rate < 1 else rate


def _mean(values: Floats, chosen: Floats) -> float:
    """Average over the queries with gold; a draw without any counts 0 (contract, section 2)."""
    kept = values[chosen > 0]
    return float(kept.mean()) if len(kept) else 0.0


def _brier(prob: Floats, label: Floats) -> float:
    return float(np.mean((prob - label) ** 2))


def _ends(columns: tuple[Floats, ...], statistic: Statistic) -> list[tuple[float, int]]:
    from scipy.stats import bootstrap  # noqa: PLC0415 - in the witness's process

    with warnings.catch_warnings():
        # A metric that never varies has an interval of width 0, on which scipy remarks.
        warnings.simplefilter("ignore")
        found = bootstrap(
            tuple(np.asarray(column, dtype=np.float64) for column in columns),
            statistic,
            paired=True,
            vectorized=False,
            n_resamples=RESAMPLES,
            method="percentile",
            rng=np.random.default_rng(SEED),
        ).confidence_interval
    return [(float(found.low), RESAMPLES), (float(found.high), RESAMPLES)]


WITNESS: Witness = replace(
    PLAIN, testify=testify, waiting=f"{RESAMPLES:,} resamples of its own", packages=("scipy",)
)
