"""scipy's bootstrap of scikit-learn's metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from common import SCIPY_RESAMPLES, Answers, binary
from scipy.stats import bootstrap
from sklearn.metrics import average_precision_score, roc_auc_score

if TYPE_CHECKING:
    from pathlib import Path


def warm() -> None:
    """Nothing is compiled."""


def auc(_: Path) -> Answers:
    """Draw a few resamples of each metric: paired, percentile method."""
    label, prob = binary()
    answers: Answers = {}
    for name, metric in (("auroc", roc_auc_score), ("auprc", average_precision_score)):
        bootstrap(
            (label, prob),
            metric,
            paired=True,
            vectorized=False,
            n_resamples=SCIPY_RESAMPLES,
            method="percentile",
            random_state=np.random.default_rng(1),
        )
        answers[f"{name}|all_queries|all|value"] = float(metric(label, prob))
    return answers
