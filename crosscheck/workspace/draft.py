"""A commented `crosscheck.toml` for what was recognised in a folder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from crosscheck.contract import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.workspace.recognised import Data, Found

HEAD = """\
# What `crosscheck gate` checks here. Written by `crosscheck init`; every line is yours to change.
# Settings: docs/data.md. How claims are read: docs/claims.md.
"""
TAIL = """\
# Intervals are drawn where this is set; the contract's own number is {resamples}.
# resamples = {resamples}

# What a name of yours means, where it is not understood:
# [claims.names]
# "our score" = "ndcg@10"
"""


def draft(found: Found) -> str:
    """Write the config."""
    tail, names = TAIL.format(resamples=load().defaults["resamples"]).split("\n\n", 1)
    return "\n".join([HEAD, *_top(found), tail, "", *_claims(found), *_systems(found), names])


def _top(found: Found) -> Iterator[str]:
    if len(found.data) == 1:
        yield f"data = {_place(found.data[0])}  # {told(found.data[0])}"
        yield from _settings(found.data[0])
        yield ""
    elif any(isinstance(one.place, dict) for one in found.data):
        yield from _settings(next(one for one in found.data if isinstance(one.place, dict)))
        yield ""


def _settings(one: Data) -> Iterator[str]:
    if isinstance(one.place, dict):
        yield '# ties = "trec_eval"  # order equal scores as trec_eval does; else as the file does'


def _claims(found: Found) -> Iterator[str]:
    if not found.claims:
        yield "# No claims were found: name the table of the paper, and every number of it is held"
        yield "# against the data."
        yield "# [claims]"
        yield '# files = ["paper.tex"]'
        yield ""
        return
    yield "[claims]"
    yield "files = ["
    for name, count in found.claims.items():
        yield f"    {_quoted(name)},  # {_counted(count, 'number')} of a metric"
    yield "]"
    yield ""


def _systems(found: Found) -> Iterator[str]:
    if len(found.data) < 2:  # noqa: PLR2004 - one needs no name
        return
    yield "# Each is gated, and they are compared with each other where their queries are the same."
    names: dict[str, int] = {}
    for one in found.data:
        names[one.name] = names.get(one.name, 0) + 1
        name = one.name if names[one.name] == 1 else f"{one.name} {names[one.name]}"
        yield f"[systems.{_quoted(name)}]"
        yield f"data = {_place(one)}  # {told(one)}"
        yield ""


def told(one: Data) -> str:
    """Say what data are, in a few words."""
    families = ", ".join(name.replace("_", " ") for name in one.families)
    return f"{_counted(one.rows, 'row')} to evaluate: {families}"


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _place(one: Data) -> str:
    if isinstance(one.place, str):
        return _quoted(one.place)
    inner = ", ".join(f"{name} = {_quoted(path)}" for name, path in one.place.items())
    return f"{{ {inner} }}"


def _quoted(text: str) -> str:
    """Write a text as TOML does: the escapes of JSON are among its own."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
