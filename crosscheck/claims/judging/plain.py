"""Whether a sentence is plain: whether it says nothing but which system has which value.

A number of running text is held against the data only where every word of its sentence is
understood: metric, number, a system of the run, and the listed words that change nothing. “On the
training set”, “do not reach”, “Smith et al. report” each make it another number than ours.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crosscheck.meaning import context
from crosscheck.notation import word_lists as lists
from crosscheck.notation.metric_names import folded
from crosscheck.notation.quantity import NUMBER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.notation.claim import Claim

_SYSTEM, _METRIC, _VALUE = "\x01", "\x02", "\x03"
_NUMBER = re.compile(r"(?<![^\W_])" + NUMBER.format("a"), re.IGNORECASE)
_P = re.compile(r"\bp(?:-value)? ?(?:[<>=≤≥]|of|is|was) ?(?:0?\.\d+)(?!\d)", re.IGNORECASE)
_LOOSE_SIGN = re.compile(r"[+−–-] \d|(?<=[\d)\]\x01-\x03])[+−–-](?=\.?\d)")
_TOKEN = re.compile(r"[^\W_]+|[^\w\s.,:;()=*\"'“”‘’\x01-\x03]|_")
_ORDERS = {
    "value": f"(?:{_METRIC}{_VALUE})+|{_VALUE}{_METRIC}",
    "improvement": f"(?:{_METRIC}{_VALUE})+|{_VALUE}{_METRIC}",
    "p_value": f"{_METRIC}{_VALUE}?",
    "significant": f"{_METRIC}+",
    "best": f"{_METRIC}+",
}
_OTHERWISE = "put the number in a table, or [claims] ignore it with a reason"


def not_plain(claim: Claim, known: Sequence[str]) -> str:
    """Say why the sentence of a claim is not plain; empty where it is, or where it is no prose."""
    if not claim.prose or not (claim.key or claim.candidates):
        return ""
    text = _marked(claim, known)
    rest = _strange(text, claim.role)
    if rest:
        return f"the sentence also says “{rest}”; {_OTHERWISE}"
    order = "".join(re.findall(f"[{_METRIC}{_VALUE}]", text))
    if not re.fullmatch(_ORDERS.get(claim.role, _ORDERS["value"]), order):
        return f"which number of the sentence is which metric’s is not clear; {_OTHERWISE}"
    return ""


def _marked(claim: Claim, known: Sequence[str]) -> str:
    """Put one sign in place of each metric, number and system of the run."""
    text = claim.title
    if claim.role in {"significant", "best"}:
        text = text.replace(claim.printed, " ", 1)
    text = _P.sub(" ", _pointers().sub(" ", text))
    for one in reversed(context.mentions(text)):
        text = text[: one.start] + _METRIC + text[one.end :]
    for name in sorted(filter(None, known), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", _SYSTEM, text, flags=re.IGNORECASE)
    return text if _LOOSE_SIGN.search(text) else _NUMBER.sub(_VALUE, text)


def _pointers() -> re.Pattern[str]:
    words = "|".join(map(re.escape, lists.words()["plain"]["pointer"]))
    return re.compile(rf"\(?\b(?:see |in )?(?:{words})\.? ?\d+(?![.\d]*\d)\)?", re.IGNORECASE)


def _strange(text: str, role: str) -> str:
    """Give the words and signs that are not listed, and a comparison that comes first."""
    plain = lists.listed("plain")
    if role != "value":
        plain |= lists.listed("plain", "compared") | lists.listed("prose", "up")
    loose = _LOOSE_SIGN.search(text)
    if loose:
        return loose[0].strip(" 0123456789")
    turned = re.match(rf"[^{_SYSTEM}]*\b(over|than|against)\b", text, re.IGNORECASE)
    if turned and _SYSTEM in text:
        return turned[1]
    found = [one for one in _TOKEN.findall(text) if (folded(one) or one) not in plain]
    return " ".join(dict.fromkeys(found))
