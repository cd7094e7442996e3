"""Make a data set smaller while it still shows what it shows.

Step by step, until no step helps: fewer settings, fewer columns, fewer rows, shorter lists, plainer
values. What a reader has to understand goes first.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any

from crosscheck.fuzz.dataset import LISTS, NUMBER_LISTS, DataSet, Row
from crosscheck.fuzz.dress import ALIASES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PLAIN_NUMBERS = (0.0, 0.5, 1.0)
BASIC = ("k", "fpr")
"""Settings that stay, at one value: they decide how long the list of answers is."""
KEYS = ("post_id", "criterion_id", "query_id")
PLAIN = {alias: name for name, aliases in ALIASES.items() for alias in aliases}


def reduced(data: DataSet, shows: Callable[[DataSet], bool]) -> DataSet:
    """Apply every step that keeps `shows` true, over and over, until none does."""
    improved = True
    while improved:
        improved = False
        for steps in STEPS:
            data, helped = _exhausted(data, steps, shows)
            improved = improved or helped
    return data


def _exhausted(
    data: DataSet,
    steps: Callable[[DataSet], Iterator[DataSet]],
    shows: Callable[[DataSet], bool],
) -> tuple[DataSet, bool]:
    """Take one kind of step as often as it helps; what did not help is not tried again at once."""
    helped = False
    tried = 0
    while True:
        for smaller in islice(steps(data), tried, None):
            if smaller != data and shows(smaller):
                data, helped = smaller, True
                break
            tried += 1
        else:
            return data, helped


def _plainer_form(data: DataSet) -> Iterator[DataSet]:
    if data.form not in {"jsonl", "trec"}:
        yield replace(data, form="jsonl")


def _plain_names(data: DataSet) -> Iterator[DataSet]:
    """Give aliased columns the contract's names back, all at once."""
    if data.form != "trec":
        yield _mapped(data, lambda row: {PLAIN.get(name, name): row[name] for name in row})


def _fewer_settings(data: DataSet) -> Iterator[DataSet]:
    for names in ({"tau_neg", "tau_pos"}, *({name} for name in data.settings if name not in BASIC)):
        yield replace(data, settings={k: v for k, v in data.settings.items() if k not in names})
    for name, held in data.settings.items():
        if isinstance(held, list) and len(held) > 1:
            yield from (replace(data, settings=data.settings | {name: [one]}) for one in held)


def _fewer_columns(data: DataSet) -> Iterator[DataSet]:
    if data.form == "trec":
        return
    for name in data.columns:
        yield _mapped(data, partial(_without, name))
    if "post_id" in data.columns:
        numbered = [
            {"query_id": f"q{place}", **_without("post_id", _without("criterion_id", row))}
            for place, row in enumerate(data.rows, start=1)
        ]
        yield replace(data, rows=tuple(numbered))


def _fewer_rows(data: DataSet) -> Iterator[DataSet]:
    half = len(data.rows) // 2
    if half:
        yield replace(data, rows=data.rows[:half])
        yield replace(data, rows=data.rows[half:])
    for name in ("fold", "post_id", "criterion_id", "split"):
        for value in dict.fromkeys(row.get(name) for row in data.rows):
            yield replace(data, rows=tuple(row for row in data.rows if row.get(name) != value))
    for place in range(len(data.rows)):
        yield replace(data, rows=data.rows[:place] + data.rows[place + 1 :])


def _thinner_groups(data: DataSet) -> Iterator[DataSet]:
    """Take a row out of two groups of like rows at once, so that the groups stay in proportion."""
    groups: dict[str, int] = {}
    for place, row in enumerate(data.rows):
        groups.setdefault(repr({k: v for k, v in row.items() if k not in KEYS}), place)
    for pair in combinations(groups.values(), 2):
        yield replace(data, rows=tuple(r for n, r in enumerate(data.rows) if n not in pair))


def _shorter_lists(data: DataSet) -> Iterator[DataSet]:
    for place, row in enumerate(data.rows):
        for name in (*LISTS, "judged"):
            for index in range(len(row.get(name, ()))):
                yield _changed(data, place, _shortened(row, name, index))


def _shortened(row: Row, name: str, index: int) -> Row:
    gone = row[name][index]
    cut: Row = {name: row[name][:index] + row[name][index + 1 :]}
    if name == "candidates":
        cut |= {
            other: row[other][:index] + row[other][index + 1 :]
            for other in NUMBER_LISTS
            if other in row
        }
        if "selected" in row:
            cut["selected"] = [uid for uid in row["selected"] if uid != gone]
    return row | cut


def _plainer_values(data: DataSet) -> Iterator[DataSet]:
    for place, row in enumerate(data.rows):
        for name, held in row.items():
            for plain in _plainer(name, held):
                yield _changed(data, place, row | {name: plain})


def _plainer(name: str, held: Any) -> Iterator[Any]:  # noqa: ANN401 - whatever a cell holds
    """Give plainer values for a cell, plainest first, and only such as it is not yet."""
    if isinstance(held, float):
        yield from (plain for plain in PLAIN_NUMBERS if _rank(plain) < _rank(held))
        if len(repr(held)) > len("0.12") and abs(held) < 1:
            yield round(held, 1)
    elif name in NUMBER_LISTS and isinstance(held, list):
        for index, number in enumerate(held):
            for plain in _plainer("", number):
                yield [*held[:index], plain, *held[index + 1 :]]
    elif isinstance(held, str) and name not in KEYS and held.lower() in {"true", "false"}:
        yield int(held.lower() == "true")


def _rank(number: float) -> int:
    return PLAIN_NUMBERS.index(number) if number in PLAIN_NUMBERS else len(PLAIN_NUMBERS)


def _plainer_numbers(data: DataSet) -> Iterator[DataSet]:
    """Replace a number wherever it occurs in a column, so that ties stay ties."""
    for name in ("prob", *NUMBER_LISTS):
        held = [number for row in data.rows for number in _numbers(row.get(name))]
        for number in dict.fromkeys(held):
            for plain in _plainer("", number):
                yield _mapped(data, partial(_swapped, name, number, plain))


def _numbers(cell: Any) -> list[float]:  # noqa: ANN401 - a number, a list of them, or nothing
    return cell if isinstance(cell, list) else [] if cell is None else [cell]


def _swapped(name: str, old: float, new: float, row: Row) -> Row:
    if name not in row:
        return row
    cell = row[name]
    if isinstance(cell, list):
        return row | {name: [new if number == old else number for number in cell]}
    return row | {name: new if cell == old else cell}


def _plainer_ids(data: DataSet) -> Iterator[DataSet]:
    """Rename one id throughout to a letter that is free."""
    used = list(
        dict.fromkeys(uid for row in data.rows for name in LISTS for uid in row.get(name, ()))
    )
    free = [letter for letter in "abcdefghijklmnop" if letter not in used]
    for uid in used:
        if data.form != "trec" and free and free[0] < uid:
            yield _mapped(data, partial(_renamed, uid, free[0]))


def _renamed(old: str, new: str, row: Row) -> Row:
    changed = {
        name: [new if uid == old else uid for uid in row[name]] for name in LISTS if name in row
    }
    return row | changed


def _plainer_keys(data: DataSet) -> Iterator[DataSet]:
    if data.form != "trec" and "query_id" in data.columns:
        numbered = [row | {"query_id": f"q{n}"} for n, row in enumerate(data.rows, start=1)]
        yield replace(data, rows=tuple(numbered))


def _without(name: str, row: Row) -> Row:
    return {other: value for other, value in row.items() if other != name}


def _mapped(data: DataSet, change: Callable[[Row], Row]) -> DataSet:
    return replace(data, rows=tuple(change(row) for row in data.rows))


def _changed(data: DataSet, place: int, row: Row) -> DataSet:
    return replace(data, rows=(*data.rows[:place], row, *data.rows[place + 1 :]))


STEPS = (
    _fewer_rows,
    _fewer_columns,
    _thinner_groups,
    _fewer_settings,
    _plainer_form,
    _plain_names,
    _shorter_lists,
    _plainer_numbers,
    _plainer_values,
    _plainer_ids,
    _plainer_keys,
)
