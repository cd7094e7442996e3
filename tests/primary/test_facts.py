"""The facts of a data set, each counted by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import primary
from primary.classification import binary, calibration, multilabel, states
from primary.data.rows import Data
from primary.data.study import Study, escaped
from primary.selection import dynamic_k

ROWS = pl.DataFrame(
    {
        "post_id": ["p", "p", "r", "r"],
        "criterion_id": ["B", "A", "A", "B"],
        "fold": [7, 7, 2, 2],
        "candidates": [["a", "b"], ["c"], [], ["d", "e", "f"]],
        "scores": [[1.0, 1.0], [2.0], [], [3.0, 2.0, 3.0]],
        "gold": [["a", "z"], [], ["y"], ["d"]],
        "has_evidence": [1, 1, 0, 1],
        "prob": [0.75, 0.25, 0.5, 0.125],
        "pred": [1, 1, 0, 0],
        "state": ["POS", "NEG", "UNCERTAIN", "POS"],
        "selected": [["a", "b"], [], [], ["f"]],
    }
)
TAUS = {"tau_neg": 0.25, "tau_pos": 0.5}


def test_the_facts_of_four_queries() -> None:
    facts = primary.describe(ROWS, TAUS)
    # Labels contradict gold in rows 2 and 3; prob ≥ 0.5 contradicts pred in rows 2 and 3; the
    # states are POS, UNCERTAIN, POS, NEG by the thresholds: three of four differ.
    assert facts["contradictions"] == {"has_evidence": 2, "state": 3, "pred": 2}
    assert facts["folds"] == [2, 7]
    assert facts["criteria"] == ["A", "B"]
    assert facts["posts"] == 2
    assert facts["queries"] == {
        "all_queries": 4,
        "positives_only": 3,
        "has_evidence": 3,
        "predicted_positive": 2,
    }
    assert facts["max_k"] == 2
    assert facts["queries_with_ties"] == 2
    assert facts["gold_not_in_candidates"] == 2
    assert facts["dropped_queries"] == 0
    assert facts["rows"] == {"EVAL": 4, "TUNE": 0, "TRAIN": 0}
    assert facts["columns"] == {name: name for name in ROWS.columns}


def test_states_contradict_thresholds_only_where_both_are_there() -> None:
    rows = (ROWS, ROWS.drop("state"), ROWS.drop("prob"))
    assert [primary.describe(some, TAUS)["contradictions"]["state"] for some in rows] == [3, 0, 0]
    assert primary.describe(ROWS)["contradictions"]["state"] == 0


def test_every_other_family_is_told_what_it_lacks() -> None:
    assert primary.describe(ROWS)["missing"] == {
        "graded": ["grades"],
        "exponential": ["grades"],
        "judged": ["judged"],
        "tuned": ["split"],
        "grid": ["split"],
        "gamma": ["node_probs"],
        "classes": ["label", "predicted"],
        "class_probs": ["label", "predicted", "class_probs"],
        "confusion_matrix": ["label", "predicted"],
    }


def test_a_family_that_lacks_one_of_several_columns_is_told_all_of_them() -> None:
    missing = primary.describe(pl.DataFrame({"query_id": ["q"]}))["missing"]
    decision = ["pred", "prob", "score with a stated threshold"]
    assert missing == {
        "ranking": ["candidates", "gold"],
        "ties": ["candidates", "gold", "scores"],
        "pairs": ["candidates", "gold", "scores"],
        "graded": ["candidates", "gold", "grades"],
        "exponential": ["candidates", "gold", "grades"],
        "judged": ["candidates", "gold", "judged"],
        "curves": ["prob", "score", "has_evidence", "gold"],
        "calibration": ["prob", "has_evidence", "gold"],
        "confusion": [*decision, "has_evidence", "gold"],
        "tuned": ["prob", "score", "has_evidence", "gold", "fold", "split"],
        "grid": ["prob", "has_evidence", "gold", "fold", "split"],
        "dynamic_k": ["selected", "gold", *decision],
        "k_bounds": ["selected", "gold", *decision, "candidates"],
        "gamma": ["selected", "gold", *decision, "candidates", "node_probs"],
        "deployment": ["selected", "gold", *decision],
        "states": ["state"],
        "classes": ["label", "predicted"],
        "class_probs": ["label", "predicted", "class_probs"],
        "confusion_matrix": ["label", "predicted"],
        "per_post": ["post_id", "criterion_id", *decision, "has_evidence", "gold"],
        "per_criterion": ["criterion_id", "slices", "has_evidence", "gold"],
        "state_slices": ["state"],
        "has_evidence_slices": ["has_evidence", "gold"],
        "posts": ["post_id"],
    }


def test_the_facts_of_bare_queries() -> None:
    facts = primary.describe(pl.DataFrame({"query_id": ["q", "r"]}))
    assert (facts["families"], facts["folds"], facts["criteria"]) == ([], [], [])
    assert (facts["posts"], facts["max_k"], facts["queries_with_ties"]) == (None, None, None)
    assert facts["gold_not_in_candidates"] == 0
    assert facts["contradictions"] == {"has_evidence": 0, "state": 0, "pred": 0}
    assert facts["queries"] == {
        "all_queries": 2,
        "positives_only": 0,
        "has_evidence": None,
        "predicted_positive": None,
    }


def test_a_label_from_gold_is_a_whole_number() -> None:
    rows = pl.DataFrame({"query_id": ["q", "r"], "gold": [["a"], []]})
    label = primary.table(rows)["has_evidence"]
    assert (label.to_list(), label.dtype) == ([1, 0], pl.Int8)


def study(given: dict[str, Any] | None = None, **columns: Any) -> Study:
    """One query, and nothing known about it but what is given."""
    data = Data(rows={"EVAL": 1, "TUNE": 0, "TRAIN": 0}, columns={}, **columns)
    return Study(data, primary.settings(given))


@pytest.mark.parametrize(
    ("compute", "needs"),
    [
        (lambda: calibration.ledger(study()), "calibration needs prob"),
        (lambda: binary.curves(study()), "curves need prob or score"),
        (lambda: binary.confusion(study()), "confusion needs pred or prob"),
        (
            lambda: dynamic_k.largest_k(study().data, primary.settings()),
            "k_max needs candidates",
        ),
        (lambda: multilabel.posts(study()), "per-post metrics need pred or prob"),
        (lambda: states.ledger(study()), "states are not known"),
        (lambda: states.grid(study()), "the grid needs TUNE rows"),
        (lambda: study().label, "the label is not known"),
        (lambda: study().criterion_code, "there are no criteria"),
        (lambda: study().post_code, "there are no posts"),
    ],
)
def test_a_family_asked_for_without_its_columns_names_them(compute: Any, needs: str) -> None:
    with pytest.raises(LookupError) as caught:
        compute()
    assert caught.value.args == (needs,)


def test_a_threshold_by_fold_needs_folds() -> None:
    rows = pl.DataFrame({"query_id": ["q"], "prob": [0.5], "has_evidence": [1]})
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(rows, {"threshold": {"0": 0.5}})
    assert str(caught.value) == (
        "threshold is given by fold, but the data has no fold column. "
        "Give one threshold, or map the fold column."
    )


@pytest.mark.parametrize("name", ["threshold", "tau_neg", "tau_pos"])
def test_a_number_by_fold_is_named_where_there_are_no_folds(name: str) -> None:
    given = {"threshold": 0.5, "tau_neg": 0.25, "tau_pos": 0.5} | {name: {"7": 0.5}}
    prob = np.array([0.5])
    folded = study(given, prob=prob, fold=np.array([7]))
    assert [int(one[0]) for one in (folded.decided, folded.assigned) if one is not None] == [1, 2]
    bare = study(given, prob=prob)
    with pytest.raises(primary.InputError, match=f"^{name} is given by fold"):
        _ = (bare.decided, bare.assigned)


def test_posts_are_numbered_by_fold_in_the_order_of_their_first_row() -> None:
    post = pl.Series(["b", "a", "b", "c", "a"])
    assert study(post=post).post_code.tolist() == [0, 1, 0, 2, 1]
    folded = study(post=post, fold=np.array([2, 1, 2, 1, 2]))
    assert folded.post_code.tolist() == [0, 1, 0, 2, 3]


@pytest.mark.parametrize("name", ["threshold", "tau_neg", "tau_pos"])
def test_a_number_by_fold_is_needed_for_every_fold(name: str) -> None:
    given = {"tau_neg": 0.25, "tau_pos": 0.5} | {name: {"9": 0.375, "8": 0.5}}
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(ROWS.drop("pred", "state"), given)
    assert str(caught.value) == (
        f"{name} has no number for fold 2, 7; found 9: 0.375, 8: 0.5. "
        f"Give {name} for every fold of the EVAL rows."
    )


def test_names_in_keys_escape_percent_signs_and_bars_alone() -> None:
    assert escaped("A|1%=,@ /") == "A%7C1%25=,@ /"


def test_slices_by_label_hold_the_queries_of_that_label() -> None:
    ledger = primary.evaluate(ROWS)
    counts = [ledger[f"k/hist={k}|all_queries|has_evidence=1|n"] for k in range(3)]
    # Rows 1, 2 and 4 are positive, with 2, 0 and 1 selected.
    assert counts == [1, 1, 1]
    assert ledger["k/hist=0|all_queries|has_evidence=0|n"] == 1
    assert ledger["queries|predicted_positive|all|n"] == 2


def test_states_as_given_hold_where_taus_are_set_but_no_probability_is_there() -> None:
    ledger = primary.evaluate(ROWS.drop("prob"), TAUS)
    counts = [ledger[f"n_{state}|all_queries|all|value"] for state in ("neg", "uncertain", "pos")]
    assert counts == [1, 1, 2]


def test_taus_decide_where_there_is_a_probability() -> None:
    ledger = primary.evaluate(ROWS, TAUS)
    counts = [ledger[f"n_{state}|all_queries|all|value"] for state in ("neg", "uncertain", "pos")]
    assert counts == [1, 1, 2]
    assert primary.table(ROWS, TAUS)["state"].to_list() == ["POS", "UNCERTAIN", "POS", "NEG"]


def test_a_threshold_by_fold_decides_each_row_by_its_own_fold() -> None:
    table = primary.table(ROWS.drop("pred"), {"threshold": {"2": 0.125, "7": 0.75}})
    assert table["pred"].to_list() == [1, 0, 1, 1]


def test_without_candidates_no_gold_is_missing_from_them() -> None:
    rows = pl.DataFrame({"query_id": ["q"], "gold": [["a"]]})
    assert primary.describe(rows)["gold_not_in_candidates"] == 0


def test_a_training_row_may_lack_a_probability_written_as_text() -> None:
    rows = pl.DataFrame(
        {
            "query_id": ["a", "b"],
            "split": ["EVAL", "TRAIN"],
            "prob": ["0.5", None],
            "gold": ["", ""],
        }
    )
    assert primary.table(rows)["prob"].to_list() == [0.5, None]
