"""Spark MLlib where there is no Spark: it says so of every key. Where there is: `test_on_spark`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from crosscheck.config.systems import Source
from crosscheck.data.case import make_case
from crosscheck.engine.base import EngineError
from crosscheck.engine.connect import is_spark
from crosscheck.witnesses import Silence, mllib
from crosscheck.witnesses.engines import MLLIB
from crosscheck.witnesses.registry import STANDARD, choose

if TYPE_CHECKING:
    from pathlib import Path

    from crosscheck.data.case import Case


@pytest.fixture
def case(tmp_path: Path) -> Case:
    """Give a case of two queries."""
    path = tmp_path / "rows.jsonl"
    row = '{{"query_id": "{}", "candidates": ["a", "b"], "gold": ["b"], "prob": 0.{}}}\n'
    path.write_text(row.format("q", 1) + row.format("r", 2), encoding="utf-8")
    return make_case(Source("rows", str(path), {}), {}, wants_intervals=False)


def test_it_comes_when_called_and_never_else() -> None:
    assert MLLIB not in STANDARD
    assert choose(["mllib"])[-1] is MLLIB


def test_without_a_spark_every_key_is_declined(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CROSSCHECK_ENGINE", raising=False)
    answer = MLLIB.testify(case)
    assert answer.ledger == {}
    assert answer.declined == dict.fromkeys(case.owed, mllib.NO_SPARK)


@pytest.mark.parametrize("address", ["local[2]", "spark://h:7077", "sc://h:15002"])
def test_every_address_but_duckdbs_is_a_sparks(address: str) -> None:
    assert is_spark(address)
    assert not is_spark("duckdb")


def test_a_spark_that_breaks_off_leaves_the_engines_answer_alone(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(engine: object, asked: Case) -> None:
        del engine, asked
        raise EngineError("local[2] broke off: it is gone")

    monkeypatch.setattr(mllib, "on", broken)
    answer = mllib.heard(None, replace(case))  # type: ignore[arg-type]
    assert answer == Silence("local[2] broke off: it is gone")


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("recall@3|positives_only|all|std", mllib.MEANS),
        ("recall@3|positives_only|criterion=A|mean", mllib.PARTS),
        ("recall@3/tie_low|positives_only|all|mean", mllib.NO_BOUNDS),
        ("mrr@3|positives_only|all|mean", "has no function for it"),
        ("auroc|all_queries|fold=1|value", "a class is missing from a slice: it gives 0 or 1"),
    ],
)
def test_every_reason_is_the_keys_own(key: str, why: str) -> None:
    assert mllib.why(key) == why
