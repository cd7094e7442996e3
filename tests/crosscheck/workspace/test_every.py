"""`crosscheck gate --all` and `crosscheck watch`."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from crosscheck.cli import run
from crosscheck.commands.watch import follow
from crosscheck.workspace.cached import TOLD
from crosscheck.workspace.every import Ran, _target, code_of, configs_below
from crosscheck.workspace.watching import watched

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROWS = "query_id,candidates,gold\nq1,s1|s2,s1\nq2,s3|s4,s4\n"
CONFIG = 'data = "rows.csv"\nclaims = "claims.json"\n'
QUICK = ("--witness", "trec_eval", "--no-figures")


def paper(folder: Path, mrr: float = 0.75) -> Path:
    folder.mkdir(parents=True)
    (folder / "rows.csv").write_text(ROWS, encoding="utf-8")
    (folder / "claims.json").write_text(json.dumps({"MRR": mrr}), encoding="utf-8")
    (folder / "crosscheck.toml").write_text(CONFIG, encoding="utf-8")
    return folder


def test_every_config_below_a_folder_is_found_and_no_other(tmp_path: Path) -> None:
    mine = [paper(tmp_path / "b"), paper(tmp_path / "b" / "deep"), paper(tmp_path / "c")]
    paper(tmp_path / ".hidden")
    bundle = paper(tmp_path / "bundle" / "inputs").parent
    for name in ("report.json", "machine.json", "SHA256SUMS"):
        (bundle / name).touch()
    assert configs_below(tmp_path) == mine


def test_files_of_other_programs_hide_no_config(tmp_path: Path) -> None:
    mine = [paper(tmp_path / "b"), paper(tmp_path / "b" / "deep")]
    for place in (tmp_path, *mine):
        (place / "report.json").touch()
        (place / "SHA256SUMS").touch()
    assert configs_below(tmp_path) == mine


def test_no_report_goes_into_that_of_another_config(tmp_path: Path) -> None:
    root, out = tmp_path / "papers", tmp_path / "out"
    places = [root, root / "a", root / "a" / "b", root / "c", root / "this"]
    targets = [_target(root, out, one, places) for one in places]
    assert targets == [out / one for one in ("this_", "a/this", "a/b", "c", "this")]


def test_a_folder_without_a_config_is_no_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["gate", "--all", str(tmp_path)]) == 2
    assert "no crosscheck.toml below it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("codes", "whole"),
    [((0, 0), 0), ((0, 1), 1), ((1, 2), 2), ((2, 3), 3), ((0, -9), 3), ((), 2)],
)
def test_the_worst_code_is_the_code_of_all(
    tmp_path: Path, codes: tuple[int, ...], whole: int
) -> None:
    assert code_of([Ran(tmp_path, code, "", None) for code in codes]) == whole


def test_what_speaks_of_one_set_of_data_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paper(tmp_path / "a")
    assert run(["gate", "--all", str(tmp_path), "--claims", "x.json"]) == 2
    assert "--claims speaks of one set of data" in capsys.readouterr().err


@pytest.mark.slow
def test_all_configs_have_one_summary_and_one_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    paper(tmp_path / "wrong", 0.9)
    (paper(tmp_path / "broken") / "rows.csv").unlink()
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.chdir(tmp_path)
    assert run(["gate", "--all", ".", *QUICK]) == 2
    said = capsys.readouterr().out
    assert "ERROR broken  rows.csv: no such file" in said
    assert "FAIL  wrong  " in said
    assert said.endswith("2 configs: 1 FAIL, 1 ERROR\n")
    assert ",file=wrong/claims.json,line=1,col=9::" in said
    assert (tmp_path / "wrong" / "reports" / "latest" / "report.html").is_file()
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert summary.startswith("# 2 configs: 1 FAIL, 1 ERROR\n")
    assert "| ERROR | broken | rows.csv: no such file" in summary
    assert "\n## wrong\n\n# ❌ FAIL\n" in summary


@pytest.mark.slow
def test_what_was_made_before_is_said_to_be_cached(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROSSCHECK_CACHE", "1")
    monkeypatch.chdir(paper(tmp_path / "paper"))
    assert run(["gate", "--all", *QUICK]) == 0
    assert "cached" not in capsys.readouterr().out
    assert run(["gate", "--all", *QUICK]) == 0
    every = capsys.readouterr().out
    assert " (cached)\n" in every
    assert every.endswith("1 config: 1 PASS (1 cached)\n")
    assert run(["gate", "--all", *QUICK, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["configs"][0]["cached"] is True
    for word, said in (("-q", "PASS: "), ("--json", "{")):
        command = [sys.executable, "-m", "crosscheck", "gate", word, *QUICK]
        once = subprocess.run(command, capture_output=True, text=True, check=True)
        assert once.stderr == f"{TOLD}\n"
        assert once.stdout.startswith(said)
        assert "cached" not in once.stdout


@pytest.mark.slow
def test_watching_shows_only_what_moved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = paper(tmp_path / "paper")
    rows, claims = folder / "rows.csv", folder / "claims.json"

    def changes(files: list[Path]) -> Iterator[None]:
        assert set(files) == {rows, claims, folder / "crosscheck.toml"}
        rows.write_text("query_id,candidates\n", encoding="utf-8")
        yield
        rows.write_text(ROWS.replace("s3|s4,s4", "s3|s4,s3"), encoding="utf-8")
        yield

    with watched([str(rows), "--claims", str(claims), *QUICK]) as one:
        follow(one, changes)
    said = capsys.readouterr().out
    assert said.startswith("PASS: ")
    assert "the file holds no rows" in said
    assert "MRR" in said
    assert "FAIL: " in said


def test_ctrl_c_is_how_one_stops_watching(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("crosscheck.commands.watch.follow", pressed)
    assert run(["watch", "rows.csv"]) == 0
    assert capsys.readouterr().err == ""


def test_watching_writes_no_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["watch", "x.csv", "--out", "here"]) == 2
    assert "watching writes no report" in capsys.readouterr().err
