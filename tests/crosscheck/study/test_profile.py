"""The study has exactly the counts of the contract's profile (section 1)."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck import study

if TYPE_CHECKING:
    from collections.abc import Callable

    Rows = Callable[[str], list[Any]]


@pytest.mark.parametrize("system", study.SYSTEM_NAMES)
def test_every_system_has_the_profile(system: str, evaluated: Rows) -> None:
    rows = evaluated(system)
    assert len(rows) == 14_770
    assert sum(row.label for row in rows) == 1_379
    assert len({row.post for row in rows}) == 1_477
    queries = Counter(row.fold for row in rows)
    assert queries == {0: 2950, 1: 2950, 2: 2950, 3: 2950, 4: 2970}


def test_every_post_has_every_criterion_once(evaluated: Rows) -> None:
    criteria = defaultdict(list)
    for row in evaluated("full"):
        criteria[row.post].append(row.criterion)
    expected = [f"A.{number}" for number in range(1, 11)]
    assert all(found == expected for found in criteria.values())


def test_positives_by_criterion(evaluated: Rows) -> None:
    found = Counter(row.criterion for row in evaluated("full") if row.label)
    assert found == {
        "A.1": 300,
        "A.2": 120,
        "A.3": 40,
        "A.4": 95,
        "A.5": 32,
        "A.6": 118,
        "A.7": 290,
        "A.8": 56,
        "A.9": 242,
        "A.10": 86,
    }


def test_mean_candidates(evaluated: Rows) -> None:
    rows = evaluated("full")
    assert 18 <= sum(len(row.candidates) for row in rows) / len(rows) <= 22


@pytest.mark.parametrize("system", study.SYSTEM_NAMES)
def test_all_criteria_of_a_post_share_their_candidates(system: str, evaluated: Rows) -> None:
    sets = {(row.post, tuple(row.candidates)) for row in evaluated(system)}
    assert len(sets) == 1_477


def test_all_systems_answer_the_same_queries(evaluated: Rows) -> None:
    def asked(system: str) -> list[tuple[Any, ...]]:
        return [
            (row.post, row.criterion, row.fold, row.candidates, row.gold, row.label)
            for row in evaluated(system)
        ]

    full = asked("full")
    assert all(asked(system) == full for system in study.SYSTEM_NAMES)


def test_columns_grow_along_the_ablation(written: dict[str, Any]) -> None:
    headers = [written[system].read_text().split("\n", 1)[0] for system in study.SYSTEM_NAMES]
    ranking = "post_id,criterion_id,fold,split,candidates,scores,gold,has_evidence"
    assert headers == [
        ranking,
        ranking,
        ranking,
        f"{ranking},pred,selected,node_probs",
        f"{ranking},prob,pred,selected,node_probs",
        f"{ranking},prob,pred,state,selected,node_probs",
    ]


def test_tune_rows_are_354_posts_a_fold(read: Rows) -> None:
    tune = [row for row in read("full") if row.split == "TUNE"]
    assert len(tune) == 17_700
    posts = {(row.fold, row.post) for row in tune}
    assert Counter(fold for fold, _ in posts) == dict.fromkeys(range(5), 354)


def test_tune_and_eval_rows_of_a_fold_share_no_post(read: Rows) -> None:
    posts = defaultdict(set)
    for row in read("full"):
        posts[row.fold, row.split].add(row.post)
    assert all(not posts[fold, "EVAL"] & posts[fold, "TUNE"] for fold in range(5))


def test_eval_rows_of_two_folds_share_no_post(evaluated: Rows) -> None:
    folds = defaultdict(set)
    for row in evaluated("full"):
        folds[row.post].add(row.fold)
    assert all(len(found) == 1 for found in folds.values())


def test_a_post_keeps_its_labels_in_every_split(read: Rows) -> None:
    labels = defaultdict(set)
    for row in read("full"):
        labels[row.post, row.criterion].add(row.label)
    assert all(len(found) == 1 for found in labels.values())
