"""From the TOML files to the typed contract; every fault of the data is an error here.

The public way in is `crosscheck.contract.load()`.
"""

from __future__ import annotations

import dataclasses
import tomllib
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from crosscheck.contract import model
from crosscheck.contract.contract import Contract
from crosscheck.contract.libraries import LibraryMeasure
from crosscheck.contract.parameters import Parameter
from crosscheck.contract.ranges import Range
from crosscheck.contract.validate import faults
from crosscheck.contract.words import Words

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

FILES = ("contract", "keys", "documents", "columns", "identities", "names", "libraries", "examples")
"""In this order; any other TOML file of the folder comes after them."""

# Fields of records that hold other records.
NESTED: dict[tuple[type, str], type] = {
    (model.Metric, "says"): model.Saying,
    (model.Metric, "variants"): model.Variant,
    (model.Metric, "headline"): model.Headline,
    (model.Variant, "headline"): model.Headline,
    (model.Metric, "target"): model.Target,
    (model.Metric, "reference"): model.ReferenceRange,
    (model.Conflict, "positions"): model.Position,
}

# Tables of the files: the contract's field, and what each entry becomes.
LISTS: dict[str, tuple[str, type]] = {
    "metric": ("metrics", model.Metric),
    "parameter": ("parameters", Parameter),
    "population": ("populations", model.Population),
    "slice": ("slices", model.Slice),
    "statistic": ("statistics", model.Statistic),
    "row": ("rows", model.Row),
    "document": ("documents", model.Document),
    "conflict": ("conflicts", model.Conflict),
    "trap": ("traps", model.Trap),
    "checklist": ("checklist", model.ChecklistItem),
    "decision": ("decisions", model.Decision),
    "column": ("columns", model.Column),
    "split": ("splits", model.Split),
    "family": ("families", model.Family),
    "shares": ("shares", model.Shares),
    "identity": ("identities", model.Identity),
    "name": ("names", model.Name),
    "ambiguous": ("ambiguous_names", model.AmbiguousName),
    "measure": ("measures", LibraryMeasure),
    "data": ("example_data", model.ExampleData),
    "example": ("examples", model.Example),
    "study": ("studies", Words),
}
SINGLES: dict[str, tuple[str, type]] = {
    "precedence": ("precedence", model.Precedence),
    "intervals": ("intervals", model.IntervalRules),
    "profile": ("profile", model.Profile),
}

Record = TypeVar("Record")
_FIELDS: dict[type, dict[str, bool]] = {}


class ContractError(ValueError):
    """The contract's own data is at fault."""


@cache
def load() -> Contract:
    """Give the contract, read once and checked."""
    return build(read())


def read() -> dict[str, Any]:
    """Read every TOML file of this folder into one table.

    Lists are joined, so that one more file can add a metric with all that belongs to it; anything
    else is defined once.
    """
    tables: dict[str, Any] = {}
    for file in _files():
        for name, value in tomllib.loads(file.read_text("utf-8")).items():
            if isinstance(value, list):
                tables.setdefault(name, []).extend(value)
            elif name in tables:
                raise ContractError(f"{file.name} defines again: {name}")
            else:
                tables[name] = value
    return tables


def _files() -> list[Traversable]:
    folder = resources.files("crosscheck.contract")
    found = [file for file in folder.iterdir() if file.name.endswith(".toml")]
    places = {f"{name}.toml": place for place, name in enumerate(FILES)}
    return sorted(found, key=lambda file: (places.get(file.name, len(FILES)), file.name))


def build(tables: dict[str, Any]) -> Contract:
    """Make the typed contract of the tables, or say everything that is wrong with them."""
    known = LISTS.keys() | SINGLES.keys() | {"ranges", "defaults", "sections"}
    if tables.keys() != known:
        odd = ", ".join(sorted(tables.keys() ^ known))
        raise ContractError(f"unknown or missing tables: {odd}")
    fields: dict[str, Any] = {}
    places = {section: place for place, section in enumerate(tables["sections"])}
    tables["metric"].sort(key=lambda metric: places.get(metric.get("section"), len(places)))
    for table, (name, kind) in LISTS.items():
        fields[name] = tuple(
            _record(kind, entry, f"{table} {_title(entry, place)}")
            for place, entry in enumerate(tables[table])
        )
    for table, (name, kind) in SINGLES.items():
        fields[name] = _record(kind, tables[table], table)
    fields["ranges"] = MappingProxyType(
        {name: _record(Range, entry, f"range {name}") for name, entry in tables["ranges"].items()}
    )
    fields["defaults"] = MappingProxyType(dict(tables["defaults"]))
    fields["sections"] = MappingProxyType(dict(tables["sections"]))
    contract = Contract(**fields)
    found = faults(contract)
    if found:
        raise ContractError("\n".join(found))
    return contract


def _title(entry: dict[str, Any], place: int) -> str:
    return str(
        entry.get("id") or entry.get("metric") or entry.get("label") or f"number {place + 1}"
    )


def _record(kind: type[Record], entry: dict[str, Any], where: str) -> Record:
    known = _fields(kind)
    unknown = sorted(entry.keys() - known.keys())
    missing = sorted(name for name, needed in known.items() if needed and name not in entry)
    if unknown or missing:
        raise ContractError(
            f"{where}: unknown fields {unknown}, missing fields {missing}; known: {sorted(known)}"
        )
    return kind(**{name: _value(kind, name, value, where) for name, value in entry.items()})


def _fields(kind: type) -> dict[str, bool]:
    if kind not in _FIELDS:
        _FIELDS[kind] = _needed(kind)
    return _FIELDS[kind]


def _needed(kind: type) -> dict[str, bool]:
    missing = dataclasses.MISSING
    return {
        field.name: field.default is missing and field.default_factory is missing
        for field in dataclasses.fields(kind)
    }


def _value(kind: type, name: str, value: object, where: str) -> object:
    nested = NESTED.get((kind, name))
    if nested is None:
        return _frozen(value)
    if isinstance(value, dict):
        return _record(nested, value, f"{where}, {name}")
    assert isinstance(value, list)  # noqa: S101 - tells the type checker what TOML guarantees
    return tuple(_record(nested, entry, f"{where}, {name}") for entry in value)


def _frozen(value: object) -> object:
    if isinstance(value, list):
        return tuple(_frozen(entry) for entry in value)
    if isinstance(value, dict):
        return MappingProxyType({key: _frozen(entry) for key, entry in value.items()})
    return value
