"""Where a finding stands, as an editor or a code host can show it: file, line, column."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crosscheck.model.findings import Finding
    from crosscheck.report.view import ClaimView, Report

_ROW = re.compile(r"\brow (\d+)\b")


@dataclass(frozen=True, slots=True)
class Spot:
    """A file, and the line and column in it; 0 where there is none to point at."""

    file: str
    line: int = 0
    column: int = 0


class Places:
    """Finds the spot of each finding of a report."""

    def __init__(self, report: Report, folder: str = "") -> None:
        self.folder = "" if folder in ("", ".") else f"{folder.rstrip('/')}/"
        self.files = [file.path for file in report.provenance.inputs]
        claims = (claim for system in report.systems for claim in system.claims)
        self.claims: dict[str, ClaimView] = {one.place: one for one in claims}

    def of(self, found: Finding) -> Spot | None:
        """Give the spot of a claim, or of a data row: the header of a table is line 1."""
        place = found.place or ""
        claim = self.claims.get(place)
        if claim is not None:
            file = _path(claim.file, self.files) or claim.file
            return Spot(self._placed(file), claim.line, claim.column)
        input_file = next((path for path in self.files if path in place), None)
        if input_file is None:
            return None
        row = _ROW.search(place)
        return Spot(self._placed(input_file), int(row[1]) + 1 if row else 0)

    def _placed(self, file: str) -> str:
        return file if file.startswith("/") else f"{self.folder}{file}"

    def near(self, found: Finding) -> Spot:
        """Give the spot, or the first input where none is named: some hosts show no other."""
        return self.of(found) or Spot(self.files[0] if self.files else "crosscheck.toml")


def _path(name: str, files: Iterable[str]) -> str | None:
    """Give the input that a file of claims is, by its whole name or the end of it."""
    return next((path for path in files if path == name or path.endswith(f"/{name}")), None)
