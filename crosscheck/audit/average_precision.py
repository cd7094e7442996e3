"""Which denominator of MAP can a table have used? Try each beside the other metrics."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from crosscheck.audit.contradictions import TooMuchError, close_ones, stands
from crosscheck.audit.verdicts import Tally, listed
from crosscheck.notation.interval import short

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crosscheck.notation.claim import Claim
    from crosscheck.notation.interval import Interval
    from crosscheck.notation.measure import Measure

    Values = Mapping[Measure, Interval]

DEFINITIONS = {"": "min(|G|, K)", "by_hits": "the hits found", "by_gold": "|G|", "k_eff": "K_eff"}
DOCUMENTED = ("", "by_hits", "by_gold")
"""What an unlabelled MAP can be: S0 and S1, S3, S4. K_eff is tried where a table says so."""
_STRAINED = " (two metrics at a time; all numbers together leave no room for it)"
AT_ONE = ("hit", "precision", "ndcg", "mrr")


@dataclass(slots=True)
class _Trial:
    """How the definitions fared: what fits, what two metrics rule out, what only all of them do."""

    fitting: list[str] = field(default_factory=list)
    broken: dict[str, tuple[Measure, ...]] = field(default_factory=dict)
    strained: list[str] = field(default_factory=list)


def audit(cells: Mapping[Measure, Claim], values: Values, *, already_joint: bool) -> Tally:
    """Tell which definitions a table is compatible with; none is a contradiction."""
    tally = Tally()
    unlabelled = any(m.kind == "map" and not m.variant for m in values)
    trial = _try(values, DOCUMENTED if unlabelled else ("",))
    claims = [claim for measure, claim in cells.items() if measure.kind == "map"]
    if unlabelled:
        tally.notes += _notes(trial, cells, _where(claims[0]))
    if not trial.fitting:
        core = _claims(next(iter(trial.broken.values())), cells)
        tried = ", ".join(DEFINITIONS[variant] for variant in trial.broken)
        ways = f", whether MAP is divided by {tried}" if unlabelled else ""
        tally.found("XC914", core, f"{listed(core)} cannot stand together{ways}")
    elif len(trial.strained) == len(trial.fitting) and not already_joint:
        tally.found(
            "XC913",
            tuple(cells.values()),
            "all numbers of this ranking together cannot be averages over the same queries, "
            "whatever MAP is divided by, although any two metrics at two cut-offs could be",
            explanations=("cells from different runs or definitions stand in one table",),
            severity="advice",
        )
    return tally


def _try(values: Values, variants: tuple[str, ...]) -> _Trial:
    trial = _Trial()
    for variant in variants:
        strained = not all(map(stands, _parts(values, variant)))
        core = contradiction(values, variant) if strained else ()
        if core:
            trial.broken[variant] = core
            continue
        condition = _condition(values) if variant == "by_gold" else ""
        trial.fitting.append(DEFINITIONS[variant] + condition + (_STRAINED if strained else ""))
        trial.strained += [variant] if strained else []
    return trial


def _notes(trial: _Trial, cells: Mapping[Measure, Claim], where: str) -> list[str]:
    notes = []
    if trial.fitting:
        notes.append(f"{where}: compatible with MAP divided by {'; by '.join(trial.fitting)}")
        for variant, core in trial.broken.items():
            notes.append(
                f"{where}: not compatible with MAP divided by {DEFINITIONS[variant]}: "
                + listed(_claims(core, cells))
            )
    return notes


def contradiction(values: Values, variant: str) -> tuple[Measure, ...]:
    """Find a close contradiction that involves MAP under one definition; empty if none."""
    for part in _parts(values, variant):
        try:
            core = next(close_ones(part, "map"), None)
        except TooMuchError:  # then nothing close is known, and what is strained is advice
            return ()
        if core:
            return core
    return ()


def _parts(values: Values, variant: str) -> list[dict[Measure, Interval]]:
    """Give the table with unlabelled MAP under a definition.

    `by_hits` comes one cut-off at a time, as `space` needs it.
    """
    meant = {
        replace(m, variant=variant) if m.kind == "map" and not m.variant else m: i
        for m, i in values.items()
    }
    plain = {m: i for m, i in meant.items() if m.variant != "by_hits"}
    by_hits = {m: i for m, i in meant.items() if m.variant == "by_hits"}
    return [{**plain, m: i} for m, i in by_hits.items()] or [plain]


def _condition(values: Values) -> str:
    """Say what |G| as denominator means for queries that hit at rank 1.

    There MAP@1 is 1/|G|, so MAP@1 = Hit@1 leaves no room for a second gold: with a share s of
    queries hit at rank 1 and two gold or more, Hit@1 − MAP@1 ≥ s/2.
    """
    first = next((i for m, i in values.items() if m.kind == "map" and m.k == 1), None)
    hits = next((i for m, i in values.items() if m.kind in AT_ONE and m.k == 1), None)
    if first is None or hits is None or not first.meets(hits):
        return ""
    most = 2 * (hits.high - first.low)
    return (
        " only if every query hit at rank 1 has one gold "
        f"(rounding leaves room for {short(100 * most, 3)} % of the queries)"
    )


def _claims(core: tuple[Measure, ...], cells: Mapping[Measure, Claim]) -> tuple[Claim, ...]:
    by_place = {(m.kind, m.k): claim for m, claim in cells.items()}
    return tuple(by_place[m.kind, m.k] for m in core)


def _where(claim: Claim) -> str:
    return " ".join(
        part for part in (claim.table, f"“{claim.system}”" if claim.system else "") if part
    )
