"""What a run says on the terminal: progress while it works, the verdict when it is done.

Progress goes to stderr, the verdict to stdout. Colours only on a terminal, and never with NO_COLOR.
"""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from crosscheck.gate.progress import SILENT, Clock
from crosscheck.report import circumstances
from crosscheck.report.printing import tally
from crosscheck.system import harmless, no_command

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crosscheck.model.findings import Check, Finding
    from crosscheck.report.view import Report
    from crosscheck.witnesses.tasks import Asked, Task

MOST = 6
"""Rules whose findings are shown; the report has them all."""
MOST_ALIKE = 3
"""Findings of one rule that are shown."""
MOST_WEAK = 14
"""Lines of what weakens a run."""
WIDE = 400
"""Columns of a table that is piped: its lines are for a log, and are not wrapped."""
INDENT = 6
STYLES = {"error": "bold red", "drift": "yellow", "advice": "cyan"}


class Screen(Console):
    """A console that shows what a terminal would obey, wherever in the text it stands."""

    def __init__(self, **how: Any) -> None:  # noqa: ANN401 - what a console takes
        super().__init__(**how)
        self.shown: list[str] = []
        """What was printed so far, as it was written out."""

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        # Our own colours are no text yet: here is the last place where the two can be told apart.
        shown = (one if one.control else Segment(harmless(one.text), one.style) for one in buffer)
        text = no_command(super()._render_buffer(shown))
        self.shown.append(text)
        return text


class Progress:
    """Says who is at work, when each is done, and what remains."""

    def __init__(self, *, several: bool) -> None:
        self.clock = Clock(several=several)
        self.console = Screen(stderr=True, highlight=False)

    def __call__(self, task: Task[Any, Any], subject: Asked, event: str) -> None:
        """Take note of an event."""
        first, *rest = self.clock.lines(task, subject, event)
        self.console.print(escape(first), style="red" if event == SILENT else "dim")
        for line in rest:
            self.console.print(escape(line), style="dim")


def judgement(report: Report) -> str:
    """Print the verdict, the counts and the worst findings with remedies; give what was printed."""
    console = Screen(highlight=False)
    passed = report.verdict == "pass"
    style = "bold white on dark_green" if passed else "bold white on dark_red"
    word = " ".join(report.verdict.upper())
    console.print()
    console.print(Panel(Text(word, justify="center"), style=style, padding=(1, 2)))
    console.print(escape(report.summary.partition(": ")[2]), style="bold", soft_wrap=True)
    console.print()
    weakens(console, report)
    console.print()
    console.print(_counts(report))
    if report.comparison is not None:
        from crosscheck.commands.screen import brief  # noqa: PLC0415 - only then

        console.print()
        brief(console, report.comparison)
    _findings(console, report)
    return "".join(console.shown)


def weakens(console: Console, report: Report) -> None:
    """Print what weakens a run, and what does not."""
    weak = [one for one in report.circumstances if one.weakens]
    rest = circumstances.otherwise(report)
    if not weak:
        nothing = f"{circumstances.TITLE}: nothing. {rest}"
        console.print(Text(nothing, "green"), soft_wrap=not console.is_terminal)
        return
    console.print(Text(circumstances.TITLE, "bold yellow"))
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="yellow", no_wrap=True)
    table.add_column(overflow="fold")
    for one in weak[:MOST_WEAK]:
        about = f"[{one.system}] " if one.system else ""
        table.add_row(Text(f"  {one.kind}"), Text(f"{about}{one.text}"))
    console.print(table, width=None if console.is_terminal else WIDE)
    if len(weak) > MOST_WEAK:
        console.print(f"  … and {len(weak) - MOST_WEAK} more in the report.", style="dim")
    if rest:
        console.print(Text(f"  Otherwise: {rest}", "dim"), soft_wrap=not console.is_terminal)


def _counts(report: Report) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("check")
    table.add_column("looked at", justify="right")
    table.add_column("found", justify="right")
    table.add_column("")
    rows: dict[str, list[Check]] = {}
    for system in report.systems:
        for check in system.checks:
            rows.setdefault(check.group, []).append(check)
    for group, checks in rows.items():
        failed = any(check.status == "failed" for check in checks)
        mark = Text("failed", "bold red") if failed else Text("ok", "green")
        if all(check.status == "skipped" for check in checks):
            mark = Text(f"skipped: {checks[0].reason}", "yellow", overflow="fold")
        examined = sum(check.examined for check in checks)
        found = sum(check.findings for check in checks)
        table.add_row(group, f"{examined:,}", f"{found:,}" if found else "–", mark)
    return table


def _findings(console: Console, report: Report) -> None:
    if not report.findings:
        console.print("\nNo findings.\n")
        return
    counts = {what: count for what, count in tally(report.findings).items() if count}
    total = ", ".join(f"{count:,} {_plural(what, count)}" for what, count in counts.items())
    console.print(f"\nFindings: {total}\n", style="bold")
    alike: dict[tuple[str, str], list[Finding]] = {}
    for one in report.findings:
        if one.waived is None:
            alike.setdefault((one.rule, one.remedy), []).append(one)
    shown = list(alike.values())[:MOST]
    for group in shown:
        _alike(console, group)
    hidden = sum(counts.values()) - sum(one.stands_for for group in shown for one in group)
    if hidden > 0:
        console.print(f"… and {hidden:,} more in the report.\n", style="dim")


def _plural(severity: str, count: int) -> str:
    return "errors" if severity == "error" and count > 1 else severity


def _alike(console: Console, group: list[Finding]) -> None:
    """Print findings of one rule under one head, with what to try once, below the last."""
    first = group[0]
    head = Text.assemble(
        (first.rule, STYLES[first.severity]),
        " ",
        (first.title, "bold"),
        (f"  §{first.section}", "dim"),
    )
    console.print(head)
    for one in group[:MOST_ALIKE]:
        about = f"[{one.system}] " if one.system else ""
        _indented(console, f"{about}{one.message}")
        if one.place and one.place not in one.message:
            _indented(console, f"where: {one.place}", "dim")
        for query in one.starts_at[:1]:
            _indented(console, _query(query.ranking, query.gold))
    rest = sum(one.stands_for for one in group[MOST_ALIKE:])
    if rest:
        _indented(console, f"… and {rest:,} more of the same in the report", "dim")
    _indented(console, f"try: {first.remedy}", "italic")
    console.print()


def _indented(console: Console, text: str, style: str = "") -> None:
    """Print below a finding's head: wrapped on a terminal, in one line where it is piped."""
    width = max(40, console.width - INDENT) if console.is_terminal else sys.maxsize
    for paragraph in text.splitlines():
        for line in textwrap.wrap(paragraph, width, break_on_hyphens=False):
            console.print(Text(" " * INDENT + line, style), soft_wrap=True)


def _query(ranking: list[str], gold: list[str]) -> str:
    marked = " ".join(f"[{uid}]" if uid in gold else uid for uid in ranking[: MOST * 2])
    return f"ranking {marked or 'empty'}; gold {' '.join(gold) or 'none'}"
