"""What the pipeline decided agrees with what it says it decided by."""

from __future__ import annotations

import tomllib
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck import study

if TYPE_CHECKING:
    from collections.abc import Callable

    Rows = Callable[[str], list[Any]]
GATED = ("ne_gate", "full")
SELECTING = ("dynamic_k", "ne_gate", "full")


@pytest.fixture(scope="module")
def config() -> dict[str, Any]:
    return tomllib.loads(study.config_text())


@pytest.mark.parametrize("system", study.SYSTEM_NAMES)
def test_has_evidence_agrees_with_gold(system: str, evaluated: Rows) -> None:
    assert all(bool(row.gold) == bool(row.label) for row in evaluated(system))


@pytest.mark.parametrize("system", study.SYSTEM_NAMES)
def test_lists_are_aligned_and_belong_to_their_post(system: str, evaluated: Rows) -> None:
    for row in evaluated(system):
        assert len(row.scores) == len(row.candidates) == len(set(row.candidates))
        assert all(uid.startswith(f"{row.post}_") for uid in row.candidates + row.gold)


@pytest.mark.parametrize("system", GATED)
def test_pred_agrees_with_the_folds_threshold(
    system: str, read: Rows, config: dict[str, Any]
) -> None:
    threshold = config["threshold"]
    assert all(row.pred == (row.prob >= threshold[str(row.fold)]) for row in read(system))


def test_without_a_gate_every_query_passes(read: Rows) -> None:
    assert {row.pred for row in read("dynamic_k")} == {1}


@pytest.mark.parametrize("fold", range(5))
def test_tune_rows_alone_give_the_threshold(fold: int, read: Rows, config: dict[str, Any]) -> None:
    tune = [row for row in read("full") if row.split == "TUNE" and row.fold == fold]
    budget = 5 * sum(not row.label for row in tune)
    best, chosen = -1, None
    for limit in sorted({row.prob for row in tune}, reverse=True):
        passed = Counter(row.label for row in tune if row.prob >= limit)
        if 100 * passed[0] > budget:
            break
        if passed[1] > best:
            best, chosen = passed[1], limit
    assert config["rule"] == "fpr<=5%"
    assert config["threshold"][str(fold)] == chosen


def test_state_agrees_with_tau(read: Rows, config: dict[str, Any]) -> None:
    def state(prob: float) -> str:
        if prob < config["tau_neg"]:
            return "NEG"
        return "UNCERTAIN" if prob < config["tau_pos"] else "POS"

    assert all(row.state == state(row.prob) for row in read("full"))


def _bounds(row: Any) -> tuple[int, int]:
    k_max = min(10, len(row.candidates) // 2)
    return min(2, k_max), k_max


@pytest.mark.parametrize("system", SELECTING)
def test_selected_is_a_part_of_the_candidates(system: str, evaluated: Rows) -> None:
    for row in evaluated(system):
        assert len(set(row.selected)) == len(row.selected)
        assert set(row.selected) <= set(row.candidates)


@pytest.mark.parametrize("system", ["dynamic_k", "ne_gate"])
def test_every_selection_keeps_the_bounds(system: str, evaluated: Rows) -> None:
    for row in evaluated(system):
        low, high = _bounds(row)
        assert low <= len(row.selected) <= high


def test_the_full_pipeline_keeps_the_bounds_where_the_gate_passes(evaluated: Rows) -> None:
    for row in evaluated("full"):
        low, high = _bounds(row)
        assert len(row.selected) <= high
        if row.pred:
            assert low <= len(row.selected)


def test_the_full_pipeline_skips_exactly_the_negative_state(evaluated: Rows) -> None:
    rows = [row for row in evaluated("full") if len(row.candidates) > 1]
    assert all((row.state == "NEG") == (not row.selected) for row in rows)


def test_selected_are_the_most_probable_nodes(evaluated: Rows) -> None:
    for row in evaluated("full"):
        node = dict(zip(row.candidates, row.node_probs, strict=True))
        taken = [node[uid] for uid in row.selected]
        left = [node[uid] for uid in set(row.candidates) - set(row.selected)]
        assert taken == sorted(taken, reverse=True)
        assert not taken or not left or taken[-1] >= max(left)


def test_tune_rows_carry_no_lists(read: Rows) -> None:
    tune = [row for row in read("full") if row.split == "TUNE"]
    assert not any(
        row.candidates or row.scores or row.gold or row.selected or row.node_probs for row in tune
    )
