"""Answers that others published on data of theirs, which lies beside the project, if at all."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest

import primary
import reference

if TYPE_CHECKING:
    from pathlib import Path

# trec_eval's own test suite, out.test and out.test.aq: printed to four decimals. It divides
# map_cut by |G|.
TREC_EVAL = {
    "hit@1": 0.3333,
    "hit@5": 0.3333,
    "hit@10": 0.6667,
    "precision@1": 0.3333,
    "precision@5": 0.2667,
    "precision@10": 0.3000,
    "recall@5": 0.0173,
    "recall@10": 0.0317,
    "ndcg@10": 0.3016,
    "map@1/by_gold": 0.0043,
    "map@10/by_gold": 0.0259,
}
# yardstick's two_class_example, from its own tests, where a metric of the contract means the same.
YARDSTICK = {
    "auroc": 0.939313857389967,
    "auprc": 0.9465570239988341,
    "auprc/trapezoid": 0.9464467006431494,
    "precision": 0.8194945848375451,
    "sensitivity": 0.8798449612403101,
    "f1": 0.8485981308411216,
    "mcc": 0.6768475603492129,
    "brier": 0.10561859198953906,
}

both = pytest.mark.parametrize("package", [primary, reference], ids=lambda p: p.__name__)


@both
def test_trec_eval_own_answers(package: Any, shared_data: Path) -> None:
    folder = shared_data / "trec_eval"
    data = {"qrels": folder / "qrels.test", "run": folder / "results.test"}
    ledger = package.evaluate(data, {"ties": "docid"})
    found = {name: ledger[f"{name}|all_queries|all|mean"] for name in TREC_EVAL}
    assert found == pytest.approx(TREC_EVAL, rel=0, abs=0.00005)


@both
def test_yardstick_own_answers(package: Any, shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "yardstick" / "two_class_example.csv"
    data = tmp_path / "two_class_example.jsonl"
    with source.open(encoding="utf-8", newline="") as rows:
        lines = [
            {"query_id": str(i), "has_evidence": row["truth"] == "Class1", "prob": row["Class1"]}
            for i, row in enumerate(csv.DictReader(rows))
        ]
    data.write_text(
        "".join(json.dumps({**line, "prob": float(line["prob"])}) + "\n" for line in lines),
        encoding="utf-8",
    )
    ledger = package.evaluate(data, {})
    found = {name: ledger[f"{name}|all_queries|all|value"] for name in YARDSTICK}
    assert found == pytest.approx(YARDSTICK, rel=0, abs=1e-12)
