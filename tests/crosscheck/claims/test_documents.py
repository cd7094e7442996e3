"""Workbooks, documents and PDF: the same tables, the text around them, and what is refused."""

from __future__ import annotations

import importlib
import io
import zipfile
from typing import TYPE_CHECKING, Any

import docx
import openpyxl
import pytest
from matplotlib.figure import Figure
from openpyxl.styles import Font

from crosscheck import extras
from crosscheck.claims.reading import Reading, examine
from crosscheck.errors import UserError
from crosscheck.notation.pieces import Sentence, Table
from crosscheck.notation.written import BOLD
from crosscheck.readers.workbook_file import shown

if TYPE_CHECKING:
    from pathlib import Path


def tables(reading: Reading) -> list[Table]:
    return [one for one in reading.pieces if isinstance(one, Table)]


def texts(reading: Reading) -> list[str]:
    return [one.written.text for one in reading.pieces if isinstance(one, Sentence)]


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Main"
    for row in [
        ["Results of 2026"],
        ["Model", "MRR", "R@5"],
        ["A", 0.5, 0.7331],
        ["B", "=B3*2", 0.8],
    ]:
        sheet.append(row)
    sheet["B3"].font = Font(bold=True)
    sheet["C3"].number_format = "0.0%"
    sheet["C4"].number_format = "0.000"
    sheet.append([])
    sheet.append(["Dev", None, 0.25])
    sheet.merge_cells("A6:B6")
    book.create_sheet("Second").append(["MRR", 0.61])
    path = tmp_path / "claims.xlsx"
    book.save(path)
    return path


def test_a_workbook_gives_its_cells_as_they_are_shown(workbook: Path) -> None:
    reading = examine(workbook)
    assert [one.rows for one in tables(reading)] == [
        (("Model", "MRR", "R@5"), ("A", "0.5", "73.3%"), ("B", "=B3*2", "0.800")),
        (("Dev", "Dev", "0.25"),),
        (("MRR", "0.61"),),
    ]
    assert tables(reading)[0].cells[1][1].is_marked(BOLD)
    assert texts(reading) == ["Results of 2026"]


def test_a_number_of_a_workbook_is_placed_by_sheet_and_line(workbook: Path) -> None:
    reading = examine(workbook)
    place = next(one.token for one in reading.entries if one.token.text == "0.61")
    assert (reading.source.landmark(place.start), place.line) == ("sheet “Second”", 1)


def test_a_formula_without_its_value_is_not_understood(workbook: Path) -> None:
    (claim,) = (one for one in examine(workbook).claims if one.printed == "=B3*2")
    assert claim.problem


@pytest.mark.parametrize(
    ("value", "form", "seen"),
    [
        (0.1 + 0.2, "General", "0.30000000000000004"),
        (0.8206, "0.00", "0.82"),
        (1379, "#,##0", "1379"),
        (0.733, "0%", "73%"),
        (True, "0.00", "True"),
        (None, "0.00", ""),
    ],
)
def test_a_number_is_shown_with_the_decimals_of_its_format(
    value: object, form: str, seen: str
) -> None:
    assert shown(value, form) == seen


def test_a_document_gives_paragraphs_and_tables(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Results 1", 1)
    document.add_paragraph("Table 2: MRR over 5 folds")
    table = document.add_table(3, 3)
    for r, row in enumerate([["M", "MRR", "R@5"], ["A", "0.5", ""], ["B", "0.6", "0.8"]]):
        for c, text in enumerate(row):
            table.cell(r, c).text = text
    run = table.cell(1, 2).paragraphs[0].add_run("0.7")
    run.bold = True
    table.cell(1, 2).paragraphs[0].add_run("a").font.superscript = True
    table.cell(1, 0).merge(table.cell(2, 0))
    path = tmp_path / "paper.docx"
    document.save(str(path))
    reading = examine(path)
    (found,) = tables(reading)
    assert [row[1:] for row in found.rows] == [("MRR", "R@5"), ("0.5", "0.7^a"), ("0.6", "0.8")]
    assert found.rows[1][0] == found.rows[2][0]
    assert (found.caption.text, found.title) == ("Table 2: MRR over 5 folds", "Results 1")
    assert found.cells[1][2].is_marked(BOLD, 0, 3)
    assert "unread" not in {one.state for one in reading.entries}


def test_a_pdf_gives_lines_and_columns(tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    figure = Figure(figsize=(6, 3))
    place = {"fontsize": 10, "family": "DejaVu Sans"}
    figure.text(0.1, 0.9, "Table 1: results of 2026", **place)
    for y, row in zip(
        (0.7, 0.6, 0.5), (["Model", "MRR"], ["A", "0.51"], ["B", "0.62"]), strict=True
    ):
        for x, text in zip((0.1, 0.6), row, strict=True):
            figure.text(x, y, text, **place)
    figure.savefig(path)
    reading = examine(path)
    (table,) = tables(reading)
    assert table.rows == (("Model", "MRR"), ("A", "0.51"), ("B", "0.62"))
    assert table.caption.text == "Table 1: results of 2026"
    assert reading.source.landmark(0) == "page 1"


@pytest.mark.parametrize("name", ["a.xlsx", "a.docx", "a.pdf"])
def test_what_is_no_document_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"MRR 0.5")
    with pytest.raises(UserError, match=rf"{name}: cannot be opened"):
        examine(path)


@pytest.mark.parametrize("name", ["a.xlsx", "a.docx"])
def test_an_archive_that_grows_out_of_all_bounds_is_refused(tmp_path: Path, name: str) -> None:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sheet.xml", b"0" * 3_000_000)
    path = tmp_path / name
    path.write_bytes(raw.getvalue())
    with pytest.raises(UserError, match=rf"{name}: its parts come to 3,000,000 bytes"):
        examine(path)


@pytest.mark.parametrize("name", ["a.xlsx", "a.docx", "a.pdf", "a.yaml"])
def test_without_its_library_a_format_says_how_to_get_it(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking(module: str) -> Any:
        if module in {"openpyxl", "docx", "pdfplumber", "yaml"}:
            raise ImportError(module, name=module)
        return importlib.import_module(module)

    monkeypatch.setattr(extras, "import_module", lacking)
    path = tmp_path / name
    path.write_bytes(b"mrr: 0.5")
    with pytest.raises(UserError, match=r"pip install 'metric-crosscheck\[documents\]'"):
        examine(path)
