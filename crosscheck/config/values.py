"""The values that a config may hold: each type says in plain words what it expects."""

from __future__ import annotations

import difflib
import math
import re
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field, Strict

from crosscheck.contract import load
from crosscheck.errors import UserError
from crosscheck.model.key import Key

if TYPE_CHECKING:
    from collections.abc import Iterable

RULE = re.compile(r"fpr<=\d+(?:\.\d+)?%")

Number = int | float
ByFold = dict[str, Number]


def shown(value: object) -> str:
    """Show a value as the user wrote it, or nearly."""
    return f"“{value}”" if isinstance(value, str) else str(value)


def guess(name: str, known: Iterable[str]) -> str:
    """End a sentence about an unknown name with the likeliest one, or with all there are."""
    names = list(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return f"; did you mean {close[0]}?" if close else f"; known are {', '.join(names) or 'none'}"


def _number(low: float, high: float, value: object) -> Number:
    span = f"from {low:g} to {high:g}" if math.isfinite(high) else f"of at least {low:g}"
    if low == -math.inf:
        span = "that is finite"
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise ValueError(f"is {shown(value)}; expected a number {span}")  # noqa: TRY004 - pydantic collects ValueErrors
    if not (low <= value <= high and math.isfinite(value)):
        raise ValueError(f"is {value}; expected a number {span}")
    return value


def _whole(low: int, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < low:
        raise ValueError(f"is {shown(value)}; expected a whole number of at least {low}")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"is {shown(value)}; expected text")
    return value


def _between(low: float, high: float, value: object) -> Number:
    """Read a number that lies between two others and is neither."""
    span = f"between {low:g} and {high:g}" if math.isfinite(high) else f"above {low:g}"
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not low < value < high:
        raise ValueError(f"is {shown(value)}; expected a number {span}")
    return value


def _by_fold(low: float, high: float, value: object) -> Number | ByFold:
    if not isinstance(value, dict):
        return _number(low, high, value)
    wrong = []
    for fold, entry in value.items():
        if not re.fullmatch(r"-?\d+", fold):
            wrong.append(f"names the fold “{fold}”; expected whole numbers, as in 0 = 0.5")
        try:
            _number(low, high, entry)
        except ValueError as error:
            wrong.append(f"of fold {fold} {error}")
    if wrong:
        raise ValueError("; ".join(wrong))
    return value


def _one_of(words: tuple[str, ...], value: object) -> str:
    if value not in words:
        raise ValueError(f"is {shown(value)}; expected {' or '.join(words)}")
    return str(value)


def _rule(value: object) -> str:
    plain = re.sub(r"\s", "", str(value)).lower().replace("≤", "<=")
    if not RULE.fullmatch(plain):
        raise ValueError(f'is {shown(value)}; expected a rule such as "fpr<=5%"')
    return plain


def _column(value: object) -> str:
    known = [column.name for column in load().columns]
    if value not in known:
        raise ValueError(f"is no column of the contract{guess(str(value), known)}")
    return str(value)


def _slice(value: object) -> str:
    taken = [one.id for one in load().slices if "NAME" not in one.id]
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", str(value)) or value in taken:
        raise ValueError(
            f"is no name for a slice; expected a letter, then letters, digits and _, and none of "
            f"{', '.join(taken)}"
        )
    return str(value)


def _metric(value: object) -> str:
    text = _text(value)
    try:
        load().metric(Key.parse(text).metric if "|" in text else text)
    except UserError as error:
        raise ValueError(f"is no metric: {error}") from None
    return text


def _witness(value: object) -> str:
    if not re.fullmatch(r"[\w.]+:[\w.]+", str(value)):
        raise ValueError(f'is {shown(value)}; expected "module:function"')
    return str(value)


def _data(value: object) -> str | dict[str, str]:
    if isinstance(value, dict):
        if set(value) != {"qrels", "run"}:
            raise ValueError("is a table; for TREC files it needs qrels and run, and nothing else")
        return {name: _text(path) for name, path in value.items()}
    return _text(value)


def _files(value: object) -> dict[str, Any]:
    """Let `claims = "f.json"`, a list, and `[claims]` with `file` or `files` mean the same."""
    table = dict(value) if isinstance(value, dict) else {"files": value}
    named = [table.pop(name) for name in ("file", "files") if name in table]
    files = [named[0]] if named and isinstance(named[0], str) else named[0] if named else []
    if len(named) > 1 or not isinstance(files, list) or not (files or table):
        raise ValueError('names no file; expected file = "claims.json" or files = ["…", "…"]')
    return {"files": [_text(file) for file in files]} | table


def _claimed(value: object) -> str:
    """Take a metric, or a key of which the end may be left out."""
    text = _text(value)
    try:
        load().metric(text.partition("|")[0])
    except UserError as error:
        raise ValueError(f"is no metric: {error}") from None
    return text


def _definitions(value: object) -> dict[str, str]:
    """Take what a bare name in claims means: a variant, a metric, a population (section 19)."""
    if not isinstance(value, dict):
        raise ValueError('is no table; expected map = "by_gold"')  # noqa: TRY004 - pydantic collects ValueErrors
    wrong = [told for name, meant in value.items() if (told := _undefined(name, meant))]
    if wrong:
        raise ValueError("; ".join(wrong))
    return value


def _undefined(name: str, meant: object) -> str:
    populations = {one.id for one in load().populations}
    if name == "std":
        return "" if meant == "population" else f"std is {shown(meant)}; expected population"
    if name == "ranking_population":
        return "" if meant in populations else f"{name} is {shown(meant)}; expected a population"
    tried = (str(meant), f"{name}/{meant}", f"{name}@10/{meant}")
    whole = str(meant).partition("@")[0] == name
    if any(load().find(one) for one in (tried[1:] if not whole else tried[:1])):
        return ""
    return f"{name} is {shown(meant)}; expected a variant of {name}, or {name} at a cut-off"


def _rule_id(value: object) -> str:
    from crosscheck.model.findings import rules  # noqa: PLC0415 - only who waives needs the rules

    if value not in rules():
        raise ValueError(f"names {value}, which `crosscheck rules` does not list")
    return str(value)


def _waivers(value: object) -> list[dict[str, Any]]:
    if not isinstance(value, dict):
        raise ValueError('is no table; expected XC123 = "the reason"')  # noqa: TRY004 - pydantic collects ValueErrors
    found, wrong = [], []
    for what, said in value.items():
        rule, _, key = what.partition(" ")
        try:
            found.append({"rule": _rule_id(rule), "key": key.strip()} | _waiver(what, said))
        except ValueError as error:
            wrong.append(str(error))
    if wrong:
        raise ValueError("; ".join(wrong))
    return found


def _waiver(what: str, said: object) -> dict[str, Any]:
    """Read `"the reason"`, or `{ reason = "…", owner = "…", expires = 2027-01-31 }`."""
    table = said if isinstance(said, dict) else {"reason": said}
    strange = sorted(table.keys() - {"reason", "owner", "expires"})
    if strange:
        raise ValueError(f"has {strange[0]} for {what}; known are reason, owner, expires")
    reason = table.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        raise ValueError(f"gives no reason for {what}; write why it may pass")
    if "owner" in table and not (isinstance(table["owner"], str) and table["owner"].strip()):
        raise ValueError(f"names no owner for {what}; write who answers for it")
    if "expires" in table and type(table["expires"]) is not date:
        raise ValueError(f"gives {what} no day to expire; expected expires = 2027-01-31")
    return table | {"reason": " ".join(reason.split())}


Share = Annotated[Number, BeforeValidator(partial(_number, 0, 1))]
Percent = Annotated[Number, BeforeValidator(partial(_number, 0, 100))]
NotNegative = Annotated[Number, BeforeValidator(partial(_number, 0, math.inf))]
Whole = Annotated[int, BeforeValidator(partial(_whole, 0))]
Counting = Annotated[int, BeforeValidator(partial(_whole, 1))]
Text = Annotated[str, BeforeValidator(_text)]
Flag = Annotated[bool, Strict()]
Texts = Annotated[list[Text], Field(min_length=1)]
Wholes = Annotated[list[Whole], Field(min_length=1)]
Countings = Annotated[list[Counting], Field(min_length=1)]
Shares = Annotated[list[Share], Field(min_length=1)]
Percents = Annotated[list[Percent], Field(min_length=1)]
Span = Annotated[list[NotNegative], Field(min_length=2, max_length=2)]
InnerShare = Annotated[Number, BeforeValidator(partial(_between, 0, 1))]
InnerShares = Annotated[list[InnerShare], Field(min_length=1)]
Positive = Annotated[Number, BeforeValidator(partial(_between, 0, math.inf))]
Positives = Annotated[list[Positive], Field(min_length=1)]
PerFold = Annotated[Number | ByFold, BeforeValidator(partial(_by_fold, 0, 1))]
Threshold = Annotated[Number | ByFold, BeforeValidator(partial(_by_fold, -math.inf, math.inf))]
Rule = Annotated[str, BeforeValidator(_rule)]
Ties = Annotated[str, BeforeValidator(partial(_one_of, ("order", "docid", "trec_eval")))]
Dedupe = Annotated[str, BeforeValidator(partial(_one_of, ("first",)))]
Task = Annotated[str, BeforeValidator(partial(_one_of, ("binary", "multiclass")))]
SliceName = Annotated[str, BeforeValidator(_slice)]
ColumnName = Annotated[str, BeforeValidator(_column)]
Metric = Annotated[str, BeforeValidator(_metric)]
WitnessName = Annotated[str, BeforeValidator(_witness)]
Data = Annotated[str | dict[str, str], BeforeValidator(_data)]
Files = BeforeValidator(_files)
Waivers = BeforeValidator(_waivers)
RuleId = Annotated[str, BeforeValidator(_rule_id)]
Claimed = Annotated[str, BeforeValidator(_claimed)]
Definitions = Annotated[dict[str, str], BeforeValidator(_definitions)]
