"""Every hand-worked vector, exactly: equal fractions, or thirty digits."""

from __future__ import annotations

import gzip
import json
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import reference

VECTORS = Path(__file__).parents[1] / "vectors"
TYPES = {
    "float32": pa.float32(),
    "list<float32>": pa.list_(pa.float32()),
    "list<int64>": pa.list_(pa.int64()),
}


def cases(part: str) -> list[Any]:
    return [
        pytest.param(case, id=case["id"])
        for path in sorted(VECTORS.glob("*.json"))
        if path.stem != "schema"
        for case in json.loads(path.read_text(encoding="utf-8"))["cases"]
        if part in case
    ]


def spread(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Write out repeated rows; the copies' ids get -1, -2, … appended."""
    found = []
    for row in rows:
        if "repeat" in row:
            copies = range(1, row["repeat"] + 1)
            found += [{**row["row"], "query_id": f"{row['row']['query_id']}-{i}"} for i in copies]
        else:
            found.append(row)
    return found


def written(case: dict[str, Any], folder: Path) -> object:
    """Write the data of a case, and return what the door takes."""
    if "qrels" in case:
        for name in ("qrels", "run"):
            (folder / name).write_text(case[name], encoding="utf-8", newline="")
        return {"qrels": folder / "qrels", "run": folder / "run"}
    if "file" in case:
        path = folder / case["file"]["name"]
        raw = case["file"]["text"].encode()
        path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
        return path
    rows = spread(case["rows"])
    if case.get("format") == "parquet":
        types = {name: TYPES[kind] for name, kind in case.get("types", {}).items()}
        columns = {
            name: pa.array([row.get(name) for row in rows], types.get(name)) for name in rows[0]
        }
        pq.write_table(pa.table(columns), folder / "data.parquet")
        return folder / "data.parquet"
    path = folder / "data.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def shown(value: object) -> object:
    """Write an exact value as a vector does."""
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Decimal):
        with localcontext(prec=30):
            return format(+value, "f")
    return "inf" if value == math.inf else value


def close(answer: str) -> object:
    number = Fraction(answer) if "." not in answer else Fraction(Decimal(answer))
    return pytest.approx(float(number), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("case", cases("expect"))
def test_ledger(case: dict[str, Any], tmp_path: Path) -> None:
    found = reference.exact(written(case, tmp_path), case.get("settings"))
    assert {key: shown(found.get(key)) for key in case["expect"]} == case["expect"]
    assert [key for key in case.get("absent", []) if key in found] == []


@pytest.mark.parametrize("case", cases("facts"))
def test_facts(case: dict[str, Any], tmp_path: Path) -> None:
    found = reference.describe(written(case, tmp_path), case.get("settings"))
    assert {name: found[name] for name in case["facts"]} == case["facts"]


@pytest.mark.parametrize("case", cases("refused"))
def test_refusal(case: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(reference.InputError) as caught:
        reference.exact(written(case, tmp_path), case.get("settings"))
    for expected in case["refused"]:
        assert any(fits(expected, problem) for problem in caught.value.problems), expected


def fits(expected: dict[str, Any], problem: reference.Problem) -> bool:
    rows, columns = expected.get("row", problem.row), expected.get("column", problem.column)
    return (
        problem.row in (rows if isinstance(rows, list) else [rows])
        and problem.column in (columns if isinstance(columns, list) else [columns])
        and all(word in (problem.query or "") for word in expected.get("query", []))
        and all(word in str(problem) for word in expected.get("mentions", []))
    )


@pytest.mark.parametrize("case", cases("intervals"))
def test_intervals(case: dict[str, Any], tmp_path: Path) -> None:
    data, settings, wanted = written(case, tmp_path), case.get("settings"), case["intervals"]
    plan = wanted["plan"]
    sample = {}
    for unit, counts in plan.items():
        units = counts["units"] if unit == "seed" else counts
        sample[unit] = {"replicates": range(len(units)), "jackknife": range(len(units[0]))}
    first = reference.intervals(data, settings, plan, {}, {}, sample)["recomputed"]
    values = {
        kind: {
            unit: {key: list(by.values()) for key, by in first[unit].get(kind, {}).items()}
            for unit in plan
        }
        for kind in ("replicates", "jackknife")
    }
    for kind, found in values.items():
        for unit, series in wanted.get(kind, {}).items():
            for key, answers in series.items():
                assert found[unit][key] == [close(answer) for answer in answers], (unit, key)
    answer = reference.intervals(data, settings, plan, **values, sample={})
    for key, expected in wanted["expect"].items():
        assert answer["ledger"][key] == close(expected), key
    assert [key for key in wanted.get("absent", []) if key in answer["ledger"]] == []
    assert set(wanted.get("flags", [])) <= set(answer["flags"])
    unflagged = {k for k in wanted["expect"] if k.endswith("/bca")} - set(wanted.get("flags", []))
    assert unflagged.isdisjoint(answer["flags"])


@pytest.mark.parametrize("case", cases("comparison"))
def test_comparison(case: dict[str, Any], tmp_path: Path) -> None:
    wanted = case["comparison"]
    (tmp_path / "b").mkdir()
    other = written({"rows": wanted["rows"]}, tmp_path / "b")
    settings = case.get("settings")
    answer = reference.compare(
        (written(case, tmp_path), settings),
        (other, settings),
        wanted.get("plan"),
        wanted["metrics"],
        wanted.get("swaps"),
    )
    for key, expected in wanted["expect"].items():
        assert answer["ledger"][key] == close(expected), key
    assert [key for key in wanted.get("absent", []) if key in answer["ledger"]] == []
    for key, series in wanted.get("permuted", {}).items():
        found = answer["recomputed"]["permuted"][key].values()
        assert list(found) == [close(value) for value in series], key
