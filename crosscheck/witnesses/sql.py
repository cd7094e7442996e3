"""The witness `sql`: every key from SQL texts that an existing engine runs (docs/scale.md).

A third program of its own: it shares no code with the two implementations. It comes when called by
name, and needs the data as Parquet.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from crosscheck.engine.connect import connect, files_of
from crosscheck.engine.evaluate import evaluate
from crosscheck.witnesses import Testimony, Witness, decline

if TYPE_CHECKING:
    from crosscheck.data.case import Case


def testify(case: Case) -> Testimony:
    """Ask the engine of the environment."""
    return ask(None, case)


def ask(address: str | None, case: Case) -> Testimony:
    """Open an engine and ask it."""
    files = files_of(case.data)
    with closing(connect(address)) as engine:
        answer = evaluate(engine, files, case.settings)
        owed = set(case.owed)
        ledger = {key: value for key, value in answer.ledger.items() if key in owed}
        reasons = decline(case, ledger, lambda key: answer.declined.get(key, "not offered"))
        return Testimony(ledger, declined=reasons, note=f"by {engine.version}")


def at(address: str) -> Witness:
    """Give the witness that asks one engine."""
    return replace(WITNESS, testify=partial(ask, address))


WITNESS = Witness(
    name="sql",
    kind="library",
    testify=testify,
    packages=("duckdb",),
    waiting="an engine",
    extra="engine",
)
