"""Every token with a digit has one outcome: claimed, ignored by a stated rule, or not read.

The tokens come from the text (`source.py`), so the counts add up whatever the readers do. A
token is read when each of its digits is: half a number that was understood is not understood.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from crosscheck.notation.source import is_digit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crosscheck.notation.claim import Claim
    from crosscheck.notation.pieces import Passed
    from crosscheck.notation.source import Source, Token

State = Literal["claimed", "ignored", "unread"]
_PASSED, _CLAIMED = 1, 2


@dataclass(frozen=True, slots=True)
class Entry:
    """What became of one token: `claims` that were read from it, or the `rule` that passed it."""

    token: Token
    state: State
    claims: tuple[Claim, ...] = ()
    rule: str = ""


@cache
def rules() -> dict[str, str]:
    """Give the reason behind every rule for ignoring, by its id."""
    text = (Path(__file__).parent / "ignored.toml").read_text(encoding="utf-8")
    return {str(one["id"]): str(one["why"]) for one in tomllib.loads(text)["rule"]}


def account(source: Source, claims: Sequence[Claim], passed: Iterable[Passed]) -> tuple[Entry, ...]:
    """Give every token its outcome; a claim counts before a rule for ignoring."""
    owner = bytearray(len(source.text))
    said: defaultdict[int, list[Claim]] = defaultdict(list)
    why: dict[int, str] = {}
    places = _Places(source.tokens, len(source.text))
    for one in passed:
        for low, high in one.ranges:
            owner[low:high] = bytes([_PASSED]) * (high - low)
            for token in places.within(low, high):
                why.setdefault(token, one.rule)
    for claim in claims:
        for low, high in claim.covers:
            owner[low:high] = bytes([_CLAIMED]) * (high - low)
            for token in places.within(low, high):
                said[token].append(claim)
    return tuple(
        _entry(token, owner, said.get(i, []), why.get(i, ""))
        for i, token in enumerate(source.tokens)
    )


def _entry(token: Token, owner: bytearray, claims: list[Claim], rule: str) -> Entry:
    owners = {
        owner[at] for at, char in enumerate(token.text, token.start) if is_digit(char)
    }  # fmt: skip
    if 0 in owners:
        return Entry(token, "unread", tuple(claims))
    if _CLAIMED in owners:
        return Entry(token, "claimed", tuple(claims))
    return Entry(token, "ignored", (), rule)


class _Places:
    """Which tokens a range of the text touches."""

    def __init__(self, tokens: Sequence[Token], size: int) -> None:
        self._at = [-1] * size
        for i, token in enumerate(tokens):
            self._at[token.start : token.end] = [i] * (token.end - token.start)

    def within(self, low: int, high: int) -> set[int]:
        return {one for one in self._at[low:high] if one >= 0}
