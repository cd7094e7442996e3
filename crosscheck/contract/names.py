"""Metric names as people write them, read into contract ids; names.toml holds them."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from functools import cache

from crosscheck.contract.ids import SHOWN, fill, symbols
from crosscheck.contract.keys import decimal
from crosscheck.contract.loader import load

_AFTER = {
    "K": r"(?:at|k|top|cut)?(?P<number>[1-9]\d*|all)",
    "M": r"(?:at|m|bins)?(?P<number>[1-9]\d*)(?:bins)?",
    "α": r"(?:at)?(?P<before>fpr)?(?P<number>\d+(?:\.\d+)?)(?P<percent>%)?(?(before)|fpr)",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a written name means: one metric, several, or none.

    An entry of `metrics` is a concrete id, with `|population` where the name fixes it.
    """

    written: str
    metrics: tuple[str, ...]
    why: str = ""
    suggestions: tuple[str, ...] = ()

    @property
    def metric(self) -> str | None:
        """The one metric that the name means, or None."""
        return self.metrics[0] if len(self.metrics) == 1 else None


@dataclass(frozen=True, slots=True)
class _Spelling:
    pattern: re.Pattern[str]
    metrics: tuple[str, ...]
    symbol: str
    why: str


def read_name(written: str) -> Reading:
    """Read a metric's name; an ambiguous or unknown one comes with reasons or suggestions."""
    contract = load()
    if contract.find(written.strip()):
        return Reading(written, (written.strip(),))
    plain = _plain(written)
    for spelling in _spellings():
        match = spelling.pattern.fullmatch(plain)
        if match:
            metrics = tuple(_filled(metric, spelling.symbol, match) for metric in spelling.metrics)
            return Reading(written, metrics, spelling.why)
    return Reading(written, (), "no metric of the contract is called that", _similar(written))


def _plain(written: str) -> str:
    """Keep letters, digits, % and decimal points, in small letters, without LaTeX commands."""
    text = re.sub(r"\\[a-zA-Z]+", "", written)
    text = text.replace("α", "").casefold()
    return re.sub(r"[^a-z0-9%.]|(?<!\d)\.|\.(?!\d)", "", text)


@cache
def _spellings() -> tuple[_Spelling, ...]:
    contract = load()
    found = []
    for name in contract.names:
        needed = symbols(name.metric)
        symbol = needed[0] if needed else ""
        for spelling in name.written:
            found.append(_spelling(spelling, (name.metric,), symbol, ""))
            if name.bare:
                found.append(_spelling(spelling, (name.bare,), "", ""))
    for entry in contract.ambiguous_names:
        found += [_spelling(s, entry.metrics, entry.takes, entry.why) for s in entry.written]
    # Names without a number first: “Recall” is not “Rec@all”.
    return tuple(sorted(found, key=lambda spelling: spelling.symbol != ""))


def _spelling(written: str, metrics: tuple[str, ...], symbol: str, why: str) -> _Spelling:
    after = _AFTER[symbol] if symbol else ""
    return _Spelling(re.compile(re.escape(_plain(written)) + after), metrics, symbol, why)


def _filled(metric: str, symbol: str, match: re.Match[str]) -> str:
    if not symbol:
        return metric
    number = match["number"]
    if symbol == "α":
        # “TPR@FPR=0.05” states a fraction, “TPR@5%FPR” a percentage.
        fraction = not match["percent"] and "." in number and float(number) < 1
        number = decimal(round(float(number) * 100, 10)) if fraction else decimal(number)
    return fill(metric, {symbol: number})


def _similar(written: str) -> tuple[str, ...]:
    contract = load()
    plain = _plain(written)
    number = re.search(r"\d+", plain)
    values = SHOWN | ({"K": number[0], "M": number[0]} if number and number[0] != "0" else {})
    known = {}
    for name in contract.names:
        for spelling in name.written:
            known[_plain(spelling)] = fill(name.metric, values)
    close = difflib.get_close_matches(re.sub(r"\d.*", "", plain) or plain, known, n=6, cutoff=0.6)
    return tuple(dict.fromkeys(known[match] for match in close))[:3]
