"""The studies of the field: the same bytes everywhere, and claims that hold."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
import pytest

from crosscheck.cli import run
from crosscheck.study import classes, further

if TYPE_CHECKING:
    from pathlib import Path

SHA256 = {
    "qrels.txt": "531aa81c9bbb8231df59e7db9ac3da1ca7be594da1ac1187280cab700d941443",
    "bm25.run": "6d43c572e53a119a49219dc54cdf54213ea0e98fa8867341c90adf1cf7227808",
    "dense.run": "0c99d4d6f44df125e44f17a353d0723ef3829fc70a8a6a125be96516e843a27f",
    "predictions.csv": "0d05c651b0e569e6c72cda9f34b404ac67f1565a15c544e92859b50e6617c1c5",
}

MARKUP = re.compile(r"<style>.*?</style>|<script>.*?</script>|<[^>]+>", re.DOTALL)
STUDY = re.compile(r"\b(sentences?|posts?|criteri(on|a)|evidence|clinicians?)\b", re.IGNORECASE)
"""Words of the study of evidence: none of them belongs into a report of other data."""


@pytest.mark.parametrize("name", further.FURTHER)
def test_the_bytes_are_those_committed(name: str) -> None:
    files = further.contents(name)
    found = {
        file: hashlib.sha256(content).hexdigest()
        for file, content in files.items()
        if file in SHA256
    }
    assert found == {file: SHA256[file] for file in found}
    assert {"crosscheck.toml", "claims.json"} < set(files)


def test_scores_tie_in_32_bits_that_differ_in_the_file() -> None:
    for name in ("bm25.run", "dense.run"):
        rounded: dict[str, dict[float, set[str]]] = defaultdict(lambda: defaultdict(set))
        for line in further.contents("trec")[name].decode().splitlines():
            topic, _, _, _, score, _ = line.split()
            rounded[topic][float(np.float32(score))].add(score)
        tied = [any(len(same) > 1 for same in found.values()) for found in rounded.values()]
        assert len(tied) == 50
        assert sum(tied) > 40


def test_the_grades_have_every_kind() -> None:
    lines = further.contents("trec")["qrels.txt"].decode().splitlines()
    assert {line.split()[3] for line in lines} == {"-1", "0", "1", "2", "3"}


def test_the_classes_tie_and_one_is_missing_from_a_data_set() -> None:
    rows = list(
        csv.DictReader(io.StringIO(further.contents("classes")["predictions.csv"].decode()))
    )
    probs = [json.loads(row["class_probs"]) for row in rows]
    assert len(rows) == 3 * 3 * 60
    assert sum(max(row) == sorted(row)[-2] for row in probs) > 10
    assert all(sum(round(value * 1000) for value in row) == 1000 for row in probs)
    assert all(min(row) > 0 for row in probs)
    labels = {row["label"] for row in rows if row["dataset"] == classes.WITHOUT_RARE}
    assert labels == set(classes.CLASSES) - {classes.RARE}
    firsts = [classes.CLASSES[row.index(max(row))] for row in probs]
    assert [row["predicted"] for row in rows] == firsts


@pytest.mark.parametrize("name", further.FURTHER)
def test_the_command_writes_it(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["demo", str(tmp_path), "--study", name]) == 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == further.contents(name)
    assert run(["demo", str(tmp_path), "--study", name]) == 2
    assert "would be overwritten" in capsys.readouterr().err
    assert run(["demo", str(tmp_path), "--study", name, "--format", "csv"]) == 2
    assert "study of evidence" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "witness"), [("trec", "trec_eval"), ("classes", "scikit-learn")])
def test_every_claim_of_the_study_holds(
    name: str, witness: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    further.write(name, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run(["gate", "--witness", witness, "--no-figures", "--out", "out", "-q"]) == 0
    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    claimed = [claim for system in report["systems"] for claim in system["claims"]]
    assert {claim["status"] for claim in claimed} == {"holds"}
    assert len(claimed) == {"trec": 16, "classes": 12}[name]
    for page in ("report.html", "report.md"):
        text = (tmp_path / "out" / page).read_text(encoding="utf-8")
        seen = MARKUP.sub(" ", text)
        assert not STUDY.search(seen), STUDY.search(seen)
