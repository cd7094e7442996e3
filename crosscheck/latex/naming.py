r"""The names of the macros that `crosscheck tables --macros` writes: `\ndcgTen` for ndcg@10.

A name follows from the key, and from the system's name where a report has several, so that whoever
reads the file back can tell whether a number stands under the name of another.
"""

from __future__ import annotations

import hashlib
import re

from crosscheck import contract
from crosscheck.errors import UserError
from crosscheck.model.key import Key, unescape
from crosscheck.system import harmless

WRITTEN = "% Written by `crosscheck tables --macros`; write it anew instead of editing it."
"""The first line of such a file."""
SMALL = (
    *("Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"),
    *("Eleven", "Twelve", "Thirteen", "Fourteen", "Fifteen", "Sixteen", "Seventeen", "Eighteen"),
    "Nineteen",
)
TENS = ("Twenty", "Thirty", "Forty", "Fifty", "Sixty", "Seventy", "Eighty", "Ninety")
WORDS = re.compile(r"[A-Za-z]+|\d+|(?<=\d)\.(?=\d)")
STATISTICS = {"mean": "", "value": "", "n": ""}
"""Statistics that go without saying."""
ENDS = {"ci_low": "Low", "ci_high": "High"}
TAKEN = frozenset(("k", "kappa", "map", "rank", "hit", "top", "gamma", "tau", "alpha", "beta"))
"""Words that are commands of LaTeX or of a common package already."""
LETTERS = 6


def name_of(text: str, system: str | None) -> str:
    """Name the number of a key; of several systems, each begins with its own name."""
    key = Key.parse(text)
    own = contract.load().metric(key.metric).metric
    parts = [_spelled(key.metric)]
    if key.population != own.population:
        parts.append(f"Over{_spelled(key.population)}")
    if key.slice != "all":
        parts.append(_spelled(unescape(key.slice)))
    end, _, _ = key.statistic.partition("/")
    if end in ENDS:
        parts.append(ENDS[end])
    elif key.slice == "folds" or key.statistic not in STATISTICS:
        parts.append(_spelled(key.statistic))
    if system is not None:
        shown = one_line(system)
        parts.insert(0, _spelled(shown) or f"System{letters(shown)}")
    name = "".join(parts)
    name = name[:1].lower() + name[1:]
    return f"{name}Value" if name in TAKEN else name


def _spelled(text: str) -> str:
    """Write any text in letters alone: `ndcg@10` is `NdcgTen`."""
    return "".join(_word(word) for word in WORDS.findall(text))


def _word(word: str) -> str:
    if word == ".":
        return "Point"
    if not word.isdigit():
        return word[:1].upper() + word[1:]
    number = int(word)
    if word != str(number) or number >= 100:  # noqa: PLR2004 - above it digit by digit
        return "".join(SMALL[int(digit)] for digit in word)
    if number < len(SMALL):
        return SMALL[number]
    return TENS[number // 10 - 2] + (SMALL[number % 10] if number % 10 else "")


def letters(text: str) -> str:
    """Draw letters from a text, always the same ones."""
    drawn = hashlib.sha256(text.encode("utf-8", "backslashreplace")).digest()
    return "".join(chr(ord("a") + byte % 26) for byte in drawn[:LETTERS])


def fits(name: str, key: str, system: str | None) -> bool:
    """Tell whether a macro has the name of its key, or that with letters drawn from it."""
    try:
        own = name_of(key, system)
    except UserError:
        return False
    return re.fullmatch(rf"{own}(?:[a-z]{{{LETTERS}}})?", name) is not None


def one_line(text: str) -> str:
    """Keep a name within its comment."""
    return " ".join(harmless(text).split())
