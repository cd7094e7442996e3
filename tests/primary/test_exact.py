"""Sums that no order changes, logarithms and Φ that no C library changes."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from primary.arithmetic import exact
from primary.arithmetic.aggregate import summaries

VALUES = st.floats(-1e6, 1e6, allow_subnormal=False)


def test_a_part_has_as_many_bits_as_its_sums_leave() -> None:
    assert exact.width_for(14_770) == 39
    assert 14_770 * 2**39 < 2**53 < 14_770 * 2**40


def test_sums_of_any_number_of_largest_parts_stay_within_53_bits() -> None:
    for additions in (1, 2, 3, 4, 1023, 1024, 10**6):
        assert additions * 2 ** exact.width_for(additions) <= 2**53


@given(arrays(np.float64, st.integers(0, 50), elements=VALUES), st.randoms())
def test_no_order_changes_a_sum(values: np.ndarray, chance: object) -> None:
    shuffled = values.copy()
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert exact.total(shuffled) == exact.total(values)
    assert exact.total(values[::-1]) == exact.total(values)


@given(arrays(np.float64, st.integers(1, 50), elements=VALUES))
def test_a_sum_is_off_by_no_more_than_the_grid_and_one_rounding(values: np.ndarray) -> None:
    true = math.fsum(values.tolist())
    grid = math.ldexp(
        max(float(np.abs(values).max()), 2.0**-900), 2 - 2 * exact.width_for(len(values))
    )
    assert abs(float(exact.total(values)) - true) <= len(values) * grid + math.ulp(true)


def test_shares_of_queries_are_added_exactly() -> None:
    generator = np.random.default_rng(1)
    values = generator.integers(1, 20, 60_000) / generator.integers(20, 40, 60_000)
    assert float(exact.total(values)) == math.fsum(values.tolist())


def test_the_largest_value_may_be_a_negative_one() -> None:
    thirds = np.full(3**7, -1 / 3)
    wanted = float(sum(map(Fraction, thirds.tolist())))
    assert exact.total(thirds) == exact.total(np.append(thirds, 1e-9)) - 1e-9 == wanted


def test_rows_are_added_along_the_last_axis_whatever_their_layout() -> None:
    values = np.random.default_rng(2).random((7, 300)) * np.logspace(0, -9, 7)[:, None]
    rows = [exact.total(row) for row in values]
    assert exact.total(values).tolist() == rows
    assert exact.total(np.asfortranarray(values)).tolist() == rows


def test_the_statistics_of_many_queries_are_right_to_the_last_digits() -> None:
    generator = np.random.default_rng(9)
    values = np.asfortranarray(generator.integers(1, 20, (2, 60_000)) / 20)
    for row, (mean, std) in zip(
        values,
        zip(*(summaries(values, 0)[0][name] for name in ("mean", "std")), strict=True),
        strict=True,
    ):
        exactly = [Fraction(value) for value in row.tolist()]
        centre = sum(exactly) / 60_000
        spread = sum((one - centre) * (one - centre) for one in exactly) / 59_999
        assert mean == float(centre)
        assert std == pytest.approx(math.sqrt(spread), rel=3e-16)


@pytest.mark.parametrize("shape", [(0,), (3, 0)])
def test_nothing_adds_up_to_nothing(shape: tuple[int, ...]) -> None:
    assert np.all(exact.total(np.zeros(shape)) == 0)


@pytest.mark.parametrize("peak", [0.0, 5e-324, 1e-300, 1e300])
def test_the_smallest_and_the_largest_floats_can_be_added(peak: float) -> None:
    assert float(exact.total(np.array([peak, -peak, peak]))) == pytest.approx(peak, abs=1e-290)


def test_groups_are_added_apart() -> None:
    generator = np.random.default_rng(3)
    group, values = generator.integers(0, 4, 500), generator.random(500) - 0.5
    expected = [math.fsum(values[group == one].tolist()) for one in range(5)]
    assert exact.totals_by(group, values, 5).tolist() == expected


def test_parts_give_back_their_columns() -> None:
    columns = [np.arange(6), np.random.default_rng(4).random(6), np.array([True, False] * 3)]
    parts = exact.Parts.of(columns, 100)
    assert parts.joined().T.tolist() == [column.astype(float).tolist() for column in columns]


def test_only_columns_that_need_it_have_a_low_part() -> None:
    parts = exact.Parts.of([np.arange(6), np.full(6, 0.1), np.full(6, 0.5)], 6)
    assert parts.lower.tolist() == [1]
    assert parts.matrix.shape == (6, 4)


def test_parts_are_whole_numbers_whose_sums_stay_within_53_bits() -> None:
    values = np.random.default_rng(5).random(1000) * 7
    matrix = exact.Parts.of([values, -values], 1000 * 9).matrix
    assert (matrix == np.rint(matrix)).all()
    assert 9 * np.abs(matrix).sum(axis=0).max() < 2**53


def test_a_weighing_is_the_exact_sum() -> None:
    generator = np.random.default_rng(6)
    values, counts = generator.random(400), generator.integers(0, 5, (400, 3))
    parts = exact.Parts.of([values], int(counts.sum(axis=0).max()))
    weighed = parts.joined(exact.weighed(parts.matrix, counts.astype(np.float64)).T)
    exactly = [
        float(sum(Fraction(v) * int(c) for v, c in zip(values.tolist(), column, strict=True)))
        for column in counts.T
    ]
    assert weighed[:, 0].tolist() == exactly


def test_what_is_left_without_a_row_is_the_exact_sum_of_the_others() -> None:
    values = np.random.default_rng(7).random(50)
    parts = exact.Parts.of([values], 50)
    left = parts.joined(parts.without_each())[:, 0]
    assert left.tolist() == [math.fsum(np.delete(values, row).tolist()) for row in range(50)]


def test_shares_are_counted_exactly() -> None:
    generator = np.random.default_rng(8)
    counts = generator.integers(0, 4, (5, 300)).astype(np.float64)
    shares = generator.random((5, 300))
    most = int(counts.sum(axis=1).max())
    expected = [
        float(sum(Fraction(c) * Fraction(s) for c, s in zip(row, some, strict=True)))
        for row, some in zip(counts.tolist(), shares.tolist(), strict=True)
    ]
    assert exact.share_dots(counts, shares, most).tolist() == expected


def test_floats_are_no_whole_numbers() -> None:
    floats = np.ones(3)
    for add in (
        lambda: exact.tally(floats),
        lambda: exact.tally_runs(floats, np.array([0])),
        lambda: exact.whole_product(floats, np.ones(3, dtype=np.int64)),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError, match="whole numbers"):
            add()


def test_runs_of_small_whole_numbers_are_counted_beyond_their_own_type() -> None:
    marks = np.full(600, 3, dtype=np.int8)
    assert exact.tally_runs(marks, np.array([0, 100])).tolist() == [300, 1500]


def test_nobody_can_change_the_table_of_discounts() -> None:
    with pytest.raises(ValueError, match="read-only"):
        exact.discounts(5)[1] = 0.0


def test_discounts_are_the_floats_nearest_to_the_logarithms() -> None:
    with localcontext(prec=60):
        expected = [float(Decimal(2).ln() / Decimal(rank + 1).ln()) for rank in range(1, 1200)]
    assert exact.discounts(1199)[1:1200].tolist() == expected


def test_a_table_of_discounts_reaches_its_last_rank() -> None:
    for most in (0, 1, 31, 32, 63, 64):
        assert len(exact.discounts(most)) > most
        assert exact.discounts(most)[0] == 0


@pytest.mark.parametrize(
    ("place", "share"),
    [
        # Φ to 20 digits, from tables of the normal distribution.
        (0.5, 0.69146246127401310364),
        (1.0, 0.84134474606854294859),
        (-2.0, 0.022750131948179207200),
        (3.0, 0.99865010196836990547),
        (-5.0, 2.8665157187919391168e-7),
    ],
)
def test_the_normal_distribution(place: float, share: float) -> None:
    assert exact.normal_share(place) == share
    assert exact.normal_place(Fraction(share)) == pytest.approx(place, rel=1e-9)


def test_the_normal_distribution_is_symmetric_and_ends() -> None:
    assert exact.normal_share(9.5) == 1.0
    assert exact.normal_share(-9.5) == 0.0
    assert exact.normal_place(Fraction(1)) == math.inf
    assert exact.normal_place(Fraction(0)) == -math.inf
    for part in range(1, 40):
        share = Fraction(part, 40)
        assert exact.normal_place(share) == -exact.normal_place(1 - share)
        assert exact.normal_share(exact.normal_place(share)) == pytest.approx(float(share))


@pytest.mark.parametrize(
    ("share", "place"),
    [(Fraction(39, 40), 1.959963984540054), (Fraction(1, 20_000), -3.890591886413094)],
)
def test_places_of_shares(share: Fraction, place: float) -> None:
    with localcontext(prec=50):
        nearest = min(
            (place, math.nextafter(place, 9), math.nextafter(place, -9)),
            key=lambda one: abs(
                exact._below(Decimal(one))[0] - Decimal(share.numerator) / share.denominator  # noqa: SLF001 - at more digits
            ),
        )
    assert exact.normal_place(share) == nearest
