"""What the text around a table says about every number in it: caption, heading, note, sentence.

Running text is no label, so only what is unmistakable counts: a metric's name that is no word of
English, a cut-off in figures, a population or split in words of two or more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from crosscheck.notation import labels
from crosscheck.notation import word_lists as lists
from crosscheck.notation.labels import Label
from crosscheck.notation.metric_names import folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WORD = re.compile(r"[^\s,;:()\[\]“”\"'`|]+")
_BARE_DECIMAL = re.compile(r"(?<!\d)(?<!gamma=)\.\d")
_MOST_WORDS = 4
_LONGEST = 4000
_CUTOFF = re.compile(r"(?:\btop[- ]?|\bk ?= ?|@ ?|\bcut-?off (?:of )?)(\d{1,5})\b", re.IGNORECASE)
_PERCENT = re.compile(
    r"\(%\)|\bin (?:percent|%)|\bpercentages?\b|[×x] ?100\b|\b(?:multiplied|scaled) by 100\b",
    re.IGNORECASE,
)
_SPLIT = re.compile(
    r"(?<!trained )(?<!tuned )(?<!fitted )(?<!selected )\b(?:on|over|for|to) (?:the |our )?"
    r"(train|training|validation|val|dev|development|tuning|test|held-out|held-out test) "
    r"(?:set|split|queries|data|rows)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A metric that a running text names, and where."""

    label: Label
    start: int
    end: int
    quoted: bool = False
    """Whether it stands in quotation marks, as a name in a program's output does."""


@lru_cache(maxsize=4096)
def mentions(text: str) -> tuple[Mention, ...]:
    """Find the metrics that a running text names, the longest name at each place."""
    words = list(_WORD.finditer(text[:_LONGEST]))
    found: list[Mention] = []
    at = 0
    while at < len(words):
        one = _mention(text, words[at : at + _MOST_WORDS])
        if one is None:
            at += 1
            continue
        found.append(one[0])
        at += one[1]
    return tuple(found)


_DECIMAL = re.compile(r"(?<![^\W_])\d*[.,]\d+")
_GLUE = re.compile(r"[^\w@]|[_Δ∆δ]")
_PLURAL = re.compile(r"(?<=\w\w)s\b")


@lru_cache(maxsize=4096)
def glued(text: str) -> tuple[str, ...]:
    """Find metrics whose names are joined to other signs: `MRR=0.95`, `_MRR_`, `ΔMRR`, `MRRs`."""
    apart = _GLUE.sub(" ", _DECIMAL.sub(" ", text))
    for tried in (apart, _PLURAL.sub("", apart)):
        found = mentions(tried)
        if found:
            return tuple(dict.fromkeys(tried[one.start : one.end] for one in found))
    return ()


def _mention(text: str, words: Sequence[re.Match[str]]) -> tuple[Mention, int] | None:
    for size in range(len(words), 0, -1):
        start, end = words[0].start(), words[size - 1].end()
        written = text[start:end].rstrip(".!?*")
        if not written[-1:].isalnum() or _BARE_DECIMAL.search(written) or not _is_name(written):
            continue
        label = labels.named(written)
        if label is not None:
            quoted = text[start - 1 : start] in {"'", '"'}
            return Mention(label, start, start + len(written), quoted), size
    return None


def _is_name(written: str) -> bool:
    """Whether a text can only be a metric's name: no common word, no single letter."""
    plain = folded(written)
    if plain[:1] in {"p", "r", "s", "h"} and plain[1:].isdigit() and "@" not in written:
        return False  # P@10 is a name, a page p10 is none
    if plain in lists.listed("context", "never"):
        return False
    common = plain in lists.listed("context", "capital")
    return not common or any(char.isupper() for char in written[1:] + written[:1])


@lru_cache(maxsize=1024)
def read(text: str) -> Label:
    """Give what a caption or heading says about all numbers below it.

    One metric, one cut-off, one population: where it names two, it says nothing of the kind.
    """
    tidy = lists.tidy(text)[:_LONGEST]
    label = _only([one.label for one in mentions(tidy)])
    cutoffs = set(_CUTOFF.findall(tidy))
    if len(cutoffs) == 1:
        label = replace(label, parameter=("K", cutoffs.pop()))
    populations = set(_phrases(tidy))
    if len(populations) == 1:
        label = replace(label, population=populations.pop())
    splits = {lists.splits()[folded(one)] for one in _SPLIT.findall(tidy)}
    if len(splits) == 1:
        label = replace(label, split=splits.pop())
    if label.split is None and folded(tidy) in lists.splits():
        label = replace(label, split=lists.splits()[folded(tidy)])
    over_folds = "folds" if lists.says_folds(tidy) else None
    return replace(label, percent=_PERCENT.search(tidy) is not None, slice=over_folds)


def _only(found: Sequence[Label]) -> Label:
    """Give the one metric that is named, else none."""
    names = {(one.metric, one.template, one.candidates): one for one in found}
    if len(names) != 1:
        return Label()
    (one,) = names.values()
    return replace(one, other=())


def _phrases(text: str) -> Iterator[str]:
    """Find populations in words of two or more."""
    words = [folded(word) for word in text.split()]
    known = lists.index("population")
    for size in (2, 3, 4):
        for at in range(len(words) - size + 1):
            phrase = "".join(words[at : at + size])
            if phrase in known:
                yield known[phrase]
