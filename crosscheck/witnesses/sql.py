"""The witness `sql`: every key from SQL texts that an existing engine runs (docs/scale.md).

A third program of its own: it shares no code with the two implementations. It comes when called by
name, and needs the data as Parquet.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from crosscheck.engine.connect import connect, files_of
from crosscheck.engine.evaluate import evaluate
from crosscheck.engine.steady import steady
from crosscheck.witnesses import Testimony, decline

if TYPE_CHECKING:
    from crosscheck.data.case import Case
    from crosscheck.witnesses.plan import Draws


def ask(address: str | None, case: Case, draws: Draws | None = None) -> Testimony:
    """Open an engine and ask it; intervals too, by draws of its own, where they are owed."""
    from crosscheck.engine.intervals.drawn import draw  # noqa: PLC0415 - needs numpy

    files = files_of(case.data)
    with steady(files), closing(connect(address)) as engine:
        answer = evaluate(engine, files, case.settings)
        owed = set(case.owed)
        ledger = {key: value for key, value in answer.ledger.items() if key in owed}
        reasons = decline(case, ledger, lambda key: answer.declined.get(key, "not offered"))
        told = Testimony(ledger, declined=reasons, note=f"by {engine.version}")
        if draws is None or not case.intervals:
            return told
        found = draw(engine, files, case.settings, answer.facts, draws)
    resampled = "; ".join(f"by {unit} {what}" for unit, what in found.units.items())
    return replace(
        told,
        drawn={
            key: (found.ledger[key], draws.resamples)
            for key in case.intervals
            if key in found.ledger and key.split("|")[2] == "all" and key.endswith("/percentile")
        },
        note=f"{told.note}; drew intervals of its own: {resampled}",
    )
