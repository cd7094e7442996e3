"""Tables with one row for each user and item, or query and document, under names of their own.

Recommender systems write judgements and runs this way. The readers know such tables by the names
of TREC's tools: what is said here is how to call the columns, and what the numbers then mean.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

QUERY = re.compile(r"(user|uid|customer|visitor|session|query|qid|topic|question)[_-]?(id|idx|no)?")
DOCUMENT = re.compile(
    r"(item|iid|movie|product|book|song|track|artist|business|article|news|asin"
    r"|doc|docno|docid|document|passage|chunk|pid|corpus)[_-]?(id|idx|no)?"
)
RELEVANCE = re.compile(r"rating|stars|r_ui|relevance|rel|qrel|grade|clicked|purchased|label|target")
SCORE = re.compile(r"score|prediction|predicted|pred|est|estimate|sim|y_score|y_pred|logit|rank")
READ = {"query": "qid", "document": "docno", "relevance": "relevance", "score": "score"}
"""What is meant → the name under which both readers know it."""


def told_pairs(columns: dict[str, list[Any]]) -> str:
    """Say how to name the columns of such a table; empty where it is none."""
    meant = _meant(columns)
    known = set(meant.values()) <= set(READ.values())
    if known or not {"query", "document"} <= meant.keys() or len(meant) < len(READ) - 1:
        return ""
    half = {"relevance", "score"} & meant.keys()
    given = (
        "judgements and a run" if len(half) > 1 else "a run" if "score" in half else "judgements"
    )
    names = {theirs: READ[ours] for ours, theirs in meant.items() if theirs != READ[ours]}
    told = (
        f"With one row for each {meant['query']} and {meant['document']} it holds {given}. "
        f"Name the columns so (in pandas): df.rename(columns={names}). "
    )
    if len(half) > 1:
        told += "Then give the file as both: crosscheck gate --qrels FILE --run FILE."
    else:
        told += "Then give both halves: crosscheck gate --qrels QRELS --run RUN."
    return " ".join([told, *_levels(columns, meant)])


def _meant(columns: dict[str, list[Any]]) -> dict[str, str]:
    """Give the columns by what their names mean; a name's type after a colon is not part of it."""
    found: dict[str, str] = {}
    wanted = (("query", QUERY), ("document", DOCUMENT), ("relevance", RELEVANCE), ("score", SCORE))
    for name, held in columns.items():
        bare = name.partition(":")[0].lower()
        for ours, pattern in wanted:
            if pattern.fullmatch(bare) and not any(isinstance(one, list) for one in held):
                found.setdefault(ours, name)
    return found


def _levels(columns: dict[str, list[Any]], meant: dict[str, str]) -> Iterator[str]:
    """Say from where on a rating is relevant, and that parts of a whole are no grades."""
    name = meant.get("relevance")
    texts = [str(one) for one in columns.get(name or "", []) if one not in (None, "")]
    part = next((one for one in texts if re.fullmatch(r"\d+\.\d*[1-9]\d*", one)), None)
    if part:
        yield f"{name} holds {part}: a grade is a whole number, so double it or round it."
    elif any(re.fullmatch(r"[2-9]|\d\d+", one.removesuffix(".0")) for one in texts):
        yield "Every grade of at least 1 is relevant unless --relevance-level says from where on."
