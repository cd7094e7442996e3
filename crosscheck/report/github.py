"""GitHub annotations: the findings as workflow commands, printed when a run happens there.

GitHub shows ten errors, ten warnings and ten notices of a step; the worst come first, and the last
of a kind says how many more there are.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck.report import circumstances
from crosscheck.report.places import Places
from crosscheck.system import harmless

if TYPE_CHECKING:
    from crosscheck.model.findings import Finding
    from crosscheck.report.places import Spot
    from crosscheck.report.view import Report

MOST = 10

_LEVELS = {"error": "error", "drift": "warning", "advice": "notice"}


def render(report: Report, folder: str = "") -> str:
    """Write what weakens the run, then one command a finding; a waived one is a notice.

    `folder` is where the gate ran, from the root of the repository.
    """
    places = Places(report, folder)
    weak = circumstances.lines(report)
    told = "\n".join(weak) or circumstances.NOTHING
    first = "warning" if weak else "notice"
    lines = [f"::{first} title={_property(circumstances.TITLE)}::{_data(told)}"]
    for level in _LEVELS.values():
        own = [found for found in report.findings if _level(found) == level]
        most = MOST - (level == first)
        shown = own if len(own) <= most else own[: most - 1]
        lines += [_command(level, found, places.of(found)) for found in shown]
        if len(own) > len(shown):
            more = f"and {len(own) - len(shown)} more like these, see the report"
            lines.append(f"::{level} title=crosscheck::{more}")
    return "".join(f"{line}\n" for line in lines)


def beside_the_step(markdown: str) -> None:
    """Put a text where GitHub shows it beside the step, if it names a place."""
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    if place:
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(markdown)


def _level(found: Finding) -> str:
    return "notice" if found.waived is not None else _LEVELS[found.severity]


def _command(level: str, found: Finding, spot: Spot | None) -> str:
    properties = [f"title={_property(f'{found.rule} {found.title}')}", *_place(spot)]
    waived = f" Waived: {found.waived}." if found.waived is not None else ""
    text = f"{found.message}{waived} Try: {found.remedy}"
    return f"::{level} {','.join(properties)}::{_data(text)}"


def _place(spot: Spot | None) -> list[str]:
    """Name the file, and the line and the column where it is known."""
    if spot is None:
        return []
    named = [f"file={_property(spot.file)}"]
    named += [f"line={spot.line}"] if spot.line else []
    return named + ([f"col={spot.column}"] if spot.line and spot.column else [])


def _data(text: str) -> str:
    return harmless(text.replace("\r", "\n")).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
