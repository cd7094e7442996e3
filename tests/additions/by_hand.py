"""A witness that works the mean reciprocal rank out by hand, from the CSV file itself."""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from crosscheck.witnesses import Testimony, Witness, decline

if TYPE_CHECKING:
    from crosscheck.data.case import Case

KEY = "mrr@all|positives_only|all|mean"


def testify(case: Case) -> Testimony:
    """Look for the first gold of every query that has any."""
    with Path(case.data).open(encoding="utf-8", newline="") as file:
        rows = [(r["candidates"].split("|"), r["gold"].split("|")) for r in csv.DictReader(file)]
    ranks = [
        [n for n, one in enumerate(seen, 1) if one in gold] for seen, gold in rows if any(gold)
    ]
    ledger = {KEY: fmean(1 / found[0] if found else 0.0 for found in ranks)}
    return Testimony(ledger, declined=decline(case, ledger, lambda _: "it knows one number only"))


WITNESS = Witness(name="by hand", kind="library", testify=testify, packages=("click",))
