"""Write a run's report into a folder, which `aside` moves into place when all of it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.report import ledger
from crosscheck.report.aside import aside
from crosscheck.report.names import SAMPLE, folder_name
from crosscheck.report.provenance import write_machine
from crosscheck.report.write import write_figured, write_ledgers

if TYPE_CHECKING:
    from pathlib import Path

    from crosscheck.gate import Outcome
    from crosscheck.report.gallery import Galleries
    from crosscheck.report.view import Report

__all__ = ["aside", "write"]


def write(
    outcome: Outcome, folder: Path, figures: Galleries, report: Report | None = None
) -> Report:
    """Write every format into the folder; a report that was put together already is taken."""
    if report is None:
        from crosscheck.report.assemble import report_of  # noqa: PLC0415 - the whole gate

        report = report_of(outcome)
    return finish(begin(outcome, folder, report), folder, figures)


def begin(outcome: Outcome, folder: Path, report: Report) -> Report:
    """Write what shows no figures, which may still be being drawn; names the ledgers' files."""
    report = write_ledgers(report, outcome.ledgers, folder)
    names = [one.system for one in outcome.evidence]
    for one in outcome.evidence:
        sample = one.ledgers(sample=True)
        if sample:
            place = folder / folder_name(one.system, names) if len(names) > 1 else folder
            text = ledger.render(sample, one.tolerance)
            (place / SAMPLE).write_text(text, encoding="utf-8", newline="\n")
    write_machine(folder)
    return report


def finish(report: Report, folder: Path, figures: Galleries) -> Report:
    """Write the figures, and every format."""
    return write_figured(report, figures, folder)
