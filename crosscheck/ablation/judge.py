"""Answers → the report's comparison, and findings where the two implementations disagree.

Holm's correction is over every test of the table. Both implementations correct each comparison's
own tests; the correction here has to give the same there before it is trusted with the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.ablation.table import holm, table
from crosscheck.contract import load
from crosscheck.errors import UserError
from crosscheck.model.findings import Check, finding
from crosscheck.model.ledgers import EXACT, compare, compare_structure, judge, structure
from crosscheck.witnesses import Silence
from crosscheck.witnesses.resampling import distance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from crosscheck.ablation.contest import Contest, Questions
    from crosscheck.ablation.paired import Compared, Pairing
    from crosscheck.ablation.values import Valued
    from crosscheck.data.case import Case
    from crosscheck.model.comparison import Comparison
    from crosscheck.model.findings import Finding
    from crosscheck.model.ledgers import Difference, Ledger

NAMES = ("primary", "reference")


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The table, what is wrong with it, and how much of it two implementations verified."""

    comparison: Comparison
    findings: tuple[Finding, ...]
    examined: int
    """Numbers, resamples and permutations that both computed."""
    statement: str
    apart: str = ""
    """Why nothing could be compared, where nothing could."""

    @property
    def check(self) -> Check:
        """Give the row that the report's list of checks shows."""
        failed = any(one.severity == "error" for one in self.findings)
        return Check(
            group="ablation",
            title="Both implementations compare the systems alike",
            section="10",
            status="failed" if failed else "skipped" if self.apart else "passed",
            examined=self.examined,
            findings=len(self.findings),
            reason=self.apart or None,
        )


def conclude(asked: Questions, gated: Mapping[str, Ledger]) -> Conclusion:
    """Put the table together; `gated` has the ledgers that were verified elsewhere."""
    settled = asked.contest
    examined = 0
    findings: list[Finding] = []
    ledgers = dict(gated)
    for case, answer in asked.values():
        if isinstance(answer, Silence):
            ledgers[case.system] = {}
            findings.append(_silent(answer, case.system, case.system))
        else:
            ledgers[case.system] = answer.ledger
            examined += len(case.owed)
            findings += _valued(settled, case, answer)
    compared: dict[tuple[str, str], Compared] = {}
    for pairing, told in asked.comparisons():
        if isinstance(told, Silence):
            findings.append(_silent(told, pairing.name, pairing.system.system))
        else:
            compared[pairing.baseline.system, pairing.system.system] = told
            examined += len(told.checked) + told.recomputed
            findings += judged(settled, pairing, told, ledgers)
    return Conclusion(
        comparison=table(settled, ledgers, compared),
        findings=tuple(findings),
        examined=examined,
        statement=_statement(settled, compared.values()),
        apart=settled.apart,
    )


def _silent(answer: Silence, name: str, system: str) -> Finding:
    """Report that no answer came; systems that cannot be compared at all are bad input."""
    if answer.refused:
        raise UserError(f"{name}: {answer.reason}")
    return finding("XC991", f"{name} could not be compared: {answer.reason}", system=system)


def _valued(settled: Contest, case: Case, answer: Valued) -> Iterator[Finding]:
    """Hold both implementations' values of a system that is not gated against each other."""
    for name, ledger in (("primary", answer.ledger), ("reference", answer.reference)):
        for key in (key for key in case.owed if key not in ledger):
            text = f"{case.system}: {name} does not answer {key}"
            yield finding("XC301", text, system=case.system, key=key)
    between = compare(NAMES, answer.ledger, answer.reference, settled.tolerance)
    yield from (_apart(case.system, case.system, one, settled) for one in between.differences)
    range_of = load().range_of
    for key, value in answer.ledger.items():
        if not range_of(key).contains(value, slack=EXACT):
            text = f"{case.system}: {key}: {value:.10g}, possible is {range_of(key)}"
            yield finding("XC601", text, system=case.system, key=key)


def _apart(name: str, system: str, one: Difference, settled: Contest) -> Finding:
    return finding(
        "XC401" if one.verdict == "wrong" else "XC402",
        f"{name}: {one.key}: primary {one.first:.10g}, reference {one.second:.10g}",
        system=system,
        key=one.key,
        values=dict(zip(NAMES, (one.first, one.second), strict=True)),
        difference=min(one.relative, 1.0),
        limit=settled.tolerance,
    )


def judged(
    settled: Contest, pairing: Pairing, answer: Compared, ledgers: Mapping[str, Ledger]
) -> Iterator[Finding]:
    """Find what is wrong with one comparison."""
    yield from _coverage(settled, pairing, answer, ledgers)
    yield from _agreement(settled, pairing, answer)
    yield from _replicates(pairing, answer)
    yield from _ranges(pairing, answer)
    yield from _adds_up(pairing, answer, ledgers)
    yield from _correction(pairing, answer)


def _coverage(
    settled: Contest, pairing: Pairing, answer: Compared, ledgers: Mapping[str, Ledger]
) -> Iterator[Finding]:
    """Hold both answers against the keys that docs/interface.md promises."""
    wanted = dict.fromkeys(owed(pairing, answer.unit, settled.resamples), "float")
    base = ledgers[pairing.baseline.system]
    for name, ledger in (("primary", answer.checked), ("reference", answer.reference)):
        departs = compare_structure(wanted, structure(ledger))
        for key in departs.missing:
            stem, _, statistic = key.rpartition("|")
            # No ratio to nothing: improvement over a baseline of 0 is not owed.
            if statistic == "improvement" and _at_zero(stem, pairing, base, answer):
                continue
            yield _found("XC301", pairing, f"{name} does not answer {key}", key)
        for key in departs.extra:
            yield _found("XC302", pairing, f"{name} answers {key}, which is not owed", key)


def owed(pairing: Pairing, unit: str, resamples: int) -> list[str]:
    """List the keys that a comparison owes (docs/interface.md)."""
    statistics = ["difference", "improvement"]
    if resamples:
        statistics += [f"difference_ci_{end}/{unit}/percentile" for end in ("low", "high")]
        statistics += ["p/permutation", "p/holm"]
    return [f"{_stem(key)}|{statistic}" for key in pairing.keys for statistic in statistics]


def _at_zero(stem: str, pairing: Pairing, base: Ledger, answer: Compared) -> bool:
    key = next(key for key in pairing.keys if _stem(key) == stem)
    return bool(answer.scope) or not base.get(key)


def _agreement(settled: Contest, pairing: Pairing, answer: Compared) -> Iterator[Finding]:
    between = compare(NAMES, answer.checked, answer.reference, settled.tolerance)
    for one in between.differences:
        yield _apart(pairing.name, pairing.system.system, one, settled)


def _replicates(pairing: Pairing, answer: Compared) -> Iterator[Finding]:
    for one in answer.differing:
        yield _found(
            "XC403" if one.wrong else "XC402",
            pairing,
            f"{one.key}, {one.kind} {one.index} by {one.unit}: primary {one.primary:.12g}, "
            f"reference {one.reference:.12g}",
            one.key,
            values={"primary": one.primary, "reference": one.reference},
            difference=distance(one),
        )


def _ranges(pairing: Pairing, answer: Compared) -> Iterator[Finding]:
    range_of = load().range_of
    for key, value in answer.ledger.items():
        if not range_of(key).contains(value, slack=EXACT):
            yield _found("XC601", pairing, f"{key}: {value:.10g}, possible is {range_of(key)}", key)


def _adds_up(
    pairing: Pairing, answer: Compared, ledgers: Mapping[str, Ledger]
) -> Iterator[Finding]:
    """Hold each difference against the two values that the table prints beside it."""
    first, second = (ledgers[case.system] for case in (pairing.baseline, pairing.system))
    for key in pairing.keys:
        stated = answer.ledger.get(f"{_stem(key)}|difference")
        if stated is None or key not in first or key not in second:
            continue
        expected = float(second[key]) - float(first[key])
        if abs(stated - expected) > EXACT * max(1.0, abs(expected)):
            yield _found(
                "XC621",
                pairing,
                f"{key}: the difference is {stated:.10g}, but {second[key]:.10g} − "
                f"{first[key]:.10g} is {expected:.10g}",
                key,
            )


def _correction(pairing: Pairing, answer: Compared) -> Iterator[Finding]:
    """Hold our own Holm against both implementations', on the tests of one comparison."""
    for name, ledger in (("primary", answer.checked), ("reference", answer.reference)):
        plain = {key: ledger.get(f"{_stem(key)}|p/permutation") for key in pairing.keys}
        known = {key: p for key, p in plain.items() if p is not None}
        corrected = dict(zip(known, holm(list(known.values())), strict=True))
        for key, ours in corrected.items():
            stated = ledger.get(f"{_stem(key)}|p/holm")
            if stated is not None and judge(ours, stated) != "exact":
                text = f"{key}: Holm's correction gives {ours:.10g}, {name} {stated:.10g}"
                yield _found("XC621", pairing, text, f"{_stem(key)}|p/holm")


def _found(rule: str, pairing: Pairing, text: str, key: str, **seen: object) -> Finding:
    return finding(rule, f"{pairing.name}: {text}", system=pairing.system.system, key=key, **seen)


def _stem(key: str) -> str:
    return key.rpartition("|")[0]


def _statement(settled: Contest, compared: Iterable[Compared]) -> str:
    """Say what was recomputed exactly."""
    answers = list(compared)
    if not settled.resamples or not answers:
        return "values and differences only; no resamples were drawn"
    numbers = ", ".join(map(str, answers[0].numbers))
    scopes = dict.fromkeys(one.scope for one in answers if one.scope)
    where = f", on a sample ({', '.join(scopes)})" if scopes else ""
    total = sum(one.recomputed for one in answers)
    return (
        f"resamples and permutations {numbers} of {settled.resamples:,} recomputed exactly by the "
        f"reference{where}: {total:,} values; intervals and p-values derived by both"
    )
