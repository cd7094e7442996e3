from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.report import markdown

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.report.view import Report

STEP_SUMMARY = 1024 * 1024


def test_it_opens_with_the_verdict_and_the_sentence(report: Report) -> None:
    assert markdown.render(report).startswith("# ❌ FAIL\n\n1 error.\n")


def test_the_table_has_what_s4_asks_for(report: Report) -> None:
    text = markdown.render(report)
    header = "| Metric | Value | Mean ± std over folds | 95 % CI | Subset | Meaning |"
    assert header in text
    (line,) = [line for line in text.splitlines() if line.startswith("| nDCG@10 |")]
    assert "positives\\_only (n = " in line
    assert "±" in line


def test_errors_come_before_advice_with_their_remedies(report: Report) -> None:
    text = markdown.render(report)
    assert text.index("XC401") < text.index("XC950")
    assert "Try: Do what helps XC401." in text


def test_waived_findings_say_why(report: Report) -> None:
    assert "*Waived: known & harmless*" in markdown.render(report)


def test_what_was_not_checked_is_listed(report: Report) -> None:
    text = markdown.render(report)
    assert "- About splits: there is one fold only" in text
    assert "- pairs: the data lack scores" in text


def test_names_from_the_data_cannot_leave_their_cell(report: Report) -> None:
    text = markdown.render(report)
    assert "<script" not in text.replace("\\<", "")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    widths = {line.replace("\\|", "").count("|") for line in rows}
    assert widths <= {7, 8, 4}


def test_it_fits_a_step_summary_whatever_the_run(
    report: Report, make_report: Callable[..., Report]
) -> None:
    many = make_report(
        findings=report.findings * 20_000,
        systems=[report.systems[0].model_copy(update={"claims": report.systems[0].claims * 20_000})]
        * 40,
    )
    text = markdown.render(many)
    assert len(text.encode()) < STEP_SUMMARY / 2
    assert "59,970 more findings" in text
    assert "20 more systems" in text


def test_columns_that_no_row_fills_are_left_out(report: Report) -> None:
    bare = [
        row.model_copy(update={"folds_mean": None, "folds_std": None, "intervals": []})
        for row in report.systems[0].headline
    ]
    system = report.systems[0].model_copy(update={"headline": bare})
    text = markdown.render(report.model_copy(update={"systems": [system]}))
    assert "| Metric | Value | Subset | Meaning |" in text
