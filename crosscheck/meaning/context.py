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
    from collections.abc import Iterable, Iterator, Sequence

_WORD = re.compile(r"[^\s,;:()\[\]“”\"'`|]+")
_BARE_DECIMAL = re.compile(r"(?<!\d)(?<!gamma=)\.\d")
_MOST_WORDS = 4
_LONGEST = 4000
_VALUED = re.compile(
    r"(?P<name>[^\W\d_][^=]*?)(?:=[<>≈~]?[+−–-]?\d*[.,]?\d+%?|(?<![@\d])\d*[.,]\d+%?)[.!?]?"
)
"""A name and a value without a blank between them."""
_CUTOFF = re.compile(r"(?:\btop[- ]?|\bk ?= ?|@ ?|\bcut-?off (?:of )?)(\d{1,5})\b", re.IGNORECASE)
_PERCENT = re.compile(
    r"\(%\)|\bin (?:percent|%)|\bpercentages?\b|[×x] ?100\b|\b(?:multiplied|scaled) by 100\b",
    re.IGNORECASE,
)
_SPLITS = (
    r"(?P<split>train|training|validation|val|dev|development|tuning|test|held[- ]out(?: test)?)"
)
_FITTED = (
    r"(?P<fitted>\b(?:trained|tuned|fitted|fit|selected|chosen|calibrated|optimi[sz]ed|learned|"
    r"estimated|picked|search(?:ed)?|early stopping)\b[^.;]{0,25})?"
)
"""What is fitted on a split is not measured on it."""
_SPLIT = re.compile(
    rf"{_FITTED}\b(?:on|over|for|to|using|in) "
    rf"(?:the |our |its |their |this )?(?:whole |full |same )?{_SPLITS}"
    r"[ -](?:sets?|splits?|queries|data|rows|folds?|partition|portion|examples|samples)\b",
    re.IGNORECASE,
)
_HEADED = re.compile(
    rf"{_FITTED}(?:\b{_SPLITS}[ -](?:set|split)\b|[(\[]{_SPLITS.replace('split', 'short')}[)\]])",
    re.IGNORECASE,
)
"""A split as headings, captions and notes name it."""


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
    words = _words(text[:_LONGEST])
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


_DECIMAL = re.compile(r"(?<![\d@])\d*[.,]\d+")
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


_SAID = re.compile(r"(?P<name>[^=:@]+)[=:]\s*[+−-]?(?:\d*[.,·]\d+|\d+(?:[.,]\d+)?\s*%)\s*")


def says_value(text: str) -> bool:
    """Whether a text is a metric and its value, `MRR = 0.95`, and so is nobody's name."""
    found = _SAID.fullmatch(text)
    return found is not None and labels.named(found["name"].strip()) is not None


def _words(text: str) -> list[tuple[int, int]]:
    """Say where words stand; of `MRR=95` and `MRR0.95` the name alone is one."""
    found: list[tuple[int, int]] = []
    for one in _WORD.finditer(text):
        valued = _VALUED.fullmatch(one[0])
        size = len(valued["name"]) if valued and labels.named(valued["name"]) else len(one[0])
        found.append((one.start(), one.start() + size))
    return found


def _mention(text: str, words: Sequence[tuple[int, int]]) -> tuple[Mention, int] | None:
    for size in range(len(words), 0, -1):
        start, end = words[0][0], words[size - 1][1]
        if size > 1 and text[words[size - 1][0] : end].isdecimal():
            continue  # a number after a blank may be the value: “MRR 95”
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
    splits = splits_of(tidy) or splits_of(tidy, headed=True)
    if len(splits) == 1:
        label = replace(label, split=splits.pop())
    if label.split is None and folded(tidy) in lists.splits():
        label = replace(label, split=lists.splits()[folded(tidy)])
    return replace(label, percent=_PERCENT.search(tidy) is not None, slice=lists.repeated(tidy))


def placed(label: Label, texts: Iterable[str]) -> Label:
    """Add the split and the population that the nearest of some texts names."""
    for text in texts:
        said = read(text)
        label = replace(
            label,
            split=label.split or said.split,
            population=label.population or said.population,
        )
    return label


def splits_of(text: str, *, headed: bool = False) -> set[str]:
    """Give the splits that numbers are said to be over; `headed`: by a heading, caption or note."""
    named = [one for one in (_HEADED if headed else _SPLIT).finditer(text) if not one["fitted"]]
    words = [one["split"] or one.groupdict().get("short") or "" for one in named]
    known = lists.splits()
    return {known[folded(word)] for word in words if folded(word) in known}


def without_place(text: str) -> str:
    """Give a text without the words that say over which split or population numbers are."""
    text = _HEADED.sub(" ", _SPLIT.sub(" ", text))
    words = text.split()
    known = lists.index("population")
    for size in (4, 3, 2):
        at = 0
        while at + size <= len(words):
            if "".join(map(folded, words[at : at + size])) in known:
                del words[at : at + size]
            else:
                at += 1
    return " ".join(words)


def is_metric(text: str) -> bool:
    """Whether a text is the name of a metric and nothing else."""
    return labels.named(text.rstrip(".")) is not None


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
