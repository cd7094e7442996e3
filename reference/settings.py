"""The settings of a run, from a plain dictionary or from `crosscheck.toml` (docs/interface.md).

Numbers mean the decimal that their shortest form shows, like the numbers in the data.
"""

from __future__ import annotations

import hashlib
import math
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from reference.errors import Problem, SettingsError, UnreadableError
from reference.study import NEEDS
from reference.values import as_text, shortest_decimal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PerFold = Decimal | Mapping[int, Decimal]
HALF = Decimal("0.5")
TWO = 2
# What a declared slice may be called, and what it may not (section 18).
SLICE = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)
TAKEN = (
    "all", "fold", "folds", "criterion", "criteria", "state", "view", "has_evidence", "class",
    "seed", "seeds",
)  # fmt: skip
# Keys of `crosscheck.toml` that only the harness reads.
HARNESS = {
    "data", "tolerance", "seed", "resamples", "rule", "profile", "claims", "waivers", "witnesses",
    "metrics", "timeout", "definitions",
}  # fmt: skip


def _decimals(text: str) -> tuple[Decimal, ...]:
    return tuple(map(Decimal, text.split()))


# The points of section 7; a side that is not set keeps them.
GRID = {
    "tau_neg": _decimals("0.05 0.1 0.2 0.3"),
    "tau_pos": _decimals("0.5 0.6 0.7 0.8 0.9"),
}


def _pairs(sides: Mapping[str, Sequence[Decimal]]) -> tuple[tuple[Decimal, Decimal], ...]:
    return tuple(
        (low, high) for low in sides["tau_neg"] for high in sides["tau_pos"] if low <= high
    )


def _number(
    low: float, high: float, expected: str = "Give a number from {} to {}"
) -> Callable[[Any], Decimal]:
    expected = expected.format(low, high)

    def read_number(value: Any) -> Decimal:  # noqa: ANN401 - whatever the user wrote
        if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
            raise ValueError(expected)  # noqa: TRY004 - all bad settings are one kind
        try:
            number = float(value)
        except (ValueError, OverflowError):
            raise ValueError(expected) from None
        if not (math.isfinite(number) and low <= number <= high):
            raise ValueError(expected)
        return shortest_decimal(number)

    return read_number


def _integer(low: int) -> Callable[[Any], int]:
    """Read one of a list of integers, each of which is written as one."""

    def read_integer(value: Any) -> int:  # noqa: ANN401 - whatever the user wrote
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise ValueError(f"Give an integer, {low} or more")
        return value

    return read_integer


def _whole(low: int) -> Callable[[Any], int]:
    """Read an integer that stands alone: like every number it may be a float, or text."""
    read_integer, expected = _integer(low), f"Give an integer, {low} or more"
    read_number = _number(low, math.inf, expected)

    def read_whole(value: Any) -> int:  # noqa: ANN401 - whatever the user wrote
        if isinstance(value, int):
            return read_integer(value)
        number = read_number(value)
        if number != int(number):
            raise ValueError(expected)
        return int(number)

    return read_whole


def _list_of(read_one: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    def read_list(value: Any) -> tuple[Any, ...]:  # noqa: ANN401 - whatever the user wrote
        if not isinstance(value, list | tuple):
            raise ValueError("Give a list")  # noqa: TRY004 - all bad settings are one kind
        return tuple(sorted({read_one(item) for item in value}))

    return read_list


def _families(value: Any) -> tuple[str, ...]:  # noqa: ANN401 - whatever the user wrote
    if value in ([], ()):
        raise ValueError("Name at least one family")
    return _list_of(_one_of(*NEEDS))(value)


def _per_fold(read_one: Callable[[Any], Decimal], expected: str) -> Callable[[Any], PerFold]:
    def read_folds(value: Any) -> PerFold:  # noqa: ANN401 - whatever the user wrote
        if not isinstance(value, Mapping):
            return read_one(value)
        try:
            return {int(fold): read_one(number) for fold, number in value.items()}
        except ValueError:
            raise ValueError(f"{expected}, or a table of them by fold") from None

    return read_folds


def _text(value: Any) -> str:  # noqa: ANN401 - whatever the user wrote
    if not isinstance(value, str):
        raise ValueError("Give text")  # noqa: TRY004 - all bad settings are one kind
    return value


def _table_of(read_one: Callable[[Any], Any]) -> Callable[[Any], dict[str, Any]]:
    def read_table(value: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever the user wrote
        if not isinstance(value, Mapping):
            raise ValueError("Give a table")  # noqa: TRY004 - all bad settings are one kind
        return {_text(name): read_one(item) for name, item in value.items()}

    return read_table


def _grid(value: Any) -> tuple[tuple[Decimal, Decimal], ...]:  # noqa: ANN401 - see above
    table = _table_of(_list_of(UNIT))(value)
    if not table.keys() <= GRID.keys():
        raise ValueError("Give the lists tau_neg and tau_pos, or one of them")
    return _pairs(GRID | table)


def _one_of(*known: str) -> Callable[[Any], str]:
    def read_name(value: Any) -> str:  # noqa: ANN401 - whatever the user wrote
        if value not in known:
            *others, last = (f'"{name}"' for name in known)
            raise ValueError(f"Give {', '.join(others)} or {last}" if others else f"Give {last}")
        return str(value)

    return read_name


def _inside(low: int, high: float, expected: str) -> Callable[[Any], Decimal]:
    """Read a number between the two ends, neither of which belongs to it."""
    read_number = _number(low, high, expected)

    def read_inside(value: Any) -> Decimal:  # noqa: ANN401 - whatever the user wrote
        number = read_number(value)
        if number in {low, high}:
            raise ValueError(expected)
        return number

    return read_inside


def _classes(value: Any) -> tuple[str, ...]:  # noqa: ANN401 - whatever the user wrote
    if not isinstance(value, list | tuple):
        raise ValueError("Give a list")  # noqa: TRY004 - all bad settings are one kind
    names = tuple(map(_text, value))
    if len(names) < TWO or len(set(names)) < len(names) or "" in names:
        raise ValueError("Give two classes or more, each once, none of them empty")
    return names


def _slices(value: Any) -> dict[str, str]:  # noqa: ANN401 - whatever the user wrote
    found = _table_of(_text)(value)
    for name in found:
        if not SLICE.fullmatch(name) or name in TAKEN:
            raise ValueError(
                f"Name slices by letters, digits and _, a letter first, and not {', '.join(TAKEN)}"
            )
    return found


UNIT = _number(0, 1)
ANY = _number(-math.inf, math.inf, "Give a number")
PATIENCE = _inside(0, 1, "Give a number between 0 and 1")
ABOVE_ZERO = _inside(0, math.inf, "Give a number above 0")
TAU = _per_fold(UNIT, "Give a number from 0 to 1")


@dataclass(frozen=True)
class Settings:
    """Everything that can be set: its type and what reads it, and the contract's default."""

    columns: Annotated[Mapping[str, str], _table_of(_text)] = field(default_factory=dict)
    # None: 0.5 for a probability, and no decision by the column `score`.
    threshold: Annotated[PerFold | None, _per_fold(ANY, "Give a number")] = None
    tau_neg: Annotated[PerFold | None, TAU] = None
    tau_pos: Annotated[PerFold | None, TAU] = None
    views: Annotated[Mapping[str, tuple[str, ...]], _table_of(_list_of(_text))] = field(
        default_factory=dict
    )
    k: Annotated[tuple[int, ...], _list_of(_integer(1))] = (1, 3, 5, 10, 20)
    fpr: Annotated[tuple[Decimal, ...], _list_of(_number(0, 100))] = _decimals("1 3 5 10")
    bins: Annotated[tuple[int, ...], _list_of(_integer(1))] = (10,)
    gamma: Annotated[tuple[Decimal, ...], _list_of(UNIT)] = _decimals("0.7 0.8 0.9 0.95")
    grid: Annotated[tuple[tuple[Decimal, Decimal], ...], _grid] = _pairs(GRID)
    k_min: Annotated[int, _whole(0)] = 2
    hard_cap: Annotated[int, _whole(0)] = 10
    k_max_ratio: Annotated[Decimal, UNIT] = Decimal("0.5")
    ties: Annotated[str, _one_of("order", "docid", "trec_eval")] = "order"
    relevance_level: Annotated[int, _whole(-(2**31))] = 1
    dedupe: Annotated[str | None, _one_of("first")] = None
    grade_max: Annotated[int | None, _whole(1)] = None
    rbp: Annotated[tuple[Decimal, ...], _list_of(PATIENCE)] = _decimals("0.5 0.8 0.95")
    recall_levels: Annotated[tuple[Decimal, ...], _list_of(UNIT)] = _decimals(
        "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1"
    )
    beta: Annotated[tuple[Decimal, ...], _list_of(ABOVE_ZERO)] = _decimals("0.5 2")
    top_k: Annotated[tuple[int, ...], _list_of(_integer(1))] = (3, 5)
    task: Annotated[str | None, _one_of("binary", "multiclass")] = None
    positive: Annotated[str | None, _text] = None
    classes: Annotated[tuple[str, ...] | None, _classes] = None
    slices: Annotated[Mapping[str, str], _slices] = field(default_factory=dict)
    run_path: Annotated[str | None, _text] = None
    sample: Annotated[int, _whole(1)] = 1
    families: Annotated[tuple[str, ...], _families] = tuple(NEEDS)

    @property
    def cuts(self) -> tuple[int | None, ...]:
        """Every K of section 3, smallest first; None is `all`."""
        return (*self.k, None)


READERS: dict[str, Callable[[Any], Any]] = {
    name: hint.__metadata__[0]
    for name, hint in get_type_hints(Settings, include_extras=True).items()
}


def at_fold(number: PerFold, fold: int | None) -> Decimal | None:
    """Return the number that holds in this fold, None if the table has none."""
    if isinstance(number, Decimal):
        return number
    return None if fold is None else number.get(fold)


def outside_unit(threshold: PerFold | None) -> list[Problem]:
    """Find a threshold that no probability can reach, or miss."""
    numbers = threshold.values() if isinstance(threshold, Mapping) else [threshold]
    return [
        Problem(f"setting threshold is {as_text(number)}", "Give a number from 0 to 1")
        for number in numbers
        if number is not None and not 0 <= number <= 1
    ]


def fold_problems(settings: Settings, folds: Sequence[int], file: str) -> list[Problem]:
    """Find the folds for which a table of thresholds says nothing."""
    problems = []
    for name in ("threshold", "tau_neg", "tau_pos"):
        number = getattr(settings, name)
        if not isinstance(number, Mapping):
            continue
        if not folds:
            what = f"{name} is given by fold, but not for rows without a fold"
            problems.append(Problem(what, f"Give one number for {name}", file))
        for fold in folds:
            if fold not in number:
                what = f"{name} is given by fold, but not for fold {fold}"
                remedy = f"Add fold {fold} to {name}, or give one number"
                problems.append(Problem(what, remedy, file))
    return problems


def in_sample(identity: str, sample: int) -> bool:
    """Decide whether a post (or query) is in the declared sample (docs/interface.md)."""
    if sample == 1:
        return True
    digest = hashlib.sha256(identity.encode()).digest()
    return int.from_bytes(digest[:8], "big") % sample == 0


def read(given: Mapping[str, Any] | None) -> Settings:
    """Check a dictionary of settings and fill in the defaults."""
    problems: list[Problem] = []
    values: dict[str, Any] = {}
    for name, value in (given or {}).items():
        if value is None:
            continue
        if name not in READERS:
            known = ", ".join(READERS)
            problems.append(Problem(f"unknown setting {name!r}", f"Known settings are {known}"))
            continue
        try:
            values[name] = READERS[name](value)
        except ValueError as error:
            problems.append(Problem(f"setting {name} is {value!r}", str(error)))
    if not problems:
        problems = list(_thresholds_in_order(values.get("tau_neg"), values.get("tau_pos")))
        if "positive" in values and ("classes" in values or values.get("task") == "multiclass"):
            what = "positive makes labels two-valued, which classes and task = multiclass do not"
            problems.append(Problem(what, "Set positive, or the others"))
    if problems:
        raise SettingsError(problems)
    return Settings(**values)


def read_toml(path: Path, system: str | None = None) -> tuple[dict[str, Any], list[str]]:
    """Return the settings in a TOML file, or of a system there, and the keys that were not read."""
    try:
        with path.open("rb") as file:
            table: dict[str, Any] = tomllib.load(file)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UnreadableError(
            [Problem(f"cannot be read: {error}", "Give a TOML file", file=str(path))]
        ) from error
    if path.name == "pyproject.toml":
        table = table.get("tool", {}).get("crosscheck", {})
    if system is not None:
        systems = table.pop("systems", {})
        if system not in systems:
            what, remedy = f"has no system {system!r}", f"There is {', '.join(systems) or 'none'}"
            raise SettingsError([Problem(what, remedy, file=str(path))])
        columns = table.get("columns", {}) | systems[system].get("columns", {})
        table |= {**systems[system], "columns": columns}
    known = {name: value for name, value in table.items() if name in READERS}
    return known, sorted(table.keys() - known.keys() - HARNESS)


def _thresholds_in_order(low: PerFold | None, high: PerFold | None) -> list[Problem]:
    """0 ≤ τ_neg ≤ τ_pos ≤ 1, one pair or one per fold (section 7)."""
    if low is None and high is None:
        return []
    if low is None or high is None:
        return [Problem("only one of tau_neg and tau_pos is set", "Set both or neither")]
    folds: set[int | None] = {f for side in (low, high) if isinstance(side, Mapping) for f in side}
    pairs = {fold: (at_fold(low, fold), at_fold(high, fold)) for fold in folds or {None}}
    return [
        Problem(
            f"tau_neg {as_text(a)} is above tau_pos {as_text(b)}"
            + ("" if fold is None else f" in fold {fold}"),
            "Set 0 ≤ tau_neg ≤ tau_pos ≤ 1",
        )
        for fold, (a, b) in pairs.items()
        if a is not None and b is not None and a > b
    ]
