"""No metric, variant, cell of the key table or trap without a vector."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.contract import load
from crosscheck.model.key import Key

if TYPE_CHECKING:
    from crosscheck.contract import MetricId

HERE = Path(__file__).parent
CONTRACT = load()

# These speak of published tables, targets and reporting, which no data set can show: the tests of
# the claims hold them.
OF_DOCUMENTS = {"T13", "T14", "T20", "T21"}


def documents() -> list[dict[str, Any]]:
    paths = sorted(HERE.glob("*.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.stem != "schema"]


def answered() -> dict[Key, MetricId]:
    """Give every ledger key that some vector answers, with its metric resolved."""
    written = {
        key
        for document in documents()
        for case in document["cases"]
        for key in case.get("expect", {})
    }
    keys = [Key.parse(key) for key in sorted(written)]
    return {key: CONTRACT.metric(key.metric) for key in keys}


ANSWERED = answered()


def shown(template: str) -> str:
    """Write a template with values for its parameters."""
    return CONTRACT.notation.shown(template)


def kind_of_slice(key: Key) -> str:
    """Name the slice of the key table; `dataset` is the vectors' declared one."""
    name, equals, _ = key.slice.partition("=")
    if name == "dataset":
        return "NAME=value" if equals else "NAME"
    return name


def cells(row: str) -> set[tuple[str, str, str, str]]:
    """Give the (bound, population, slice, statistic) of a row's metrics that vectors answer."""
    return {
        (metric.bound, key.population, kind_of_slice(key), key.statistic)
        for key, metric in ANSWERED.items()
        if row in metric.rows
    }


@pytest.mark.parametrize(
    "template", [name for metric in CONTRACT.metrics for name in metric.templates]
)
def test_metric_has_a_vector(template: str) -> None:
    assert template in {metric.template for metric in ANSWERED.values() if not metric.bound}


@pytest.mark.parametrize(
    "template",
    [
        name
        for metric in CONTRACT.metrics
        for name in metric.templates
        if any(CONTRACT.row_by_id[row].bounds for row in CONTRACT.metric(shown(name)).rows)
    ],
)
@pytest.mark.parametrize("bound", ["tie_low", "tie_high"])
def test_tie_bound_has_a_vector(template: str, bound: str) -> None:
    assert (template, bound) in {(m.template, m.bound) for m in ANSWERED.values()}


@pytest.mark.parametrize("row", CONTRACT.rows, ids=lambda row: row.id)
def test_every_cell_of_the_key_table_has_a_vector(row: Any) -> None:
    owed = {
        (bound, population, where, statistic)
        for bound in row.bounds or ("",)
        for population in row.populations
        for where in row.slices
        for statistic in row.statistics
    }
    assert owed - cells(row.id) == set()


def averaged_over_folds(row: Any) -> bool:
    """Tell whether a row of the key table is owed over folds: thresholds and counts are not."""
    kinds = {
        metric.kind
        for metric in CONTRACT.metrics
        if row.id in {*metric.keys, *(key for variant in metric.variants for key in variant.keys)}
    }
    return "fold" in row.slices and bool(row.base) and "float" in kinds


@pytest.mark.parametrize("part", ["folds", "seeds"])
@pytest.mark.parametrize("statistic", CONTRACT.intervals.folds)
@pytest.mark.parametrize(
    "row", [row for row in CONTRACT.rows if averaged_over_folds(row)], ids=lambda row: row.id
)
def test_every_row_has_a_vector_over_folds_and_seeds(row: Any, statistic: str, part: str) -> None:
    assert (part, statistic) in {(where, found) for _, _, where, found in cells(row.id)}


@pytest.mark.parametrize("k", ["1", "3", "5", "10", "20", "all"])
def test_every_cut_off_has_a_vector(k: str) -> None:
    ranking = {
        name
        for m in CONTRACT.metrics
        for name in m.templates
        if m.family == "ranking" and CONTRACT.notation.symbols(name) == ("K",)
    }
    at_k = {m.template for m in ANSWERED.values() if m.parameters.get("K") == k}
    assert ranking - at_k == set()


def test_every_trap_a_data_set_can_show_is_flagged() -> None:
    hunted = {flag["trap"] for document in documents() for flag in document["flags"].values()}
    assert {trap.id for trap in CONTRACT.traps} - hunted == OF_DOCUMENTS


def test_flags_mean_the_same_in_every_family() -> None:
    meanings: dict[str, list[Any]] = {}
    for document in documents():
        for name, flag in document["flags"].items():
            meanings.setdefault(name, []).append(flag)
    assert {
        name for name, all_of_it in meanings.items() if any(m != all_of_it[0] for m in all_of_it)
    } == set()


def test_integer_answers_are_those_of_integer_keys() -> None:
    wrong = [
        key
        for document in documents()
        for case in document["cases"]
        for key, answer in case.get("expect", {}).items()
        if isinstance(answer, int) != (CONTRACT.kind_of(key) == "integer")
    ]
    assert wrong == []
