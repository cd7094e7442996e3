"""Replicates and deletions equal the ledger of really replicated and really deleted rows."""

from __future__ import annotations

from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl
import pytest

import primary
from primary.resampling import bootstrap, curve_weighing, summing, weigher


def replicated(frame: pl.DataFrame, unit: pl.Series, counts: np.ndarray[Any, Any]) -> pl.DataFrame:
    """Write each row out as often as its unit was drawn, copies under keys of their own."""
    name = "post_id" if "post_id" in frame.columns else "query_id"
    placed = frame.with_row_index("place")
    copies = [
        placed.filter(pl.Series(counts[unit.to_numpy()] > copy)).with_columns(
            pl.format("{}~{}", name, pl.lit(copy)).alias(name)
        )
        for copy in range(int(counts.max()))
    ]
    return pl.concat(copies).sort("place", maintain_order=True).drop("place")


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
        same = value == expected or abs(value - expected) <= 1e-12 * max(1, abs(expected))
        if not same:
            wrong.append(f"{key}: {value} for {expected}")
    return wrong


def _units(frame: pl.DataFrame, unit: str) -> pl.Series:
    rows = frame.filter(pl.col("split") == "EVAL")
    if unit == "query":
        return pl.Series(np.arange(rows.height))
    names = rows.select(pl.struct("fold", "post_id")).to_series()
    distinct = names.unique(maintain_order=True).to_list()
    return pl.Series([distinct.index(name) for name in names.to_list()])


def by(unit: str, study: pl.DataFrame) -> pl.DataFrame:
    """The study by post; for the unit `query` without posts, so that posts need not be whole."""
    rows = study.filter(pl.col("split") == "EVAL")
    if unit == "post":
        return rows
    key = pl.format("{}/{}", "post_id", "criterion_id").alias("query_id")
    return rows.with_columns(key).drop("post_id")


@pytest.fixture
def case(
    request: pytest.FixtureRequest, small_study: pl.DataFrame
) -> tuple[str, pl.DataFrame, int]:
    """The unit, the study or only four of its posts, and a number of resamples."""
    unit, size = request.param
    if size == "few":
        return (
            unit,
            by(unit, small_study.filter(pl.col("post_id").is_in(["p0", "p1", "p7", "p8"]))),
            2,
        )
    return unit, by(unit, small_study), 12


CASES = [(unit, size) for size in ("few", "all") for unit in ("post", "query")]


@pytest.mark.parametrize("case", CASES, indirect=True, ids="-".join)
def test_every_replicate_is_the_ledger_of_the_replicated_rows(
    case: tuple[str, pl.DataFrame, int], small_settings: dict[str, Any]
) -> None:
    unit, frame, resamples = case
    units = _units(frame, unit)
    size = units.n_unique()
    plan = {
        name: primary.draw(size if name == unit else len(units), resamples=resamples, seed=5)
        for name in ("post", "query")
    }
    found = primary.intervals(frame, small_settings, plan)
    for resample in range(resamples):
        rows = replicated(frame, units, plan[unit][resample])
        ledger = primary.evaluate(rows, small_settings)
        values = {key: float(array[resample]) for key, array in found.replicates[unit].items()}
        assert agrees(values, ledger, [0, 1]) == []


@pytest.mark.parametrize("case", CASES, indirect=True, ids="-".join)
def test_every_jackknife_value_is_the_ledger_without_the_unit(
    case: tuple[str, pl.DataFrame, int], small_settings: dict[str, Any]
) -> None:
    unit, frame, _ = case
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


def test_a_plan_fits_or_is_refused_at_its_unit() -> None:
    rows = pl.DataFrame(
        {"post_id": ["p", "q"], "criterion_id": ["c", "c"], "prob": [0.2, 0.9], "pred": [0, 1]}
    ).with_columns(has_evidence=pl.Series([0, 1]))
    steps: list[tuple[int, int]] = []

    def drawn(**plan: list[list[int]]) -> str:
        try:
            primary.intervals(rows, None, plan, progress=lambda *step: steps.append(step))
        except primary.InputError as refused:
            return str(refused)
        return "drawn"

    assert drawn(post=[[1, 1]], query=[[1, 1], [2, 0]]) == "drawn"
    assert drawn(post=[[1, 1]], query=[[1, 1, 1]]) == (
        "the plan for the unit query has the shape (1, 3). "
        "Expected one row per resample and 2 columns, one per unit of the EVAL rows."
    )
    assert drawn(post=[[1, 1]]) == (
        "the plan has no counts for the unit query. Give counts for post and query."
    )
    assert steps == [(1, 3), (3, 3), (1, 2), (1, 1)]


def shares(bias: float, acceleration: float) -> list[float]:
    """BCa's formula: Φ(z0 + (z0 + z) / (1 − a(z0 + z))) at z of .025 and .975."""
    normal = NormalDist()
    return [
        normal.cdf(bias + (bias + z) / (1 - acceleration * (bias + z)))
        for z in map(normal.inv_cdf, (0.025, 0.975))
    ]


@pytest.mark.parametrize(
    ("estimate", "below"),
    [
        (1.5, 1 / 2),  # two of four lie below
        (1.0, 3 / 8),  # one lies below, and one equal one counts half
        (1.0 + 5e-13, 3 / 8),  # equal within 1e-12
        (1.0 - 5e-13, 3 / 8),
        (1.0 + 5e-12, 1 / 2),
        (1.0 - 5e-12, 1 / 4),
        (1e-12, 1 / 8),  # 1e-12 above the smallest, and below it
        (-1e-12, 1 / 8),
    ],
)
def test_bca_counts_replicates_below_the_estimate_and_half_of_the_equal_ones(
    estimate: float, below: float
) -> None:
    ordered, left = np.array([[0.0, 1.0, 2.0, 3.0]]), np.array([[0.0, 0.0, 3.0]])
    found, defined = bootstrap.corrected(ordered, np.array([estimate]), left)
    # Deviations from the mean 1 are 1, 1, -2: their cubes sum to -6, their squares to 6.
    expected = shares(NormalDist().inv_cdf(below), -6 / (6 * 6**1.5))
    assert [float(share[0]) for share in found] == pytest.approx(expected, rel=1e-12)
    assert defined.tolist() == [True]


def test_bca_is_undefined_where_all_replicates_lie_on_one_side_or_no_unit_matters() -> None:
    ordered = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]])
    left = np.array([[0.0, 3.0], [0.0, 3.0], [2.0, 2.0], [0.0, 3.0]])
    _, defined = bootstrap.corrected(ordered, np.array([2.0, -1.0, 0.5, 0.5]), left)
    assert defined.tolist() == [False, False, False, True]


def test_bca_is_undefined_where_its_divisor_is_not_positive() -> None:
    ordered = np.arange(100_000.0)[None, :]
    left = np.concatenate([[0.0], np.ones(999)])[None, :]
    # z0 = 4.3 and a = 0.166: 1 − a(z0 + 1.96) < 0.
    _, defined = bootstrap.corrected(ordered, np.array([99_998.5]), left)
    assert defined.tolist() == [False]


def test_the_acceleration_is_that_of_deviations_above_rounding() -> None:
    for left in ([1.0, 1.0 + 1e-12], [-1e-12, 1e-12]):
        assert np.isnan(bootstrap._acceleration(np.array(left)))  # noqa: SLF001 - the formula itself
    found = bootstrap._acceleration(np.array([0.0, 0.0, 3.0]))  # noqa: SLF001 - the formula itself
    assert found == pytest.approx(-1 / 6**1.5, rel=1e-15)


@pytest.mark.parametrize(
    ("share", "expected"), [(0, 1.0), (0.5, 2.5), (0.75, 4.25), (1, 8.0), (-1, 1.0), (2, 8.0)]
)
def test_quantiles_interpolate_linearly_and_stay_inside(share: float, expected: float) -> None:
    ordered = np.array([[1.0, 2.0, 3.0, 8.0]])
    assert bootstrap.quantiles(ordered, np.array([share])).tolist() == [expected]


def test_the_quantiles_of_one_replicate_are_that_replicate() -> None:
    assert bootstrap.quantiles(np.array([[7.0]]), np.array([0.975])).tolist() == [7.0]


def test_a_plan_is_drawn_in_batches_of_256_with_a_stream_each() -> None:
    counts = primary.draw(4, resamples=258, seed=7)
    first, second = (np.random.default_rng([7, batch]) for batch in (0, 1))
    for stream, row in ((first, 0), (first, 1), (second, 256), (second, 257)):
        expected = np.bincount(stream.integers(0, 4, size=4), minlength=4)
        assert counts[row].tolist() == expected.tolist()
    assert (counts.shape, counts.sum()) == ((258, 4), 258 * 4)


def test_by_default_ten_thousand_resamples_are_drawn_from_seed_zero() -> None:
    assert primary.draw(1).tolist() == [[1]] * 10_000
    assert primary.draw(9, resamples=2).tolist() == primary.draw(9, resamples=2, seed=0).tolist()


TWO = pl.DataFrame({"query_id": ["a", "b"], "prob": [0.25, 0.5], "has_evidence": [0, 1]})


def test_batches_of_resamples_are_told_and_joined() -> None:
    told: list[tuple[int, int]] = []
    plan = [[2, 0]] + [[1, 1]] * 239 + [[2, 0], [0, 2]]
    found = primary.intervals(TWO, None, {"query": plan}, progress=lambda *at: told.append(at))
    assert told == [(240, 242), (242, 242)]
    values = found.replicates["query"]["brier|all_queries|all|value"].tolist()
    assert values == [0.0625] + [0.15625] * 239 + [0.0625, 0.25]
    assert found.one_class["query"]["auroc|all_queries|all|value"] == 3


def test_the_jackknife_leaves_out_one_query_at_a_time() -> None:
    found = primary.intervals(TWO, None, {"query": [[1, 1]]})
    assert found.jackknife["query"]["brier|all_queries|all|value"].tolist() == [0.25, 0.0625]
    assert found.jackknife["query"]["auroc|all_queries|all|value"].tolist() == [0.5, 0.5]
    assert found.jackknife["query"]["auprc|all_queries|all|value"].tolist() == [1.0, 0.0]


def test_over_folds_a_resample_lacks_a_class_where_any_fold_does() -> None:
    rows = pl.DataFrame(
        {
            "query_id": list("abcd"),
            "fold": [0, 0, 1, 1],
            "prob": [0.25, 0.5, 0.25, 0.5],
            "has_evidence": [0, 1, 0, 1],
        }
    )
    plan = [[1, 1, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [2, 0, 0, 2]]
    found = primary.intervals(rows, None, {"query": plan})
    counted = {
        key.split("|")[2]: count
        for key, count in found.one_class["query"].items()
        if key.startswith("auroc|")
    }
    assert counted == {"all": 0, "fold=0": 2, "fold=1": 2, "folds": 3}
    folds = found.replicates["query"]["auroc|all_queries|folds|mean"].tolist()
    assert folds == [1.0, 0.75, 0.75, 0.5]
    assert "brier|all_queries|folds|mean" not in found.one_class["query"]


def test_one_query_has_intervals_too() -> None:
    found = primary.intervals(TWO[:1], None, {"query": [[1]]})
    assert found.ledger["brier|all_queries|all|ci_low/query/percentile"] == 0.0625


def test_states_without_labels_have_intervals() -> None:
    rows = pl.DataFrame({"query_id": ["a", "b"], "state": ["NEG", "POS"], "prob": [0.1, 0.9]})
    found = primary.intervals(rows, None, {"query": [[1, 1], [2, 0]]})
    assert found.replicates["query"]["neg_rate|all_queries|all|value"].tolist() == [0.5, 1.0]
    assert found.estimates["screening_sensitivity|all_queries|all|value"] == 0.0
    assert {key.partition("|")[0] for key in found.estimates} == {
        "neg_rate",
        "uncertain_rate",
        "pos_rate",
        "alert_rate_per_1000",
        "screening_sensitivity",
        "screening_fn_per_1000",
        "alert_precision",
    }
    ledger = primary.evaluate(rows)
    assert [ledger[f"n_{state}|all_queries|all|value"] for state in ("neg", "pos")] == [1, 1]
    assert ledger["alert_precision|all_queries|all|value"] == 0.0


def test_ece_has_intervals_only_with_ten_bins() -> None:
    plan = {"query": [[1, 1]]}
    assert "ece@10|all_queries|all|value" in primary.intervals(TWO, None, plan).estimates
    found = primary.intervals(TWO, {"bins": [5]}, plan)
    assert [key for key in found.estimates if key.startswith("ece")] == []


def test_only_the_metrics_asked_for_have_intervals() -> None:
    asked = ["brier|all_queries|all|value"]
    found = primary.intervals(TWO, None, {"query": [[1, 1]]}, metrics=asked)
    assert set(found.estimates) == {*asked, "ece@10|all_queries|all|value"}


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        (
            {"post": [[1, 1]]},
            "the plan has no counts for the unit query. Give counts for query.",
        ),
        (
            {"query": [[1, 1, 1]]},
            (
                "the plan for the unit query has the shape (1, 3). "
                "Expected one row per resample and 2 columns, one per unit of the EVAL rows."
            ),
        ),
        (
            {"query": [1, 1]},
            (
                "the plan for the unit query has the shape (2,). "
                "Expected one row per resample and 2 columns, one per unit of the EVAL rows."
            ),
        ),
        (
            {"query": np.zeros((0, 2))},
            (
                "the plan for the unit query has the shape (0, 2). "
                "Expected one row per resample and 2 columns, one per unit of the EVAL rows."
            ),
        ),
        *(
            (
                {"query": counts},
                (
                    "the plan for the unit query holds numbers that are no counts. "
                    "Give whole numbers of at least 0: how often each unit is drawn."
                ),
            )
            for counts in ([[1, -1]], [[1.0, 1.0]], [["1", "1"]])
        ),
        (
            {"query": [[1, 1], [2**31 - 1, 1]]},
            (
                "the plan draws up to 2,147,483,648 units at once. "
                "At most 2,147,483,647 rows can be weighed."
            ),
        ),
    ],
)
def test_a_plan_that_does_not_fit_is_refused(plan: dict[str, Any], sentence: str) -> None:
    with pytest.raises(primary.InputError) as caught:
        primary.intervals(TWO, None, plan)
    assert str(caught.value) == sentence


def test_a_plan_may_draw_more_units_than_there_are_without_losing_a_bit() -> None:
    rows = pl.DataFrame(
        {"query_id": ["a", "b", "c"], "prob": [0.1, 0.7, 0.3], "has_evidence": [0, 1, 0]}
    )
    often = 1000
    plan = {"query": np.array([[1, 2, 3], [often, 2 * often, 3 * often]])}
    found = primary.intervals(rows, None, plan).replicates["query"]
    # Few rows have a bin each; of many one bin holds errors that cancel: 400 of −.3, 200 of .3.
    few, many = found.pop("ece@10/equal_mass|all_queries|all|value").tolist()
    assert (few, many) == (pytest.approx(1.6 / 6), pytest.approx((1.6 - 0.12) / 6))
    few, many = found.pop("log_loss|all_queries|all|value").tolist()
    assert few == pytest.approx(many, rel=3e-16)
    assert all(few == many for few, many in found.values())


def test_a_plan_may_draw_as_many_as_32_bits_count() -> None:
    plan = {"query": [[2**31 - 2, 1]]}
    found = primary.intervals(TWO, None, plan).replicates["query"]
    assert [values.shape for values in found.values()] == [(1,)] * len(found)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.int32, np.int64, bool])
def test_a_plan_may_be_of_any_type_of_whole_numbers(kind: type) -> None:
    plan = {"query": np.array([[1, 1], [0, 1]], dtype=kind)}
    found = primary.intervals(TWO, None, plan).replicates["query"]
    expected = primary.intervals(TWO, None, {"query": [[1, 1], [0, 1]]}).replicates["query"]
    assert {key: values.tolist() for key, values in found.items()} == {
        key: values.tolist() for key, values in expected.items()
    }


def test_with_posts_a_plan_needs_both_units(small_study: pl.DataFrame) -> None:
    with pytest.raises(primary.InputError) as caught:
        primary.intervals(small_study, None, {"query": primary.draw(42, resamples=1, seed=1)})
    assert str(caught.value) == (
        "the plan has no counts for the unit post. Give counts for post and query."
    )


def test_the_roc_band_is_between_the_quantiles_of_the_replicates() -> None:
    rows = pl.DataFrame(
        {"query_id": list("abcd"), "prob": [0.9, 0.8, 0.7, 0.6], "has_evidence": [1, 0, 1, 0]}
    )
    plan = [[1, 1, 1, 1], [2, 0, 1, 1], [0, 1, 2, 1]]
    band = primary.intervals(rows, None, {"query": plan}).roc_band["query"]
    # At FPR 0 the three resamples reach a TPR of 1/2, 1 and 0.
    assert (band["low"][0], band["high"][0]) == (pytest.approx(0.025), pytest.approx(0.975))
    assert band["fpr"] == [percent / 100 for percent in range(101)]


def test_one_fold_has_a_mean_over_folds() -> None:
    rows = pl.DataFrame({**TWO.to_dict(as_series=False), "fold": [3, 3]})
    found = primary.intervals(rows, None, {"query": [[1, 1]]})
    assert found.estimates["brier|all_queries|folds|mean"] == 0.15625


def test_rates_of_the_states_by_hand() -> None:
    rows = pl.DataFrame(
        {
            "query_id": list("abcd"),
            "state": ["NEG", "NEG", "UNCERTAIN", "POS"],
            "has_evidence": [1, 0, 1, 1],
        }
    )
    found = primary.intervals(rows, None, {"query": [[1, 1, 1, 1], [2, 0, 1, 1]]})
    rates = {
        key.partition("|")[0]: values.tolist() for key, values in found.replicates["query"].items()
    }
    # One positive of three is missed; where it is drawn twice, two of four.
    assert rates == {
        "neg_rate": [0.5, 0.5],
        "uncertain_rate": [0.25, 0.25],
        "pos_rate": [0.25, 0.25],
        "alert_rate_per_1000": [250.0, 250.0],
        "screening_sensitivity": [2 / 3, 0.5],
        "screening_fn_per_1000": [250.0, 500.0],
        "alert_precision": [1.0, 1.0],
    }


def test_without_budgets_there_are_areas_alone() -> None:
    found = primary.intervals(TWO, {"fpr": []}, {"query": [[1, 1]]})
    assert found.estimates["auroc|all_queries|all|value"] == 1.0
    assert [key for key in found.estimates if key.startswith("tpr")] == []


def test_the_jackknife_tells_positives_from_the_negatives_above_them() -> None:
    rows = pl.DataFrame(
        {"query_id": list("abcd"), "prob": [0.9, 0.8, 0.7, 0.1], "has_evidence": [0, 1, 1, 0]}
    )
    found = primary.intervals(rows, None, {"query": [[1, 1, 1, 1]]})
    # Without the negative on top both positives win, without the other one neither does.
    values = found.jackknife["query"]["auroc|all_queries|all|value"].tolist()
    assert values == [1.0, 0.5, 0.5, 0.0]


def test_both_intervals_of_a_mean_by_hand() -> None:
    rows = pl.DataFrame({"query_id": list("abc"), "prob": [0.0, 0.0, 1.0], "has_evidence": [0] * 3})
    plan = [[3, 0, 0], [2, 0, 1], [1, 0, 2], [0, 0, 3]]
    found = primary.intervals(rows, None, {"query": plan})
    # Replicates 0, 1/3, 2/3, 1, so that a quantile is its own share. The estimate 1/3 has one below
    # and equals one: 3/8. Without a query 1/2, 1/2, 0 are left: deviations -1/6, -1/6, 1/3.
    low, high = shares(NormalDist().inv_cdf(3 / 8), (1 / 36) / (6 * (1 / 6) ** 1.5))
    brier, auroc = (
        {
            end: found.ledger[f"{metric}|all_queries|all|{end}"]
            for method in ("percentile", "bca")
            for end in (f"ci_low/query/{method}", f"ci_high/query/{method}")
        }
        for metric in ("brier", "auroc")
    )
    assert list(brier.values()) == [pytest.approx(each) for each in (0.025, 0.975, low, high)]
    # One class: 0.5 in every resample, so no BCa interval.
    assert list(auroc.values()) == [0.5] * 4
    assert [flag for flag in found.flags if flag.startswith(("brier", "auroc"))] == [
        "auroc|all_queries|all|ci_low/query/bca",
        "auroc|all_queries|all|ci_high/query/bca",
    ]
    assert found.roc_band["query"]["high"] == [0.0] * 101


def test_the_means_with_intervals_are_those_of_ranking_and_selection() -> None:
    rows = pl.DataFrame(
        {
            "query_id": ["a", "b"],
            "candidates": [["x", "y"], ["x", "y", "z"]],
            "gold": [["x"], ["x", "y"]],
            "selected": [["x", "y"], ["x", "z"]],
            "pred": [1, 0],
        }
    )
    asked = ["evidence_recall|positives_only|all|mean"]
    found = primary.intervals(rows, None, {"query": [[1, 1], [0, 2]]}, metrics=asked)
    recall, precision = (
        found.replicates["query"][f"evidence_{metric}|positives_only|all|mean"].tolist()
        for metric in ("recall", "precision")
    )
    assert (recall, precision) == ([0.75, 0.5], [0.5, 0.5])
    cut = [
        f"{name}@{k}"
        for name in ("recall", "precision", "hit", "mrr", "map", "ndcg")
        for k in (3, 5, 10)
    ]
    assert {key.partition("|")[0] for key in found.estimates} == {
        *cut,
        "mrr@all",
        "evidence_recall",
        "evidence_precision",
    }


def test_a_fold_without_positives_enters_the_mean_over_folds_with_zero() -> None:
    rows = pl.DataFrame(
        {"query_id": ["a", "b"], "fold": [0, 1], "candidates": [["x"]] * 2, "gold": [["x"], []]}
    )
    found = primary.intervals(rows, None, {"query": [[1, 1], [0, 2]]})
    values = {
        part: found.replicates["query"][f"hit@3|positives_only|{part}|mean"].tolist()
        for part in ("all", "fold=0", "fold=1", "folds")
    }
    assert values == {"all": [1, 0], "fold=0": [1, 0], "fold=1": [0, 0], "folds": [0.5, 0]}


GATED = pl.DataFrame(
    {
        "post_id": ["p", "p", "r", "r"],
        "criterion_id": ["A", "B", "A", "B"],
        "fold": [0, 0, 1, 1],
        "prob": [0.9, 0.1, 0.9, 0.9],
        "has_evidence": [1, 0, 1, 0],
    }
)


@pytest.mark.parametrize(
    ("asked", "metrics"),
    [
        ("brier|all_queries|{}|value", {"brier", "ece@10"}),
        (
            "exact_match|posts|{}|value",
            {
                "exact_match",
                "hamming_score",
                "hamming_loss",
                "f1_micro",
                "f1_macro/per_criterion",
                "f1_macro/per_post",
                "f1_weighted/per_criterion",
                "f1_weighted/per_post",
            },
        ),
    ],
)
@pytest.mark.parametrize(
    ("part", "parts"),
    [
        ("all", {"all"}),
        # A fold comes with the others and their mean.
        ("fold=1", {"fold=0", "fold=1", "folds"}),
        ("folds", {"fold=0", "fold=1", "folds"}),
    ],
)
def test_only_the_slices_asked_for_have_intervals(
    part: str, parts: set[str], asked: str, metrics: set[str]
) -> None:
    plan = {"post": [[1, 1]], "query": [[1, 1, 1, 1]]}
    found = primary.intervals(GATED, None, plan, metrics=[asked.format(part)])
    keys = [key.split("|") for key in found.estimates]
    assert {metric for metric, *_ in keys} == metrics
    assert {where for _, _, where, _ in keys} == parts


@pytest.mark.parametrize("part", ["folds|mean", "fold=0|value", "fold=1|value"])
def test_no_number_depends_on_which_others_are_asked_for(part: str) -> None:
    asked = ["brier|all_queries|all|value", f"brier|all_queries|{part}"]
    plan = {"post": [[1, 1], [2, 0]], "query": [[1, 1, 1, 1], [1, 2, 0, 1]]}
    found = primary.intervals(GATED, None, plan, metrics=asked)
    # The squared errors are .01, .01 and .01, .81.
    expected = {"all": 0.21, "fold=0": 0.01, "fold=1": 0.41, "folds": 0.21}
    briers = {
        key.split("|")[2]: value
        for key, value in found.estimates.items()
        if key.startswith("brier")
    }
    assert briers == {name: pytest.approx(value) for name, value in expected.items()}
    assert found.replicates["post"][asked[0]] == pytest.approx([0.21, 0.01])


def test_the_lowest_bin_counts_in_the_calibration_error() -> None:
    rows = pl.DataFrame({"query_id": ["a", "b"], "prob": [0.05, 0.5], "has_evidence": [1, 1]})
    found = primary.intervals(rows, None, {"query": [[1, 1], [2, 0]]})
    # The bins are off by .95 and .5.
    values = found.replicates["query"]["ece@10|all_queries|all|value"].tolist()
    assert values == pytest.approx([0.725, 0.95])


def test_the_jackknife_does_not_depend_on_how_many_deletions_are_taken_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(weigher, "UNITS", 2)
    rows = pl.DataFrame(
        {
            "query_id": list("abcde"),
            "fold": [0] * 5,
            "prob": [0.9, 0.8, 0.7, 0.6, 0.5],
            "has_evidence": [0, 1, 0, 1, 0],
        }
    )
    found = primary.intervals(rows, None, {"query": [[1, 1, 1, 1, 1]]})
    # Of the six pairs the positives win two and one.
    values = found.jackknife["query"]["auroc|all_queries|all|value"].tolist()
    assert values == pytest.approx([3 / 4, 1 / 3, 2 / 4, 2 / 3, 1 / 4])


@pytest.mark.parametrize(
    ("alpha", "negatives", "expected"),
    [
        ("5", [20, 19, 40], [1, 0, 2]),
        ("2.5", [40, 39, 80], [1, 0, 2]),
        ("100", [0, 7], [0, 7]),
        # So many digits that the product leaves 64 bits.
        ("33.333333333333336", [3000, 2999], [1000, 999]),
        ("33.333333333333332", [3000, 2999], [999, 999]),
        ("0.00000000000000000001", [3000], [0]),
    ],
)
def test_a_budget_of_false_positives_is_exact(
    alpha: str, negatives: list[int], expected: list[int]
) -> None:
    found = curve_weighing.allowed(np.array(negatives), Fraction(alpha))
    assert found.tolist() == expected


@pytest.mark.parametrize(
    ("alpha", "rate"), [("33.333333333333336", 1.0), ("33.33333333333333", 0.0)]
)
def test_rates_at_a_budget_of_many_digits_are_the_ledgers(alpha: str, rate: float) -> None:
    # The positive has 1000 of 3000 negatives above it.
    rows = pl.DataFrame(
        {
            "query_id": [str(number) for number in range(3001)],
            "prob": [0.9] * 1000 + [0.5] + [0.1] * 2000,
            "has_evidence": [0] * 1000 + [1] + [0] * 2000,
        }
    )
    settings, key = {"fpr": [alpha]}, f"tpr@fpr={alpha}%|all_queries|all|value"
    found = primary.intervals(rows, settings, {"query": [[1] * 3001]}, metrics=[key])
    assert found.estimates[key] == rate
    assert primary.evaluate(rows, settings)[key] == rate


@pytest.mark.parametrize("times", [1, 1000, 20_000])
def test_units_drawn_more_often_than_16_bits_count_weigh_alike(
    times: int, small_study: pl.DataFrame, small_settings: dict[str, Any]
) -> None:
    counts = np.random.default_rng(4).integers(0, 4, (3, 42))
    found = [
        primary.intervals(by("query", small_study), small_settings, {"query": plan})
        for plan in (counts, times * counts)
    ]
    # What is drawn so many times as often has the same areas, rates and means.
    for key, values in found[0].replicates["query"].items():
        if not key.startswith("ece@10/equal_mass"):
            assert found[1].replicates["query"][key] == pytest.approx(values, abs=1e-12), key


def test_slices_of_few_units_weigh_as_those_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pl.DataFrame(
        {
            "query_id": list("abcdef"),
            "criterion_id": ["x", "y"] * 3,
            "fold": [0, 0, 0, 0, 1, 1],
            "prob": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4],
            "has_evidence": [0, 1, 0, 1, 0, 1],
        }
    )
    plan = {"query": [[1, 1, 1, 1, 1, 1], [0, 2, 1, 0, 3, 0]]}
    found = []
    for few in (1, 10**6):
        monkeypatch.setattr(summing, "FEW", few)
        found.append(primary.intervals(rows, None, plan).replicates["query"])
    assert {key: values.tolist() for key, values in found[0].items()} == {
        key: values.tolist() for key, values in found[1].items()
    }
    values = found[0]["brier|all_queries|fold=1|value"].tolist()
    assert values == pytest.approx([(0.5**2 + 0.6**2) / 2, 0.5**2])
