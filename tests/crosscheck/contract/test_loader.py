"""Faults of the contract's own data are errors at load time."""

from __future__ import annotations

import copy
import cProfile
import re
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.contract.loader import ContractError, build, load, read

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def tables() -> dict[str, Any]:
    return copy.deepcopy(read())


def _metric(tables: dict[str, Any], name: str) -> dict[str, Any]:
    return next(metric for metric in tables["metric"] if metric["id"] == name)


def test_the_contract_is_loaded_once() -> None:
    assert load() is load()


def test_the_contract_builds(tables: dict[str, Any]) -> None:
    assert build(tables) == load()


def _calls(work: Callable[[], object]) -> int:
    """Count the functions called: as true on a busy machine as on an idle one."""
    profile = cProfile.Profile()
    profile.runcall(work)
    return int(sum(entry.callcount for entry in profile.getstats()))


def test_checking_the_contract_costs_less_than_parsing_it(tables: dict[str, Any]) -> None:
    assert _calls(lambda: build(tables)) < _calls(read)


def test_a_record_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        load().metrics[0].name = "other"  # type: ignore[misc]


def test_an_unknown_field_is_named(tables: dict[str, Any]) -> None:
    _metric(tables, "auroc")["colour"] = "red"
    with pytest.raises(ContractError, match=r"metric auroc: unknown fields \['colour'\]"):
        build(tables)


def test_a_missing_field_is_named(tables: dict[str, Any]) -> None:
    del _metric(tables, "auroc")["meaning"]
    with pytest.raises(ContractError, match=r"metric auroc: .*missing fields \['meaning'\]"):
        build(tables)


def test_an_unknown_table_is_named(tables: dict[str, Any]) -> None:
    tables["metrics"] = []
    with pytest.raises(ContractError, match="unknown or missing tables: metrics"):
        build(tables)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("traps", ["T99"], "trap T99 does not exist"),
        ("range", "wide", "range wide does not exist"),
        ("kind", "complex", "kind complex does not exist"),
        ("direction", "up", "direction up does not exist"),
        ("section", "99", "section 99 does not exist"),
        ("keys", ["nowhere"], "key table row nowhere does not exist"),
        ("population", "nobody", "population nobody does not exist"),
        ("population", "posts", "metric auroc: .* is not over posts"),
        ("id", "auroc@p=π", "parameter π does not exist"),
        ("says", [{"source": "S9 1", "text": ""}], "source “S9 1” is not a known label"),
        ("says", [{"source": "S0", "text": ""}], "source “S0” is not a known label and a section"),
        ("says", [{"source": "S0 1", "text": "", "variant": "x"}], "names the unknown variant x"),
        ("says", [{"source": "S0 1", "text": ""}], "no source for strict"),
        ("id", "brier", "metric brier is defined 2 times"),
    ],
)
def test_a_dangling_reference_is_named(
    tables: dict[str, Any], field: str, value: object, message: str
) -> None:
    _metric(tables, "auroc")[field] = value
    with pytest.raises(ContractError, match=message):
        build(tables)


@pytest.mark.parametrize(
    ("table", "field", "value", "message"),
    [
        ("identity", "kind", "odd", "kind odd does not exist"),
        ("identity", "condition", "full moon", "condition full moon does not exist"),
        ("identity", "terms", ["nothing@1"], "nothing@1 is no metric"),
        ("identity", "total", "tp", "a total is needed by"),
        ("identity", "over", ["tp"], "`over` belongs to a ratio"),
        ("name", "metric", "nothing", "nothing is no metric"),
        ("ambiguous", "metrics", ["nothing"], "nothing is no metric"),
        ("conflict", "metric", "nothing", "metric nothing does not exist"),
        ("conflict", "positions", [{"source": "S0 1", "says": ""}], "either a metric or positions"),
        ("row", "needs", ["luck"], "family luck does not exist"),
        ("row", "slices", ["month"], "slice month does not exist"),
        ("row", "id", "lonely", "row lonely: no metric is in it"),
        ("trap", "id", "T0", "trap T0: no metric or statistic is touched by it"),
        ("statistic", "range", "wide", "range wide does not exist"),
        ("example", "data", "nowhere", "data nowhere does not exist"),
        ("example", "answers", {"nothing|all_queries|all|n": "1"}, "is not a metric"),
    ],
)
def test_a_fault_elsewhere_is_named(
    tables: dict[str, Any], table: str, field: str, value: object, message: str
) -> None:
    tables[table][0][field] = value
    with pytest.raises(ContractError, match=message):
        build(tables)


def test_a_metric_without_an_example_is_named(tables: dict[str, Any]) -> None:
    tables["example"] = [e for e in tables["example"] if e["metric"] != "auroc"]
    with pytest.raises(ContractError, match="metric auroc: no worked example"):
        build(tables)


def test_precedence_names_every_document(tables: dict[str, Any]) -> None:
    tables["precedence"]["order"] = ["S0"]
    with pytest.raises(ContractError, match="precedence"):
        build(tables)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        (
            "values",
            "wide",
            "parameter @K: a setting needs values of counting, percent, share, inner share",
        ),
        ("setting", "", "parameter @K: give a setting, or where the data have its values"),
        ("below", "M", "parameter @K: give a setting, or where the data have its values"),
        ("below", "N", "parameter @K: parameter N does not exist"),
        ("shown", "0", "parameter @K: 0 is none of its values"),
        ("default", ["1", "1.5"], "parameter @K: 1.5 is none of its values"),
        ("source", "S9 1", "parameter @K: source “S9 1” is not a known label"),
    ],
)
def test_a_fault_of_a_parameter_is_named(
    tables: dict[str, Any], field: str, value: object, message: str
) -> None:
    tables["parameter"][0][field] = value
    with pytest.raises(ContractError, match=message):
        build(tables)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("metrics", ["nothing"], "nothing is no metric"),
        ("metrics", ["auroc"], "measure recall@{K} of ranx: auroc has no K"),
        ("call", "rbp.{ρ}", "measure rbp.{ρ} of ranx: recall@K has no ρ"),
        ("differs", "has a reason", "what always differs needs no `unless`"),
    ],
)
def test_a_fault_of_a_measure_is_named(
    tables: dict[str, Any], field: str, value: object, message: str
) -> None:
    measure = next(one for one in tables["measure"] if one["call"] == "recall@{K}")
    measure["unless"] = "the moon is full"
    measure[field] = value
    with pytest.raises(ContractError, match=re.escape(message)):
        build(tables)


def test_a_list_goes_on_in_another_file_and_metrics_stay_by_section(
    tables: dict[str, Any],
) -> None:
    moved = tables["metric"].pop(1)
    tables["metric"].append(moved)
    assert moved["section"] == "3"
    sections = [int(metric.section) for metric in build(tables).metrics]
    assert sections == sorted(sections)
