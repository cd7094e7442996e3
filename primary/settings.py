"""Settings: the plain dictionary of docs/interface.md, read once into exact numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from primary.decimals import fraction, shortest
from primary.errors import Problems
from primary.families import NEEDS

if TYPE_CHECKING:
    from collections.abc import Callable

COLUMNS = (
    "post_id",
    "criterion_id",
    "query_id",
    "fold",
    "split",
    "candidates",
    "scores",
    "gold",
    "has_evidence",
    "prob",
    "pred",
    "state",
    "selected",
    "node_probs",
)
"""The contract's column names, in its order."""

PerFold = Fraction | Mapping[str, Fraction]
"""One number for all rows, or one for each fold (named as text)."""


@dataclass(frozen=True)
class Settings:
    """What the caller decided, or the contract's defaults."""

    columns: Mapping[str, str] = field(default_factory=dict)
    threshold: PerFold = Fraction(1, 2)
    tau_neg: PerFold | None = None
    tau_pos: PerFold | None = None
    views: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    k: tuple[int, ...] = (1, 3, 5, 10, 20)
    fpr: tuple[Fraction, ...] = tuple(map(Fraction, (1, 3, 5, 10)))
    bins: tuple[int, ...] = (10,)
    gamma: tuple[Fraction, ...] = tuple(map(fraction, ("0.7", "0.8", "0.9", "0.95")))
    grid_neg: tuple[Fraction, ...] = tuple(map(fraction, ("0.05", "0.1", "0.2", "0.3")))
    grid_pos: tuple[Fraction, ...] = tuple(map(fraction, ("0.5", "0.6", "0.7", "0.8", "0.9")))
    k_min: int = 2
    hard_cap: int = 10
    k_max_ratio: Fraction = Fraction(1, 2)
    ties: str = "order"
    relevance_level: int = 1
    sample: int = 1
    families: frozenset[str] = frozenset(NEEDS)


def settings(given: Mapping[str, Any] | Settings | None = None) -> Settings:
    """Read a settings dictionary; every key is optional and an unknown key is an error.

    >>> settings({"threshold": "0.30", "fpr": [5]}).threshold
    Fraction(3, 10)
    """
    if isinstance(given, Settings):
        return given
    problems = Problems()
    values: dict[str, Any] = {}
    for key, value in dict(given or {}).items():
        reader = READERS.get(key)
        if reader is None:
            problems.add(
                f"setting {key!r} is not known", f"Known settings are {', '.join(READERS)}."
            )
            continue
        try:
            values.update(reader(value))
        except (TypeError, ValueError) as error:
            problems.add(f"setting {key!r}: {error}", "See docs/interface.md, section Settings.")
    _check_tau(values, problems)
    problems.stop_if_any()
    return Settings(**values)


def _check_tau(values: Mapping[str, Any], problems: Problems) -> None:
    """Both τ or neither, and never crossed."""
    low, high = values.get("tau_neg"), values.get("tau_pos")
    if (low is None) != (high is None):
        problems.add("one of tau_neg and tau_pos is set alone", "Set both, or neither.")
        return
    if low is None or high is None:
        return
    folds = {
        *(low if isinstance(low, Mapping) else ()),
        *(high if isinstance(high, Mapping) else ()),
    }
    for name in sorted(folds) or [None]:
        first, second = _of_fold(low, name), _of_fold(high, name)
        if first is not None and second is not None and first > second:
            where = f" in fold {name}" if name is not None else ""
            problems.add(
                f"tau_neg {shortest(first)} is above tau_pos {shortest(second)}{where}",
                "The contract (section 7) needs 0 ≤ tau_neg ≤ tau_pos ≤ 1.",
            )


def _of_fold(value: PerFold, name: str | None) -> Fraction | None:
    return value.get(name or "") if isinstance(value, Mapping) else value


def _sequence(value: Any) -> Sequence[Any]:  # noqa: ANN401 - settings come from outside
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise TypeError(f"expected a list, found {value!r}")
    return value


def _whole(value: Any, low: int) -> int:  # noqa: ANN401 - settings come from outside
    if isinstance(value, bool):
        raise TypeError(f"expected a whole number, found {value!r}")
    number = fraction(value)
    if number.denominator != 1 or number < low:
        raise ValueError(f"expected a whole number of at least {low}, found {value!r}")
    return int(number)


def _between(value: Any, low: int, high: int) -> Fraction:  # noqa: ANN401 - settings come from outside
    if isinstance(value, bool):
        raise TypeError(f"expected a number, found {value!r}")
    number = fraction(value)
    if not low <= number <= high:
        raise ValueError(f"expected a number from {low} to {high}, found {value!r}")
    return number


def _columns(value: Any) -> dict[str, Any]:  # noqa: ANN401 - settings come from outside
    unknown = [name for name in value if name not in COLUMNS]
    if unknown:
        raise ValueError(f"no column of the contract is called {', '.join(map(repr, unknown))}")
    return {"columns": {str(name): str(source) for name, source in value.items()}}


def _per_fold(name: str) -> Callable[[Any], dict[str, Any]]:
    def read(value: Any) -> dict[str, Any]:  # noqa: ANN401 - settings come from outside
        if value is None:
            return {}
        if isinstance(value, Mapping):
            return {name: {str(fold): _between(one, 0, 1) for fold, one in value.items()}}
        return {name: _between(value, 0, 1)}

    return read


def _views(value: Any) -> dict[str, Any]:  # noqa: ANN401 - settings come from outside
    return {"views": {str(name): tuple(map(str, _sequence(ids))) for name, ids in value.items()}}


def _wholes(name: str) -> Callable[[Any], dict[str, Any]]:
    def read(value: Any) -> dict[str, Any]:  # noqa: ANN401 - settings come from outside
        numbers = (_whole(one, 1) for one in _sequence(value) if one != "all")
        return {name: tuple(sorted(set(numbers)))}

    return read


def _numbers(name: str, high: int) -> Callable[[Any], dict[str, Any]]:
    def read(value: Any) -> dict[str, Any]:  # noqa: ANN401 - settings come from outside
        return {name: tuple(sorted({_between(one, 0, high) for one in _sequence(value)}))}

    return read


def _grid(value: Any) -> dict[str, Any]:  # noqa: ANN401 - settings come from outside
    unknown = [name for name in value if name not in ("tau_neg", "tau_pos")]
    if unknown:
        raise ValueError(f"expected the keys tau_neg and tau_pos, found {unknown[0]!r}")
    read: dict[str, Any] = {}
    if "tau_neg" in value:
        read |= _numbers("grid_neg", 1)(value["tau_neg"])
    if "tau_pos" in value:
        read |= _numbers("grid_pos", 1)(value["tau_pos"])
    return read


def _ties(value: Any) -> dict[str, Any]:  # noqa: ANN401 - settings come from outside
    if value not in ("order", "docid"):
        raise ValueError(f"expected 'order' or 'docid', found {value!r}")
    return {"ties": value}


def _families(value: Any) -> dict[str, Any]:  # noqa: ANN401 - settings come from outside
    names = frozenset(map(str, _sequence(value)))
    unknown = sorted(names - NEEDS.keys())
    if unknown or not names:
        found = f"there is no family {', '.join(unknown)}" if unknown else "no family is named"
        raise ValueError(f"{found}; known are {', '.join(NEEDS)}")
    return {"families": names}


READERS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "columns": _columns,
    "threshold": _per_fold("threshold"),
    "tau_neg": _per_fold("tau_neg"),
    "tau_pos": _per_fold("tau_pos"),
    "views": _views,
    "k": _wholes("k"),
    "fpr": _numbers("fpr", 100),
    "bins": _wholes("bins"),
    "gamma": _numbers("gamma", 1),
    "grid": _grid,
    "k_min": lambda value: {"k_min": _whole(value, 0)},
    "hard_cap": lambda value: {"hard_cap": _whole(value, 0)},
    "k_max_ratio": lambda value: {"k_max_ratio": _between(value, 0, 1)},
    "ties": _ties,
    "relevance_level": lambda value: {"relevance_level": _whole(value, -(10**9))},
    "families": _families,
    "sample": lambda value: {"sample": _whole(value, 1)},
}
"""How each setting is read; the table of docs/interface.md."""
