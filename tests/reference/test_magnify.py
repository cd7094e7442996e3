"""The magnifying glass: every count behind a key, worked out by hand on four queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import reference
from reference import magnify, values
from reference.reading import load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reference.study import Study

    Jsonl = Callable[[list[dict[str, Any]]], Path]

SETTINGS = {
    "tau_neg": 0.2,
    "tau_pos": 0.6,
    "k": [1, 2],
    "bins": [2],
    "fpr": [100],
    "gamma": [0.5],
    "grid": {"tau_neg": [0.3], "tau_pos": [0.6]},
    "k_min": 1,
    "k_max_ratio": 1,
}
# Post, criterion, fold, candidates, scores, node probabilities, gold, prob, selected.
EVAL: list[tuple[Any, ...]] = [
    ("p", "A", 0, "abcd", [4, 3, 3, 1], [0.5, 0.3, 0.2, 0], ["b"], 0.8, ["a", "b"]),
    ("p", "B", 0, "abcd", [4, 3, 2, 1], [0.4, 0.3, 0.2, 0.1], [], 0.1, ["a"]),
    ("q", "A", 1, "ab", [2, 1], [0, 0], ["a", "z"], 0.3, []),
    ("q", "B", 1, "abc", [1, 1, 1], [0.6, 0.3, 0.1], [], 0.7, []),
]
TUNE: list[tuple[Any, ...]] = [
    ("t", "A", 0, ["x"], 0.9),
    ("t", "B", 0, [], 0.4),
    ("u", "A", 1, ["x"], 0.2),
    ("u", "B", 1, [], 0.6),
]
NAMES = (
    "post_id", "criterion_id", "fold", "candidates", "scores", "node_probs", "gold", "prob",
    "selected",
)  # fmt: skip


@pytest.fixture
def study(jsonl: Jsonl) -> Study:
    rows = [{**dict(zip(NAMES, row, strict=True)), "candidates": [*row[3]]} for row in EVAL]
    rows += [
        {"post_id": p, "criterion_id": c, "fold": f, "split": "TUNE", "gold": g, "prob": prob}
        for p, c, f, g, prob in TUNE
    ]
    with values.high_precision():
        return load(jsonl(rows), SETTINGS)


def counts(study: Study, key: str) -> dict[str, Any]:
    with values.high_precision():
        shown = magnify.key(study, key)
    found: dict[str, Any] = shown["counts"]
    return found


def confusion(tp: int, fp: int, tn: int, fn: int) -> dict[str, int]:
    return {"tp": tp, "fp": fp, "tn": tn, "fn": fn}


def by_state(neg: list[int], uncertain: list[int], pos: list[int]) -> dict[str, Any]:
    names = ("without_evidence", "with_evidence")
    given = {"NEG": neg, "UNCERTAIN": uncertain, "POS": pos}
    return {state: dict(zip(names, n, strict=True)) for state, n in given.items()}


def points(*rows: tuple[str, int, int]) -> list[dict[str, Any]]:
    return [dict(zip(("threshold", "tp", "fp"), row, strict=True)) for row in rows]


CURVE = points(("inf", 0, 0), ("0.8", 1, 0), ("0.7", 1, 1), ("0.3", 2, 1), ("0.1", 2, 2))
SIZES = {"labelled_1": 2, "labelled_0": 2}
BINS = {
    "bin=0": {"n": 2, "labels": 1, "probs": "0.4"},
    "bin=1": {"n": 2, "labels": 1, "probs": "1.5"},
    "with p = 1": 0,
}
RETURNED = {
    "passed": 2,
    "queries_by_k": {"0": 2, "1": 1, "2": 1},
    "passed_by_k": {"0": 1, "2": 1},
    "gold": 3,
    "gold_of_passed": 1,
    "gold_selected": 1,
    "gold_returned": 1,
}


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("deployment_tp|all_queries|all|value", confusion(1, 0, 2, 1)),
        ("neg_rate|all_queries|all|value", by_state([1, 0], [0, 1], [1, 1])),
        ("n_pos|all_queries|all|value", by_state([1, 0], [0, 1], [1, 1])),
        ("auroc|all_queries|all|value", {**SIZES, "pairs_won": 3, "pairs_tied": 0}),
        ("auprc|all_queries|all|value", {**SIZES, "thresholds": CURVE}),
        ("auprc/trapezoid|all_queries|all|value", {**SIZES, "thresholds": CURVE}),
        (
            "auroc/strict|pairs|all|value",
            {"labelled_1": 2, "labelled_0": 11, "pairs_won": 13, "pairs_tied": 3},
        ),
        (
            "tpr@fpr=100%|all_queries|all|value",
            {**SIZES, "thresholds_within_budget": 5, "chosen": CURVE[3]},
        ),
        (
            "fpr@fpr=100%/last_index|all_queries|all|value",
            {**SIZES, "thresholds_within_budget": 5, "chosen": CURVE[4]},
        ),
        (
            "mcc@fpr=100%/tuned|all_queries|fold=1|value",
            {
                "on_TUNE": {
                    "labelled_1": 1,
                    "labelled_0": 1,
                    "thresholds_within_budget": 3,
                    "chosen": {"threshold": "0.2", "tp": 1, "fp": 1},
                },
                "on_EVAL": confusion(1, 1, 0, 0),
            },
        ),
        ("brier|all_queries|all|value", {"sum_of_squares": "103/100"}),
        ("ece@2|all_queries|all|value", BINS),
        ("ece@2/half_open|all_queries|all|value", BINS),
        ("reliability@2/bin=1|all_queries|all|mean_prob", BINS),
        (
            "k@gamma=0.5|all_queries|all|mean",
            {"queries_by_k": {"1": 3, "2": 1}, "queries_by_recall": {"0": 3, "1/2": 1}},
        ),
        ("exact_match|posts|all|value", {"posts": 2, **confusion(1, 1, 1, 1)}),
        ("specificity|all_queries|all|value", confusion(1, 1, 1, 1)),
        ("hit@1|all_queries|all|mean", {"queries_by_value": {"0": 3, "1": 1}}),
        ("k|all_queries|all|mean", RETURNED),
        ("avg_k|all_queries|all|mean", RETURNED),
    ],
)
def test_counts_over_all_queries(study: Study, key: str, expected: dict[str, Any]) -> None:
    found = counts(study, key)
    assert (found.pop("queries"), found.pop("positives")) == ((2, 1) if "|fold=" in key else (4, 2))
    assert found == expected


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("hit@1", {"queries_by_value": {"0": 1, "1": 1}}),
        ("hit@2/tie_low", {"with_ties": 1, "queries_by_value": {"0": 1, "1": 1}}),
        ("hit@2/tie_high", {"with_ties": 1, "queries_by_value": {"1": 2}}),
        ("evidence_recall", {"queries_by_value": {"0": 1, "1": 1}}),
        ("evidence_precision", {"queries_by_value": {"0": 1, "1/2": 1}}),
        (
            "evidence_recall@gamma=0.5",
            {"queries_by_k": {"1": 2}, "queries_by_recall": {"0": 1, "1/2": 1}},
        ),
    ],
)
def test_counts_over_positives(study: Study, metric: str, expected: dict[str, Any]) -> None:
    found = counts(study, f"{metric}|positives_only|all|mean")
    assert found == {"queries": 4, "positives": 2, **expected}


def test_counts_of_one_slice_are_those_of_its_rows(study: Study) -> None:
    found = counts(study, "fn|all_queries|criterion=A|value")
    assert found == {"queries": 2, "positives": 2, **confusion(1, 0, 0, 1)}


def test_counts_of_the_grid_are_those_of_the_tune_rows(study: Study) -> None:
    found = counts(study, "neg_rate@tau=0.3,0.6|tune_queries|fold=1|value")
    assert found == {"queries": 2, "positives": 1, **by_state([0, 1], [0, 0], [1, 0])}


def test_a_fold_may_have_a_single_query(jsonl: Jsonl) -> None:
    rows = [
        {"query_id": split, "fold": 0, "split": split, "has_evidence": 1, "prob": 0.7}
        for split in ("EVAL", "TUNE")
    ]
    with values.high_precision():
        read = load(jsonl(rows), SETTINGS)
        grid = magnify.key(read, "neg_rate@tau=0.3,0.6|tune_queries|fold=0|value")
        tuned = magnify.key(read, "tpr@fpr=100%/tuned|all_queries|fold=0|value")
    assert grid["counts"]["POS"] == {"without_evidence": 0, "with_evidence": 1}
    assert tuned["counts"]["on_EVAL"] == confusion(1, 0, 0, 0)


@pytest.mark.parametrize(
    ("key", "parts"),
    [
        ("auroc|all_queries|folds|std", {"fold=0": 1.0, "fold=1": 0.0, "all": 0.75}),
        ("auroc|all_queries|criteria|macro", {"criterion=A": 0.5, "criterion=B": 0.5, "all": 0.75}),
    ],
)
def test_a_mean_of_slices_shows_each_of_them(
    study: Study, key: str, parts: dict[str, float]
) -> None:
    with values.high_precision():
        shown = magnify.key(study, key)
    found = {name: each["value"] for name, each in shown["from"].items()}
    assert found == {f"auroc|all_queries|{part}|value": value for part, value in parts.items()}


def test_a_threshold_that_never_fires_is_inf(study: Study) -> None:
    key = "threshold@fpr=100%|all_queries|criterion=B|value"
    with values.high_precision():
        shown = magnify.key(study, key)
    assert shown.pop("counts")["chosen"]["threshold"] == "inf"
    assert shown == {"key": key, "value": "inf"}


@pytest.mark.parametrize(
    ("key", "said", "remedy"),
    [
        (
            "n_pos|all_queries|all|mean",
            "the ledger has no key 'n_pos|all_queries|all|mean'",
            (
                "Try n_pos|all_queries|all|value, n_pos|all_queries|fold=0|value, "
                "n_pos|all_queries|fold=1|value"
            ),
        ),
        ("brier", "the ledger has no key 'brier'", None),
        ("n_none", "the ledger has no key 'n_none'", "Run without --key for every key"),
    ],
)
def test_an_unknown_key_is_refused_with_up_to_three_near_ones(
    study: Study, key: str, said: str, remedy: str | None
) -> None:
    with pytest.raises(reference.DataError) as caught, values.high_precision():
        magnify.key(study, key)
    (problem,) = caught.value.problems
    assert problem.what == said
    if remedy is None:
        assert str(problem.remedy).startswith("Try brier|all_queries|all|value, ")
        assert str(problem.remedy).count(", ") == 2
    else:
        assert problem.remedy == remedy


def listing(study: Study, *ids: str) -> list[str]:
    with values.high_precision():
        return list(magnify.query(study, ids))


LOG = "0.630929753571457437099527114343"


def test_every_line_about_a_query(study: Study) -> None:
    assert listing(study, "p", "A") == [
        "query p/A, fold 0 (row 1)",
        "  has_evidence = 1, prob = 0.8, pred = 1, state = POS",
        "  |R| = 4, |G| = 1, gold at ranks [2]",
        "     1  a  score 4.0  selected",
        "     2  b  score 3.0  GOLD  selected",
        "     3  c  score 3.0",
        "     4  d  score 1.0",
        "  K = 1: Σ P(i) = 0; DCG = 0",
        "    recall@1 = 0 / 1 = 0",
        "    recall@1/retrieved = 0 / 1 = 0",
        "    precision@1 = 0 / 1 = 0",
        "    precision@1/k_eff = 0 / 1 = 0",
        "    hit@1 = 0 / 1 = 0",
        "    mrr@1 = 0 / 1 = 0",
        "    map@1 = 0 / 1 = 0",
        "    map@1/by_gold = 0 / 1 = 0",
        "    map@1/by_hits = 0 / 0 = 0",
        "    map@1/k_eff = 0 / 1 = 0",
        "    ndcg@1 = 0 / 1 = 0",
        "    ndcg@1/k_eff = 0 / 1 = 0",
        "    f1@1 = 0 / 2 = 0",
        "  K = 2: Σ P(i) = 1/2; DCG = 1/log2(3)",
        "    recall@2 = 1 / 1 = 1",
        "    recall@2/retrieved = 1 / 1 = 1",
        "    precision@2 = 1 / 2 = 1/2",
        "    precision@2/k_eff = 1 / 2 = 1/2",
        "    hit@2 = 1 / 1 = 1",
        "    mrr@2 = 1 / 2 = 1/2",
        "    map@2 = 1/2 / 1 = 1/2",
        "    map@2/by_gold = 1/2 / 1 = 1/2",
        "    map@2/by_hits = 1/2 / 1 = 1/2",
        "    map@2/k_eff = 1/2 / 1 = 1/2",
        f"    ndcg@2 = {LOG} / 1 = {LOG}",
        f"    ndcg@2/k_eff = {LOG} / 1 = {LOG}",
        "    f1@2 = 2 / 3 = 2/3",
        "  K = all: Σ P(i) = 1/2; DCG = 1/log2(3)",
        "    recall@all = 1 / 1 = 1",
        "    recall@all/retrieved = 1 / 1 = 1",
        "    precision@all = 1 / 4 = 1/4",
        "    precision@all/k_eff = 1 / 4 = 1/4",
        "    hit@all = 1 / 1 = 1",
        "    mrr@all = 1 / 2 = 1/2",
        "    map@all = 1/2 / 1 = 1/2",
        "    map@all/by_gold = 1/2 / 1 = 1/2",
        "    map@all/by_hits = 1/2 / 1 = 1/2",
        "    map@all/k_eff = 1/2 / 1 = 1/2",
        f"    ndcg@all = {LOG} / 1 = {LOG}",
        f"    ndcg@all/k_eff = {LOG} / 1 = {LOG}",
        "    f1@all = 2 / 5 = 2/5",
        "    rprecision = 0 / 1 = 0",
        "    rbp@p=0.5 = 1/4 / 1 = 1/4",
        "    rbp@p=0.8 = 4/25 / 1 = 4/25",
        "    rbp@p=0.95 = 19/400 / 1 = 19/400",
        *(f"    iprec@recall={r} = 1/2 / 1 = 1/2" for r in (0, *(n / 10 for n in range(1, 10)), 1)),
        "  k = 2",
        "    evidence_recall = 1 / 1 = 1",
        "    evidence_precision = 1 / 2 = 1/2",
    ]


def test_a_query_without_scores_folds_or_decisions_shows_what_there_is(jsonl: Jsonl) -> None:
    row = {"query_id": "q", "candidates": ["a", "b"], "gold": ["a", "b"]}
    lines = listing(load(jsonl([row]), {"k": [1]}), "q")
    assert lines[:6] == [
        "query q (row 1)",
        "  has_evidence = 1",
        "  |R| = 2, |G| = 2, gold at ranks [1, 2]",
        "     1  a  GOLD",
        "     2  b  GOLD",
        "  K = 1: Σ P(i) = 1/1; DCG = 1/log2(2)",
    ]
    assert "  K = all: Σ P(i) = 1/1 + 2/2; DCG = 1/log2(2) + 1/log2(3)" in lines
    assert lines[-1].startswith("    iprec@recall=1 = ")


def test_a_query_without_a_ranking_shows_its_decision(jsonl: Jsonl) -> None:
    row = {"query_id": "q", "prob": 0.25, "has_evidence": 0}
    assert listing(load(jsonl([row]), None), "q") == [
        "query q (row 1)",
        "  has_evidence = 0, prob = 0.25, pred = 0",
    ]


def test_a_query_of_trec_files_stands_in_row_0(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 d1 1\n", encoding="utf-8")
    (tmp_path / "r").write_text("1 Q0 d1 1 0.5 t\n", encoding="utf-8")
    read = load({"qrels": tmp_path / "q", "run": tmp_path / "r"}, {"k": [1]})
    assert listing(read, "1")[:4] == [
        "query 1 (row 0)",
        "  has_evidence = 1",
        "  |R| = 1, |G| = 1, gold at ranks [1]",
        "     1  d1  score 0.5  GOLD",
    ]


def test_an_unknown_query_is_refused_with_the_first_one_as_an_example(study: Study) -> None:
    with pytest.raises(reference.DataError) as caught:
        listing(study, "p", "C")
    (problem,) = caught.value.problems
    assert problem.what == "there is no EVAL query p/C"
    assert problem.remedy == "Give its ids as they stand in the file, such as p A"
