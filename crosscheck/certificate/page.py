"""The certificate for people, as a page and as a PDF: what was checked, by whom, when, what not.

Both are made of the predicate alone, before it is signed, and are among the files that the
signature covers: a page that says otherwise does not verify.
"""

from __future__ import annotations

import io
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck.report.printing import titled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from crosscheck.certificate.statement import Counts, Predicate

TEMPLATE = "certificate.html"
PDF = "certificate.pdf"
MOST = 40
"""Lines of a list; `certificate.json` has them all."""
PAGE = (8.27, 11.69)
"""A4, in inches."""
LINE = 0.0148
"""Height of a line, of the page's."""
WIDTH = 104
"""Letters of a line of the PDF."""
LABEL = 18


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, facts by name, and lines."""

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    lines: tuple[str, ...] = ()


def sections(predicate: Predicate) -> list[Section]:
    """Say everything that a certificate says, in the order in which people ask."""
    found, counts = predicate.found, predicate.found.counts
    rerun = {
        "same": "the signer reran the report before signing: it is what its inputs give",
        "not done": "the signer did not rerun the report: its numbers are the authors’ word",
    }
    return [
        Section(
            "By whom, and when",
            (
                ("Certified by", predicate.who),
                ("On", predicate.when),
                ("Rerun", rerun[predicate.rerun]),
                ("With", predicate.program),
            ),
        ),
        Section("What was checked", tuple(_checked(counts)), ()),
        Section(
            "What weakens it",
            (("Otherwise", found.otherwise),) if found.otherwise else (),
            _some(found.weakened_by) or ("Nothing beyond what the contract has.",),
        ),
        Section("What was not checked", (), _some(found.not_checked) or ("Nothing was skipped.",)),
        Section("Of which files", tuple(_files(predicate))),
        Section("By which rules", tuple(_rules(predicate))),
    ]


def _checked(counts: Counts) -> Iterator[tuple[str, str]]:
    yield "Numbers", f"{counts.compared:,} compared, of {_several(counts.systems, 'system')}"
    yield "Witnesses", ", ".join(counts.witnesses) or "none"
    yield "Claims", f"{counts.claims_holding:,} of {counts.claims:,} hold"
    kinds = {"drift": counts.drift, "advice": counts.advice, "waived": counts.waived}
    rest = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
    yield "Findings", f"{_several(counts.errors, 'error')}, {rest}"


def _several(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _some(lines: list[str]) -> tuple[str, ...]:
    more = len(lines) - MOST
    return (*lines[:MOST], *((f"… and {more:,} more in certificate.json",) if more > 0 else ()))


def _files(predicate: Predicate) -> Iterator[tuple[str, str]]:
    inputs = predicate.found.inputs
    for one in inputs[:MOST]:
        yield one.role, f"{one.path}, {one.bytes:,} bytes, SHA-256 {one.sha256}"
    if len(inputs) > MOST:
        yield "more", f"{len(inputs) - MOST:,} in certificate.json"
    repository = predicate.repository
    if repository is None:
        yield "Repository", "the inputs are in no repository that could be read"
    else:
        inside = "every input is in it" if repository.committed else "not every input is in it"
        yield "Repository", f"commit {repository.commit}; {inside}, byte by byte"


def _rules(predicate: Predicate) -> Iterator[tuple[str, str]]:
    found = predicate.found
    kind = "built in" if found.policy.path is None else found.policy.path
    yield "Policy", f"“{found.policy.name}” ({kind}), SHA-256 {found.policy.sha256}"
    if found.judged_as_of is not None:
        yield "Waivers", f"judged as of {found.judged_as_of}"
    yield "Contract", f"SHA-256 {found.contract_sha256}"
    yield "Versions", ", ".join(f"{name} {one}" for name, one in found.versions.items())


def html(predicate: Predicate) -> str:
    """Write the page."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - on use

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["titled"] = titled
    return environment.get_template(TEMPLATE).render(
        found=predicate.found, sections=sections(predicate), summary=_summary(predicate)
    )


def _summary(predicate: Predicate) -> str:
    return titled(predicate.found.summary.partition(": ")[2])


def pdf(predicate: Predicate) -> bytes:
    """Draw the same on as many sheets as it takes."""
    from matplotlib import rc_context, rcParamsDefault  # noqa: PLC0415 - heavy
    from matplotlib.backends.backend_pdf import PdfPages  # noqa: PLC0415 - heavy

    written = io.BytesIO()
    facts = {"Title": "Certificate of a crosscheck", "CreationDate": None}
    # A `matplotlibrc` may lie where one stands, and is nobody's who signs: it does not count.
    usual = {name: value for name, value in rcParamsDefault.items() if "backend" not in name}
    with (
        rc_context(usual | {"pdf.compression": 0, "text.usetex": False}),
        PdfPages(written, metadata=facts) as pages,
    ):
        for sheet in _sheets(list(_lines(predicate))):
            pages.savefig(_drawn(sheet))
    return written.getvalue()


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the PDF."""

    text: str
    size: float = 8.5
    weight: str = "normal"
    colour: str = "#1b1f24"
    height: float = 1.0
    label: str = ""


def _lines(predicate: Predicate) -> Iterator[_Line]:
    good = predicate.found.verdict == "pass"
    yield _Line("metric-crosscheck", 9, colour="#56606b", height=2)
    yield _Line("Certificate", 20, "bold", height=3)
    colour = "#13713f" if good else "#b3261e"
    yield _Line(predicate.found.verdict.upper(), 26, "bold", colour, height=3.2)
    yield _Line("", height=0.6)
    yield from (_Line(part, 9.5) for part in _wrapped(_summary(predicate), WIDTH - 12))
    for section in sections(predicate):
        yield _Line("", height=0.9)
        yield _Line(section.title, 11, "bold", height=1.5)
        for line in section.lines:
            for number, part in enumerate(_wrapped(line, WIDTH - 2)):
                yield _Line(f"{'  ' if number else '• '}{part}")
        for name, value in section.facts:
            for number, part in enumerate(_wrapped(value, WIDTH - LABEL)):
                yield _Line(part, label="" if number else titled(name))


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


def _sheets(lines: list[_Line]) -> Iterator[list[_Line]]:
    """Share the lines out among sheets; a heading stays with what it heads."""
    sheet: list[_Line] = []
    room = _room()
    for place, one in enumerate(lines):
        needed = one.height + (1.0 if one.weight == "bold" and place + 1 < len(lines) else 0.0)
        if sheet and needed > room:
            yield sheet
            sheet, room = [], _room()
        sheet.append(one)
        room -= one.height
    yield sheet


def _room() -> float:
    return 0.88 / LINE


def _drawn(lines: list[_Line]) -> Figure:
    from matplotlib.figure import Figure  # noqa: PLC0415 - heavy

    from crosscheck.drawing.scripts import spell_out  # noqa: PLC0415 - the same

    sheet = Figure(figsize=PAGE)
    height = 0.94
    for one in lines:
        height -= one.height * LINE
        if one.label:
            sheet.text(0.08, height, one.label, fontsize=8.5, color="#56606b", parse_math=False)
        indented = one.size == 8.5 and not one.text.startswith(("• ", "  "))  # noqa: PLR2004 - the facts' size
        sheet.text(
            0.24 if indented else 0.08,
            height,
            one.text,
            weight=one.weight,
            fontsize=one.size,
            color=one.colour,
            parse_math=False,
        )
    spell_out(sheet)
    return sheet
