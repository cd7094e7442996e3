r"""Footnotes whose mark and text stand apart: `\footnotemark` in a cell, `\footnotetext` below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.latex.render import Hidden, closing, option_end, render
from crosscheck.latex.tokens import Token

if TYPE_CHECKING:
    from collections.abc import Sequence


def footnote_texts(tokens: Sequence[Token]) -> dict[int, str]:
    """Say, for the place of every mark, what its note says: by its number, else by its order."""
    marks: list[tuple[str, int]] = []
    texts: list[tuple[str, str]] = []
    for at, token in enumerate(tokens):
        if token.kind != "command" or token.text not in {"footnotemark", "footnotetext"}:
            continue
        after = option_end(tokens, at + 1)
        sign = "".join(one.text for one in tokens[at + 1 : after]).strip("[] ")
        if token.text == "footnotemark":
            marks.append((sign, token.start))
        elif after < len(tokens) and tokens[after].kind == "{":
            inner = tokens[after + 1 : closing(tokens, after)]
            texts.append((sign, render(inner, Hidden()).text))
    numbered = dict(reversed([(sign, text) for sign, text in texts if sign]))
    found = {place: numbered[sign] for sign, place in marks if sign in numbered}
    bare = [place for sign, place in marks if not sign]
    return found | dict(zip(bare, (text for sign, text in texts if not sign), strict=False))


def raised(option: Sequence[Token]) -> list[Token]:
    """Give the sign of a note in brackets as a raised one: `[a]` as `^{a}`."""
    signs = [one for one in option if one.kind not in {"$", "^", "{", "}"}]
    plain = [one._replace(text=one.text.strip("[]")) for one in signs if one.text.strip("[]")]
    place = option[0].start
    kept = [_cut(one, token) for one, token in zip(plain, signs, strict=False)]
    return [
        Token("^", "^", place, place),
        Token("{", "{", place, place),
        *kept,
        Token("}", "}", place, place),
    ]


def _cut(one: Token, token: Token) -> Token:
    """Let a token without its brackets stand where its characters do."""
    if token.end - token.start != len(token.text):
        return one
    low = token.start + token.text.index(one.text)
    return one._replace(start=low, end=low + len(one.text))
