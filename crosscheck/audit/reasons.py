"""In words: why cells contradict each other, and which explanations are left.

An explanation is listed only if the program finds it possible: another cut-off, another
definition, two cells exchanged, or the value that a printed percentage implies.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crosscheck.audit.contradictions import possible
from crosscheck.notation.interval import short

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crosscheck.audit.contradictions import Contradiction
    from crosscheck.notation.claim import Claim
    from crosscheck.notation.interval import Interval
    from crosscheck.notation.measure import Measure

    Values = Mapping[Measure, Interval]

OTHER_CUTOFFS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 24, 25, 30, 50, 100)
_SHOWN = 3
_NAMES = {
    "ndcg": "nDCG",
    "precision": "P",
    "recall": "recall",
    "hit": "Hit",
    "mrr": "MRR",
    "map": "MAP",
}


def written(measure: Measure) -> str:
    """Write a measure as people do."""
    return str(measure).replace(measure.kind, _NAMES[measure.kind], 1)


def why(one: Contradiction, values: Values) -> str:
    """Say which law the cells break, as plainly as there is a plain one."""
    kinds: set[str] = {m.kind for m in one.cells}
    cutoffs = sorted({m.k for m in one.cells})
    if cutoffs == [1] and len(one.cells) > 1:
        return "with one place and binary relevance they are the same number"
    if len(kinds) == 1 and len(cutoffs) == 2:  # noqa: PLR2004 - one metric at two cut-offs
        return f"{_NAMES[next(iter(kinds))]} never falls as K grows"
    if len(cutoffs) == 1:
        return _same_cutoff(kinds)
    return _between(one, values)


def _same_cutoff(kinds: set[str]) -> str:
    laws = {
        frozenset({"precision", "hit"}): "precision is at most hit, and K times precision at least",
        frozenset({"recall", "hit"}): "recall is at most hit",
        frozenset({"mrr", "hit"}): "reciprocal rank is at most hit, and K times it at least",
        frozenset({"ndcg", "hit"}): "a gain needs a hit, and a hit brings a gain",
    }
    return laws.get(frozenset(kinds), "no ranking gives both at one cut-off")


def _between(one: Contradiction, values: Values) -> str:
    """Say what the hits between two cut-offs could have added."""
    low, high = min(m.k for m in one.cells), max(m.k for m in one.cells)
    target = one.culprit or max(one.cells, key=lambda m: (m.kind in {"ndcg", "mrr", "map"}, m.k))
    start = next((m for m in one.cells if m.kind == target.kind and m.k == low), None)
    room = one.possible.get(target)
    if start is None or room is None or target.k != high:
        return f"no rankings give them together at ranks 1 to {short(high)}"
    most = max(0.0, room[1] - float(values[start].low + values[start].high) / 2)
    return (
        f"the hits that ranks {int(low) + 1} to {short(high)} can hold add at most "
        f"{short(most, 3)} to {written(start)}"
    )


def remaining(
    one: Contradiction,
    values: Values,
    cells: Mapping[Measure, Claim],
    doubted: Mapping[Claim, Interval],
) -> tuple[str, ...]:
    """List what would still explain a contradiction."""
    found: list[str] = []
    for suspect in [one.culprit] if one.culprit else one.cells:
        others = {m: i for m, i in values.items() if m in one.cells and m != suspect}
        found += _implied(suspect, others, cells[suspect], doubted)
        found += _other_cutoffs(suspect, values, others)
        found += _exchanged(suspect, values, one)
    found += _other_definitions(one, values)
    if any(m.kind == "ndcg" for m in one.cells):
        found.append("nDCG with graded gains, which a binary table cannot show")
    return tuple(dict.fromkeys(found))


def _implied(
    suspect: Measure, others: Values, claim: Claim, doubted: Mapping[Claim, Interval]
) -> list[str]:
    """See whether the value that the printed percentage implies would fit."""
    implied = doubted.get(claim)
    if implied is None or not possible({**others, suspect: implied}):
        return []
    middle = short(float(implied.low + implied.high) / 2, 4)
    implies = "which its printed change implies and which fits beside them"
    return [f"{written(suspect)} is really {middle}, {implies}"]


def _other_cutoffs(suspect: Measure, values: Values, others: Values) -> list[str]:
    fitting = []
    for k in OTHER_CUTOFFS:
        moved = replace(suspect, k=k)
        if moved not in values and moved.modelled and possible({**others, moved: values[suspect]}):
            fitting.append(moved)
    fitting.sort(key=lambda m: abs(m.k - suspect.k))
    names = [written(m) for m in fitting[:_SHOWN]]
    return [f"{written(suspect)} is really {' or '.join(names)}"] if names else []


def _exchanged(suspect: Measure, values: Values, one: Contradiction) -> list[str]:
    """See whether exchanging the suspect with another cell of the table mends the contradiction."""
    found = []
    kinds = {m.kind for m in one.cells}
    for other in values:
        if other == suspect or values[other] == values[suspect]:
            continue
        near = {m: i for m, i in values.items() if m.kind in kinds or m == other}
        swapped = {**near, suspect: values[other], other: values[suspect]}
        if possible(swapped):
            first, second = sorted((suspect, other))
            found.append(f"{written(first)} and {written(second)} are exchanged")
    return found[:_SHOWN]


def _other_definitions(one: Contradiction, values: Values) -> list[str]:
    found = []
    for kind, text in (
        ("precision", "precision is divided by the number returned where it is below K"),
        ("ndcg", "nDCG's ideal is cut to the number returned"),
    ):
        cells = {m: values[m] for m in one.cells}
        moved = {replace(m, variant="k_eff") if m.kind == kind else m: i for m, i in cells.items()}
        if moved.keys() != cells.keys() and possible(moved):
            found.append(text)
    found += _hits_for_recall(one, values)
    if {m.kind for m in one.cells} > {"recall"}:
        rest = {m: values[m] for m in one.cells if m.kind != "recall"}
        if possible(rest):
            found.append("recall is divided by the gold that was retrieved, not by all of it")
    return found


def _hits_for_recall(one: Contradiction, values: Values) -> list[str]:
    """See whether what is called recall can be the share of queries with a hit."""
    cells = {m: values[m] for m in one.cells}
    moved = {replace(m, kind="hit") if m.kind == "recall" else m: i for m, i in cells.items()}
    if moved.keys() == cells.keys() or len(moved) < len(cells) or not possible(moved):
        return []
    names = ", ".join(written(m) for m in cells if m.kind == "recall")
    return [f"{names} is really Hit: the share of queries with any hit"]


def for_joint(one: Contradiction, values: Values) -> tuple[str, ...]:
    """List what explains numbers that fit in pairs but not together."""
    found = ["cells from different runs, folds or versions of the data stand in one table"]
    return tuple(found + _other_definitions(one, values))
