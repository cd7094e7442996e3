"""What a pasted text is: Markdown, LaTeX, HTML, cells of a spreadsheet, JSON."""

from __future__ import annotations

import re
from typing import Literal

from crosscheck.claims.reading import form

Form = Literal["auto", "markdown", "latex", "html", "tsv", "csv", "json", "text"]
ENDS = {
    "markdown": "md", "latex": "tex", "html": "html", "tsv": "tsv", "csv": "csv", "json": "json",
    "text": "txt",
}  # fmt: skip
_HTML = re.compile(r"<(?:table|tbody|thead|tr|td|th|svg|html|body|dl)\b", re.IGNORECASE)
_LATEX = re.compile(r"\\begin\{|\\hline|\\(?:top|mid|bottom)rule|&.*\\\\", re.MULTILINE)


def name_of(text: str, chosen: Form = "auto") -> str:
    """Name the file that the text would be: its ending tells how it is read."""
    return f"table.{ENDS[form_of(text) if chosen == 'auto' else chosen]}"


def form_of(text: str) -> Form:
    """Tell the format of a text by its marks; Markdown where nothing else speaks."""
    lines = [line for line in text.splitlines() if line.strip()]
    told = form(text)
    if told in ("json", "latex", "html"):
        return told  # type: ignore[return-value] # as listed
    if told != "markdown":
        return "text"  # what a program printed is told by its text, whatever the ending
    if _HTML.search(text):
        return "html"
    if _LATEX.search(text):
        return "latex"
    if any(line.lstrip().startswith("|") or re.search(r"-\s*\|\s*:?-", line) for line in lines):
        return "markdown"
    for mark, name in (("\t", "tsv"), (",", "csv")):
        if len(lines) > 1 and all(mark in line for line in lines[:20]):
            return name  # type: ignore[return-value] # as listed
    return "markdown"
