"""The table: values, differences, and Holm's correction over all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import primary
from crosscheck.ablation.table import holm
from crosscheck.report.assemble import report_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., Any]

NDCG = "ndcg@10|positives_only|folds|mean"


@pytest.mark.parametrize(
    ("plain", "corrected"),
    [
        ([], []),
        ([0.2], [0.2]),
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.5, 0.5], [1.0, 1.0]),
        ([0.9, 0.001], [0.9, 0.002]),
    ],
)
def test_holms_correction_by_hand(plain: list[float], corrected: list[float]) -> None:
    assert holm(plain) == pytest.approx(corrected, rel=1e-15)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holms_correction_by_its_definition(plain: list[float]) -> None:
    """A hypothesis falls once p ≤ α/(m − j + 1) holds for every smaller p: the smallest such α."""
    for own, found in zip(plain, holm(plain), strict=True):
        ordered = sorted(plain)
        reached = ordered.index(own)
        needed = max((len(plain) - j) * ordered[j] for j in range(reached + 1))
        assert found == min(1.0, needed)


def test_a_row_says_value_deviation_and_difference(run: Run, sources: Any) -> None:
    comparison = report_of(run("ndcg@10")).comparison
    ledgers = [primary.evaluate(one.data, one.settings) for one in sources]
    base, better = comparison.rows[:2]
    assert (base.system, better.system) == ("base", "better")
    assert base.difference is None
    assert better.value == better.folds_mean == ledgers[1][NDCG]
    assert better.folds_std == ledgers[1]["ndcg@10|positives_only|folds|std"]
    assert better.difference == pytest.approx(ledgers[1][NDCG] - ledgers[0][NDCG], abs=1e-15)
    assert better.improvement == pytest.approx(100 * better.difference / base.value, rel=1e-12)
    assert better.low <= better.difference <= better.high
    assert better.unit == "post"


def test_the_correction_is_over_every_test_of_the_table(run: Run) -> None:
    rows = report_of(run("ndcg@10", "mrr", "recall@3")).comparison.rows
    tested = [row for row in rows if row.p is not None]
    assert len(tested) == 6
    assert [row.p_holm for row in tested] == holm([row.p for row in tested])


def test_the_same_system_twice_differs_by_nothing(run: Run) -> None:
    """`gated` ranks as `better` does."""
    rows = report_of(run("ndcg@10", baseline="better")).comparison.rows
    row = next(row for row in rows if row.system == "gated")
    assert (row.difference, row.low, row.high, row.p, row.p_holm) == (0.0, 0.0, 0.0, 1.0, 1.0)


def test_without_resamples_there_are_differences_alone(run: Run) -> None:
    outcome = run("ndcg@10", resamples=0)
    row = report_of(outcome).comparison.rows[1]
    assert row.difference > 0
    assert (row.low, row.high, row.unit, row.p, row.p_holm) == (None,) * 5
    assert outcome.verdict == "pass"


def test_a_number_without_an_interval_has_its_difference(run: Run) -> None:
    rows = report_of(run("ndcg@1")).comparison.rows
    assert rows[1].difference == pytest.approx(rows[1].value - rows[0].value)
    assert rows[1].p is None


def test_a_system_without_a_number_has_no_row(run: Run) -> None:
    rows = report_of(run("auroc")).comparison.rows
    assert [(row.system, row.baseline) for row in rows] == [("gated", "gated")]


def test_systems_may_be_compared_without_being_gated(run: Run) -> None:
    full, lean = run(), run(gated=("gated",))
    assert report_of(lean).comparison == report_of(full).comparison
    assert [one.name for one in report_of(lean).systems] == ["gated"]
    assert lean.verdict == "pass"


def test_the_order_of_the_rows_does_not_matter(run: Run, folder: Path) -> None:
    before = report_of(run("ndcg@10", "recall@3")).comparison
    path = folder / "better.csv"
    head, *lines = path.read_text().splitlines()
    path.write_text("\n".join([head, *reversed(lines)]) + "\n")
    after = report_of(run("ndcg@10", "recall@3")).comparison
    for was, now in zip(before.rows, after.rows, strict=True):
        assert now.p == was.p
        assert (now.low, now.high) == pytest.approx(
            (was.low, was.high), abs=1e-14
        ) or was.low is None
