"""The report as an outline in plain text: the verdict, and a line for each finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.report.formats import Format

if TYPE_CHECKING:
    from crosscheck.report.view import Report


def render(report: Report) -> str:
    """Write the outline."""
    return "".join(f"{line}\n" for line in (report.verdict, *(one.rule for one in report.findings)))


FORMAT = Format("outline.txt", lambda report, _: render(report))
