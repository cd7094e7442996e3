r"""Macros that say which number they hold: `\newcommand{\ndcgTen}{0.8169} % ndcg@10|…|all|mean`.

`crosscheck tables --macros` writes such lines. The key behind a definition, with the system's name
before it where there are several, makes the number a claim where it is defined.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crosscheck.notation.pieces import Leaf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.notation.written import Written

_KEY = r"(?P<key>[^\s|]+\|\w+\|[^|\n]+\|[\w/]+)"
_LINE = re.compile(
    r"^[ \t]*\\(?:re)?newcommand\{?\\[A-Za-z]+\}?"
    r"\{(?:\\ensuremath\{(?=[^{}\n]*\}\}))?(?P<value>[-+\d.,]+)\}?\}"
    rf"[ \t]*%[ \t]*(?:(?P<system>[^\n]+): )?{_KEY}[ \t]*$",
    re.MULTILINE,
)


def stated(page: Written) -> Iterator[Leaf]:
    """Give each number whose definition names its key."""
    for found in _LINE.finditer(page.text):
        names = [page[found.start(one) : found.end(one)] for one in ("system", "key") if found[one]]
        yield Leaf(tuple(names), page[found.start("value") : found.end("value")], numeric=True)
