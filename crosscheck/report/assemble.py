"""Evidence → the report's model: who said what, how it compares, the tables, the checklist."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Literal

from crosscheck import contract
from crosscheck.checks import shorten
from crosscheck.checks.coverage import uncovered_headline
from crosscheck.config.places import members
from crosscheck.contract import not_owed
from crosscheck.engine.connect import files_of
from crosscheck.report.badge import recorded
from crosscheck.report.circumstances import at_scale, circumstances, resampled
from crosscheck.report.claimed import claim_counts, claim_view, ignored_view, told_claims
from crosscheck.report.provenance import provenance, version
from crosscheck.report.results import EVIDENCE, headline, tables
from crosscheck.report.results import TableSource as Tables
from crosscheck.report.sensitivity import conflicts, sensitivity
from crosscheck.report.view import (
    ChecklistItemView,
    ComparisonView,
    Declined,
    Pair,
    PolicyView,
    Report,
    SystemView,
    WitnessView,
)
from crosscheck.system import slashed
from crosscheck.witnesses import Silence, Testimony
from crosscheck.witnesses.resampling import Intervals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from crosscheck.checks import Evidence, Statement
    from crosscheck.contract.words import Words
    from crosscheck.gate import Judged, Outcome, Request
    from crosscheck.model.findings import Check, Finding
    from crosscheck.model.ledgers import LedgerComparison
    from crosscheck.report.view import Circumstance
    from crosscheck.witnesses import Witness as Asked

SEVERITIES = ("error", "drift", "advice")
CLAIMS = "claims"


def report_of(outcome: Outcome) -> Report:
    """Give everything that a run found out, as the report shows it."""
    request = outcome.request
    systems = [_system(one) for one in outcome.systems]
    words = {one.name: contract.load().words(one.facts) for one in systems}
    # Checks of the whole run are shown once, below those of the last system.
    last = systems[-1]
    systems[-1] = last.model_copy(update={"checks": [*last.checks, *outcome.checks]})
    around = circumstances(outcome)
    compared = outcome.comparison
    return Report(
        verdict=outcome.verdict,
        summary=summary(outcome.verdict, systems, outcome.findings, around),
        circumstances=around,
        findings=[_worded(one, words) for one in ordered(shorten(outcome.findings))],
        systems=systems,
        comparison=ComparisonView(**dict(compared)) if compared else None,
        conflicts=conflicts() if any(one.id == EVIDENCE for one in words.values()) else [],
        selftest=recorded(),
        provenance=provenance(
            request.command,
            request.options,
            inputs(outcome),
            packages(request.witnesses),
            policy=_policy(request),
            seed=request.seed,
            resamples=request.resamples,
            tolerance=request.terms.tolerance,
        ),
    )


def _worded(one: Finding, words: Mapping[str, Words]) -> Finding:
    """Say a finding in the words of its data; of the whole run, in those of the first system.

    One about claims speaks of the authors' file, where a sentence is a sentence.
    """
    if one.group == "claims":
        return one
    said = words.get(one.system or "", next(iter(words.values())))
    told = {"title": one.title, "message": one.message, "remedy": one.remedy}
    return one.model_copy(update={name: said.fit(text) for name, text in told.items()})


def _policy(request: Request) -> PolicyView:
    policy, file = request.policy, request.policy.file
    path = slashed(request.shown.get(str(file), str(file))) if file else None
    return PolicyView(name=policy.name, path=path, sha256=policy.sha256)


def _system(judged: Judged) -> SystemView:
    evidence = judged.evidence
    case = evidence.case
    words = contract.load().words(case.facts)
    source = _tables(evidence)
    return SystemView(
        name=evidence.system,
        facts=case.facts,
        settings=case.settings,
        deployment_threshold=_threshold(case.settings, case.facts),
        keys=len(case.owed) + len(case.intervals),
        compared=_compared(evidence),
        sampled=_sampled(evidence),
        not_owed={
            name: words.fit(lack)
            for name, lack in not_owed(case.facts).items()
            if name not in words.silent
        },
        witnesses=[
            *(_witness(evidence, one) for one in evidence.statements),
            *_claims_witness(evidence),
        ],
        pairs=[pair_of(one) for one in evidence.comparisons if one.shared],
        coverage=_coverage(evidence),
        uncovered_headline=uncovered_headline(evidence),
        checks=[_fitted(one, words) for one in judged.checks],
        headline=headline(source) if source else [],
        tables=tables(source) if source else {},
        claims=[claim_view(one) for one in evidence.claims],
        ignored=[ignored_view(one) for one in evidence.ignored],
        claim_counts=claim_counts(evidence),
        sensitivity=sensitivity(source) if source else [],
        checklist=_checklist(evidence, judged.findings) if words.id == EVIDENCE else [],
    )


def _fitted(one: Check, words: Words) -> Check:
    reason = None if one.reason is None else words.fit(one.reason)
    return one.model_copy(update={"title": words.fit(one.title), "reason": reason})


def pair_of(one: LedgerComparison) -> Pair:
    """Give how two witnesses' ledgers compare."""
    worst = one.worst
    return Pair(
        first=one.first,
        second=one.second,
        shared=one.shared,
        exact=one.count("exact"),
        drift=one.count("drift"),
        wrong=one.count("wrong"),
        only_first=len(one.only_first),
        only_second=len(one.only_second),
        worst_key=worst.key if worst else None,
        worst_difference=one.furthest,
    )


def _tables(evidence: Evidence) -> Tables | None:
    spoken = evidence.ledgers()
    if not {"primary", "sql"}.intersection(spoken):
        return None
    heard = evidence.intervals
    flags = heard.flags if isinstance(heard, Intervals) else frozenset()
    return Tables(spoken, evidence.facts, evidence.case.settings, flags)


def _threshold(settings: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    study = contract.load().words(facts).id == EVIDENCE
    if not study and "confusion" not in facts["families"]:
        return ""
    if "pred" in facts["columns"]:
        given = "decisions as given in the pred column"
    elif "prob" in facts["columns"]:
        given = "prob ≥ threshold"
    elif "score" in facts["columns"]:
        given = "score ≥ threshold"
    else:
        return "none: the data have no decisions"
    if not study and "pred" in facts["columns"]:
        return given
    threshold = settings.get("threshold", contract.load().defaults["threshold"])
    if isinstance(threshold, dict):
        shown = ", ".join(f"{value} in fold {fold}" for fold, value in threshold.items())
    else:
        shown = str(threshold)
    return f"{shown} ({given})"


def _compared(evidence: Evidence) -> int:
    """Count the keys that at least two witnesses of the same rows answered."""
    counts: Counter[str] = Counter()
    for sample in (False, True):
        heard = evidence.ledgers(sample=sample).values()
        counts |= Counter(key for ledger in heard for key in ledger)
    return sum(count > 1 for count in counts.values())


def _sampled(evidence: Evidence) -> str | None:
    if evidence.case.engine:
        return "; ".join([at_scale(evidence), *resampled(evidence)])
    scope = next((one.case.scope for one in evidence.statements if one.case.scope), None)
    if scope is None:
        return None
    on_sample = [one.witness.name for one in evidence.statements if one.case.scope]
    full = [one.witness.name for one in evidence.statements if not one.case.scope]
    return (
        f"verified on a sample ({scope}, chosen by SHA-256 of the id), the primary computed a "
        f"second time on it: {', '.join(dict.fromkeys(on_sample))}; verified in full: "
        f"{', '.join(full)}"
    )


def _witness(evidence: Evidence, one: Statement) -> WitnessView:
    asked = one.witness
    versions = ", ".join(f"{name} {version(name)}" for name in asked.packages)
    return WitnessView(
        name=one.name,
        kind=asked.kind,
        version=versions or "the user's own",
        status=_status(one),
        keys=len(one.ledger),
        note=one.answer.reason if isinstance(one.answer, Silence) else _note(evidence, one),
        declined=list(_declined(one, contract.load().words(evidence.facts))),
    )


def _status(one: Statement) -> Literal["answered", "crashed", "not asked"]:
    if isinstance(one.answer, Silence):
        return "crashed"
    return "not asked" if one.absent else "answered"


def _note(evidence: Evidence, one: Statement) -> str | None:
    """Give the witness's own note; on intervals, what was drawn and what was recomputed."""
    heard = evidence.intervals
    if isinstance(heard, Intervals) and one.name == "primary":
        curves = {key for counts in heard.one_class.values() for key, n in counts.items() if n}
        return (
            f"computed all {evidence.resamples:,} resamples of each unit; {len(curves)} numbers "
            "met resamples with one class only, which follow the contract's conventions"
        )
    if isinstance(heard, Intervals) and one.name == "reference":
        return (
            f"recomputed {heard.recomputed:,} values of resamples and deletions exactly "
            f"({heard.statement}), and derived every interval from the primary's resamples"
        )
    return one.answer.note if isinstance(one.answer, Testimony) else None


def _declined(one: Statement, words: Words) -> Iterator[Declined]:
    if not isinstance(one.answer, Testimony):
        return
    by_reason: dict[str, list[str]] = defaultdict(list)
    for key, reason in one.answer.declined.items():
        by_reason[reason].append(key)
    for reason, keys in sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0])):
        yield Declined(reason=words.fit(reason), keys=len(keys), example=keys[0])


def _claims_witness(evidence: Evidence) -> Iterator[WitnessView]:
    if evidence.claims:
        files = dict.fromkeys(one.claim.file for one in evidence.claims)
        yield WitnessView(
            name=CLAIMS,
            kind="claims",
            version=", ".join(files),
            status="answered",
            keys=sum(one.key is not None for one in evidence.claims),
        )


def _coverage(evidence: Evidence) -> dict[str, dict[str, int]]:
    """Family → witness → keys, in the contract's order."""
    find = contract.load().find
    families = {metric.family: Counter[str]() for metric in contract.load().metrics}
    known: dict[str, str] = {}
    for one in evidence.statements:
        for key in one.ledger:
            metric = key.partition("|")[0]
            if metric not in known:
                found = find(metric)
                known[metric] = found.metric.family if found else ""
            if known[metric]:
                families[known[metric]][one.name] += 1
    return {name: dict(counts) for name, counts in families.items() if counts}


FAILED_BY = {
    "posts_disjoint": {"XC801", "XC802"},
    "threshold_on_tune": {"XC803", "XC804"},
    "evaluation_on_eval": set[str](),
    "no_gold_features": {"XC821"},
    "formulas_match": {"XC401", "XC403"},
    "independent_recomputation": {"XC301", "XC302", "XC991", "XC992", "XC993", "XC995"},
}
"""Item of S3's checklist → the rules that fail it; none: true by construction."""


def _checklist(evidence: Evidence, findings: Iterable[Finding]) -> list[ChecklistItemView]:
    """Answer S3's checklist (section I): passed, failed, or cannot be seen from data."""
    cited = Counter(one.rule for one in findings)
    visible = {
        "posts_disjoint": bool(evidence.facts["posts"]),
        "threshold_on_tune": evidence.rule is not None,
        "no_gold_features": False,
    }
    items = []
    for item in contract.load().checklist:
        count = sum(cited[rule] for rule in FAILED_BY[item.id])
        status: Literal["passed", "failed", "cannot be seen from data"] = "passed"
        if count:
            status = "failed"
        elif not visible.get(item.id, True):
            status = "cannot be seen from data"
        seen = item.seen or "data do not show what a model was fed"
        told = f"{seen}: {count} finding{'s' if count > 1 else ''}" if count else seen
        items.append(ChecklistItemView(item=item.text, status=status, evidence=told))
    return items


def summary(
    verdict: str,
    systems: Sequence[SystemView],
    findings: Sequence[Finding],
    around: Sequence[Circumstance] = (),
) -> str:
    """Say in one sentence how it went."""
    compared = sum(one.compared for one in systems)
    heard = {
        one.name.removesuffix("/sample")
        for each in systems
        for one in each.witnesses
        if one.status == "answered" and one.kind != CLAIMS
    }
    parts = [f"{compared:,} numbers compared by {len(heard)} witnesses"]
    if len(systems) > 1:
        parts.append(f"{len(systems)} systems")
    claimed = told_claims(systems)
    if claimed:
        parts.append(claimed)
    errors = sum(one.severity == "error" and one.waived is None for one in findings)
    if errors:
        parts.append(f"{errors:,} error{'s' if errors > 1 else ''}")
    waived = sum(one.waived is not None for one in findings)
    if waived:
        parts.append(f"{waived} waived")
    weak = dict.fromkeys(one.kind for one in around if one.weakens)
    if weak:
        parts.append(f"weakened by {', '.join(weak)}")
    return f"{verdict.upper()}: {'; '.join(parts)}."


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """Put what fails the gate first."""
    return sorted(
        findings, key=lambda one: (one.waived is not None, SEVERITIES.index(one.severity))
    )


def inputs(outcome: Outcome) -> list[tuple[str, str, str]]:
    """Every input file: its role, where it lies, and the name it goes by.

    An engine reads folders below a folder too; what lies elsewhere cannot be hashed here.
    """
    request = outcome.request
    engine = request.options is not None and request.options.engine is not None
    named = {"config": request.config.file, "policy": request.policy.file}
    files = {str(path): role for role, path in named.items() if path is not None}
    for source in (*request.sources, *request.rivals):
        roles = source.data if isinstance(source.data, dict) else {"data": source.data}
        listed = {
            role: [one for one in files_of(path) if "://" not in one] if engine else members(path)
            for role, path in roles.items()
        }
        files |= {str(one): role for role, paths in listed.items() for one in paths}
        files |= dict.fromkeys(source.claims, "claims")
    files |= {path: "claims" for one in outcome.stated for path in one.taken if path not in files}
    return [(role, path, request.shown.get(path, path)) for path, role in files.items()]


def packages(witnesses: Iterable[Asked]) -> list[str]:
    """Name every package that computes."""
    return [*{name: None for one in witnesses for name in one.packages}, "numpy", "polars"]
