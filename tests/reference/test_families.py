"""Only the families asked for are read, computed and owed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import reference
from reference.study import NEEDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Csv = Callable[[str], Path]
    Jsonl = Callable[[list[dict[str, Any]]], Path]

SETTINGS = {"tau_neg": 0.2, "tau_pos": 0.6, "k": [3]}
ALWAYS = {
    "post_id", "criterion_id", "fold", "split", "gold", "has_evidence", "pred", "prob",
}  # fmt: skip
# A key that is owed by this family alone.
OWN = {
    "ranking": "ndcg@3|positives_only|all|mean",
    "ties": "ndcg@3/tie_low|positives_only|all|mean",
    "pairs": "auroc|pairs|all|value",
    "curves": "auroc|all_queries|all|value",
    "calibration": "brier|all_queries|folds|mean",
    "confusion": "mcc|all_queries|criterion=A|value",
    "tuned": "tpr@fpr=5%/tuned|all_queries|fold=0|value",
    "grid": "neg_rate@tau=0.1,0.8|tune_queries|folds|mean",
    "dynamic_k": "evidence_recall|positives_only|all|mean",
    "k_bounds": "k_below_min|all_queries|all|value",
    "gamma": "k@gamma=0.9|all_queries|all|mean",
    "deployment": "deployment_tp|all_queries|all|value",
    "states": "alert_precision|all_queries|all|value",
    "per_post": "exact_match|posts|all|value",
    "per_criterion": "positive_rate|all_queries|criteria|macro",
    "state_slices": "queries|all_queries|state=POS|n",
}

CALIBRATED = {"ece@10", "brier", "log_loss", "ece@10/equal_mass"}


def study() -> list[dict[str, Any]]:
    """Return two posts in two folds and their TUNE rows: every column, some against another."""
    return [
        {
            "post_id": f"{split}-{post}", "criterion_id": criterion, "fold": post, "split": split,
            "candidates": ["a", "b", "c", "d"], "scores": [1, 1, 2, 0], "selected": ["a"],
            "gold": ["b"] if criterion == "A" else [], "node_probs": [0.1, 0.2, 0.3, 0.4],
            "has_evidence": int(criterion == "A" or post), "prob": 0.7 if criterion == "A" else 0.3,
            "pred": post, "state": "UNCERTAIN" if criterion == "B" else "POS",
        }
        for split in ("EVAL", "TUNE")
        for post in (0, 1)
        for criterion in "AB"
    ]  # fmt: skip


def asked(*families: str) -> dict[str, Any]:
    return {**SETTINGS, "families": list(families)}


@pytest.fixture
def path(jsonl: Jsonl) -> Path:
    return jsonl(study())


def test_all_families_are_the_default(path: Path) -> None:
    assert reference.evaluate(path, asked(*NEEDS)) == reference.evaluate(path, SETTINGS)
    assert reference.describe(path, asked(*NEEDS)) == reference.describe(path, SETTINGS)
    missing = {"graded", "exponential", "judged", "classes", "class_probs", "confusion_matrix"}
    assert reference.describe(path, SETTINGS)["families"] == sorted(NEEDS.keys() - missing)


@pytest.mark.parametrize("family", OWN)
def test_one_family_owes_its_own_keys_with_the_same_values(path: Path, family: str) -> None:
    found = reference.evaluate(path, asked(family))
    assert [name for name, key in OWN.items() if key in found] == [family]
    assert found.items() <= reference.evaluate(path, SETTINGS).items()


@pytest.mark.parametrize("family", OWN)
def test_all_but_one_family_owe_all_but_its_keys(path: Path, family: str) -> None:
    found = reference.evaluate(path, asked(*(NEEDS.keys() - {family})))
    assert [name for name, key in OWN.items() if key not in found] == [family]


def test_slices_by_has_evidence_are_a_family_of_their_own(path: Path) -> None:
    key = "k|all_queries|has_evidence=1|mean"
    assert key not in reference.evaluate(path, asked("dynamic_k"))
    assert key in reference.evaluate(path, asked("dynamic_k", "has_evidence_slices"))


def test_the_facts_tell_what_was_asked_for_what_is_missing_and_what_was_read(jsonl: Jsonl) -> None:
    rows = [{k: v for k, v in row.items() if k != "prob"} for row in study()]
    facts = reference.describe(jsonl(rows), asked("ranking", "curves", "confusion"))
    assert facts["families"] == ["confusion", "ranking"]
    others = NEEDS.keys() - {"ranking", "curves", "confusion"}
    assert facts["missing"] == {**{f: ["not asked for"] for f in others}, "curves": ["prob|score"]}
    assert set(facts["columns"]) == (ALWAYS | {"candidates", "scores"}) - {"prob"}


@pytest.mark.parametrize(
    ("families", "columns"),
    [
        (["ranking", "ties", "pairs"], {"candidates", "scores"}),
        (["curves", "calibration", "tuned", "grid", "confusion"], set()),
        (["per_post", "per_criterion", "has_evidence_slices", "posts"], set()),
        (["states"], {"state"}),
        (["state_slices"], {"state"}),
        (["dynamic_k", "deployment"], {"selected"}),
        (["k_bounds"], {"selected", "candidates", "scores"}),
        (["gamma"], {"selected", "candidates", "scores", "node_probs"}),
    ],
)
def test_columns_that_only_other_families_need_are_not_read(
    jsonl: Jsonl, families: list[str], columns: set[str]
) -> None:
    columns |= ALWAYS
    rows = [
        {name: cell if name in columns else -7 for name, cell in row.items()} for row in study()
    ]
    path = jsonl(rows)
    assert set(reference.describe(path, asked(*families))["columns"]) == columns
    found = reference.evaluate(path, asked(*families))
    assert found.items() <= reference.evaluate(jsonl(study()), SETTINGS).items()
    with pytest.raises(reference.InputError):
        reference.evaluate(jsonl(rows), SETTINGS)


@pytest.mark.parametrize("family", ["ranking", "curves", "tuned", "grid", "posts"])
@pytest.mark.parametrize(
    ("cells", "refused"),
    [
        ({"prob": "no", "gold": 1}, {"prob"}),
        ({"prob": 0.5, "has_evidence": "no"}, {"has_evidence"}),
        ({"gold": ["a", "a"], "pred": "no", "scores": 7}, set()),
    ],
)
def test_label_and_probability_of_other_splits_are_read_whatever_is_asked_for(
    jsonl: Jsonl, family: str, cells: dict[str, Any], refused: set[str]
) -> None:
    rows = [row if row["split"] == "EVAL" else {**row, **cells} for row in study()]
    path = jsonl([*rows, *({**row, "split": "TRAIN"} for row in rows if row["split"] == "TUNE")])
    if not refused:
        counted = reference.describe(path, asked(family))["rows"]
        assert counted == {"EVAL": 4, "TUNE": 4, "TRAIN": 4}
        return
    with pytest.raises(reference.InputError) as caught:
        reference.evaluate(path, asked(family))
    assert {problem.column for problem in caught.value.problems} == refused
    assert len(caught.value.problems) == 8


def test_gold_is_the_label_of_tune_rows_whatever_is_asked_for(csv_file: Csv) -> None:
    path = csv_file("query_id,split,gold,candidates\nq,EVAL,a,a\nr,TUNE,a|a,b|b\n")
    for settings in ({}, asked("ranking")):
        with pytest.raises(reference.InputError) as caught:
            reference.evaluate(path, settings)
        assert [(p.row, p.column) for p in caught.value.problems] == [(2, "gold")]


def test_every_fold_has_its_tune_rows_where_tuned_or_grid_are_asked_for(csv_file: Csv) -> None:
    path = csv_file("query_id,fold,split,candidates,gold\nq0,0,EVAL,a,a\nq1,1,TUNE,a,a\n")
    found = reference.evaluate(path, asked("ranking"))
    assert found["mrr@all|positives_only|fold=0|mean"] == 1
    for settings in ({}, asked("ranking", "tuned"), asked("grid")):
        with pytest.raises(reference.InputError, match="fold 0 has no TUNE rows"):
            reference.evaluate(path, settings)


def test_a_post_may_lack_a_criterion_unless_the_posts_are_scored(jsonl: Jsonl) -> None:
    path = jsonl(study()[:-5])
    families = NEEDS.keys() - {"per_post"}
    assert OWN["confusion"] in reference.evaluate(path, asked(*families))
    with pytest.raises(reference.InputError, match="has no row for criterion B"):
        reference.evaluate(path, asked("per_post"))


def test_two_columns_that_could_both_be_meant_matter_only_if_read(jsonl: Jsonl) -> None:
    path = jsonl([{**row, "candidate_ids": ["a"]} for row in study()])
    assert OWN["states"] in reference.evaluate(path, asked("states"))
    with pytest.raises(reference.InputError, match="could both be candidates"):
        reference.evaluate(path, asked("ranking"))


def test_per_query_values_are_those_of_the_families(path: Path) -> None:
    assert list(reference.per_query(path, asked("dynamic_k"))) == [
        "post_id", "criterion_id", "fold", "evidence_recall", "evidence_precision", "k", "prob",
        "pred", "state", "has_evidence",
    ]  # fmt: skip
    without = reference.per_query(path, {"families": ["posts"]})
    assert list(without) == ["post_id", "criterion_id", "fold", "prob", "pred", "has_evidence"]


def test_trec_files_are_asked_likewise(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 d 1\n", encoding="utf-8")
    (tmp_path / "run").write_text("q Q0 d 1 2.5 me\n", encoding="utf-8")
    data = {"qrels": tmp_path / "qrels", "run": tmp_path / "run"}
    assert reference.describe(data, {"families": ["ties", "curves"]})["families"] == ["ties"]
    found = reference.evaluate(data, {"families": ["per_criterion"]})
    assert {key.partition("|")[0] for key in found} == {"queries"}


def metrics(keys: Any) -> set[str]:
    return {key.partition("|")[0] for key in keys}


def test_intervals_are_those_of_the_families(path: Path) -> None:
    plan = {"post": [[1, 1]], "query": [[1, 1, 1, 1]]}
    sample = {unit: {"replicates": [0]} for unit in plan}
    settings = asked("calibration", "per_post", "posts")
    found = reference.intervals(path, settings, plan, {}, {}, sample)["recomputed"]
    assert metrics(found["query"]["replicates"]) == CALIBRATED
    assert CALIBRATED | {"f1_micro"} < metrics(found["post"]["replicates"])
    assert "auroc" not in metrics(found["post"]["replicates"])
    handed = {"query": {key: [0.1, 0.2] for key in found["query"]["replicates"]}}
    ledger = reference.intervals(path, settings, {}, handed, handed, {})["ledger"]
    assert metrics(ledger) == CALIBRATED


def test_posts_are_drawn_only_if_they_are_asked_for(path: Path) -> None:
    found = reference.intervals(path, asked("calibration"), {}, {}, {}, {})["recomputed"]
    assert list(found) == ["query"]
    assert reference.describe(path, asked("calibration"))["posts"] is None
    assert reference.describe(path, asked("posts"))["posts"] == 2


def test_a_comparison_is_over_the_families_that_both_sides_are_asked_for(path: Path) -> None:
    first, second = asked("calibration", "curves"), asked("calibration", "confusion")
    answer = reference.compare((path, first), (path, second))
    assert metrics(answer["ledger"]) == CALIBRATED
    with pytest.raises(reference.InputError, match="is no headline key of both runs"):
        reference.compare((path, first), (path, second), metrics=[OWN["curves"]])
