"""Only verified numbers are printed: each must stand in the ledger, and have passed the gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.limits import admit
from crosscheck.report import ledger

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from crosscheck.report.cells import Stated
    from crosscheck.report.view import Report, SystemView

OWN = ("primary", "sql")
"""Whose column is printed: the primary's; where an engine alone saw all rows, the engine's."""


def verify(report: Report, directory: Path, stated: Iterable[Stated]) -> None:
    """Refuse numbers that are not what was verified: a changed ledger, an open error."""
    by_system: dict[str, dict[str, float]] = {}
    for one in stated:
        by_system.setdefault(one.system, {})[one.key] = one.value
    systems = {system.name: system for system in report.systems}
    for name, keys in by_system.items():
        if name not in systems:
            raise UserError(
                f"{directory}: the report has no ledger of the system “{name}”; run `crosscheck "
                "gate` again"
            )
        _in_ledger(systems[name], directory, keys)
    wrong = [
        found
        for found in report.findings
        if found.severity == "error" and found.waived is None
        if any(
            found.key in keys and found.system in (None, name) for name, keys in by_system.items()
        )
    ]
    if wrong:
        listed = "\n".join(f"  {found.rule} {found.key}: {found.message}" for found in wrong)
        raise UserError(
            f"{directory}: these numbers of the table did not pass the gate:\n{listed}\n"
            "Settle them and run `crosscheck gate` again; only verified numbers are printed."
        )


def _in_ledger(system: SystemView, directory: Path, stated: dict[str, float]) -> None:
    file = system.ledger
    if file is None:
        raise UserError(f"{directory}: the report names no ledger; write it with `crosscheck gate`")
    path = directory / file.path
    admit(path, "report")
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read ({error.strerror}); the tables come from the verified ledger, "
            "so keep it beside report.json"
        ) from error
    if ledger.digest(text, file.columns) != file.sha256:
        raise UserError(
            f"{path}: is not the ledger that was verified (its SHA-256 differs from that in "
            "report.json); run `crosscheck gate` again"
        )
    read = ledger.read(text)
    known = next((read[name] for name in OWN if read.get(name)), {})
    for key, value in stated.items():
        if known.get(key) != value:
            raise UserError(
                f"{path}: {key} is {known.get(key)!r}, but report.json says "
                f"{value!r}; run `crosscheck gate` again"
            )
