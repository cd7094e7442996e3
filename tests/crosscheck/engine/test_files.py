"""What columns of files may hold, and what an engine would silently read as something else."""

from __future__ import annotations

from contextlib import closing
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from crosscheck.engine.base import EngineError
from crosscheck.engine.connect import connect
from crosscheck.engine.evaluate import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Differing = Callable[..., list[tuple[str, object, object]]]

pytestmark = pytest.mark.filterwarnings("ignore")  # of the client, about versions of pandas
SINGLES = pa.list_(pa.float32())
DECIMALS = pa.list_(pa.decimal128(18, 17))
HALFWAY = [0.251953125, 0.00146484375, 0.00732421875]
"""32-bit numbers between two decimals of eight digits, which are equally near."""
ROWS: dict[str, Any] = {
    "query_id": ["a\0", "a", "e\u0301"],
    "candidates": [["x", "z"], ["\u00e9"], ["q", "y"]],
    "scores": [[1.0, 2.0], [0.5], [2.0, 2.0]],
    "gold": [["x"], ["e\u0301"], ["y"]],
    "has_evidence": [1, 0, 1],
    "prob": [0.5, 0.2, 0.9],
    "selected": [["x"], [], []],
}


def decimals(*texts: str) -> list[Decimal]:
    return [Decimal(one) for one in texts]


SETS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "32 bits, halfway": (
        {
            "prob": pa.array(HALFWAY, pa.float32()),
            "scores": pa.array([[1e8, 129750576.0], [0.1], [0.3, 0.1]], SINGLES),
            "node_probs": pa.array([HALFWAY[:2], [0.5], HALFWAY[1:]], SINGLES),
        },
        {"threshold": "0.0014648438"},
    ),
    "decimals": (
        {
            "prob": pa.array(decimals("0.12345678901234567", "0.3", "0.1"), pa.decimal128(38, 37)),
            "node_probs": pa.array(
                [decimals("0.98765432109876543", "0.7"), decimals("0"), decimals("0.1", "1")],
                DECIMALS,
            ),
        },
        {"threshold": 0},
    ),
    "whole numbers": (
        {
            "query_id": pa.array([2**64 - 1, 2**63, 1], pa.uint64()),
            "candidates": pa.array([[2**64 - 1, 2], [3], [1, 2]], pa.list_(pa.uint64())),
            "gold": pa.array([["2"], [], ["1"]], pa.list_(pa.string())),
            "grades": pa.array([[2], [], [1]], pa.list_(pa.int8())),
            "selected": pa.array([[], [], []]),
        },
        {},
    ),
}


def written(folder: Path, change: dict[str, Any]) -> str:
    parquet.write_table(pa.table({**ROWS, **change}), folder / "rows.parquet")
    return str(folder / "rows.parquet")


def asked(address: str, path: str, settings: dict[str, Any]) -> dict[str, Any]:
    with closing(connect(address)) as engine:
        return dict(evaluate(engine, [path], settings).ledger)


@pytest.mark.parametrize("name", SETS)
def test_numbers_and_ids_of_every_width_are_the_references(
    name: str, tmp_path: Path, sail: str, differing: Differing
) -> None:
    change, own = SETS[name]
    path = written(tmp_path, change)
    settings = {"k": [1, 3], "recall_levels": [0.5], **own}
    ledger = asked("duckdb", path, settings)
    assert differing(path, settings, ledger) == []
    assert asked(sail, path, settings) == ledger


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "twins": ({"PROB": [0.1, 0.1, 0.1]}, "columns prob and PROB differ in the case of letters"),
    "an engine's name": ({"File_Row_Number": [1, 2, 3]}, "File_Row_Number has a name that engines"),
    "a large fold": (
        {"fold": pa.array([2**63, 0, 1], pa.uint64())},
        "column fold: the fold is no whole number",
    ),
    "a large score": (
        {"prob": None, "score": pa.array([1e8, 0.5, 0.1], pa.float32())},
        "column score: a 32-bit number so large",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_engines_would_read_otherwise_is_refused(name: str, tmp_path: Path) -> None:
    change, told = REFUSED[name]
    rows = {**ROWS, **change}
    table = pa.table({column: value for column, value in rows.items() if value is not None})
    parquet.write_table(table, tmp_path / "rows.parquet")
    with pytest.raises(EngineError, match=told):
        asked("duckdb", str(tmp_path / "rows.parquet"), {})
