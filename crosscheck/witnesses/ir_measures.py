"""ir_measures as a witness: what was judged, expected reciprocal rank, rank-biased precision.

Its engines have limits of their own: gdeval, a Perl script, knows the largest grade 4 alone, cuts
at 20 and prints five decimals, so it is asked for means over all rows; cwl_eval cuts at 1,000.
"""

from __future__ import annotations

import importlib.util
import shutil
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.witnesses.rankings import judged, library, ranked, shared

if TYPE_CHECKING:
    from crosscheck.contract import MetricId
    from crosscheck.data.case import Case
    from crosscheck.data.rows import Floats, Rows

NAME = "ir_measures"
GRADE_MAX = 4
"""What gdeval divides by, whatever the grades."""
CUT = 20
"""The last place that gdeval looks at."""
DEPTH = 1000
"""The last place that cwl_eval looks at."""


def columns(case: Case, rows: Rows) -> dict[str, Floats]:
    """Per-query values under the contract's names; measures of the same qrels are asked at once."""
    groups: dict[str, dict[str, str]] = {}
    for metric, (one, measure) in shared(case, NAME).items():
        if _can(case, rows, one):
            groups.setdefault(measure.of, {})[metric] = measure.asked(one)
    lists = rows.lists("candidates") if groups else []
    run = ranked(rows, lists) if groups else {}
    found: dict[str, Floats] = {}
    for of, asked in groups.items():
        qrels = judged(rows, lists, "grades" if of == "printed" else of)
        scores = _evaluate(qrels, run, sorted(set(asked.values())))
        for metric, name in asked.items():
            found[metric] = np.array([scores[query, name] for query in rows.queries])
    return found


def _can(case: Case, rows: Rows, metric: MetricId) -> bool:
    """Whether the engine behind a measure is there, and means what is asked."""
    if metric.metric.id == "err@K":
        known = case.facts["grade_max"] == GRADE_MAX and int(metric.at) <= CUT
        return known and shutil.which("perl") is not None
    if metric.metric.id.startswith("rbp"):
        short = all(len(uids) <= DEPTH for uids in rows.lists("candidates"))
        return short and importlib.util.find_spec("cwl") is not None
    return True


def _evaluate(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], measures: list[str]
) -> dict[tuple[str, str], float]:
    """(Query, measure) → value."""
    import ir_measures  # noqa: PLC0415 - in the witness's process

    named = {ir_measures.parse_measure(name): name for name in measures}
    told = ir_measures.iter_calc(list(named), qrels, run)
    return {(one.query_id, named[one.measure]): float(one.value) for one in told}


WITNESS = library(NAME, columns, packages=("ir_measures",), rows_limit=50_000)
