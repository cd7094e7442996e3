"""Answers that others published for real data."""

from __future__ import annotations

import csv
import gzip
import json
import re
from typing import TYPE_CHECKING

import polars as pl
import pytest

import primary

if TYPE_CHECKING:
    from pathlib import Path

TREC_NAMES = {
    "map": "map@all/by_gold",
    "recip_rank": "mrr@all",
    **{f"P_{k}": f"precision@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"recall_{k}": f"recall@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"map_cut_{k}": f"map@{k}/by_gold" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"success_{k}": f"hit@{k}" for k in (1, 5, 10)},
}
TREC = {"k": [1, 5, 10, 15, 20, 30, 100, 200, 500, 1000], "ties": "docid"}


def trec_answers(path: Path) -> list[tuple[str, str, float]]:
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        name, query, value = line.split(maxsplit=2)
        if name in TREC_NAMES:
            found.append((TREC_NAMES[name], query, float(value)))
    return found


def trec_wrong(
    answers: list[tuple[str, str, float]], data: dict[str, Path], settings: dict[str, object]
) -> list[str]:
    frame = primary.per_query(data, settings).set_index("query_id")
    means = frame.mean(numeric_only=True)
    assert answers
    return [
        f"{query} {metric}: {value} for {expected}"
        for metric, query, expected in answers
        for value in [means[metric] if query == "all" else frame.loc[query, metric]]
        if abs(value - expected) > 0.5000001e-4
    ]


def test_trec_evals_own_suite_per_query(shared_data: Path) -> None:
    folder = shared_data / "trec_eval"
    data = {"qrels": folder / "qrels.test", "run": folder / "results.test"}
    assert trec_wrong(trec_answers(folder / "out.test.aq"), data, TREC) == []


def test_trec_evals_suite_with_missing_topics_counted(shared_data: Path) -> None:
    folder = shared_data / "trec_eval"
    data = {"qrels": folder / "qrels.test", "run": folder / "results.trunc"}
    answers = [one for one in trec_answers(folder / "out.test.aqc") if one[1] == "all"]
    assert trec_wrong(answers, data, TREC) == []


def test_trec_evals_suite_at_relevance_level_two(shared_data: Path) -> None:
    folder = shared_data / "trec_eval"
    data = {"qrels": folder / "qrels.rel_level", "run": folder / "results.test"}
    answers = trec_answers(folder / "out.test.aql")
    assert trec_wrong(answers, data, TREC | {"relevance_level": 2}) == []


def test_comments_in_qrels_are_no_judgements(shared_data: Path) -> None:
    folder = shared_data / "trec_eval"
    plain, commented = (
        primary.evaluate(qrels=folder / name, run=folder / "results.test")
        for name in ("qrels.test", "qrels.test.with-comments")
    )
    assert plain == commented


def test_document_ids_with_number_signs(shared_data: Path) -> None:
    folder = shared_data / "trec_eval"
    data = {"qrels": folder / "qrels.comment.test", "run": folder / "results.comment.test.gz"}
    facts = primary.describe(data)
    assert facts["queries"]["all_queries"] + facts["dropped_queries"] > 31
    expected = {
        TREC_NAMES[name]: float(value)
        for name, query, value in (
            line.split(maxsplit=2)
            for line in (folder / "out.comment.test").read_text(encoding="utf-8").splitlines()
        )
        if name in TREC_NAMES and query == "all"
    }
    frame = primary.per_query(data, TREC)
    with gzip.open(folder / "results.comment.test.gz", "rt", encoding="utf-8") as stream:
        run = {line.split(maxsplit=1)[0] for line in stream}
    both = [str(query) in run for query in frame["query_id"]]
    assert len(frame) == 31
    means = frame[both].mean(numeric_only=True)
    assert {name: round(means[name], 4) for name in expected} == expected


@pytest.mark.parametrize("level", ["abstract", "document"])
@pytest.mark.parametrize("name", ["ecnu.run2", "waterloo.A-rank-normal"])
def test_clef_average_precision_per_topic(name: str, level: str, shared_data: Path) -> None:
    folder = shared_data / "clef_tar"
    qrels = (
        folder / {"abstract": "qrel_abs_test.txt.gz", "document": "qrel_content_test.txt.gz"}[level]
    )
    frame = primary.per_query({"qrels": qrels, "run": folder / f"{name}.res.gz"}, {"k": [10]})
    found = frame.set_index("query_id")["map@all/by_gold"]
    text = (folder / f"{name}.expected-{level}.txt").read_text(encoding="utf-8")
    expected = dict(re.findall(r"^(CD\d+)\s+ap\s+([\d.]+)\s*$", text, re.MULTILINE))
    assert len(expected) >= 29
    assert {topic: f"{found[topic]:.3f}" for topic in expected} == {
        topic: f"{float(value):.3f}" for topic, value in expected.items()
    }


def test_the_studys_64_claims(shared_data: Path) -> None:
    claims = json.loads((shared_data / "study" / "summary.json").read_text(encoding="utf-8"))
    wrong = []
    count = 0
    for ranking, column in (("retriever", "retriever_topk"), ("reranked", "reranked_topk")):
        ledger = primary.evaluate(
            shared_data / "study" / "per_query.csv", {"columns": {"candidates": column}}
        )
        for population, metrics in claims[ranking].items():
            for metric, claimed in metrics.items():
                if "@" not in metric:
                    continue
                count += 1
                actual = ledger[f"{metric}|{population}|all|mean"]
                if abs(actual - claimed) > 1e-9:
                    wrong.append((ranking, population, metric, actual, claimed))
    assert (count, wrong) == (64, [])


def test_yardsticks_two_classes(shared_data: Path) -> None:
    folder = shared_data / "yardstick"
    rows = pl.read_csv(folder / "two_class_example.csv")
    data = rows.select(
        query_id=pl.int_range(pl.len()).cast(pl.String),
        has_evidence=(pl.col("truth") == "Class1").cast(pl.Int8),
        prob=pl.col("Class1"),
    )
    ledger = primary.evaluate(data)
    names = {
        "roc_auc": "auroc",
        "average_precision": "auprc",
        "pr_auc (trapezoid)": "auprc/trapezoid",
        "precision": "precision",
        "recall": "sensitivity",
        "f1": "f1",
        "mcc": "mcc",
    }
    with (folder / "expected.csv").open(encoding="utf-8", newline="") as stream:
        published = {
            row["metric"]: float(row["published"])
            for row in csv.DictReader(stream)
            if row["metric"] in names
        }
    assert len(published) == len(names)
    for name, value in published.items():
        digits = 1e-7 if name == "pr_auc (trapezoid)" else 1e-12
        assert ledger[f"{names[name]}|all_queries|all|value"] == pytest.approx(value, abs=digits)
