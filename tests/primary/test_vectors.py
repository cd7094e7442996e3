"""Every vector, worked out by hand, holds for the primary."""

from __future__ import annotations

import gzip
import json
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import primary

VECTORS = Path(__file__).parents[1] / "vectors"
CASES = [
    pytest.param(case, id=case["id"])
    for path in sorted(VECTORS.glob("*.json"))
    if path.stem != "schema"
    for case in json.loads(path.read_text(encoding="utf-8"))["cases"]
]
TYPES = {
    "float32": pl.Float32,
    "list<float32>": pl.List(pl.Float32),
    "list<int64>": pl.List(pl.Int64),
}


def number(text: str | int) -> float:
    """The number a vector states: a count, a fraction, a decimal, or `inf`."""
    if isinstance(text, int):
        return text
    if text == "inf":
        return math.inf
    return float(Fraction(text)) if "/" in text else float(Decimal(text))


def rows_of(case: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows, repeated ones written out under numbered keys."""
    rows: list[dict[str, Any]] = []
    for row in case["rows"]:
        if "repeat" not in row:
            rows.append(row)
            continue
        for copy in range(row["repeat"]):
            name = "post_id" if "post_id" in row["row"] else "query_id"
            rows.append(row["row"] | {name: f"{row['row'][name]}-{copy}"})
    return rows


def placed(case: dict[str, Any], folder: Path) -> Any:
    """Write the case's data where an implementation would find it."""
    if "qrels" in case:
        (folder / "qrels").write_text(case["qrels"], encoding="utf-8")
        (folder / "run").write_text(case["run"], encoding="utf-8")
        return {"qrels": folder / "qrels", "run": folder / "run"}
    if "file" in case:
        path = folder / case["file"]["name"]
        content = case["file"]["text"].encode()
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
        return path
    if case.get("format") == "parquet":
        frame = pl.DataFrame(rows_of(case), infer_schema_length=None)
        types = {name: TYPES[type_] for name, type_ in case.get("types", {}).items()}
        frame.cast(types).write_parquet(folder / "data.parquet")
        return folder / "data.parquet"
    path = folder / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows_of(case)), encoding="utf-8")
    return path


@pytest.mark.parametrize("case", [case for case in CASES if "refused" not in case.values[0]])
def test_the_ledger_holds_the_vectors_answers(case: dict[str, Any], tmp_path: Path) -> None:
    ledger = primary.evaluate(placed(case, tmp_path), case.get("settings"))
    wrong = {}
    for key, text in case.get("expect", {}).items():
        expected = number(text)
        actual = ledger.get(key, math.nan)
        if isinstance(text, int) != isinstance(actual, int):
            wrong[key] = (actual, text)
        if actual != expected and not abs(actual - expected) <= 1e-12 * max(1, abs(expected)):
            wrong[key] = (actual, text)
    assert wrong == {}
    assert [key for key in case.get("absent", []) if key in ledger] == []


@pytest.mark.parametrize("case", [case for case in CASES if "facts" in case.values[0]])
def test_the_facts_are_the_vectors_facts(case: dict[str, Any], tmp_path: Path) -> None:
    facts = primary.describe(placed(case, tmp_path), case.get("settings"))
    assert {name: facts[name] for name in case["facts"]} == case["facts"]


def _fits(problem: primary.Problem, wanted: dict[str, Any]) -> bool:
    rows, columns = (
        value if isinstance(value, list) else [value]
        for value in (wanted.get("row", problem.row), wanted.get("column", problem.column))
    )
    return (
        problem.row in rows
        and problem.column in columns
        and all(part in (problem.query or "") for part in wanted.get("query", []))
        and all(word in problem.sentence() for word in wanted.get("mentions", []))
    )


@pytest.mark.parametrize("case", [case for case in CASES if "refused" in case.values[0]])
def test_bad_input_is_refused_at_its_place(case: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(placed(case, tmp_path), case.get("settings"))
    missed = [
        wanted
        for wanted in case["refused"]
        if not any(_fits(problem, wanted) for problem in caught.value.problems)
    ]
    assert missed == [], str(caught.value)
