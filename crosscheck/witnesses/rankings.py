"""What ranx, trec_eval and ir_measures have in common: how a ranking is handed over and read back.

Scores −1, −2, −3 … by rank are exact in 32 bits, so trec_eval cannot tie them (contract, T18). With
`ties = "trec_eval"` it is handed the scores as they are, so that it can object to our order. A
query without gold, or without a ranking, gets one entry that is neither, because pytrec_eval drops
a query whose entry is empty, and ranx needs every query in both.
"""

from __future__ import annotations

import re
from functools import cache, partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from crosscheck.contract import load
from crosscheck.data.rows import load as load_rows
from crosscheck.witnesses import Testimony, Witness, decline
from crosscheck.witnesses.fill import fill, statistics_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from crosscheck.contract import MetricId
    from crosscheck.contract.libraries import LibraryMeasure
    from crosscheck.data.case import Case
    from crosscheck.data.rows import Floats, Rows
    from crosscheck.model.ledgers import Ledger, Number
    from crosscheck.witnesses import Columns

    Judged = dict[str, dict[str, int]]
    Ranked = dict[str, dict[str, float]]

    PerQuery = Callable[[Case, Rows], dict[str, Floats]]
    """Per-query values under the contract's names."""

FILLER = "none"
GEOMETRIC = "gmap"
"""Whose per-query values are logarithms."""


def library(name: str, columns: PerQuery, **about: Any) -> Witness:  # noqa: ANN401 - Witness checks
    """Make a witness of a library that gives per-query values."""
    return Witness(
        name=name,
        kind="library",
        testify=partial(_testify, name, columns),
        per_query=partial(_per_query, columns),
        **about,
    )


def _testify(name: str, columns: PerQuery, case: Case) -> Testimony:
    """Ask for every measure whose definition the library shares."""
    asked = shared(case, name)
    ledger: Ledger = {}
    if asked:
        rows, _ = load_rows(case)
        ledger = answer(case, rows, columns(case, rows))
    rough = {metric for metric, (_, one) in asked.items() if one.of == "printed"}
    for key in [key for key in ledger if key.partition("|")[0] in rough]:
        if not key.endswith("|all|mean"):
            del ledger[key]
    return Testimony(ledger, declined=decline(case, ledger, partial(why_not, name)))


def _per_query(columns: PerQuery, case: Case) -> Columns:
    rows, _ = load_rows(case)
    return {name: values.tolist() for name, values in columns(case, rows).items()}


def judged(rows: Rows, lists: Sequence[Sequence[str]], of: str = "") -> Judged:
    """Gold as qrels; a query without any gets one document, of none of the lists, not relevant.

    `of` the grades: every grade of at least 1. `of` what was judged: gold as 1, the rest as 0.
    """
    if of == "grades":
        given = zip(rows.lists("graded"), rows.lists("grades"), strict=True)
        values = [dict(zip(uids, map(int, grades), strict=True)) for uids, grades in given]
    elif of == "judged":
        seen = zip(rows.lists("judged"), map(frozenset, rows.gold), strict=True)
        values = [{uid: int(uid in gold) for uid in uids} for uids, gold in seen]
    else:
        values = [dict.fromkeys(uids, 1) for uids in rows.gold]
    return {
        query: found or {_filler(uids): 0}
        for query, found, uids in zip(rows.queries, values, lists, strict=True)
    }


def ranked(
    rows: Rows, lists: Sequence[Sequence[str]], cut: int | None = None, *, raw: bool = False
) -> Ranked:
    """Turn lists, best first, into a run; an empty list gets one document that nobody judged.

    `raw`: with the scores of the data, for a library to order by.
    """
    run: Ranked = {}
    ranks = [-float(rank) for rank in range(1, max(map(len, lists), default=0) + 1)]
    scores: Sequence[Any] = rows.lists("scores") if raw else [()] * len(rows)
    known = rows.lists("judged") if rows.has("judged") else rows.gold
    for query, uids, given, seen in zip(rows.queries, lists, scores, known, strict=True):
        kept = uids[:cut]
        # There are as many ranks as the longest list needs.
        values = map(float, given[:cut]) if raw else ranks
        found = dict(zip(kept, values, strict=raw))
        run[query] = found or {_filler(seen): -1.0}
    return run


def _filler(taken: Collection[str]) -> str:
    name = FILLER
    while name in taken:
        name += "'"
    return name


def answer(case: Case, rows: Rows, columns: Mapping[str, Floats]) -> Ledger:
    """Answer the owed keys that per-query columns, named by metric, give."""
    names = tuple(columns)
    table = np.array(list(columns.values()), dtype=np.float64).reshape(len(names), len(rows))

    @cache
    def within(population: str, part: str) -> dict[str, dict[str, Number]]:
        return _summaries(names, np.compress(rows.mask(population, part), table, axis=1))

    def values(metric: str, population: str, part: str) -> dict[str, Number] | None:
        if metric not in columns or population not in {"all_queries", "positives_only"}:
            return None
        return within(population, part).get(metric)

    return fill(case.owed, values)


def _summaries(names: Sequence[str], table: Floats) -> dict[str, dict[str, Number]]:
    """Give the statistics of every metric, one row each, over the queries of a slice."""
    # No number where a query is one that the library was not asked about.
    known = np.flatnonzero(~np.isnan(table).any(axis=1)).tolist()
    plain = [row for row in known if names[row] != GEOMETRIC]
    told = statistics_of(table[plain])
    found = {names[row]: each for row, each in zip(plain, told, strict=True)}
    for row in set(known).difference(plain):
        logarithms = table[row]
        value = float(np.exp(np.mean(logarithms))) if len(logarithms) else 0.0
        found[names[row]] = {"value": value}
    return found


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
    """Why a ranking library is not asked about a key: its metric says it."""
    return _why_not(library, key.partition("|")[0])


@cache
def _why_not(library: str, name: str) -> str:
    contract = load()
    metric = contract.metric(name)
    measure = contract.libraries.measure(library, metric)
    if metric.bound:
        return "best and worst order of ties: ties are handed over already broken"
    if measure and (measure.differs or measure.unless):
        return measure.differs or measure.unless
    # By its name: `ece@10` might be one of its measures, and is not.
    if metric.metric.family != "ranking" and not re.fullmatch(r"[a-z]+@\w+(/\w+)?", metric.text):
        return "defines ranking measures only"
    return (
        f"does not define the variant /{metric.variant.id}"
        if metric.variant
        else "does not define it"
    )


def table(
    rows: Rows, scores: Mapping[str, Mapping[str, float]], measures: Iterable[str]
) -> dict[str, Floats]:
    """Measures of every query, in file order; a query that was dropped is an error."""
    names = list(dict.fromkeys(measures))
    if not names:
        return {}
    read = itemgetter(*names)
    values = np.array([read(scores[query]) for query in rows.queries], dtype=np.float64)
    return dict(zip(names, values.reshape(len(rows), len(names)).T.copy(), strict=True))
