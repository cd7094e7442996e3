"""What ranx and trec_eval have in common: how a ranking is handed over and read back.

Scores −1, −2, −3 … by rank are exact in 32 bits, so trec_eval cannot tie them (contract, T18). A
query without gold, or without a ranking, gets one entry that is neither, because pytrec_eval drops
a query whose entry is empty, and ranx needs every query in both.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.contract import load
from crosscheck.data.rows import load as load_rows
from crosscheck.model.key import Key
from crosscheck.witnesses import Testimony, decline
from crosscheck.witnesses.fill import fill, statistics

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from crosscheck.contract import MetricId
    from crosscheck.contract.libraries import LibraryMeasure
    from crosscheck.data.case import Case
    from crosscheck.data.rows import Floats, Rows
    from crosscheck.model.ledgers import Ledger, Number
    from crosscheck.witnesses import Columns

    Judged = dict[str, dict[str, int]]
    Ranked = dict[str, dict[str, float]]
    PerQuery = Callable[[Case, Rows], Mapping[str, Floats]]
    """A library's values of every query, under the contract's names."""

FILLER = "none"


def judged(rows: Rows) -> Judged:
    """Gold as qrels; a query without any gets one document that is not relevant."""
    return {
        query: dict.fromkeys(uids, 1) if uids else {_filler(()): 0}
        for query, uids in zip(rows.queries, rows.gold, strict=True)
    }


def ranked(rows: Rows, lists: Sequence[Sequence[str]], cut: int | None = None) -> Ranked:
    """Turn lists, best first, into a run; an empty list gets one document that is not gold."""
    run: Ranked = {}
    for query, uids, gold in zip(rows.queries, lists, rows.gold, strict=True):
        kept = uids[:cut] or [_filler(gold)]
        run[query] = {uid: -float(rank) for rank, uid in enumerate(kept, 1)}
    return run


def _filler(gold: Sequence[str]) -> str:
    name = FILLER
    while name in gold:
        name += "'"
    return name


def testify(library: str, columns: PerQuery, case: Case) -> Testimony:
    """Ask a library for every measure whose definition it shares."""
    rows, _ = load_rows(case)
    ledger = answer(case, rows, columns(case, rows))
    return Testimony(ledger, declined=decline(case, ledger, partial(why_not, library)))


def per_query(columns: PerQuery, case: Case) -> Columns:
    """Give a library's per-query values."""
    rows, _ = load_rows(case)
    return {name: values.tolist() for name, values in columns(case, rows).items()}


def answer(case: Case, rows: Rows, columns: Mapping[str, Floats]) -> Ledger:
    """Answer the owed keys that per-query columns, named by metric, give."""

    def values(metric: str, population: str, part: str) -> dict[str, Number] | None:
        if metric not in columns or population not in {"all_queries", "positives_only"}:
            return None
        return statistics(columns[metric][rows.mask(population, part)])

    return fill(case.owed, values)


def shared(case: Case, library: str) -> dict[str, tuple[MetricId, LibraryMeasure]]:
    """List the metrics among the owed keys whose definition the library shares, by their ids."""
    contract = load()
    found = {}
    for metric in dict.fromkeys(key.partition("|")[0] for key in case.owed):
        entry = contract.metric(metric)
        measure = contract.libraries.sharing(entry).get(library)
        if measure is not None:
            found[metric] = (entry, measure)
    return found


def why_not(library: str, key: str) -> str:
    """Why a ranking library is not asked about a key."""
    contract = load()
    metric = contract.metric(Key.parse(key).metric)
    measure = contract.libraries.measure(library, metric)
    if metric.bound:
        return "best and worst order of ties: ties are handed over already broken"
    if measure and measure.differs:
        return measure.differs
    # By its name: `ece@10` might be one of its measures, and is not.
    if metric.metric.family != "ranking" and not re.fullmatch(r"[a-z]+@\w+(/\w+)?", metric.text):
        return "defines ranking measures only"
    return (
        f"does not define the variant /{metric.variant.id}"
        if metric.variant
        else "does not define it"
    )


def column(rows: Rows, scores: Mapping[str, Mapping[str, float]], measure: str) -> Floats:
    """One measure of every query, in file order; a query that was dropped is an error."""
    return np.array([scores[query][measure] for query in rows.queries], dtype=np.float64)
