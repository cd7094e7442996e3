"""Claims in running text: “an nDCG@10 of 0.82”, “improves MRR by 3.1 points”, “p < 0.05”.

Only what is clear is read: a number directly after or before a metric's name, a change with its
verb and “by”, a p-value, “significantly better”, “the best of all systems”. A decimal in a sentence
that names a metric, and that is none of these, is kept as a claim that was not understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from crosscheck.meaning import context, notes
from crosscheck.meaning.settled import decided
from crosscheck.meaning.spot import Spot, made, not_understood
from crosscheck.notation import word_lists as lists
from crosscheck.notation.compose import takes
from crosscheck.notation.labels import Label
from crosscheck.notation.metric_names import folded
from crosscheck.notation.pieces import Passed
from crosscheck.notation.quantity import NUMBER, quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.notation.claim import Claim, Role
    from crosscheck.notation.number import Comma
    from crosscheck.notation.pieces import Sentence
    from crosscheck.notation.quantity import Quantity

NEAR = 200
"""Characters before a number that can say what it is."""

_END = re.compile(r"(?<=[.!?])[\"”)]? +(?=[A-Z“\"(\[*])|\n\s*\n|;\s")
_NUMBER = re.compile(NUMBER.format("a"), re.IGNORECASE)
_P = re.compile(r"\bp(?:[- ]?values?)? ?(?:=|of|is|was)? ?$", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|§")
_SIGN = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}(?=\s?[^\W\d])")
"""The sign of a note, before what the note says."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_SIGNIFICANT = re.compile(
    r"(?<!not )(?<!no )\b(?:statistically )?significant(?:ly)?\b[^.;]{0,40}?"
    r"\b(?:better|higher|outperform\w*|improve\w*|gains?|increase\w*|superior)"
    r"|\b(?:outperforms?|improves?|beats)\b[^.;]{0,60}?\bsignificantly\b",
    re.IGNORECASE,
)
_BEST = re.compile(
    r"\b(?:the )?best (?:of|among) (?:all|the) (?:\w+ )?(?:systems|models|methods|runs|approaches)"
    r"|\boutperforms all (?:other )?(?:systems|models|methods|runs|baselines|approaches)",
    re.IGNORECASE,
)


_NOWHERE = Label()


@dataclass(frozen=True, slots=True)
class _Part:
    """One sentence of a paragraph: its text, where it begins, the metrics that it names."""

    file: str
    piece: Sentence
    start: int
    text: str
    mentions: tuple[context.Mention, ...]
    place: Label = _NOWHERE
    """The split and the population that the text before it, and its headings, name."""

    def spot(self, label: Label, low: int, high: int) -> Spot:
        shown = " ".join(self.text.split())
        written = self.piece.written[self.start : self.start + len(self.text)]
        if label.names_metric:
            label = self._placed(label).plus(notes.said_by([written]))
        return Spot(
            file=self.file,
            place="text" + (f" under “{self.piece.title}”" if self.piece.title else ""),
            text=" ".join(self.text[low:high].split()) or shown,
            label=label,
            title=shown,
            written=written,
        )

    def _placed(self, label: Label) -> Label:
        over = self.place.population
        population = label.population or (over if takes(label, over) else None)
        return replace(label, population=population, split=label.split or self.place.split)


def from_sentences(
    pieces: Sequence[Sentence], file: str, comma: Comma = None
) -> tuple[list[Claim], list[Passed]]:
    """Read the claims of running text, and pass over the numbers that are none."""
    claims: list[Claim] = []
    passed: list[Passed] = []
    parts = [part for piece in pieces for part in _parts(piece, file)]
    for part in _settled(list(_placed(parts))):
        for one in _read(part, comma):
            if isinstance(one, Passed):
                passed.append(one)
            else:
                claims.append(one)
    return claims, passed


def _parts(piece: Sentence, file: str) -> Iterator[_Part]:
    text = piece.written.text
    cuts = [0, *(found.end() for found in _END.finditer(text)), len(text)]
    for start, end in pairwise(cuts):
        if start < end:
            part = text[start:end]
            yield _Part(file, piece, start, part, context.mentions(part))


def _placed(parts: Sequence[_Part]) -> Iterator[_Part]:
    """Let what a sentence says about split and population count for those after it.

    It does so up to the next heading, or to a sentence that names another.
    """
    under: object = None
    place = Label()
    for part in parts:
        piece = part.piece
        if (piece.title, piece.above) != under:
            under = piece.title, piece.above
            place = context.placed(Label(), (piece.title, *reversed(piece.above)))
        splits = context.splits_of(part.text)
        if splits:
            place = replace(place, split=splits.pop() if len(splits) == 1 else None)
        over = context.read(part.text).population
        place = replace(place, population=over or place.population)
        yield replace(part, place=place)


def _settled(parts: Sequence[_Part]) -> Iterator[_Part]:
    """Let bare names mean what they mean beside the others under the same heading."""
    by_title: dict[str, list[_Part]] = {}
    for part in parts:
        by_title.setdefault(part.piece.title, []).append(part)
    for some in by_title.values():
        meant = decided([one.label for part in some for one in part.mentions])
        for part in some:
            known = tuple(replace(one, label=meant(one.label)) for one in part.mentions)
            yield replace(part, mentions=known)


def _read(part: _Part, comma: Comma) -> Iterator[Claim | Passed]:
    yield from _words(part)
    sign = _SIGN.match(part.text)
    if sign and not part.start:
        yield _passed(part, *sign.span(), "mark")
    for found in _NUMBER.finditer(part.text):
        number = quantity(found, "a", comma)
        low, high = number.span if number else found.span("adigits")
        inside = any(one.start < high and low < one.end for one in part.mentions)
        if inside or (_is_name(part.text, low, high) and not _is_glued(part, number)):
            yield _passed(part, low, high, "name")
        elif number:
            yield from _number(part, number, low, high)


def _number(part: _Part, number: Quantity, low: int, high: int) -> Iterator[Claim | Passed]:
    p = _P.search(part.text, max(0, low - NEAR), low)
    label = _one_metric(part)
    if p:
        spot = part.spot(label, p.start(), high)
        yield _claim(spot, number, "p_value", "p/permutation")
        return
    change = _change(part, number, low)
    linked = change or _linked(part, low, high)
    if linked is not None:
        role: Role = "improvement" if linked.change else "value"
        spot = part.spot(linked, max(0, low - 40), high)
        statistic = "improvement" if linked.change else linked.statistic
        yield _claim(spot, number, role, statistic)
    elif not part.mentions and not (_is_decimal(number) and context.glued(part.text)):
        yield _passed(part, low, high, "prose")
    elif _is_setting(part.text, low):
        yield _passed(part, low, high, "setting")
    elif _is_count(part.text, number, low, high):
        yield _passed(part, low, high, "count")
    else:
        yield _lost(part, low, high)


def _lost(part: _Part, low: int, high: int) -> Claim:
    """Keep a number that stands beside a metric's name and may be its value."""
    spot = part.spot(Label(), max(0, low - 40), high)
    names = tuple(part.text[one.start : one.end] for one in part.mentions)
    named = " and ".join(dict.fromkeys(names or context.glued(part.text)))
    problem = f"the sentence names {named}; which number this is, is not clear"
    lost = not_understood(spot, part.text[low:high])
    return replace(lost, problem=problem, covers=spot.written.ranges(low, high), prose=True)


def _is_decimal(number: Quantity | None) -> bool:
    return number is not None and (number.step < 1 or number.percent)


def _is_glued(part: _Part, number: Quantity | None) -> bool:
    """Whether a decimal is joined to a metric's name or to another decimal: `MRR~0.87`."""
    if number is None or not _is_decimal(number):
        return False
    low, high = number.span
    head = re.search(r"\S*$", part.text[max(0, low - 40) : low])
    tail = re.match(r"\S*", part.text[high : high + 40])
    beside = f"{head[0] if head else ''} {tail[0] if tail else ''}"
    numbers = re.search(r"\d[.,]\d+[/–-]$", part.text[max(0, low - 40) : low])
    return bool(context.glued(beside) or (numbers and context.glued(part.text)))


def _claim(spot: Spot, number: Quantity, role: Role, statistic: str | None) -> Claim:
    return replace(made(spot, number, role, statistic), prose=True)


def _passed(part: _Part, low: int, high: int, rule: str) -> Passed:
    ranges = part.piece.written.ranges(part.start + low, part.start + high)
    return Passed(ranges, rule)


def _one_metric(part: _Part) -> Label:
    """Give the one metric that the sentence names, else none."""
    names = {(one.label.metric, one.label.template): one.label for one in part.mentions}
    return next(iter(names.values())) if len(names) == 1 else Label()


def _linked(part: _Part, low: int, high: int) -> Label | None:
    """Give the metric whose name stands directly before or after a number."""
    before = [one for one in part.mentions if one.end <= low]
    if before and _links(part.text[before[-1].end : low]) and not before[-1].quoted:
        return _moved(part, before[-1])
    after = [one for one in part.mentions if one.start >= high]
    if after and re.fullmatch(r" (?:in |for |points of )?", part.text[high : after[0].start]):
        following = _folded(part.text[after[0].end : after[0].end + 40])[:1]
        return _or_change(after[0].label, following)
    return None


def _moved(part: _Part, named: context.Mention) -> Label:
    """Give a metric's label; after “an improvement in” it is one of a change."""
    return _or_change(named.label, _folded(part.text[max(0, named.start - 40) : named.start])[-4:])


def _or_change(label: Label, words: Sequence[str]) -> Label:
    """Make a label one of a change where a word beside it says so: “12 % MRR reduction”."""
    moving = {*lists.index("change"), *lists.listed("prose", "up"), *lists.listed("prose", "down")}
    return replace(label, change="open") if moving.intersection(words) else label


def _folded(text: str) -> list[str]:
    return [folded(word) for word in _WORD.findall(text)]


def _links(between: str) -> bool:
    """Whether what stands between a name and a number only joins them."""
    if len(between) > 40 or any(char in ";.!?" for char in between):  # noqa: PLR2004 - a few words
        return False
    words = [folded(word) for word in _WORD.findall(between)]
    return all(word in lists.listed("prose", "link") for word in words)


def _change(part: _Part, number: Quantity, low: int) -> Label | None:
    """Read “improves MRR by 3.1 points”: a verb, a metric, and “by” before the number."""
    head = part.text[max(0, low - NEAR) : low]
    if not re.search(r"\bby (?:about |up to |roughly )?$", head, re.IGNORECASE):
        return None
    words = {folded(word) for word in _WORD.findall(head)}
    moved = words & (lists.listed("prose", "up") | lists.listed("prose", "down"))
    before = [one for one in part.mentions if one.end <= low]
    label = before[-1].label if before else _one_metric(part)
    if not moved or not label.names_metric:
        return None
    kind = "points" if number.points else "gain" if number.percent else "open"
    return replace(label, change=kind)


def _words(part: _Part) -> Iterator[Claim]:
    """Read what is claimed in words alone: significance and rank."""
    for pattern, role in ((_SIGNIFICANT, "significant"), (_BEST, "best")):
        found = pattern.search(part.text)
        label = _one_metric(part)
        if found is None or not label.names_metric:
            continue
        spot = part.spot(label, *found.span())
        plain = replace(made(spot, _NO_NUMBER, "value", None), number=None, covers=())
        yield replace(
            plain,
            role=role,  # type: ignore[arg-type] # one of the two above
            printed=" ".join(found[0].split()),
            prose=True,
            marks=frozenset(),
        )


_found = _NUMBER.match("0")
_NO_NUMBER: Quantity = quantity(_found, "a", None)  # type: ignore[assignment,arg-type] # it is one


def _is_name(text: str, low: int, high: int) -> bool:
    """Whether digits are part of a word: BM25, GPT-4, v2, 4-shot."""
    before, after = text[low - 1 : low], text[high : high + 1]
    if after.isalpha() or after == "_" or before.isalnum() or before == "_":
        return True
    joined = before in {"-", "/", "#"} and text[low - 2 : low - 1].isalnum()
    return joined or (after == "-" and text[high + 1 : high + 2].isalpha())


def _is_setting(text: str, low: int) -> bool:
    """Whether the word before a number names a setting: “threshold of 0.5”, “α = 0.05”."""
    words = [folded(word) for word in _WORD.findall(text[max(0, low - 40) : low])]
    near = [word for word in words if word not in lists.listed("prose", "link")][-1:]
    return bool(near) and near[0] in lists.listed("prose", "setting")


def _is_count(text: str, number: Quantity, low: int, high: int) -> bool:
    whole = number.step >= 1 and not number.percent
    return whole or _counted(text, high) or _referred(text, low)


def _counted(text: str, high: int) -> bool:
    word = _WORD.match(text, high + 1) if text[high : high + 1] in {" ", "-", "%"} else None
    return word is not None and folded(word[0]) in lists.listed("prose", "counted")


def _referred(text: str, low: int) -> bool:
    words = _WORD.findall(text[max(0, low - 20) : low])
    year = _YEAR.match(text, low) is not None
    return year or (bool(words) and folded(words[-1]) in lists.listed("prose", "referred"))
