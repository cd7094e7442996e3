"""The study on disk, read back with the standard library alone, and its numbers computed plainly.

`answers` is a third computation of the study's main numbers, beside the two implementations: short
loops over the rows of the CSV file, by the contract's definitions.
"""

from __future__ import annotations

import csv
import json
import math
import statistics
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck import study

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

CUTS = (1, 3, 5, 10, 20)


@dataclass(frozen=True)
class Row:
    post: str
    criterion: str
    fold: int
    split: str
    candidates: list[str]
    scores: list[float]
    gold: list[str]
    label: int
    prob: float | None
    pred: int | None
    state: str | None
    selected: list[str]
    node_probs: list[float]

    @property
    def ranking(self) -> list[str]:
        by_score = sorted(zip(self.scores, self.candidates, strict=True), key=lambda x: -x[0])
        return [uid for _, uid in by_score]


def _ids(cell: str) -> list[str]:
    return cell.split("|") if cell else []


def _numbers(cell: str) -> list[float]:
    return json.loads(cell) if cell else []


def _row(cells: dict[str, str]) -> Row:
    return Row(
        post=cells["post_id"],
        criterion=cells["criterion_id"],
        fold=int(cells["fold"]),
        split=cells["split"],
        candidates=_ids(cells["candidates"]),
        scores=_numbers(cells["scores"]),
        gold=_ids(cells["gold"]),
        label=int(cells["has_evidence"]),
        prob=float(cells["prob"]) if "prob" in cells else None,
        pred=int(cells["pred"]) if "pred" in cells else None,
        state=cells.get("state"),
        selected=_ids(cells.get("selected", "")),
        node_probs=_numbers(cells.get("node_probs", "")),
    )


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """All six systems, as CSV, with config and claims."""
    return study.write(tmp_path_factory.mktemp("study"), systems=study.SYSTEM_NAMES)


@pytest.fixture(scope="session")
def read(written: dict[str, Path]) -> Callable[[str], list[Row]]:
    """Read a system's rows, all splits."""

    @cache
    def rows(system: str) -> list[Row]:
        with written[system].open(encoding="utf-8", newline="") as file:
            return [_row(cells) for cells in csv.DictReader(file)]

    return rows


@pytest.fixture(scope="session")
def evaluated(read: Callable[[str], list[Row]]) -> Callable[[str], list[Row]]:
    """Read a system's EVAL rows."""

    @cache
    def rows(system: str) -> list[Row]:
        return [row for row in read(system) if row.split == "EVAL"]

    return rows


@pytest.fixture(scope="session")
def answers(evaluated: Callable[[str], list[Row]]) -> Callable[[str], dict[str, float]]:
    """Compute a system's main numbers, by key."""

    @cache
    def numbers(system: str) -> dict[str, float]:
        rows = evaluated(system)
        found = _ranking(rows)
        if rows[0].prob is not None:
            found |= _curves(rows) | _decisions(rows) | _posts(rows) | _criteria(rows)
        if rows[0].state is not None:
            found |= _states(rows) | _evidence(rows)
        return found | _folds(rows)

    return numbers


def _query(row: Row) -> dict[str, float]:
    relevant = [uid in row.gold for uid in row.ranking]
    first = relevant.index(True) + 1 if True in relevant else math.inf
    values = {"mrr@all": 1 / first}
    for cut in CUTS:
        top = relevant[:cut]
        hits, size = sum(top), min(cut, len(row.gold))
        values[f"recall@{cut}"] = hits / len(row.gold)
        values[f"precision@{cut}"] = hits / cut
        values[f"hit@{cut}"] = float(hits > 0)
        values[f"mrr@{cut}"] = 1 / first if first <= cut else 0.0
        precisions = [sum(top[: i + 1]) / (i + 1) for i, hit in enumerate(top) if hit]
        values[f"map@{cut}"] = sum(precisions) / size
        ideal = sum(1 / math.log2(i + 2) for i in range(size))
        values[f"ndcg@{cut}"] = (
            sum(1 / math.log2(i + 2) for i, hit in enumerate(top) if hit) / ideal
        )
    return values


def _ranking(rows: Sequence[Row]) -> dict[str, float]:
    values = [_query(row) for row in rows if row.gold]
    found: dict[str, float] = {
        "queries|positives_only|all|n": len(values),
        "queries|all_queries|all|n": len(rows),
    }
    for metric in values[0]:
        total = math.fsum(value[metric] for value in values)
        found[f"{metric}|positives_only|all|mean"] = total / len(values)
        found[f"{metric}|all_queries|all|mean"] = total / len(rows)
    return found


def auroc(rows: Iterable[Row]) -> float:
    counts: dict[float, list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        counts[row.prob or 0.0][row.label] += 1
    below = area = 0
    for _, (negatives, positives) in sorted(counts.items()):
        area += positives * (2 * below + negatives)
        below += negatives
    return area / (2 * below * sum(positives for _, positives in counts.values()))


def _roc(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """List (false positives, true positives) at each distinct probability, descending."""
    points = [(0, 0)]
    ordered = sorted(rows, key=lambda row: -(row.prob or 0.0))
    for _, group in groupby(ordered, key=lambda row: row.prob):
        labels = [row.label for row in group]
        false, true = points[-1]
        points.append((false + len(labels) - sum(labels), true + sum(labels)))
    return points


def auprc(rows: Sequence[Row]) -> float:
    points = _roc(rows)
    steps = pairwise(points)
    return math.fsum((t - before) * t / (t + f) for (_, before), (f, t) in steps) / points[-1][1]


def _curves(rows: Sequence[Row]) -> dict[str, float]:
    points = _roc(rows)
    negatives, positives = points[-1]
    found = {"auroc": auroc(rows), "auprc": auprc(rows)}
    for percent in (1, 3, 5, 10):
        within = [true for false, true in points if 100 * false <= percent * negatives]
        found[f"tpr@fpr={percent}%"] = max(within) / positives
    bins: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        bins[min(round((row.prob or 0.0) * 10000) // 1000, 9)].append(row)
    gaps = [sum(row.label - (row.prob or 0.0) for row in group) for group in bins.values()]
    found["ece@10"] = math.fsum(map(abs, gaps)) / len(rows)
    found["brier"] = math.fsum(((row.prob or 0.0) - row.label) ** 2 for row in rows) / len(rows)
    return {f"{metric}|all_queries|all|value": value for metric, value in found.items()}


def _decisions(rows: Sequence[Row]) -> dict[str, float]:
    count = Counter((row.label, row.pred) for row in rows)
    tp, fp, tn, fn = count[1, 1], count[0, 1], count[0, 0], count[1, 0]
    root = math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    found = {
        "tp": tp,
        "fp": fp,
        "tn": tn,
        "fn": fn,
        "sensitivity": tp / (tp + fn),
        "specificity": tn / (tn + fp),
        "precision": tp / (tp + fp),
        "npv": tn / (tn + fn),
        "f1": 2 * tp / (2 * tp + fp + fn),
        "mcc": (tp * tn - fp * fn) / root,
        "balanced_accuracy": (tp / (tp + fn) + tn / (tn + fp)) / 2,
    }
    return {f"{metric}|all_queries|all|value": value for metric, value in found.items()}


def _states(rows: Sequence[Row]) -> dict[str, float]:
    count = Counter((row.label, row.state) for row in rows)
    size, positives = len(rows), sum(row.label for row in rows)
    alerts = count[0, "POS"] + count[1, "POS"]
    found = {
        "neg_rate": (count[0, "NEG"] + count[1, "NEG"]) / size,
        "pos_rate": alerts / size,
        "screening_sensitivity": 1 - count[1, "NEG"] / positives,
        "screening_fn_per_1000": 1000 * count[1, "NEG"] / size,
        "alert_precision": count[1, "POS"] / alerts,
        "alert_rate_per_1000": 1000 * alerts / size,
    }
    return {f"{metric}|all_queries|all|value": value for metric, value in found.items()}


def _evidence(rows: Sequence[Row]) -> dict[str, float]:
    hits = [(len(set(row.selected) & set(row.gold)), row) for row in rows if row.gold]
    recall = math.fsum(n / len(row.gold) for n, row in hits) / len(hits)
    precision = math.fsum(n / len(row.selected) for n, row in hits if row.selected) / len(hits)
    return {
        "evidence_recall|positives_only|all|mean": recall,
        "evidence_precision|positives_only|all|mean": precision,
        "k|all_queries|all|mean": sum(len(row.selected) for row in rows) / len(rows),
    }


def _posts(rows: Sequence[Row]) -> dict[str, float]:
    right: dict[str, bool] = {}
    for row in rows:
        right[row.post] = right.get(row.post, True) and row.label == row.pred
    agree = sum(row.label == row.pred for row in rows)
    return {
        "exact_match|posts|all|value": sum(right.values()) / len(right),
        "hamming_score|posts|all|value": agree / len(rows),
    }


def _criteria(rows: Sequence[Row]) -> dict[str, float]:
    found = {}
    for name in {row.criterion for row in rows}:
        own = [row for row in rows if row.criterion == name]
        found[f"auroc|all_queries|criterion={name}|value"] = auroc(own)
        rate = sum(row.label for row in own) / len(own)
        found[f"positive_rate|all_queries|criterion={name}|value"] = rate
    return found


def _folds(rows: Sequence[Row]) -> dict[str, float]:
    folds = [[row for row in rows if row.fold == number] for number in range(5)]
    series: dict[str, list[float]] = {}
    for fold in folds:
        for key, value in _ranking(fold).items():
            metric, population, _, statistic = key.split("|")
            if population == "positives_only" and statistic == "mean":
                series.setdefault(f"{metric}|positives_only|folds", []).append(value)
    if rows[0].prob is not None:
        series["auroc|all_queries|folds"] = [auroc(fold) for fold in folds]
        series["auprc|all_queries|folds"] = [auprc(fold) for fold in folds]
    found: dict[str, float] = {}
    for key, values in series.items():
        found[f"{key}|mean"] = statistics.fmean(values)
        found[f"{key}|std"] = statistics.stdev(values)
    return found


@pytest.fixture(scope="session")
def claims(written: dict[str, Path]) -> Any:
    return json.loads(written["claims"].read_text(encoding="utf-8"), parse_float=str)
