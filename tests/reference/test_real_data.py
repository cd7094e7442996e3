"""Published answers on real data: the study's claims, trec_eval, CLEF, yardstick."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest

import reference

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reference.study import Study

CUTS = [5, 10, 15, 20, 30, 100, 200, 500, 1000]
# trec_eval's name of each measure that shares our definition; it divides average precision by |G|.
MEASURES = {
    "map": "map@all/by_gold",
    "recip_rank": "mrr@all",
    "ndcg": "ndcg@all",
    **{f"P_{k}": f"precision@{k}" for k in CUTS},
    **{f"recall_{k}": f"recall@{k}" for k in CUTS},
    **{f"map_cut_{k}": f"map@{k}/by_gold" for k in CUTS},
    **{f"ndcg_cut_{k}": f"ndcg@{k}" for k in CUTS},
    **{f"success_{k}": f"hit@{k}" for k in (1, 5, 10)},
    "Rprec": "rprecision",
    "bpref": "bpref",
    **{f"iprec_at_recall_{n / 10:.2f}": f"iprec@recall={n / 10:g}" for n in range(11)},
}


@pytest.mark.parametrize("ranking", ["retriever", "reranked"])
@pytest.mark.parametrize("population", ["positives_only", "all_queries"])
def test_the_study_claims_hold(shared_data: Path, ranking: str, population: str) -> None:
    claims = json.loads((shared_data / "study" / "summary.json").read_text(encoding="utf-8"))
    claimed = {k: v for k, v in claims[ranking][population].items() if "@" in k}
    found = reference.evaluate(
        shared_data / "study" / "per_query.csv", {"columns": {"candidates": f"{ranking}_topk"}}
    )
    assert len(claimed) == 16
    assert {metric: found[f"{metric}|{population}|all|mean"] for metric in claimed} == {
        metric: pytest.approx(value, abs=1e-9) for metric, value in claimed.items()
    }


def test_the_study_lacks_five_gold_ids_in_the_retriever(shared_data: Path) -> None:
    facts = reference.describe(
        shared_data / "study" / "per_query.csv", {"columns": {"candidates": "retriever_topk"}}
    )
    assert (facts["gold_not_in_candidates"], facts["queries"]["positives_only"]) == (5, 140)


def trec_expected(path: Path) -> dict[str, dict[str, float]]:
    """Return query (or all) → our metric → trec_eval's answer."""
    found: dict[str, dict[str, float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        measure, query, value = line.split()[:3]
        if measure in MEASURES:
            found.setdefault(query, {})[MEASURES[measure]] = float(value)
    return found


def shared(study: Study, query: str, metric: str) -> bool:
    """Whether trec_eval's cut is ours: its version 10 rounds r·|G|, the contract rounds up.

    On the mean of all queries that is so at r = 0 and r = 1 alone.
    """
    tenths = round(10 * float(metric.partition("recall=")[2] or 0))
    golds = [len(q.gold or ()) for q in study.queries if query in {"all", q.name}]
    return all((tenths * gold + 5) // 10 == -(-tenths * gold // 10) for gold in golds)


@pytest.mark.parametrize("ties", ["docid", "trec_eval"])
@pytest.mark.parametrize(
    ("expected", "qrels", "run", "level"),
    [
        ("out.test", "qrels.test", "results.test", 1),
        ("out.test", "qrels.test.with-comments", "results.test", 1),
        ("out.test.aq", "qrels.test", "results.test", 1),
        ("out.test.aqc", "qrels.test", "results.trunc", 1),
        ("out.comment.test", "qrels.comment.test", "results.comment.test.gz", 1),
    ],
)
def test_trec_eval_agrees(  # noqa: PLR0917 - one run of it
    shared_data: Path, expected: str, qrels: str, run: str, level: int, ties: str
) -> None:
    folder = shared_data / "trec_eval"
    data = {"qrels": folder / qrels, "run": folder / run}
    settings = {"ties": ties, "k": [1, *CUTS], "relevance_level": level}
    study = reference.read(data, settings)
    per_query, means = reference.per_query(study), reference.evaluate(study)
    published = trec_expected(folder / expected)
    rows = {name: i for i, name in enumerate(per_query["query_id"])}
    assert published
    for query, answers in published.items():
        for metric, value in answers.items():
            if not shared(study, query, metric):
                continue
            mean = means[f"{metric}|all_queries|all|mean"]
            found = mean if query == "all" else per_query[metric][rows[query]]
            assert found == pytest.approx(value, abs=0.5001e-4), (query, metric)
    (line,) = [x for x in (folder / expected).read_text("utf-8").splitlines() if "gm_map" in x]
    gmap = means["gmap|all_queries|all|value"]
    assert gmap == pytest.approx(float(line.split()[2]), abs=0.5001e-4)


def test_trec_eval_agrees_at_relevance_level_2(shared_data: Path) -> None:
    folder = shared_data / "trec_eval"
    data = {"qrels": folder / "qrels.rel_level", "run": folder / "results.test"}
    study = reference.read(data, {"ties": "docid", "k": [1, *CUTS], "relevance_level": 2})
    found = reference.per_query(study)
    published = trec_expected(folder / "out.test.aql")
    for row, query in enumerate(found["query_id"]):
        for metric, value in published[query].items():
            if not shared(study, query, metric):
                continue
            # Its nDCG takes gains below the level too, and they are those of the grades.
            name = f"{metric}/graded" if metric.startswith("ndcg") else metric
            assert found[name][row] == pytest.approx(value, abs=0.5001e-4), (query, metric)


def test_queries_without_judgements_are_dropped_and_counted(shared_data: Path) -> None:
    folder = shared_data / "trec_eval"
    facts = reference.describe(
        {"qrels": folder / "qrels.comment.test", "run": folder / "results.comment.test.gz"}
    )
    assert (facts["dropped_queries"], facts["queries"]["all_queries"]) == (301 - 31, 31)


@pytest.mark.parametrize("run", ["ecnu.run2", "waterloo.A-rank-normal"])
@pytest.mark.parametrize(
    ("level", "judged", "count"), [("abstract", "abs", 30), ("document", "content", 29)]
)
def test_clef_average_precision_per_topic(
    shared_data: Path, run: str, level: str, judged: str, count: int
) -> None:
    folder = shared_data / "clef_tar"
    data = {"qrels": folder / f"qrel_{judged}_test.txt.gz", "run": folder / f"{run}.res.gz"}
    found = reference.per_query(data, {"k": [1]})
    ours = dict(zip(found["query_id"], found["map@all/by_gold"], strict=True))
    lines = (folder / f"{run}.expected-{level}.txt").read_text(encoding="utf-8").splitlines()
    official = {
        topic: float(value)
        for topic, measure, value in (line.split() for line in lines if line.strip())
        if measure == "ap"
    }
    mean = reference.evaluate(data, {"k": [1]})["map@all/by_gold|positives_only|all|mean"]
    assert mean == pytest.approx(official.pop("ALL"), abs=0.5001e-3)
    assert len(official) == count
    assert {topic: ours[topic] for topic in official} == {
        topic: pytest.approx(value, abs=0.5001e-3) for topic, value in official.items()
    }


@pytest.fixture
def two_classes(shared_data: Path, csv_file: Callable[[str], Path]) -> dict[str, int | float]:
    with (shared_data / "yardstick" / "two_class_example.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    lines = [f"q{i},{int(r['truth'] == 'Class1')},{r['Class1']}" for i, r in enumerate(rows)]
    return reference.evaluate(csv_file("\n".join(["query_id,has_evidence,prob", *lines, ""])))


YARDSTICK: list[Any] = [
    ("roc_auc", "auroc"),
    ("average_precision", "auprc"),
    ("pr_auc (trapezoid)", "auprc/trapezoid"),
    ("precision", "precision"),
    ("recall", "sensitivity"),
    ("f1", "f1"),
    ("mcc", "mcc"),
    ("brier (tolerance 0.01 in the source test!)", "brier"),
]


@pytest.mark.parametrize(("theirs", "ours"), YARDSTICK)
def test_yardstick_agrees(
    shared_data: Path, two_classes: dict[str, int | float], theirs: str, ours: str
) -> None:
    with (shared_data / "yardstick" / "expected.csv").open(encoding="utf-8") as stream:
        published = {row["metric"]: row["published"] for row in csv.DictReader(stream)}
    digits = len(published[theirs].partition(".")[2])
    expected = pytest.approx(float(published[theirs]), abs=max(0.6 * 10**-digits, 1e-12))
    assert two_classes[f"{ours}|all_queries|all|value"] == expected
