"""The contract as data: metrics, documents, keys, identities, columns, names, examples.

`load()` gives the whole contract, read once and checked. What the rest of the project asks of it:

- `contract.metric("map@10/by_gold")` resolves a concrete id to its entry, variant and parameters;
- `contract.range_of(key)`, `contract.kind_of(key)`, `contract.describe(key)` speak about a key;
- `keys_owed`, `intervals_owed`, `headline_keys`, `not_owed` list what a data set owes;
- `settings_for(keys, settings)` asks both implementations for some keys alone;
- `instances(keys)` lists the identities of section 11 among keys that are present;
- `read_name("nDCG_10")` reads a metric's name as people write it.
"""

from __future__ import annotations

from crosscheck.contract.contract import Contract
from crosscheck.contract.identities import Instance, instances
from crosscheck.contract.ids import MetricId
from crosscheck.contract.keys import (
    decimal,
    headline_keys,
    intervals_owed,
    keys_owed,
    not_owed,
    parameter_values,
    settings_for,
)
from crosscheck.contract.loader import ContractError, load
from crosscheck.contract.names import Reading, read_name
from crosscheck.contract.ranges import Range

__all__ = [
    "Contract",
    "ContractError",
    "Instance",
    "MetricId",
    "Range",
    "Reading",
    "decimal",
    "headline_keys",
    "instances",
    "intervals_owed",
    "keys_owed",
    "load",
    "not_owed",
    "parameter_values",
    "read_name",
    "settings_for",
]
