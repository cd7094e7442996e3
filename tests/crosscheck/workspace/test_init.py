"""`crosscheck init`: from files to a config that gates them."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import pytest

from crosscheck import config
from crosscheck.cli import run

if TYPE_CHECKING:
    from pathlib import Path

ROWS = "query_id,candidates,gold\nq1,s1|s2,s1\nq2,s3|s4,s4\n"
TABLE = "| Metric | Ours |\n|---|---|\n| MRR | 0.750 |\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "answers.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "paper.md").write_text(TABLE, encoding="utf-8")
    return tmp_path


def written(folder: Path) -> dict[str, object]:
    return tomllib.loads((folder / "crosscheck.toml").read_text(encoding="utf-8"))


def test_data_and_claims_are_told_apart(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", str(folder)]) == 0
    assert written(folder) == {"data": "answers.csv", "claims": {"files": ["paper.md"]}}
    said = capsys.readouterr().out
    assert "answers.csv: 2 rows to evaluate: ranking" in said
    assert "paper.md: 1 claimed number\n" in said


def test_the_config_is_read_as_it_is_meant(folder: Path) -> None:
    run(["init", str(folder)])
    read = config.read(folder / "crosscheck.toml")
    assert read.claims is not None
    assert (read.data, read.claims.files) == ("answers.csv", ["paper.md"])


def test_a_config_is_never_replaced_without_being_asked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "crosscheck.toml").write_text("# mine\n", encoding="utf-8")
    assert run(["init", str(folder)]) == 2
    assert "is there already; --force replaces it" in capsys.readouterr().err
    assert (folder / "crosscheck.toml").read_text(encoding="utf-8") == "# mine\n"
    assert run(["init", "--force", str(folder)]) == 0
    assert written(folder)["data"] == "answers.csv"


def test_a_dry_run_writes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "--dry-run", str(folder)]) == 0
    assert tomllib.loads(capsys.readouterr().out)["data"] == "answers.csv"
    assert not (folder / "crosscheck.toml").exists()


def test_a_run_finds_the_judgements_of_its_own_queries(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("301 0 d1 1\n302 0 d2 1\n", encoding="utf-8")
    (tmp_path / "b.qrels").write_text("q1 0 d1 1\nq2 0 d2 1\n", encoding="utf-8")
    ranked = {"q1": {"d1": 2.5, "d2": 1.0}, "q2": {"d2": 3.0}}
    (tmp_path / "mine.json").write_text(json.dumps(ranked), encoding="utf-8")
    (tmp_path / "bm25.run").write_text("301 Q0 d1 1 9.2 x\n302 Q0 d9 1 8.1 x\n", encoding="utf-8")
    assert run(["init", str(tmp_path)]) == 0
    assert written(tmp_path)["systems"] == {
        "bm25": {"data": {"qrels": "a.qrels", "run": "bm25.run"}},
        "mine": {"data": {"qrels": "b.qrels", "run": "mine.json"}},
    }


@pytest.mark.parametrize("name", ['wei"rd\\name', "new\nline", "ümlaut [x]"])
def test_any_file_name_can_be_written(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.csv").write_text(ROWS, encoding="utf-8")
    assert run(["init", str(tmp_path)]) == 0
    assert written(tmp_path)["data"] == f"{name}.csv"


def test_a_folder_without_data_is_told_what_was_looked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.csv").write_text("frage,antworten,richtig\n1,a|b,a\n2,c|d,d\n", encoding="utf-8")
    assert run(["init", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "no data were recognised" in said
    assert 'candidates = "antworten"' in said
    assert not (tmp_path / "crosscheck.toml").exists()


def test_reports_and_hidden_folders_are_not_looked_into(folder: Path) -> None:
    for name in (".venv", "reports"):
        (folder / name).mkdir()
        (folder / name / "other.csv").write_text(ROWS, encoding="utf-8")
    run(["init", str(folder)])
    assert written(folder)["data"] == "answers.csv"
