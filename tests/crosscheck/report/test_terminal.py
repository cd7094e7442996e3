"""What a run says on the terminal when it is done."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from crosscheck.commands import gate, terminal
from crosscheck.report.view import LedgerFile
from crosscheck.witnesses.tasks import Task

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from crosscheck.model.findings import Finding
    from crosscheck.report.view import ComparisonView, Report, SystemView


def shown(report: Report, capsys: pytest.CaptureFixture[str]) -> str:
    terminal.judgement(report)
    gate.places(Path("out"), [one.ledger.path for one in report.systems if one.ledger])
    return capsys.readouterr().out


def flood(findings: list[Finding], count: int) -> list[Finding]:
    error = next(one for one in findings if one.severity == "error")
    alike = [error.model_copy(update={"message": f"message {i}"}) for i in range(count)]
    return [*alike, error.model_copy(update={"message": "and 17 more", "stands_for": 17})]


def test_findings_of_one_rule_share_a_head_and_a_remedy(
    make_report: Callable[..., Report],
    findings: list[Finding],
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = shown(make_report(findings=flood(findings, 5)), capsys)
    assert said.count("Title of XC401") == 1
    assert said.count("try: ") == 1
    assert [f"message {i}" in said for i in range(5)] == [True, True, True, False, False]
    assert "… and 19 more of the same in the report" in said


def test_findings_are_counted_with_those_they_stand_for(
    make_report: Callable[..., Report],
    findings: list[Finding],
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = shown(make_report(findings=[*flood(findings, 5), *findings]), capsys)
    assert "Findings: 23 errors, 1 advice, 1 waived" in said
    assert "… and 1 more in the report." in said


def test_a_finding_says_where_it_is(report: Report, capsys: pytest.CaptureFixture[str]) -> None:
    assert "where: rows.csv, row 12, query" in shown(report, capsys)


def test_every_systems_ledger_is_named(
    make_report: Callable[..., Report], system: SystemView, capsys: pytest.CaptureFixture[str]
) -> None:
    systems = [
        system.model_copy(update={"name": name, "ledger": _ledger(name)}) for name in ("a", "b")
    ]
    lines = shown(make_report(systems=systems), capsys).splitlines()
    assert lines[-2:] == ["Ledger: out/a/ledger.csv", "Ledger: out/b/ledger.csv"]


def _ledger(name: str) -> LedgerFile:
    return LedgerFile(path=f"{name}/ledger.csv", keys=1, columns=["key"], sha256="ab" * 32)


def test_means_over_folds_are_called_so(
    make_report: Callable[..., Report],
    comparison: ComparisonView,
    capsys: pytest.CaptureFixture[str],
) -> None:
    over_folds = [
        row.model_copy(update={"key": row.key.replace("|all|", "|folds|")})
        for row in comparison.rows
    ]
    changed = comparison.model_copy(update={"rows": over_folds})
    assert "Means over folds." in shown(make_report(comparison=changed), capsys)


def test_progress_says_what_remains(capsys: pytest.CaptureFixture[str]) -> None:
    says = terminal.Progress(several=True)
    subjects = tuple(SimpleNamespace(name=name, scope="") for name in ("bm25", "dense"))
    slow: Task[Any, Any] = Task("reference", str, subjects)
    quick: Task[Any, Any] = Task("primary", str, subjects[:1])
    for task in (slow, quick):
        says(task, task.subjects[0], "started")
    quick.take("", says)
    slow.take("", says)
    slow.take("", says)
    lines = [line.partition(" s  ")[2] for line in capsys.readouterr().err.splitlines()]
    assert lines[2:] == [
        "primary on bm25 answered; still at work: reference (2 of 2)",
        "reference on bm25 answered; still at work: reference (1 of 2)",
        "reference on dense answered",
    ]
