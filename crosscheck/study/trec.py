"""The second built-in study: graded judgements of fifty topics, and two runs, as TREC files.

Scores have seven decimals of which 32 bits hold about six: pairs tie for trec_eval that a sort by
the file's own digits tells apart. Some documents are judged not at all, some are judged −1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from crosscheck.study import draws

if TYPE_CHECKING:
    from crosscheck.study.draws import Integers

TOPICS: Final = 50
FIRST_TOPIC: Final = 301
POOL: Final = 40
"""Judged documents of a topic."""
OTHERS: Final = 12
"""Documents that a run finds and nobody has judged."""
DEPTH: Final = 30
GRADES: Final = (0, 1, 2, 3, -1)
WEIGHTS: Final = (24, 9, 4, 1, 2)
RUNS: Final = {"bm25": 520, "dense": 700}
"""Run → how much a grade moves a score, in thousandths of the noise's deviation."""
LEVELS: Final = 400
"""Thousandths of a deviation within which scores share their first four decimals."""
QRELS: Final = "qrels.txt"
GATED: Final = (QRELS, "bm25.run", "crosscheck.toml")
"""Judgements, the first run, and the config that both are gated under."""
CONFIG: Final = """\
# A built-in study of metric-crosscheck: graded judgements of fifty topics, and two runs.

ties = "trec_eval"
k = [5, 10, 20]
claims = "claims.json"
metrics = ["ndcg@10/graded", "map@10", "recall@10"]

[systems.bm25]
data = { qrels = "qrels.txt", run = "bm25.run" }

[systems.dense]
data = { qrels = "qrels.txt", run = "dense.run" }
"""


def files() -> dict[str, bytes]:
    """Give the files of the study, claims aside."""
    return {
        QRELS: _qrels().encode(),
        **{f"{name}.run": _run(name).encode() for name in RUNS},
        "crosscheck.toml": CONFIG.encode(),
    }


def _grades() -> Integers:
    """Draw the grade of every judged document; the first of a topic is relevant."""
    chosen = draws.pick(np.array(WEIGHTS), "trec grades", TOPICS, POOL)
    grades = np.array(GRADES)[chosen]
    grades[:, 0] = np.maximum(grades[:, 0], 1)
    return grades


def _document(topic: int, place: int) -> str:
    return f"FT{FIRST_TOPIC + topic}-{place * 37 % 101:03d}"


def _qrels() -> str:
    return "".join(
        f"{FIRST_TOPIC + topic} 0 {_document(topic, place)} {grade}\n"
        for topic, row in enumerate(_grades().tolist())
        for place, grade in enumerate(row)
    )


def _run(name: str) -> str:
    """Rank each topic by noise and grade; what is not judged counts as not relevant."""
    grades = np.concatenate(
        [np.maximum(_grades(), 0), np.zeros((TOPICS, OTHERS), dtype=np.int64)], axis=1
    )
    noise = draws.bell(f"trec {name}", TOPICS, POOL + OTHERS)
    level = (noise + grades * RUNS[name]) // LEVELS
    last = draws.below(9, f"trec {name} digits", TOPICS, POOL + OTHERS)
    # In ten-millionths: steps of a thousandth, and a last digit that 32 bits do not hold.
    scores = 180_000_000 + level * 10_000 + last
    lines = []
    for topic in range(TOPICS):
        best = np.argsort(-scores[topic], kind="stable")[:DEPTH].tolist()
        for rank, place in enumerate(best, 1):
            whole, part = divmod(int(scores[topic, place]), 10**7)
            document = _document(topic, place)
            lines.append(f"{FIRST_TOPIC + topic} Q0 {document} {rank} {whole}.{part:07d} {name}\n")
    return "".join(lines)
