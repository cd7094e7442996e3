"""What is read from a file, beyond what the vectors show."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import reference

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Jsonl = Callable[[list[dict[str, Any]]], Path]
    Csv = Callable[[str], Path]


def column(data: object, name: str, settings: dict[str, Any] | None = None) -> list[Any]:
    return reference.per_query(data, settings)[name]


def test_labels_of_tune_rows_come_from_gold_where_there_is_no_label(jsonl: Jsonl) -> None:
    rows = [
        {"query_id": "e", "fold": 0, "split": "EVAL", "gold": ["a"], "prob": 0.9},
        {"query_id": "t1", "fold": 0, "split": "TUNE", "gold": ["a"], "prob": 0.7},
        {"query_id": "t2", "fold": 0, "split": "TUNE", "gold": [], "prob": 0.2},
    ]
    key = "threshold@fpr=1%/tuned|all_queries|fold=0|value"
    assert reference.evaluate(jsonl(rows))[key] == 0.7


def test_train_rows_may_lack_label_and_prob(csv_file: Csv) -> None:
    path = csv_file("query_id,split,prob,has_evidence\na,EVAL,0.5,1\nb,TRAIN,,\n")
    assert reference.describe(path)["rows"] == {"EVAL": 1, "TUNE": 0, "TRAIN": 1}


def test_a_mapped_column_is_not_read_a_second_time_under_its_own_name(csv_file: Csv) -> None:
    path = csv_file("query_id,prob,other,has_evidence\na,0.1,0.9,1\n")
    facts = reference.describe(path, {"columns": {"pred": "has_evidence", "prob": "other"}})
    assert facts["columns"] == {"query_id": "query_id", "prob": "other", "pred": "has_evidence"}


def test_blank_lines_and_a_byte_order_mark_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(b"\xef\xbb\xbfquery_id,pred\r\n\r\nq1,1\r\n\r\n")
    assert column(path, "query_id") == ["q1"]


def test_parquet_ids_that_are_integers_become_text(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    rows = {"post_id": [7], "criterion_id": pa.array(["A"]).dictionary_encode(), "pred": [True]}
    pq.write_table(pa.table(rows), path)
    assert reference.per_query(path)["post_id"] == ["7"]


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64(), pa.decimal128(5, 4)])
def test_a_float_column_means_its_own_shortest_decimals(tmp_path: Path, kind: Any) -> None:
    path = tmp_path / "data.parquet"
    shown = [0.3, 0.1, 1.0, 0.0, 0.9995]
    probs = pa.array(shown, pa.float64()).cast(kind)
    rows = {"query_id": list("abcde"), "prob": probs, "has_evidence": [0, 1, 1, 0, 1]}
    pq.write_table(pa.table(rows), path)
    assert column(path, "prob") == shown


def test_a_query_keeps_its_post_beside_its_own_id(jsonl: Jsonl) -> None:
    rows = [{"query_id": q, "post_id": "p", "pred": 1, "has_evidence": 1} for q in "ab"]
    facts = reference.describe(jsonl(rows))
    assert facts["posts"] == 1
    assert "posts" in facts["families"]
    assert facts["missing"]["per_post"] == ["criterion_id"]


def test_a_sample_keeps_whole_posts_by_their_hash(jsonl: Jsonl) -> None:
    posts = [f"p{i}" for i in range(40)]
    rows = [{"post_id": p, "criterion_id": c, "pred": 1} for p in posts for c in "AB"]
    found = column(jsonl(rows), "post_id", {"sample": 3})
    first = {p: int.from_bytes(hashlib.sha256(p.encode()).digest()[:8], "big") for p in posts}
    assert found == [p for p in posts for _ in "AB" if first[p] % 3 == 0]


def test_queries_of_trec_files_come_in_the_order_of_the_judgements(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("b 0 d1 1\na 0 d1 0\n", encoding="utf-8")
    (tmp_path / "r").write_text("a Q0 d1 1 1 t\nb Q0 d1 1 1 t\nc Q0 d1 1 1 t\n", encoding="utf-8")
    data = {"qrels": tmp_path / "q", "run": tmp_path / "r"}
    facts = reference.describe(data)
    assert column(data, "query_id") == ["b", "a"]
    assert (facts["dropped_queries"], facts["columns"]) == (1, {})


def test_facts_of_a_small_study(jsonl: Jsonl) -> None:
    rows = [
        {"post_id": "p", "criterion_id": "A", "fold": 3, "candidates": ["a", "b"],
         "scores": [1, 1], "gold": ["a", "z"], "prob": 0.7, "pred": 0, "selected": ["a", "b"],
         "state": "NEG", "has_evidence": 0},
    ]  # fmt: skip
    facts = reference.describe(jsonl(rows), {"tau_neg": 0.1, "tau_pos": 0.8})
    assert facts.pop("columns") == {name: name for name in rows[0]}
    assert facts == {
        "rows": {"EVAL": 1, "TUNE": 0, "TRAIN": 0},
        "families": [
            *("calibration", "confusion", "curves", "deployment", "dynamic_k"),
            *("has_evidence_slices", "k_bounds", "pairs", "per_criterion", "per_post", "posts"),
            *("ranking", "state_slices", "states", "ties"),
        ],
        "missing": {
            "tuned": ["tune"],
            "grid": ["tune"],
            "gamma": ["node_probs"],
            "graded": ["grades"],
            "exponential": ["grades"],
            "judged": ["judged"],
            "classes": ["label", "predicted", "two classes or more"],
            "class_probs": ["label", "predicted", "two classes or more", "class_probs"],
            "confusion_matrix": ["label", "predicted", "two classes or more"],
        },
        "folds": [3],
        "criteria": ["A"],
        "posts": 1,
        "queries": {
            "all_queries": 1,
            "positives_only": 1,
            "has_evidence": 0,
            "predicted_positive": 0,
        },
        "max_k": 2,
        "queries_with_ties": 1,
        "float32_ties": 0,
        "gold_not_in_candidates": 1,
        "lookalikes": 0,
        "dropped_queries": 0,
        "missing_topics": 0,
        "duplicates_removed": 0,
        "grade_max": None,
        "classes": [],
        "disagreeing_predictions": None,
        "straddling": 0,
        "seeds": [],
        "slices": {},
        "key": "columns",
        "contradictions": {"has_evidence": 1, "state": 1, "pred": 1},
    }


def test_ids_are_escaped_in_keys(jsonl: Jsonl) -> None:
    rows = [{"post_id": "p", "criterion_id": "5%|x", "pred": 1, "has_evidence": 1}]
    ledger = reference.evaluate(jsonl(rows), {"views": {"a|b": ["5%|x"]}})
    assert ledger["queries|all_queries|criterion=5%25%7Cx|n"] == 1
    assert ledger["queries|all_queries|view=a%7Cb|n"] == 1


def test_a_sample_of_queries_that_name_their_post_keeps_whole_posts(jsonl: Jsonl) -> None:
    rows = [
        {"query_id": f"{p}-{i}", "post_id": f"p{p}", "pred": 1} for p in range(20) for i in "ab"
    ]
    found = column(jsonl(rows), "post_id", {"sample": 2})
    assert 0 < len(found) < 40
    assert {found.count(post) for post in found} == {2}


def test_keys_alone_are_a_data_set(csv_file: Csv) -> None:
    facts = reference.describe(csv_file("post_id,criterion_id\np,A\np,B\n"))
    assert facts["families"] == ["posts"]
    assert facts["queries"] == {
        "all_queries": 2,
        "positives_only": 0,
        "has_evidence": None,
        "predicted_positive": None,
    }
    assert (facts["posts"], facts["max_k"], facts["queries_with_ties"]) == (1, None, None)


def test_what_cannot_be_counted_is_null(jsonl: Jsonl) -> None:
    facts = reference.describe(jsonl([{"query_id": "q", "gold": ["a", "b"], "prob": 0.5}]))
    assert (facts["posts"], facts["max_k"], facts["gold_not_in_candidates"]) == (None, None, 0)
    assert facts["families"] == ["calibration", "confusion", "curves", "has_evidence_slices"]


@pytest.mark.parametrize("settings", [{}, {"dedupe": "first"}])
def test_scores_without_candidates_tie_nothing(csv_file: Csv, settings: dict[str, Any]) -> None:
    facts = reference.describe(csv_file("query_id,scores,gold\nq0,1|1,a\n"), settings)
    assert (facts["queries_with_ties"], facts["float32_ties"]) == (None, None)


def test_facts_count_labels_and_decisions(jsonl: Jsonl) -> None:
    cells = [(1, 1), (1, 0), (1, 1), (0, 1), (0, 0)]
    rows = [{"query_id": str(i), "has_evidence": y, "pred": d} for i, (y, d) in enumerate(cells)]
    assert reference.describe(jsonl([*rows, {**rows[1], "query_id": "x"}]))["queries"] == {
        "all_queries": 6,
        "positives_only": 4,
        "has_evidence": 4,
        "predicted_positive": 3,
    }


def test_values_of_each_query(jsonl: Jsonl) -> None:
    row = {
        "post_id": "p", "criterion_id": "A", "fold": 4, "candidates": ["a", "b"],
        "gold": ["b", "z"], "selected": ["a", "b"], "prob": 0.7, "pred": 0,
    }  # fmt: skip
    found = reference.per_query(jsonl([row]), {"k": [1], "tau_neg": 0.1, "tau_pos": 0.6})
    assert {name: values for name, values in found.items() if "@" not in name} == {
        "rprecision": [0.5],
        "post_id": ["p"],
        "criterion_id": ["A"],
        "fold": [4],
        "evidence_recall": [0.5],
        "evidence_precision": [0.5],
        "k": [2],
        "prob": [0.7],
        "pred": [0],
        "state": ["POS"],
        "has_evidence": [1],
    }
    assert (found["mrr@all"], found["hit@1"], found["map@all/by_gold"]) == ([0.5], [0.0], [0.25])


def test_values_that_the_data_does_not_allow_are_left_out(jsonl: Jsonl) -> None:
    assert reference.per_query(jsonl([{"query_id": "q", "has_evidence": 1}])) == {
        "query_id": ["q"],
        "has_evidence": [1],
    }
