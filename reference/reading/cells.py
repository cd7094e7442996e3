"""What one cell means (sections 1, Cells and Numbers, and 14).

A cell is text in CSV and typed in Parquet and JSON Lines; both go through the same functions.
Each returns the value or raises `BadCell` with what was found and what to do.
"""

from __future__ import annotations

import ast
import json
import math
import re
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING, Any

from reference.study import STATES
from reference.values import EXACT, shortest_decimal

if TYPE_CHECKING:
    from collections.abc import Callable

LABELS = {"0": 0, "1": 1, "false": 0, "true": 1}
# What else the columns of classes may hold where they are two-valued: pandas writes it of floats.
TWO_VALUED = {**LABELS, "0.0": 0, "1.0": 1}
SPLITS = {
    "EVAL": "EVAL", "TEST": "EVAL", "": "EVAL",
    "TUNE": "TUNE", "VAL": "TUNE", "DEV": "TUNE",
    "TRAIN": "TRAIN",
}  # fmt: skip
DIGITS = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
NUMBER = re.compile(DIGITS, re.ASCII)
# No more digits than Python converts; what is longer is no number of 64 bits.
INTEGER = r"[+-]?\d{1,40}"
FOLD = re.compile(rf"({INTEGER})(?:\.0*)?", re.ASCII)
# What is left of a pair in text that JSON escaped; no Unicode character is written with it.
SURROGATE = re.compile("[\ud800-\udfff]")
STRING = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
# How numpy 2 prints a number or a string within a list.
NUMPY_NUMBER = rf"np\.(?:float(?:64|32|16)\({DIGITS}\)|int(?:64|32)\({INTEGER}\))"
NUMPY_STRING = rf"np\.str_\({STRING}\)"
WRAPPER = re.compile(r"np\.(?:float|int)\d\d\(")
LIST_REMEDY = 'Write a JSON array such as ["a", "b"], or ids joined by |'
HALF = "holds half of a surrogate pair"
HALF_REMEDY = "Write the character whole"
SHOWN = 60
# White space between items is that of JSON in every list, and no further Unicode.
LISTED = r"\[_{0}(?:_,_{0})*_,?_\]".replace("_", r"[ \t\r\n]*")
PYTHON_NUMBERS = [re.compile(LISTED.format(each), re.ASCII) for each in (DIGITS, NUMPY_NUMBER)]
PYTHON_STRINGS = [re.compile(LISTED.format(each), re.DOTALL) for each in (STRING, NUMPY_STRING)]
ONE_STRING = re.compile(STRING, re.DOTALL)
# So many different numbers are kept by their text.
MOST_KNOWN = 65_536
LEAST, MOST = -(2**31), 2**31 - 1
NEARLY = Decimal("1e-6")


class BadCell(ValueError):  # noqa: N818 - it is caught one level up and becomes a Problem
    """A cell that the contract refuses."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.what, self.remedy = what, remedy


def shown(cell: object) -> str:
    """Quote a cell, shortened."""
    text = repr(cell)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def identifier(cell: object) -> str:
    """Read an id: text, verbatim; a whole number is its digits."""
    if isinstance(cell, int) and not isinstance(cell, bool):
        return str(cell)
    if not isinstance(cell, str):
        raise BadCell(f"found {shown(cell)} where an id is expected", "Write ids as text")
    if not cell:
        raise BadCell("the id is empty", "Give every row its id")
    if SURROGATE.search(cell):
        raise BadCell(f"the id {shown(cell)} {HALF}", HALF_REMEDY)
    return cell


def name(cell: object) -> str:
    """Read the name of a class: text, verbatim; numbers and booleans as JSON writes them."""
    found = _named(cell)
    if found is None:
        raise BadCell(f"found {shown(cell)} where a name is expected", "Write names as text")
    if not found:
        raise BadCell("the name is empty", "Give every row its name")
    return found


def seed(cell: object) -> str:
    """Read a seed: text, verbatim, or a whole number."""
    if isinstance(cell, bool | float):
        raise BadCell(f"found {shown(cell)} where a seed is expected", "Write seeds as text")
    return name(cell)


def part(cell: object) -> str:
    """Read the value of a declared slice; an empty cell is one too."""
    found = "" if cell is None else _named(cell)
    if found is None:
        raise BadCell(f"found {shown(cell)} where text is expected", "Write slices as text")
    return found


def _named(cell: object) -> str | None:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int) or (isinstance(cell, float) and math.isfinite(cell)):
        return str(cell)
    if not isinstance(cell, str):
        return None
    if SURROGATE.search(cell):
        raise BadCell(f"the name {shown(cell)} {HALF}", HALF_REMEDY)
    return cell


def fold(cell: object) -> int:
    """Read an outer fold: a whole number of 64 bits, as digits or as a float that is whole."""
    found = cell
    if isinstance(cell, str) and (digits := FOLD.fullmatch(cell.strip(" \t"))):
        found = int(digits[1])
    elif isinstance(cell, float) and cell.is_integer():
        found = int(cell)
    if isinstance(found, int) and not isinstance(found, bool) and -(2**63) <= found < 2**63:
        return found
    raise BadCell(f"found {shown(cell)} where a fold is expected", "Write folds as integers")


def split(cell: object) -> str:
    """Read a split; an empty cell is EVAL."""
    found = SPLITS.get("" if cell is None else str(cell))
    if found is None:
        raise BadCell(f"unknown split {shown(cell)}", "Use EVAL, TUNE or TRAIN")
    return found


def label(cell: object) -> int:
    """Read a label: 0, 1, true, false in any case, and nothing else."""
    found = LABELS.get(str(cell).lower()) if isinstance(cell, (str, int)) else None
    if found is None:
        raise BadCell(f"found {shown(cell)} where a label is expected", "Use 0, 1, true or false")
    return found


def two_valued(cell: object) -> int | None:
    """Return the label that a cell of classes means where they are two-valued, or None."""
    if isinstance(cell, float):
        return int(cell) if cell in (0, 1) else None
    return TWO_VALUED.get(str(cell).strip(" \t").lower()) if isinstance(cell, str | int) else None


def one_of_two(cell: object) -> int:
    """Read a two-valued class, which was told from the whole column: only what is empty is none."""
    found = two_valued(cell)
    return label(cell) if found is None else found


def against_the_rest(positive: str) -> Callable[[object], int]:
    """Return what reads a class as 1 where it is the positive one, else as 0."""
    return lambda cell: int(name(cell) == positive)


def state(cell: object) -> str:
    """Read a state of the three-state gate."""
    if cell not in STATES:
        raise BadCell(f"unknown state {shown(cell)}", "Use NEG, UNCERTAIN or POS")
    return str(cell)


def number(cell: object) -> float:
    """Read a finite number, as the float64 that its text means."""
    found = math.nan
    if isinstance(cell, str):
        text = cell.strip(" \t")
        found = float(text) if NUMBER.fullmatch(text) else math.nan
    elif isinstance(cell, int | float | Decimal) and not isinstance(cell, bool):
        try:
            found = float(cell)
        except OverflowError:
            found = math.inf
    if not math.isfinite(found):
        raise BadCell(f"found {shown(cell)} where a finite number is expected", "Give a number")
    return found


def unquoted(read: Callable[[object], Any]) -> Callable[[object], Any]:
    """Read a number of a file that tells numbers from text."""

    def read_number(cell: object) -> Any:  # noqa: ANN401 - as `read` does
        if isinstance(cell, str):
            raise BadCell(f"found {shown(cell)} where a number is expected", "Unquote it")
        return read(cell)

    return read_number


def probability(cell: object) -> Decimal:
    """Read a probability as an exact decimal."""
    found = number(cell)
    if not 0 <= found <= 1:
        raise BadCell(f"found {shown(cell)}, outside [0, 1]", "Give a probability")
    return shortest_decimal(found)


def decimal(cell: object) -> Decimal:
    """Read any finite number as the decimal that it means."""
    return shortest_decimal(number(cell))


def whole(cell: object) -> int:
    """Read a grade: a whole number of 32 bits; a float that is whole counts."""
    try:
        found = number(cell)
    except BadCell:
        found = math.nan
    if not LEAST <= found <= MOST or found != int(found):
        what = f"found {shown(cell)} where a whole number of 32 bits is expected"
        raise BadCell(what, "Give a whole number")
    return int(found)


def uids(cell: object) -> tuple[str, ...]:
    """Read a list of uids, which may be there more than once."""
    found = items(cell)
    if not {*map(type, found)} <= {str}:
        strange = next(item for item in found if not isinstance(item, str))
        raise BadCell(f"uid {shown(strange)} is not text", 'Quote the uids: ["1", "2"]')
    if "" in found:
        raise BadCell("a uid is empty", LIST_REMEDY)
    together = "".join(found)
    if not together.isascii() and SURROGATE.search(together):
        strange = next(uid for uid in found if SURROGATE.search(uid))
        raise BadCell(f"uid {shown(strange)} {HALF}", HALF_REMEDY)
    return tuple(found)


def texts(cell: object) -> tuple[str, ...]:
    """Read a list of uids, each of them once."""
    found = uids(cell)
    if len(set(found)) < len(found):
        twice = next(item for item in found if found.count(item) > 1)
        raise BadCell(f"uid {shown(twice)} is in the list twice", "List every uid once")
    return found


def grades(cell: object) -> tuple[int, ...]:
    """Read a list of grades, whole numbers from 1 on."""
    found = tuple(map(whole, numbers(cell)))
    if found and min(found) < 1:
        raise BadCell(f"found the grade {min(found)}, below 1", "Grade what is gold from 1 on")
    return found


def class_probs(cell: object) -> tuple[Decimal, ...]:
    """Read a probability for every class; they sum to 1 within 10⁻⁶."""
    found = tuple(map(shortest_decimal, probabilities(cell)))
    with localcontext(EXACT):
        whole_sum = sum(found, Decimal(0))
        if abs(whole_sum - 1) > NEARLY:
            shown_sum = shown(float(whole_sum))
            raise BadCell(f"the probabilities sum to {shown_sum}", "Let them sum to 1")
    return found


class _Known(dict[str, float]):
    """The finite numbers of JSON lists by their text: few make up most files, each is read once."""

    def __missing__(self, text: str) -> float:
        found = json.loads(text) if len(self) < MOST_KNOWN else None
        if type(found) not in {int, float}:
            raise ValueError(text)
        self[text] = number(found)
        return self[text]


KNOWN = _Known()


def numbers(cell: object) -> tuple[float, ...]:
    """Read a list of finite numbers."""
    if isinstance(cell, str) and cell.startswith("[") and cell.endswith("]"):
        try:
            return tuple(map(KNOWN.__getitem__, cell[1:-1].split(",")))
        except (ValueError, RecursionError):  # no such list, or new numbers beyond those kept
            pass
    return _numbers(cell)


def _numbers(cell: object) -> tuple[float, ...]:
    from_text = isinstance(cell, str) and not cell.startswith("[")
    found = items(cell)
    kinds = {*map(type, found)}
    if str in kinds and not from_text:
        quoted = next(item for item in found if isinstance(item, str))
        raise BadCell(f"found {shown(quoted)} where a number is expected", "Unquote it")
    if kinds == {float} and all(map(math.isfinite, found)):
        return tuple(found)
    return tuple(map(number, found))


def probabilities(cell: object) -> tuple[float, ...]:
    """Read a list of probabilities."""
    found = numbers(cell)
    if found and not 0 <= min(found) <= max(found) <= 1:
        strange = next(item for item in found if not 0 <= item <= 1)
        raise BadCell(f"found {shown(strange)}, outside [0, 1]", "Give probabilities")
    return found


def items(cell: object) -> list[Any]:
    """Take a list cell apart: JSON, a Python literal, or items joined by |."""
    if cell is None or cell in ("", "null"):
        return []
    if not isinstance(cell, str):
        if isinstance(cell, list | tuple):
            return list(cell)
        raise BadCell(f"found {shown(cell)} where a list is expected", LIST_REMEDY)
    if not cell.startswith("["):
        return cell.split("|")
    cell = cell.rstrip(" \t")
    try:
        found: list[Any] = json.loads(cell)  # what begins with a bracket is a list, or no JSON
    except (ValueError, RecursionError):
        return _python_list(cell)
    return found


def _python_list(cell: str) -> list[Any]:
    """Read `['a', 'b']` or `[1., .5]`, each item plain or as numpy prints it.

    Strings without a comma between them would melt together: refused.
    """
    if any(numbers.fullmatch(cell) for numbers in PYTHON_NUMBERS):
        return [float(digits) for digits in NUMBER.findall(WRAPPER.sub("", cell))]
    if not any(strings.fullmatch(cell) for strings in PYTHON_STRINGS):
        raise BadCell(f"found {shown(cell)}, which is no list that can be read", LIST_REMEDY)
    try:
        return [ast.literal_eval(string) for string in ONE_STRING.findall(cell)]
    except (ValueError, SyntaxError):
        raise BadCell(f"found {shown(cell)}, with a broken string in it", LIST_REMEDY) from None
