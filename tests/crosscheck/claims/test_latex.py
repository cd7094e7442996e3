"""LaTeX as authors write it: macros, parts switched off, tables within tables, rows of any end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crosscheck.claims.reading import Reading, examine, examine_text
from crosscheck.errors import UserError
from crosscheck.notation.pieces import Sentence, Table
from crosscheck.notation.written import BOLD, UNDERLINE

if TYPE_CHECKING:
    from pathlib import Path


def reading(text: str) -> Reading:
    return examine_text(text, "paper.tex", "latex")


def tables(text: str) -> list[Table]:
    return [one for one in reading(text).pieces if isinstance(one, Table)]


def rows(cells: str, before: str = "") -> tuple[tuple[str, ...], ...]:
    (table,) = tables(before + r"\begin{tabular}{lcc}" + cells + r"\end{tabular}")
    return table.rows


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        (r"\href{https://x.org/1}{0.999}", "0.999"),
        (r"\colorbox{gray!20}{0.999}", "0.999"),
        (r"\textcolor[rgb]{0.1,0.2,0.3}{0.999}", "0.999"),
        (r"\cellcolor[gray]{0.9}0.999", "0.999"),
        (r"0.999\textsuperscript{1}", "0.999^1"),
        (r"$0.999^{+.01}_{-.02}$", "0.999^+.01_-.02"),
        (r"$0.999^{1}$", "0.999 ^ 1"),
        (r"$0.999_{\pm 0.03}$", "0.999 ±0.03"),
        (r"$\mathbf{0.999}^{*}$", "0.999*"),
        (r"0.999\tnote{1}", "0.999^1"),
        (r"0.999\footnotemark[1]", "0.999"),
        (r"\SI{99.9}{\percent}", "99.9%"),
        (r"\raisebox{1ex}[2pt]{0.999}", "0.999"),
        (r"\begingroup 0.999\endgroup", "0.999"),
        (r"\hyperref[tab:1]{0.999}", "0.999"),
        (r"\ifx\a\b 0.999 \else 0.998 \fi", r"a0.999 0.998"),
        (r"\iftrue 0.999\else 0.998\fi", "0.999"),
        (r"0.999~\cite{a2020}", "0.999"),
        (r"\phantom{0}0.999", "0.999"),
        (r"\num{0.999}", "0.999"),
        (r"$-$0.999", "-0.999"),
        (r"0.98--0.99", "0.98–0.99"),
        (r"0{.}999", "0.999"),
        (r"\rotatebox{90}{0.999}", "0.999"),
        (r"\makecell[c]{0.999\\(0.01)}", "0.999 (0.01)"),
        (r"\unheardof{0.999}{0.01}", "0.999 0.01"),
        (r"0.55 $\rightarrow$ 0.64", "0.55 → 0.64"),
        (r"$\geq 0.8$", "≥0.8"),
        (r"\begin{tabular}{@{}c@{}}0.999\\(0.01)\end{tabular}", "0.999 (0.01)"),
    ],
)
def test_a_cell_is_what_the_page_shows(written: str, seen: str) -> None:
    assert rows(rf"M & MRR \\ \midrule a & {written} \\")[1][1] == seen


@pytest.mark.parametrize(
    "definition",
    [
        r"\newcommand{\ours}{0.82}",
        r"\newcommand*\ours{0.82}",
        r"\def\ours{0.82}",
        r"\newcommand{\w}[2][0]{#1.#2}\newcommand\ours{\w{82}}",
        r"\let\w=\textbf\providecommand{\ours}{\w{0.82}}",
        r"\newcommand{\ours}{0.5}\renewcommand{\ours}{0.82}",
        r"\NewDocumentCommand{\w}{m}{0.#1}\def\ours{\w{82}}",
    ],
)
def test_a_macro_is_what_it_was_defined_to_be(definition: str) -> None:
    assert rows(r"M & MRR \\ \midrule \ours & \ours \\", definition)[1] == ("0.82", "0.82")


def test_a_number_in_a_macro_is_claimed_where_the_macro_is_used() -> None:
    text = r"\newcommand{\ours}{0.82}\begin{tabular}{lc}M & MRR\\\hline A & \ours\\\end{tabular}"
    (claim,) = reading(text).claims
    assert (claim.printed, claim.line, claim.column) == ("0.82", 1, 20)


def test_a_macro_that_calls_itself_is_refused() -> None:
    with pytest.raises(UserError, match=r"paper\.tex: its macros come to more than"):
        reading(r"\def\a{\a\a}\a")


@pytest.mark.parametrize(
    "hidden",
    [
        "% B & 0.9 \\\\\n",
        r"\iffalse B & 0.9 \\ \fi ",
        r"\iffalse B \ifx\a\b 1 \fi & 0.9 \\ \else\fi ",
        r"\newif\ifdraft \draftfalse \ifdraft B & 0.9 \\ \fi ",
        r"\iftrue\else B & 0.9 \\ \fi ",
        "\\begin{comment} B & 0.9 \\\\ \\end{comment}",
    ],
)
def test_what_is_commented_out_is_no_claim(hidden: str) -> None:
    text = rf"\begin{{tabular}}{{lc}}M & MRR \\ \midrule A & 0.5 \\ {hidden}\end{{tabular}}"
    found = reading(text)
    assert [claim.printed for claim in found.claims] == ["0.5"]
    assert "comment" in {one.rule for one in found.ignored}


def test_a_percent_sign_that_is_escaped_is_no_comment() -> None:
    assert rows(r"M & MRR \\ \hline A & 50\% \\ B & 60\% \\")[1:] == (("A", "50%"), ("B", "60%"))


@pytest.mark.parametrize("end", [r"\\", r"\\*", r"\\[2pt]", r"\tabularnewline", r"\cr"])
def test_rows_end_in_every_way_that_tex_has(end: str) -> None:
    assert rows(f"M & MRR {end} \\hline A & 0.5 {end} B & 0.6 {end}") == (
        ("M", "MRR"),
        ("A", "0.5"),
        ("B", "0.6"),
    )


@pytest.mark.parametrize(
    "begin",
    [
        r"\begin{tabular*}{\textwidth}{lc}",
        r"\begin{tabularx}{0.5\linewidth}[t]{lX}",
        r"\begin{xltabular}{\linewidth}{lX}",
        r"\begin{tabu} to \linewidth {lX}",
        r"\begin{longtable}[c]{lc}",
        r"\begin{tblr}{colspec={lc}}",
        r"\begin{tabular}{l S[table-format=1.3]}",
        r"\begin{NiceTabular}{lc}",
    ],
)
def test_every_kind_of_tabular_is_read(begin: str) -> None:
    name = begin[7 : begin.index("}")]
    (table,) = tables(rf"{begin} M & {{MRR}} \\ \hline A & 0.5 \\ \end{{{name}}}")
    assert table.rows == (("M", "MRR"), ("A", "0.5"))


def test_a_rule_takes_no_cell_along() -> None:
    assert rows(r"M & MRR \\ \midrule {nDCG@10} & 0.5 \\")[1] == ("nDCG@10", "0.5")
    assert rows(r"M & MRR \\ \cmidrule(lr){2-2} \hline A & 0.5 \\")[1] == ("A", "0.5")


def test_a_table_without_header_keeps_its_first_row() -> None:
    (table,) = tables(r"\begin{tabular}{lc}MRR & 0.5 \\ \hline nDCG@10 & 0.6 \\\end{tabular}")
    assert table.header == 0
    assert table.body == (("MRR", "0.5"), ("nDCG@10", "0.6"))


def test_rows_with_results_above_the_first_rule_are_no_header() -> None:
    (table,) = tables(
        r"\begin{tabular}{lc}M & MRR\\ A & 0.5\\ B & 0.6\\ \hline C & 0.7\\\end{tabular}"
    )
    assert table.header == 1
    assert [row[1] for row in table.body] == ["0.5", "0.6", "0.7"]


def test_a_second_header_row_below_the_rule_is_header() -> None:
    (table,) = tables(
        r"\begin{tabular}{lcc} Model & \multicolumn{2}{c}{Dev} \\ \hline"
        r" & MRR@10 & R@5 \\ \hline A & .1 & .2 \\ \end{tabular}"
    )
    assert table.header == 2
    assert table.column_label(2) == ("Dev", "R@5")


def test_multirow_hangs_down_and_multicolumn_spreads() -> None:
    written = r"\multirow[t]{2}{*}{A} & \multicolumn{2}{c}{0.5} \\ & 0.6 & 0.7 \\"
    assert rows(rf"M & MRR & R@5 \\ \midrule {written}")[1:] == (
        ("A", "0.5", "0.5"),
        ("A", "0.6", "0.7"),
    )


def test_a_tabular_inside_another_is_a_table_of_its_own() -> None:
    inner = r"\begin{tabular}{lc}M & MRR \\ \hline A & 0.5 \\\end{tabular}"
    outer = rf"\begin{{tabular}}{{c}} {inner} \\ {inner.replace('0.5', '0.6')} \\ \end{{tabular}}"
    assert [one.rows[1] for one in tables(outer)] == [("A", "0.5"), ("A", "0.6")]


def test_a_long_table_has_its_head_once() -> None:
    (table,) = tables(
        r"\begin{longtable}{lc} M & MRR \\ \endfirsthead M & MRR (cont.) \\ \endhead"
        r" \multicolumn{2}{r}{on the next page} \\ \endfoot A & 0.5 \\ \end{longtable}"
    )
    assert table.rows == (("M", "MRR"), ("A", "0.5"))


def test_caption_label_and_heading_come_with_the_table() -> None:
    (table,) = tables(
        r"\section{Results}\begin{table}\resizebox{\linewidth}{!}{\begin{tabular}{lc}a & b\\"
        r"\hline A & 0.5\\\end{tabular}}\caption[s]{MRR on \emph{test}.}\label{tab:m}\end{table}"
    )
    assert (table.caption.text, table.label, table.title) == ("MRR on test.", "tab:m", "Results")


def test_a_caption_within_a_long_table_is_no_row() -> None:
    (table,) = tables(
        r"\begin{longtable}{lc}\caption{MRR}\label{t}\\ \toprule M & R@5\\ \midrule"
        r" A & 0.5\\\end{longtable}"
    )
    assert (table.caption.text, table.rows) == ("MRR", (("M", "R@5"), ("A", "0.5")))


def test_a_table_in_a_picture_is_read() -> None:
    inner = r"\begin{tabular}{lc}M & MRR\\\hline A & 0.5\\\end{tabular}"
    found = reading(rf"\begin{{tikzpicture}}\node at (1,2) {{{inner}}};\end{{tikzpicture}}")
    assert [claim.printed for claim in found.claims] == ["0.5"]


def test_bold_and_underline_are_kept() -> None:
    (table,) = tables(
        r"\begin{tabular}{lcc}M & MRR & R@5\\\hline A & \textbf{0.5} & {\bf 0.6} \\"
        r" B & \underline{0.7} & 0.8 \\\end{tabular}"
    )
    assert [cell.is_marked(BOLD) for cell in table.cells[1]] == [False, True, True]
    assert [cell.is_marked(UNDERLINE) for cell in table.cells[2]] == [False, True, False]


def test_text_around_tables_is_sentences_and_the_preamble_is_not() -> None:
    found = reading(
        r"\documentclass[10pt]{x}\begin{document} We reach 0.82.\footnote{On 5 folds.} "
        r"\begin{thebibliography}{9}\bibitem{a1} B. 2020. \end{thebibliography}\end{document}"
    )
    texts = [one.written.text for one in found.pieces if isinstance(one, Sentence)]
    assert texts == ["We reach 0.82.", "On 5 folds."]
    assert {one.rule for one in found.ignored} >= {"preamble", "reference list"}


def test_a_file_that_is_input_is_read_with_the_paper(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "main.tex").write_text(
        "\\begin{tabular}{lc}M & MRR\\\\\n\\hline A & 0.5\\\\\\end{tabular}", encoding="utf-8"
    )
    paper = tmp_path / "paper.tex"
    paper.write_text("\\input{tables/main}\n", encoding="utf-8")
    (claim,) = examine(paper).claims
    assert (claim.printed, claim.line, claim.column) == ("0.5", 2, 12)


@pytest.mark.parametrize("name", ["missing", "../secret", "/etc/hostname"])
def test_an_input_that_is_not_read_is_not_passed_over(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.tex").write_text("0.9", encoding="utf-8")
    (tmp_path / "in").mkdir()
    paper = tmp_path / "in" / "paper.tex"
    paper.write_text(f"\\input{{{name}}}\n", encoding="utf-8")
    (claim,) = examine(paper).claims
    assert claim.problem is not None
    assert f"\\input{{{name}}}" in claim.problem
