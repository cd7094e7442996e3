from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.report import github

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.report.view import Report


def test_the_severity_is_the_level_and_waived_is_a_notice(report: Report) -> None:
    levels = [line.split(" ", 1)[0] for line in github.render(report).splitlines()]
    assert levels == ["::warning", "::error", "::notice", "::notice"]


def test_an_annotation_names_file_and_line_of_a_data_row(report: Report) -> None:
    first = github.render(report).splitlines()[1]
    assert first.startswith("::error title=XC401 Title of XC401,file=rows.csv,line=13::")


def test_text_from_the_data_cannot_start_a_command(
    report: Report, make_report: Callable[..., Report]
) -> None:
    bad = report.findings[1].model_copy(update={"message": "50%\n::error::x", "title": "a:b,c"})
    text = github.render(make_report(findings=[bad]))
    assert text.count("\n") == 2
    assert "50%25%0A::error::x" in text
    assert "title=XC401 a%3Ab%2Cc" in text


def test_no_more_than_github_shows(report: Report, make_report: Callable[..., Report]) -> None:
    text = github.render(make_report(findings=[report.findings[1]] * 25))
    lines = text.splitlines()
    assert len(lines) == 11
    assert lines[-1] == "::error title=crosscheck::and 16 more like these, see the report"


def test_what_weakens_the_run_comes_first(report: Report) -> None:
    first = github.render(report).splitlines()[0]
    assert first.startswith("::warning title=What weakens this run::columns: gold is read from C<")


def test_drift_leaves_room_for_what_weakens_the_run(
    report: Report, make_report: Callable[..., Report]
) -> None:
    drift = report.findings[1].model_copy(update={"severity": "drift"})
    lines = github.render(make_report(findings=[drift] * 25)).splitlines()
    assert len(lines) == 10
    assert lines[-1] == "::warning title=crosscheck::and 17 more like these, see the report"


def test_nothing_found_says_that_nothing_weakens_it(make_report: Callable[..., Report]) -> None:
    told = github.render(make_report(findings=[], circumstances=[]))
    assert told == "::notice title=What weakens this run::Nothing beyond what the contract has.\n"
