"""Planted mistakes: computed here in the plainest way; the search must name them."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from statistics import mean, median, stdev
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import primary
from crosscheck import study
from crosscheck.claims.reading import read_text
from crosscheck.diagnose.forensics import Diagnosis, explain, explain_claim
from crosscheck.diagnose.scene import Scene
from crosscheck.errors import UserError
from crosscheck.mistakes.formulas import FORMULAS
from crosscheck.notation.number import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

NDCG = "ndcg@10|positives_only|all|mean"
MRR = "mrr@all|positives_only|all|mean"


@dataclass(frozen=True)
class Query:
    """One EVAL query as plain Python sees it."""

    ranking: list[str]
    scores: list[float]
    gold: set[str]
    prob: float
    label: int
    pred: int
    fold: int
    post: str
    criterion: str
    selected: list[str]

    @property
    def hits(self) -> list[bool]:
        return [uid in self.gold for uid in self.ranking]


@dataclass(frozen=True)
class Planted:
    """The built-in study with what the plain computations need."""

    case: Scene
    queries: list[Query]
    tune: list[tuple[int, float]]
    thresholds: Mapping[str, float]

    @property
    def positives(self) -> list[Query]:
        return [query for query in self.queries if query.gold]

    def value(self, key: str) -> float:
        return float(self.case.ledger[key])


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    folder = tmp_path_factory.mktemp("study")
    paths = study.write(folder, systems=("full", "retriever"))
    config = tomllib.loads(study.config_text())
    names = ("threshold", "tau_neg", "tau_pos", "views")
    settings = {name: config[name] for name in names}
    files = {path.stem: path for path in paths.values() if path.suffix == ".csv"}
    retriever = Scene(files["retriever"], {"views": config["views"]})
    case = Scene(files["full"], settings, others={"retriever": retriever})
    rows = primary.table(files["full"], settings).to_dicts()
    queries = [
        Query(
            row["candidates"], row["scores"], set(row["gold"]), row["prob"], row["has_evidence"],
            row["pred"], row["fold"], row["post_id"], row["criterion_id"], row["selected"],
        )
        for row in rows
        if row["split"] == "EVAL"
    ]  # fmt: skip
    tune = [(row["has_evidence"], row["prob"]) for row in rows if row["split"] == "TUNE"]
    return Planted(case, queries, tune, config["threshold"])


def discounted(hits: list[bool], discount: Callable[[int], float]) -> float:
    return sum(discount(i) for i, hit in enumerate(hits, 1) if hit)


def log2_discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def ideal(count: int, discount: Callable[[int], float] = log2_discount) -> float:
    return sum(discount(i) for i in range(1, count + 1))


def ndcg(query: Query, k: int = 10, below: float | None = None) -> float:
    best = ideal(min(len(query.gold), k)) if below is None else below
    return discounted(query.hits[:k], log2_discount) / best if best else 0.0


def first(query: Query) -> int | None:
    return next((i for i, hit in enumerate(query.hits, 1) if hit), None)


def average_precision(query: Query, k: int, rank: Callable[[int], float] = float) -> float:
    top = query.hits[:k]
    return sum(sum(top[:i]) / rank(i) for i, hit in enumerate(top, 1) if hit)


def auroc(pairs: list[tuple[int, float]]) -> float:
    positive = np.array([score for label, score in pairs if label])
    negative = np.sort(np.array([score for label, score in pairs if not label]))
    below = np.searchsorted(negative, positive, side="left")
    upto = np.searchsorted(negative, positive, side="right")
    return float((below + upto).sum() / 2 / len(positive) / len(negative))


def labelled(planted: Planted) -> list[tuple[int, float]]:
    return [(query.label, query.prob) for query in planted.queries]


def rates(planted: Planted, decide: Callable[[Query], bool]) -> dict[str, float]:
    counts = {(a, b): 0 for a in (0, 1) for b in (False, True)}
    for query in planted.queries:
        counts[query.label, decide(query)] += 1
    tp, fn = counts[1, True], counts[1, False]
    fp, tn = counts[0, True], counts[0, False]
    f1, other = 2 * tp / (2 * tp + fp + fn), 2 * tn / (2 * tn + fp + fn)
    return {
        "f1": f1,
        "f1-of-both-classes": (f1 + other) / 2,
        "f1-weighted-by-class": ((tp + fn) * f1 + (tn + fp) * other) / (tp + fp + tn + fn),
        "accuracy": (tp + tn) / (tp + fp + tn + fn),
        "sensitivity": tp / (tp + fn),
        "precision": tp / (tp + fp),
        "mcc": (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
    }


def calibration(planted: Planted, bin_of: Callable[[float], int]) -> list[tuple[int, float]]:
    bins: dict[int, list[tuple[int, float]]] = {}
    for label, prob in labelled(planted):
        bins.setdefault(bin_of(prob), []).append((label, prob))
    return [
        (len(some), abs(mean(label for label, _ in some) - mean(prob for _, prob in some)))
        for some in bins.values()
    ]


def expected(gaps: list[tuple[int, float]]) -> float:
    return sum(n * gap for n, gap in gaps) / sum(n for n, _ in gaps)


def linspace_bin(prob: float) -> int:
    edges = np.linspace(0, 1, 11)
    return int(min(np.searchsorted(edges, prob, side="right") - 1, 9))


def grouped(planted: Planted, name: str) -> float:
    groups: dict[str, list[float]] = {}
    for query in planted.positives:
        groups.setdefault(getattr(query, name), []).append(ndcg(query))
    return mean(mean(values) for values in groups.values())


def resorted(query: Query, *, descending: bool) -> Query:
    pairs = sorted(zip(query.ranking, query.scores, strict=True), reverse=descending)
    pairs.sort(key=lambda pair: -pair[1])
    return Query(**{**query.__dict__, "ranking": [uid for uid, _ in pairs]})


def threshold_of(planted: Planted, query: Query) -> float:
    return float(planted.thresholds[str(query.fold)])


def equal_mass(planted: Planted) -> float:
    ordered = sorted(labelled(planted), key=lambda pair: pair[1])
    gaps = []
    for some in np.array_split(np.arange(len(ordered)), 10):
        chosen = [ordered[i] for i in some]
        gap = abs(mean(label for label, _ in chosen) - mean(prob for _, prob in chosen))
        gaps.append((len(chosen), gap))
    return expected(gaps)


def interpolated_tpr(planted: Planted, budget: float) -> float:
    pairs = sorted(labelled(planted), key=lambda pair: -pair[1])
    positives = sum(label for label, _ in pairs)
    negatives = len(pairs) - positives
    points, tp, fp = [(0.0, 0.0)], 0, 0
    for i, (label, prob) in enumerate(pairs):
        tp, fp = tp + label, fp + 1 - label
        if i + 1 == len(pairs) or pairs[i + 1][1] != prob:
            points.append((fp / negatives, tp / positives))
    xs, ys = zip(*points, strict=True)
    return float(np.interp(budget, xs, ys))


def hard_auprc(planted: Planted) -> float:
    """Average precision of a 0/1 score: two thresholds, the second at everything."""
    found = rates(planted, lambda query: bool(query.pred))
    prevalence = mean(query.label for query in planted.queries)
    return found["precision"] * found["sensitivity"] + (1 - found["sensitivity"]) * prevalence


RARE = "auprc|all_queries|criterion=A.5|value"
FOLDS = "ndcg@10|positives_only|folds|"
MISTAKES: dict[str, tuple[str, str, Callable[[Planted], float]]] = {
    "over all queries": (
        NDCG,
        "population",
        lambda p: mean(ndcg(q) if q.gold else 0 for q in p.queries),
    ),
    "recall over all queries": (
        "recall@5|positives_only|all|mean",
        "population",
        lambda p: p.value("recall@5|all_queries|all|mean"),
    ),
    "mean of folds": (NDCG, "pooled", lambda p: p.value(FOLDS + "mean")),
    "pooled for folds": (FOLDS + "mean", "pooled", lambda p: mean(ndcg(q) for q in p.positives)),
    "auroc pooled for folds": (
        "auprc|all_queries|folds|mean",
        "pooled",
        lambda p: p.value("auprc|all_queries|all|value"),
    ),
    "std with n": (
        FOLDS + "std",
        "spread",
        lambda p: float(
            np.std([p.value(f"ndcg@10|positives_only|fold={i}|mean") for i in range(5)])
        ),
    ),
    "std over queries": (FOLDS + "std", "spread", lambda p: stdev(ndcg(q) for q in p.positives)),
    "standard error": (
        FOLDS + "std",
        "standard-error",
        lambda p: p.value(FOLDS + "std") / math.sqrt(5),
    ),
    "map by gold": (
        "map@3|positives_only|all|mean",
        "definition",
        lambda p: mean(average_precision(q, 3) / len(q.gold) for q in p.positives),
    ),
    "map by hits": (
        "map@5|positives_only|all|mean",
        "definition",
        lambda p: mean(average_precision(q, 5) / (sum(q.hits[:5]) or 1) for q in p.positives),
    ),
    "precision over returned": (
        "precision@20|positives_only|all|mean",
        "definition",
        lambda p: mean(sum(q.hits[:20]) / min(20, len(q.ranking)) for q in p.positives),
    ),
    "recall of the retrieved": (
        "recall@10|positives_only|all|mean",
        "definition",
        lambda p: mean(sum(q.hits[:10]) / (sum(q.hits) or 1) for q in p.positives),
    ),
    "auprc by trapezoid": (
        RARE,
        "definition",
        lambda p: p.value(RARE.replace("|", "/trapezoid|", 1)),
    ),
    "auroc without ties": (
        "auroc|all_queries|all|value",
        "definition",
        lambda p: p.value("auroc/strict|all_queries|all|value"),
    ),
    "pooled evidence recall": (
        "evidence_recall|positives_only|all|mean",
        "definition",
        lambda p: (
            sum(len(q.gold & set(q.selected)) for q in p.positives if q.pred)
            / sum(len(q.gold) for q in p.positives)
        ),
    ),
    "K of another column": (NDCG, "cutoff", lambda p: mean(ndcg(q, 5) for q in p.positives)),
    "budget of another column": (
        "tpr@fpr=5%|all_queries|all|value",
        "cutoff",
        lambda p: p.value("tpr@fpr=3%|all_queries|all|value"),
    ),
    "K one too small": (NDCG, "cut-one-too-early", lambda p: mean(ndcg(q, 9) for q in p.positives)),
    "K one too large": (
        "recall@5|positives_only|all|mean",
        "cut-one-too-late",
        lambda p: mean(sum(q.hits[:6]) / len(q.gold) for q in p.positives),
    ),
    "recall that is hit": (
        "recall@10|positives_only|all|mean",
        "another-metric",
        lambda p: mean(float(any(q.hits[:10])) for q in p.positives),
    ),
    "two columns exchanged": (
        "sensitivity|all_queries|all|value",
        "another-metric",
        lambda p: p.value("precision|all_queries|all|value"),
    ),
    "mrr for ndcg": (
        "ndcg@5|positives_only|all|mean",
        "another-metric",
        lambda p: p.value("mrr@5|positives_only|all|mean"),
    ),
    "best order of ties": (
        NDCG,
        "tie-bound",
        lambda p: p.value("ndcg@10/tie_high|positives_only|all|mean"),
    ),
    "worst order of ties": (
        MRR,
        "tie-bound",
        lambda p: p.value("mrr@all/tie_low|positives_only|all|mean"),
    ),
    "ties by id": (
        NDCG,
        "ties-by-ascending-id",
        lambda p: mean(ndcg(resorted(q, descending=False)) for q in p.positives),
    ),
    "ties by id descending": (
        NDCG,
        "ties-by-document-id",
        lambda p: mean(ndcg(resorted(q, descending=True)) for q in p.positives),
    ),
    "ranking upside down": (
        NDCG,
        "ranking-reversed",
        lambda p: mean(
            ndcg(Query(**{**q.__dict__, "ranking": q.ranking[::-1]})) for q in p.positives
        ),
    ),
    "empty gold is perfect": (
        "recall@10|all_queries|all|mean",
        "free-without-gold",
        lambda p: mean(sum(q.hits[:10]) / len(q.gold) if q.gold else 1.0 for q in p.queries),
    ),
    "queries without a hit dropped": (
        NDCG,
        "hitless-dropped",
        lambda p: mean(ndcg(q) for q in p.positives if any(q.hits[:10])),
    ),
    "ranks from 0": (
        NDCG,
        "ndcg-undiscounted-start",
        lambda p: mean(
            discounted(q.hits[:10], lambda i: 1 / math.log2(max(i - 1, 1) + 1))
            / ideal(min(len(q.gold), 10), lambda i: 1 / math.log2(max(i - 1, 1) + 1))
            for q in p.positives
        ),
    ),
    "ranks one too high": (
        MRR,
        "mrr-rank-off-by-one",
        lambda p: mean(1 / (r + 1) if (r := first(q)) else 0 for q in p.positives),
    ),
    "natural logarithm": (
        NDCG,
        "ndcg-two-log-bases",
        lambda p: mean(
            discounted(q.hits[:10], lambda i: 1 / math.log(i + 1)) / ideal(min(len(q.gold), 10))
            for q in p.positives
        ),
    ),
    "DCG": (NDCG, "ndcg-not-normalised", lambda p: mean(ndcg(q, below=1.0) for q in p.positives)),
    "ideal of K": (
        NDCG,
        "ndcg-ideal-of-k",
        lambda p: mean(ndcg(q, below=ideal(10)) for q in p.positives),
    ),
    "ideal of the retrieved": (
        NDCG,
        "ndcg-ideal-of-retrieved",
        lambda p: mean(ndcg(q, below=ideal(min(sum(q.hits), 10))) for q in p.positives),
    ),
    "ideal not cut": (
        "ndcg@3|positives_only|all|mean",
        "ndcg-ideal-not-cut",
        lambda p: mean(ndcg(q, 3, ideal(len(q.gold))) for q in p.positives),
    ),
    "discount by rank": (
        NDCG,
        "ndcg-reciprocal-discount",
        lambda p: mean(
            discounted(q.hits[:10], lambda i: 1 / i) / ideal(min(len(q.gold), 10), lambda i: 1 / i)
            for q in p.positives
        ),
    ),
    "recall capped at K": (
        "recall@1|positives_only|all|mean",
        "another-metric",
        lambda p: mean(sum(q.hits[:1]) / min(len(q.gold), 1) for q in p.positives),
    ),
    "recall capped at 3": (
        "recall@3|positives_only|all|mean",
        "recall-capped-at-k",
        lambda p: mean(sum(q.hits[:3]) / min(len(q.gold), 3) for q in p.positives),
    ),
    "micro recall": (
        "recall@10|positives_only|all|mean",
        "recall-pooled",
        lambda p: (
            sum(sum(q.hits[:10]) for q in p.positives) / sum(len(q.gold) for q in p.positives)
        ),
    ),
    "map by K": (
        "map@10|positives_only|all|mean",
        "map-by-k",
        lambda p: mean(average_precision(q, 10) / 10 for q in p.positives),
    ),
    "map with late ranks": (
        "map@10|positives_only|all|mean",
        "map-precision-off-by-one",
        lambda p: mean(
            average_precision(q, 10, lambda i: i + 1) / min(len(q.gold), 10) for q in p.positives
        ),
    ),
    "inverse of the mean rank": (
        MRR,
        "mrr-inverse-of-mean-rank",
        lambda p: 1 / mean(r for q in p.positives if (r := first(q))),
    ),
    "mean of posts": (NDCG, "mean-of-posts", lambda p: grouped(p, "post")),
    "mean of criteria": (
        "ndcg@5|positives_only|all|mean",
        "mean-of-criteria",
        lambda p: mean(
            mean(ndcg(q, 5) for q in p.positives if q.criterion == c)
            for c in {q.criterion for q in p.positives}
        ),
    ),
    "macro auroc": (
        "auroc|all_queries|all|value",
        "macro",
        lambda p: mean(p.value(f"auroc|all_queries|criterion=A.{i}|value") for i in range(1, 11)),
    ),
    "pairs": (
        "auroc|all_queries|all|value",
        "population",
        lambda p: auroc(
            [
                (uid in q.gold, s)
                for q in p.queries
                for uid, s in zip(q.ranking, q.scores, strict=True)
            ]
        ),
    ),
    "TUNE rows": ("auroc|all_queries|all|value", "tune-split", lambda p: auroc(p.tune)),
    "0/1 decisions": ("auprc|all_queries|all|value", "decisions-for-probabilities", hard_auprc),
    "> at the threshold": (
        "precision|all_queries|all|value",
        "threshold-strictly-above",
        lambda p: rates(p, lambda q: q.prob > threshold_of(p, q))["precision"],
    ),
    "threshold 0.5": (
        "sensitivity|all_queries|all|value",
        "decision-at-one-half",
        lambda p: rates(p, lambda q: q.prob >= 0.5)["sensitivity"],
    ),
    "mean threshold": (
        "mcc|all_queries|all|value",
        "threshold-mean-of-folds",
        lambda p: rates(p, lambda q: q.prob >= mean(p.thresholds.values()))["mcc"],
    ),
    "F1 of both classes": (
        "f1|all_queries|all|value",
        "f1-of-both-classes",
        lambda p: rates(p, lambda q: bool(q.pred))["f1-of-both-classes"],
    ),
    "weighted F1": (
        "f1|all_queries|all|value",
        "f1-weighted-by-class",
        lambda p: rates(p, lambda q: bool(q.pred))["f1-weighted-by-class"],
    ),
    "accuracy": (
        "balanced_accuracy|all_queries|all|value",
        "another-metric",
        lambda p: rates(p, lambda q: bool(q.pred))["accuracy"],
    ),
    "linspace edges": (
        "ece@10|all_queries|all|value",
        "ece-linspace-edges",
        lambda p: expected(calibration(p, linspace_bin)),
    ),
    "bins closed on the right": (
        "ece@10|all_queries|fold=4|value",
        "ece-bins-closed-right",
        lambda p: expected(
            calibration(
                Planted(p.case, [q for q in p.queries if q.fold == 4], p.tune, p.thresholds),
                lambda prob: max(math.ceil(round(prob * 10, 9)) - 1, 0),
            )
        ),
    ),
    "fifteen bins": (
        "ece@10|all_queries|all|value",
        "other-bins",
        lambda p: expected(calibration(p, lambda prob: min(int(round(prob * 15, 9)), 14))),
    ),
    "bins of equal size": ("ece@10|all_queries|all|value", "ece-bins-of-equal-mass", equal_mass),
    "largest error": (
        "ece@10|all_queries|all|value",
        "ece-largest-gap",
        lambda p: max(
            gap for _, gap in calibration(p, lambda prob: min(int(round(prob * 10, 9)), 9))
        ),
    ),
    "bins not weighted": (
        "ece@10|all_queries|all|value",
        "ece-bins-unweighted",
        lambda p: mean(
            gap for _, gap in calibration(p, lambda prob: min(int(round(prob * 10, 9)), 9))
        ),
    ),
    "root of Brier": (
        "brier|all_queries|all|value",
        "brier-root",
        lambda p: math.sqrt(mean((q.prob - q.label) ** 2 for q in p.queries)),
    ),
    "Brier of both classes": (
        "brier|all_queries|all|value",
        "brier-both-classes",
        lambda p: 2 * mean((q.prob - q.label) ** 2 for q in p.queries),
    ),
    "interpolated ROC": (
        "tpr@fpr=1%|all_queries|all|value",
        "tpr-interpolated",
        lambda p: interpolated_tpr(p, 0.01),
    ),
    "another fold": (NDCG, "slice", lambda p: mean(ndcg(q) for q in p.positives if q.fold == 3)),
    "another view": (
        "auroc|all_queries|all|value",
        "slice",
        lambda p: auroc([(q.label, q.prob) for q in p.queries if q.criterion != "A.10"]),
    ),
    "another system": (NDCG, "system", lambda p: float(p.case.others["retriever"].ledger[NDCG])),
    "median for mean": (
        "mrr@10|positives_only|all|std",
        "statistic",
        lambda p: median(1 / r if (r := first(q)) and r <= 10 else 0 for q in p.positives),
    ),
    "selection after the gate": (
        "evidence_recall|positives_only|all|mean",
        "gated-selection",
        lambda p: mean(
            len(q.gold & set(q.selected)) / len(q.gold) if q.pred else 0.0 for q in p.positives
        ),
    ),
    "percent for fraction": (
        "recall@10|positives_only|all|mean",
        "scale",
        lambda p: p.value("recall@10|positives_only|all|mean") / 100,
    ),
    "one minus": (
        "map@10|positives_only|all|mean",
        "complement",
        lambda p: 1 - p.value("map@10|positives_only|all|mean"),
    ),
    "cut off": (
        "evidence_recall|positives_only|all|mean",
        "truncated",
        lambda p: math.floor(p.value("evidence_recall|positives_only|all|mean") * 1e4) / 1e4,
    ),
}


@pytest.fixture(scope="module")
def printed(planted: Planted) -> dict[str, str]:
    """Print each mistake's value as a paper would."""
    return {name: f"{value(planted):.4f}" for name, (_, _, value) in MISTAKES.items()}


@pytest.fixture(scope="module")
def places(planted: Planted, printed: dict[str, str]) -> dict[str, int]:
    """Say where the true mistake stands among the explanations; 99: nowhere."""
    found = {}
    for name, (key, mistake, _) in MISTAKES.items():
        suspects = explained(planted.case, key, printed[name]).suspects
        named = [[one for one, _ in suspect.mistakes] for suspect in suspects]
        found[name] = named.index([mistake]) + 1 if [mistake] in named else 99
    return found


def test_there_are_more_than_forty_different_mistakes() -> None:
    assert len({(key, mistake, name) for name, (key, mistake, _) in MISTAKES.items()}) >= 60
    assert len({mistake for _, mistake, _ in MISTAKES.values()}) >= 40


@pytest.mark.parametrize("name", MISTAKES)
def test_a_planted_mistake_changes_the_printed_number(
    planted: Planted, printed: dict[str, str], name: str
) -> None:
    assert printed[name] != f"{planted.value(MISTAKES[name][0]):.4f}"


@pytest.mark.parametrize("name", MISTAKES)
def test_a_planted_mistake_is_among_the_first_three(places: dict[str, int], name: str) -> None:
    assert places[name] <= 3


def test_nine_planted_mistakes_of_ten_come_first(places: dict[str, int]) -> None:
    behind = {name: place for name, place in places.items() if place > 1}
    assert len(behind) <= len(MISTAKES) / 10, behind


def found(diagnosis: Diagnosis) -> list[str]:
    """Name the mistakes of the best explanation."""
    return [mistake for mistake, _ in diagnosis.suspects[0].mistakes] if diagnosis.suspects else []


def explained(case: Scene, key: str, text: str) -> Diagnosis:
    number = parse(text).number
    assert number is not None
    return explain(key, number, case)


def test_two_mistakes_together_are_found_where_none_alone_fits(planted: Planted) -> None:
    value = mean(
        discounted(q.hits[:5], lambda i: 1 / math.log(i + 1)) / ideal(min(len(q.gold), 5))
        for q in planted.positives
    )
    diagnosis = explained(planted.case, NDCG, f"{value:.4f}")
    assert sorted(found(diagnosis)) == ["cutoff", "ndcg-two-log-bases"]


def test_a_number_that_nothing_explains_is_called_so(planted: Planted) -> None:
    diagnosis = explained(planted.case, NDCG, "0.4321987")
    assert diagnosis.suspects == ()
    assert f"none of the {diagnosis.tried:,}" in diagnosis.sentence


def test_few_digits_make_a_match_less_surprising(planted: Planted) -> None:
    value = planted.value("ndcg@5|positives_only|all|mean")
    exact = explained(planted.case, NDCG, f"{value:.5f}").explanations[0].surprise
    rough = explained(planted.case, NDCG, f"{value:.2f}").explanations[0].surprise
    assert exact < rough / 100


def test_several_that_fit_are_all_told(planted: Planted) -> None:
    diagnosis = explained(planted.case, "precision@1|positives_only|all|mean", "0.82")
    assert len(diagnosis.suspects) > 1
    assert f"{len(diagnosis.suspects)} of" in diagnosis.sentence


def test_a_percentage_is_explained_as_one(planted: Planted) -> None:
    text = json_claim(planted, "ndcg@5|positives_only|all|mean")
    (claim,) = read_text(text, "c.json", "json")
    diagnosis = explain_claim(claim, planted.case)
    assert diagnosis is not None
    assert found(diagnosis) == ["cutoff"]


def json_claim(planted: Planted, truth: str) -> str:
    return f'{{"{NDCG}": "{100 * planted.value(truth):.2f}%"}}'


def test_a_key_that_the_data_lack_is_the_users_error(planted: Planted) -> None:
    with pytest.raises(UserError, match="the data give no"):
        explained(planted.case, "ndcg@7|positives_only|all|mean", "0.5")


def small(**columns: list[Any]) -> Scene:
    return Scene(pl.DataFrame(columns))


def test_queries_whose_gold_was_never_retrieved_are_missed() -> None:
    case = small(
        query_id=list("abcde"),
        candidates=[["x", "y", "z"]] * 5,
        gold=[["x"], ["y"], ["z"], ["w"], ["x", "z"]],
    )
    right = case.ledger[MRR]
    assert right == pytest.approx((1 + 1 / 2 + 1 / 3 + 0 + 1) / 5)
    assert found(explained(case, MRR, f"{(1 + 1 / 2 + 1 / 3 + 1) / 4:.4f}")) == [
        "missing-gold-dropped"
    ]


def test_queries_without_an_answer_are_missed() -> None:
    case = small(
        query_id=list("abcd"),
        candidates=[["x", "y", "z"], ["y", "x", "z"], [], ["z", "y", "v"]],
        gold=[["x"], ["z"], ["x"], ["x"]],
    )
    assert found(explained(case, MRR, f"{(1 + 1 / 3 + 0) / 3:.4f}")) == ["empty-rankings-skipped"]


def test_dropped_points_of_the_curve_are_found() -> None:
    """Trap T1: with these ties TPR at FPR ≤ 70 % comes out 1/3 instead of 2/3."""
    rows = {"query_id": list("abcdef"), "prob": [0.9, 0.9, 0.7, 0.7, 0.5, 0.5]}
    frame = pl.DataFrame(rows | {"has_evidence": [1, 0, 1, 0, 1, 0]})
    case = Scene(frame, {"fpr": [70]})
    key = "tpr@fpr=70%|all_queries|all|value"
    assert case.ledger[key] == pytest.approx(2 / 3)
    names = {name for one in explained(case, key, "0.33333").suspects for name, _ in one.mistakes}
    assert "roc-points-dropped" in names


def test_an_unpaired_bootstrap_is_found(planted: Planted) -> None:
    """Trap T2: labels and scores drawn apart close around 0.5."""
    stem = "auroc|all_queries|all|"
    ends = {f"{stem}ci_low/query/percentile": 0.8885, f"{stem}ci_high/query/percentile": 0.9070}
    case = Scene(planted.case.data, planted.case.settings, known={**planted.case.ledger, **ends})
    positives = sum(query.label for query in planted.queries)
    negatives = len(planted.queries) - positives
    spread = math.sqrt((positives + negatives + 1) / (12 * positives * negatives))
    low = 0.5 - 1.96 * spread
    diagnosis = explained(case, f"{stem}ci_low/query/percentile", f"{low:.4f}")
    assert found(diagnosis) == ["bootstrap-unpaired"]


@pytest.mark.parametrize(
    "gain", [lambda grade: grade, lambda grade: 2**grade - 1], ids=["linear", "exponential"]
)
def test_graded_gains_are_found(tmp_path: Path, gain: Callable[[int], int]) -> None:
    grades = {"q1": {"a": 2, "b": 1, "c": 0, "d": 3}, "q2": {"a": 1, "b": 2, "c": 2, "d": 0}}
    rankings = {"q1": "badc", "q2": "dabc"}
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    judged = [f"{q} 0 {uid} {grade}" for q, some in grades.items() for uid, grade in some.items()]
    qrels.write_text("\n".join(judged) + "\n", "utf-8")
    lines = [
        f"{q} Q0 {uid} {i} {10 - i} run"
        for q, ranking in rankings.items()
        for i, uid in enumerate(ranking, 1)
    ]
    run.write_text("\n".join(lines) + "\n", "utf-8")
    values = []
    for query, ranking in rankings.items():
        gains = [gain(grades[query][uid]) for uid in ranking[:3]]
        best = sorted((gain(g) for g in grades[query].values()), reverse=True)[:3]
        dcg, top = (
            sum(g * log2_discount(i) for i, g in enumerate(some, 1)) for some in (gains, best)
        )
        values.append(dcg / top)
    case = Scene({"qrels": qrels, "run": run})
    diagnosis = explained(case, "ndcg@3|positives_only|all|mean", f"{mean(values):.5f}")
    assert found(diagnosis) == ["definition"]


def test_the_studys_own_rankings_explain_each_other(shared_data: Path) -> None:
    file = shared_data / "study" / "per_query.csv"
    cases = {
        name: Scene(file, {"columns": {"candidates": f"{name}_topk"}})
        for name in ("retriever", "reranked")
    }
    case = Scene(file, cases["reranked"].settings, others={"retriever": cases["retriever"]})
    for text, mistake in (
        ("0.68059", "system"),
        ("0.06485", "population"),
        ("0.66226", "cutoff"),
        ("0.88488", "another-metric"),
    ):
        assert found(explained(case, NDCG, text)) == [mistake]


def test_a_criterion_whose_name_is_escaped_in_keys_has_its_own_rows() -> None:
    """`a|b` is `a%7Cb` in a key: its two queries, not none."""
    case = small(
        post_id=["p", "p", "q", "q"],
        criterion_id=["a|b", "c", "a|b", "c"],
        has_evidence=[1, 0, 0, 1],
        prob=[0.9, 0.2, 0.4, 0.7],
    )
    key = "ece@10|all_queries|criterion=a%7Cb|value"
    assert case.ledger[key] == pytest.approx((0.1 + 0.4) / 2)
    # The largest gap is mce@10, a metric of its own.
    assert found(explained(case, key, "0.40000")) == ["another-metric"]
    assert FORMULAS["ece-largest-gap"].at(case.bench, key) == pytest.approx(0.4)
