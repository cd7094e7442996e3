"""Single queries that claims name: each is a slice of its own, `per-query=ID`.

The output of trec_eval -q claims a value for every topic. Those values are owed like any other: the
two implementations give them from their per-query tables, and the libraries from theirs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from crosscheck.contract import load
from crosscheck.data import door
from crosscheck.model.key import Key, escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from crosscheck.data.case import Case
    from crosscheck.model.ledgers import Ledger

    Columns = Mapping[str, Sequence[object]]

PER_QUERY = "per-query"
ID = "query_id"


def is_of_one(key: str | None) -> bool:
    """Whether a key is about a single query."""
    return f"|{PER_QUERY}=" in (key or "")


def with_queries(case: Case, asked: Iterable[str]) -> Case:
    """Give a case that owes the keys of single queries too, of those that it can answer.

    A query that stands in several rows, of folds or seeds, has no value of its own.
    """
    wanted = [key for key in dict.fromkeys(asked) if is_of_one(key)]
    if not wanted:
        return case
    known = set(_metrics(case))
    once = _slices(case)
    parsed = ((key, Key.parse(key)) for key in wanted)
    added = [key for key, one in parsed if one.metric in known and one.slice in once]
    return replace(case, owed=(*case.owed, *added))


def _metrics(case: Case) -> Iterable[str]:
    """Name the metrics that have a value for each query."""
    for key in case.owed:
        metric, _, rest = key.partition("|")
        found = load().find(metric)
        if rest == "all_queries|all|mean" and found and not found.bound:
            yield metric


def _slices(case: Case) -> set[str]:
    table = door.primary.table(case.data, case.settings)
    if ID not in table.columns:
        return set()
    rows = table.filter(table["split"] == "EVAL") if "split" in table.columns else table
    counts = Counter(rows[ID].to_list())
    return {f"{PER_QUERY}={escape(name)}" for name, number in counts.items() if number == 1}


def values(case: Case, columns: Callable[[], Columns]) -> Ledger:
    """Answer the owed keys of single queries from per-query values."""
    owed = [key for key in case.owed if is_of_one(key)]
    if not owed:
        return {}
    table = columns()
    row = {f"{PER_QUERY}={escape(str(name))}": place for place, name in enumerate(table[ID])}
    found: Ledger = {}
    for key in owed:
        one = Key.parse(key)
        if one.metric in table and one.slice in row:
            found[key] = float(table[one.metric][row[one.slice]])  # type: ignore[arg-type] # a number
    return found
