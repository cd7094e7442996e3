"""The bench carries a change to every key that follows, and to no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from crosscheck.compare import compare
from crosscheck.faults.bench import over
from crosscheck.faults.calibration import _ece as ece_by
from crosscheck.faults.calibration import proper, weighted
from crosscheck.faults.classification import confusion
from crosscheck.faults.ranking import gain, ideal, most, precisions, ratio, within

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.faults.bench import Bench, Formula

RIGHT: dict[str, Formula] = {
    "recall": lambda h, _n, g, k: ratio(len(within(h, k)), g),
    "precision": lambda h, n, _g, k: ratio(len(within(h, k)), n if k is None else k),
    "hit": lambda h, _n, _g, k: float(bool(within(h, k))),
    "mrr": lambda h, _n, _g, k: 1 / within(h, k)[0] if within(h, k) else 0.0,
    "map": lambda h, _n, g, k: ratio(precisions(within(h, k)), most(g, k)),
    "ndcg": lambda h, _n, g, k: ratio(gain(within(h, k)), ideal(most(g, k))),
}


def changed(bench: Bench, ledger: dict[str, Any]) -> set[str]:
    """The keys on which a ledger departs from the honest one."""
    judged = compare(("honest", "other"), bench.ledger, ledger)
    assert judged.only_first == judged.only_second == ()
    return {one.key for one in judged.differences}


@pytest.mark.parametrize("metric", list(RIGHT))
def test_a_right_formula_changes_nothing(metric: str, bench: Callable[[str], Bench]) -> None:
    one = bench("rankings")
    assert changed(one, one.ranked(metric, RIGHT[metric])) == set()


def test_right_bins_change_nothing(bench: Callable[[str], Bench]) -> None:
    one = bench("edges")
    assert changed(one, ece_by(proper, weighted, one)) == set()


def test_right_decisions_change_nothing(bench: Callable[[str], Bench]) -> None:
    one = bench("posts")

    def tp(rows: Any, mask: Any) -> int:
        return int(confusion(rows.label[mask], rows.pred[mask])["tp"])

    assert changed(one, one.valued({"tp": tp})) == set()


def test_right_statistics_change_nothing(bench: Callable[[str], Bench]) -> None:
    one = bench("rankings")
    right = one.aggregated("std", lambda v: float(np.std(v, ddof=1)) if len(v) > 1 else 0.0)
    assert changed(one, right) == set()


def test_a_change_reaches_folds_and_no_other_metric(bench: Callable[[str], Bench]) -> None:
    one = bench("rankings")
    keys = changed(one, one.matching("recall@3", lambda _, value: value / 2))
    assert {key.partition("|")[0] for key in keys} == {"recall@3"}
    assert "recall@3|positives_only|folds|mean" in keys


def test_a_change_reaches_the_averages_over_criteria(bench: Callable[[str], Bench]) -> None:
    one = bench("posts")
    keys = changed(one, one.matching("auroc", lambda *_: 0.25))
    assert {"auroc|all_queries|criteria|macro", "auroc|all_queries|criteria|micro"} <= keys


@pytest.mark.parametrize(
    ("statistic", "value"),
    [("mean", 2.0), ("macro", 2.0), ("std", 1.0), ("std/population", (2 / 3) ** 0.5)],
)
def test_statistics_over_folds(statistic: str, value: float) -> None:
    assert over(statistic, [1.0, 2.0, 3.0]) == pytest.approx(value)


def test_the_deviation_of_one_fold_is_zero() -> None:
    assert over("std", [0.7]) == 0.0
