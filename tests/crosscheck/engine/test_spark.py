"""Spark's SQL text: through Sail, which speaks Spark Connect and needs no Java, in every run."""

from __future__ import annotations

import os
import random
import socket
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.config.systems import Source
from crosscheck.data.case import make_case
from crosscheck.engine import spark
from crosscheck.engine.base import EngineError, Ordering
from crosscheck.engine.connect import connect
from crosscheck.engine.evaluate import evaluate
from crosscheck.engine.metrics.equal_mass import UNORDERED
from crosscheck.engine.spark import sentence
from crosscheck.witnesses import mllib

if TYPE_CHECKING:
    from collections.abc import Callable

    Columns = dict[str, list[Any]]
    Write = Callable[..., str]
    Draw = Callable[..., Columns]

CELLS = Ordering(round_rows=1 << 62, cells=64)
"""Few rows would have one cell: a cluster's many are asked for."""
# The client warns about versions of pandas, not about anything of ours.
pytestmark = pytest.mark.filterwarnings("ignore")


def test_duckdb_and_sail_give_the_same_bits(
    sail: str, written: Write, drawn: Draw, below: Draw
) -> None:
    draw = random.Random(11)
    some = []
    for number in range(8):
        for split in ("EVAL", "TUNE"):
            one = drawn(draw, f"s{number}{split}", 6, split=split)
            one["dataset"] = [f"d{number}"] * 6
            one["fold"] = [number % 2] * 6
            some.append(one)
    columns = below(*some)
    columns["judged"] = [[*gold, "other"] for gold in columns["gold"]]
    path = written(columns)
    settings = {"slices": {"set": "dataset"}, "k": [3], "recall_levels": [0.5], "tau_neg": 0.1}
    settings |= {"tau_pos": 0.6, "views": {"it's": ["A|1"]}}
    answers = []
    for address in ("duckdb", sail):
        with closing(connect(address, CELLS)) as engine:
            answers.append(evaluate(engine, [path], settings))
    ours, theirs = answers
    assert set(theirs.declined.values()) <= {UNORDERED}
    assert set(ours.ledger) == {*theirs.ledger, *theirs.declined}
    assert {key: ours.ledger[key] for key in theirs.ledger} == theirs.ledger
    assert ours.facts == theirs.facts


def test_bad_rows_are_refused_through_sail(sail: str, written: Write) -> None:
    path = written(
        {"query_id": ["a", "b", "b"], "has_evidence": [1, 0, 1], "prob": [0.5, 7.0, 0.1]}
    )
    with closing(connect(sail)) as engine, pytest.raises(EngineError) as caught:
        evaluate(engine, [path], {})
    assert "query b, column prob: it is missing, or not from 0 to 1" in str(caught.value)
    assert "query b, column query_id: the key stands 2 times" in str(caught.value)


@pytest.mark.parametrize("scheme", ["sc", "spark"])
def test_nobody_waits_for_a_server_that_is_not_there(scheme: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"{scheme}://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(EngineError, match="cannot be reached; is the server running"):
        connect(address)


def test_nobody_waits_for_a_server_that_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark, "PATIENCE", 0.5)
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        address = f"sc://127.0.0.1:{deaf.getsockname()[1]}"
        with pytest.raises(EngineError, match="takes calls and does not answer"):
            connect(address)


def test_what_breaks_off_is_one_sentence() -> None:
    told = sentence("sc://127.0.0.1:1", ConnectionError("failed to connect to all addresses"))
    assert told.startswith("sc://127.0.0.1:1: cannot be reached")
    assert "is full" in sentence("local", OSError("No space left on device"))
    assert "executor.memory" in sentence("local", RuntimeError("Java heap space"))
    assert "was cancelled" in sentence("local", RuntimeError("Job 3 cancelled"))
    assert sentence("local", RuntimeError("a\n  b")) == "local broke off: a b"


def test_a_server_without_mllib_is_told_of(sail: str, written: Write, drawn: Draw) -> None:
    path = written(drawn(random.Random(2), "s", 6))
    case = make_case(Source("rows", path, {}), {}, wants_intervals=False)
    with closing(connect(sail)) as engine:
        answer = mllib.on(engine, case)
    assert answer.ledger == {}
    assert set(answer.declined.values()) == {mllib.NO_MLLIB}


def test_a_session_that_is_closed_leaves_no_word_in_the_environment(sail: str) -> None:
    before = dict(os.environ)
    connect(sail).close()
    assert dict(os.environ) == before
