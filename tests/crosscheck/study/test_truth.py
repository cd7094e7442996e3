"""Every number in the study's claims is true: recomputed from the CSV file by plain loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

COUNTS = {
    "queries_total": "queries|all_queries|all|n",
    "queries_with_positives": "queries|positives_only|all|n",
}
SETTINGS = {
    ("positives_only", "skip_no_positives"): True,
    ("all_queries", "skip_no_positives"): False,
    ("eval_split",): "test",
    ("eval_mode",): "dual",
}


def _leaves(node: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(node, dict):
        for name, child in node.items():
            yield from _leaves(child, (*path, name))
    else:
        yield path, node


def _key(path: tuple[str, ...], answers: Mapping[str, float]) -> str:
    """Find the one key that a path of the claims file means."""
    if path[-1] in COUNTS:
        return COUNTS[path[-1]]
    if path[-1] == "queries_evaluated":
        return f"queries|{path[0]}|all|n"
    part = next((step for step in path if step.startswith("criterion=")), "all")
    part = "folds" if "over_folds" in path else part
    population = next(step for step in path if step in {"positives_only", "all_queries", "posts"})
    statistics = ("mean",) if part == "folds" else ("mean", "value")
    keys = [f"{path[-1]}|{population}|{part}|{statistic}" for statistic in statistics]
    return next(key for key in keys if key in answers)


def _printed(path: tuple[str, ...], answers: Mapping[str, float]) -> Any:
    """Print the recomputed value the way the claims file prints it."""
    key = _key(path, answers)
    if isinstance(answers[key], int):
        return answers[key]
    if "|folds|" in key:
        return f"{answers[key]:.4f} ± {answers[key.removesuffix('mean') + 'std']:.4f}"
    return f"{answers[key]:.4f}"


def test_every_claim_is_what_the_data_give(
    claims: Any, answers: Callable[[str], dict[str, float]]
) -> None:
    full = answers("full")
    found = {path: value for path, value in _leaves(claims) if path not in SETTINGS}
    assert found == {path: _printed(path, full) for path in found}


@pytest.mark.parametrize(("path", "value"), SETTINGS.items())
def test_the_settings_said_are_those_meant(path: tuple[str, ...], value: Any, claims: Any) -> None:
    assert dict(_leaves(claims))[path] is value or dict(_leaves(claims))[path] == value


def test_the_main_numbers_are_claimed(claims: Any) -> None:
    paths = {path for path, _ in _leaves(claims)}
    assert {
        ("positives_only", "ndcg@10"),
        ("positives_only", "mrr@all"),
        ("positives_only", "recall@10"),
        ("all_queries", "auroc"),
        ("all_queries", "auprc"),
        ("all_queries", "tpr@fpr=5%"),
        ("all_queries", "ece@10"),
        ("all_queries", "brier"),
        ("over_folds", "positives_only", "ndcg@10"),
        ("over_folds", "all_queries", "auroc"),
    } <= paths
