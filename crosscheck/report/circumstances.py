"""What weakens a run: everything that decides how much its verdict is worth, on the first screen.

Each kind is said in every report, also where it is as the contract has it: silence about a waiver
must not look like a run without one.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck import contract
from crosscheck.policy import STANDARD as STANDARD_POLICY
from crosscheck.policy import built_in
from crosscheck.policy.terms import looser
from crosscheck.policy.weakening import weakening
from crosscheck.report.view import Circumstance
from crosscheck.system import harmless, slashed
from crosscheck.witnesses import Silence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from crosscheck.checks import Evidence
    from crosscheck.config import Config
    from crosscheck.gate import Outcome
    from crosscheck.report.view import Report

TITLE = "What weakens this run"
NOTHING = "Nothing beyond what the contract has."
LET_PASS = (("unverified", "could not be verified"), ("ignored", "are let pass by the config"))
HARMLESS = ("name", "parameter", "mark", "around", "setting", "list", "layout", "markup")
"""Rules for ignoring a number of a table: it says which number another one is, or how it looks."""
IN_FULL = {"primary/residues": "the primary, in parts", "mllib": "Spark MLlib"}
"""Who verifies all rows beside an engine, in words."""
MOST = 8
"""Lines of one kind."""
LONGEST = 240
"""Characters of one line."""


def circumstances(outcome: Outcome) -> list[Circumstance]:
    """Say what weakens a run, and what does not."""
    several = len(outcome.systems) > 1
    told = [
        *_config(outcome),
        *_policy(outcome),
        *_tolerance(outcome),
        *_waivers(outcome),
        *_of_all(outcome, "columns", _columns, "no column is mapped", several=several),
        *_definitions(outcome),
        *_of_all(outcome, "rows", _rows, _all_rows(outcome), several=several),
        *_of_all(outcome, "sample", _sample, "everybody saw all rows", several=several),
        *_witnesses(outcome),
        *_resampling(outcome),
        *_claims(outcome),
    ]
    return [one.model_copy(update={"text": _brief(one.text)}) for one in told]


def lines(report: Report) -> list[str]:
    """Give what weakens a run as lines: a kind and what there is to say."""
    return [
        f"{one.kind}: {f'[{one.system}] ' if one.system else ''}{one.text}"
        for one in report.circumstances
        if one.weakens
    ]


def otherwise(report: Report) -> str:
    """Say in one sentence what is as the contract has it."""
    told = "; ".join(one.text for one in report.circumstances if not one.weakens)
    if "." in told.partition(" ")[0]:
        return f"{told}."  # a file's name is written as it is
    return f"{told[:1].upper()}{told[1:]}." if told else ""


def _brief(text: str) -> str:
    flat = harmless(" ".join(text.split()))
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 2]} …"


def _is(kind: str, text: str) -> Circumstance:
    return Circumstance(kind=kind, weakens=False, text=text)


def _weak(kind: str, texts: Iterable[str], system: str | None = None) -> Iterator[Circumstance]:
    found = list(texts)
    shown = found if len(found) <= MOST else found[: MOST - 1]
    for text in shown:
        yield Circumstance(kind=kind, weakens=True, text=text, system=system)
    if len(found) > len(shown):
        more = f"and {len(found) - len(shown):,} more, in report.json under provenance and settings"
        yield Circumstance(kind=kind, weakens=True, text=more, system=system)


def _of_all(
    outcome: Outcome,
    kind: str,
    tell: Any,  # noqa: ANN401 - from evidence to texts
    none: str,
    *,
    several: bool,
) -> Iterator[Circumstance]:
    """Say what each system's data weaken; none of them: once."""
    found = [
        each
        for one in outcome.evidence
        for each in _weak(kind, tell(one), one.system if several else None)
    ]
    yield from found or [_is(kind, none)]


def _config(outcome: Outcome) -> Iterator[Circumstance]:
    from crosscheck.gate.request import STUDY  # noqa: PLC0415 - a stored report needs no gate

    request = outcome.request
    file, options = request.config.file, request.options
    changed = ", ".join(_settings(request.config))
    name = slashed(request.shown.get(str(file), str(file))) if file else None
    if name is None and not changed:
        yield _is("config", "no config")
    elif name is not None and name.startswith(f"{STUDY}/"):
        yield _is("config", "the built-in study’s own config")
    else:
        said = " (found, not named)" if options is not None and options.found else ""
        told = f"{name or 'the call'}{said} sets {changed or 'nothing'}"
        # Named either way; what only says where things lie, or asks for more, weakens nothing.
        weak = weakening(request.config)
        yield from _weak("config", [told]) if weak else [_is("config", told)]


def _settings(config: Config) -> Iterator[str]:
    """Name what a config sets, with the value where it is one."""
    for name in sorted(config.model_fields_set):
        held = getattr(config, name)
        yield f"{name} = {held}" if isinstance(held, str | int | float) else name


def _policy(outcome: Outcome) -> Iterator[Circumstance]:
    policy = outcome.request.policy
    more = list(looser(policy, built_in(STANDARD_POLICY)))
    if more:
        yield from _weak("policy", [f"“{policy.name}” allows {one}" for one in more])
    else:
        yield _is("policy", f"the policy in force is “{policy.name}”")


def _tolerance(outcome: Outcome) -> Iterator[Circumstance]:
    asked, held = outcome.request.config.tolerance, outcome.request.terms.tolerance
    usual = float(contract.load().defaults["tolerance"])
    if asked > held and asked > usual:
        yield from _weak("tolerance", [f"{asked:g} is asked for and not granted: {held:g} holds"])
    elif held > usual:
        yield from _weak("tolerance", [f"{held:g}, where the contract has {usual:g}"])
    else:
        yield _is("tolerance", f"the tolerance is {held:g}")


def _waivers(outcome: Outcome) -> Iterator[Circumstance]:
    config, terms = outcome.request.config, outcome.request.terms
    if not config.waivers:
        yield _is("waivers", "nothing is waived")
        return
    told = []
    for one in config.waivers:
        waived = sum(
            each.stands_for
            for each in outcome.findings
            if each.waived == one.reason and one.covers(each.rule, each.key)
        )
        effect = f"waives {waived:,} finding{'' if waived == 1 else 's'}"
        if any(terms.refused(one)):
            effect = "does not count"
        owner = f", {one.owner}" if one.owner else ""
        until = f", until {one.expires}" if one.expires else ""
        told.append(f"{one.what} {effect}: “{one.reason}”{owner}{until}")
    yield from _weak("waivers", told)
    if terms.today is not None:
        yield _is("waivers", f"waivers are judged as of {terms.today}")


def _columns(evidence: Evidence) -> Iterator[str]:
    """Tell every column that is read under another name, by the config or by --ranking."""
    from crosscheck.checks.policy import looked_away  # noqa: PLC0415 - the same

    own = {name: column for name, _, column in looked_away(evidence)}
    for name, read in evidence.case.settings.get("columns", {}).items():
        beside = f", although the file has {own[name]}" if name in own else ""
        yield f"{name} is read from “{read}”{beside}"


def _definitions(outcome: Outcome) -> Iterator[Circumstance]:
    declared = getattr(outcome.request.config, "definitions", None) or {}
    pairs = declared.items() if isinstance(declared, dict) else dict(declared).items()
    told = [
        f"“{name}” in claims means {meant}{_instead(outcome, name)}"
        for name, meant in pairs
        if meant is not None
    ]
    yield from (
        _weak("definitions", told)
        if told
        else [_is("definitions", "every name means what the contract says")]
    )


def _instead(outcome: Outcome, name: str) -> str:
    """Say what the bare name would have given: the first claim that a declaration changes."""
    for evidence in outcome.evidence:
        for one in evidence.claims:
            bare = one.claim.undeclared or ""
            about = name in {"std", "ranking_population", re.split("[@/|]", bare)[0]}
            if bare and about and bare in evidence.ledger and one.key in evidence.ledger:
                value = evidence.ledger[one.key or bare]
                return f": {one.key} is {value:.4f}, {bare} would be {evidence.ledger[bare]:.4f}"
    return ""


def _rows(evidence: Evidence) -> Iterator[str]:
    from crosscheck.checks.policy import unevaluated  # noqa: PLC0415 - the same

    nowhere, rows = unevaluated(evidence)
    if nowhere:
        share = f"{100 * nowhere / rows:.1f} %"
        yield f"{_counted(evidence)}; {nowhere:,} ({share}) are of queries evaluated nowhere"


def _counted(evidence: Evidence) -> str:
    rows = evidence.facts["rows"]
    return ", ".join(f"{count:,} {split}" for split, count in rows.items() if count) + " rows"


def _all_rows(outcome: Outcome) -> str:
    some = dict.fromkeys(_counted(one) for one in outcome.evidence)
    return f"{' / '.join(some)}, each evaluated"


def at_scale(evidence: Evidence) -> str:
    """Say how strong the word about rows is that an engine alone counted."""
    case = evidence.case
    by = {one.name: one.ledger for one in evidence.statements if one.name != "sql" and one.ledger}
    added = {key for ledger in by.values() for key in ledger}
    who = " and ".join(IN_FULL.get(name, name) for name in by)
    full = f"{len(added):,} keys verified in full by {who}; " if added else ""
    alone = "; the systems were not compared with each other" if evidence.others else ""
    return (
        f"{full}{len(case.owed) - len(added):,} keys of all rows rest on one program, "
        f"{case.engine}, which was itself verified on the sample{alone}"
    )


def resampled(evidence: Evidence) -> Iterator[str]:
    """Say of what intervals over all rows are, which their keys do not."""
    for unit, what in evidence.facts.get("resampled", {}).items():
        yield f"intervals by {unit} resample {what}"


def _sample(evidence: Evidence) -> Iterator[str]:
    if evidence.case.engine:
        yield at_scale(evidence)
        yield from resampled(evidence)
        return
    scope = next((one.case.scope for one in evidence.statements if one.case.scope), None)
    if scope is not None:
        on_sample = dict.fromkeys(one.witness.name for one in evidence.statements if one.case.scope)
        whole = [one.witness.name for one in evidence.statements if not one.case.scope]
        saw = [name for name in on_sample if name not in whole]
        yield f"{', '.join(saw)} saw {scope} only"


def _witnesses(outcome: Outcome) -> Iterator[Circumstance]:
    from crosscheck.witnesses.registry import STANDARD  # noqa: PLC0415 - the same

    asked = [one.name for one in outcome.request.witnesses]
    absent = [one.name for one in STANDARD if one.name not in asked]
    lacking = {one.name: one.absent for one in outcome.request.witnesses if one.absent}
    silent = dict.fromkeys(
        statement.witness.name
        for one in outcome.evidence
        for statement in one.statements
        if isinstance(statement.answer, Silence)
    )
    told = [f"not asked: {', '.join(absent)}"] if absent else []
    told += [f"{name} is {why}" for name, why in lacking.items()]
    told += [f"fell silent: {', '.join(silent)}"] if silent else []
    yield from (
        _weak("witnesses", told) if told else [_is("witnesses", "every standard witness was heard")]
    )


def _resampling(outcome: Outcome) -> Iterator[Circumstance]:
    request, usual = outcome.request, contract.load().defaults
    if not request.resamples:
        yield _is("resamples", "no intervals were drawn")
        return
    told = []
    if request.resamples < int(usual["resamples"]):
        told.append(f"{request.resamples:,}, where the contract has {int(usual['resamples']):,}")
    if request.seed != int(usual["seed"]):
        told.append(f"by seed {request.seed}, where the contract has {usual['seed']}")
    yield from (
        _weak("resamples", told)
        if told
        else [_is("resamples", f"{request.resamples:,} resamples by the contract’s seed")]
    )


def _mapped(config: Config) -> Iterator[str]:
    """Tell every label that the config gives a meaning, and every table that it chooses."""
    own = [one.claims for one in config.systems.values()]
    told: dict[str, None] = {}
    for one in (config.claims, *own):
        if one is None:
            continue
        told |= {
            f"“{name}” is read as {key}, by the config": None for name, key in one.names.items()
        }
        told |= {
            f"“{label}” is read as the system “{system}”, by the config": None
            for label, system in one.systems.items()
        }
        told |= {
            f"only tables “{table}” are read, by the config": None for table in one.tables.include
        }
        told |= {
            f"tables “{table}” are left out by the config": None for table in one.tables.exclude
        }
    yield from told


def _claims(outcome: Outcome) -> Iterator[Circumstance]:
    claimed = [claim for one in outcome.evidence for claim in one.claims]
    if not claimed:
        yield _is("claims", "no claims were given")
        return
    files = dict.fromkeys(Path(one.claim.file).name for one in claimed)
    found: Counter[str] = Counter(one.status for one in claimed)
    told = [
        f"{found[status]:,} of {len(claimed):,} {how}" for status, how in LET_PASS if found[status]
    ]
    let_pass = Counter(one.claim.passed for one in claimed if one.status == "ignored")
    told += [f"{count:,} {reason}" for reason, count in let_pass.items()]
    passed = Counter(one.rule for each in outcome.evidence for one in each.ignored)
    hidden = {rule: count for rule, count in passed.items() if rule not in HARMLESS}
    if hidden:
        told.append(f"numbers passed over: {_listed(hidden)}")
    yield from _weak("claims", told)
    mapped = list(_mapped(outcome.request.config))
    for text in mapped:  # each of them, however many: one alone can make a wrong number right
        yield Circumstance(kind="claims", weakens=True, text=text)
    if not told and not mapped:
        yield _is("claims", f"{len(claimed):,} claims were read from {', '.join(files)}")
    rest = {rule: count for rule, count in passed.items() if rule in HARMLESS}
    if rest:
        yield _is("claims", f"numbers that are no claims: {_listed(rest)}")


def _listed(counts: Mapping[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{count:,} {rule}" for rule, count in ordered)
