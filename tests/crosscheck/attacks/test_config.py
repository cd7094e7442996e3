"""A config that makes a bad table pass: found without a word, and everything bent in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crosscheck.cli import run
from crosscheck.errors import FAILED

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = """
tolerance = 1e9
[columns]
gold = "top1"
[waivers]
XC901 = "."
"""
FIRST_SCREEN = 24
"""Lines of a terminal."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [f"q{n},EVAL,a|b|c,b,a" for n in range(2)]
    rows += [f"t{n},TRAIN,a|b|c,b,a" for n in range(30)]
    lines = ["query_id,split,candidates,gold,top1", *rows]
    (tmp_path / "answers.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "claims.json").write_text('{"mrr": 0.9}')
    (tmp_path / "crosscheck.toml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CROSSCHECK_POLICY", raising=False)
    return tmp_path


def test_it_does_not_pass_and_the_first_screen_says_why(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--claims", "claims.json", "--witness", "primary", "--no-figures", "--out", "out"]
    assert run(["gate", "answers.csv", *words]) == FAILED
    said = capsys.readouterr().out
    screen = "\n".join(said.splitlines()[:FIRST_SCREEN])
    for line in (
        "crosscheck.toml (found, not named)",
        "gold is read from “top1”, although the file has “gold”",
        "1e+09 is asked for and not granted: 0.01 holds",
        "XC901 does not count: “.”",
        "2 EVAL, 30 TRAIN rows; 30 (93.8 %) are of queries evaluated nowhere",
        "not asked: ranx",
    ):
        assert line in screen
    for rule in ("XC001", "XC002", "XC003", "XC012", "XC901"):
        assert rule in said
    # The same on paper, and for whoever reruns it.
    for name in ("report.html", "report.md", "report.json"):
        text = (place / "out" / name).read_text()
        assert "although the file has" in text
    assert run(["rerun", "out", "--expect", "pass"]) == FAILED
    again = capsys.readouterr().out
    assert "columns: gold is read from “top1”" in again


def test_under_a_strict_policy_it_is_not_even_read(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--claims", "claims.json", "--witness", "primary", "--no-figures", "--strict"]
    assert run(["gate", "answers.csv", *words, "--out", str(place / "out")]) == FAILED
    said = capsys.readouterr().out
    assert "no column is mapped" in said
    assert "No config" in said
    assert "XC002" not in said
    for rule in ("XC005", "XC012", "XC901"):
        assert rule in said
