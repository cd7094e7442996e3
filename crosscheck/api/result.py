"""What `check` gives: the verdict, the findings, the ledger as a frame, and explanations."""

from __future__ import annotations

import weakref
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck.answers import explained as explaining
from crosscheck.api.notebook import page_html, result_html
from crosscheck.contract.printing import as_markdown
from crosscheck.errors import UserError
from crosscheck.extras import needed
from crosscheck.figures.studio import Studio
from crosscheck.report import ledger as ledgers
from crosscheck.report import publish
from crosscheck.report.assemble import report_of
from crosscheck.witnesses.workers import Workers

if TYPE_CHECKING:
    import os
    from contextlib import ExitStack

    import pandas as pd

    from crosscheck.contract.page import Page
    from crosscheck.gate import Outcome
    from crosscheck.model.findings import Finding
    from crosscheck.report.view import Report


class Result:
    """A finished run; true where it passed.

    The private files of data that came from memory last as long as the result does.
    """

    def __init__(self, outcome: Outcome, kept: ExitStack) -> None:
        self._outcome = outcome
        self._end = weakref.finalize(self, kept.close)
        self.report: Report = report_of(outcome)

    @property
    def passed(self) -> bool:
        """Whether no finding fails the run."""
        return self.report.verdict == "pass"

    @property
    def summary(self) -> str:
        """How it went, in one sentence."""
        return self.report.summary

    @property
    def findings(self) -> list[Finding]:
        """What is wrong, drifts, or is worth knowing; what fails the run first."""
        return list(self.report.findings)

    @property
    def ledger(self) -> pd.DataFrame:
        """Every key with every witness's value: the columns of ledger.csv, indexed by key.

        With several systems their names are a first level of the index.
        """
        frames_of = needed("pandas", "ledger")
        tolerance = self._outcome.request.config.tolerance
        frames = {name: _frame(one, tolerance) for name, one in self._outcome.ledgers.items()}
        if len(frames) == 1:
            return next(iter(frames.values()))
        joined: pd.DataFrame = frames_of.concat(frames, names=["system"])
        return joined

    def explain(self, key: str, *, system: str | None = None) -> Explained:
        """Explain a metric (`nDCG@10`), a key, or either with a claimed `=VALUE`."""
        request = self._outcome.request
        if system is not None:
            first = [one for one in request.sources if one.name == system]
            if not first:
                known = ", ".join(one.name for one in request.sources)
                raise UserError(f"no system “{system}”; there are {known}")
            rest = [one for one in request.sources if one.name != system]
            request = replace(request, sources=(*first, *rest))
        found = explaining.answer(explaining.read_question(key), request, named=False)
        return Explained(explaining.page_of(*found))

    def write(self, out: str | os.PathLike[str]) -> Report:
        """Write the whole report to a folder: every format, the figures, the ledger."""
        with publish.aside(Path(out)) as folder:
            return self.publish(folder)

    def publish(self, folder: Path) -> Report:
        """Write the report's files into a folder that is there, and empty."""
        with Workers() as workers:
            studio = Studio(workers)
            for one in self._outcome.evidence:
                studio.spoken(one)
                studio.gathered(one)
            drawn = studio.galleries(self._outcome.comparison)
            return publish.write(self._outcome, folder, drawn)

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        return f"<{self.summary}>"

    def _repr_html_(self) -> str:
        return result_html(self.report)


class Explained:
    """An explanation: Markdown as text, a page in a notebook."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def __str__(self) -> str:
        return as_markdown(self.page)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return page_html(self.page)


def _frame(of: ledgers.Ledgers, tolerance: float) -> pd.DataFrame:
    frames_of = needed("pandas", "ledger")
    header, *lines = ledgers.rows(of, tolerance)
    columns: dict[str, Any] = dict(zip(header, zip(*lines, strict=True), strict=True))
    numbers = [*of, "relative_difference"]
    frame: pd.DataFrame = frames_of.DataFrame(columns)
    frame[numbers] = frame[numbers].apply(frames_of.to_numeric)
    return frame.set_index("key")
