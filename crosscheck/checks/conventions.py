"""What the data leave to a convention (contract, sections 14 to 17): each is counted and told.

None of it is wrong by itself, and each has changed a published number: topics that a run lacks,
grades read as yes or no, documents listed twice, ids that differ by a blank, ties in 32 bits.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from crosscheck.checks import class_names, class_order, repetitions
from crosscheck.checks.origin import query_name
from crosscheck.model.findings import finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.checks import Evidence
    from crosscheck.model.findings import Finding

MISSING = "{} judged queries are not in the run and count with an empty ranking: 0 in every mean"
NOTHING_SHARED = (
    "none of the {} judged queries is in the run, so every number is 0 by convention: the run and "
    "the qrels do not belong together, or write their query ids differently"
)
FEW_SHARED = (
    "{} of {all} judged queries are not in the run and count 0, so that most of every mean is "
    "convention: the run and the qrels do not belong together, or the run is a part"
)
TWICE = (
    "{} documents stand twice in a ranking; the best place of each was kept, as dedupe = "
    '"{dedupe}" says'
)
TIED = (
    "{} queries have different scores that are equal as 32-bit floats; they were ordered by ties = "
    '"{ties}", trec_eval orders such documents by id'
)
UNLIKELY = "{} rows have a predicted class that is not the one with the largest probability"
STRADDLING = (
    "{} rows have a probability that stands on both sides of a cut between bins of equal mass: the "
    "order of the file decides where they are"
)
SHOWN = "10"
"""The cut-off at which the two kinds of nDCG are shown beside each other, if it is there."""

COUNTED = {
    "missing_topics": ("XC111", MISSING),
    "duplicates_removed": ("XC113", TWICE),
    "float32_ties": ("XC115", TIED),
    "disagreeing_predictions": ("XC116", UNLIKELY),
    "straddling": ("XC117", STRADDLING),
}
"""A fact that counts → its rule, and what is told of it."""


def found(evidence: Evidence) -> Iterator[Finding]:
    """Say which conventions decided something in these data."""
    yield from _counted(evidence)
    yield from _graded(evidence)
    yield from _lookalikes(evidence)
    yield from _like_probabilities(evidence)
    yield from repetitions.found(evidence)
    yield from class_order.found(evidence)
    yield from class_names.found(evidence)


def _counted(evidence: Evidence) -> Iterator[Finding]:
    """Tell of every fact that is a count of rows or queries which a convention decided about."""
    facts, settings = evidence.facts, evidence.case.settings
    words = {"dedupe": settings.get("dedupe"), "ties": settings.get("ties", "order")}
    counted = COUNTED
    missing, judged = facts.get("missing_topics") or 0, facts["queries"].get("all_queries") or 0
    if missing * 2 > judged:
        said = NOTHING_SHARED if missing == judged else FEW_SHARED
        counted = COUNTED | {"missing_topics": ("XC120", said)}
    words["all"] = f"{judged:,}"
    if settings.get("ties") == "trec_eval":
        # They are ordered as trec_eval does: there is nothing to try.
        counted = {fact: told for fact, told in counted.items() if fact != "float32_ties"}
    for fact, (rule, text) in counted.items():
        count = facts.get(fact)
        if count:
            yield finding(rule, text.format(f"{count:,}", **words), system=evidence.system)
    if facts.get("key") == "rows":
        yield finding(
            "XC118",
            "no column names the query: the number of its row stands for it",
            system=evidence.system,
        )


def _graded(evidence: Evidence) -> Iterator[Finding]:
    """Say how far nDCG with yes or no is from nDCG by grade, where grades go beyond 1."""
    largest = evidence.facts.get("grade_max")
    if largest is None or "graded" not in evidence.facts["families"] or largest < 2:  # noqa: PLR2004 - a grade above yes
        return
    ledger = evidence.ledger
    cuts = [SHOWN, *dict.fromkeys(_cut(key) for key in ledger if key.startswith("ndcg@"))]
    for cut in cuts:
        plain = ledger.get(f"ndcg@{cut}|positives_only|all|mean")
        graded = ledger.get(f"ndcg@{cut}/graded|positives_only|all|mean")
        if plain is not None and graded is not None:
            level = evidence.case.settings.get("relevance_level", 1)
            yield finding(
                "XC112",
                f"grades go up to {largest}; ndcg@{cut} counts every grade of at least {level} "
                f"alike and is {plain:.6g}, ndcg@{cut}/graded is {graded:.6g}",
                system=evidence.system,
            )
            return


def _cut(key: str) -> str:
    return key.partition("|")[0].removeprefix("ndcg@").partition("/")[0]


def _lookalikes(evidence: Evidence) -> Iterator[Finding]:
    count = evidence.facts.get("lookalikes")
    if count:
        place, gold, listed = next(_pairs(evidence), ("", "", ""))
        first = f", first {gold!r} beside {listed!r} in {place}" if place else ""
        yield finding(
            "XC114",
            f"{count:,} relevant ids are not among the ranked ones, but differ from one of them "
            f"only by case, blanks or Unicode form{first}",
            system=evidence.system,
            place=place or None,
        )


def _pairs(evidence: Evidence) -> Iterator[tuple[str, str, str]]:
    """Give (query, relevant id, ranked id) of ids that look alike."""
    rows = evidence.rows
    for row, (gold, ranked) in enumerate(zip(rows.gold, rows.lists("candidates"), strict=True)):
        known = {_folded(uid): uid for uid in reversed(ranked)}
        for uid in gold:
            if uid not in ranked and _folded(uid) in known:
                yield query_name(evidence, row), uid, known[_folded(uid)]


def _folded(uid: str) -> str:
    return unicodedata.normalize("NFC", uid).strip().casefold()


def _like_probabilities(evidence: Evidence) -> Iterator[Finding]:
    """Say so where a score could be a probability: it was not asked for calibration."""
    columns = evidence.facts.get("columns", {})
    if "score" not in columns or "prob" in columns:
        return
    scores = evidence.rows.score
    if len(scores) and scores.min() >= 0 and scores.max() <= 1:
        yield finding(
            "XC119",
            f"every {columns['score']} is between 0 and 1, and it was read as a score: no "
            "calibration, and no threshold of 0.5",
            system=evidence.system,
        )
