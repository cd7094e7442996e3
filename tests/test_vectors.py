"""Run the hand-worked vectors against both implementations.

The answers in `tests/vectors/` come from the contract's text alone. The reference has to give
them exactly (a fraction equals a fraction; roots and logarithms agree to thirty digits), the
primary to 1e-12. `docs/vectors.md` says how a case is built.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import primary
import reference
from crosscheck.contract import headline_keys

VECTORS = Path(__file__).parent / "vectors"
CLOSE = 1e-12
EXACT = Decimal("1e-29")
TYPES = {
    "float32": pa.float32(),
    "list<float32>": pa.list_(pa.float32()),
    "list<int64>": pa.list_(pa.int64()),
}
ROOT_OR_LOGARITHM = ("ndcg", "dcg", "mcc", "gmap", "log_loss")

Case = dict[str, Any]


def cases(part: str, inner: str = "") -> list[Any]:
    """Give the cases that have `part`, and `inner` in it, each under its own name."""
    found = []
    for path in sorted(VECTORS.glob("*.json")):
        if path.stem != "schema":
            document = json.loads(path.read_text(encoding="utf-8"))
            found += [
                pytest.param(case, id=case["id"])
                for case in document["cases"]
                if part in case and (not inner or inner in case[part])
            ]
    return found


def cases_in(*forms: str) -> list[Any]:
    """Give the cases with answers in several file formats, or in the one they are held to."""
    found = []
    for param in cases("expect"):
        (case,) = param.values
        free = "rows" in case and "format" not in case
        found += [
            pytest.param(case, form, id=f"{case['id']}-{form}")
            for form in forms[: None if free else 1]
        ]
    return found


def expanded(rows: list[Case]) -> list[Case]:
    """Write out the rows that stand for many."""
    plain = []
    for row in rows:
        if "repeat" in row:
            one = row["row"]
            copies = range(1, row["repeat"] + 1)
            plain += [{**one, "query_id": f"{one['query_id']}-{i}"} for i in copies]
        else:
            plain.append(row)
    return plain


def as_csv(rows: list[Case], path: Path) -> Path:
    """Write rows as CSV, lists as JSON arrays, nothing as an empty cell."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(names)
        for row in rows:
            cells = [row.get(name) for name in names]
            writer.writerow([json.dumps(x) if isinstance(x, list) else x for x in cells])
    return path


def as_parquet(rows: list[Case], types: dict[str, str], path: Path) -> Path:
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = [
        pa.array([row.get(name) for row in rows], TYPES[types[name]] if name in types else None)
        for name in names
    ]
    pyarrow.parquet.write_table(pa.table(columns, names=names), path)
    return path


def as_json_lines(rows: list[Case], path: Path) -> Path:
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def as_text(name: str, text: str, folder: Path) -> Path:
    path = folder / name
    content = text.encode()
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


def data_of(case: Case, folder: Path, form: str = "jsonl") -> Any:
    """Write a case's data to disk and give what the implementations take as `data`."""
    if "qrels" in case:
        return {name: as_text(f"{name}.txt", case[name], folder) for name in ("qrels", "run")}
    if "file" in case:
        return as_text(case["file"]["name"], case["file"]["text"], folder)
    rows = expanded(case["rows"])
    match case.get("format", form):
        case "parquet":
            return as_parquet(rows, case.get("types", {}), folder / "data.parquet")
        case "csv":
            return as_csv(rows, folder / "data.csv")
    return as_json_lines(rows, folder / "data.jsonl")


def number(answer: int | str) -> float:
    if isinstance(answer, int):
        return answer
    return math.inf if answer == "inf" else float(Fraction(answer))


def is_close(got: object, answer: int | str) -> bool:
    """Tell whether a ledger's value is the answer: integers equal, the rest to 1e-12."""
    if isinstance(answer, int):
        return type(got) is int and got == answer
    want = number(answer)
    if not isinstance(got, float):
        return False
    return got == want or abs(got - want) <= CLOSE * max(1.0, abs(want))


def is_exact(key: str, got: object, answer: int | str) -> bool:
    """Tell whether an exact value is the answer, to the last digit the answer has."""
    if isinstance(answer, int):
        return type(got) is int and got == answer
    if answer == "inf":
        return got == math.inf
    if isinstance(got, Decimal):
        metric, _, _, statistic = key.split("|")
        irrational = metric.startswith(ROOT_OR_LOGARITHM) or statistic.startswith("std")
        with localcontext(prec=50):
            want = Decimal(Fraction(answer).numerator) / Fraction(answer).denominator
            return irrational and abs(got - want) <= EXACT * max(Decimal(1), abs(want))
    return isinstance(got, int | Fraction) and "." not in answer and got == Fraction(answer)


def wrong(expected: Case, ledger: Any) -> dict[str, str]:
    """Give the keys that a ledger misses or has otherwise."""
    return {
        key: f"expected {answer}, got {ledger.get(key, 'nothing')!r}"
        for key, answer in expected.items()
        if not is_close(ledger.get(key), answer)
    }


@pytest.mark.parametrize("case", cases("expect"))
def test_reference_is_exact(case: Case, tmp_path: Path) -> None:
    ledger = reference.exact(data_of(case, tmp_path), case.get("settings", {}))
    assert {
        key: f"expected {answer}, got {ledger.get(key, 'nothing')!r}"
        for key, answer in case["expect"].items()
        if not is_exact(key, ledger.get(key), answer)
    } == {}
    assert [key for key in case.get("absent", []) if key in ledger] == []


@pytest.mark.parametrize(("case", "form"), cases_in("jsonl", "csv", "parquet"))
def test_primary_has_the_answers(case: Case, form: str, tmp_path: Path) -> None:
    ledger = primary.evaluate(data_of(case, tmp_path, form), case.get("settings", {}))
    assert wrong(case["expect"], ledger) == {}
    assert [key for key in case.get("absent", []) if key in ledger] == []


@pytest.mark.parametrize(("case", "form"), cases_in("csv", "parquet"))
def test_reference_has_the_answers(case: Case, form: str, tmp_path: Path) -> None:
    ledger = reference.evaluate(data_of(case, tmp_path, form), case.get("settings", {}))
    assert wrong(case["expect"], ledger) == {}


@pytest.mark.parametrize("package", [primary, reference], ids=lambda package: package.__name__)
@pytest.mark.parametrize("case", cases("facts"))
def test_facts_are_as_stated(case: Case, package: Any, tmp_path: Path) -> None:
    facts = package.describe(data_of(case, tmp_path), case.get("settings", {}))
    assert {name: facts[name] for name in case["facts"]} == case["facts"]


def fits(problem: Any, asked: Case, message: str) -> bool:
    """Tell whether a reported problem says what the case asks for."""

    def among(value: object, allowed: Any) -> bool:
        return value in allowed if isinstance(allowed, list) else value == allowed

    return (
        ("row" not in asked or among(problem.row, asked["row"]))
        and ("column" not in asked or among(problem.column, asked["column"]))
        and all(part in (problem.query or "") for part in asked.get("query", []))
        and all(part in message for part in asked.get("mentions", []))
    )


@pytest.mark.parametrize("package", [primary, reference], ids=lambda package: package.__name__)
@pytest.mark.parametrize("case", cases("refused"))
def test_bad_input_is_refused(case: Case, package: Any, tmp_path: Path) -> None:
    data = data_of(case, tmp_path)
    with pytest.raises(package.InputError) as caught:
        package.evaluate(data, case.get("settings", {}))
    problems, message = caught.value.problems, str(caught.value)
    unsaid = [
        asked
        for asked in case["refused"]
        if not any(fits(problem, asked, message) for problem in problems)
    ]
    assert unsaid == [], message
    names = [path.name for path in (data.values() if isinstance(data, dict) else [data])]
    assert any(name in message for name in names), message


def series(values: list[str]) -> list[float]:
    return [number(value) for value in values]


def differing(expected: dict[str, list[str]], got: Any) -> dict[str, str]:
    """Give the series, by base key, that are not the expected ones to 1e-12."""
    return {
        key: f"expected {values}, got {list(got.get(key, []))}"
        for key, values in expected.items()
        if len(got.get(key, [])) != len(values)
        or not np.allclose(np.asarray(got[key], float), series(values), rtol=0, atol=CLOSE)
    }


@pytest.mark.parametrize("case", cases("intervals"))
def test_primary_has_the_intervals(case: Case, tmp_path: Path) -> None:
    asked = case["intervals"]
    found = primary.intervals(data_of(case, tmp_path), case.get("settings", {}), asked["plan"])
    for unit, expected in asked.get("replicates", {}).items():
        assert differing(expected, found.replicates[unit]) == {}
    for unit, expected in asked.get("jackknife", {}).items():
        assert differing(expected, found.jackknife[unit]) == {}
    assert wrong(asked["expect"], found.ledger) == {}
    assert [key for key in asked.get("absent", []) if key in found.ledger] == []
    assert [key for key in asked.get("flags", []) if key not in found.flags] == []
    for unit, expected in asked.get("one_class", {}).items():
        assert {key: found.one_class[unit][key] for key in expected} == expected
    for unit, points in asked.get("roc_band", {}).items():
        band = found.roc_band[unit]
        for point in points:
            at = int(Fraction(point["fpr"]) * 100)
            got = [float(band[name][at]) for name in ("fpr", "low", "high")]
            assert got == pytest.approx(series(list(point.values())), rel=0, abs=CLOSE)


def in_order(recomputed: dict[str, dict[int, Any]]) -> dict[str, list[float]]:
    """Make series of values that are given by number."""
    return {
        key: [float(by_number[i]) for i in sorted(by_number)]
        for key, by_number in recomputed.items()
    }


def everything(counts: Any) -> dict[str, list[int]]:
    """Ask for every resample and every deletion to be recomputed; unit seed has no deletions."""
    if isinstance(counts, dict):
        return {"replicates": [*range(len(counts["units"]))], "jackknife": []}
    return {"replicates": [*range(len(counts))], "jackknife": [*range(len(counts[0]))]}


def numbered(counts: Any) -> dict[Any, Any]:
    """Give resamples by number; of unit seed those of its units and of its seeds."""
    if isinstance(counts, dict):
        return {part: dict(enumerate(drawn)) for part, drawn in counts.items()}
    return dict(enumerate(counts))


def handed(asked: Case, part: str, base_keys: list[str]) -> dict[str, dict[str, list[float]]]:
    """Give the worked-out series, and zeros for the base keys that the case is not about."""
    given = {}
    for unit, counts in asked["plan"].items():
        zeros = [0.0] * len(everything(counts)[part])
        owed = [key for key in base_keys if unit != "query" or "|posts|" not in key]
        if unit == "seed":
            owed = [key for key in owed if key.split("|")[2] in ("all", "seeds")]
        worked = {key: series(values) for key, values in asked.get(part, {}).get(unit, {}).items()}
        given[unit] = dict.fromkeys(owed, zeros) | worked
    return given


@pytest.mark.parametrize("case", cases("intervals", "replicates"))
def test_reference_derives_the_intervals(case: Case, tmp_path: Path) -> None:
    asked = case["intervals"]
    data, settings = data_of(case, tmp_path), case.get("settings", {})
    base_keys = headline_keys(reference.describe(data, settings), settings)
    answer = reference.intervals(
        data,
        settings,
        {unit: numbered(counts) for unit, counts in asked["plan"].items()},
        handed(asked, "replicates", base_keys),
        handed(asked, "jackknife", base_keys),
        {unit: everything(counts) for unit, counts in asked["plan"].items()},
    )
    assert wrong(asked["expect"], answer["ledger"]) == {}
    assert [key for key in asked.get("flags", []) if key not in answer["flags"]] == []
    for part in ("replicates", "jackknife"):
        for unit, expected in asked.get(part, {}).items():
            assert differing(expected, in_order(answer["recomputed"][unit][part])) == {}


def two_runs(case: Case, folder: Path) -> tuple[Any, Any]:
    settings = case.get("settings", {})
    baseline = as_json_lines(expanded(case["rows"]), folder / "baseline.jsonl")
    other = as_json_lines(case["comparison"]["rows"], folder / "other.jsonl")
    return (baseline, settings), (other, settings)


@pytest.mark.parametrize("case", cases("comparison"))
def test_primary_compares_two_runs(case: Case, tmp_path: Path) -> None:
    asked = case["comparison"]
    a, b = two_runs(case, tmp_path)
    found = primary.compare(a, b, asked.get("plan"), metrics=asked["metrics"], swaps=asked["swaps"])
    assert differing(asked["permuted"], found.replicates["permuted"]) == {}
    for unit, expected in asked.get("differences", {}).items():
        assert differing(expected, found.replicates["difference"][unit]) == {}
    assert wrong(asked["expect"], found.ledger) == {}
    assert [key for key in asked.get("absent", []) if key in found.ledger] == []


@pytest.mark.parametrize("case", cases("comparison"))
def test_reference_compares_two_runs(case: Case, tmp_path: Path) -> None:
    asked = case["comparison"]
    a, b = two_runs(case, tmp_path)
    replicates = {
        "permuted": {key: series(values) for key, values in asked["permuted"].items()},
        "difference": {
            unit: {key: series(values) for key, values in by_key.items()}
            for unit, by_key in asked.get("differences", {}).items()
        },
    }
    answer = reference.compare(
        a, b, asked.get("plan"), asked["metrics"], asked["swaps"], replicates
    )
    assert wrong(asked["expect"], answer["ledger"]) == {}
    assert [key for key in asked.get("absent", []) if key in answer["ledger"]] == []
    assert differing(asked["permuted"], in_order(answer["recomputed"]["permuted"])) == {}
    for unit, expected in asked.get("differences", {}).items():
        recomputed = answer["recomputed"]["difference"][unit]
        assert differing(expected, in_order(recomputed)) == {}
