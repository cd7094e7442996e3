"""The words that stand around metric names: lists of `words.toml`, looked up by what they say."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from crosscheck.contract import load
from crosscheck.notation.metric_names import folded

_MANY_SEEDS = re.compile(
    r"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten) (?:\w+ )?(?:seeds|restarts)\b"
    r"|\b(?:over|across) (?:\w+ ){0,3}(?:seeds|runs|restarts|repetitions|initiali[sz]ations)\b"
    r"|\bmulti(?:ple)?[ -]?seeds?\b",
    re.IGNORECASE,
)
_MANY_FOLDS = re.compile(
    r"\d+[ -]?folds?\b|\bcross[ -]?validat|\b(?:over|across) (?:the )?(?:\d+ )?folds\b",
    re.IGNORECASE,
)


@cache
def words() -> dict[str, Any]:
    """Read the word lists."""
    return tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))


@cache
def index(table: str) -> dict[str, str]:
    """Give folded word → name of its list, for every list of a table."""
    return {folded(word): name for name, listed in words()[table].items() for word in listed}


@cache
def listed(table: str, name: str = "words") -> frozenset[str]:
    """Give the folded words of one list."""
    return frozenset(folded(word) for word in words()[table][name])


@cache
def splits() -> dict[str, str]:
    """Give folded word → split of the contract."""
    own = {folded(n): one.name for one in load().splits for n in (one.name, *one.also) if n}
    return own | index("split")


def tidy(text: str) -> str:
    """Make every run of blanks one space, none at the ends: what patterns are tried on."""
    return " ".join(text.split())


def repeated(text: str) -> str | None:
    """Say over what a caption or title says that numbers are: `folds`, `seeds`, or nothing."""
    plain = tidy(text)
    if _MANY_FOLDS.search(plain):
        return "folds"
    return "seeds" if _MANY_SEEDS.search(plain) else None


@cache
def role_of(heading: str) -> str:
    """Say what a column under a folded heading names: `system`, `dataset`, `metric` …, or ''."""
    if not heading:
        return ""
    for one in load().parameters:
        if heading in map(folded, one.headings):
            return "parameter"
    return index("heading").get(heading, "")


@cache
def noted(text: str) -> str:
    """Name the rule by which a quantity is no metric: `cost`, `size`, `date`, or ''."""
    known = index("noted")
    whole = folded(text)
    if not whole or names_dataset(text):
        return ""  # the MS of MS MARCO is no unit
    if known.get(whole, "units") != "units":
        return known[whole]
    words = {known.get(folded(part)) for part in re.split(r"[ ,;:()\[\]/_]+", text) if folded(part)}
    units = {known.get(folded(part)) for part in re.split(r"[ ,;:()\[\]/]+", text)[1:]}
    # One word of cost is enough (“Latency p50 (ms)”); a size has to be the whole of it.
    return "cost" if "cost" in words or "units" in units else ""


@cache
def names_dataset(text: str) -> bool:
    """Whether a label has the name of a well-known data set in it."""
    parts = [folded(part) for part in re.split(r"[ ,;:()\[\]/_.-]+", tidy(text))]
    known = listed("dataset")
    pairs = {"".join(parts[i : i + size]) for size in (1, 2, 3) for i in range(len(parts))}
    return bool(pairs & known)
