"""A result and an explanation as HTML for a notebook: small, without scripts, light and dark."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from crosscheck.contract.page import Bullets, Heading, PageTable, Paragraph
from crosscheck.report import printing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crosscheck.contract.page import Block, Page
    from crosscheck.model.findings import Finding
    from crosscheck.report.view import Report, SystemView

MOST = 8
"""Findings that are shown; `.findings` has them all."""
STAMP = "display:inline-block;padding:.1em .6em;border-radius:.3em;color:#fff;font-weight:600"
COLOURS = {"pass": "#1a6b3c", "fail": "#a3261b"}
CELL = ' style="text-align:left"'


def result_html(report: Report) -> str:
    """Show a run: the verdict, the worst findings, the headline results."""
    stamp = f"{STAMP};background:{COLOURS[report.verdict]}"
    told = escape(report.summary.partition(": ")[2])
    parts = [f'<p><span style="{stamp}">{report.verdict.upper()}</span> {told}</p>']
    shown = [one for one in report.findings if one.waived is None]
    if shown:
        parts.append(f"<ul>{''.join(map(_finding, shown[:MOST]))}</ul>")
    if len(shown) > MOST:
        parts.append(f"<p>… and {len(shown) - MOST:,} more in <code>.findings</code></p>")
    several = len(report.systems) > 1
    parts += [_headline(one, several=several) for one in report.systems if one.headline]
    return f"<div>{''.join(parts)}</div>"


def _finding(one: Finding) -> str:
    about = f"[{escape(one.system)}] " if one.system else ""
    return (
        f"<li><b>{one.rule}</b> {escape(one.title)}: {about}{escape(one.message)} "
        f"<i>{escape(one.remedy)}</i></li>"
    )


def _headline(system: SystemView, *, several: bool) -> str:
    rows = [
        (row.name, printing.value_text(row.value), row.population, printing.count(row.n or 0))
        for row in system.headline
    ]
    caption = f"<caption>{escape(system.name)}</caption>" if several else ""
    return _table(("metric", "value", "population", "n"), rows, caption)


def page_html(page: Page) -> str:
    """Show a page of the contract."""
    return f"<div>{''.join(map(_block, page))}</div>"


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        level = min(block.level + 2, 6)
        return f"<h{level}>{escape(block.text)}</h{level}>"
    if isinstance(block, Paragraph):
        return f"<p>{escape(block.text)}</p>"
    if isinstance(block, Bullets):
        return f"<ul>{''.join(f'<li>{escape(one)}</li>' for one in block.items)}</ul>"
    return _coded(block)


def _coded(table: PageTable) -> str:
    return _table(table.columns, table.rows, code=table.code)


def _table(
    columns: Iterable[str],
    rows: Iterable[tuple[str, ...]],
    caption: str = "",
    code: tuple[int, ...] = (),
) -> str:
    head = "".join(f"<th{CELL}>{escape(one)}</th>" for one in columns)
    body = "".join(
        f"<tr>{''.join(_cell(one, place in code) for place, one in enumerate(row))}</tr>"
        for row in rows
    )
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(text: str, code: bool) -> str:
    shown = f"<code>{escape(text)}</code>" if code and text else escape(text)
    return f"<td{CELL}>{shown}</td>"
