"""Other machines and systems, as far as one machine can play them."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from crosscheck import processes, system
from crosscheck.errors import BAD_INPUT, UserError
from crosscheck.processes import SPAWN, afresh, attend

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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


def test_the_threads_of_blas_sleep_unless_the_user_wants_them_to_spin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENBLAS_THREAD_TIMEOUT", raising=False)
    system.let_threads_sleep()
    assert os.environ["OPENBLAS_THREAD_TIMEOUT"] == "4"
    monkeypatch.setenv("OPENBLAS_THREAD_TIMEOUT", "26")
    system.let_threads_sleep()
    assert os.environ["OPENBLAS_THREAD_TIMEOUT"] == "26"


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


@pytest.fixture
def written(tmp_path: Path) -> Path:
    (tmp_path / "report" / "figures").mkdir(parents=True)
    (tmp_path / "report" / "figures" / "roc.svg").write_bytes(b"<svg/>")
    return tmp_path / "report"


def test_every_file_and_folder_reaches_the_disk(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_ino))
    system.sync(written)
    figures = written / "figures"
    assert sorted(synced) == sorted(
        path.stat().st_ino for path in (written, figures, figures / "roc.svg")
    )


def opening_as_on_windows(path: Path, flags: int, real: Callable[..., int] = os.open) -> int:
    if path.is_dir():
        raise PermissionError(errno.EACCES, "Permission denied", path)
    assert flags & os.O_RDWR, "Windows flushes nothing that is open for reading alone"
    return real(path, flags)


def test_folders_that_cannot_be_opened_are_left_to_the_system(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "open", opening_as_on_windows)
    monkeypatch.setattr(os, "fsync", synced.append)
    system.sync(written)
    assert len(synced) == 1


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_disk_that_fails_is_never_passed_over(
    kind: str, written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(handle: int) -> None:
        if (os.fstat(handle).st_nlink > 1) == (kind == "folder"):
            raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(OSError, match="Input/output error"):
        system.sync(written)


def test_only_the_cores_that_are_ours_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 2, 5}, raising=False)
    assert system.cores() == 3


@pytest.mark.parametrize(
    ("platform", "all_of_them", "counted"),
    [("darwin", 8, 8), ("darwin", None, 1), ("win32", 8, 8), ("win32", 128, 61)],
)
def test_all_cores_are_counted_where_a_system_says_no_more(
    platform: str, all_of_them: int | None, counted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: all_of_them)
    assert system.cores() == counted


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (7, "ended with code 7"),
        (3221225477, "ended with code 3221225477"),  # an access violation, as Windows says it
        (-signal.SIGTERM, "was ended by SIGTERM"),
        (-99, "was ended by signal 99"),
    ],
)
def test_the_end_of_a_process_is_told(code: int, words: str) -> None:
    assert system.ended(code) == words


def test_paths_are_written_with_slashes_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert system.slashed("runs/a\\b.csv") == "runs/a\\b.csv", "a name may hold one elsewhere"
    monkeypatch.setattr(os, "sep", "\\")
    assert system.slashed("runs\\a.csv") == "runs/a.csv"


def printed(**environment: str) -> bytes:
    program = "from crosscheck import streams\nstreams.print_anything()\nprint('\\u00bd \\u2265')\n"
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={"SYSTEMROOT": "", "PYTHONUTF8": "0"} | environment,
        capture_output=True,
        check=True,
    )
    return ran.stdout.strip()


def test_what_goes_into_a_file_is_utf_8_whatever_the_locale() -> None:
    locale = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    assert printed(**locale) == "½ ≥".encode()


def test_an_encoding_that_was_asked_for_is_kept_and_never_fails() -> None:
    assert printed(PYTHONIOENCODING="latin-1") == b"\xbd \\u2265"
    assert printed(PYTHONIOENCODING="ascii:replace") == b"? ?"


def test_a_process_that_works_for_us_never_hears_ctrl_c_on_any_system(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "signal", SimpleNamespace())  # nothing there to block one with
    with ProcessPoolExecutor(1, SPAWN, attend) as pool, afresh():
        # Windows interrupts every process of the terminal; this one does it to itself.
        assert pool.submit(signal.raise_signal, signal.SIGINT).result() is None


def test_an_end_that_was_asked_for_and_lost_is_heeded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a signal raises in a callback of Python's own, it prints and forgets."""
    processes.heed()
    monkeypatch.setattr(processes, "_ASKED", [processes.Ended(signal.SIGTERM)])
    with pytest.raises(processes.Ended):
        processes.heed()


@pytest.mark.parametrize("words", ["Os { code: 24, kind: TooManyOpenFiles }", "WouldBlock"])
def test_where_room_is_lacking_data_are_not_called_damaged(words: str) -> None:
    lacking = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})
    with (
        pytest.raises(UserError, match=r"(?s)a\.csv: .*nothing says that the data are wrong"),
        system.no_panic("a.csv"),
    ):
        raise lacking(words)


def test_a_run_that_may_open_no_more_files_says_so() -> None:
    code, told = system.trouble(OSError(errno.EMFILE, "Too many open files"))
    assert code == BAD_INPUT
    assert "nothing says that the data are wrong" in told
