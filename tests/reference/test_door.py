"""The door itself: what kinds of values come out, and what is refused at it."""

from __future__ import annotations

import gc
import math
import random
from decimal import Decimal, getcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

import reference
from reference import bootstrap, comparison

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Jsonl = Callable[[list[dict[str, Any]]], Path]

SETTINGS = {"tau_neg": 0.2, "tau_pos": 0.6, "views": {"first": ["A"], "none": []}, "k": [3, 10]}
INTEGERS = (
    "queries|", "tp|", "fp|", "tn|", "fn|", "deployment_tp|", "deployment_fp|", "deployment_tn|",
    "deployment_fn|", "n_", "k_", "k/hist", "sentences@",
)  # fmt: skip


def study(seed: int = 1, posts: int = 6) -> list[dict[str, Any]]:
    """Return a small random study with every column."""
    draw = random.Random(seed)
    rows: list[dict[str, Any]] = []
    for number in range(posts):
        for split in ("EVAL", "TUNE"):
            for criterion in "AB":
                uids = [f"s{i}" for i in range(draw.randint(1, 8))]
                rows.append(
                    {
                        "post_id": f"{split}-{number}",
                        "criterion_id": criterion,
                        "fold": number % 2,
                        "split": split,
                        "candidates": uids,
                        "scores": [draw.randint(0, 5) for _ in uids],
                        "node_probs": [draw.randint(0, 4) / 4 for _ in uids],
                        "selected": draw.sample(uids, draw.randint(0, len(uids))),
                        "gold": draw.sample(uids, draw.randint(0, min(3, len(uids)))),
                        "prob": draw.randint(0, 10) / 10,
                    }
                )
    return rows


def is_integer_key(key: str) -> bool:
    metric, *_, statistic = key.split("|")
    if metric == "k":
        return statistic in {"min", "max"}
    if metric.startswith("reliability@"):
        return statistic == "n"
    return key.startswith(INTEGERS)


def test_one_reading_serves_every_question(jsonl: Jsonl) -> None:
    path = jsonl(study())
    once = reference.read(path, SETTINGS)
    path.unlink()
    again = jsonl(study())
    assert reference.describe(once) == reference.describe(again, SETTINGS)
    assert reference.evaluate(once) == reference.evaluate(again, SETTINGS)
    assert reference.per_query(once) == reference.per_query(again, SETTINGS)
    both = (once, None), (again, SETTINGS)
    assert set(reference.compare(*both)["ledger"].values()) == {0.0}


def test_a_reading_has_its_settings_already(jsonl: Jsonl) -> None:
    once = reference.read(jsonl(study()))
    with pytest.raises(reference.InputError) as caught:
        reference.evaluate(once, {})
    assert caught.value.problems == [
        reference.Problem(
            "settings are given for data that were read under settings of their own",
            "Read the data again, or leave the settings out",
        )
    ]


def test_integer_keys_hold_integers_and_all_others_finite_floats_or_inf(jsonl: Jsonl) -> None:
    ledger = reference.evaluate(jsonl(study()), SETTINGS)
    for key, value in ledger.items():
        assert type(value) is (int if is_integer_key(key) else float), key
        assert math.isfinite(value) or key.startswith(("threshold@", "log_loss")), key


def test_evaluate_is_exact_rounded_once(jsonl: Jsonl) -> None:
    path = jsonl(study())
    exact = reference.exact(path, SETTINGS)
    assert {type(value) for value in exact.values()} <= {int, Fraction, Decimal, float}
    assert reference.evaluate(path, SETTINGS) == {
        key: value if isinstance(value, int) else float(value) for key, value in exact.items()
    }


def test_the_product_of_the_table_is_owed_in_full(jsonl: Jsonl) -> None:
    ledger = reference.evaluate(jsonl(study()), SETTINGS)
    slices = ["all", "fold=0", "fold=1", "criterion=A", "criterion=B", "view=first", "view=none"]
    slices += [f"state={state}" for state in ("NEG", "UNCERTAIN", "POS")]
    variants = ["recall", "precision", "hit", "mrr", "map", "ndcg", "recall/retrieved"]
    variants += ["precision/k_eff", "map/by_gold", "map/by_hits", "map/k_eff", "ndcg/k_eff"]
    names = [v.partition("/") for v in variants]
    owed = {
        f"{base}@{k}{slash}{variant}|{population}|{where}|{statistic}"
        for base, slash, variant in names
        for k in (3, 10, "all")
        for population in ("positives_only", "all_queries")
        for where in slices
        for statistic in ("mean", "std", "median", "p25", "p75")
    }
    assert owed <= ledger.keys()


def test_the_context_of_the_caller_is_left_alone(jsonl: Jsonl) -> None:
    before = getcontext().prec
    reference.evaluate(jsonl(study()), SETTINGS)
    assert getcontext().prec == before


def test_a_whole_resample_gives_the_estimates_themselves(jsonl: Jsonl) -> None:
    path = jsonl(study())
    ledger = reference.evaluate(path, SETTINGS)
    plan = {"post": [[1] * 6], "query": [[1] * 12]}
    sample = {unit: {"replicates": [0]} for unit in plan}
    found = reference.intervals(path, SETTINGS, plan, {}, {}, sample)["recomputed"]
    for unit, parts in found.items():
        assert {k: v[0] for k, v in parts["replicates"].items()} == {
            key: ledger[key] for key in parts["replicates"]
        }
        assert any("|posts|" in key for key in parts["replicates"]) == (unit == "post")


def test_a_deletion_is_the_ledger_without_that_post(jsonl: Jsonl) -> None:
    rows = study()
    sample = {"post": {"jackknife": [2]}}
    found = reference.intervals(jsonl(rows), SETTINGS, {}, {}, {}, sample)["recomputed"]
    rest = reference.evaluate(jsonl([r for r in rows if r["post_id"] != "EVAL-2"]), SETTINGS)
    values = {key: by[2] for key, by in found["post"]["jackknife"].items()}
    assert values == {key: rest[key] for key in values}


def test_a_plan_for_other_data_is_refused(jsonl: Jsonl) -> None:
    sample = {"query": {"replicates": [0]}}
    with pytest.raises(reference.MismatchError, match="3 units of query, the data has 12"):
        reference.intervals(jsonl(study()), SETTINGS, {"query": [[1, 1, 1]]}, {}, {}, sample)


def test_replicates_that_lack_a_headline_key_are_refused(jsonl: Jsonl) -> None:
    given = {"query": {"auroc|all_queries|all|value": [0.5]}}
    with pytest.raises(reference.MismatchError, match="no replicates for recall@3"):
        reference.intervals(jsonl(study()), SETTINGS, {}, given, given, {})


@pytest.mark.parametrize(
    ("ordered", "share", "expected"),
    [
        ([1.0, 2.0, 3.0, 4.0], Fraction(1, 40), 1.075),
        ([1.0, 2.0, 3.0, 4.0], Fraction(39, 40), 3.925),
        ([1.0, 5.0], Fraction(1), 5.0),
        ([7.0], Fraction(1, 3), 7.0),
    ],
)
def test_quantiles_interpolate_linearly(
    ordered: list[float], share: Fraction, expected: float
) -> None:
    assert bootstrap.quantile(ordered, share) == expected


def test_holm_never_falls_and_stays_below_one() -> None:
    p = {"a": Fraction(1, 100), "b": Fraction(1, 2), "c": Fraction(1, 90), "d": Fraction(3, 5)}
    assert comparison.holm(p) == {
        "a": Fraction(1, 25),
        "c": Fraction(1, 25),
        "b": Fraction(1),
        "d": Fraction(1),
    }


def test_a_p_value_counts_differences_as_large_as_the_observed_one() -> None:
    assert comparison.p_value(-0.5, [0.5, -0.5 + 1e-13, 0.4, 0.6]) == Fraction(4, 5)


def test_runs_over_other_queries_cannot_be_compared(tmp_path: Path, jsonl: Jsonl) -> None:
    rows = study()
    first = jsonl(rows).rename(tmp_path / "a.jsonl")
    other = [{**r, "post_id": "new"} if r["post_id"] == "EVAL-0" else r for r in rows]
    with pytest.raises(reference.MismatchError, match="4 EVAL queries are in one run only"):
        reference.compare((first, SETTINGS), (jsonl(other), SETTINGS))


def test_a_key_without_headline_is_not_compared(jsonl: Jsonl) -> None:
    run = (jsonl(study()), SETTINGS)
    with pytest.raises(reference.MismatchError, match=r"map@3/by_gold.* is no headline key"):
        reference.compare(run, run, metrics=["map@3/by_gold|positives_only|all|mean"])


def test_given_differences_are_taken_by_unit(tmp_path: Path, jsonl: Jsonl) -> None:
    first = jsonl(study()).rename(tmp_path / "a.jsonl")
    key = "auroc|all_queries|all|value"
    given = {"difference": {"post": {key: [0.0, 1.0]}, "query": {key: [0.0, 2.0]}}}
    plan: dict[str, Any] = {"post": {}, "query": {}}
    answer = reference.compare(
        (first, SETTINGS), (jsonl(study(2)), SETTINGS), plan, [key], replicates=given
    )
    name = "auroc|all_queries|all|difference_ci_high"
    assert answer["ledger"][f"{name}/post/percentile"] == 0.975
    assert answer["ledger"][f"{name}/query/percentile"] == 1.95


def test_swapping_everything_turns_the_difference_round(tmp_path: Path, jsonl: Jsonl) -> None:
    first = jsonl(study()).rename(tmp_path / "a.jsonl")
    second = jsonl(study(2))
    answer = reference.compare(
        (first, SETTINGS), (second, SETTINGS), swaps={7: [1] * 6, 9: [0] * 6}
    )
    for key, values in answer["recomputed"]["permuted"].items():
        difference = answer["ledger"][f"{key.rpartition('|')[0]}|difference"]
        assert values == {7: -difference, 9: difference}
    assert len(answer["recomputed"]["permuted"]) > 60


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_left_as_it_was(tmp_path: Path, enabled: bool) -> None:
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with pytest.raises(reference.InputError):
            reference.read(tmp_path / "nowhere.csv")
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()


def test_what_was_read_counts_as_old_for_the_collector(jsonl: Jsonl) -> None:
    """Young, all of it would be gone through at once; what others froze stays frozen."""
    path = jsonl(study())
    reference.read(path, SETTINGS)
    assert gc.get_count()[0] < 100
    assert not gc.get_freeze_count()
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        kept = reference.read(path, SETTINGS)
        assert gc.get_freeze_count() >= frozen - 100
        assert kept.queries
    finally:
        gc.unfreeze()
