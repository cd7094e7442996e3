"""The rows given back: the contract's table, the per-query values, and what families read."""

from __future__ import annotations

import hashlib
from typing import Any

import polars as pl
import pytest

import primary

ROWS = pl.DataFrame(
    {
        "fold_id": [1, 1, 1, 0],
        "criterion_id": ["A", "A", "A", "B"],
        "post_id": ["p", "t", "r", "u"],
        "query_id": ["1", "2", "3", "4"],
        "split": ["", "VAL", "EVAL", "TRAIN"],
        "candidates": [["a", "b", "c"], None, [], None],
        "scores": [[1.0, 2.0, 2.0], None, [], None],
        "node_probs": [[0.5, 0.25, 0.125], None, [], None],
        "gold": [["c"], None, [], None],
        "has_evidence": [1, 0, 0, 1],
        "prob": [0.75, 0.5, 0.25, None],
        "selected": [["b", "c"], None, [], None],
    }
)
TAUS = {"tau_neg": 0.5, "tau_pos": 0.75}


def test_the_table_holds_every_row_as_the_contract_sees_it() -> None:
    assert primary.table(ROWS, TAUS).to_dicts() == [
        {
            "post_id": "p",
            "criterion_id": "A",
            "query_id": "1",
            "fold": 1,
            "split": "EVAL",
            "candidates": ["b", "c", "a"],
            "scores": [2.0, 2.0, 1.0],
            "node_probs": [0.25, 0.125, 0.5],
            "gold": ["c"],
            "has_evidence": 1,
            "prob": 0.75,
            "pred": 1,
            "state": "POS",
            "selected": ["b", "c"],
        },
        outside(post_id="t", query_id="2", fold=1, split="TUNE", has_evidence=0, prob=0.5),
        {
            "post_id": "r",
            "criterion_id": "A",
            "query_id": "3",
            "fold": 1,
            "split": "EVAL",
            "candidates": [],
            "scores": [],
            "node_probs": [],
            "gold": [],
            "has_evidence": 0,
            "prob": 0.25,
            "pred": 0,
            "state": "NEG",
            "selected": [],
        },
        outside(post_id="u", query_id="4", fold=0, split="TRAIN", has_evidence=1, prob=None)
        | {"criterion_id": "B"},
    ]


def outside(**read: Any) -> dict[str, Any]:
    """A row outside EVAL: key, fold, split, label and prob; the rest is null."""
    unread = ("candidates", "scores", "node_probs", "gold", "pred", "state", "selected")
    return {"criterion_id": "A"} | read | dict.fromkeys(unread)


def test_the_table_of_bare_queries_has_a_key_and_a_split() -> None:
    rows = pl.DataFrame({"query_id": ["b", "a"]})
    assert primary.table(rows).to_dict(as_series=False) == {
        "query_id": ["b", "a"],
        "split": ["EVAL", "EVAL"],
    }


def test_the_values_behind_the_ledger_query_by_query() -> None:
    frame = primary.per_query(ROWS, TAUS | {"k": [1]})
    metrics = [f"{metric}@{cutoff}{variant}" for cutoff in (1, "all") for metric, variant in FORMS]
    metrics += ["rprecision", "rbp@p=0.5", "rbp@p=0.8", "rbp@p=0.95"]
    metrics += [f"iprec@recall={level}" for level in LEVELS]
    assert frame.columns.tolist() == [
        *("post_id", "criterion_id", "fold"),
        *metrics,
        *("evidence_recall", "evidence_precision", "k", "prob", "pred", "state", "has_evidence"),
    ]
    first, second = frame.to_dict("records")
    assert second == {
        "post_id": "r",
        "criterion_id": "A",
        "fold": 1,
        **dict.fromkeys([*metrics, "evidence_recall", "evidence_precision"], 0.0),
        "k": 0,
        "prob": 0.25,
        "pred": 0,
        "state": "NEG",
        "has_evidence": 0,
    }
    assert (first["mrr@1"], first["mrr@all"], first["recall@all"]) == (0.0, 0.5, 1.0)
    assert (first["evidence_recall"], first["evidence_precision"], first["k"]) == (1.0, 0.5, 2)
    assert (first["prob"], first["pred"], first["state"]) == (0.75, 1, "POS")


FORMS = [
    *(("recall", ""), ("recall", "/retrieved"), ("precision", ""), ("precision", "/k_eff")),
    *(("hit", ""), ("mrr", ""), ("map", ""), ("map", "/by_gold"), ("map", "/by_hits")),
    *(("map", "/k_eff"), ("ndcg", ""), ("ndcg", "/k_eff"), ("f1", "")),
]
LEVELS = ("0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1")


def test_without_criteria_a_query_is_named_by_its_id_and_its_post() -> None:
    frame = primary.per_query(pl.DataFrame({"query_id": ["x"], "post_id": ["p"], "prob": [1.0]}))
    assert frame.to_dict("records") == [{"post_id": "p", "query_id": "x", "prob": 1.0, "pred": 1}]


def test_what_no_named_family_needs_is_not_read() -> None:
    wrong = ROWS.filter(pl.col("split") != "TRAIN").with_columns(
        node_probs=pl.lit("x"), selected=pl.lit("nowhere")
    )
    ledger = primary.evaluate(wrong, families=["ranking"])
    assert ledger["mrr@all|positives_only|all|mean"] == 0.5
    unread = wrong.with_columns(candidates=pl.lit("a|a"), scores=pl.lit("x"))
    curves = primary.evaluate(unread, families=["curves"])
    assert curves["auroc|all_queries|all|value"] == 1.0


@pytest.mark.parametrize("column", ["candidates", "scores", "selected", "node_probs"])
def test_what_a_named_family_needs_is_read(column: str) -> None:
    wrong = ROWS.with_columns(pl.lit("[x").alias(column))
    with pytest.raises(primary.InputError, match=f"column {column}"):
        primary.evaluate(wrong, families=["gamma", "ranking"])


def test_the_keys_of_qrels_and_run_are_taken_alike_by_every_function(tmp_path: Any) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q 0 a 1\n", encoding="utf-8")
    run.write_text("q Q0 b 1 2 x\nq Q0 a 2 1 x\n", encoding="utf-8")
    files: dict[str, Any] = {"qrels": str(qrels), "run": str(run)}
    assert primary.evaluate(**files)["mrr@all|all_queries|all|mean"] == 0.5
    assert primary.describe(**files)["queries"]["all_queries"] == 1
    assert primary.per_query(**files)["mrr@all"].tolist() == [0.5]
    assert primary.table(**files)["candidates"].to_list() == [["b", "a"]]
    low = {"relevance_level": 2}
    assert primary.evaluate(settings=low, **files)["mrr@all|all_queries|all|mean"] == 0.0
    assert primary.describe(settings=low, **files)["queries"]["positives_only"] == 0
    assert primary.per_query(settings=low, **files)["mrr@all"].tolist() == [0.0]
    assert primary.table(settings=low, **files)["gold"].to_list() == [[]]


def test_a_row_outside_eval_without_gold_is_negative() -> None:
    rows = pl.DataFrame(
        {
            "query_id": ["a", "b", "c"],
            "gold": [["x"], None, ["y"]],
            "split": ["EVAL", "TUNE", "TRAIN"],
            "prob": [1.0, 0.5, 0.25],
            "fold": [0, 0, 0],
        }
    )
    assert primary.table(rows)["has_evidence"].to_list() == [1, 0, 1]


def kept(name: str, sample: int) -> bool:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % sample == 0


@pytest.mark.parametrize("sample", [2, 3])
def test_a_sample_is_the_ledger_of_the_posts_whose_hash_is_divisible(
    sample: int, small_study: pl.DataFrame, small_settings: dict[str, Any]
) -> None:
    train = small_study.filter(pl.col("split") == "TUNE").with_columns(
        split=pl.lit("TRAIN"), has_evidence=1 - pl.col("has_evidence")
    )
    study = pl.concat([small_study, train])
    rows = study.filter(
        pl.col("post_id").is_in([name for name in study["post_id"].unique() if kept(name, sample)])
    )
    given = small_settings | {"sample": sample}
    assert primary.evaluate(study, given) == primary.evaluate(rows, small_settings)
    assert primary.describe(study, given) == primary.describe(rows, small_settings)
    assert primary.table(study, given).equals(primary.table(rows, small_settings))


def test_without_posts_queries_are_sampled() -> None:
    names = [f"q{number}" for number in range(20)]
    rows = pl.DataFrame({"query_id": names, "candidates": [[name] for name in names]})
    table = primary.table(rows, {"sample": 4})
    assert table["query_id"].to_list() == [name for name in names if kept(name, 4)]
    assert table["candidates"].to_list() == [[name] for name in names if kept(name, 4)]


def test_whole_numbers_as_ids_become_their_decimal_text() -> None:
    rows = pl.DataFrame({"query_id": [7, -1], "gold": [[1], [2, 3]]})
    assert primary.table(rows).select("query_id", "gold").rows() == [
        ("7", ["1"]),
        ("-1", ["2", "3"]),
    ]
