from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.report import github

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.report.view import Report


def test_the_severity_is_the_level_and_waived_is_a_notice(report: Report) -> None:
    levels = [line.split(" ", 1)[0] for line in github.render(report).splitlines()]
    assert levels == ["::error", "::notice", "::notice"]


def test_an_annotation_names_file_and_line_of_a_data_row(report: Report) -> None:
    first = github.render(report).splitlines()[0]
    assert first.startswith("::error title=XC401 Title of XC401,file=rows.csv,line=13::")


def test_text_from_the_data_cannot_start_a_command(
    report: Report, make_report: Callable[..., Report]
) -> None:
    bad = report.findings[1].model_copy(update={"message": "50%\n::error::x", "title": "a:b,c"})
    text = github.render(make_report(findings=[bad]))
    assert text.count("\n") == 1
    assert "50%25%0A::error::x" in text
    assert "title=XC401 a%3Ab%2Cc" in text


def test_no_more_than_github_shows(report: Report, make_report: Callable[..., Report]) -> None:
    text = github.render(make_report(findings=[report.findings[1]] * 25))
    lines = text.splitlines()
    assert len(lines) == 10
    assert lines[-1] == "::error title=crosscheck::and 16 more like these, see the report"


def test_nothing_found_prints_nothing(make_report: Callable[..., Report]) -> None:
    assert github.render(make_report(findings=[])) == ""
