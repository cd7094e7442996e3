from __future__ import annotations

import numpy as np
import pytest

from crosscheck.drawing.curves import GRID, curves, thinned


def test_points_at_every_distinct_threshold_from_infinity_down() -> None:
    label = np.array([True, False, True, False, True, False])
    prob = np.array([0.9, 0.9, 0.7, 0.7, 0.5, 0.5])
    found = curves(label, prob)
    assert found is not None
    assert found.fpr == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert found.tpr == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert found.precision == pytest.approx([1, 1 / 2, 1 / 2, 1 / 2])


def test_areas_are_those_of_the_contracts_worked_example() -> None:
    # Three positives, four negatives: 6 wins and one tie of 12 pairs; AUPRC (1 + 1/2 + 3/7)/3.
    label = np.array([True, False, True, False, False, False, True])
    prob = np.array([0.9, 0.8, 0.6, 0.6, 0.5, 0.4, 0.3])
    found = curves(label, prob)
    assert found is not None
    assert found.auroc == pytest.approx(6.5 / 12)
    assert found.auprc == pytest.approx((1 + 1 / 2 + 3 / 7) / 3)


@pytest.mark.parametrize("label", [[True, True], [False, False]])
def test_one_class_has_no_curve(label: list[bool]) -> None:
    assert curves(np.array(label), np.array([0.1, 0.2])) is None


def test_thinning_keeps_the_ends_and_every_visible_step() -> None:
    x = np.linspace(0, 1, 1_000_000)
    thin_x, thin_y = thinned(x, x**2)
    assert (thin_x[0], thin_x[-1]) == (0, 1)
    assert len(thin_x) < 4 * GRID
    assert np.max(np.diff(thin_x)) < 2 / GRID
    assert thin_y == pytest.approx(thin_x**2)
