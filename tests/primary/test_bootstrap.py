"""Replicates and deletions equal the ledger of really replicated and really deleted rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import primary


def replicated(frame: pl.DataFrame, unit: pl.Series, counts: np.ndarray[Any, Any]) -> pl.DataFrame:
    """Write each unit's rows out as often as it was drawn, copies under keys of their own."""
    name = "post_id" if "post_id" in frame.columns else "query_id"
    copies = [
        frame.filter(pl.Series(counts[unit.to_numpy()] > copy)).with_columns(
            pl.format("{}~{}", name, pl.lit(copy)).alias(name)
        )
        for copy in range(int(counts.max()))
    ]
    return pl.concat(copies)


def agrees(found: dict[str, float], ledger: dict[str, float], folds: list[int]) -> list[str]:
    """Name the base keys whose value is not the ledger's; a slice that is gone has no key."""
    wrong = []
    for key, value in found.items():
        metric, population, part, _ = key.split("|")
        if part == "folds":
            own = "mean" if population == "positives_only" else "value"
            each = [
                ledger.get(
                    f"{metric}|{population}|fold={fold}|{own}", 0.5 if metric == "auroc" else 0.0
                )
                for fold in folds
            ]
            expected = sum(each) / len(each)
        else:
            expected = ledger.get(key, 0.5 if metric == "auroc" else 0.0)
        if not abs(value - expected) <= 1e-12 * max(1, abs(expected)):
            wrong.append(f"{key}: {value} for {expected}")
    return wrong


def _units(frame: pl.DataFrame, unit: str) -> pl.Series:
    rows = frame.filter(pl.col("split") == "EVAL")
    if unit == "query":
        return pl.Series(np.arange(rows.height))
    names = rows.select(pl.struct("fold", "post_id")).to_series()
    distinct = names.unique(maintain_order=True).to_list()
    return pl.Series([distinct.index(name) for name in names.to_list()])


@pytest.fixture(params=["post", "query"])
def case(request: pytest.FixtureRequest, small_study: pl.DataFrame) -> tuple[str, pl.DataFrame]:
    """The study by post; for the unit `query` without posts, so that posts need not be whole."""
    rows = small_study.filter(pl.col("split") == "EVAL")
    if request.param == "post":
        return "post", rows
    key = pl.format("{}/{}", "post_id", "criterion_id").alias("query_id")
    return "query", rows.with_columns(key).drop("post_id")


def test_every_replicate_is_the_ledger_of_the_replicated_rows(
    case: tuple[str, pl.DataFrame], small_settings: dict[str, Any]
) -> None:
    unit, frame = case
    units = _units(frame, unit)
    size = units.n_unique()
    plan = {
        name: primary.draw(size if name == unit else len(units), resamples=12, seed=5)
        for name in ("post", "query")
    }
    found = primary.intervals(frame, small_settings, plan)
    for resample in range(12):
        rows = replicated(frame, units, plan[unit][resample])
        ledger = primary.evaluate(rows, small_settings)
        values = {key: float(array[resample]) for key, array in found.replicates[unit].items()}
        assert agrees(values, ledger, [0, 1]) == []


def test_every_jackknife_value_is_the_ledger_without_the_unit(
    case: tuple[str, pl.DataFrame], small_settings: dict[str, Any]
) -> None:
    unit, frame = case
    units = _units(frame, unit)
    size = units.n_unique()
    plan = {
        name: primary.draw(size if name == unit else len(units), resamples=2, seed=5)
        for name in ("post", "query")
    }
    found = primary.intervals(frame, small_settings, plan)
    for gone in range(0, size, 3):
        ledger = primary.evaluate(frame.filter(units != gone), small_settings)
        values = {key: float(array[gone]) for key, array in found.jackknife[unit].items()}
        assert agrees(values, ledger, [0, 1]) == []


def test_estimates_are_the_ledgers_values(
    small_study: pl.DataFrame, small_settings: dict[str, Any]
) -> None:
    plan = {
        "post": primary.draw(14, resamples=3, seed=1),
        "query": primary.draw(42, resamples=3, seed=2),
    }
    found = primary.intervals(small_study, small_settings, plan)
    ledger = primary.evaluate(small_study, small_settings)
    assert {
        key: pytest.approx(ledger[key], abs=1e-12) for key in found.estimates
    } == found.estimates


def test_percentile_interval_interpolates_linearly() -> None:
    rows = pl.DataFrame({"query_id": ["a", "b"], "prob": [0.25, 0.5], "has_evidence": [0, 1]})
    found = primary.intervals(rows, None, {"query": [[1, 1], [2, 0], [0, 2]]})
    # Replicates .0625 .15625 .25: the place of .025 among three is .05, of .975 it is 1.95.
    assert found.ledger["brier|all_queries|all|ci_low/query/percentile"] == pytest.approx(
        0.0625 + 0.05 * 0.09375, abs=1e-15
    )
    assert found.ledger["brier|all_queries|all|ci_high/query/percentile"] == pytest.approx(
        0.25 - 0.05 * 0.09375, abs=1e-15
    )


def test_a_metric_that_never_changes_falls_back_to_the_percentile_interval() -> None:
    rows = pl.DataFrame(
        {"query_id": ["a", "b", "c"], "candidates": [["x"]] * 3, "gold": [["x"]] * 3}
    )
    found = primary.intervals(rows, None, {"query": primary.draw(3, resamples=50, seed=0)})
    key = "recall@3|positives_only|all|ci_low/query/bca"
    assert key in found.flags
    assert found.ledger[key] == 1.0


def test_bca_agrees_with_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    generator = np.random.default_rng(3)
    prob = np.round(generator.beta(1, 4, 80), 3)
    rows = pl.DataFrame(
        {"query_id": [f"q{i}" for i in range(80)], "prob": prob, "has_evidence": [0] * 80}
    )
    counts = primary.draw(80, resamples=999, seed=4)
    found = primary.intervals(rows, None, {"query": counts})
    theta = found.replicates["query"]["brier|all_queries|all|value"]
    theirs = stats.bootstrap(
        (prob**2,),
        np.mean,
        n_resamples=0,
        method="BCa",
        bootstrap_result=type("Earlier", (), {"bootstrap_distribution": theta})(),
    ).confidence_interval
    ours = [found.ledger[f"brier|all_queries|all|ci_{end}/query/bca"] for end in ("low", "high")]
    # scipy counts a replicate equal to the estimate half, as the contract does.
    assert ours == pytest.approx([theirs.low, theirs.high], rel=1e-9)


def test_resamples_with_one_class_are_counted_and_kept() -> None:
    rows = pl.DataFrame({"query_id": ["a", "b"], "prob": [0.25, 0.5], "has_evidence": [0, 1]})
    found = primary.intervals(rows, None, {"query": [[1, 1], [2, 0], [0, 2]]})
    assert found.one_class["query"]["auroc|all_queries|all|value"] == 2
    assert found.replicates["query"]["auroc|all_queries|all|value"].tolist() == [1.0, 0.5, 0.5]
    assert found.replicates["query"]["auprc|all_queries|all|value"].tolist() == [1.0, 0.0, 1.0]


def test_the_roc_band_holds_the_largest_tpr_within_each_fpr() -> None:
    rows = pl.DataFrame(
        {"query_id": list("abcd"), "prob": [0.9, 0.8, 0.7, 0.6], "has_evidence": [1, 0, 1, 0]}
    )
    found = primary.intervals(rows, None, {"query": [[1, 1, 1, 1]]})
    band = found.roc_band["query"]
    assert (band["fpr"][0], band["low"][0], band["high"][0]) == (0.0, 0.5, 0.5)
    assert (band["fpr"][49], band["low"][49]) == (0.49, 0.5)
    assert (band["fpr"][50], band["low"][50]) == (0.5, 1.0)


def test_progress_ends_at_the_total(small_study: pl.DataFrame) -> None:
    told: list[tuple[int, int]] = []
    plan = {
        "post": primary.draw(14, resamples=5, seed=1),
        "query": primary.draw(42, resamples=7, seed=2),
    }
    primary.intervals(
        small_study, None, plan, progress=lambda done, total: told.append((done, total))
    )
    assert told[-1] == (12, 12)


def test_a_plan_of_another_size_is_refused(small_study: pl.DataFrame) -> None:
    plan = {
        "post": primary.draw(13, resamples=2, seed=1),
        "query": primary.draw(42, resamples=2, seed=1),
    }
    with pytest.raises(primary.InputError, match="14 columns"):
        primary.intervals(small_study, None, plan)
