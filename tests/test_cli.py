"""The command line as a whole: help, exit codes, no tracebacks."""

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import Any

import click
import pytest

from crosscheck import cli
from crosscheck.errors import UserError


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_listed_command_exists_and_has_a_help_text(name: str) -> None:
    command = importlib.import_module(f"crosscheck.commands.{name}").command
    assert isinstance(command, click.Command)
    assert command.help


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_no_help_text_shows_its_formatting_marks(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run([name, "--help"]) == 0
    assert "\\b" not in capsys.readouterr().out


def test_python_runs_the_package_where_no_script_is_installed() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "crosscheck", "--version"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout.split(",")[0]) == (0, "crosscheck")


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--help"]) == 0
    shown = capsys.readouterr().out
    assert [name for name in cli.COMMANDS if f"  {name} " not in shown] == []


def test_help_imports_no_heavy_library() -> None:
    heavy = ("numpy", "pandas", "polars", "pydantic", "rich", "jinja2", "matplotlib", "scipy")
    program = (
        "import sys; from crosscheck.cli import run; run(['--help']);"
        f"sys.exit(str([name for name in {heavy!r} if name in sys.modules] or ''))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert ran.stderr.strip() == ""


def test_an_unknown_command_is_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["gait"]) == 2
    assert "gait" in capsys.readouterr().err


def test_a_mistyped_command_comes_back_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["explian"]) == 2
    assert "Did you mean 'explain'?" in capsys.readouterr().err


def _group_that_raises(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def raises(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(cli.group, "main", raises)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (UserError("no such file"), 2, "crosscheck: no such file"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (ZeroDivisionError("oops"), 3, "an error of ours"),
    ],
)
def test_each_way_to_end_has_its_exit_code_and_no_traceback(
    error: BaseException,
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _group_that_raises(error, monkeypatch)
    monkeypatch.delenv("CROSSCHECK_DEBUG", raising=False)
    assert cli.run([]) == code
    printed = capsys.readouterr().err
    assert said in printed
    assert "Traceback" not in printed
