"""The fuzzer finds what is planted, says what it is, and finds nothing where there is nothing."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest

import primary
import reference
from crosscheck import cli
from crosscheck.fuzz import search as searching
from crosscheck.fuzz import vector, words
from crosscheck.fuzz.dataset import DataSet
from crosscheck.fuzz.disagreement import disagreements
from crosscheck.fuzz.reduce import reduced
from crosscheck.fuzz.search import Budget, Search
from crosscheck.fuzz.strategies import datasets
from crosscheck.fuzz.undeclared import with_undeclared
from crosscheck.witnesses import Testimony
from crosscheck.witnesses.implementations import PRIMARY, REFERENCE
from crosscheck.witnesses.registry import BY_NAME

if TYPE_CHECKING:
    from crosscheck.data.case import Case
    from crosscheck.fuzz.search import Found
    from crosscheck.model.ledgers import Ledger
    from crosscheck.witnesses import Witness

SCHEMA = json.loads((Path(__file__).parents[1] / "vectors" / "schema.json").read_text("utf-8"))


def found_by(witnesses: list[Witness], count: int) -> dict[tuple[str, str, str], Found]:
    search = Search(witnesses, datasets(), Budget(count=count))
    search.run()
    return search.found


@pytest.fixture(autouse=True)
def patient_shrinking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a busy machine come to the same smallest data sets as an idle one."""
    monkeypatch.setattr(searching, "SHRINKING", math.inf)


def test_nothing_is_found_between_the_two_implementations() -> None:
    assert found_by([PRIMARY, REFERENCE], 40) == {}


def broken(case: Case) -> Testimony:
    """Count a tie between the classes as won: wrong only where probabilities tie."""
    ledger: Ledger = dict(primary.evaluate(case.data, case.settings))
    for key in ledger:
        if key.startswith("auroc|") and "|criteria|" not in key:
            strict = ledger[key.replace("auroc|", "auroc/strict|", 1)]
            ledger[key] = 2 * ledger[key] - strict
    return Testimony(ledger, primary.describe(case.data, case.settings))


def test_a_planted_fault_is_found_shrunk_and_written_as_a_vector(tmp_path: Path) -> None:
    found = found_by([PRIMARY, replace(REFERENCE, testify=broken)], 60)
    (one,) = found.values()
    assert one.disagreement.signature == ("reference", "value", "auroc")
    assert len(one.data.rows) == 2, "a tie takes two queries, and no more"
    path = vector.write(one, tmp_path, 1)
    document = json.loads(path.read_text("utf-8"))
    jsonschema.validate(document, SCHEMA)
    (case,) = document["cases"]
    assert case["expect"] == {one.disagreement.key: "1/2"}
    assert set(case["working"]) == {"primary", "reference"}


def test_the_libraries_traps_are_found_and_named() -> None:
    asked = [PRIMARY, *(with_undeclared(BY_NAME[name]) for name in ("scikit-learn", "trec_eval"))]
    found = found_by(asked, 90)
    named = {words.known_trap(one.disagreement) for one in found.values()}
    assert {trap.id for trap in named if trap} >= {"T1", "T3", "T6", "T10"}
    lines = words.explanation(
        found["trec_eval", "value", "map@K"].disagreement,
        {"map@1/by_gold|positives_only|all|mean": 0.5},
    )
    assert any("T6" in line for line in lines)


def crashing(case: Case) -> Testimony:
    if case.facts["queries"]["positives_only"] == 0:
        raise ZeroDivisionError("no positives")
    return Testimony({})


def test_a_witness_that_falls_silent_is_a_finding() -> None:
    own = replace(BY_NAME["scipy"], name="mine:evaluate", kind="user", testify=crashing)
    (one,) = found_by([PRIMARY, own], 10).values()
    assert one.disagreement.signature == ("mine:evaluate", "silence", "ZeroDivisionError")
    assert "falls silent" in words.headline(one.disagreement)


def test_a_missing_key_and_another_fact_are_findings() -> None:
    def partial(case: Case) -> Testimony:
        ledger = reference.evaluate(case.data, case.settings)
        facts = reference.describe(case.data, case.settings)
        del ledger["queries|all_queries|all|n"]
        return Testimony(ledger, {**facts, "folds": [7]})

    data = DataSet(({"query_id": "q", "candidates": ["a"], "gold": ["a"]},), {"k": [1]})
    found = disagreements(data, [PRIMARY, replace(REFERENCE, testify=partial)])
    assert [(one.kind, one.metric) for one in found] == [("key", "queries"), ("fact", "folds")]


def test_reduction_ends_at_what_is_needed() -> None:
    rows = tuple(
        {"post_id": f"p{n}", "criterion_id": "A", "fold": n % 2, "prob": 0.123 + n / 100, "pred": 1}
        for n in range(6)
    )
    data = DataSet(rows, {"k": [1], "threshold": 0.25}, "csv")

    def shows(one: DataSet) -> bool:
        keyed = [row for row in one.rows if {"post_id", "query_id"} & row.keys()]
        return sum("prob" in row for row in keyed) >= 2

    small = reduced(data, shows)
    assert [set(row) for row in small.rows] == [{"query_id", "prob"}, {"query_id", "prob"}]
    assert (small.settings, small.form) == ({"k": [1]}, "jsonl")


WITNESS = """
import primary

def evaluate(data, settings):
    ledger = primary.evaluate(data, settings)
    return {key: value * 2 for key, value in ledger.items() if key.startswith("brier|")}
"""


def test_the_command_aims_at_a_users_own_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mymetrics.py").write_text(WITNESS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    code = cli.run(
        ["fuzz", "--count", "12", "--witness", "mymetrics:evaluate", "--out", str(tmp_path / "out")]
    )
    assert code == 1
    out = capsys.readouterr().out
    assert "mymetrics:evaluate departs from primary on brier|" in out
    assert list((tmp_path / "out").glob("fuzz-1-*.json")) != []


def test_a_witness_that_does_not_exist_is_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["fuzz", "--count", "1", "--witness", "no_such_module:evaluate"]) == 2
    assert "No module named" in capsys.readouterr().err


def test_the_command_finds_nothing_between_the_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out")
    assert cli.run(["fuzz", "--count", "8", "--witness", "primary", "--out", out]) == 0
    assert "0 disagreements among primary, reference on 8 data sets" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()
