"""Tables as grids, and the four ways in which a document prints them."""

from __future__ import annotations

import csv
import html
import io
from dataclasses import dataclass, field

FORMS = ("markdown", "latex", "html", "csv")
_LATEX = str.maketrans({"%": r"\%", "&": r"\&", "_": r"\_", "#": r"\#"})


@dataclass
class Sheet:
    """One table: `kind` says what it is of; the first `labels` columns name the rows."""

    kind: str
    header: list[str]
    rows: list[list[str]]
    caption: str = ""
    heading: str = ""
    labels: int = 1
    bold: set[tuple[int, int]] = field(default_factory=set)


@dataclass
class Document:
    """Sheets and sentences in the order in which they are printed."""

    form: str
    parts: list[Sheet | str] = field(default_factory=list)

    @property
    def sheets(self) -> list[Sheet]:
        """The tables."""
        return [part for part in self.parts if isinstance(part, Sheet)]

    @property
    def text(self) -> str:
        """The document as a file holds it."""
        printed = {"markdown": _markdown, "latex": _latex, "html": _html, "csv": _csv}[self.form]
        if self.form == "csv":
            return _csv(self.sheets[0])
        parts = [part if isinstance(part, str) else printed(part) for part in self.parts]
        if self.form == "latex":
            parts = [p.translate(_LATEX) if isinstance(q, str) else p
                     for p, q in zip(parts, self.parts, strict=True)]  # fmt: skip
        if self.form == "html":
            parts = [f"<p>{html.escape(p)}</p>" if isinstance(q, str) else p
                     for p, q in zip(parts, self.parts, strict=True)]  # fmt: skip
        return "\n\n".join(parts) + "\n"


def _cells(sheet: Sheet, strong: str) -> list[list[str]]:
    return [
        [strong.format(text) if (r, c) in sheet.bold else text for c, text in enumerate(row)]
        for r, row in enumerate(sheet.rows)
    ]


def _markdown(sheet: Sheet) -> str:
    head = ": ".join(text for text in (sheet.heading, sheet.caption) if text)
    lines = [f"### {head}\n"] if head else []
    rows = [sheet.header, ["---"] * len(sheet.header), *_cells(sheet, "**{}**")]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _latex(sheet: Sheet) -> str:
    rows = [sheet.header, *sheet.rows]
    body = [[text.translate(_LATEX).replace("±", r"$\pm$").replace("−", "$-$") for text in row]
            for row in rows]  # fmt: skip
    for r, c in sheet.bold:
        body[r + 1][c] = rf"\textbf{{{body[r + 1][c]}}}"
    lines = [" & ".join(row) + r" \\" for row in body]
    lines.insert(1, r"\midrule")
    head = f"\\subsection{{{sheet.heading.translate(_LATEX)}}}\n" if sheet.heading else ""
    caption = f"\\caption{{{sheet.caption.translate(_LATEX)}}}\n" if sheet.caption else ""
    columns = "l" * len(sheet.header)
    return (
        f"{head}\\begin{{table}}\n{caption}\\begin{{tabular}}{{{columns}}}\n\\toprule\n"
        + "\n".join(lines)
        + "\n\\bottomrule\n\\end{tabular}\n\\end{table}"
    )


def _html(sheet: Sheet) -> str:
    head = f"<h3>{html.escape(sheet.heading)}</h3>\n" if sheet.heading else ""
    caption = f"<caption>{html.escape(sheet.caption)}</caption>" if sheet.caption else ""
    lines = ["<tr>" + "".join(f"<th>{html.escape(text)}</th>" for text in sheet.header) + "</tr>"]
    for r, row in enumerate(sheet.rows):
        cells = [
            f"<b>{html.escape(text)}</b>" if (r, c) in sheet.bold else html.escape(text)
            for c, text in enumerate(row)
        ]
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return f"{head}<table>{caption}\n" + "\n".join(lines) + "\n</table>"


def _csv(sheet: Sheet) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([sheet.header, *sheet.rows])
    return out.getvalue()
