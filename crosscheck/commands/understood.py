"""`crosscheck claims FILE --explain-reading`: each table as it was understood, and what to map."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING

from crosscheck.answers.outline import PROSE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.answers.outline import Outline, Part

WIDTH = 96
MOST = 12
"""Systems, sentences and lines to paste that are listed."""


def lines(one: Outline) -> Iterator[str]:
    """Write how a file was understood."""
    yield (
        f"{one.file}: {one.understood:,} numbers understood, "
        f"{one.not_understood:,} not, {one.ignored:,} ignored"
    )
    for part in one.parts:
        yield ""
        yield from _part(part)
    if one.rules:
        yield ""
        for rule in one.rules:
            yield from _wrapped(f"ignored: {rule.count:,} × {rule.rule}: {rule.why}", "")
    yield from _paste(one.unnamed)


def _part(part: Part) -> Iterator[str]:
    """Say what each label means, and of what the numbers are."""
    yield from _wrapped(f"{part.name}{f': {part.title}' if part.title else ''}", "")
    if part.name == PROSE:
        for said in part.sentences[:MOST]:
            text = f"line {said.line}: “{said.label}”, {said.printed}: {said.meaning}"
            yield from _wrapped(text, "  ")
        yield from _more(len(part.sentences) - MOST)
        return
    for one in part.labels:
        cells = f"{one.cells} cell{'s' if one.cells > 1 else ''}"
        yield from _wrapped(f"“{one.label}”, {cells}: {one.meaning}", "  ")
    if part.subjects:
        left = len(part.subjects) - MOST
        more = f" … and {left} more" if left > 0 else ""
        yield from _wrapped(f"of: {'; '.join(part.subjects[:MOST])}{more}", "  ")


def _paste(names: dict[str, str]) -> Iterator[str]:
    """Give the lines that would name what was not understood."""
    if not names:
        return
    yield ""
    yield "to name what was not understood, in crosscheck.toml:"
    yield "[claims.names]"
    for name, meant in list(names.items())[:MOST]:
        yield f"{json.dumps(name, ensure_ascii=False)} = {json.dumps(meant)}"
    yield from _more(len(names) - MOST)
    yield "or, where it is no claim:"
    yield "[[claims.ignore]]"
    yield f"pattern = {json.dumps(next(iter(names)), ensure_ascii=False)}"
    yield 'reason = "…"'


def _more(count: int) -> Iterator[str]:
    if count > 0:
        yield f"  … and {count:,} more"


def _wrapped(text: str, lead: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=lead, subsequent_indent=f"{lead}    ", break_on_hyphens=False
    )
