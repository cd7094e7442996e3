"""`report.md`: the run on one page, for a CI step summary.

GitHub cuts a step summary at one megabyte; this stays far below, whatever the size of the data:
long lists end with how many more there are and where.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crosscheck.contract.naming import subset_of
from crosscheck.model.key import Key
from crosscheck.report import circumstances, printing
from crosscheck.report.claimed import by_rule, told_claims
from crosscheck.report.formats import Format
from crosscheck.report.reading import reading
from crosscheck.system import harmless

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from crosscheck.model.comparison import ComparisonRow
    from crosscheck.model.findings import Finding
    from crosscheck.report.view import ComparisonView, Report, RowView, SystemView

NAME = "report.md"

ALIVE = re.compile(
    r"(?<!\w)@(?=\w)|@(?=[\w-]+\.\w)|#(?=\d)|\b(?:https?|ftp|mailto|xmpp):|\bwww(?=\.)|\bGH-(?=\d)",
    re.IGNORECASE,
)
"""What GitHub makes a link of, or a call to a person: the part after which it must not go on."""
ENTITY = re.compile(r"&(?=#?\w+;)")
APART = "&#8203;"
"""A space of no width."""
MOST = {"findings": 30, "rows": 80, "claims": 30, "systems": 20, "weakens": 40}
"""How many of each are written out."""


def render(report: Report) -> str:
    """Write the report as GitHub-flavoured Markdown."""
    blocks = [
        f"# {'✅ PASS' if report.verdict == 'pass' else '❌ FAIL'}",
        text(printing.summary(report)),
        *_weakens(report),
        *_findings(printing.worst_first(report.findings)),
    ]
    for system in report.systems[: MOST["systems"]]:
        blocks += _system(system, several=len(report.systems) > 1)
    blocks += _more(len(report.systems) - MOST["systems"], "systems")
    if report.comparison is not None:
        blocks += _comparison(report.comparison)
    blocks += _provenance(report)
    return "\n\n".join(blocks) + "\n"


def _weakens(report: Report) -> Iterator[str]:
    lines = [text(line) for line in circumstances.lines(report)]
    yield f"**{circumstances.TITLE}**" + ("" if lines else f": {circumstances.NOTHING}")
    if lines:
        yield "\n".join(f"- {line}" for line in lines[: MOST["weakens"]])
        yield from _more(len(lines) - MOST["weakens"], "lines")
    rest = text(circumstances.otherwise(report))
    if rest:
        yield f"Otherwise: {rest}" if lines else rest


def text(value: str) -> str:
    """Make any text safe inside a paragraph or a table cell.

    A sign escaped still makes a link or calls a person, because those are looked for in the text
    that is shown; only what stands between them and the name keeps them dead.
    """
    shown = ENTITY.sub("&amp;", harmless(value))
    for character in "\\`*_{}[]<>|#~":
        shown = shown.replace(character, f"\\{character}")
    return " ".join(ALIVE.sub(lambda one: f"{one[0]}{APART}", shown).split())


def code(value: str) -> str:
    """Write a key or an id as code that also survives inside a table."""
    flat = " ".join(harmless(value).split()).replace("`", "ˋ").replace("|", "\\|")
    return f"`{flat}`"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table; cells are already safe."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _more(count: int, what: str) -> Iterator[str]:
    if count > 0:
        yield f"… and {printing.count(count)} more {what}, see `report.json`."


def _findings(findings: list[Finding]) -> Iterator[str]:
    if not findings:
        return
    yield "## Findings"
    lines = []
    told: set[str] = set()
    for found in findings[: MOST["findings"]]:
        mark = "waived" if found.waived is not None else found.severity
        where = f" ({text(found.system)})" if found.system else ""
        why = f" *Waived: {text(found.waived)}*" if found.waived is not None else ""
        again = found.remedy in told
        told.add(found.remedy)
        lines.append(
            f"- **{mark} {found.rule}**{where} {text(found.message)}{why}"
            + ("" if again else f"  \n  Try: {text(found.remedy)}")
        )
    yield "\n".join(lines)
    yield from _more(len(findings) - MOST["findings"], "findings")


def _system(system: SystemView, *, several: bool) -> Iterator[str]:
    yield f"## {text(system.name)}" if several else "## Results"
    names = ", ".join(
        f"{text(each.name)} ({printing.count(each.keys)})" for each in system.witnesses
    )
    yield (
        f"{printing.count(system.compared)} of {printing.count(system.keys)} keys compared. "
        f"Witnesses: {names}.{_threshold(system)}"
    )
    if system.sampled:
        yield text(system.sampled)
    noted = reading(system.facts)
    if noted:
        yield text(" ".join(noted))
    yield _rows(system.headline[: MOST["rows"]])
    yield from _more(len(system.headline) - MOST["rows"], "rows")
    yield from _claims(system)
    yield from _not_checked(system)


def _threshold(system: SystemView) -> str:
    told = system.deployment_threshold
    return f" Deployment threshold: {text(told)}." if told else ""


def _rows(rows: list[RowView]) -> str:
    """Write the rows as a table, without the columns that none of them fills."""
    header = ["Metric", "Value", "Mean ± std over folds", "95 % CI", "Subset", "Meaning"]
    cells = [_row(row) for row in rows]
    kept = [at for at in range(len(header)) if any(row[at] for row in cells) or not cells]
    return table([header[at] for at in kept], ([row[at] for at in kept] for row in cells))


def _row(row: RowView) -> list[str]:
    folds = ""
    if row.folds_mean is not None and row.folds_std is not None:
        folds = printing.plus_minus(row.folds_mean, row.folds_std)
    interval = ""
    if row.intervals:
        first = row.intervals[0]
        interval = text(printing.bracket(first.low, first.high))
    subset = subset_of(Key.parse(row.key))
    if row.n is not None:
        subset += f" (n = {printing.count(row.n)})"
    value = printing.value_text(row.value)
    return [text(row.name), value, folds, interval, text(subset), text(row.meaning)]


def _claims(system: SystemView) -> Iterator[str]:
    counted = told_claims([system])
    if not counted:
        return
    yield f"**{counted.capitalize()}**."
    others = [claim for claim in system.claims if claim.status != "holds"]
    if others:
        yield "\n".join(
            f"- {claim.status}: {text(claim.place)} {text(claim.label)} = {text(claim.printed)}: "
            f"{text(claim.sentence)}"
            for claim in others[: MOST["claims"]]
        )
        yield from _more(len(others) - MOST["claims"], "claims that do not hold")
    ignored = by_rule(system)
    if ignored:
        yield "Ignored by rule: " + "; ".join(
            f"{count:,} {text(rule)} ({text(why)})" for rule, why, count in ignored
        )


def _not_checked(system: SystemView) -> Iterator[str]:
    lines = [
        f"- {text(check.title)}: {text(check.reason or 'nothing to look at')}"
        for check in system.checks
        if check.status == "skipped"
    ]
    lines += [f"- {text(family)}: {text(lack)}" for family, lack in system.not_owed.items()]
    if lines:
        yield "**Not checked** (skipped is not passed):"
        yield "\n".join(lines)


def _comparison(comparison: ComparisonView) -> Iterator[str]:
    yield f"## Systems against {text(comparison.baseline)}"
    header = ["System", "Metric", "Value", "Difference", "Improvement"]
    tested = ["95 % CI", "p (Holm)"] if comparison.resamples else []
    rows = comparison.rows[: MOST["rows"]]
    yield table([*header, *tested], (_compared(row)[: len(header) + len(tested)] for row in rows))
    yield from _more(len(comparison.rows) - MOST["rows"], "rows")


def _compared(row: ComparisonRow) -> list[str]:
    bounds = None if row.low is None or row.high is None else printing.bracket(row.low, row.high)
    return [
        text(row.system),
        text(row.name),
        printing.number(row.value),
        "" if row.difference is None else printing.signed(row.difference),
        "" if row.improvement is None else f"{printing.signed(row.improvement, 2)} %",
        text(bounds or ""),
        "" if row.p_holm is None else printing.number(row.p_holm),
    ]


def _provenance(report: Report) -> Iterator[str]:
    provenance = report.provenance
    yield "## Provenance"
    yield table(
        ["Input", "File", "SHA-256"],
        (
            [text(file.role), code(file.path), code(file.sha256)]
            for file in provenance.inputs[: MOST["rows"]]
        ),
    )
    versions = ", ".join(f"{text(name)} {text(each)}" for name, each in provenance.versions.items())
    yield f"Contract {code(provenance.contract_sha256)}; seed {provenance.seed}; {versions}."
    yield f"Rerun: {code('crosscheck rerun report.json')}"


FORMAT = Format(NAME, lambda report, _: render(report))
