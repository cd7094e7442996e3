"""Columns that look like a metric and are none: `MRR rank`, `Avg. rank`, `p` beside accuracy."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from crosscheck.notation.metric_names import folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crosscheck.notation.claim import Claim

RANK = frozenset(("rank", "place", "position", "pos", "ranking"))
AVERAGE = frozenset(("avgrank", "averagerank", "meanrank", "avgranking", "rankavg", "rankmean"))
BY = re.compile(r"^(?P<metric>.+?) (?:rank|place)$|^(?:rank|place) (?:by |\()(?P<of>[^)]+)\)?$")
_TESTED = frozenset(("p", "p-value", "p value", "p-val", "$p$"))
_RATES = ("recall", "sensitivity", "f1", "f_beta")
"""Metrics beside which `p` is precision, unless a `P` is."""


def recast(claims: Sequence[Claim]) -> list[Claim]:
    """Take ranks and p-values out of the metrics that their names resemble."""
    rates = {(c.file, c.table) for c in claims if c.metric.startswith(_RATES)}
    capital = {(c.file, c.table) for c in claims if c.metric == "precision" and not _is_tested(c)}
    return [
        _told(claim, tested=place not in rates or place in capital)
        for claim in claims
        for place in [(claim.file, claim.table)]
    ]


def _is_tested(claim: Claim) -> bool:
    return claim.name.strip() in _TESTED


def is_rank(names: Iterable[str]) -> bool:
    """Whether a column of this name holds ranks."""
    return any(folded(name) in RANK or BY.match(name.lower()) is not None for name in names)


def _told(claim: Claim, *, tested: bool) -> Claim:
    if claim.key is None or claim.role != "value":
        return claim
    ranked = is_rank((claim.name,)) and (claim.condition or folded(claim.name) in RANK)
    if ranked or folded(claim.name) in AVERAGE:
        return replace(claim, role="unknown", key=None, problem="a rank, no metric")
    if tested and claim.metric == "precision" and _is_tested(claim):
        return replace(claim, role="unknown", key=None, problem="a p-value, or a precision")
    return claim
