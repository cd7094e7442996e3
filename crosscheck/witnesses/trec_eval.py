"""trec_eval as a witness, through pytrec_eval-terrier.

`recip_rank` and `set_P` have no cut-off; on the ranking cut at K they are mrr@K and
precision@K/k_eff. On the dynamic-K selection, `set_recall` and `set_P` are the evidence metrics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crosscheck.witnesses import Case, Columns, Testimony, Witness, decline
from crosscheck.witnesses.rankings import answer, column, judged, owed_cuts, ranked, why_not
from crosscheck.witnesses.rows import Rows, load

if TYPE_CHECKING:
    from crosscheck.witnesses.rankings import Judged, Ranked
    from crosscheck.witnesses.rows import Floats

AT_K = {
    "recall": "recall",
    "precision": "P",
    "hit": "success",
    "map/by_gold": "map_cut",
    "ndcg": "ndcg_cut",
}
WITHOUT_CUT = {
    "recall@all": "set_recall",
    "precision@all": "set_P",
    "precision@all/k_eff": "set_P",
    "mrr@all": "recip_rank",
    "map@all": "map",
    "map@all/by_gold": "map",
    "ndcg@all": "ndcg",
}
OF_SELECTION = {"evidence_recall": "set_recall", "evidence_precision": "set_P"}


def testify(case: Case) -> Testimony:
    """Ask trec_eval for every measure whose definition it shares."""
    rows, _ = load(case)
    ledger = answer(case, rows, columns(case, rows))
    return Testimony(ledger, declined=decline(case, ledger, why_not))


def per_query(case: Case) -> Columns:
    """Give trec_eval's per-query values."""
    rows, _ = load(case)
    return {name: values.tolist() for name, values in columns(case, rows).items()}


def columns(case: Case, rows: Rows) -> dict[str, Floats]:
    """Per-query values under the contract's names."""
    if not rows.has("gold"):
        return {}
    qrels = judged(rows)
    found: dict[str, Floats] = {}
    if rows.has("candidates"):
        found |= _of_ranking(rows, qrels, owed_cuts(case))
    if rows.has("selected"):
        scores = _evaluate(qrels, ranked(rows, rows.lists("selected")), set(OF_SELECTION.values()))
        found |= {metric: column(rows, scores, name) for metric, name in OF_SELECTION.items()}
    return found


def _of_ranking(rows: Rows, qrels: Judged, cuts: list[int]) -> dict[str, Floats]:
    rankings = rows.lists("candidates")
    run = ranked(rows, rankings)
    listed = ",".join(str(k) for k in cuts)
    measures = {f"{name}.{listed}" for name in AT_K.values() if cuts} | set(WITHOUT_CUT.values())
    scores = _evaluate(qrels, run, measures)
    found = {metric: column(rows, scores, name) for metric, name in WITHOUT_CUT.items()}
    # Something was found at all iff the first hit has a rank.
    found["hit@all"] = np.where(found["mrr@all"] > 0, 1.0, 0.0)
    for k in cuts:
        for metric, name in AT_K.items():
            base, _, variant = metric.partition("/")
            label = f"{base}@{k}/{variant}" if variant else f"{base}@{k}"
            found[label] = column(rows, scores, f"{name}_{k}")
        cut = _evaluate(qrels, ranked(rows, rankings, k), {"recip_rank", "set_P"})
        found[f"mrr@{k}"] = column(rows, cut, "recip_rank")
        found[f"precision@{k}/k_eff"] = column(rows, cut, "set_P")
    return found


def _evaluate(qrels: Judged, run: Ranked, measures: set[str]) -> dict[str, dict[str, float]]:
    import pytrec_eval  # noqa: PLC0415 - loaded in the witness's own process

    evaluator = pytrec_eval.RelevanceEvaluator(qrels, measures)
    return dict(evaluator.evaluate(run))


WITNESS = Witness(
    name="trec_eval",
    kind="library",
    testify=testify,
    packages=("pytrec_eval-terrier",),
    per_query=per_query,
    rows_limit=200_000,
)
