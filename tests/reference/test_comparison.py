"""Two runs: which keys are compared, whose values are used, what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

import reference
from reference import comparison
from reference.headline import headline

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Jsonl = Callable[[list[dict[str, Any]]], Path]

KEY = "sensitivity|all_queries|all"


def run(jsonl: Jsonl, name: str, rows: list[dict[str, Any]]) -> tuple[Path, None]:
    path = jsonl(rows)
    return path.rename(path.with_name(name)), None


def posts(preds: dict[str, tuple[int, int]]) -> list[dict[str, Any]]:
    """Return posts with evidence for both criteria, and what the gate decides for each."""
    return [
        {"post_id": p, "criterion_id": c, "fold": i, "has_evidence": 1, "pred": pred}
        for i, p in enumerate(preds)
        for c, pred in zip("AB", preds[p], strict=True)
    ]


@pytest.fixture
def runs(jsonl: Jsonl) -> tuple[tuple[Path, None], tuple[Path, None]]:
    """Give a baseline that finds p, and a run that finds half of q, its rows in another order."""
    first = posts({"p": (1, 1), "q": (0, 0)})
    second = posts({"p": (0, 0), "q": (1, 0)})
    return run(jsonl, "a.jsonl", first), run(jsonl, "b.jsonl", second[::2] + second[1::2])


Runs = tuple[tuple[Any, None], tuple[Any, None]]


def test_by_default_all_and_folds_of_every_headline_key_are_compared(runs: Runs) -> None:
    found = reference.compare(*runs)["ledger"]
    slices = {key.split("|")[2] for key in found}
    assert slices == {"all", "folds"}
    assert found[f"{KEY}|difference"] == -0.25
    assert found[f"{KEY}|improvement"] == -50
    assert found["exact_match|posts|all|difference"] == -0.5
    assert found["exact_match|posts|folds|difference"] == -0.5


def test_swapping_one_post_swaps_the_same_post_in_both_runs(runs: Runs) -> None:
    """Swapped in p, the baseline finds nothing and the other run p and half of q."""
    answer = reference.compare(*runs, swaps=[[1, 0], [0, 1]])
    permuted = answer["recomputed"]["permuted"]
    assert permuted[f"{KEY}|value"] == {0: 0.75, 1: -0.75}
    assert permuted["exact_match|posts|all|value"] == {0: 0.5, 1: -0.5}


def test_both_systems_are_put_on_the_same_resample(runs: Runs) -> None:
    """Section 8 has no unit `query`."""
    posts_key = "exact_match|posts|all|value"
    plan = {"post": [[2, 0]], "query": [[0, 0, 1, 0]]}
    answer = reference.compare(*runs, plan, [f"{KEY}|value", posts_key])
    assert answer["recomputed"]["difference"] == {
        "post": {f"{KEY}|value": {0: -1.0}, posts_key: {0: -1.0}},
        "query": {f"{KEY}|value": {0: 1.0}},
    }


def test_posts_may_be_known_to_the_baseline_alone(jsonl: Jsonl) -> None:
    rows = [{"query_id": q, "has_evidence": 1, "pred": int(q == "a")} for q in "abc"]
    first = run(jsonl, "a.jsonl", [{**row, "post_id": "xxy"[i]} for i, row in enumerate(rows)])
    second = run(jsonl, "b.jsonl", [{**row, "pred": 1} for row in rows])
    answer = reference.compare(first, second, {"post": [[1, 0]]}, [f"{KEY}|value"])
    assert answer["recomputed"]["difference"]["post"] == {f"{KEY}|value": {0: 0.5}}


def test_a_key_alone_is_compared_as_among_all(jsonl: Jsonl) -> None:
    """Of slices of every kind, by every family, over folds and over seeds."""
    settings = {"tau_neg": 0.2, "tau_pos": 0.6, "slices": {"place": "site"}}
    rows = [
        {
            "post_id": post, "criterion_id": criterion, "fold": fold, "seed": seed, "site": "xy"[i],
            "candidates": ["a", "b"], "scores": [2, 1], "gold": ["ab"[i]] if fold else [],
            "selected": ["a"], "prob": 0.7 if i else 0.3,
        }
        for seed in "st"
        for fold, post in enumerate("pq")
        for i, criterion in enumerate("AB")
    ]  # fmt: skip
    better = [{**row, "scores": [1, 2], "prob": 1 - row["prob"] / 2} for row in rows]
    first, second = ((reference.read(jsonl(some), settings), None) for some in (rows, better))
    plan = {
        "post": [[2, 0]],
        "query": [[0, 1, 2, 1]],
        "seed": {"units": [[1, 1]], "seeds": [[2, 0]]},
    }
    one_of_each = {
        "hit@3", "ndcg@5", "auroc", "tpr@fpr=5%", "log_loss", "kappa", "evidence_recall",
        "pos_rate", "exact_match",
    }  # fmt: skip
    whole = headline(reference.read(jsonl(rows), settings)).whole
    keys = [key for key in whole if key.split("|")[0] in one_of_each]
    among = reference.compare(first, second, plan, keys, [[1, 0]])
    assert {key.split("|")[2].partition("=")[0] for key in keys} == {
        "all", "fold", "folds", "criterion", "place", "seed", "seeds",
    }  # fmt: skip
    for key in keys:
        alone = reference.compare(first, second, plan, [key], [[1, 0]])
        of_key = {name for name in among["ledger"] if name.startswith(key.rpartition("|")[0] + "|")}
        assert alone["ledger"].keys() == of_key
        of_key = {name for name in of_key if "holm" not in name}
        assert {n: alone["ledger"][n] for n in of_key} == {n: among["ledger"][n] for n in of_key}
        for unit, found in alone["recomputed"]["difference"].items():
            assert found.get(key) == among["recomputed"]["difference"][unit].get(key)
        assert alone["recomputed"]["permuted"] == {key: among["recomputed"]["permuted"][key]}


LABELS = ({"has_evidence": 1}, {"has_evidence": 0})
LISTS = ({"candidates": ["s", "t"], "gold": ["s"]}, {"candidates": ["s", "t"], "gold": []})
MISSES = ({"pred": 0}, {"pred": 0})
PROBS = ({"prob": 0.9}, {"prob": 0.1})


def mixed(*columns: tuple[dict[str, Any], dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a query with evidence and one without, with these columns."""
    return [
        {"query_id": name, "fold": 0, **{k: v for each in cells for k, v in each.items()}}
        for name, cells in zip("pn", zip(*columns, strict=True), strict=True)
    ]


@pytest.mark.parametrize(
    ("first", "second", "metric"),
    [
        pytest.param(
            mixed(LABELS, MISSES), mixed(LABELS, PROBS), "sensitivity", id="pred against prob"
        ),
        pytest.param(
            mixed(LABELS, ({"state": "NEG"}, {"state": "POS"})),
            mixed(LABELS, PROBS),
            "screening_sensitivity",
            id="state against prob and tau",
        ),
        pytest.param(
            mixed(({"state": "NEG"}, {"state": "POS"})),
            mixed(LABELS, PROBS),
            "screening_sensitivity",
            id="a gate without labels",
        ),
        pytest.param(
            mixed(LISTS, MISSES), mixed(LABELS, PROBS), "sensitivity", id="gold against label"
        ),
        pytest.param(
            mixed(LISTS, MISSES, ({"selected": ["s"]}, {"selected": ["t"]})),
            mixed(LISTS, PROBS),
            "sensitivity",
            id="selected in one",
        ),
        pytest.param(
            mixed(LABELS, MISSES),
            [
                *mixed(LABELS, PROBS, ({"split": "EVAL"}, {"split": "EVAL"})),
                *mixed(LABELS, PROBS, ({"split": "TUNE"}, {"split": "TUNE"})),
            ],
            "sensitivity",
            id="TUNE rows in one",
        ),
    ],
)
def test_what_both_runs_owe_is_compared_whatever_else_one_has(
    jsonl: Jsonl, first: list[dict[str, Any]], second: list[dict[str, Any]], metric: str
) -> None:
    """The first run misses the one positive, the second finds it; then they change places."""
    key, tau = f"{metric}|all_queries|all|value", {"tau_neg": 0.2, "tau_pos": 0.8}
    a, b = (run(jsonl, "a.jsonl", first)[0], tau), (run(jsonl, "b.jsonl", second)[0], tau)
    for runs, difference in (((a, b), 1.0), ((b, a), -1.0)):
        answer = reference.compare(*runs, {"query": [[1, 1]]}, [key], [[0, 1], [1, 0]])
        assert answer["recomputed"] == {
            "difference": {"query": {key: {0: difference}}},
            "permuted": {key: {0: difference, 1: -difference}},
        }


def test_given_permutations_are_used_for_the_p_value(runs: Runs) -> None:
    handed = {"permuted": {f"{KEY}|value": [0.25, 0.0, 0.1]}}
    answer = reference.compare(*runs, metrics=[f"{KEY}|value"], replicates=handed)
    assert answer["ledger"][f"{KEY}|p/permutation"] == 0.5
    assert answer["ledger"][f"{KEY}|p/holm"] == 0.5


def test_a_unit_without_given_replicates_has_no_interval(runs: Runs) -> None:
    handed = {"difference": {"post": {f"{KEY}|value": [0.0, 1.0]}}}
    plan: dict[str, Any] = {"post": {}, "query": {}}
    found = reference.compare(*runs, plan, [f"{KEY}|value"], replicates=handed)["ledger"]
    assert {key.split("|")[3] for key in found} == {
        "difference",
        "improvement",
        "difference_ci_low/post/percentile",
        "difference_ci_high/post/percentile",
    }


def test_a_difference_within_1e_12_counts_as_reached() -> None:
    assert comparison.p_value(1e-12, [0.0]) == 1
    assert comparison.p_value(3e-12, [0.0]) == Fraction(1, 2)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (
            [{"query_id": "b"}, {"query_id": "c"}],
            [{"query_id": "b"}, {"query_id": "a"}],
            "2 EVAL queries are in one run only, such as a",
        ),
        (
            [{"query_id": "a"}],
            [{"query_id": "a", "fold": 3}],
            "2 EVAL queries are in one run only, such as a of fold 3",
        ),
        (
            [{"post_id": "p", "criterion_id": "A"}],
            [{"post_id": "p", "criterion_id": "B"}],
            "2 EVAL queries are in one run only, such as p/A",
        ),
    ],
)
def test_runs_over_other_queries_name_one_of_them(
    jsonl: Jsonl, first: list[dict[str, Any]], second: list[dict[str, Any]], said: str
) -> None:
    a, b = (
        run(jsonl, name, [{**row, "pred": 1, "has_evidence": 1} for row in rows])
        for name, rows in (("a.jsonl", first), ("b.jsonl", second))
    )
    with pytest.raises(reference.MismatchError) as caught:
        reference.compare(a, b)
    (problem,) = caught.value.problems
    assert problem.what == said
    assert problem.remedy == "Compare runs over the same queries"


def test_an_unknown_key_is_refused_with_a_known_one(runs: Runs) -> None:
    with pytest.raises(reference.MismatchError) as caught:
        reference.compare(*runs, metrics=["tp|all_queries|all|value"])
    (problem,) = caught.value.problems
    assert problem.what == "tp|all_queries|all|value is no headline key of both runs"
    assert problem.remedy == f"Ask for base keys such as {KEY}|value"


def test_a_key_that_one_run_does_not_owe_is_refused(jsonl: Jsonl) -> None:
    first = run(jsonl, "a.jsonl", mixed(LABELS, MISSES))
    second = run(jsonl, "b.jsonl", mixed(LABELS, PROBS))
    with pytest.raises(reference.MismatchError) as caught:
        reference.compare(first, second, metrics=["auroc|all_queries|all|value"])
    (problem,) = caught.value.problems
    assert problem.what == "auroc|all_queries|all|value is no headline key of both runs"


def test_runs_that_share_no_metric_are_refused_once_one_is_asked_for(jsonl: Jsonl) -> None:
    first = run(jsonl, "a.jsonl", mixed(LABELS, MISSES))
    second = run(jsonl, "b.jsonl", mixed(LISTS))
    with pytest.raises(reference.MismatchError) as caught:
        reference.compare(first, second, metrics=[f"{KEY}|value"])
    (problem,) = caught.value.problems
    assert problem.what == f"{KEY}|value is no headline key of both runs"
    assert problem.remedy == "Compare runs that share a metric"
