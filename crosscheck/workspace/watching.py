"""Gate again whenever an input changes, and say what moved since the last time."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck import diff
from crosscheck.errors import FAILED, PASS, UserError
from crosscheck.report import json
from crosscheck.system import scratch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.diff import Diff
    from crosscheck.report.view import Report


class Watched:
    """A gate that is asked again and again: the last report that was written is kept."""

    def __init__(self, words: Sequence[str], folder: Path) -> None:
        self.words = words
        self.folder = folder
        self.count = 0
        self.last: Path | None = None

    def gate(self) -> Report:
        """Gate once more; bad input is a `UserError`, and the last report stays."""
        self.count += 1
        out = self.folder / str(self.count)
        command = [sys.executable, "-m", "crosscheck", "gate", "-q", "--out", str(out)]
        ended = subprocess.run(  # noqa: S603 - this very command
            [*command, *self.words],
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        if ended.returncode not in (PASS, FAILED):
            told = ended.stderr.strip().removeprefix("crosscheck: ")
            raise UserError(told or f"the gate ended with {ended.returncode}")
        self.last = out
        return json.read(out / json.NAME)

    def again(self) -> tuple[Report, Diff | None]:
        """Gate once more; what moved, where there was a report before."""
        before = self.last
        report = self.gate()
        if before is None or self.last is None:
            return report, None
        return report, diff.compare(*diff.opened(str(before), str(self.last), None))


@contextmanager
def watched(words: Sequence[str]) -> Iterator[Watched]:
    """Keep the reports in a folder of their own for as long as one watches."""
    with scratch("watch") as folder:
        yield Watched(words, folder)


def inputs_of(report: Report) -> list[Path]:
    """Name the files whose change is waited for."""
    return [Path(one.path) for one in report.provenance.inputs if Path(one.path).is_file()]
