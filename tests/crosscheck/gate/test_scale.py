"""The gate with an engine: all rows counted by it, the sample verified by everybody."""

from __future__ import annotations

import json
import random
import tempfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import primary
from crosscheck.engine.base import EngineError
from crosscheck.engine.intervals import drawn
from crosscheck.gate import job, scale
from crosscheck.gate.request import prepare
from crosscheck.model.options import Options
from crosscheck.report.circumstances import circumstances

if TYPE_CHECKING:
    from pathlib import Path

POSTS = 120
ENDS = ("ci_low", "ci_high")


@pytest.fixture
def data(tmp_path: Path) -> str:
    """Write two files of posts with two queries each."""
    draw = random.Random(4)
    (tmp_path / "rows").mkdir()
    for part in range(2):
        ids = [(f"p{part}-{post}", criterion) for post in range(POSTS // 2) for criterion in "ab"]
        gold = [["x"] if draw.random() < 0.4 else [] for _ in ids]
        table = pa.table(
            {
                "post_id": [post for post, _ in ids],
                "criterion_id": [criterion for _, criterion in ids],
                "candidates": [["x", "y", "z"] for _ in ids],
                "scores": [[draw.random() for _ in range(3)] for _ in ids],
                "gold": pa.array(gold, pa.list_(pa.string())),
                "prob": [round(draw.random(), 3) for _ in ids],
            }
        )
        parquet.write_table(table, tmp_path / "rows" / f"{part}.parquet")
    return str(tmp_path / "rows")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Take a sample of a hundred rows, and write what is temporary to a folder of its own."""
    monkeypatch.setattr(scale, "SAMPLE_ROWS", POSTS)
    monkeypatch.setattr(scale, "FEWEST", 2)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


def gated(data: str | None, **asked: Any) -> Any:
    options = Options(data=data, engine="duckdb", witnesses=("trec_eval",), k=(3,), **asked)
    with prepare(options, search=False) as request:
        return job.run(replace(request, processes=False))


def test_all_rows_and_the_sample_are_two_systems(data: str, tmp_path: Path) -> None:
    claims = tmp_path / "claims.json"
    value = primary.evaluate(data, {"k": [3]})["recall@3|positives_only|all|mean"]
    claims.write_text(json.dumps({"recall@3": round(value, 4)}), encoding="utf-8")
    outcome = gated(data, claims=(str(claims),), residues=3)
    whole, sample = outcome.evidence
    assert (whole.system, sample.system) == ("rows", "rows, 1 in 2 posts")
    assert whole.case.facts["rows"]["EVAL"] == 2 * POSTS
    assert sample.case.facts["rows"]["EVAL"] < 2 * POSTS
    assert whole.ledger == pytest.approx(primary.evaluate(data, {"k": [3]}), rel=1e-12)
    assert [one.status for one in whole.claims] == ["holds"]
    # On the sample the engine is compared with both implementations, key by key.
    pairs = {(one.first, one.second): one for one in sample.comparisons}
    assert pairs["primary", "sql"].count("exact") == len(sample.case.owed)
    assert pairs["reference", "sql"].count("exact") == len(sample.case.owed)
    # Over all rows the primary's parts add up to what the engine counted.
    [added] = whole.comparisons
    assert added.shared > 100
    assert added.count("exact") == added.shared
    assert outcome.verdict == "pass"
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_wrong_claim_about_all_rows_fails(data: str, tmp_path: Path) -> None:
    claims = tmp_path / "claims.json"
    claims.write_text(json.dumps({"recall@3": 0.1234}), encoding="utf-8")
    outcome = gated(data, claims=(str(claims),))
    assert outcome.verdict == "fail"
    assert [one.rule for one in outcome.findings if one.severity == "error"] == ["XC901"]


def test_intervals_of_all_rows_say_what_was_resampled(
    data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawn, "GROUPS", 50)
    outcome = gated(data, resamples=200)
    whole, sample = outcome.evidence
    assert whole.facts["resampled"] == {
        "post": "50 groups of posts",
        "query": "each query, by kinds; 50 groups of queries for probabilities",
    }
    assert "intervals by post resample 50 groups of posts" in [
        one.text for one in circumstances(outcome) if one.weakens
    ]
    ends = [whole.ledger[f"ndcg@3|positives_only|all|{end}/post/bca"] for end in ENDS]
    assert ends[0] < whole.ledger["ndcg@3|positives_only|all|mean"] < ends[1]
    # A curve is no sum over groups: it has an interval in the sample alone, and a reason here.
    key = "auroc|all_queries|all|ci_low/post/percentile"
    assert key in sample.ledger
    assert key not in whole.ledger
    assert "in the order of their scores" in whole.statement("sql").answer.declined[key]
    # On the sample the engine's own draws are held against the primary's, within chance.
    assert len(sample.statement("sql").answer.drawn) > 50
    assert outcome.verdict == "pass"


def test_few_rows_are_seen_by_everybody(data: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scale, "SAMPLE_ROWS", 10_000)
    [whole] = gated(data).evidence
    pairs = {(one.first, one.second): one for one in whole.comparisons}
    assert pairs["primary", "sql"].count("exact") == len(whole.case.owed)


def test_what_an_engine_does_not_offer_is_refused(data: str, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="--engine counts the rows of files: name the data"):
        gated(None)
    with (
        prepare(Options(data=data, residues=2), search=False) as request,
        pytest.raises(EngineError, match="--residues needs --engine"),
    ):
        job.run(request)
    assert list((tmp_path / "temporary").iterdir()) == []
