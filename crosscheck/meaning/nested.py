"""The claims of a nested file: what the levels above a number, and its neighbours, say about it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from crosscheck.meaning import context
from crosscheck.meaning.settled import decided
from crosscheck.meaning.spot import (
    Spot,
    between,
    claims_of,
    not_understood,
    system_of,
)
from crosscheck.model.key import escape
from crosscheck.notation import labels
from crosscheck.notation import word_lists as lists
from crosscheck.notation.claim import Claim
from crosscheck.notation.compose import takes
from crosscheck.notation.labels import Label
from crosscheck.notation.metric_names import folded
from crosscheck.notation.number import parse
from crosscheck.notation.pieces import Passed
from crosscheck.notation.source import is_digit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from crosscheck.notation.number import Cell, Comma
    from crosscheck.notation.pieces import Leaf

    Path = tuple[str, ...]

_ENDS = {"[0]": "ci_low", "[1]": "ci_high"}
_ENTRY = re.compile(r"\[\d+\]")
"""An entry of a list, by its number."""
_NAMING = frozenset(("metric", "system", "dataset", "split", "population", "statistic"))


@dataclass(frozen=True, slots=True)
class _Stated:
    """What a file states for everything below a level."""

    population: str | None = None
    split: str | None = None


def from_leaves(
    leaves: Sequence[Leaf], file: str, comma: Comma = None
) -> tuple[list[Claim], list[Passed]]:
    """Read the claims of a nested file, and pass over what only names them."""
    stated = _statements(leaves)
    records = _records(leaves)
    around = _Around(stated, records, _neighbours(leaves), comma)
    claims: list[Claim] = []
    passed: list[Passed] = []
    for order, leaf in enumerate(leaves):
        passed += [Passed.of(name, "name") for name in leaf.names]
        for one in _from_leaf(leaf, file, order, around):
            if isinstance(one, Passed):
                passed.append(one)
            else:
                claims.append(one)
    return claims, passed


@dataclass(frozen=True, slots=True)
class _Around:
    stated: dict[Path, _Stated]
    records: dict[Path, dict[str, str]]
    settled: dict[Path, Callable[[Label], Label]]
    comma: Comma

    def above(self, path: Path) -> _Stated:
        """Give what is stated at any level above, the nearest first."""
        found = _Stated()
        for size in range(len(path)):
            near = self.stated.get(path[:size], _Stated())
            found = _Stated(near.population or found.population, near.split or found.split)
        return found


def _statements(leaves: Sequence[Leaf]) -> dict[Path, _Stated]:
    """Read the settings that say over which queries and rows the numbers below them are."""
    found: dict[Path, _Stated] = {}
    for leaf in leaves:
        name = folded(leaf.path[-1]) if leaf.path else ""
        value = folded(leaf.text)
        known = found.get(leaf.path[:-1], _Stated())
        if name == "skipnopositives":
            over = {"true": "positives_only", "false": "all_queries"}.get(value)
            found[leaf.path[:-1]] = replace(known, population=over)
        elif name in {"evalmode", "population"}:
            over = lists.index("population").get(value)
            found[leaf.path[:-1]] = replace(known, population=over)
        elif name in {"evalsplit", "split"}:
            found[leaf.path[:-1]] = replace(known, split=lists.splits().get(value))
        elif is_told(leaf):
            said = context.read(leaf.text)
            found[leaf.path[:-1]] = _Stated(
                known.population or said.population, known.split or said.split
            )
    return found


def is_told(leaf: Leaf) -> bool:
    """Whether a value is a remark in words: `"note": "on the development set"`."""
    return bool(leaf.path) and not leaf.numeric and folded(leaf.path[-1]) in lists.listed("told")


def _records(leaves: Sequence[Leaf]) -> dict[Path, dict[str, str]]:
    """Gather what the members of an object call themselves: `{"metric": …, "value": …}`."""
    found: dict[Path, dict[str, str]] = {}
    for leaf in leaves:
        if not leaf.path or leaf.path[-1].lower() in lists.words()["settings"]:
            continue
        role = lists.role_of(folded(leaf.path[-1]))
        whole = parse(leaf.text).number
        counted = role in {"parameter", "fold", "seed"} and whole is not None and whole.step >= 1
        if counted or (role in _NAMING and not leaf.numeric and leaf.text.strip()):
            found.setdefault(leaf.path[:-1], {})[leaf.path[-1]] = leaf.text.strip()
    return found


def _neighbours(leaves: Sequence[Leaf]) -> dict[Path, Callable[[Label], Label]]:
    """Say, for every level, what ambiguous names mean beside the others there."""
    named: dict[Path, list[Label]] = {}
    for leaf in leaves:
        if leaf.path:
            named.setdefault(leaf.path[:-1], []).append(labels.read(leaf.path[-1]))
    return {path: decided(some) for path, some in named.items()}


def _label(path: Path, record: dict[str, str]) -> Label:
    """Read the levels above a number, then what its neighbours say it is."""
    outer = path[:-1]
    if outer and (outer[-1] in record.values() or (record and _ENTRY.fullmatch(outer[-1]))):
        outer = outer[:-1]  # a reader calls an entry of a list by what it calls itself
    label = labels.path(outer)
    for name, text in record.items():
        label = label.plus(_said(lists.role_of(folded(name)), folded(name), text))
    name = path[-1]
    return label if lists.role_of(folded(name)) == "value" and record else _inner(label, path, name)


def _inner(label: Label, path: Path, name: str) -> Label:
    if label.listing:
        return labels.path(path)
    said = labels.read(name)
    if label.names_metric and said.names_metric:
        # A system may be called as a metric is: {"mrr": {"ndcg@10": …}}.
        outer = [one for one in path[:-1] if labels.read(one).names_metric]
        strange = tuple(one for one in outer if _family(labels.read(one)) != _family(said))
        label = replace(label, other=label.other + strange)
    return label.plus(Label() if said.neutral else said)


def _family(label: Label) -> str:
    return (label.metric or label.template or "").partition("@")[0].partition("/")[0]


def _said(role: str, name: str, text: str) -> Label:
    if role == "metric":
        return labels.read(text)
    if role == "system":
        return Label(other=(text,))
    if role == "dataset":
        return Label(dataset=text)
    if role in {"fold", "seed"}:
        return Label(slice=f"{role}={escape(text)}")
    if role == "parameter":
        parameter = labels.headed(name)
        return Label(parameter=(parameter.symbol, text)) if parameter else Label()
    said = labels.plain(text)
    return replace(said, other=())


def _from_leaf(leaf: Leaf, file: str, order: int, around: _Around) -> Iterator[Claim | Passed]:
    name = leaf.path[-1] if leaf.path else ""
    record = around.records.get(leaf.path[:-1], {})
    cell = parse(leaf.text, around.comma)
    if name in record:
        yield Passed.of(leaf.value, "parameter" if cell.number else "name")
        return
    above = around.above(leaf.path)
    label = _label(leaf.path, record) if leaf.path else Label()
    if leaf.path:
        label = around.settled[leaf.path[:-1]](label)
    spot = _spot(leaf, file, order, label, above)
    special = _setting(leaf, spot) or _count(leaf, spot, cell, above)
    if special is not None:
        yield special
        yield Passed.of(leaf.value, "setting")
    elif not spot.label.names_metric and (rule := _rule(leaf.path, spot.label)):
        yield Passed.of(leaf.value, rule)
    elif not leaf.numeric and not cell.quantities and not _may_be_value(spot.label, leaf.text):
        yield Passed.of(leaf.value, "text")
    else:
        yield from (Passed(leaf.value.ranges(*part), "mark") for part in cell.marks)
        yield between(leaf.value)
        yield from _numbers(leaf, spot, cell)


_INSTEAD = frozenset(("nan", "inf", "infinity", "true", "false"))
"""What programs write where a number should be, with no digit to be found by."""


def _may_be_value(label: Label, text: str) -> bool:
    """Whether a text that is no number stands where one is expected."""
    word = text.strip().lower().lstrip("+-")
    return label.names_metric and (any(map(is_digit, text)) or word in _INSTEAD)


def _spot(leaf: Leaf, file: str, order: int, label: Label, above: _Stated) -> Spot:
    name = leaf.path[-1] if leaf.path else ""
    if label.population is None and takes(label, above.population):
        label = replace(label, population=above.population)
    label = replace(label, split=label.split or above.split)
    place = "/".join(leaf.path)
    return Spot(file, place, name, label, at=(order, 0), written=leaf.value, written_label=name)


def _setting(leaf: Leaf, spot: Spot) -> Claim | None:
    name = leaf.path[-1] if leaf.path else ""
    if name.lower() not in lists.words()["settings"]:
        return None
    outer = labels.path(leaf.path[:-1])
    return Claim(
        file=spot.file,
        place=spot.place,
        label=name,
        printed=leaf.text,
        role="setting",
        system=system_of(outer),
        key=outer.population,
        at=spot.at,
    )


def _count(leaf: Leaf, spot: Spot, cell: Cell, above: _Stated) -> Claim | None:
    name = leaf.path[-1].lower() if leaf.path else ""
    counted = lists.words()["counts"].get(name)
    if counted is None or cell.number is None:
        return None
    outer = labels.path(leaf.path[:-1])
    population = counted or outer.population or above.population
    key = f"queries|{population}|{outer.slice or 'all'}|n" if population else None
    return Claim(
        file=spot.file,
        place=spot.place,
        label=leaf.path[-1],
        printed=leaf.text,
        role="count",
        number=cell.number,
        system=system_of(outer),
        key=key,
        at=spot.at,
        problem=None if key else "which queries were evaluated is not said",
        covers=leaf.value.ranges(),
        split=outer.split or above.split,
    )


def _rule(path: Path, label: Label) -> str:
    """Name the rule by which a value under these names is no claim; empty for one that may be."""
    levels = [folded(part) for part in path]
    if any(level in lists.listed("parameters", "levels") for level in levels[:-1]):
        return "setting"
    name = levels[-1] if levels else ""
    role = lists.role_of(name)
    if role in {"condition", "seed", "parameter"} or name in lists.listed("parameters", "names"):
        return "setting"
    begins = tuple(lists.words()["parameters"]["begins"])
    if path and re.match(rf"(?:{'|'.join(begins)})_", path[-1].lower()):
        return "setting"
    return label.noted or ("size" if label.statistic == "n" and not label.slice else "")


def _numbers(leaf: Leaf, spot: Spot, cell: Cell) -> Iterator[Claim]:
    label, name = spot.label, leaf.path[-1] if leaf.path else ""
    if label.statistic == "ci" and name in _ENDS:
        other = tuple(part for part in label.other if part != name)
        spot = replace(spot, label=replace(label, statistic=_ENDS[name], other=other))
    elif label.statistic == "std" and label.slice is None:
        spot = replace(spot, folds=True)
    if cell.quantities:
        yield from claims_of(cell, spot)
        return
    if leaf.numeric:
        # What a program wrote as a number and is none, NaN above all, cannot be verified.
        make = partial(replace, not_understood(spot, leaf.text))
        yield make(problem=f"{leaf.text} is not a number to check")
    else:
        yield not_understood(spot, leaf.text)
