"""What lies beside the signed statement, held against it: every page says what was signed.

A trusted key covers the bytes of these files, not their truth. So what follows from the statement
or from `report.json` is written again here, and must be the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from crosscheck.certificate import crate, page
from crosscheck.certificate.statement import PROGRAM, parse, program
from crosscheck.errors import UserError
from crosscheck.report.formats import encoded, formats
from crosscheck.report.provenance import version

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from crosscheck.certificate.statement import Predicate
    from crosscheck.report.view import Report

PAGE = "report.html"
PRODUCER = re.compile(rb"Matplotlib pdf backend v([\w.+-]{1,40})")


def problems(folder: Path, predicate: Predicate) -> Iterator[str]:
    """Say which page for people, or for archives, says otherwise than what was signed."""
    yield from _metadata(folder / crate.NAME, predicate)
    # Another version of the program may write them otherwise.
    if predicate.program != program():
        return
    written = folder / page.TEMPLATE
    if not written.is_file() or written.read_bytes() != page.html(predicate).encode():
        yield f"{page.TEMPLATE}: says otherwise than what was signed beside it"
    sheet = folder / page.PDF
    if not sheet.is_file():
        yield f"{page.PDF}: is not among the files that were signed"
    elif _drawn_here(sheet) and sheet.read_bytes() != page.pdf(predicate):
        yield f"{page.PDF}: is not the sheet that was signed beside it"


def unproven(folder: Path, predicate: Predicate) -> Iterator[str]:
    """Name the pages that could not be written again, so that their words are the signer's."""
    if predicate.program != program():
        yield f"{page.TEMPLATE} and {page.PDF}: they are of another version of the program"
    elif not _drawn_here(folder / page.PDF):
        yield f"{page.PDF}: another version of matplotlib has drawn it; {page.TEMPLATE} is proven"


def _drawn_here(sheet: Path) -> bool:
    """Whether the library that has drawn a sheet is the one that is here; it says so itself."""
    found = PRODUCER.search(sheet.read_bytes()) if sheet.is_file() else None
    return found is not None and found[1].decode() == version("matplotlib")


def _metadata(file: Path, predicate: Predicate) -> Iterator[str]:
    """Hold what archives read against what was signed: the verdict, the words, who, when."""
    try:
        graph = parse(file.read_bytes())["@graph"]
        found: dict[str, Any] = {one["@id"]: one for one in graph}
        root, who = found["./"], found["#certifier"]
        told = (root["name"], root["description"], root["datePublished"], who["name"])
    except (OSError, UserError, KeyError, TypeError):
        yield f"{crate.NAME}: is no metadata of a certificate"
        return
    if told != (*crate.titles(predicate), predicate.when, predicate.who):
        yield f"{crate.NAME}: says otherwise than what was signed beside it"


def pages(folder: Path, stored: Report) -> Iterator[str]:
    """Say which page of a report says otherwise than its `report.json`."""
    if stored.provenance.versions.get(PROGRAM) != version(PROGRAM):
        return
    for name, render in formats().items():
        if name == PAGE and has_figures(stored):
            continue
        file = folder / name
        if not file.is_file() or file.read_bytes() != encoded(render(stored, {})):
            yield f"{name}: says otherwise than report.json beside it"


def has_figures(stored: Report) -> bool:
    """Whether the page holds figures, which only the data can give."""
    compared = stored.comparison is not None and bool(stored.comparison.figures)
    return compared or any(one.figures for one in stored.systems)
