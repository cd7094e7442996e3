"""Inputs (contract, section 1): columns that contradict each other, loaders that differ."""

from __future__ import annotations

from itertools import combinations, islice
from typing import TYPE_CHECKING, Any

from crosscheck.checks import Evidence, Result, conventions, result
from crosscheck.checks.origin import query_name
from crosscheck.model.findings import finding
from crosscheck.model.key import Key
from crosscheck.witnesses import Silence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.model.findings import Finding

CONTRADICTIONS = {"has_evidence": "XC101", "state": "XC102", "pred": "XC103"}
IN_OWN_WORDS = {"missing"}
CLOSE_TIES = 1e-12
LONGEST = 200
MOST_NAMED = 3


def check(evidence: Evidence) -> Result:
    """Look at the facts of the data set, and at whether both implementations see them alike."""
    findings = [
        *_contradictions(evidence),
        *_facts(evidence),
        *_refusals(evidence),
        *_dropped(evidence),
        *_missing_gold(evidence),
        *_ties(evidence),
        *_bounds(evidence),
        *conventions.found(evidence),
    ]
    return result(len(evidence.facts), findings)


def _contradictions(evidence: Evidence) -> Iterator[Finding]:
    for column, rule in CONTRADICTIONS.items():
        count = evidence.facts["contradictions"][column]
        if count:
            place = _first_contradiction(evidence, column)
            yield finding(
                rule,
                f"{count:,} EVAL rows have a {column} that contradicts the rest of the row"
                f"{', first ' + place if place else ''}",
                system=evidence.system,
                place=place or None,
            )


def _first_contradiction(evidence: Evidence, column: str) -> str:
    """Name the first row whose column says other than what it must."""
    rows = evidence.rows
    columns: dict[str, tuple[Sequence[object], Sequence[object]]] = {
        "has_evidence": (rows.label.tolist(), rows.with_gold.tolist()),
    }
    if column == "pred":
        columns["pred"] = (rows.pred.tolist(), (rows.score >= rows.threshold).tolist())
    if column == "state":
        # With τ configured, the table holds the states that follow from them, not the file's.
        columns["state"] = (_stated(evidence), rows.state.tolist())
    given, due = columns[column]
    differing = [row for row, value in enumerate(given) if value != due[row]]
    return query_name(evidence, differing[0]) if differing else ""


def _stated(evidence: Evidence) -> list[Any]:
    """Give the states that the file itself holds."""
    from crosscheck.data.raw import evaluated  # noqa: PLC0415 - needs polars

    column = evidence.facts["columns"]["state"]
    frame = evaluated(evidence.case.data, evidence.table, lambda name: name == column)
    return [] if frame is None else frame[column].to_list()


def _facts(evidence: Evidence) -> Iterator[Finding]:
    """Compare how the two implementations read the data."""
    for first, second in combinations(evidence.implementations, 2):
        if first.case.scope != second.case.scope:
            continue
        ours, theirs = first.facts, second.facts
        for name in dict.fromkeys([*ours, *theirs]):
            if name not in IN_OWN_WORDS and ours.get(name) != theirs.get(name):
                yield finding(
                    "XC104",
                    f"{name}: {first.name} reads {_short(ours.get(name))}, "
                    f"{second.name} reads {_short(theirs.get(name))}",
                    system=evidence.system,
                )


def _short(fact: object) -> str:
    text = repr(fact)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"


def _refusals(evidence: Evidence) -> Iterator[Finding]:
    for one in evidence.statements:
        if isinstance(one.answer, Silence) and one.answer.refused:
            yield finding(
                "XC105",
                f"{one.name} refuses the input: {one.answer.reason}",
                system=evidence.system,
            )


def _dropped(evidence: Evidence) -> Iterator[Finding]:
    dropped = evidence.facts["dropped_queries"]
    if dropped:
        yield finding(
            "XC106",
            f"{dropped:,} queries of the run have no judgements and were dropped",
            system=evidence.system,
        )


def _missing_gold(evidence: Evidence) -> Iterator[Finding]:
    missing = evidence.facts["gold_not_in_candidates"]
    if missing:
        some = islice(_missing_uids(evidence), MOST_NAMED + 1)
        names = [f"{query_name(evidence, row)} ({uid})" for row, uid in some]
        yield finding(
            "XC107",
            f"{missing:,} gold id{'s are' if missing > 1 else ' is'} not among "
            f"{'their' if missing > 1 else 'its'} query's candidates: "
            f"{'; '.join(names[:MOST_NAMED])}{' …' if len(names) > MOST_NAMED else ''}",
            system=evidence.system,
            place=names[0],
        )
    if evidence.facts["queries"]["positives_only"] == 0:  # several classes have no such count
        yield finding("XC109", "no EVAL query has gold", system=evidence.system)


def _missing_uids(evidence: Evidence) -> Iterator[tuple[int, str]]:
    """Give (row, uid) of gold that its own query's candidates lack."""
    for row, (gold, ranking) in enumerate(evidence.rows.cells("gold", "candidates")):
        known = set(ranking)
        yield from ((row, uid) for uid in gold if uid not in known)


def _ties(evidence: Evidence) -> Iterator[Finding]:
    """Say so where a headline mean depends on the order of equal scores."""
    widest: tuple[float, str, float, float] | None = None
    for text, low in evidence.ledger.items():
        if "/tie_low|positives_only|" not in text:
            continue
        key = Key.parse(text)
        high = evidence.ledger.get(text.replace("/tie_low", "/tie_high"), low)
        width = high - low
        if key.metric.count("/") == 1 and (widest is None or width > widest[0]):
            widest = (width, key.metric.removesuffix("/tie_low"), low, high)
    if widest and widest[0] > CLOSE_TIES:
        count = evidence.facts["queries_with_ties"]
        yield finding(
            "XC108",
            f"{count:,} queries have equal scores; the order among them moves {widest[1]} between "
            f"{widest[2]:.6g} and {widest[3]:.6g}, the most of all metrics",
            system=evidence.system,
        )


def _bounds(evidence: Evidence) -> Iterator[Finding]:
    counts = {
        name: evidence.ledger.get(f"{name}|all_queries|all|value", 0)
        for name in ("k_below_min", "k_above_max")
    }
    if any(counts.values()):
        yield finding(
            "XC110",
            f"{counts['k_below_min']:,} selections are smaller than k_min allows and "
            f"{counts['k_above_max']:,} larger than k_max",
            system=evidence.system,
        )
