"""Print a page of the contract: as Markdown, or on a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from crosscheck.contract.page import Block, Bullets, Heading, Page, PageTable, Paragraph

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


def as_markdown(page: Page) -> str:
    """Write a page as GitHub-flavoured Markdown."""
    return "\n\n".join(_markdown(block) for block in page) + "\n"


def _markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {_escaped(block.text)}"
    if isinstance(block, Paragraph):
        return _escaped(block.text)
    if isinstance(block, Bullets):
        return "\n".join(f"- {_escaped(item)}" for item in block.items)
    lines = [
        block.columns,
        tuple("---" for _ in block.columns),
        *(_coded(block, r) for r in block.rows),
    ]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _coded(table: PageTable, row: tuple[str, ...]) -> tuple[str, ...]:
    cells = []
    for place, cell in enumerate(row):
        if place in table.code and cell not in {"", "–"}:
            cells.append(f"`{cell}`".replace("|", "\\|"))
        else:
            cells.append(_escaped(cell).replace("|", "\\|"))
    return tuple(cells)


def _escaped(text: str) -> str:
    for sign in ("*", "_", "<", "["):
        text = text.replace(sign, f"\\{sign}")
    return text


def print_page(page: Page) -> None:
    """Print a page on the terminal, or plainly into a pipe; NO_COLOR is respected."""
    from rich.console import Console  # noqa: PLC0415 - heavy; Markdown and JSON do without

    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
    with console.capture() as capture:
        for block in page:
            _print(console, block)
    sys.stdout.write(_tidy(capture.get(), strip=not console.is_terminal))


def _tidy(text: str, *, strip: bool) -> str:
    """Leave one blank line where the tables' edges would leave several, and no trailing blanks."""
    lines: list[str] = []
    for raw in text.splitlines():
        line = raw.rstrip() if strip or not raw.strip() else raw
        if line or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines).rstrip("\n") + "\n"


def _print(console: Console, block: Block) -> None:
    if isinstance(block, Heading):
        console.print()
        console.print(block.text, style="bold underline" if block.level == 1 else "bold")
    elif isinstance(block, Paragraph):
        console.print(block.text)
    elif isinstance(block, Bullets):
        for item in block.items:
            console.print(_hanging("–", item))
    else:
        console.print(_table(block), "", sep="\n")


def _hanging(sign: str, text: str) -> RenderableType:
    from rich.table import Table as Grid  # noqa: PLC0415 - as above

    grid = Grid.grid(padding=(0, 1))
    grid.add_row(sign, text)
    return grid


def _table(block: PageTable) -> RenderableType:
    from rich import box  # noqa: PLC0415 - as above
    from rich.table import Table as Grid  # noqa: PLC0415 - as above

    titled = any(block.columns)
    grid = Grid(box=box.SIMPLE_HEAD if titled else None, show_header=titled, pad_edge=False)
    for place, title in enumerate(block.columns):
        style = "cyan" if place in block.code else None
        longest = max((len(row[place]) for row in block.rows), default=0)
        grid.add_column(title, style=style, overflow="fold", no_wrap=place == 0 and longest <= 22)  # noqa: PLR2004 - leaves room at 80 columns
    for row in block.rows:
        grid.add_row(*row)
    return grid
