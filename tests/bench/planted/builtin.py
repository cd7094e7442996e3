"""Plants in the built-in study: rankings, folds, criteria; the gate's are in `gate`."""

from __future__ import annotations

import math
import tomllib
from statistics import mean, median, stdev
from typing import TYPE_CHECKING, Any

import gate
import numpy as np
import plain as p
import rankings as r
from plant import Plant, Query, Study, over

import primary
from crosscheck import study
from crosscheck.diagnose.scene import Scene

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("threshold", "tau_neg", "tau_pos", "views")
NDCG = r.at("ndcg", 10)
FOLDS = "ndcg@10|positives_only|folds|"
AUROC = "auroc|all_queries|all|value"


def of(folder: Path) -> Study:
    """Write the study, and read it as plain Python."""
    paths = study.write(folder, systems=("full", "retriever"))
    config = tomllib.loads(study.config_text())
    settings = {name: config[name] for name in NAMES}
    files = {path.stem: path for path in paths.values() if path.suffix == ".csv"}
    retriever = Scene(files["retriever"], {"views": config["views"]})
    scene = Scene(files["full"], settings, others={"retriever": retriever})
    rows = primary.table(files["full"], settings).to_dicts()
    queries = [
        Query(
            row["candidates"],
            row["scores"],
            row["gold"],
            row["prob"],
            row["has_evidence"],
            row["pred"],
            row["fold"],
            row["post_id"],
            row["criterion_id"],
            tuple(row["selected"]),
        )
        for row in rows
        if row["split"] == "EVAL"
    ]
    tune = [(row["has_evidence"], row["prob"]) for row in rows if row["split"] == "TUNE"]
    return Study("built-in", scene, queries, {"tune": tune, "threshold": config["threshold"]})


def grouped(s: Study, name: str, k: int) -> float:
    groups: dict[Any, list[float]] = {}
    for q in s.positives:
        groups.setdefault(getattr(q, name), []).append(p.ndcg(q, k))
    return mean(mean(values) for values in groups.values())


def without(s: Study, name: str, value: object) -> Study:
    kept = [q for q in s.queries if getattr(q, name) != value]
    return Study(s.name, s.scene, kept, s.extra)


def fold_values(s: Study) -> list[float]:
    folds = sorted({q.fold for q in s.queries})
    return [over([q for q in s.positives if q.fold == i], lambda q: p.ndcg(q, 10)) for i in folds]


def selected(q: Query) -> int:
    return len(set(q.gold) & set(q.selected))


def rankings() -> list[Plant]:
    """Mistakes in ranking metrics."""
    wanted = [one for one in r.of_ndcg(10) if one.mistake != "hitless-dropped"]
    return [
        *wanted,
        r.hitless(10),
        *r.of_map(10),
        *r.of_mrr(),
        *r.of_sets(5),
        *r.of_means(10),
        *r.of_order(10),
        *r.of_print(10),
        Plant(
            NDCG,
            "ties-by-ascending-id",
            "ties by id",
            r.positives(lambda q: p.ndcg(p.resorted(q, descending=False), 10)),
        ),
        Plant(
            NDCG,
            "ties-by-document-id",
            "ties by id, descending",
            r.positives(lambda q: p.ndcg(p.resorted(q, descending=True), 10)),
        ),
        Plant(
            r.at("recall", 10, "all_queries"),
            "free-without-gold",
            "empty gold is perfect",
            lambda s: over(s.queries, lambda q: p.recall(q, 10) if q.gold else 1.0),
        ),
        Plant(
            r.at("ndcg", 3),
            "ndcg-ideal-not-cut",
            "ideal of all gold",
            r.positives(lambda q: p.ndcg(q, 3, p.ideal(len(q.gold)))),
        ),
        Plant(
            r.at("precision", 20),
            "definition",
            "P divided by what was returned",
            r.positives(lambda q: sum(q.hits[:20]) / min(20, len(q.ranking))),
        ),
        Plant(
            NDCG,
            "system",
            "the retriever's number",
            lambda s: float(s.scene.others["retriever"].ledger[NDCG]),
        ),
        Plant(
            NDCG,
            "tie-bound",
            "ties in the best order",
            lambda s: s.value("ndcg@10/tie_high|positives_only|all|mean"),
            4,
        ),
    ]


def parts() -> list[Plant]:
    """Mistakes in folds, criteria, posts and statistics."""
    return [
        Plant(NDCG, "mean-of-posts", "mean of posts", lambda s: grouped(s, "post", 10)),
        Plant(
            r.at("ndcg", 5),
            "mean-of-criteria",
            "mean of criteria",
            lambda s: grouped(s, "criterion", 5),
        ),
        Plant(
            NDCG,
            "part-left-out",
            "criterion A.10 left out",
            lambda s: over(without(s, "criterion", "A.10").positives, lambda q: p.ndcg(q, 10)),
            4,
        ),
        Plant(
            AUROC,
            "part-left-out",
            "criterion A.3 left out",
            lambda s: p.auroc(gate.pairs(without(s, "criterion", "A.3"))),
            4,
        ),
        Plant(
            r.at("recall", 10),
            "part-left-out",
            "fold 2 left out",
            lambda s: over(without(s, "fold", 2).positives, lambda q: p.recall(q, 10)),
            4,
        ),
        Plant(NDCG, "slice", "fold 3 alone", lambda s: fold_values(s)[3]),
        Plant(NDCG, "pooled", "mean of folds", lambda s: mean(fold_values(s)), 4),
        Plant(
            FOLDS + "mean",
            "pooled",
            "pooled for folds",
            lambda s: over(s.positives, lambda q: p.ndcg(q, 10)),
            4,
        ),
        Plant(
            FOLDS + "mean",
            "part-left-out",
            "fold 4 left out of the mean of folds",
            lambda s: mean(fold_values(s)[:4]),
            4,
        ),
        Plant(
            FOLDS + "mean",
            "folds-rounded",
            "folds rounded to two decimals",
            lambda s: mean(round(v, 2) for v in fold_values(s)),
            6,
        ),
        Plant(FOLDS + "std", "spread", "std with n", lambda s: float(np.std(fold_values(s))), 4),
        Plant(
            FOLDS + "std",
            "spread",
            "std over queries",
            lambda s: stdev(p.ndcg(q, 10) for q in s.positives),
        ),
        Plant(
            FOLDS + "std",
            "standard-error",
            "standard error",
            lambda s: stdev(fold_values(s)) / math.sqrt(5),
            4,
        ),
        Plant(
            "mrr@10|positives_only|all|mean",
            "statistic",
            "the standard deviation",
            lambda s: stdev(p.mrr(q, 10) for q in s.positives),
            4,
        ),
        Plant(
            "recall@1|positives_only|all|mean",
            "statistic",
            "the median",
            lambda s: median(p.recall(q, 1) for q in s.positives),
            4,
        ),
        Plant(
            "evidence_recall|positives_only|all|mean",
            "gated-selection",
            "selection after the gate",
            lambda s: over(s.positives, lambda q: selected(q) / len(q.gold) if q.pred else 0.0),
        ),
        Plant(
            "evidence_precision|positives_only|all|mean",
            "empty-selections-skipped",
            "empty selections skipped",
            lambda s: mean(selected(q) / len(q.selected) for q in s.positives if q.selected),
        ),
        Plant(
            "evidence_recall|positives_only|all|mean",
            "definition",
            "pooled",
            lambda s: (
                sum(selected(q) for q in s.positives if q.pred)
                / sum(len(q.gold) for q in s.positives)
            ),
        ),
    ]


def plants() -> list[Plant]:
    """Every plant of this study."""
    return [*rankings(), *parts(), *gate.plants()]
