"""The primary's tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import workloads
from common import CUTOFFS, METRICS, RESAMPLES, Answers, binary

import primary

if TYPE_CHECKING:
    from pathlib import Path

KEY = "{}|all_queries|all|mean"
PLACES = {
    **{f"{name}@{k}": KEY.format(f"{name}@{k}") for name in METRICS for k in CUTOFFS},
    **{f"map@{k}": KEY.format(f"map@{k}/by_gold") for k in CUTOFFS},
    "mrr": KEY.format("mrr@all"),
}
"""Where the ledger holds the compared means; the peers divide MAP by |G|."""


def warm() -> None:
    """Import what is imported where it is used."""
    import pyarrow.parquet  # noqa: F401, PLC0415


def _means(ledger: dict[str, Any]) -> Answers:
    return {name: ledger[key] for name, key in PLACES.items()}


def ranking(path: Path) -> Answers:
    """From the file to all statistics of all ranking metrics."""
    return _means(primary.evaluate(path, families=["ranking"]))


def graded(path: Path) -> Answers:
    """From the file to all statistics of graded nDCG and DCG."""
    found = primary.evaluate(path, families=["graded"])
    return {f"ndcg@{k}": found[KEY.format(f"ndcg@{k}/graded")] for k in CUTOFFS}


def whole(path: Path) -> Answers:
    """Compute the whole ledger, whatever the file owes."""
    return {"keys": len(primary.evaluate(path))}


def binary_ledger(path: Path) -> Answers:
    """Compute the ledger of the same file as if it had no grades."""
    return {"keys": len(primary.evaluate(path, families=["ranking", "ties", "pairs"]))}


def classes(path: Path) -> Answers:
    """From the file to the confusion matrix and every rate of several classes."""
    found = primary.evaluate(path, families=["classes", "confusion_matrix"])
    names = ("accuracy", "kappa", "mcc/multiclass", "f1/macro", "f1/weighted")
    return {name: found[f"{name}|all_queries|all|value"] for name in names}


def ledger(path: Path) -> Answers:
    """Compute the whole ledger without intervals."""
    found = primary.evaluate(path, workloads.SETTINGS)
    return _means(found) | {"keys": len(found)}


def trec(folder: Path) -> Answers:
    """Compute the whole ledger of qrels and a run as TREC text."""
    found = primary.evaluate(qrels=folder / "qrels", run=folder / "run")
    graded = {f"ndcg@{k}": found[KEY.format(f"ndcg@{k}/graded")] for k in CUTOFFS}
    return _means(found) | graded | {"keys": len(found)}


def auc(_: Path) -> Answers:
    """Draw 10,000 resamples; intervals of AUROC and AUPRC, percentile and BCa."""
    label, prob = binary()
    names = [str(row) for row in range(len(label))]
    rows = pl.DataFrame({"query_id": names, "has_evidence": label, "prob": prob})
    plan = {"query": primary.draw(len(label), resamples=RESAMPLES, seed=1)}
    keys = [f"{metric}|all_queries|all|value" for metric in ("auroc", "auprc")]
    found = primary.intervals(rows, None, plan, metrics=keys)
    return {key: found.estimates[key] for key in keys}


def intervals(path: Path) -> Answers:
    """Draw both plans; intervals of every headline metric by post and by query."""
    facts = primary.describe(path, workloads.SETTINGS)
    plan = {
        "post": primary.draw(facts["posts"], resamples=RESAMPLES, seed=1),
        "query": primary.draw(facts["rows"]["EVAL"], resamples=RESAMPLES, seed=2),
    }
    return {"keys": len(primary.intervals(path, workloads.SETTINGS, plan).ledger)}
