from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING

import pytest

from crosscheck.report import ledger

if TYPE_CHECKING:
    from typing import Any

KEY = "auroc|all_queries|all|value"


def lines(ledgers: dict[str, dict[str, int | float]]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(ledger.render(ledgers))))


def test_the_columns_are_the_key_the_witnesses_and_the_verdict() -> None:
    header = ledger.render({"primary": {KEY: 1.0}, "my:own": {}}).splitlines()[0]
    assert header == (
        "key,metric,population,slice,statistic,primary,my:own,relative_difference,verdict"
    )


def test_a_row_splits_its_key() -> None:
    (row,) = lines({"primary": {KEY: 0.5}, "reference": {KEY: 0.5}})
    parts = [row[name] for name in ("metric", "population", "slice", "statistic")]
    assert parts == ["auroc", "all_queries", "all", "value"]


@pytest.mark.parametrize(
    ("first", "second", "difference", "verdict"),
    [
        (0.5, 0.5, "0.0", "exact"),
        (0.5, 0.5 * (1 + 1e-12), "1.00", "exact"),
        (0.5, 0.5001, "0.00019", "drift"),
        (0.5, 0.6, "0.1666", "wrong"),
        (100, 101, "0.0099", "wrong"),
        (math.inf, math.inf, "0.0", "exact"),
        (math.inf, 0.5, "inf", "wrong"),
    ],
)
def test_the_verdict_is_that_of_the_contract(
    first: float, second: float, difference: str, verdict: str
) -> None:
    (row,) = lines({"primary": {KEY: first}, "reference": {KEY: second}})
    assert row["verdict"] == verdict
    assert row["relative_difference"].startswith(difference)


def test_the_worst_pair_decides() -> None:
    (row,) = lines({"a": {KEY: 0.5}, "b": {KEY: 0.5}, "c": {KEY: 0.6}})
    assert row["verdict"] == "wrong"


def test_one_witness_alone_is_no_agreement() -> None:
    (row,) = lines({"primary": {KEY: 0.5}, "reference": {}})
    assert (row["reference"], row["relative_difference"], row["verdict"]) == ("", "", "single")


def test_keys_that_only_a_later_witness_states_are_kept() -> None:
    rows = lines({"primary": {KEY: 0.5}, "reference": {"tp|all_queries|all|value": 3}})
    assert [row["metric"] for row in rows] == ["auroc", "tp"]


def test_reading_gives_back_the_ledgers_to_the_last_bit(study: Any) -> None:
    assert ledger.read(ledger.render(study.ledgers)) == study.ledgers


def test_ids_with_commas_quotes_and_line_breaks_survive() -> None:
    key = 'auroc|all_queries|criterion=a,"b"\nc|value'
    assert ledger.read(ledger.render({"primary": {key: 1.0}})) == {"primary": {key: 1.0}}
