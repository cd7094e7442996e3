"""Paper tables as LaTeX (booktabs) and as Markdown: the same cells, the same digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.report import markdown, printing
from crosscheck.report.cells import Bracket, Number
from crosscheck.system import harmless

if TYPE_CHECKING:
    from crosscheck.report.cells import Cell, Paper

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "−": "$-$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "×": r"$\times$",
    "→": r"$\rightarrow$",
    "∈": r"$\in$",
    "²": "$^2$",
    "α": r"$\alpha$",
    "γ": r"$\gamma$",
    "τ": r"$\tau$",
    "∞": r"$\infty$",
    "∩": r"$\cap$",
    "Σ": r"$\Sigma$",
    "–": "--",
    "’": "'",
    "“": "``",
    "”": "''",
    "…": r"\dots{}",
    "·": r"$\cdot$",
    "½": r"$\frac12$",
    "Π": r"$\Pi$",
    "β": r"$\beta$",
    "π": r"$\pi$",
    "ρ": r"$\rho$",
    "⁺": "$^+$",
    "⁻": "$^-$",
    "∅": r"$\emptyset$",
    "√": r"$\surd$",
    "∫": r"$\int$",
    "≠": r"$\neq$",
    "⌊": r"$\lfloor$",
    "⌋": r"$\rfloor$",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
}


def latex(paper: Paper, digits: int | None = None) -> str:
    """Write a table that booktabs sets; `digits` fixes the decimals."""
    columns = "".join(_column(paper, index) for index in range(len(paper.header)))
    lines = [
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{escape(paper.caption)}}}",
        f"  \\label{{tab:{paper.name}}}",
        f"  \\begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        f"    {' & '.join(escape(text) for text in paper.header)} \\\\",
        r"    \midrule",
        *(f"    {' & '.join(_latex_row(row, digits))} \\\\" for row in paper.rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        *_latex_notes(paper),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def to_markdown(paper: Paper, digits: int | None = None) -> str:
    """Write the table in Markdown."""
    rows = [_markdown_row(row, digits) for row in paper.rows]
    header = [markdown.text(text) for text in paper.header]
    notes = "".join(f"\n{markdown.text(note)}\n" for note in paper.notes)
    return f"Table: {markdown.text(paper.caption)}\n\n{markdown.table(header, rows)}\n{notes}"


def escape(text: str) -> str:
    """Make any text safe in LaTeX, the contract's symbols included."""
    return "".join(_SPECIAL.get(character, character) for character in harmless(text))


def _latex_notes(paper: Paper) -> list[str]:
    if not paper.notes:
        return []
    notes = [f"    {escape(note)}\\par" for note in paper.notes]
    return [
        r"  \smallskip",
        r"  \begin{minipage}{\linewidth}\footnotesize",
        *notes,
        r"  \end{minipage}",
    ]


def _column(paper: Paper, index: int) -> str:
    numbers = any(isinstance(row[index], Number | Bracket) for row in paper.rows)
    return "r" if numbers else "l"


def _latex_row(row: list[Cell], digits: int | None) -> list[str]:
    return [
        f"${_math(text)}$" if isinstance(cell, Number | Bracket) else escape(text)
        for cell, text in zip(row, _printed(row, digits), strict=True)
    ]


def _math(text: str) -> str:
    return text.replace("±", r"\pm").replace("−", "-").replace(",", "{,}").replace("{,} ", ", ")


def _markdown_row(row: list[Cell], digits: int | None) -> list[str]:
    return [
        text if isinstance(cell, Number | Bracket) else markdown.text(text)
        for cell, text in zip(row, _printed(row, digits), strict=True)
    ]


def _printed(row: list[Cell], fixed: int | None) -> list[str]:
    """Print a row's cells; an interval goes to the place of the number before it."""
    texts, digits = [], fixed if fixed is not None else printing.DIGITS
    for index, cell in enumerate(row):
        if isinstance(cell, Number):
            digits = cell.digits(fixed, _half(row, index))
            texts.append(number(cell, digits))
        elif isinstance(cell, Bracket):
            texts.append(printing.bracket(cell.low, cell.high, digits))
        else:
            texts.append("–" if cell is None else cell)
    return texts


def _half(row: list[Cell], index: int) -> float | None:
    """Half the width of the interval that follows a number, if one does."""
    after = row[index + 1] if index + 1 < len(row) else None
    return (after.high - after.low) / 2 if isinstance(after, Bracket) else None


def number(cell: Number, digits: int = printing.DIGITS) -> str:
    """Write a number: a count, a change, or a value with what is known of its spread."""
    if isinstance(cell.value, int):
        return printing.count(cell.value)
    if cell.signed:
        return printing.signed(cell.value, digits)
    if cell.std is not None:
        return printing.plus_minus(cell.value, cell.std, digits)
    return printing.number(cell.value, digits)
