"""Outside libraries on graded rankings, several classes, scores, seeds and declared slices."""

from __future__ import annotations

import dataclasses
import math
import shutil
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from crosscheck.model.ledgers import compare
from crosscheck.witnesses import Testimony, scipy
from crosscheck.witnesses.registry import BY_NAME
from crosscheck.witnesses.run import ask

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.data.case import Case

    Make = Callable[..., Case]


def _same(recall: str, size: int) -> bool:
    return math.floor(float(recall) * size + 0.9) == math.ceil(Fraction(recall) * size)


ASKED = [
    ("graded", "trec_eval"),
    ("graded", "ir_measures"),
    ("graded", "ranx"),
    ("classes", "scikit-learn"),
    ("score", "scikit-learn"),
]


def told(name: str, case: Case) -> Testimony:
    answer = ask(BY_NAME[name].testify, case)
    assert isinstance(answer, Testimony), answer
    return answer


def truth(case: Case) -> dict[str, Any]:
    import reference  # noqa: PLC0415 - heavy

    return dict(reference.evaluate(case.data, case.settings))


@pytest.mark.parametrize(("kind", "name"), ASKED)
def test_a_library_agrees_on_what_it_shares(kind: str, name: str, field_case: Make) -> None:
    case = field_case(kind)
    answer = told(name, case)
    found = compare((name, "reference"), answer.ledger, truth(case))
    # gdeval prints five decimals.
    assert [one.key for one in found.differences if not one.key.startswith("err@")] == []
    assert all(one.verdict != "wrong" for one in found.differences)
    assert found.only_first == ()
    assert set(answer.ledger) | set(answer.declined) == set(case.owed)
    assert all(answer.declined.values())


@pytest.mark.parametrize(
    ("name", "metrics"),
    [
        ("trec_eval", "ndcg@5/graded ndcg@all/graded rprecision bpref iprec@recall=0.5 recall@5"),
        ("ir_measures", "judged@5 judged@all"),
        ("ranx", "ndcg@5/graded ndcg@5/exponential dcg@5/graded dcg@5/exponential"),
        ("ranx", "f1@5 f1@all rprecision rbp@p=0.8 rbp@p=0.95"),
    ],
)  # fmt: skip
def test_a_library_is_heard_about_graded_rankings(
    name: str, metrics: str, field_case: Make
) -> None:
    ledger = told(name, field_case("graded")).ledger
    assert [m for m in metrics.split() if f"{m}|all_queries|all|mean" not in ledger] == []


def test_trec_eval_is_heard_about_the_geometric_mean(field_case: Make) -> None:
    ledger = told("trec_eval", field_case("graded")).ledger
    assert {"gmap|all_queries|all|value", "gmap|positives_only|all|value"} <= ledger.keys()


def test_trec_eval_orders_raw_scores_itself(field_case: Make) -> None:
    case = field_case("graded", ties="trec_eval")
    agreed = compare(("trec_eval", "reference"), told("trec_eval", case).ledger, truth(case))
    assert agreed.differences == ()
    # The same scores at full precision are another order: it objects.
    other = dataclasses.replace(case, settings={**case.settings, "ties": "docid"})
    objected = compare(("trec_eval", "x"), told("trec_eval", case).ledger, truth(other))
    assert objected.differences


def test_scikit_learn_takes_pairs_of_the_scores_that_rank(field_case: Make) -> None:
    case = field_case("graded", ties="trec_eval")
    heard = told("scikit-learn", case).ledger
    assert "auprc|pairs|all|value" in heard
    assert compare(("scikit-learn", "reference"), heard, truth(case)).differences == ()


def test_gdeval_is_asked_about_grades_up_to_4_alone(field_case: Make) -> None:
    key = "err@5|positives_only|all|mean"
    heard = key in told("ir_measures", field_case("graded")).ledger
    assert heard == (shutil.which("perl") is not None)
    declined = told("ir_measures", field_case("graded", grade_max=5)).declined
    assert "gdeval" in declined[key]


def test_levels_that_trec_eval_does_not_print_are_declined(field_case: Make) -> None:
    declined = told("trec_eval", field_case("graded", recall_levels=[0.25, 0.5])).declined
    assert "eleven levels" in declined["iprec@recall=0.25|all_queries|all|mean"]
    assert "iprec@recall=0.5|all_queries|all|mean" not in declined


def test_a_query_of_which_trec_eval_wants_another_number_is_declined() -> None:
    # 0.7·30 + 0.9 is 21.9 in decimals, and below 21.9 or above in floats: the first |G| that shows.
    wrong = [size for size in range(1, 101) if not _same("0.7", size)]
    assert wrong
    assert all(_same("0.5", size) for size in range(1, 101))


def test_scikit_learn_is_heard_about_classes_and_declines_with_reasons(field_case: Make) -> None:
    answer = told("scikit-learn", field_case("classes"))
    heard = {key.partition("|")[0] for key in answer.ledger}
    assert {
        "accuracy", "kappa", "mcc/multiclass", "balanced_accuracy/multiclass", "f1/macro",
        "f1/micro",
        "f1/weighted", "precision/macro", "recall/weighted", "auroc/ovr_macro", "auroc/ovo_macro",
        "log_loss", "brier/multiclass", "top_k_accuracy@2", "support", "recall",
        "count@true=b%2C,predicted=c%7C",
    } <= heard  # fmt: skip
    assert "quantile" in answer.declined["ece@10/top_label|all_queries|all|value"]


def test_ties_among_probabilities_are_not_asked_of_scikit_learn(
    field_case: Make, tmp_path: Any
) -> None:
    case = field_case("classes")
    path = tmp_path / "tied.jsonl"
    path.write_text(
        '{"query_id": "q", "label": "a", "predicted": "a", '
        '"class_probs": [0.25, 0.25, 0.25, 0.25]}\n'
    )
    settings = {**case.settings, "slices": {}}
    import primary  # noqa: PLC0415 - heavy

    facts = primary.describe(str(path), settings)
    tied = dataclasses.replace(case, data=str(path), settings=settings, facts=facts)
    declined = told("scikit-learn", tied).declined
    assert "the later class" in declined["top_k_accuracy@2|all_queries|all|value"]


def test_a_score_has_curves_and_seeds(field_case: Make) -> None:
    ledger = told("scikit-learn", field_case("score")).ledger
    for key in ("max_f1|all_queries|all|value", "auroc/partial@fpr=5%|all_queries|seed=s|value"):
        assert key in ledger
    assert "auroc|all_queries|seeds|std" in ledger


@pytest.mark.parametrize(
    ("count", "place", "edge"),
    [
        (3, 1, 0.33333333333333337),  # the float nearest to 1/3 shows a decimal below it
        (3, 2, 0.6666666666666667),  # 0.6666666666666666 is below two thirds
        (10, 1, 0.1),
        (10, 3, 0.3),
        (7, 0, 0.0),
        (7, 7, 1.0),
    ],
)
def test_scipy_is_handed_the_edges_at_which_decimals_part(
    count: int, place: int, edge: float
) -> None:
    assert scipy.edges(count)[place] == edge


def test_a_third_is_in_the_first_of_three_bins() -> None:
    label, prob = np.array([True, False]), np.array([1 / 3, 0.9])
    n, _, _ = scipy.bins(label, prob, 3)
    assert n.tolist() == [1, 0, 1]
