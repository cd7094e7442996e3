"""Metric names as people write them, read into contract ids; names.toml holds them."""

from __future__ import annotations

import difflib
import re
import unicodedata
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from crosscheck.contract.keys import decimal
from crosscheck.contract.loader import load

if TYPE_CHECKING:
    from crosscheck.contract.parameters import Parameter


@dataclass(frozen=True, slots=True)
class Reading:
    """What a written name means: one metric, several, or none.

    An entry of `metrics` is a concrete id, with `|population` where the name fixes it.
    """

    written: str
    metrics: tuple[str, ...]
    why: str = ""
    suggestions: tuple[str, ...] = ()
    template: str = ""
    """What the name means but for the value that it lacks: `recall@K` for “Recall”."""

    @property
    def metric(self) -> str | None:
        """The one metric that the name means, or None."""
        return self.metrics[0] if len(self.metrics) == 1 else None


@dataclass(frozen=True)
class _Spelling:
    name: str
    metrics: tuple[str, ...]
    parameter: Parameter | None
    why: str

    def match(self, plain: str) -> re.Match[str] | None:
        """Match a name, with its value where it has one."""
        # Of hundreds of spellings few begin a name, and only their patterns are made.
        return self._whole.fullmatch(plain) if plain.startswith(self.name) else None

    def lacks_value(self, plain: str) -> bool:
        """Whether a name is this one, but for the value that it should have."""
        if self.parameter is None or not plain.startswith(self.name):
            return False
        return self._unfinished.fullmatch(plain) is not None

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        if self.parameter is None:
            return re.compile(re.escape(self.name))
        return self._with_value(f"(?P<number>0*{self.parameter.pattern})")

    @cached_property
    def _unfinished(self) -> re.Pattern[str]:
        return self._with_value("")

    def _with_value(self, value: str) -> re.Pattern[str]:
        after = self.parameter.claimed.replace("{}", value) if self.parameter else ""
        if value and self.name[-1:].isdigit():
            after = rf"(?:\||(?=[a-z])){after}"  # F1@5 is not F15
        return re.compile(re.escape(self.name) + after)


def read_name(written: str, *, suggest: bool = True) -> Reading:
    """Read a metric's name; an ambiguous or unknown one comes with reasons or suggestions.

    `suggest`: whether to look for similar names of an unknown one, which takes its time.
    """
    contract = load()
    found = contract.find(written.strip())
    if found and (found.metric.named or found.text != found.metric.id):
        return Reading(written, (written.strip(),))
    plain = _plain(written[:_LONGEST])
    template = _template(plain)
    for spelling in _spellings().get(plain[:1], ()):
        match = spelling.match(plain)
        if match:
            metrics = tuple(_filled(one, spelling.parameter, match) for one in spelling.metrics)
            return Reading(written, metrics, spelling.why, template=template)
    why = "no metric of the contract is called that"
    return Reading(written, (), why, _similar(plain) if suggest else (), template)


def _template(plain: str) -> str:
    for spelling in _spellings().get(plain[:1], ()):
        if spelling.lacks_value(plain):
            return spelling.metrics[0] if len(spelling.metrics) == 1 else ""
    return ""


def _plain(written: str) -> str:
    """Keep what tells names apart, in small letters: all but blanks, punctuation and markup.

    A sign that changes what is meant stays, and so the name is unknown: `ΔMRR`, `√MRR`, `map@-3`.
    """
    text = unicodedata.normalize("NFC", written).translate(_SUBSCRIPTS)
    text = _MARKUP.sub("", text).replace("α", "").replace("|", " ").casefold()
    text = _THOUSANDS.sub("000", _SIGNED.sub(r"\1 minus ", text))
    # Two numbers stay two: “nDCG@10 (5 folds)” is not nDCG@105.
    apart = _BETWEEN_DIGITS.sub("|", text)
    kept = "".join(one for one in apart if one in "%.|" or not says_nothing(one))
    return _LOOSE_POINT.sub("", kept)


def says_nothing(character: str) -> bool:
    """Whether a character only separates or marks: blanks, brackets, `@`, `=`, arrows, stars."""
    kind = unicodedata.category(character)
    return kind[0] in "PZ" or kind == "Cc" or character in "=^`$|<>↑↓▲▼"


_LONGEST, _LONGEST_SIMILAR = 200, 40
"""Characters above which no text is a name, or similar to one."""
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_MARKUP = re.compile(
    r"\\(?:text[a-z]*|math[a-z]+|bf|it|rm|sc|emph|underline|uparrow|downarrow|left|right)(?![a-z])"
)
_SIGNED = re.compile(r"([@=(]) ?[-−–](?= ?\d)")
_THOUSANDS = re.compile(r"(?<=\d)k$")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[^\w%.]+(?=\d)|(?<=\d)_(?=\d)")
_LOOSE_POINT = re.compile(r"(?<!\d)\.|\.(?!\d)")


@cache
def _spellings() -> dict[str, tuple[_Spelling, ...]]:
    """Give the spellings by their first letter."""
    contract = load()
    found = []
    for name in contract.names:
        for spelling in name.written:
            found.append(_spelling(spelling, (name.metric,), ""))
            if name.bare:
                found.append(_spelling(spelling, (name.bare,), ""))
    for entry in contract.ambiguous_names:
        found += [_spelling(spelling, entry.metrics, entry.why) for spelling in entry.written]
    # Names without a number first: “Recall” is not “Rec@all”.
    ordered = sorted(found, key=lambda spelling: spelling.parameter is not None)
    return {
        first: tuple(one for one in ordered if one.name[:1] == first)
        for first in {one.name[:1] for one in ordered}
    }


def _spelling(written: str, metrics: tuple[str, ...], why: str) -> _Spelling:
    parameter = next(iter(load().notation.of(metrics[0])), None)
    return _Spelling(_plain(written), metrics, parameter, why)


def _filled(metric: str, parameter: Parameter | None, match: re.Match[str]) -> str:
    if parameter is None:
        return metric
    number = match["number"]
    if number.lstrip("0") in parameter.always:
        number = number.lstrip("0")  # “rec0.all” is no number, whatever stands before it
    if number not in parameter.always:
        # “TPR@FPR=0.05” states a fraction, “TPR@5%FPR” a percentage.
        percents = parameter.unit == "%" and not match["percent"]
        fraction = percents and "." in number and float(number) < 1
        number = decimal(round(float(number) * 100, 10)) if fraction else decimal(number)
    return load().notation.fill(metric, {parameter.symbol: number})


def _similar(plain: str) -> tuple[str, ...]:
    if len(plain) > _LONGEST_SIMILAR:
        return ()
    number = re.search(r"\d+", plain)
    known = _known()
    close = difflib.get_close_matches(re.sub(r"\d.*", "", plain) or plain, known, n=6, cutoff=0.6)
    shown = load().notation.shown
    return tuple(
        dict.fromkeys(shown(known[match], number[0] if number else "") for match in close)
    )[:3]


@cache
def _known() -> dict[str, str]:
    """Give every plain spelling with the metric that it means."""
    return {_plain(spelling): name.metric for name in load().names for spelling in name.written}
