"""Is a published table possible? Every check that needs no data, on printed digits alone.

All checks work on the interval of values that round to what is printed, so a correct table never
raises an alarm. What cannot be checked is counted and named: not checkable is not consistent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crosscheck.audit import (
    averages,
    beside,
    changes,
    classes,
    counts,
    decisions,
    graded,
    harmonic,
    prevalence,
    ranked,
    rates,
    single,
    small,
    subjects,
    topics,
    twice,
)
from crosscheck.audit import marks as marked
from crosscheck.audit.contradictions import effort, stands
from crosscheck.audit.verdicts import TableFinding, Tally, named
from crosscheck.notation.interval import short
from crosscheck.notation.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crosscheck.notation.claim import Claim
    from crosscheck.notation.interval import Interval

__all__ = ["Audit", "audit"]


@dataclass(frozen=True, slots=True)
class Audit:
    """What the table's own digits say about it."""

    claims: tuple[Claim, ...]
    findings: tuple[TableFinding, ...]
    notes: tuple[str, ...]
    checked: frozenset[Claim]
    unverifiable: tuple[tuple[Claim, str], ...]

    @property
    def violated(self) -> frozenset[Claim]:
        """The cells of findings that are errors."""
        return frozenset(c for f in self.findings if f.severity == "error" for c in f.cells)

    @property
    def possible(self) -> bool:
        """Whether nothing speaks against the table, and something was checked."""
        return bool(self.checked) and not self.violated


def audit(
    claims: Sequence[Claim],
    *,
    n: int | None = None,
    folds: int | None = None,
    fold_sizes: Sequence[int] = (),
    text: str = "",
) -> Audit:
    """Audit the claims of a file; `text` is the whole of it, for what sentences count."""
    with effort():
        return _audit(claims, n, folds or len(fold_sizes) or None, fold_sizes, text)


def _audit(
    claims: Sequence[Claim],
    n: int | None,
    folds: int | None,
    fold_sizes: Sequence[int],
    text: str,
) -> Audit:
    marks = [claim for claim in claims if claim.rivals and claim.number is not None]
    prose = [claim for claim in claims if claim.prose and not claim.rivals]
    claims = [claim for claim in claims if not claim.prose and not claim.rivals]
    claims = beside.recast(claims)
    known = [_contextual(claim, claims) for claim in claims]
    tally, doubted = changes.audit(known)
    for part in (
        single.ranges(known),
        *_together(known, doubted),
        small.audit(known, n),
        topics.audit(known),
        classes.audit(known),
        averages.audit(known),
        decisions.audit([*known, *prose]),
        marked.audit(known, marks, text),
        beside.audit(known, folds, n, text),
        single.granularity(known, n, fold_sizes, text),
        single.spreads(known, folds),
        twice.audit([*known, *prose]),
    ):
        tally.add(part)
    for joined in subjects.siblings(known):
        _add_joined(joined, tally, doubted)
    findings = _merged([_blamed(one, tally, doubted, known) for one in tally.findings])
    checked = frozenset(tally.checked)
    return Audit(
        (*known, *(claim for claim in prose if claim in checked)),
        tuple(findings),
        tuple(tally.notes),
        checked,
        tuple((c, _reason(c, tally)) for c in known if c not in checked and c.role != "setting"),
    )


def _together(claims: Sequence[Claim], doubted: Mapping[Claim, Interval]) -> list[Tally]:
    """Run the checks of numbers that one subject has beside each other."""
    return [
        ranked.audit(claims, doubted),
        graded.audit(claims),
        rates.audit(claims),
        harmonic.audit(claims),
        prevalence.audit(claims),
        counts.audit(claims),
    ]


def _add_joined(joined: Sequence[Claim], tally: Tally, doubted: Mapping[Claim, Interval]) -> None:
    """Audit sibling tables as one; what only both together show is advice."""
    told = {(cell.place, cell.printed) for one in tally.findings for cell in one.cells}
    for part in _together(joined, doubted):
        for one in part.findings:
            tables = {cell.place.partition(",")[0] for cell in one.cells}
            if len(tables) > 1 and not any((c.place, c.printed) in told for c in one.cells):
                only_if = f"{one.cells[0].table} are of one run" + (
                    f", and {one.only_if}" if one.only_if else ""
                )
                tally.findings.append(replace(one, severity="advice", only_if=only_if))


def _contextual(claim: Claim, claims: Sequence[Claim]) -> Claim:
    """Read a bare `Recall` beside precision and F1 as sensitivity: they go together."""
    if claim.key is not None or "sensitivity" not in claim.suggestions:
        return claim
    same = [c for c in claims if c.beside == claim.beside and _slice(c) == _slice(claim)]
    partner = next((c for c in same if c.metric == "f1"), None)
    if partner is None or partner.key is None or not any(c.metric == "precision" for c in same):
        return claim
    return replace(claim, key=partner.key.replace("f1|", "sensitivity|", 1), role="value")


def _slice(claim: Claim) -> str | None:
    return claim.said.slice if claim.said else None


def _reason(claim: Claim, tally: Tally) -> str:
    if claim.problem and claim.key is None:
        hint = f"; perhaps {' or '.join(claim.suggestions)}" if claim.suggestions else ""
        return f"{claim.problem}{hint}"
    if claim in tally.reasons:
        return tally.reasons[claim]
    if claim.percent is None:
        return "it may be a fraction or a percentage: the table prints both"
    if claim.number is not None and claim.number.relation:
        return "printed as a bound or an approximation"
    return "nothing in the table bears on it"


def _blamed(
    found: TableFinding,
    tally: Tally,
    doubted: Mapping[Claim, Interval],
    claims: Sequence[Claim],
) -> TableFinding:
    """Where a change does not follow, say whether the cell or the percentage is to blame."""
    if found.rule != "XC915" or found.cells[1] not in doubted:
        return found
    new, printed = found.cells[1], found.cells[2]
    suspect = printed
    implied = doubted[new]
    middle = short((implied.low + implied.high) / 2, 4)
    convicted = _convicting(new, tally, claims)
    if convicted is not None and stands(_with(convicted.cells, new, implied)):
        suspect = new
        blame = (
            f"the cell, not the percentage, is the likely culprit: {new.printed} cannot stand "
            f"beside {_others(convicted, new)}, while {middle}, which {printed.printed} implies, "
            "can" + _alone(convicted, new, implied, claims)
        )
    elif convicted is None:
        blame = (
            f"either {new.label} is {middle}, which {printed.printed} implies, or the percentage "
            "is wrong; nothing else in the table decides between them"
        )
    else:
        blame = (
            f"neither {new.printed} nor {middle}, which {printed.printed} implies, fits the rest"
        )
    return replace(found, explanations=(blame, *found.explanations), suspect=suspect)


def _convicting(cell: Claim, tally: Tally, claims: Sequence[Claim]) -> TableFinding | None:
    """Find the ranking contradiction that a cell, or its twin in another table, is part of."""
    twins = [c for c in claims if (c.key, c.printed, c.role) == (cell.key, cell.printed, cell.role)]
    for found in tally.findings:
        if found.rule == "XC912" and any(twin in found.cells for twin in twins):
            return found
    return None


def _with(cells: Sequence[Claim], cell: Claim, implied: Interval) -> dict[Measure, Interval]:
    """Give the cells of a contradiction with one of them at another value."""
    values = {}
    for other in cells:
        measure = Measure.parse(other.metric)
        if measure is not None and measure.modelled and measure.kind != "map":
            values[measure] = implied if other.metric == cell.metric else other.interval
    return values


def _alone(found: TableFinding, cell: Claim, implied: Interval, claims: Sequence[Claim]) -> str:
    """Add what the whole ranking says to a value that fits beside the convicting cells."""
    one = found.cells[0]
    ranking = [
        c
        for c in claims
        if (c.beside, c.role) == (one.beside, "value")
        and c.percent is not None
        and (c.key or "").split("|")[1:] == (one.key or "").split("|")[1:]
    ]
    if stands(_with(ranking, cell, implied)):
        return ""
    return " (beside these; all numbers of that ranking together leave no room for it either)"


def _others(found: TableFinding, cell: Claim) -> str:
    return ", ".join(named(c) for c in found.cells if c.metric != cell.metric)


def _merged(findings: list[TableFinding]) -> list[TableFinding]:
    """Tell a finding once that two tables of a file share, with both places."""
    kept: dict[tuple[str, ...], TableFinding] = {}
    for found in findings:
        digits = (found.rule, *(f"{c.metric}={c.printed}" for c in found.cells))
        if digits in kept:
            first = kept[digits]
            known = {cell.place for cell in first.cells}
            place = next((c.place for c in found.cells if c.place not in known), "")
            also = (f"the same stands in {place}",) if place else ()
            kept[digits] = replace(
                first,
                explanations=(*first.explanations, *also),
                also=(*first.also, *found.cells),
            )
        else:
            kept[digits] = found
    return sorted(kept.values(), key=lambda one: (one.severity != "error", one.rule))
