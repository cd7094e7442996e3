"""`report.html`: the whole run as one page that needs no network and no JavaScript.

The template does the wording and order; this file decides what fits: however large the data, the
page stays small, and what it leaves out is counted and named. Everything from the data is escaped
by the template engine; the figures' markup is our own.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck.contract import load
from crosscheck.contract.naming import subset_of
from crosscheck.model.key import Key
from crosscheck.report import circumstances, printing
from crosscheck.report.formats import Format
from crosscheck.report.pivot import pivot
from crosscheck.report.reading import reading
from crosscheck.system import harmless

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment

    from crosscheck.model.findings import Finding
    from crosscheck.report.gallery import Drawn, Galleries
    from crosscheck.report.view import Report, RowView

NAME = "report.html"
TEMPLATES = Path(__file__).parent / "templates"

MOST = {
    "findings": 200,
    "claims": 400,
    "rows": 150,
    "criteria": 100,
    "conflicts": 100,
    "weakens": 14,
}
"""How many of each the page shows; `report.json` and `ledger.csv` have them all."""

PLACES = {
    "below": "below S1’s baseline range",
    "baseline": "in S1’s baseline range",
    "between": "between S1’s baseline and good ranges",
    "good": "in S1’s good range",
    "above": "above S1’s good range",
}
"""Where a value stands among the ranges of S1 7."""

MOST_NAMED = 3
"""Files and systems that the head of the page names."""

FIGURE_BYTES = 2_600_000
"""Markup of figures that the page carries; systems beyond it link to their files."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The part of a list that the page shows, and how much it leaves out."""

    items: Sequence[Any]
    left_out: int


@dataclass(frozen=True, slots=True)
class Glance:
    """The first screen: what was checked, by whom, how far apart."""

    subject: str
    compared: int
    owed: int
    witnesses: list[str]
    apart: tuple[float, str] | None
    claims: int
    holding: int


def render(report: Report, figures: Galleries | None = None) -> str:
    """Write the page; `figures` by system, the comparison's under `None`."""
    template = _environment().get_template("report.html")
    page = template.render(
        report=report,
        findings=_grouped(report.findings),
        defined=next((_anchor(n) for n, one in enumerate(report.systems) if one.sensitivity), None),
        css=(TEMPLATES / "report.css").read_text(encoding="utf-8"),
        js=(TEMPLATES / "report.js").read_text(encoding="utf-8"),
        pictures=_pictures(report, figures or {}),
        counts=printing.tally(report.findings),
        glance=_glance(report),
        weakens=[one for one in report.circumstances if one.weakens],
        otherwise=circumstances.otherwise(report),
        systems=[(_anchor(index), system) for index, system in enumerate(report.systems)],
    )
    # A number and its percent sign stay on one line.
    return _PERCENT.sub("\N{NO-BREAK SPACE}%", page)


_PERCENT = re.compile(r"(?<=\d) %")


def prepare() -> None:
    """Compile the page's templates beforehand."""
    environment = _environment()
    for name in environment.list_templates(extensions=["html"]):
        environment.get_template(name)


def safe_environment(templates: Path) -> Environment:
    """Give what pages are made with: whatever a stranger wrote is text, and harmless."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - on use

    return Environment(
        loader=FileSystemLoader(templates),
        autoescape=True,
        undefined=StrictUndefined,
        # Everything that is printed, but for markup of our own.
        finalize=lambda value: harmless(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _environment() -> Environment:
    environment = safe_environment(TEMPLATES)
    environment.filters |= {
        "number": printing.number,
        "count": printing.count,
        "value": printing.value_text,
        "signed": printing.signed,
        "tiny": printing.tiny,
        "percent": printing.percent,
        "statement": printing.statement,
        "some": _some,
        "summary": printing.summary,
        "titled": printing.titled,
        "shell": shlex.join,
        "placed": PLACES.__getitem__,
        "in_words": _in_words,
    }
    environment.globals |= {
        "bracket": printing.bracket,
        "plus_minus": printing.plus_minus,
        "unitary": _unitary,
        "pivot": pivot,
        "words": load().words,
        "reading": reading,
        "within": printing.WITHIN,
        "subset": lambda row: subset_of(Key.parse(row.key)),
    }
    return environment


def _in_words(text: str, facts: dict[str, Any]) -> str:
    return load().words(facts).fit(text)


def _grouped(findings: list[Finding]) -> list[tuple[Finding, list[str]]]:
    """Put the same finding about several systems in one place, the worst first."""
    groups: dict[tuple[str, str, str | None, str | None], tuple[Finding, list[str]]] = {}
    for found in printing.worst_first(findings):
        what = (found.rule, found.message, found.key, found.waived)
        _, systems = groups.setdefault(what, (found, []))
        if found.system is not None and found.system not in systems:
            systems.append(found.system)
    return list(groups.values())


def _anchor(index: int) -> str:
    return f"system-{index + 1}"


def _some(items: Sequence[Any], what: str) -> Shown:
    return Shown(items[: MOST[what]], max(0, len(items) - MOST[what]))


def _pictures(report: Report, figures: Galleries) -> dict[str | None, dict[str, Drawn]]:
    """Choose which figures the page carries: system by system until the room is used up."""
    room = FIGURE_BYTES
    chosen: dict[str | None, dict[str, Drawn]] = {}
    for place, name in enumerate((None, *(system.name for system in report.systems))):
        gallery = figures.get(name)
        chosen[name] = {}
        if gallery is None:
            continue
        size = sum(len(drawn.inline.encode()) for drawn in gallery.figures)
        if size <= room:
            room -= size
            chosen[name] = {drawn.name: _scoped(drawn, place) for drawn in gallery.figures}
    return chosen


def _scoped(drawn: Drawn, place: int) -> Drawn:
    """Keep one system's ids apart from the next one's, whose figures have the same names."""
    own = re.compile(rf'( id="|href="#|url\(#){re.escape(drawn.name)}-')
    return replace(drawn, inline=own.sub(rf"\g<1>f{place}-{drawn.name}-", drawn.inline))


def _unitary(row: RowView) -> bool:
    """Tell whether a value lies on the unit scale, so that a stroke can show where."""
    bounded = 0 <= row.value <= 1
    return bounded and isinstance(row.value, float) and "per_1000" not in row.metric


def _glance(report: Report) -> Glance:
    """Sum up over all systems what was compared, by whom, and how far apart they are."""
    systems = report.systems
    apart = [
        (pair.worst_difference, f"{pair.first} – {pair.second}")
        for system in systems
        for pair in system.pairs
        if pair.worst_difference is not None and "claims" not in (pair.first, pair.second)
    ]
    claims = [claim for system in systems for claim in system.claims]
    heard = [
        witness.name.removesuffix("/sample")
        for system in systems
        for witness in system.witnesses
        if witness.status == "answered" and witness.kind != "claims"
    ]
    return Glance(
        subject=_subject(report),
        compared=sum(system.compared for system in systems),
        owed=sum(system.keys for system in systems),
        witnesses=list(dict.fromkeys(heard)),
        apart=max(apart, key=lambda pair: pair[0], default=None),
        claims=len(claims),
        holding=sum(claim.status == "holds" for claim in claims),
    )


def _subject(report: Report) -> str:
    """Name the data that were gated, and how many queries they are."""
    files = [file.path for file in report.provenance.inputs if file.role in _DATA]
    parts = [", ".join(files[:MOST_NAMED])]
    if len(files) > MOST_NAMED:
        parts.append(f"{len(files) - MOST_NAMED} more files")
    names = [system.name for system in report.systems]
    if len(names) > 1:
        rest = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        parts.append(f"systems {', '.join(names[:MOST_NAMED])}{rest}")
    facts = report.systems[0].facts if report.systems else {}
    if "queries" in facts:
        counted = facts["queries"]
        words = load().words(facts)
        parts.append(f"{printing.count(counted['all_queries'])} {words.queries}")
        if not facts.get("classes"):
            parts.append(f"{printing.count(counted['positives_only'])} {words.positive}")
    parts += [f"{len(facts[name])} {name}" for name in ("classes", "seeds") if facts.get(name)]
    if facts.get("folds"):
        parts.append(f"{len(facts['folds'])} folds")
    return ", ".join(part for part in parts if part)


_DATA = ("data", "run")


FORMAT = Format(NAME, render)
