"""Can these ranking numbers be averages over queries? By system, population and slice.

MAP is set apart at first: the documents divide it by three different things, so each definition
is tried, and the table is told which of them it is compatible with.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from crosscheck.audit import contradictions, reasons
from crosscheck.audit.average_precision import audit as audit_map
from crosscheck.audit.verdicts import TableFinding, Tally, listed, named
from crosscheck.notation.interval import short
from crosscheck.notation.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crosscheck.audit.contradictions import Contradiction
    from crosscheck.notation.claim import Claim
    from crosscheck.notation.interval import Interval

_SEVERAL = 2


def audit(claims: Sequence[Claim], doubted: Mapping[Claim, Interval]) -> Tally:
    """Audit every ranking; `doubted` are cells that a printed change speaks against."""
    tally = Tally()
    for cells in groups(claims, tally).values():
        if len(cells) < _SEVERAL:
            for claim in cells.values():
                tally.reasons.setdefault(claim, "no other number of its ranking stands beside it")
            continue
        tally.add(_audit_group(cells, doubted))
    return tally


def groups(claims: Sequence[Claim], tally: Tally) -> dict[tuple[str, ...], dict[Measure, Claim]]:
    """Gather the means of one ranking over the same queries."""
    found: dict[tuple[str, ...], dict[Measure, Claim]] = defaultdict(dict)
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
            found[*claim.beside, population, where].setdefault(measure, claim)
    return found


def _audit_group(cells: dict[Measure, Claim], doubted: Mapping[Claim, Interval]) -> Tally:
    tally = Tally()
    tally.looked_at(cells.values())
    values = {measure: claim.interval for measure, claim in cells.items()}
    plain = {m: i for m, i in values.items() if m.kind != "map"}
    suspects = frozenset(m for m in plain if cells[m] in doubted)
    found = contradictions.find(plain, suspects)
    for one in found:
        tally.findings.append(_finding(one, cells, values, doubted))
    convicted = {one.culprit for one in found if one.close}
    joint = any(not one.close for one in found)
    rest = {m: c for m, c in cells.items() if m not in convicted}
    if any(m.kind == "map" for m in rest):
        tally.add(audit_map(rest, {m: values[m] for m in rest}, already_joint=joint))
    return tally


def _printed(claim: Claim, value: float) -> str:
    """Write a bound in the units that the cell is printed in."""
    return short(100 * value, 4) + " %" if claim.percent else short(value)


def _finding(
    one: Contradiction,
    cells: Mapping[Measure, Claim],
    values: Mapping[Measure, Interval],
    doubted: Mapping[Claim, Interval],
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
            reasons.for_joint(one, values),
            severity="advice",
        )
    sentence = f"{listed(claims)} cannot stand together: {reasons.why(one, values)}"
    if one.culprit is not None:
        sentence += f". The cell that does not fit is {named(cells[one.culprit])}"
    return TableFinding(
        "XC912", claims, sentence, room, reasons.remaining(one, values, cells, doubted)
    )
