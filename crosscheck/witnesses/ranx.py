"""ranx as a witness: its compiled measures on arrays, ties already broken.

Its measures take typed lists or arrays of (document, value). Lists have to be compiled anew in each
process, which takes longer than everything that is asked; arrays do not. Documents are numbered
within their query, and rankings of one length make one array.
"""

from __future__ import annotations

import os
import sys
from contextlib import chdir
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import TYPE_CHECKING

import numpy as np

from crosscheck import system
from crosscheck.contract import load as load_contract
from crosscheck.witnesses.rankings import judged, library, ranked, shared
from crosscheck.witnesses.sparing import without

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from types import ModuleType

    from crosscheck.data.case import Case
    from crosscheck.data.rows import Floats, Rows
    from crosscheck.witnesses.rankings import Judged, Ranked

    Measure = Callable[[Floats, Floats], Floats]
    Block = tuple[list[int], Floats, Floats]
    """Places of queries, and their judgements and rankings: query × document × (number, value)."""

NAME = "ranx"
NOBODY = -1
"""The number of no document: it fills up the judgements of a block, as not relevant."""


def columns(case: Case, rows: Rows) -> dict[str, Floats]:
    """Per-query values under the contract's names."""
    if not (rows.has("gold") and rows.has("candidates") and len(rows)):
        return {}
    groups: dict[str, dict[str, str]] = {}
    for metric, (one, measure) in shared(case, NAME).items():
        groups.setdefault(measure.of, {})[metric] = measure.asked(one)
    found: dict[str, Floats] = {}
    lists = rows.lists("candidates") if groups else []
    for of, asked in groups.items():
        run = ranked(rows, lists)
        scores = _scores(judged(rows, lists, of), run, set(asked.values()))
        found |= {metric: scores[name] for metric, name in asked.items()}
    return found


def _scores(qrels: Judged, run: Ranked, measures: Iterable[str]) -> dict[str, Floats]:
    """Measure → value of every query, in order."""
    calls = {name: _measure(name) for name in measures}
    scores = {name: np.empty(len(run)) for name in calls}
    for places, judgements, rankings in _blocks(qrels, run):
        for name, call in calls.items():
            scores[name][places] = call(judgements, rankings)
    return scores


def _blocks(qrels: Judged, run: Ranked) -> Iterator[Block]:
    """Give the queries by the length of their rankings, which some measures divide by."""
    by_length: dict[int, list[int]] = {}
    for place, ranking in enumerate(run.values()):
        by_length.setdefault(len(ranking), []).append(place)
    numbered = [_numbered(qrels[query], ranking) for query, ranking in run.items()]
    for length, places in by_length.items():
        most = max(len(numbered[place]) for place in places)
        judgements = np.zeros((len(places), most, 2))
        judgements[:, :, 0] = NOBODY
        for row, place in enumerate(places):
            judgements[row, : len(numbered[place])] = numbered[place]
        one = np.array([(number, -number) for number in range(length)], dtype=np.float64)
        yield places, judgements, np.tile(one, (len(places), 1, 1))


def _numbered(grades: Mapping[str, int], ranking: Iterable[str]) -> list[tuple[int, int]]:
    """Give numbers to judged documents by their places, and to those beyond the ranking after it.

    The best grade first: so ranx has them sorted, and takes the ideal ranking from that.
    """
    numbers = {uid: number for number, uid in enumerate(ranking)}
    found = [(numbers.setdefault(uid, len(numbers)), grade) for uid, grade in grades.items()]
    return sorted(found, key=lambda one: -one[1])


def _measure(name: str) -> Measure:
    """Find the function of a measure such as `recall@10`, `rbp.0.95` or `map`."""
    switch = _measures().metric_switch
    if name.startswith("rbp."):
        function, at = switch("rbp"), float(name.removeprefix("rbp."))
    else:
        plain, _, k = name.partition("@")
        function, at = switch(plain), int(k or 0)
    return lambda judgements, rankings: function(judgements, rankings, at, 1)


@cache
def _measures() -> ModuleType:
    """Load the measures of ranx alone: the rest brings data sets, plots and tables, for seconds."""
    system.keep_caches()
    # It would read settings of a folder's, and tell which compiled lines were run.
    with without("yaml", "coverage"):
        _settle_numba()
    package = find_spec(NAME)
    places = package.submodule_search_locations if package else None
    spec = PathFinder.find_spec(f"{NAME}.metrics", places)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"{NAME} has no measures", name=NAME)
    if spec.name not in sys.modules:
        sys.modules[spec.name] = module = module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[spec.name]


def _settle_numba() -> None:
    """Let numba read no `.numba_config.yaml` of the folder one stands in: it may be anybody's."""
    with chdir(system.cache_folder()):
        from numba.core import config  # noqa: PLC0415 - in the witness's process

    config._config_fname = os.devnull  # noqa: SLF001 - looked for anew at every compilation
    # As ranx has it: others among its kinds of threads may not be there, or not bear a fork.
    config.THREADING_LAYER = "workqueue"  # type: ignore[attr-defined]


def compile_measures() -> None:
    """Let numba compile what is asked of ranx, and keep it on disk: part of the set-up."""
    contract = load_contract()
    values = {one.symbol: one.shown for one in contract.parameters}
    measures = [
        one.call.format_map(values)
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
