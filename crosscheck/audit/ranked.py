"""Can these ranking numbers be averages over queries? By system, population and slice.

MAP is set apart at first: the documents divide it by three different things, so each definition
is tried, and the table is told which of them it is compatible with.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.audit import contradictions, reasons
from crosscheck.audit.average_precision import audit as audit_map
from crosscheck.audit.graded import beyond_grades
from crosscheck.audit.verdicts import TableFinding, Tally, listed, named
from crosscheck.notation.interval import short
from crosscheck.notation.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crosscheck.audit.contradictions import Contradiction
    from crosscheck.notation.claim import Claim
    from crosscheck.notation.interval import Interval

_SEVERAL = 2
_FINE = Fraction(1, 1000)
AT_ONE = ("hit", "precision", "mrr")
_BINARY = "nDCG is of binary relevance"
_TOO_MUCH = "so much of the document is contradictory that no reason was looked for"
MOST_CUTOFFS = 12
"""Cut-offs of one ranking that are held against each other: the work grows with their square."""
_ONE_RUN = "all of them are of one run over the same queries"


def audit(claims: Sequence[Claim], doubted: Mapping[Claim, Interval]) -> Tally:
    """Audit every ranking; `doubted` are cells that a printed change speaks against."""
    tally = Tally()
    every = groups(claims, tally)
    binary = _binary_tables(every)
    for place, cells in every.items():
        if len(cells) < _SEVERAL:
            for claim in cells.values():
                tally.reasons.setdefault(claim, "no other number of its ranking stands beside it")
            continue
        near = _spread(cells, tally)
        tally.add(_audit_group(near, doubted, binary=place[:2] in binary))
    return tally


def _binary_tables(
    every: Mapping[tuple[str, ...], Mapping[Measure, Claim]],
) -> set[tuple[str, ...]]:
    """Find the tables whose nDCG is known to be binary.

    They say so, or print it at 1 for some system and it is Hit@1 there: grades would make it less.
    """
    found = set()
    for place, cells in every.items():
        if any("binary" in f"{c.title} {c.label}".lower() for c in cells.values()):
            found.add(place[:2])
        gain = next((c for m, c in cells.items() if m.kind == "ndcg" and m.k == 1), None)
        hits = next((c for m, c in cells.items() if m.kind in AT_ONE and m.k == 1), None)
        if gain is not None and hits is not None:
            fine = gain.interval.high - gain.interval.low <= _FINE
            if fine and gain.interval.meets(hits.interval) and gain.interval.low > 0:
                found.add(place[:2])
    return found


def groups(claims: Sequence[Claim], tally: Tally) -> dict[tuple[str, ...], dict[Measure, Claim]]:
    """Gather the means of one ranking over the same queries."""
    found: dict[tuple[str, ...], dict[Measure, Claim]] = defaultdict(dict)
    hidden: set[tuple[str, ...]] = set()
    for claim in claims:
        if claim.role != "value" or claim.key is None or claim.number is None:
            continue
        metric, population, where, statistic = claim.key.split("|")
        measure = Measure.parse(metric)
        if measure is None or statistic != "mean" or claim.number.relation:
            continue
        if not measure.modelled:
            tally.reasons[claim] = f"what values {metric} can take beside others is not modelled"
        elif claim.percent is None:
            tally.reasons[claim] = "it may be a fraction or a percentage: the table prints both"
        else:
            place: tuple[str, ...] = (*claim.beside, population, where)
            first = found[place].setdefault(measure, claim)
            if not first.interval.meets(claim.interval):
                hidden.add(place)
    for blurred in hidden:
        for claim in found.pop(blurred).values():
            tally.reasons[claim] = "the labels do not tell two different numbers of it apart"
    return found


def _audit_group(
    cells: dict[Measure, Claim], doubted: Mapping[Claim, Interval], *, binary: bool
) -> Tally:
    tally = Tally()
    tally.looked_at(cells.values())
    values = {measure: claim.interval for measure, claim in cells.items()}
    plain = {m: i for m, i in values.items() if m.kind != "map"}
    suspects = frozenset(m for m in plain if cells[m] in doubted)
    found = contradictions.find(plain, suspects)
    for one in found:
        tally.findings.append(_finding(one, cells, values, doubted, binary=binary))
    convicted = {one.culprit for one in found if one.close}
    joint = any(not one.close for one in found)
    rest = {m: c for m, c in cells.items() if m not in convicted}
    if any(m.kind == "map" for m in rest):
        tally.add(audit_map(rest, {m: values[m] for m in rest}, already_joint=joint))
    return tally


def _spread(cells: dict[Measure, Claim], tally: Tally) -> dict[Measure, Claim]:
    """Keep cut-offs from the first to the last where a ranking prints very many."""
    cutoffs = sorted({m.k for m in cells})
    if len(cutoffs) <= MOST_CUTOFFS:
        return cells
    last = MOST_CUTOFFS - 1
    kept = {cutoffs[step * (len(cutoffs) - 1) // last] for step in range(MOST_CUTOFFS)}
    for measure, claim in cells.items():
        if measure.k not in kept:
            tally.reasons[claim] = f"only {MOST_CUTOFFS} cut-offs of a ranking are held together"
    return {m: claim for m, claim in cells.items() if m.k in kept}


def _printed(claim: Claim, value: float) -> str:
    """Write a bound in the units that the cell is printed in."""
    return short(100 * value, 4) + " %" if claim.percent else short(value)


def _finding(
    one: Contradiction,
    cells: Mapping[Measure, Claim],
    values: Mapping[Measure, Interval],
    doubted: Mapping[Claim, Interval],
    *,
    binary: bool,
) -> TableFinding:
    claims = tuple(cells[measure] for measure in one.cells)
    room = "; ".join(
        f"{cells[m].label} would have to lie between {_printed(cells[m], low)} and "
        f"{_printed(cells[m], high)}"
        for m, (low, high) in one.possible.items()
        if low <= high
    )
    if not one.close:
        return TableFinding(
            "XC913",
            claims,
            f"{listed(claims)} cannot all be averages over the same queries: no rankings give them "
            "together, although any two metrics at two cut-offs could be",
            room,
            _for_joint(one, values),
            severity="advice",
            worked=_worked(one, values),
            only_if=_ONE_RUN + (", and nDCG is of binary relevance" if _has_gain(one) else ""),
        )
    sentence = f"{listed(claims)} cannot stand together: {reasons.why(one, values)}"
    if one.culprit is not None:
        sentence += f". The cell that does not fit is {named(cells[one.culprit])}"
    only_if = "" if binary or not _has_gain(one) or beyond_grades(one, values) else _BINARY
    return TableFinding(
        "XC912",
        claims,
        sentence,
        room,
        _remaining(one, values, cells, doubted),
        "advice" if only_if else "error",
        _worked(one, values),
        only_if,
        None if one.culprit is None else cells[one.culprit],
    )


def _remaining(
    one: Contradiction,
    values: Mapping[Measure, Interval],
    cells: Mapping[Measure, Claim],
    doubted: Mapping[Claim, Interval],
) -> tuple[str, ...]:
    try:
        return reasons.remaining(one, values, cells, doubted)
    except contradictions.TooMuchError:
        return (_TOO_MUCH,)


def _for_joint(one: Contradiction, values: Mapping[Measure, Interval]) -> tuple[str, ...]:
    try:
        return reasons.for_joint(one, values)
    except contradictions.TooMuchError:
        return (_TOO_MUCH,)


def _has_gain(one: Contradiction) -> bool:
    return any(m.kind == "ndcg" for m in one.cells)


def _worked(one: Contradiction, values: Mapping[Measure, Interval]) -> str:
    """Write the weights under which the cells are more than any query reaches."""
    return contradictions.certificate({m: values[m] for m in one.cells})
