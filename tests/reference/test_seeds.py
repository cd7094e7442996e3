"""Repetitions and declared slices (section 18)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

import reference

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Jsonl = Callable[[list[dict[str, Any]]], Path]
    Csv = Callable[[str], Path]

Rows = list[dict[str, Any]]


def ranked(query: str, seed: object, hit: int, **more: Any) -> dict[str, Any]:
    """Return a query whose one gold stands at this rank, or (0) nowhere."""
    uids = [f"s{rank}" for rank in range(1, 5)]
    return {
        "query_id": query, "seed": seed, "candidates": uids, "gold": [f"s{hit}"] if hit else ["z"],
        **more,
    }  # fmt: skip


ROWS = [
    ranked("q1", "a", 1), ranked("q2", "a", 2),
    ranked("q1", "b", 4), ranked("q2", "b", 0), ranked("q3", "b", 1),
]  # fmt: skip
MRR = "mrr@all|positives_only|{}"


def test_seeds_without_folds(jsonl: Jsonl) -> None:
    found = reference.exact(jsonl(ROWS))
    assert found[MRR.format("seed=a|mean")] == Fraction(3, 4)
    assert found[MRR.format("seed=b|mean")] == Fraction(5, 12)
    assert found[MRR.format("all|mean")] == Fraction(11, 20)
    assert found[MRR.format("seeds|mean")] == Fraction(7, 12)
    assert found[MRR.format("seeds|std/population")] == Fraction(1, 6)
    assert found["queries|all_queries|seed=b|n"] == 3
    assert "queries|all_queries|seeds|mean" not in found
    assert found[MRR.format("seed=b|p25")] == Fraction(1, 8)
    facts = reference.describe(jsonl(ROWS))
    assert (facts["seeds"], facts["columns"]["seed"]) == (["a", "b"], "seed")
    assert reference.per_query(jsonl(ROWS))["seed"] == list("aabbb")


def test_with_folds_a_seed_enters_with_its_mean_over_folds(jsonl: Jsonl) -> None:
    folds = [0, 1, 0, 0, 1]
    found = reference.exact(jsonl([{**r, "fold": f} for r, f in zip(ROWS, folds, strict=True)]))
    # a: fold 0: 1, fold 1: 1/2. b: fold 0: (1/4 + 0)/2, fold 1: 1.
    assert found[MRR.format("seeds|mean")] == (Fraction(3, 4) + Fraction(9, 16)) / 2
    assert found[MRR.format("fold=0|mean")] == Fraction(5, 12)
    assert found[MRR.format("folds|mean")] == (Fraction(5, 12) + Fraction(3, 4)) / 2
    assert found[MRR.format("seed=b|mean")] == Fraction(5, 12)


def test_bounds_bins_and_histograms_have_seeds_but_are_not_averaged(jsonl: Jsonl) -> None:
    rows = [
        {**row, "scores": [2, 2, 1, 0], "prob": 0.5, "selected": ["s1"] * (row["seed"] == "a")}
        for row in ROWS
    ]
    found = reference.exact(jsonl(rows))
    assert found[MRR.format("seed=a|mean").replace("|", "/tie_low|", 1)] == Fraction(1, 2)
    assert found["reliability@10/bin=5|all_queries|seed=b|n"] == 3
    assert found["k/hist=1|all_queries|seed=b|n"] == 0
    ends = {key.split("|")[0] for key in found if "|seeds|" in key}
    assert not [name for name in ends if "tie_" in name or name.startswith(("reliab", "k/hist"))]
    assert "avg_k" in ends


def test_a_key_is_unique_within_its_seed(jsonl: Jsonl) -> None:
    with pytest.raises(reference.InputError, match="the key is there twice"):
        reference.evaluate(jsonl([*ROWS, ROWS[2]]))


@pytest.mark.parametrize("seed", ["", None, 1.5, True, ["a"]])
def test_a_bad_seed_is_named(jsonl: Jsonl, seed: object) -> None:
    with pytest.raises(reference.InputError) as caught:
        reference.evaluate(jsonl([ROWS[0], {**ROWS[1], "seed": seed}]))
    assert {(p.row, p.column) for p in caught.value.problems} == {(2, "seed")}


def test_whole_numbers_are_seeds(jsonl: Jsonl) -> None:
    assert reference.describe(jsonl([{**row, "seed": 7} for row in ROWS[:2]]))["seeds"] == ["7"]


def tuned_rows() -> Rows:
    cells = [
        ("a", "EVAL", 0.9, 1), ("a", "EVAL", 0.4, 0), ("a", "TUNE", 0.8, 1), ("a", "TUNE", 0.1, 0),
        ("b", "EVAL", 0.5, 1), ("b", "EVAL", 0.3, 0), ("b", "TUNE", 0.2, 1), ("b", "TUNE", 0.1, 0),
    ]  # fmt: skip
    return [
        {"query_id": f"{split}{i % 2}", "seed": seed, "fold": 0, "split": split, "prob": prob,
         "has_evidence": label}
        for i, (seed, split, prob, label) in enumerate(cells)
    ]  # fmt: skip


def test_thresholds_are_tuned_within_a_seed_and_decisions_pooled(jsonl: Jsonl) -> None:
    found = reference.exact(jsonl(tuned_rows()), {"fpr": [1]})
    # a: at .8 all is right; b: at .2 both are positive.
    assert found["tpr@fpr=1%/tuned|all_queries|fold=0|value"] == 1
    assert found["fpr@fpr=1%/tuned|all_queries|fold=0|value"] == Fraction(1, 2)
    assert found["precision@fpr=1%/tuned|all_queries|seeds|mean"] == Fraction(3, 4)
    assert not [key for key in found if key.startswith("threshold@fpr=1%/tuned")]
    assert found["neg_rate@tau=0.2,0.5|tune_queries|fold=0|value"] == Fraction(1, 2)
    assert found["neg_rate@tau=0.2,0.5|tune_queries|seeds|mean"] == Fraction(1, 2)
    one = [row for row in tuned_rows() if row["seed"] == "b"]
    alone = reference.exact(jsonl(one), {"fpr": [1]})
    assert alone["threshold@fpr=1%/tuned|all_queries|fold=0|value"] == Fraction(1, 5)
    assert alone["tpr@fpr=1%/tuned|all_queries|seeds|std"] == 0


def test_every_seed_of_a_fold_has_its_tune_rows(jsonl: Jsonl) -> None:
    rows = [row for row in tuned_rows() if row["seed"] == "a" or row["split"] == "EVAL"]
    with pytest.raises(reference.InputError, match="fold 0 of seed b has no TUNE rows"):
        reference.evaluate(jsonl(rows))


def posts() -> Rows:
    return [
        {"post_id": post, "criterion_id": c, "seed": seed, "has_evidence": 1,
         "pred": int(seed == "a" or post == "q"), "prob": 0.5}
        for seed in "ab"
        for post in "pq"
        for c in "AB"
    ]  # fmt: skip


def test_posts_are_rows_of_their_seed_and_units_across_seeds(jsonl: Jsonl) -> None:
    path = jsonl(posts())
    assert reference.exact(path)["exact_match|posts|all|value"] == Fraction(3, 4)
    assert reference.describe(path)["posts"] == 2
    plan = {
        "post": [[0, 2]],
        "query": [[1, 1, 1, 1]],
        "seed": {"units": [[2, 0]], "seeds": [[1, 1]]},
    }
    sample = {unit: {"replicates": [0]} for unit in plan} | {
        "post": {"replicates": [0], "jackknife": [1]}
    }
    found = reference.intervals(path, None, plan, {}, {}, sample)["recomputed"]
    key = "exact_match|posts|{}|value"
    assert found["post"]["replicates"][key.format("all")] == {0: 1.0}
    assert found["post"]["jackknife"][key.format("seed=b")] == {1: 0.0}
    assert found["seed"]["replicates"][key.format("all")] == {0: 0.5}
    assert found["seed"]["replicates"]["exact_match|posts|seeds|mean"] == {0: 0.5}
    assert not [key for key in found["query"]["replicates"] if "|posts|" in key]
    assert {k.split("|")[2] for k in found["seed"]["replicates"]} == {"all", "seeds"}
    assert "jackknife" not in found["seed"]


def test_seeds_are_drawn_too(jsonl: Jsonl) -> None:
    plan = {"seed": {"units": {5: [1, 1, 0]}, "seeds": {5: [0, 2]}}, "query": {}}
    found = reference.intervals(jsonl(ROWS), None, plan, {}, {}, {"seed": {"replicates": [5]}})
    replicates = found["recomputed"]["seed"]["replicates"]
    assert replicates[MRR.format("all|mean")] == {5: 0.125}
    assert replicates[MRR.format("seeds|mean")] == {5: 0.125}
    nothing = {"seed": {"units": [[0, 0, 1]], "seeds": [[2, 0]]}}
    found = reference.intervals(jsonl(ROWS), None, nothing, {}, {}, {"seed": {"replicates": [0]}})
    assert found["recomputed"]["seed"]["replicates"][MRR.format("all|mean")] == {0: 0.0}


def test_one_seed_has_no_unit_of_its_own(jsonl: Jsonl) -> None:
    found = reference.intervals(jsonl(ROWS[:2]), None, {}, {}, {}, {})
    assert list(found["recomputed"]) == ["query"]
    assert reference.exact(jsonl(ROWS[:2]))[MRR.format("seeds|std")] == 0


def test_a_plan_for_other_seeds_is_refused(jsonl: Jsonl) -> None:
    plan = {"seed": {"units": [[1, 1, 1]], "seeds": [[1, 1, 1]]}}
    with pytest.raises(reference.InputError, match="the plan counts 3 units of seed"):
        reference.intervals(jsonl(ROWS), None, plan, {}, {}, {"seed": {"replicates": [0]}})


def test_an_infinite_replicate_makes_the_end_infinite_and_bca_falls_back(jsonl: Jsonl) -> None:
    rows = [
        {"query_id": str(i), "prob": prob, "has_evidence": 1} for i, prob in enumerate((0, 0.5))
    ]
    key = "log_loss|all_queries|all|"
    first = reference.intervals(jsonl(rows), None, {}, {}, {}, {"query": {"jackknife": [0, 1]}})
    jackknife = {k: list(v.values()) for k, v in first["recomputed"]["query"]["jackknife"].items()}
    replicates = {k: [0.5] * 40 for k in jackknife} | {f"{key}value": [0.7] * 39 + [math.inf]}
    found = reference.intervals(
        jsonl(rows), None, {}, {"query": replicates}, {"query": jackknife}, {}
    )
    assert found["ledger"][f"{key}ci_low/query/percentile"] == 0.7
    assert found["ledger"][f"{key}ci_high/query/percentile"] == math.inf
    assert found["ledger"][f"{key}ci_high/query/bca"] == math.inf
    assert f"{key}ci_low/query/bca" in found["flags"]


def test_what_is_infinite_is_not_compared(jsonl: Jsonl, tmp_path: Path) -> None:
    rows = [{"query_id": str(i), "prob": p, "has_evidence": 1} for i, p in enumerate((0, 0.5))]
    first = jsonl(rows).rename(tmp_path / "first.jsonl")
    second = jsonl([{**row, "prob": 0.5} for row in rows])
    answer = reference.compare((first, None), (second, None))
    assert "brier|all_queries|all|difference" in answer["ledger"]
    assert not [key for key in answer["ledger"] if key.startswith("log_loss")]
    asked = reference.compare(
        (first, None), (second, None), metrics=["log_loss|all_queries|all|value"]
    )
    assert asked["ledger"] == {}


SLICED = [
    {**ranked(f"q{i}", "a", hit), "corpus": corpus, "prob": 0.5}
    for i, (hit, corpus) in enumerate([(1, "x"), (2, "x"), (4, "y|%"), (0, None), (1, "")])
]


def test_declared_slices(jsonl: Jsonl) -> None:
    path, settings = jsonl(SLICED), {"slices": {"dataset": "corpus"}}
    found = reference.exact(path, settings)
    assert found[MRR.format("dataset=x|mean")] == Fraction(3, 4)
    assert found[MRR.format("dataset=y%7C%25|mean")] == Fraction(1, 4)
    assert found[MRR.format("dataset=|mean")] == Fraction(1, 2)
    assert found[MRR.format("dataset|macro")] == Fraction(1, 2)
    assert found[MRR.format("dataset|micro")] == found[MRR.format("all|mean")]
    assert found["n_queries|all_queries|dataset=x|value"] == 2
    assert found["positive_rate|all_queries|dataset|micro"] == 1
    assert found["positive_rate|all_queries|all|value"] == 1
    assert found["positive_rate|all_queries|seed=a|value"] == 1
    assert "positive_rate|all_queries|seeds|mean" not in found
    assert not [key for key in found if "criteria" in key or ("dataset=x" in key and "tie_" in key)]
    facts = reference.describe(path, settings)
    assert facts["slices"] == {"dataset": ["", "x", "y|%"]}
    assert "per_criterion" in facts["families"]
    assert reference.describe(path)["slices"] == {}


def test_graded_relevance_has_its_mean_over_declared_slices_alone(jsonl: Jsonl) -> None:
    rows = [
        {**row, "grades": [2], "post_id": f"p{i}", "criterion_id": "A"}
        for i, row in enumerate(SLICED)
    ]
    found = reference.exact(jsonl(rows), {"slices": {"dataset": "corpus"}})
    assert (
        found["ndcg@10/graded|positives_only|dataset|micro"]
        == found["ndcg@10/graded|positives_only|all|mean"]
    )
    assert "ndcg@10/graded|positives_only|criteria|macro" not in found


def test_declared_slices_have_intervals(jsonl: Jsonl) -> None:
    settings = {"slices": {"dataset": "corpus"}}
    sample = {"query": {"replicates": [0]}}
    plan = {"query": [[1, 0, 1, 1, 1]]}
    found = reference.intervals(jsonl(SLICED), settings, plan, {}, {}, sample)["recomputed"]
    assert found["query"]["replicates"][MRR.format("dataset=x|mean")] == {0: 1.0}


def test_numbers_are_slices_by_their_text(jsonl: Jsonl) -> None:
    rows = [{**ROWS[0], "year": 2020}, {**ROWS[1], "year": 1.5}, {**ROWS[2], "year": True}]
    facts = reference.describe(jsonl(rows), {"slices": {"year": "year"}})
    assert facts["slices"] == {"year": ["1.5", "2020", "true"]}


@pytest.mark.parametrize("cell", [["x"], {"a": 1}])
def test_a_slice_that_is_no_text_is_named(jsonl: Jsonl, cell: object) -> None:
    rows = [SLICED[0], {**SLICED[1], "corpus": cell}]
    with pytest.raises(reference.InputError, match="where text is expected") as caught:
        reference.evaluate(jsonl(rows), {"slices": {"dataset": "corpus"}})
    assert (caught.value.problems[0].row, caught.value.problems[0].column) == (2, "corpus")


def test_a_declared_column_that_is_not_there_is_named(jsonl: Jsonl) -> None:
    with pytest.raises(reference.InputError, match="no column 'site' for the slices place"):
        reference.evaluate(jsonl(SLICED), {"slices": {"place": "site"}})


def test_too_many_values_of_a_slice_are_counted(csv_file: Csv) -> None:
    lines = "".join(f"q{i},{i}\n" for i in range(10_001))
    with pytest.raises(reference.InputError, match="are 10001, more than 10000"):
        reference.evaluate(csv_file(f"query_id,part\n{lines}"), {"slices": {"x": "part"}})
