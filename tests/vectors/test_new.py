"""A scaffold gives a case that is well formed, fails until it is answered, and changes no other."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

HERE = Path(__file__).parent


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    for path in HERE.iterdir():
        if path.suffix == ".json" or path.name == "new.py":
            shutil.copy(path, tmp_path)
    return tmp_path


def begin(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(folder / "new.py"), *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def read(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


@pytest.mark.parametrize(
    ("metric", "file", "key", "answer"),
    [
        ("ndcg@10", "ranking.json", "ndcg@10|positives_only|all|mean", "-1"),
        ("map@5/by_gold", "ranking.json", "map@5/by_gold|positives_only|all|mean", "-1"),
        ("ece@10", "calibration.json", "ece@10|all_queries|all|value", "-1"),
        ("tp", "classification.json", "tp|all_queries|all|value", -1),
    ],
)
def test_a_case_is_added_to_its_family_and_nothing_else_changes(
    metric: str, file: str, key: str, answer: object, copied: Path
) -> None:
    before = {path.name: path.read_text(encoding="utf-8") for path in copied.glob("*.json")}
    ran = begin(copied, metric, "what-is-special")
    assert (ran.returncode, ran.stderr) == (0, "")
    after = {path.name: path.read_text(encoding="utf-8") for path in copied.glob("*.json")}
    assert [name for name in before if before[name] != after[name]] == [file]
    assert after[file].startswith(before[file].removesuffix("\n  ]\n}\n"))
    document = read(copied / file)
    jsonschema.validate(document, read(copied / "schema.json"))
    case = document["cases"][-1]
    assert (case["id"], case["expect"]) == ("what-is-special", {key: answer})
    assert set(case["flags"]) <= set(document["flags"])


def test_it_is_written_as_the_others_are(copied: Path) -> None:
    begin(copied, "ece@10")
    text = (copied / "calibration.json").read_text(encoding="utf-8")
    added = text[text.index('    {\n      "id": "ece-m-new"') :]
    lines = added.splitlines()
    assert '        {"query_id": "q1", "has_evidence": 1, "prob": 1.0},' in lines
    assert '      "expect": {"ece@10|all_queries|all|value": "-1"},' in lines
    assert lines[-4:] == ["      }", "    }", "  ]", "}"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["ndgc@10"], "the contract has no such metric; perhaps ndcg@K"),
        (["auroc", "Special"], "small letters, digits and hyphens only"),
        (["auroc", read(HERE / "ranking.json")["cases"][0]["id"]], "another case has this id"),
    ],
)
def test_what_cannot_be_begun_is_refused(words: list[str], message: str, copied: Path) -> None:
    ran = begin(copied, *words)
    assert ran.returncode == 2
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr
