"""What becomes of a run whose words nobody reads, or nothing takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import IO

FULL = Path("/dev/full")
"""A device that takes nothing."""
GATE = ("gate", "answers.csv", "--witness", "primary", "--no-figures", "--no-cache")
full = pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is full")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = "query_id,candidates,gold\nq1,a|b|c,a\nq2,d|e,e\n"
    (tmp_path / "answers.csv").write_text(rows, encoding="utf-8")
    return tmp_path


def ran(
    folder: Path,
    words: Sequence[str],
    *,
    out: int | IO[str],
    err: int | IO[str],
    shut: bool = False,
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "crosscheck", *words]
    if shut:
        command = ["sh", "-c", 'exec "$0" "$@" <&- >&- 2>&-', *command]
    return subprocess.run(command, cwd=folder, stdout=out, stderr=err, text=True, check=False)


def reported(folder: Path) -> bool:
    return (folder / "reports" / "latest" / "report.json").is_file()


@pytest.mark.parametrize("cached", [False, True])
def test_a_gate_whose_reader_has_gone_ends_its_work_and_gives_its_verdict(
    folder: Path, *, cached: bool
) -> None:
    if cached:
        kept = (*GATE[:-1], "--out", "first")
        assert ran(folder, kept, out=subprocess.DEVNULL, err=subprocess.DEVNULL).returncode == 0
    words = GATE[:-1] if cached else GATE
    read, write = os.pipe()
    os.close(read)
    try:
        done = ran(folder, words, out=write, err=subprocess.PIPE)
    finally:
        os.close(write)
    assert done.returncode == 0, done.stderr
    assert reported(folder)


def test_another_command_ends_when_its_reader_has_gone(folder: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = ran(folder, ["rules"], out=write, err=subprocess.PIPE)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (130, "")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of Windows always wait")
def test_a_slow_reader_of_a_pipe_that_does_not_wait_gets_every_word(folder: Path) -> None:
    read, write = os.pipe()
    os.set_blocking(write, False)
    words = [sys.executable, "-m", "crosscheck", "contract", "--json"]
    with subprocess.Popen(words, cwd=folder, stdout=write, stderr=subprocess.PIPE) as process:
        os.close(write)
        time.sleep(1)  # the pipe is full by now, or will be found empty: nothing depends on it
        with os.fdopen(read, encoding="utf-8") as told:
            assert json.load(told)
    assert process.returncode == 0


@full
def test_what_cannot_be_told_of_the_work_keeps_nobody_from_it(folder: Path) -> None:
    with FULL.open("w") as nowhere:
        done = ran(folder, GATE, out=subprocess.PIPE, err=nowhere)
    assert done.returncode == 0
    assert "P A S S" in done.stdout
    assert reported(folder)


@full
def test_a_verdict_that_cannot_be_printed_is_said_to_be_lost(folder: Path) -> None:
    with FULL.open("w") as nowhere:
        done = ran(folder, (*GATE, "--quiet"), out=nowhere, err=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr == (
        "crosscheck: what is printed cannot be written (No space left on device)\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix closes the streams")
def test_a_gate_without_any_stream_writes_its_report(folder: Path) -> None:
    nobody = subprocess.DEVNULL
    assert ran(folder, GATE, out=nobody, err=nobody, shut=True).returncode == 0
    assert reported(folder)


def test_figures_are_drawn_whatever_a_notebook_draws_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MPLBACKEND", "module://of_a_notebook.elsewhere")
    words = [word for word in GATE if word != "--no-figures"]
    done = ran(folder, words, out=subprocess.PIPE, err=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    assert list((folder / "reports" / "latest" / "figures").glob("*.pdf"))
