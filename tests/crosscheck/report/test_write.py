from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from crosscheck.report import json, ledger
from crosscheck.report.gallery import Drawn, Gallery
from crosscheck.report.names import folder_name
from crosscheck.report.write import write_all, write_figured, write_ledgers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crosscheck.report.view import Report

DRAWN = Drawn("roc", "What to see", "What is there", "How", "<svg/>", b"%PDF", "<svg></svg>")
GALLERY = Gallery((DRAWN,), {"grid": "no TUNE rows"})


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_one_run_gives_every_format(report: Report, study: Any, tmp_path: Path) -> None:
    write_all(report, {"full": study.ledgers}, {"full": GALLERY}, tmp_path)
    assert list(files(tmp_path)) == [
        "badge.json",
        "badge.svg",
        "codequality.json",
        "figures/roc.pdf",
        "figures/roc.svg",
        "junit.xml",
        "ledger.csv",
        "report.html",
        "report.json",
        "report.md",
        "report.sarif",
    ]


def test_the_ledgers_are_written_before_there_are_figures(
    report: Report, study: Any, tmp_path: Path
) -> None:
    begun, whole = tmp_path / "begun", tmp_path / "whole"
    half = write_ledgers(report, {"full": study.ledgers}, begun)
    assert list(files(begun)) == ["ledger.csv"]
    given = write_figured(half, {"full": GALLERY}, begun)
    assert given == write_all(report, {"full": study.ledgers}, {"full": GALLERY}, whole)
    assert files(begun) == files(whole)


def test_the_report_names_its_ledger_and_figures(
    report: Report, study: Any, tmp_path: Path
) -> None:
    given = write_all(report, {"full": study.ledgers}, {"full": GALLERY}, tmp_path)
    assert json.read(tmp_path) == given
    file = given.systems[0].ledger
    assert file is not None
    assert file.columns == ["key", "primary", "reference", "verdict"]
    frame = pl.read_csv(tmp_path / file.path, columns=file.columns, infer_schema=False)
    assert file.keys == len(frame)
    assert file.sha256 == hashlib.sha256(frame.write_csv().encode()).hexdigest()
    assert given.systems[0].figures[0].files == ["figures/roc.svg", "figures/roc.pdf"]
    assert given.systems[0].not_drawn == {"grid": "no TUNE rows"}


def test_last_digits_of_an_outside_witness_change_the_ledger_and_nothing_else(
    report: Report, study: Any, tmp_path: Path
) -> None:
    theirs = {key: value * (1 + 2e-16) for key, value in study.ledgers["ranx"].items()}
    for name, ledgers in (("here", study.ledgers), ("there", {**study.ledgers, "ranx": theirs})):
        write_all(report, {"full": ledgers}, {"full": GALLERY}, tmp_path / name)
    here, there = files(tmp_path / "here"), files(tmp_path / "there")
    assert [name for name in here if here[name] != there[name]] == ["ledger.csv"]


def test_the_ledger_is_the_one_that_was_handed_over(
    report: Report, study: Any, tmp_path: Path
) -> None:
    write_all(report, {"full": study.ledgers}, {}, tmp_path)
    assert ledger.read((tmp_path / "ledger.csv").read_text(encoding="utf-8")) == study.ledgers


def test_several_systems_have_folders_of_their_own(
    report: Report, make_report: Callable[..., Report], study: Any, tmp_path: Path
) -> None:
    systems = [report.systems[0].model_copy(update={"name": name}) for name in ("a", "../b")]
    ledgers = dict.fromkeys(("a", "../b"), study.ledgers)
    galleries = {"a": GALLERY, "../b": GALLERY, None: GALLERY}
    given = write_all(make_report(systems=systems), ledgers, galleries, tmp_path)
    other = folder_name("../b")
    found = files(tmp_path)
    assert {f"{name}/ledger.csv" for name in ("a", other)} <= set(found)
    assert {"figures/roc.svg", "a/figures/roc.svg", f"{other}/figures/roc.svg"} <= set(found)
    assert given.systems[1].figures[0].files[0] == f"{other}/figures/roc.svg"


def test_no_name_leaves_the_folder_or_shares_one() -> None:
    names = ["a", "A/b", "A_b", "..", "/", "", "a\x00", "a\n", "ü", ".hidden"]
    folders = [folder_name(name) for name in names]
    assert len(set(folders)) == len(names)
    for folder in folders:
        assert folder
        assert not folder.startswith(".")
        assert "/" not in folder


def test_names_that_differ_in_case_alone_share_no_folder_on_any_system() -> None:
    names = ["BM25", "bm25", "dense"]
    folders = [folder_name(name, names) for name in names]
    assert len({folder.casefold() for folder in folders}) == 3
    assert folders[2] == "dense"


@pytest.mark.parametrize("name", ["con", "NUL", "Lpt1", "aux.v2"])
def test_a_device_of_windows_is_no_folder(name: str) -> None:
    assert folder_name(name).startswith(f"{name}-")
    assert folder_name(f"my {name}") == f"my {name}"


def test_the_same_run_gives_the_same_bytes(report: Report, study: Any, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_all(report, {"full": study.ledgers}, {"full": GALLERY}, tmp_path / name)
    assert files(tmp_path / "one") == files(tmp_path / "two")
