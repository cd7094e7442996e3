"""Reports that do not follow from their inputs: edited, or made with a check switched off.

Each function makes a report in a folder and then tampers with it; `caught` reruns it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from crosscheck import gate
from crosscheck.checks.groups import GROUPS
from crosscheck.errors import UserError
from crosscheck.faults.grounds import small
from crosscheck.gate.request import prepare
from crosscheck.model.options import Options
from crosscheck.report import publish
from crosscheck.report.json import NAME
from crosscheck.rerun import rerun

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crosscheck.report.view import Report

FAILING = "passed"
"""The small data set that contradicts itself, so that its honest verdict is fail."""


def make(folder: Path, *, left_out: str = "") -> Report:
    """Gate a small data set, without one group of checks if asked, and write the report."""
    data = small(FAILING, folder).data
    checks = [group for group in GROUPS if group.name != left_out]
    with prepare(Options(data=str(data), witnesses=("primary",)), search=False) as request:
        outcome = gate.run(replace(request, processes=False), checks=checks)
    return publish.write(outcome, folder, {})


def check_switched_off(folder: Path) -> None:
    """Make the report without the check that fails."""
    make(folder, left_out="inputs")


def verdict_edited(folder: Path) -> None:
    """Turn fail into pass, and clear the findings."""
    make(folder)
    _edit(folder, lambda report: report | {"verdict": "pass", "findings": []})


def value_edited(folder: Path) -> None:
    """Raise the first headline number by one hundredth."""
    make(folder)

    def edit(report: dict[str, object]) -> dict[str, object]:
        row = report["systems"][0]["headline"][0]  # type: ignore[index]
        row["value"] += 0.01
        return report

    _edit(folder, edit)


def ledger_edited(folder: Path) -> None:
    """Change a digit of the stored ledger."""
    make(folder)
    path = folder / "ledger.csv"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[1] = lines[1].replace("4", "5", 1) if "4" in lines[1] else lines[1].replace("2", "3", 1)
    path.write_text("".join(lines), encoding="utf-8")


def data_edited(folder: Path) -> None:
    """Change a probability after the fact."""
    data = make(folder).provenance.inputs[0].path
    path = folder / data
    path.write_text(path.read_text(encoding="utf-8").replace("0.45", "0.46"), encoding="utf-8")


def _edit(folder: Path, change: Callable[[dict[str, object]], dict[str, object]]) -> None:
    path = folder / NAME
    report = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(change(report)), encoding="utf-8")


INJECT: dict[str, Callable[[Path], None]] = {
    "check-switched-off": check_switched_off,
    "verdict-edited": verdict_edited,
    "value-edited": value_edited,
    "ledger-edited": ledger_edited,
    "data-edited": data_edited,
}


def caught(folder: Path) -> bool:
    """Rerun the report: whether it no longer follows from its inputs."""
    try:
        return not rerun(folder, processes=False).same
    except UserError:
        return True
