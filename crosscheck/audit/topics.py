"""Rows that say how many documents are relevant: K·P@K counts hits, and there are no more of them.

The number stands under a name such as “Relevant” or “|G|”, which is no metric of the contract; it
is used where it is a whole number in the row of the precision.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from crosscheck.audit import subjects
from crosscheck.audit.rates import interval
from crosscheck.audit.verdicts import Tally, exact, named
from crosscheck.notation.interval import short
from crosscheck.notation.measure import Measure
from crosscheck.notation.metric_names import folded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.notation.claim import Claim

RELEVANT = frozenset(
    ("relevant", "#relevant", "relevants", "norelevant", "numrel", "numrelevant", "relevantdocs")
) | frozenset(("relevantdocuments", "gold", "#gold", "goldset", "|g|", "g", "#rel", "rel"))
"""Names of the number of relevant documents, in lower case without blanks and marks."""


def audit(claims: Sequence[Claim]) -> Tally:
    """Hold precision at K against the number of relevant documents of its row."""
    tally = Tally()
    for some in subjects.of_table(claims).values():
        counts = [claim for claim in some if _is_count(claim)]
        for claim in some:
            measure = Measure.parse(claim.metric) if claim.role == "value" else None
            if measure is None or not claim.readable or math.isinf(measure.k) or measure.variant:
                continue
            beside = [c for c in counts if c.at[0] == claim.at[0] or c.at[1] == claim.at[1]]
            if measure.kind == "precision" and len(beside) == 1:
                _judge(claim, int(measure.k), beside[0], tally)
    return tally


def _is_count(claim: Claim) -> bool:
    number = claim.number
    whole = number is not None and number.step == 1 and not number.relation and number.value >= 0
    return whole and folded(claim.name) in RELEVANT and not claim.percent


def _judge(claim: Claim, k: int, count: Claim, tally: Tally) -> None:
    if count.number is None:
        return
    gold, hits = int(count.number.value), interval(claim).low * k
    tally.looked_at((claim, count))
    if hits > gold:
        tally.found(
            "XC927",
            (claim, count),
            f"{named(claim)} is {short(hits, 3)} hits or more among {k}, and {named(count)} has "
            "fewer",
            f"{claim.label} at most {short(gold / k)}",
            ("the number is of another query, or P is divided by what was returned",),
            worked=f"{k}·{exact(interval(claim).low)} > {gold}",
        )
