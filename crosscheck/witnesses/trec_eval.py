"""trec_eval as a witness, through pytrec_eval-terrier.

`recip_rank` and `set_P` have no cut-off; on the ranking cut at K they are mrr@K and
precision@K/k_eff. On the dynamic-K selection, `set_recall` and `set_P` are the evidence metrics.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.witnesses.rankings import judged, library, ranked, shared, table

if TYPE_CHECKING:
    from crosscheck.contract import MetricId
    from crosscheck.contract.libraries import LibraryMeasure
    from crosscheck.data.case import Case
    from crosscheck.data.rows import Floats, Rows
    from crosscheck.witnesses.rankings import Judged, Ranked

    _Given = tuple[str, str, int | None]
    """Which qrels, the column of the ranking, and where it is cut."""

NAME = "trec_eval"
LEVELS = "iprec_at_recall"
OTHER_QRELS = ("grades", "judged")
CANDIDATES = "candidates"


def columns(case: Case, rows: Rows) -> dict[str, Floats]:
    """Per-query values under the contract's names; measures of one ranking are asked at once."""
    groups: dict[_Given, dict[str, tuple[str, str]]] = {}
    for metric, (one, measure) in shared(case, NAME).items():
        name = _level(one.at) if measure.of == "levels" else measure.asked(one)
        if name:
            groups.setdefault(_given(one, measure), {})[metric] = name, measure.of
    raw = case.settings.get("ties") == NAME and rows.has("scores")
    lists = cache(rows.lists)
    listed = CANDIDATES if rows.has(CANDIDATES) else "selected"
    qrels = cache(lambda of: judged(rows, lists(listed), of))
    found: dict[str, Floats] = {}
    for (known, place, cut), asked in groups.items():
        run = ranked(rows, lists(place), cut, raw=raw and place == CANDIDATES)
        names = [name for name, _ in asked.values()]
        scores = _evaluate(qrels(known), run, set(map(_function, names)))
        told = table(rows, scores, names)
        for metric, (name, of) in asked.items():
            found[metric] = _read(metric, of, rows, told[name])
    return found


def _given(metric: MetricId, measure: LibraryMeasure) -> _Given:
    """Say what is handed over for a measure: many are of the same ranking."""
    # Only grades and judgements are other qrels than the gold.
    qrels = measure.of if measure.of in OTHER_QRELS else ""
    place = measure.of if measure.of == "selected" else CANDIDATES
    return qrels, place, int(metric.at) if measure.of == "cut" else None


def _read(metric: str, of: str, rows: Rows, values: Floats) -> Floats:
    """Read a measure's values as the metric has them."""
    if of == "found":
        return np.where(values > 0, 1.0, 0.0)
    return _where_it_counts_so(metric, rows, values) if of == "levels" else values


def _level(recall: str) -> str:
    """Name a recall level as it prints them: eleven, with two decimals."""
    tenths = Fraction(recall) * 10
    return f"{LEVELS}_{float(recall):.2f}" if tenths.denominator == 1 else ""


def _function(name: str) -> str:
    return LEVELS if name.startswith(LEVELS) else name


def _where_it_counts_so(metric: str, rows: Rows, values: Floats) -> Floats:
    """Leave out the queries of which it wants another number of gold than r·|G|, rounded up."""
    recall = metric.partition("=")[2]
    numbers, places = np.unique([len(uids) for uids in rows.gold], return_inverse=True)
    theirs = np.floor(float(recall) * numbers + 0.9)
    ours = np.array([math.ceil(Fraction(recall) * int(number)) for number in numbers])
    return np.where((theirs == ours)[places], values, np.nan)


def _evaluate(qrels: Judged, run: Ranked, measures: set[str]) -> dict[str, dict[str, float]]:
    import pytrec_eval  # noqa: PLC0415 - loaded in the witness's own process

    evaluator = pytrec_eval.RelevanceEvaluator(qrels, measures)
    return dict(evaluator.evaluate(run))


WITNESS = library(
    NAME,
    columns,
    packages=("pytrec_eval-terrier",),
    rows_limit=200_000,
)
