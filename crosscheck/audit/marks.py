"""Bold that is not the best, and counts of wins: ranks that the printed cells do not give."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from crosscheck.audit import subjects
from crosscheck.audit.rates import interval
from crosscheck.audit.verdicts import Tally, exact, named
from crosscheck.notation.metric_names import folded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.notation.claim import Claim

_WINS = re.compile(
    r"(?P<system>[^\s,.;:()]+(?: [^\s,.;:()]+)?) (?:wins|is (?:the )?best|performs best|"
    r"ranks first|comes first|scores highest|is ahead)(?: \w+)? "
    r"(?:on|in) (?P<wins>\d{1,3}) (?:out )?of "
    r"(?:the |all )?(?P<all>\d{1,3}) (?:data ?sets|tasks|benchmarks|corpora|collections|columns)",
    re.IGNORECASE,
)


def audit(claims: Sequence[Claim], marks: Sequence[Claim], text: str = "") -> Tally:
    """Audit bold cells (`marks` are the claims that they make) and counts of wins in the text."""
    tally = Tally()
    for mark in marks:
        _bold(mark, claims, tally)
    for found in _WINS.finditer(text):
        _wins(found, claims, tally)
    return tally


def _bold(mark: Claim, claims: Sequence[Claim], tally: Tally) -> None:
    """Compare a bold cell with the others of its column."""
    beside = [
        claim
        for claim in subjects.values(claims)
        if claim.key == mark.key
        and subjects.context(claim) == subjects.context(mark)
        and (claim.system in mark.rivals or claim.at == mark.at)
    ]
    own = [claim for claim in beside if claim.at == mark.at]
    sign = subjects.direction(mark)
    if not own or not sign:
        return
    tally.looked_at(beside)
    best = max(beside, key=lambda claim: sign * interval(claim).low)
    low, high = (own[0], best) if sign > 0 else (best, own[0])
    if interval(low).high < interval(high).low:
        tally.found(
            "XC925",
            (own[0], best),
            f"{named(own[0])} is bold, but {named(best)} is better",
            f"{best.label} in bold, or another value in one of the two",
            worked=f"{exact(interval(low).high)} < {exact(interval(high).low)}",
            only_if="bold marks the best, as it does in the other columns",
        )


def _wins(found: re.Match[str], claims: Sequence[Claim], tally: Tally) -> None:
    """Count on how many data sets a system is the best, ties both ways."""
    words = found["system"].split()
    names = {folded(found["system"]), folded(words[-1])}
    for some in subjects.of_table(claims).values():
        columns: dict[tuple[object, ...], list[Claim]] = defaultdict(list)
        for claim in subjects.values(some):
            if claim.dataset and subjects.direction(claim):
                columns[claim.key, claim.dataset, claim.split, claim.condition].append(claim)
        mine = [c for c in columns.values() if any(folded(x.system or "") in names for x in c)]
        if len(mine) != int(found["all"]):
            continue
        least = sum(_is_best(column, names, strictly=True) for column in mine)
        most = sum(_is_best(column, names, strictly=False) for column in mine)
        cells = tuple(claim for column in mine for claim in column)
        tally.looked_at(cells)
        wins = int(found["wins"])
        if not least <= wins <= most:
            close = f"{most} < {wins}" if wins > most else f"{least} > {wins}"
            tally.found(
                "XC925",
                cells[:1],
                f"“{found[0]}”, but by the cells of {cells[0].table} it is the best on {least}"
                + (f" to {most}" if most != least else ""),
                f"{least} to {most} of {len(mine)}",
                worked=close,
                only_if="the sentence is about that table",
            )


def _is_best(column: Sequence[Claim], names: set[str], *, strictly: bool) -> bool:
    sign = subjects.direction(column[0])
    own = [c for c in column if folded(c.system or "") in names]
    others = [c for c in column if folded(c.system or "") not in names]
    for one in own:
        edge = (interval(one).low if sign > 0 else interval(one).high) * sign
        mine = (interval(one).high if sign > 0 else interval(one).low) * sign
        theirs = [(interval(c).high if sign > 0 else interval(c).low) * sign for c in others]
        least = [(interval(c).low if sign > 0 else interval(c).high) * sign for c in others]
        if all(edge >= t for t in theirs) if strictly else all(mine >= t for t in least):
            return True
    return False
