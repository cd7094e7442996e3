"""Parts of the data that a number was taken without, and classes that it was taken of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from crosscheck.data import door
from crosscheck.mistakes.averages import of_rows
from crosscheck.mistakes.bench import SLICE
from crosscheck.mistakes.classes import by_class
from crosscheck.mistakes.formula import OVER, over
from crosscheck.mistakes.worlds import World, evaluated, families, first_problem
from crosscheck.model.key import Key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.diagnose.scene import Scene

    Found = tuple[str, str, float]

SAME = 1e-12
"""A part without which a number is no further from itself changes nothing."""
MOST = 30
"""Parts of a kind that are left out in turn; of more, nobody leaves out one."""
LARGEST = 200_000
"""Rows above which metrics that are no means are not computed again for each part."""
_AVERAGED = {"macro", "multiclass", "weighted", "ovr_macro", "ovr_weighted", "ovo_macro"}
_KINDS = {"criterion_id": "criterion", "fold": "fold", "seed": "seed"}


def of(key: str, case: Scene) -> Iterator[Found]:
    """List what a key becomes without a part of the data, of one class, and without a class."""
    yield from _left_out(Key.parse(key), case)
    yield from _of_classes(Key.parse(key), case)


def _kinds(case: Scene) -> dict[str, str]:
    """Give the columns that part the rows, and what a part is called."""
    frame = case.bench.rows.frame
    named = {name: name.removeprefix(SLICE) for name in frame.columns if name.startswith(SLICE)}
    known = {name: kind for name, kind in _KINDS.items() if name in frame.columns}
    return {
        name: kind
        for name, kind in {**known, **named}.items()
        if 1 < frame[name].drop_nulls().n_unique() <= MOST
    }


def _left_out(key: Key, case: Scene) -> Iterator[Found]:
    if key.slice not in {"all", *OVER}:
        return
    for column, kind in _kinds(case).items():
        for part in case.bench.rows.frame[column].drop_nulls().unique().sort().to_list():
            value = _without(key, case, column, part)
            if value is not None and abs(value - case.ledger[str(key)]) > SAME:
                yield "part-left-out", f"{kind} {part}", value


def _without(key: Key, case: Scene, column: str, part: object) -> float | None:
    """Give a key's value over the rows that are not of a part."""
    bench = case.bench
    if key.slice in OVER and OVER[key.slice] == _KINDS.get(column):
        own = f"{OVER[key.slice]}={part}"
        parts = bench.parts.get((key.metric, key.population, OVER[key.slice]), [])
        kept = [float(bench.ledger[one]) for one in parts if bench.keys[one].slice != own]
        return over(key.statistic, kept) if len(kept) < len(parts) else None
    values = of_rows(bench, key.metric)
    if values is not None and key.slice == "all" and key.statistic in {"mean", "value"}:
        mask = bench.rows.mask(key.population, "all")
        mask = mask & (bench.rows.frame[column] != part).fill_null(value=True).to_numpy()
        return float(values[mask].mean()) if mask.any() else None
    return _evaluated(key, case, column, part)


def _evaluated(key: Key, case: Scene, column: str, part: object) -> float | None:
    """Compute a key again on the rows that are not of a part."""
    bench, wanted = case.bench, families(key)
    if bench.source.height > LARGEST:
        case.untried["part-left-out"] = f"more than {LARGEST:,} rows"
        return None
    place = ("left out", column, part)
    known = bench.known.setdefault(place, {})
    if wanted not in known:
        rows = bench.source.filter(pl.col(column).ne_missing(part))
        try:
            known[wanted] = evaluated(World(rows, _fitting(case, column, part)), wanted)
        except door.primary.InputError as error:
            bench.refused[place] = first_problem(error)
            known[wanted] = {}
    if place in bench.refused:
        case.untried["part-left-out"] = bench.refused[place]
    value = known[wanted].get(str(key))
    return None if value is None else float(value)


def _fitting(case: Scene, column: str, part: object) -> dict[str, object]:
    """Give the settings without what names the part."""
    settings = dict(case.bench.settings)
    if column == "criterion_id" and settings.get("views"):
        views = {
            name: [one for one in some if one != part] for name, some in settings["views"].items()
        }
        settings["views"] = {name: some for name, some in views.items() if some}
    return settings


def _of_classes(key: Key, case: Scene) -> Iterator[Found]:
    variant = key.metric.partition("/")[2]
    if key.statistic != "value" or (variant not in _AVERAGED and key.metric != "accuracy"):
        return
    each = by_class(case.bench, key)
    if len(each) < 2:  # noqa: PLR2004 - one class is all there is
        return
    for name, value in each.items():
        yield "one-class-alone", name, value
    support = {
        name: float(case.ledger.get(f"support|{key.population}|class={name}|value", 0))
        for name in each
    }
    for left in each:
        kept = [name for name in each if name != left]
        weights = support if "weighted" in variant else dict.fromkeys(each, 1.0)
        total = sum(weights[name] for name in kept)
        if total and key.metric != "accuracy":
            yield "class-left-out", left, sum(each[one] * weights[one] for one in kept) / total
