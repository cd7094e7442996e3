r"""Macros that say which number they hold: `\newcommand{\ndcgTen}{0.8169} % ndcg@10|…|all|mean`.

`crosscheck tables --macros` writes such lines. The key behind a definition, with the system's name
before it where there are several, makes the number a claim where it is defined. In a file that says
that it was written so, every definition must be one of these, under the name of its key.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crosscheck.latex.naming import WRITTEN, fits
from crosscheck.notation.pieces import Leaf, Unread

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crosscheck.notation.written import Written

_KEY = r"(?P<key>[^\s|]+\|\w+\|[^|\n]+\|[\w/]+)"
_LINE = re.compile(
    r"^[ \t]*\\(?:re)?newcommand\{?\\(?P<name>[A-Za-z]+)\}?"
    r"\{(?:\\ensuremath\{(?=[^{}\n]*\}\}))?(?P<value>[-+\d.,]+)\}?\}"
    rf"[ \t]*%[ \t]*(?:(?P<system>[^\n]+): )?{_KEY}[ \t]*$",
    re.MULTILINE,
)
_DEFINES = re.compile(
    r"^[^%\n]*\\(?:[gex]?def|let|(?:re|provide)?newcommand|providecommand|newrobustcmd|"
    r"DeclareRobustCommand|(?:New|Renew|Provide|Declare)DocumentCommand)(?![A-Za-z])[^\n]*",
    re.MULTILINE,
)
_ENDLESS = re.compile(r"\\newcommand\{\\[A-Za-z]+\}\{\\ensuremath\{\\infty\}\} %")
"""What has no digits to verify."""


def stated(page: Written) -> Iterator[Leaf | Unread]:
    """Give each number whose definition names its key."""
    known = {found.start(): found for found in _LINE.finditer(page.text)}
    for found in known.values():
        names = [page[found.start(one) : found.end(one)] for one in ("system", "key") if found[one]]
        yield Leaf(tuple(names), page[found.start("value") : found.end("value")], numeric=True)
    if page.text.startswith(WRITTEN):
        yield from _edited(page, known)


def _edited(page: Written, known: Mapping[int, re.Match[str]]) -> Iterator[Unread]:
    """Give each definition that `crosscheck tables --macros` did not write so."""
    for line in _DEFINES.finditer(page.text):
        found = known.get(line.start())
        if found and fits(found["name"], found["key"], found["system"]):
            continue
        if found is None and _ENDLESS.match(line[0]):
            continue
        why = f"its name is not that of {found['key']}" if found else "it names no key"
        problem = f"`crosscheck tables --macros` did not write it so: {why}; write the file anew"
        place = page[line.start() : line.end()]
        yield Unread((place.range,), problem, str(place))
