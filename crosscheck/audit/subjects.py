"""Of what a number speaks, and which numbers are known to speak of the same.

A contradiction between two numbers is an error only where both are of one system, data set, split,
population and definition. A table says so by its labels, as far as they tell its rows apart: where
one subject has two values for one key, something that was not read parts them, and nothing is
concluded from them together.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crosscheck.contract import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crosscheck.notation.claim import Claim

Place = tuple[str, str, str]
_CLASSES = re.compile(
    r"multi-?\s?class|macro|weighted|micro|one-?vs-?(?:rest|all)|\b(?:[3-9]|[1-9]\d+) classes\b",
    re.IGNORECASE,
)
_OF_CLASSES = ("/multiclass", "/ovr_macro", "/top_label", "/ovr", "/ovo")
BINARY = frozenset(("specificity", "fpr", "npv", "tp", "fp", "tn", "fn", "fnr"))
"""Metrics that only two classes have: beside them every rate is of the positive class."""
_BINARY_COUNT = 2


def values(claims: Iterable[Claim]) -> list[Claim]:
    """Give the plain values and counts: read, of a known scale, with a key."""
    return [c for c in claims if c.role in {"value", "count"} and c.key and c.readable]


def apart(claims: Iterable[Claim]) -> dict[Place, list[Claim]]:
    """Group values by subject, without the subjects that the labels do not tell apart."""
    found: dict[Place, list[Claim]] = defaultdict(list)
    for claim in values(claims):
        found[claim.beside].append(claim)
    return {place: some for place, some in found.items() if not blurred(some)}


def blurred(claims: Sequence[Claim]) -> bool:
    """Whether one subject has two different values for one key: its labels hide a difference."""
    seen: dict[str, Claim] = {}
    for claim in claims:
        first = seen.setdefault(claim.key or "", claim)
        if first.at != claim.at and not first.interval.meets(claim.interval):
            return True
    return False


def of_table(claims: Iterable[Claim]) -> dict[tuple[str, str], list[Claim]]:
    """Group claims by file and table."""
    found: dict[tuple[str, str], list[Claim]] = defaultdict(list)
    for claim in claims:
        found[claim.file, claim.table].append(claim)
    return found


@dataclass(frozen=True, slots=True)
class Task:
    """What a table says about the number of classes."""

    several: bool
    """Whether anything says that there are more than two, or that rates are averaged over them."""
    binary: bool
    """Whether it prints what only two classes have."""


def task(claims: Sequence[Claim]) -> Task:
    """Tell the task of one table's claims."""
    metrics = {claim.metric for claim in claims if claim.key}
    classes = {claim.key.split("|")[2] for claim in claims
               if claim.key and claim.key.split("|")[2].startswith("class=")}  # fmt: skip
    said = any(_CLASSES.search(claim.title) for claim in claims[:1])
    several = (
        said
        or len(classes) > _BINARY_COUNT
        or any(one.endswith(_OF_CLASSES) for one in metrics)
        or any(one.startswith(("count@", "top_")) for one in metrics)
    )
    return Task(several or _weighted(claims), bool(metrics & BINARY) and not several)


def _weighted(claims: Sequence[Claim]) -> bool:
    """Whether recall is accuracy in every row: then rates are weighted over classes."""
    rows: dict[str, dict[str, Claim]] = defaultdict(dict)
    for claim in values(claims):
        rows[claim.subject][claim.metric] = claim
    both = [row for row in rows.values() if {"accuracy", "sensitivity"} <= row.keys()]
    return bool(both) and all(
        row["accuracy"].interval.meets(row["sensitivity"].interval) for row in both
    )


def is_pooled(claim: Claim) -> bool:
    """Whether a number is over all queries at once: a mean over folds obeys fewer laws."""
    parts = (claim.key or "|||").split("|")
    return parts[2] == "all" or parts[2].startswith(("class=", "fold=", "seed="))


def context(claim: Claim) -> tuple[str, ...]:
    """Give all of a number's subject but its system: where systems are compared."""
    split = "" if claim.split in {None, "EVAL"} else str(claim.split)
    return claim.file, claim.table, claim.dataset or "", split, claim.condition


def siblings(claims: Sequence[Claim]) -> list[list[Claim]]:
    """Find tables that print other metrics of the same systems under the same heading.

    Each comes as the claims of all of them, with one table's name.
    """
    tables = {place: values(some) for place, some in of_table(claims).items() if place[1]}
    found: dict[tuple[object, ...], list[list[Claim]]] = defaultdict(list)
    for (file, _), some in tables.items():
        systems = frozenset(claim.subject for claim in some)
        if some and len(systems) > 1:
            found[file, some[0].title, systems].append(some)
    joined = []
    for group in found.values():
        keys = [{claim.key for claim in some} for some in group]
        if len(group) > 1 and sum(map(len, keys)) == len(set().union(*keys)):
            name = " and ".join(some[0].table for some in group)
            joined.append([replace(claim, table=name) for some in group for claim in some])
    return joined


def direction(claim: Claim) -> int:
    """Say whether more is better (1), less (−1), or neither (0)."""
    found = load().find(claim.metric) if claim.metric else None
    return {"higher": 1, "lower": -1}.get(found.metric.direction if found else "", 0)
