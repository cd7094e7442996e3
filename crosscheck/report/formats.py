"""The formats of a report, which writing, replacing an old report and rerunning all consult.

A format is a file's name and a function from the report, and its figures, to the file's text. To
add one, write a module with both and give it a line here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.report import html, json, junit, markdown

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.report.gallery import Galleries
    from crosscheck.report.view import Report

FORMATS: dict[str, Callable[[Report, Galleries], str]] = {
    json.NAME: lambda report, _: json.render(report),
    markdown.NAME: lambda report, _: markdown.render(report),
    junit.NAME: lambda report, _: junit.render(report),
    html.NAME: html.render,
}


def encoded(text: str) -> bytes:
    """Give the bytes of a file; half a character, which no encoding has, is written out."""
    return text.encode("utf-8", "backslashreplace")
