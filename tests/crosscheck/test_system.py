"""Other machines and systems, as far as one machine can play them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crosscheck import system

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def nowhere(tmp_path: Path) -> Path:
    """Give a folder that can never be made: its parent is a file."""
    (tmp_path / "file").touch()
    return tmp_path / "file" / "folder"


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Play a process that was told of no cache, and has not yet chosen one."""
    system.cache_folder.cache_clear()
    for variable in (*system.CACHES, "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(variable, raising=False)
    yield monkeypatch
    system.cache_folder.cache_clear()


@pytest.fixture
def installed(bare: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """Play an installation: no project's folder around the package."""
    bare.setattr(system, "_PROJECT", tmp_path / "site-packages")
    return bare


@pytest.mark.usefixtures("bare")
def test_a_checkout_keeps_every_cache_inside_itself(root: Path) -> None:
    system.keep_caches()
    kept = {variable: os.environ[variable] for variable in system.CACHES}
    assert kept == {
        "NUMBA_CACHE_DIR": str(root / ".cache" / "numba"),
        "MPLCONFIGDIR": str(root / ".cache" / "matplotlib"),
        "IR_DATASETS_HOME": str(root / ".cache" / "ir_datasets"),
    }


def test_a_cache_that_the_user_names_stays(bare: pytest.MonkeyPatch) -> None:
    bare.setenv("NUMBA_CACHE_DIR", "mine")
    system.keep_caches()
    assert os.environ["NUMBA_CACHE_DIR"] == "mine"


@pytest.mark.parametrize(
    ("platform", "folder"),
    [("linux", ".cache"), ("darwin", "Library/Caches"), ("win32", "AppData/Local")],
)
def test_an_installation_uses_the_folder_of_its_system(
    platform: str, folder: str, installed: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    installed.setattr(sys, "platform", platform)
    installed.setattr(Path, "home", lambda: tmp_path)
    assert system.cache_folder() == tmp_path / folder / "metric-crosscheck"


@pytest.mark.parametrize(
    ("platform", "variable"), [("linux", "XDG_CACHE_HOME"), ("win32", "LOCALAPPDATA")]
)
def test_an_installation_goes_where_the_system_says(
    platform: str, variable: str, installed: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    installed.setattr(sys, "platform", platform)
    installed.setenv(variable, str(tmp_path / "caches"))
    assert system.cache_folder() == tmp_path / "caches" / "metric-crosscheck"


def test_a_relative_folder_for_caches_is_ignored(
    installed: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    installed.setenv("XDG_CACHE_HOME", "here")
    installed.setattr(Path, "home", lambda: tmp_path)
    assert system.cache_folder() == tmp_path / ".cache" / "metric-crosscheck"


def test_a_cache_that_cannot_be_written_is_passed_over(
    bare: pytest.MonkeyPatch, nowhere: Path, tmp_path: Path
) -> None:
    bare.setattr(system, "_checkout_cache", lambda: nowhere)
    bare.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert system.cache_folder() == tmp_path / "metric-crosscheck"


def test_without_a_home_the_cache_ends_with_the_process(nowhere: Path) -> None:
    program = (
        "from pathlib import Path\n"
        "from crosscheck import system\n"
        "def homeless():\n"
        "    raise RuntimeError\n"
        "Path.home = homeless\n"
        f"system._PROJECT = Path({str(nowhere)!r})\n"
        "print(system.cache_folder(), system.cache_folder().is_dir())\n"
    )
    unset = {name: value for name, value in os.environ.items() if name != "XDG_CACHE_HOME"}
    ran = subprocess.run(
        [sys.executable, "-c", program], env=unset, capture_output=True, text=True, check=True
    )
    folder, was_there = ran.stdout.split()
    assert was_there == "True"
    assert not Path(folder).exists()
