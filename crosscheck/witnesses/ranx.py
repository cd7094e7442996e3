"""ranx as a witness: rankings handed over as dictionaries, ties already broken."""

from __future__ import annotations

import os
import warnings
from contextlib import chdir
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from crosscheck import system
from crosscheck.contract import load as load_contract
from crosscheck.witnesses.rankings import judged, library, ranked, shared

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
    groups: dict[str, dict[str, str]] = {}
    for metric, (one, measure) in shared(case, NAME).items():
        groups.setdefault(measure.of, {})[metric] = _written(measure.asked(one))
    found: dict[str, Floats] = {}
    for of, asked in groups.items():
        scores = _evaluate(rows, of, sorted(set(asked.values())))
        found |= {metric: scores[name] for metric, name in asked.items()}
    return found


def _written(measure: str) -> str:
    """Write a persistence as ranx does: `rbp.95`."""
    return measure.replace("rbp.0.", "rbp.")


def _evaluate(rows: Rows, of: str, measures: list[str]) -> dict[str, Floats]:
    scores = _scores(judged(rows, of), ranked(rows, rows.lists("candidates")), measures)
    # By query, and not by place: ranx sorts the queries by name.
    return {name: np.array([scores[name][query] for query in rows.queries]) for name in measures}


def _scores(qrels: Judged, run: Ranked, measures: list[str]) -> dict[str, dict[str, float]]:
    """Measure → query → value."""
    numbers = {query: _numbered({**run[query], **qrels[query]}) for query in run}
    with warnings.catch_warnings():
        # numba remarks on a cast inside ranx; whole numbers below 2^63 survive it.
        warnings.simplefilter("ignore")
        system.keep_caches()
        _settle_numba()
        from ranx import Qrels, Run, evaluate  # noqa: PLC0415 - 3 s, in the witness's process

        answered = Run(_renamed(run, numbers))
        evaluate(Qrels(_renamed(qrels, numbers)), answered, measures, return_mean=False)
    return dict(answered.scores)


def _settle_numba() -> None:
    """Let numba read no `.numba_config.yaml` of the folder one stands in: it may be anybody's."""
    with chdir(system.cache_folder()):
        from numba.core import config  # noqa: PLC0415 - with ranx

    config._config_fname = os.devnull  # noqa: SLF001 - looked for anew at every compilation


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
    measures = [
        _written(one.call.format_map(values))
        for one in contract.measures
        if one.library == NAME and not one.differs
    ]
    _scores({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 0.5}}, measures)


WITNESS = library(
    NAME,
    columns,
    packages=("ranx", "numba"),
    waiting="the first run ever compiles for about a minute",
    rows_limit=50_000,
    extra="ranx",
)
