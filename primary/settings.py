"""Settings: the plain dictionary of docs/interface.md, read once into exact numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from primary.arithmetic.decimals import fraction, shortest
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
    "grades",
    "judged",
    "score",
    "seed",
    "label",
    "predicted",
    "class_probs",
)
"""The contract's column names, in its order."""

PerFold = Fraction | Mapping[str, Fraction]
"""One number for all rows, or one for each fold (named as text)."""


@dataclass(frozen=True)
class Settings:
    """What the caller decided, or the contract's defaults."""

    columns: Mapping[str, str] = field(default_factory=dict)
    threshold: PerFold | None = None
    """None: one half of a probability, and none of any other score."""
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
    dedupe: str | None = None
    grade_max: int | None = None
    rbp: tuple[Fraction, ...] = tuple(map(fraction, ("0.5", "0.8", "0.95")))
    recall_levels: tuple[Fraction, ...] = tuple(Fraction(tenth, 10) for tenth in range(11))
    beta: tuple[Fraction, ...] = (Fraction(1, 2), Fraction(2))
    top_k: tuple[int, ...] = (3, 5)
    task: str | None = None
    classes: tuple[str, ...] | None = None
    positive: str | None = None
    """The class that labels are made of: it against the rest."""
    slices: Mapping[str, str] = field(default_factory=dict)
    run_path: str | None = None
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
    if "positive" in values and ("classes" in values or values.get("task") == "multiclass"):
        problems.add(
            "positive is set beside several classes",
            'Set positive, or classes and task = "multiclass".',
        )
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


def _any_number(value: Any) -> Fraction:  # noqa: ANN401 - settings come from outside
    if isinstance(value, bool):
        raise TypeError(f"expected a number, found {value!r}")
    return fraction(value)


def _share(value: Any) -> Fraction:  # noqa: ANN401 - settings come from outside
    return _between(value, 0, 1)


def _per_fold(
    name: str, number: Callable[[Any], Fraction] = _share
) -> Callable[[Any], dict[str, Any]]:
    def read(value: Any) -> dict[str, Any]:  # noqa: ANN401 - settings come from outside
        if value is None:
            return {}
        if isinstance(value, Mapping):
            return {name: {str(fold): number(one) for fold, one in value.items()}}
        return {name: number(value)}

    return read


def _views(value: Any) -> dict[str, Any]:  # noqa: ANN401 - settings come from outside
    return {"views": {str(name): tuple(map(str, _sequence(ids))) for name, ids in value.items()}}


def _wholes(name: str) -> Callable[[Any], dict[str, Any]]:
    def read(value: Any) -> dict[str, Any]:  # noqa: ANN401 - settings come from outside
        wrong = [one for one in _sequence(value) if isinstance(one, bool | float | str)]
        if wrong:
            raise TypeError(f"expected a list of ints, found {wrong[0]!r} in it")
        return {name: tuple(sorted({_whole(one, 1) for one in value}))}

    return read


def _numbers(name: str, high: int) -> Callable[[Any], dict[str, Any]]:
    def read(value: Any) -> dict[str, Any]:  # noqa: ANN401 - settings come from outside
        return {name: tuple(sorted({_between(one, 0, high) for one in _sequence(value)}))}

    return read


def _inside(name: str, high: int | None) -> Callable[[Any], dict[str, Any]]:
    """Read numbers above 0, and below `high` where there is one."""

    def read(value: Any) -> dict[str, Any]:  # noqa: ANN401 - settings come from outside
        numbers = {_any_number(one) for one in _sequence(value)}
        wrong = [one for one in sorted(numbers) if one <= 0 or (high is not None and one >= high)]
        if wrong:
            expected = "above 0" if high is None else f"between 0 and {high}"
            raise ValueError(f"expected numbers {expected}, found {shortest(wrong[0])}")
        return {name: tuple(sorted(numbers))}

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


def _one_of(name: str, *known: str) -> Callable[[Any], dict[str, Any]]:
    def read(value: Any) -> dict[str, Any]:  # noqa: ANN401 - settings come from outside
        if value not in known:
            raise ValueError(f"expected {' or '.join(map(repr, known))}, found {value!r}")
        return {name: value}

    return read


def _optional(
    reader: Callable[[Any], dict[str, Any]],
) -> Callable[[Any], dict[str, Any]]:
    """Take None for a setting that is not given."""
    return lambda value: {} if value is None else reader(value)


def _classes(value: Any) -> dict[str, Any]:  # noqa: ANN401 - settings come from outside
    names = tuple(_sequence(value))
    if not all(isinstance(name, str) and name for name in names):
        raise TypeError(f"expected a list of texts, found {value!r}")
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise ValueError(f"the class {twice[0]!r} is there twice")
    if len(names) < 2:  # noqa: PLR2004 - one class is no classification
        raise ValueError(f"expected two classes or more, found {len(names)}")
    return {"classes": names}


SLICE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
TAKEN = frozenset(
    {
        *("all", "fold", "folds", "criterion", "criteria", "state", "view", "has_evidence"),
        *("class", "seed", "seeds"),
    }
)
"""Names of slices that the contract has given away."""


def _slices(value: Any) -> dict[str, Any]:  # noqa: ANN401 - settings come from outside
    if not isinstance(value, Mapping):
        raise TypeError(f"expected names and columns, found {value!r}")
    for name in map(str, value):
        if not SLICE_NAME.fullmatch(name) or name in TAKEN:
            raise ValueError(
                f"no slice can be called {name!r}: a name is of letters, digits and _, and none of "
                + ", ".join(sorted(TAKEN))
            )
    return {"slices": {str(name): str(source) for name, source in value.items()}}


def _text(name: str) -> Callable[[Any], dict[str, Any]]:
    def read(value: Any) -> dict[str, Any]:  # noqa: ANN401 - settings come from outside
        if not isinstance(value, str):
            raise TypeError(f"expected text, found {value!r}")
        return {name: value}

    return read


def _families(value: Any) -> dict[str, Any]:  # noqa: ANN401 - settings come from outside
    names = frozenset(map(str, _sequence(value)))
    unknown = sorted(names - NEEDS.keys())
    if unknown or not names:
        found = f"there is no family {', '.join(unknown)}" if unknown else "no family is named"
        raise ValueError(f"{found}; known are {', '.join(NEEDS)}")
    return {"families": names}


READERS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "columns": _columns,
    "threshold": _per_fold("threshold", _any_number),
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
    "ties": _one_of("ties", "order", "docid", "trec_eval"),
    "relevance_level": lambda value: {"relevance_level": _whole(value, -(10**9))},
    "dedupe": _optional(_one_of("dedupe", "first")),
    "grade_max": _optional(lambda value: {"grade_max": _whole(value, 1)}),
    "rbp": _inside("rbp", 1),
    "recall_levels": _numbers("recall_levels", 1),
    "beta": _inside("beta", None),
    "top_k": _wholes("top_k"),
    "task": _optional(_one_of("task", "binary", "multiclass")),
    "classes": _optional(_classes),
    "positive": _optional(_text("positive")),
    "slices": _slices,
    "run_path": _optional(_text("run_path")),
    "families": _families,
    "sample": lambda value: {"sample": _whole(value, 1)},
}
"""How each setting is read; the table of docs/interface.md."""
