"""`crosscheck demo DIR`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck import study
from crosscheck.cli import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def _content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_twice_gives_identical_files(tmp_path: Path, written: dict[str, Path]) -> None:
    assert run(["demo", str(tmp_path / "new" / "folder")]) == 0
    again = _content(tmp_path / "new" / "folder")
    assert again == _content(written["full"].parent)
    assert len(again) == len(study.SYSTEM_NAMES) + 2


def test_one_system_as_parquet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", str(tmp_path), "--format", "parquet", "--system", "retriever"]) == 0
    assert set(_content(tmp_path)) == {"retriever.parquet", "crosscheck.toml"}
    assert str(tmp_path / "retriever.parquet") in capsys.readouterr().out


def test_a_file_in_the_way_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "crosscheck.toml"
    mine.write_text("threshold = 0.3\n")
    assert run(["demo", str(tmp_path), "--system", "retriever"]) == 2
    assert "crosscheck.toml would be overwritten" in capsys.readouterr().err
    assert _content(tmp_path) == {"crosscheck.toml": b"threshold = 0.3\n"}


def test_force_writes_over_it(tmp_path: Path) -> None:
    (tmp_path / "crosscheck.toml").write_text("threshold = 0.3\n")
    assert run(["demo", str(tmp_path), "--system", "retriever", "--force"]) == 0
    assert "retriever.csv" in (tmp_path / "crosscheck.toml").read_text()


def test_a_folder_that_cannot_be_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert run(["demo", str(tmp_path / "file" / "sub"), "--system", "retriever"]) == 2
    assert "cannot be written here" in capsys.readouterr().err


def test_an_unknown_system_is_bad_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", str(tmp_path), "--system", "graf"]) == 2
    assert "retriever" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
