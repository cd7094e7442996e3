"""Ten posts of the built-in study, with a profile, thresholds and claims of their own.

Small enough to be gated in a blink, and a study all the same: two folds, two criteria, TUNE rows,
selections, states, a declared profile and truthful claims.
"""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import polars as pl

from crosscheck import study
from crosscheck.checks.splits import choose
from crosscheck.data import door
from crosscheck.faults.grounds import Ground, Row, write
from crosscheck.study.decisions import PLACES, TAU_NEG, TAU_POS
from crosscheck.system import scratch
from crosscheck.witnesses.implementations import PRIMARY

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from crosscheck.model.ledgers import Ledger

POSTS = 5
"""Of each fold, of EVAL and of TUNE."""
FOLDS = (0, 1)
CRITERIA = ("A.1", "A.10")
FEW = {"k": [3], "fpr": [5], "gamma": [0.9], "grid": {"tau_neg": [0.1], "tau_pos": [0.8]}}
"""Fewer cut-offs and budgets: the faults here do not lie in them, and the gate is run often."""
BUDGET = 10
"""Of false positives, in percent."""
CLAIMED = {
    "positives_only": ("ndcg@3", "recall@3", "map@3", "mrr@all"),
    "all_queries": ("auroc", "auprc", "brier", "tp", "fp", "tn", "fn"),
}
OVER_FOLDS = ("ndcg@3", "recall@3")


@cache
def rows() -> tuple[Row, ...]:
    """Take the first posts of each fold and split that have any evidence."""
    with scratch("selftest") as folder:
        everything = door.primary.table(study.write(folder)["full"], {})
    table = everything.filter(pl.col("fold").is_in(FOLDS), pl.col("criterion_id").is_in(CRITERIA))
    place = ["fold", "split", "post_id"]
    posts = table.filter(pl.col("has_evidence") == 1).unique(place, maintain_order=True)
    chosen = posts.group_by("fold", "split", maintain_order=True).head(POSTS).select(place)
    kept = table.join(chosen, on=place, how="semi", maintain_order="left")
    return tuple(
        _decided(
            [
                {name: value for name, value in row.items() if value is not None}
                for row in kept.iter_rows(named=True)
            ]
        )
    )


def thresholds(kept: Sequence[Row], split: str = "TUNE") -> dict[str, float]:
    """Choose each fold's threshold by the rule, on the rows of one split."""
    found = {}
    for fold in sorted({row["fold"] for row in kept}):
        inside = [row for row in kept if row["fold"] == fold and row["split"] == split]
        labels = [bool(row["has_evidence"]) for row in inside]
        found[str(fold)] = choose(labels, [row["prob"] for row in inside], Fraction(BUDGET))
    return found


def _decided(kept: Sequence[Row]) -> list[Row]:
    limits = thresholds(kept)
    return [
        row | {"pred": int(row["prob"] >= limits[str(row["fold"])])} if "pred" in row else row
        for row in kept
    ]


def table(kept: Sequence[Row]) -> dict[str, Any]:
    """Declare what holds of these rows, as a study's config does."""
    evaluated = [row for row in kept if row["split"] == "EVAL"]
    folds = sorted({row["fold"] for row in evaluated})
    criteria = sorted({row["criterion_id"] for row in evaluated})
    positives = sum(row["has_evidence"] for row in evaluated)
    candidates = sum(len(row["candidates"]) for row in evaluated) / len(evaluated)
    dsm5 = [name for name in criteria if name != "A.10"]
    return FEW | {
        "tau_neg": TAU_NEG / 10**PLACES,
        "tau_pos": TAU_POS / 10**PLACES,
        "rule": f"fpr<={BUDGET}%",
        "threshold": thresholds(kept),
        "views": {"dsm5": dsm5},
        "profile": {
            "posts": POSTS * len(folds),
            "queries": len(evaluated),
            "with_evidence": positives,
            "without_evidence": len(evaluated) - positives,
            "criteria": criteria,
            "posts_per_fold": [POSTS] * len(folds),
            "queries_per_fold": [POSTS * len(criteria)] * len(folds),
            "mean_candidates": [int(candidates), int(candidates) + 1],
            "view_queries": {"dsm5": POSTS * len(folds) * len(dsm5)},
            "shared_candidates": True,
            "uid_pattern": "{post_id}_*",
        },
    }


def claims(ledger: Ledger) -> dict[str, Any]:
    """Claim the truth, to four digits."""
    stated: dict[str, Any] = {
        population: {metric: _stated(ledger, metric, population) for metric in metrics}
        for population, metrics in CLAIMED.items()
    }
    stated["positives_only"] |= {"skip_no_positives": True}
    stated["over_folds"] = {
        "positives_only": {
            metric: " ± ".join(
                f"{ledger[f'{metric}|positives_only|folds|{statistic}']:.4f}"
                for statistic in ("mean", "std")
            )
            for metric in OVER_FOLDS
        }
    }
    return stated


def _stated(ledger: Ledger, metric: str, population: str) -> float:
    statistic = "mean" if population == "positives_only" else "value"
    value = ledger[f"{metric}|{population}|all|{statistic}"]
    return value if isinstance(value, int) else round(value, 4)


def ground(folder: Path) -> Ground:
    """Write the excerpt, its config and its claims."""
    path = folder / "excerpt.jsonl"
    write(rows(), path)
    made = Ground(path, table(rows()))
    stated = folder / "claims.json"
    stated.write_text(json.dumps(claims(made.honest(PRIMARY).ledger)), encoding="utf-8")
    return Ground(path, made.table, (str(stated),), made.known)
