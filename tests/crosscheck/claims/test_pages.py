"""Tables wherever they stand in Markdown and HTML: none is lost, and none is torn apart."""

from __future__ import annotations

import lxml.html
import pytest

from crosscheck.claims.reading import Reading, examine_text
from crosscheck.notation.pieces import Sentence, Table
from crosscheck.notation.written import BOLD

TABLE = "| M | MRR |\n|---|---|\n| A | 0.5 |\n"
ROWS = (("M", "MRR"), ("A", "0.5"))


def reading(text: str, form: str = "markdown") -> Reading:
    return examine_text(text, "t", form)


def tables(text: str, form: str = "markdown") -> list[Table]:
    return [one for one in reading(text, form).pieces if isinstance(one, Table)]


def sentences(text: str) -> list[str]:
    return [one.written.text for one in reading(text).pieces if isinstance(one, Sentence)]


def quoted(text: str, mark: str) -> str:
    return "".join(f"{mark}{line}\n" for line in text.splitlines())


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        quoted(TABLE, "> "),
        quoted(TABLE, "> > "),
        "- " + quoted(TABLE, "  ")[2:],
        "1. one\n\n" + quoted(TABLE, "   "),
        f"```\n{TABLE}```\n",
        f"~~~text\n{TABLE}~~~\n",
        f"Inline ```code``` on a line.\n\n{TABLE}",
        "+---+-----+\n| M | MRR |\n+===+=====+\n| A | 0.5 |\n+---+-----+\n",
        "```csv\nM,MRR\nA,0.5\n```\n",
        "```latex\n\\begin{tabular}{lc}M & MRR\\\\ \\hline A & 0.5\\\\\\end{tabular}\n```\n",
        "```\nM    MRR\n-----------\nA    0.5\n```\n",
        "<table>\n<tr><th>M</th><th>MRR</th></tr>\n\n<tr><td>A</td><td>0.5</td></tr>\n</table>\n",
        TABLE.replace("\n", "\r\n"),
        f"<details>\n{TABLE}</details>\n",
        "\\begin{tabular}{lc}M & MRR\\\\ \\hline A & 0.5\\\\\\end{tabular}\n",
        "M     MRR\n----- -----\nA     0.5\n",
        "===  ===\nM    MRR\n===  ===\nA    0.5\n===  ===\n",
        "M    MRR\nA    0.5\n",
    ],
)
def test_a_table_is_found_wherever_it_stands(text: str) -> None:
    assert [one.rows for one in tables(text)] == [ROWS]


def test_several_tables_have_the_heading_they_stand_under() -> None:
    found = tables(f"# One\n{TABLE}\n## Two\n\nSee below.\n\n{TABLE}")
    assert [(one.name, one.title, one.sentence.text) for one in found] == [
        ("table 1", "One", ""),
        ("table 2", "Two", "See below."),
    ]


@pytest.mark.parametrize(
    "text", ["| MRR | 0.5 |\n| nDCG@10 | 0.6 |\n", "| MRR | 0.5 |\n|--|--|\n| nDCG@10 | 0.6 |\n"]
)
def test_a_table_without_header_keeps_its_first_row(text: str) -> None:
    (table,) = tables(text)
    assert (table.header, table.body) == (0, (("MRR", "0.5"), ("nDCG@10", "0.6")))


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        (["MRR,58", "nDCG@10,61"], 0),
        (["K,1,5,10", "Recall,58,61,70"], 1),
        (["model,MRR", "A,58"], 1),
        (["MRR,61,58", "nDCG@10,60,57"], 0),
        (["MRR,58"], 0),
    ],
)
def test_whole_numbers_beside_a_name_are_no_header_unless_they_rise(
    rows: list[str], count: int
) -> None:
    (table,) = tables("\n".join(rows), "csv")
    assert table.header == count


def test_lines_above_a_csv_table_are_sentences() -> None:
    found = reading("# made on day 3\nmodel;MRR\nA;0,5\n", "csv").pieces
    assert [type(one).__name__ for one in found] == ["Sentence", "Table"]
    assert [one.rows for one in found if isinstance(one, Table)] == [
        (("model", "MRR"), ("A", "0,5"))
    ]


def test_cells_beyond_the_header_are_kept() -> None:
    (table,) = tables("| M | MRR |\n|---|---|\n| A | 0.5 | 0.9 |\n")
    assert table.rows[1] == ("A", "0.5", "0.9")


def test_a_header_that_stands_again_begins_a_new_table() -> None:
    found = tables("| MRR | A |\n|--|--|\n| x | 0.5 |\n| nDCG@10 | A |\n| x | 0.6 |\n")
    assert [one.rows for one in found] == [
        (("MRR", "A"), ("x", "0.5")),
        (("nDCG@10", "A"), ("x", "0.6")),
    ]


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("**0.999**", "0.999"),
        ("__0.999__ ~~0.9~~", "0.999 0.9"),
        ("*0.999*", "0.999"),
        ("0.999*", "0.999*"),
        ("`0.999`", "0.999"),
        ("[0.999](https://x.org/9)", "0.999"),
        ("0.999[^1]", "0.999"),
        ("0.999<sup>1</sup>", "0.999^1"),
        ("0.999<sub>±0.01</sub>", "0.999 ±0.01"),
        ("0.999<br>(0.01)", "0.999 (0.01)"),
        ("0.999&plusmn;0.01", "0.999±0.01"),
        ("&#48;.999", "0.999"),
        ("$0.999 \\pm 0.01$", "0.999 ±0.01"),
        ("0.9\\|0.8", "0.9|0.8"),
        ("f1_macro_x", "f1_macro_x"),
        ("<span style='x:1'>0.999</span>", "0.999"),
    ],
)
def test_a_cell_is_what_the_page_shows(written: str, seen: str) -> None:
    found = reading(f"| M | MRR |\n|---|---|\n| A | {written} |\n")
    (table,) = (one for one in found.pieces if isinstance(one, Table))
    assert table.rows[1][1] == seen
    assert "unread" not in {one.state for one in found.entries}


def test_bold_is_kept() -> None:
    (table,) = tables(
        "| M | MRR | R@5 |\n|--|--|--|\n| A | **0.5** | 0.6 |\n| B | <b>1</b> | **.7**† |\n"
    )
    marked = [[cell.is_marked(BOLD) for cell in row[1:]] for row in table.cells[1:]]
    assert marked == [[True, False], [True, False]]


def test_paragraphs_items_and_notes_are_sentences() -> None:
    text = "# H 1\nText 2\ngoes on.\n\n- item 3\n- item 4\n\n> quote 5\n\n[7]: http://x.org\n"
    assert sentences(text) == ["H 1", "Text 2 goes on.", "item 3", "item 4", "quote 5"]
    assert [one.rule for one in reading(text).ignored if one.token.text == "7"] == ["url"]


def test_code_of_a_program_is_passed_over_and_comments_are() -> None:
    found = reading("```python\nx = 0.9\n```\n<!-- 0.8 -->\n")
    assert [(one.token.text, one.rule) for one in found.ignored] == [
        ("0.9", "code"),
        ("0.8", "comment"),
    ]


HTML = """<html><body><h2>Results</h2><table><caption>MRR by system</caption>
<thead><tr><th rowspan=2>M</th><th colspan="2">Dev</th></tr><tr><th>MRR<th>R@5</tr></thead>
<tr><td rowspan=2>A<td><b>0.5</b><td>0.6</tr><tr><td>0.7</td><td>0.8<sup>a</sup></td></tr>
</table><p>And 9 more.</p></body></html>"""


def test_an_html_table_has_spans_header_caption_and_heading() -> None:
    (table,) = tables(HTML, "html")
    assert table.rows == (
        ("M", "Dev", "Dev"),
        ("M", "MRR", "R@5"),
        ("A", "0.5", "0.6"),
        ("A", "0.7", "0.8^a"),
    )
    assert (table.header, table.caption.text, table.title) == (2, "MRR by system", "Results")
    assert table.cells[2][1].is_marked(BOLD)


def test_lxml_sees_the_same_cells() -> None:
    (table,) = tables(HTML, "html")
    page = lxml.html.document_fromstring(HTML)
    theirs = [cell.text_content().strip() for cell in page.iter("td", "th")]
    ours = {cell.text.replace("^", "") for row in table.cells for cell in row}
    assert ours == set(theirs)
