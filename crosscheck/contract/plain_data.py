"""The contract in plain JSON types, complete, for machines."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crosscheck.contract.contract import Contract
    from crosscheck.contract.ids import MetricId


def plain(value: object) -> Any:  # noqa: ANN401 - any JSON type
    """Turn records, tuples and mappings into what JSON knows; infinity becomes "inf"."""
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, tuple):
        return [plain(entry) for entry in value]
    if hasattr(value, "items"):
        return {str(name): plain(entry) for name, entry in value.items()}
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def plain_metric(contract: Contract, found: MetricId) -> dict[str, Any]:
    """Give everything about one metric, with what elsewhere in the contract concerns it."""
    metric = found.metric
    example = contract.example(metric.id)
    return {
        "id": found.text,
        "template": found.template,
        "parameters": plain(found.parameters),
        "variant": found.variant.id if found.variant else None,
        "bound": found.bound or None,
        "definition": found.definition,
        "formula": found.formula,
        "sources": plain(found.sources),
        "range": plain(contract.ranges[metric.range]),
        "metric": plain(metric),
        "libraries": plain(
            contract.libraries.about(found.template) | contract.libraries.about(found.text)
        ),
        "owed": [plain(contract.row_by_id[row]) for row in found.rows],
        "conflicts": [
            plain(conflict) | {"positions": dict(contract.positions(conflict))}
            for conflict in contract.conflicts_about(metric.id)
        ],
        "traps": [plain(contract.trap_by_id[trap]) for trap in metric.traps],
        "example": plain(example),
        "example_data": plain(contract.data_of(example)) if example else None,
    }
