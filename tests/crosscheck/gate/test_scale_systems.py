"""Several systems with an engine: each counted in turn, each with a sample of its own."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import primary
from crosscheck.gate import job, scale
from crosscheck.gate.request import prepare
from crosscheck.model.options import Options
from crosscheck.report.assemble import report_of

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 200
KEY = "recall@3|positives_only|all|mean"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take a sample of a hundred rows."""
    monkeypatch.setattr(scale, "SAMPLE_ROWS", 100)
    monkeypatch.setattr(scale, "FEWEST", 2)


def write(path: Path, seed: int, rows: int = ROWS) -> str:
    """Write queries with two rankings."""
    draw = random.Random(seed)
    ids = [f"u{at}" for at in range(6)]
    table = pa.table(
        {
            "query_id": [f"q{at}" for at in range(rows)],
            "candidates": [draw.sample(ids, 6) for _ in range(rows)],
            "reranked": [draw.sample(ids, 6) for _ in range(rows)],
            "gold": [draw.sample(ids, draw.randint(1, 3)) for _ in range(rows)],
        }
    )
    parquet.write_table(table, path)
    return str(path)


def gated(**asked: Any) -> Any:
    options = Options(engine="duckdb", witnesses=("trec_eval",), k=(3,), **asked)
    with prepare(options, search=False) as request:
        return job.run(replace(request, processes=False))


def test_two_rankings_of_one_file_are_counted_in_turn(tmp_path: Path) -> None:
    data = write(tmp_path / "both.parquet", 1)
    outcome = gated(data=data, rankings=(("first", "candidates"), ("second", "reranked")))
    assert [one.system for one in outcome.evidence] == [
        "first",
        "second",
        "first, 1 in 2 queries",
        "second, 1 in 2 queries",
    ]
    for one, column in zip(outcome.evidence, ("candidates", "reranked"), strict=False):
        settings = {"k": [3], "columns": {"candidates": column}}
        assert one.ledger == pytest.approx(primary.evaluate(data, settings), rel=1e-12)
    for one in outcome.evidence[2:]:
        pairs = {(pair.first, pair.second): pair for pair in one.comparisons}
        assert pairs["reference", "sql"].count("exact") == len(one.case.owed)
    assert outcome.ablation is None
    told = [one.sampled for one in report_of(outcome).systems]
    assert told[0].endswith("the systems were not compared with each other")
    assert outcome.verdict == "pass"


def configured(tmp_path: Path, second: int) -> str:
    """Write two systems, a table of claims about both, and a config that names them."""
    values = {}
    for name, seed, rows in (("one", 1, ROWS), ("two", 2, second)):
        data = write(tmp_path / f"{name}.parquet", seed, rows)
        values[name] = primary.evaluate(data, {"k": [3]})[KEY]
    lines = [f"| {name} | {value:.4f} |" for name, value in values.items()]
    claims = "\n".join(["| system | Recall@3 |", "|---|---|", *lines])
    (tmp_path / "claims.md").write_text(claims, encoding="utf-8")
    config = tmp_path / "crosscheck.toml"
    systems = "\n".join(f'[systems.{name}]\ndata = "{name}.parquet"' for name in values)
    config.write_text(f'k = [3]\nclaims = "claims.md"\n{systems}\n', encoding="utf-8")
    return str(config)


def test_claims_of_one_table_are_held_against_each_system(tmp_path: Path) -> None:
    outcome = gated(config=configured(tmp_path, ROWS))
    first, second, *samples = outcome.evidence
    assert [one.status for one in first.claims] == ["holds"]
    assert [one.status for one in second.claims] == ["holds"]
    assert all(one.claims == () for one in samples)
    assert outcome.verdict == "pass"


def test_a_small_system_beside_a_large_one_is_seen_whole(tmp_path: Path) -> None:
    outcome = gated(config=configured(tmp_path, 60))
    assert [one.system for one in outcome.evidence] == [
        "one",
        "two",
        "one, 1 in 2 queries",
        "two, all queries",
    ]
    assert [one.case.facts["rows"]["EVAL"] for one in outcome.evidence[1::2]] == [60, 60]
    # That the two are not over the same queries is told as it is without an engine.
    assert {one.rule for one in outcome.findings if one.severity == "error"} == {"XC702"}


def test_small_systems_are_compared_as_without_an_engine(tmp_path: Path) -> None:
    data = write(tmp_path / "both.parquet", 3, 60)
    outcome = gated(data=data, rankings=(("first", "candidates"), ("second", "reranked")))
    assert [one.system for one in outcome.evidence] == ["first", "second"]
    assert outcome.comparison is not None
    pairs = {(one.first, one.second) for one in outcome.evidence[0].comparisons}
    assert ("primary", "sql") in pairs


def test_parts_that_lack_a_class_add_up_to_all_rows(tmp_path: Path) -> None:
    draw = random.Random(5)
    labels = ["once", *draw.choices(["a", "b"], k=ROWS - 1)]
    table = pa.table(
        {
            "query_id": [f"q{at}" for at in range(ROWS)],
            "label": labels,
            "predicted": draw.choices(["a", "b"], k=ROWS),
        }
    )
    parquet.write_table(table, tmp_path / "classes.parquet")
    outcome = gated(data=str(tmp_path / "classes.parquet"), residues=3)
    whole, _ = outcome.evidence
    [added] = whole.comparisons
    # Of each of three classes four counts and the support, nine cells, and the rows.
    assert added.shared == added.count("exact") == 25
    assert outcome.verdict == "pass"


def test_rows_without_a_key_are_sampled_by_their_number(tmp_path: Path) -> None:
    draw = random.Random(6)
    probs = [round(draw.random(), 3) for _ in range(ROWS)]
    table = pa.table({"has_evidence": draw.choices([0, 1], k=ROWS), "prob": probs})
    parquet.write_table(table, tmp_path / "bare.parquet")
    outcome = gated(data=str(tmp_path / "bare.parquet"))
    whole, sample = outcome.evidence
    assert (whole.case.facts["key"], sample.case.facts["key"]) == ("rows", "rows")
    expected = primary.describe(str(tmp_path / "bare.parquet"), {"sample": 2})
    assert sample.case.facts["rows"] == expected["rows"]
    assert outcome.verdict == "pass"
