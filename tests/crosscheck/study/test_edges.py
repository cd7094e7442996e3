"""The study contains what the contract's edge cases are about; the counts are facts of its seed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Rows = Callable[[str], list[Any]]


def _queries_with_ties(rows: list[Any]) -> int:
    return sum(len(set(row.scores)) < len(row.scores) for row in rows)


def test_scores_are_tied(evaluated: Rows) -> None:
    found = [_queries_with_ties(evaluated(name)) for name in ("retriever", "reranker", "full")]
    assert found == [6797, 5080, 4604]


def test_gold_is_tied_with_other_candidates(evaluated: Rows) -> None:
    def is_luck(row: Any) -> bool:
        scored = list(zip(row.scores, row.candidates, strict=True))
        gold = {score for score, uid in scored if uid in row.gold}
        return any(score in gold and uid not in row.gold for score, uid in scored)

    assert sum(map(is_luck, evaluated("full"))) == 21


def test_scores_are_negative_too(evaluated: Rows) -> None:
    assert min(min(row.scores) for row in evaluated("full")) < 0


def test_candidates_are_not_listed_in_ranked_order(evaluated: Rows) -> None:
    rows = [row for row in evaluated("full") if len(row.candidates) > 10]
    assert not any(row.candidates == row.ranking for row in rows)


def test_short_posts(evaluated: Rows) -> None:
    sizes = {row.post: len(row.candidates) for row in evaluated("full")}
    found = Counter(sizes.values())
    assert [found[size] for size in (1, 2, 3)] == [28, 30, 32]
    assert max(sizes.values()) == 32


def test_evidence_in_short_posts(evaluated: Rows) -> None:
    rows = [row for row in evaluated("full") if row.gold]
    found = Counter(len(row.candidates) for row in rows)
    assert [found[size] for size in (1, 2, 3)] == [19, 29, 51]


def test_gold_has_one_to_six_sentences(evaluated: Rows) -> None:
    found = Counter(len(row.gold) for row in evaluated("full"))
    assert found == {0: 13_391, 1: 1209, 2: 91, 3: 41, 4: 14, 5: 14, 6: 10}


def test_rankings_are_truncated(evaluated: Rows) -> None:
    lost = [len(set(row.gold) - set(row.candidates)) for row in evaluated("full")]
    assert sum(lost) == 18


def test_probabilities_on_bin_edges_and_at_both_ends(evaluated: Rows) -> None:
    found = Counter(row.prob for row in evaluated("full"))
    tenths = [found[number / 10] for number in range(11)]
    assert tenths == [485, 89, 26, 14, 14, 13, 5, 7, 4, 10, 21]


def test_probabilities_are_tied_across_labels(evaluated: Rows) -> None:
    positive = {row.prob for row in evaluated("full") if row.label}
    negative = {row.prob for row in evaluated("full") if not row.label}
    assert len(positive & negative) == 442


def test_calibration_errs_in_both_directions(evaluated: Rows) -> None:
    gaps: Counter[int] = Counter()
    for row in evaluated("full"):
        gaps[min(int(f"{row.prob:.4f}".replace(".", "")) // 1000, 9)] += row.prob - row.label
    assert {gap > 0 for gap in gaps.values()} == {True, False}


def test_queries_without_node_mass(evaluated: Rows) -> None:
    assert sum(not any(row.node_probs) for row in evaluated("full")) == 99


def test_ids_that_look_like_numbers_or_gaps(evaluated: Rows) -> None:
    posts = {row.post for row in evaluated("full")}
    assert {"007", "7", "NA", "null", "1e5", "100000", "True", "3.0", "nan"} <= posts
