"""ranx as a witness: rankings handed over as dictionaries, ties already broken."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from crosscheck import system
from crosscheck.contract import load as load_contract
from crosscheck.witnesses import Witness
from crosscheck.witnesses.rankings import judged, per_query, ranked, shared, testify

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crosscheck.data.case import Case
    from crosscheck.data.rows import Floats, Rows
    from crosscheck.witnesses.rankings import Judged, Ranked

Value = TypeVar("Value", int, float)
NAME = "ranx"


def columns(case: Case, rows: Rows) -> dict[str, Floats]:
    """Per-query values under the contract's names."""
    if not (rows.has("gold") and rows.has("candidates") and len(rows)):
        return {}
    asked = {metric: measure.asked(one) for metric, (one, measure) in shared(case, NAME).items()}
    scores = _evaluate(rows, sorted(set(asked.values())))
    return {metric: scores[name] for metric, name in asked.items()}


def _evaluate(rows: Rows, measures: list[str]) -> dict[str, Floats]:
    scores = _scores(judged(rows), ranked(rows, rows.lists("candidates")), measures)
    # By query, and not by place: ranx sorts the queries by name.
    return {name: np.array([scores[name][query] for query in rows.queries]) for name in measures}


def _scores(qrels: Judged, run: Ranked, measures: list[str]) -> dict[str, dict[str, float]]:
    """Measure → query → value."""
    numbers = {query: _numbered({**run[query], **qrels[query]}) for query in run}
    with warnings.catch_warnings():
        # numba remarks on a cast inside ranx; whole numbers below 2^63 survive it.
        warnings.simplefilter("ignore")
        system.keep_caches()
        from ranx import Qrels, Run, evaluate  # noqa: PLC0415 - 3 s, in the witness's process

        answered = Run(_renamed(run, numbers))
        evaluate(Qrels(_renamed(qrels, numbers)), answered, measures, return_mean=False)
    return dict(answered.scores)


def _numbered(uids: Iterable[str]) -> dict[str, str]:
    """Give a query's ids numbers of one length: ranx is compiled anew for every other length."""
    return {uid: f"{number:08d}" for number, uid in enumerate(uids)}


def _renamed(
    entries: Mapping[str, Mapping[str, Value]], names: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, Value]]:
    return {
        query: {names[query][uid]: value for uid, value in of_query.items()}
        for query, of_query in entries.items()
    }


def compile_measures() -> None:
    """Let numba compile what is asked of ranx, and keep it on disk: part of the set-up."""
    contract = load_contract()
    values = {one.symbol: one.shown for one in contract.parameters}
    measures = [one.call.format_map(values) for one in contract.measures if one.library == NAME]
    _scores({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 0.5}}, measures)


WITNESS = Witness(
    name=NAME,
    kind="library",
    testify=partial(testify, NAME, columns),
    packages=("ranx", "numba"),
    per_query=partial(per_query, columns),
    waiting="the first run ever compiles for about a minute",
    rows_limit=50_000,
)
