"""pytrec_eval: trec_eval as a library."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytrec_eval
from common import CUTOFFS, Answers, dictionaries, mean

if TYPE_CHECKING:
    from pathlib import Path

NAMES = {
    "recall": "recall",
    "P": "precision",
    "map_cut": "map",
    "ndcg_cut": "ndcg",
    "success": "hit",
}


def warm() -> None:
    """Nothing is compiled."""


def ranking(path: Path) -> Answers:
    """Compute six measures."""
    return _measured(path, list(NAMES))


def five(path: Path) -> Answers:
    """Compute five: recall, precision, average precision, nDCG, reciprocal rank."""
    return _measured(path, list(NAMES)[:4])


def graded(path: Path) -> Answers:
    """Compute nDCG of graded judgements."""
    qrels, run = dictionaries(path)
    cut = ",".join(map(str, CUTOFFS))
    found = pytrec_eval.RelevanceEvaluator(qrels, {f"ndcg_cut.{cut}"}).evaluate(run).values()
    return {f"ndcg@{k}": mean(one[f"ndcg_cut_{k}"] for one in found) for k in CUTOFFS}


def trec(folder: Path) -> Answers:
    """Compute six measures of TREC text, read as its users do: a loop over the lines."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    with (folder / "qrels").open(encoding="utf-8") as lines:
        for line in lines:
            query, _, document, relevance = line.split()
            qrels.setdefault(query, {})[document] = int(relevance)
    with (folder / "run").open(encoding="utf-8") as lines:
        for line in lines:
            query, _, document, _, score, _ = line.split()
            run.setdefault(query, {})[document] = float(score)
    return _answers(qrels, run, list(NAMES))


def _measured(path: Path, measures: list[str]) -> Answers:
    return _answers(*dictionaries(path), measures)


def _answers(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], measures: list[str]
) -> Answers:
    cut = ",".join(map(str, CUTOFFS))
    wanted = {f"{measure}.{cut}" for measure in measures} | {"recip_rank"}
    found = pytrec_eval.RelevanceEvaluator(qrels, wanted).evaluate(run).values()
    answers = {
        f"{NAMES[measure]}@{k}": mean(one[f"{measure}_{k}"] for one in found)
        for measure in measures
        for k in CUTOFFS
    }
    return answers | {"mrr": mean(one["recip_rank"] for one in found)}
