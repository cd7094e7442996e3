"""trec_eval as a witness, through pytrec_eval-terrier.

`recip_rank` and `set_P` have no cut-off; on the ranking cut at K they are mrr@K and
precision@K/k_eff. On the dynamic-K selection, `set_recall` and `set_P` are the evidence metrics.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.witnesses import Witness
from crosscheck.witnesses.rankings import column, judged, per_query, ranked, shared, testify

if TYPE_CHECKING:
    from crosscheck.data.case import Case
    from crosscheck.data.rows import Floats, Rows
    from crosscheck.witnesses.rankings import Judged, Ranked

NAME = "trec_eval"


def columns(case: Case, rows: Rows) -> dict[str, Floats]:
    """Per-query values under the contract's names; measures of one ranking are asked at once."""
    groups: dict[tuple[str, str], dict[str, str]] = {}
    for metric, (one, measure) in shared(case, NAME).items():
        given = ("cut", one.at) if measure.of == "cut" else (measure.of, "")
        groups.setdefault(given, {})[metric] = measure.asked(one)
    qrels = judged(rows) if groups else {}
    found: dict[str, Floats] = {}
    for (of, at), asked in groups.items():
        lists = rows.lists("selected" if of == "selected" else "candidates")
        run = ranked(rows, lists, int(at) if at else None)
        scores = _evaluate(qrels, run, set(asked.values()))
        values = {metric: column(rows, scores, name) for metric, name in asked.items()}
        if of == "found":
            values = {metric: np.where(each > 0, 1.0, 0.0) for metric, each in values.items()}
        found |= values
    return found


def _evaluate(qrels: Judged, run: Ranked, measures: set[str]) -> dict[str, dict[str, float]]:
    import pytrec_eval  # noqa: PLC0415 - loaded in the witness's own process

    evaluator = pytrec_eval.RelevanceEvaluator(qrels, measures)
    return dict(evaluator.evaluate(run))


WITNESS = Witness(
    name=NAME,
    kind="library",
    testify=partial(testify, NAME, columns),
    packages=("pytrec_eval-terrier",),
    per_query=partial(per_query, columns),
    rows_limit=200_000,
)
