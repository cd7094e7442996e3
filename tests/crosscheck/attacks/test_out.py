"""`--out` over an old report: replaced in one step, and nothing that is not ours is ever lost."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from crosscheck import system
from crosscheck.errors import UserError
from crosscheck.report.publish import aside

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FIGURES = [
    {"name": "roc", "files": ["figures/roc.svg", "figures/roc.pdf", "../away/figures/a.svg"]}
]
REPORT = {"systems": [{"name": "s", "figures": FIGURES}]}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Give the folder of an old report."""
    out = tmp_path / "out"
    (out / "figures").mkdir(parents=True)
    for name in ("report.html", "ledger.csv", "figures/roc.svg", "figures/roc.pdf"):
        (out / name).write_text("old")
    (out / "report.json").write_text(json.dumps(REPORT))
    return out


def write(out: Path, meanwhile: Callable[[], object] = lambda: None) -> None:
    with aside(out) as folder:
        (folder / "report.json").write_text(json.dumps(REPORT | {"new": True}))
        meanwhile()


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_an_old_report_is_replaced_as_a_whole(old: Path) -> None:
    write(old)
    assert names(old.parent) == ["out", "out/report.json"]
    assert json.loads((old / "report.json").read_text())["new"]


@pytest.mark.parametrize("name", ["figures/mine.txt", "figures/roc.png", "s/notes", "mine", "t/x"])
def test_a_file_that_is_not_ours_is_named_and_kept(old: Path, name: str) -> None:
    (old / name).parent.mkdir(exist_ok=True)
    (old / name).write_text("precious")
    with pytest.raises(
        UserError, match=f"holds {name.replace('t/x', 't')}.* besides an old report"
    ):
        write(old)
    assert (old / name).read_text() == "precious"
    assert (old / "report.html").read_text() == "old"
    assert names(old.parent)[0] == "out"


def test_a_file_that_came_during_the_run_is_kept(old: Path) -> None:
    with pytest.raises(UserError, match=r"figures/late\.txt"):
        write(old, lambda: (old / "figures" / "late.txt").write_text("precious"))
    assert (old / "figures" / "late.txt").read_text() == "precious"
    assert (old / "report.html").read_text() == "old"


def test_a_file_that_came_at_the_last_moment_is_kept(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = system.exchange

    def late(one: Path, other: Path) -> bool:
        (old / "figures" / "late.txt").write_text("precious")
        return honest(one, other)

    monkeypatch.setattr(system, "exchange", late)
    write(old)
    [kept] = old.parent.rglob("late.txt")
    assert kept.read_text() == "precious"
    assert names(old) == ["report.json"]


def test_a_report_names_no_file_outside_of_its_folder_as_its_own(old: Path) -> None:
    away = old.parent / "away" / "figures"
    away.mkdir(parents=True)
    (away / "a.svg").write_text("precious")
    write(old)
    assert (away / "a.svg").read_text() == "precious"


def test_a_link_in_the_folder_leads_to_no_loss(old: Path) -> None:
    away = old.parent / "away"
    away.mkdir()
    (away / "roc.svg").write_text("precious")
    for name in ("roc.svg", "roc.pdf"):
        (old / "figures" / name).unlink()
    (old / "figures").rmdir()
    (old / "figures").symlink_to(away)
    write(old)
    assert (away / "roc.svg").read_text() == "precious"


@pytest.mark.parametrize("known", [True, False])
def test_the_name_leads_to_a_whole_report_whether_or_not_the_system_can_exchange(
    old: Path, monkeypatch: pytest.MonkeyPatch, *, known: bool
) -> None:
    if not known:
        monkeypatch.setattr(system, "exchange", lambda *_: False)
    write(old)
    assert names(old.parent) == ["out", "out/report.json"]


def test_a_failed_exchange_keeps_the_old_report(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Path) -> bool:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(system, "exchange", broken)
    with pytest.raises(UserError, match="Input/output error"):
        write(old)
    assert (old / "report.html").read_text() == "old"
    assert [path.name for path in old.parent.iterdir()] == ["out"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_a_pipe_in_the_place_of_the_old_report_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    os.mkfifo(tmp_path / "out" / "report.json")
    with pytest.raises(UserError, match="no report of ours"):
        write(tmp_path / "out")
