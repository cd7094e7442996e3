"""A formula carries a mistake to every key that follows from it, and to no other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from crosscheck.mistakes.calibration import ece, proper
from crosscheck.mistakes.classification import confusion
from crosscheck.mistakes.formula import Formula, of_keys, of_rows, over, ranked
from crosscheck.mistakes.formulas import FORMULAS, WORLDS
from crosscheck.mistakes.ranking import gain, ideal, precisions, ratio
from crosscheck.model.ledgers import compare

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.mistakes.bench import Bench
    from crosscheck.mistakes.formula import OfQuery

RIGHT: dict[str, OfQuery] = {
    "recall": lambda q: ratio(len(q.top), q.gold),
    "precision": lambda q: ratio(len(q.top), q.cut),
    "hit": lambda q: float(bool(q.top)),
    "mrr": lambda q: 1 / q.top[0] if q.top else 0.0,
    "map": lambda q: ratio(precisions(q.top), q.most),
    "ndcg": lambda q: ratio(gain(q.top), ideal(q.most)),
}


def changed(bench: Bench, formula: Formula) -> set[str]:
    """The keys on which a ledger departs from the honest one."""
    judged = compare(("honest", "other"), dict(bench.ledger), formula.ledger(bench))
    assert judged.only_first == judged.only_second == ()
    return {one.key for one in judged.differences}


@pytest.mark.parametrize("metric", list(RIGHT))
def test_a_right_formula_changes_nothing(metric: str, bench: Callable[[str], Bench]) -> None:
    assert changed(bench("rankings"), ranked(metric, RIGHT[metric])) == set()


def test_right_bins_change_nothing(bench: Callable[[str], Bench]) -> None:
    assert changed(bench("edges"), ece(proper)) == set()


def test_right_decisions_change_nothing(bench: Callable[[str], Bench]) -> None:
    def count(rows: Any, mask: Any, at: Any) -> int:
        return int(confusion(rows.label[mask], rows.pred[mask])[at[0]])

    assert changed(bench("posts"), of_rows("tp|fp|tn|fn", count)) == set()


def test_a_change_reaches_folds_and_no_other_metric(bench: Callable[[str], Bench]) -> None:
    one = bench("rankings")
    halved = of_keys("recall@3", lambda bench, key: bench.ledger[str(key)] / 2)
    keys = changed(one, halved)
    assert {key.partition("|")[0] for key in keys} == {"recall@3"}
    assert "recall@3|positives_only|folds|mean" in keys


def test_a_change_reaches_the_averages_over_criteria(bench: Callable[[str], Bench]) -> None:
    keys = changed(bench("posts"), of_keys("auroc", lambda *_: 0.25))
    assert {"auroc|all_queries|criteria|macro", "auroc|all_queries|criteria|micro"} <= keys


def test_one_key_and_all_keys_are_answered_alike(bench: Callable[[str], Bench]) -> None:
    """What the self-test injects is what an explanation compares a claim with."""
    whole, single = bench("rankings"), bench("rankings")
    for name in ("map-by-k", "hitless-dropped", "cut-one-too-early", "folds-mean-weighted"):
        ledger = FORMULAS[name].ledger(whole)
        for text, value in ledger.items():
            asked = FORMULAS[name].at(single, text)
            assert value == (single.ledger[text] if asked is None else asked)


def test_only_the_metrics_named_are_reached(bench: Callable[[str], Bench]) -> None:
    one = bench("rankings")
    ledger = FORMULAS["cut-one-too-early"].ledger(one, "hit@[^/]*")
    moved = {key.partition("@")[0] for key, value in ledger.items() if value != one.ledger[key]}
    assert moved == {"hit"}


def test_ids_in_descending_order_have_the_longer_first(bench: Callable[[str], Bench]) -> None:
    """As trec_eval compares them: “a10” above “a1”."""
    one = bench("ties")
    rows = {"query_id": ["q"], "candidates": [["a1", "a10"]], "scores": [[1.0, 1.0]]}
    table = pl.DataFrame(rows | {"gold": [["a1"]]})
    world = WORLDS["ties-by-document-id"][1](replace(one, table=table, columns_read=()))
    assert world is not None
    assert world.table["candidates"].to_list() == [["a10", "a1"]]


@pytest.mark.parametrize(
    ("statistic", "value"),
    [("mean", 2.0), ("macro", 2.0), ("std", 1.0), ("std/population", (2 / 3) ** 0.5)],
)
def test_statistics_over_folds(statistic: str, value: float) -> None:
    assert over(statistic, [1.0, 2.0, 3.0]) == pytest.approx(value)


def test_the_deviation_of_one_fold_is_zero() -> None:
    assert over("std", [0.7]) == 0.0
