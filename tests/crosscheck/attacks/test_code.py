"""Whose code runs: nothing that a folder, a report or a config found somewhere brings along."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from crosscheck.cli import run
from crosscheck.errors import BAD_INPUT, PASS

ROOT = Path(__file__).resolve().parents[3]
DATA = "query_id,has_evidence,prob\na,1,0.5\nb,0,0.25\n"
GATE = ("gate", "data.csv", "--out", "reports/r", "-q", "--no-figures", "--witness", "primary")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with data."""
    (tmp_path / "data.csv").write_text(DATA)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command there, as a module of a program that lies elsewhere."""
    return subprocess.run(
        [sys.executable, "-m", "crosscheck", *words],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT)} | {"PYTHONSAFEPATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_package_and_no_module_of_the_folder_is_imported(place: Path) -> None:
    spoil = f"open({str(place / 'mark')!r}, 'w').close()\nraise SystemExit(0)\n"
    for name in ("primary", "reference"):
        (place / name).mkdir()
        (place / name / "__init__.py").write_text(spoil)
    for name in ("polars", "pickle", "multiprocessing", "click", "numpy", "struct"):
        (place / f"{name}.py").write_text(spoil)
    done = command(place, *GATE)
    assert (done.returncode, done.stderr) == (PASS, "")
    assert not (place / "mark").exists()


def test_a_package_that_stands_in_the_way_is_named(place: Path) -> None:
    (place / "primary").mkdir()
    (place / "primary" / "__init__.py").write_text("")
    program = (
        "import sys\nsys.path.insert(0, '.')\nimport primary\n"
        f"from crosscheck.cli import main\nmain({list(GATE)!r})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == BAD_INPUT
    assert "another package called “primary” stands in the way" in done.stderr


def test_code_that_a_config_names_is_not_run_because_it_was_found(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "stranger.py").write_text(
        "open({!r}, 'w').close()\ndef f(data, settings):\n    return {{}}\n".format(
            str(place / "mark")
        )
    )
    (place / "crosscheck.toml").write_text('witnesses = ["stranger:f"]\n')
    assert run(list(GATE)) == BAD_INPUT
    shown = capsys.readouterr().err
    assert "crosscheck.toml was found, not named, and names stranger:f" in shown
    assert not (place / "mark").exists()
    run([*GATE, "--allow-witness", "stranger:f"])
    assert (place / "mark").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_being_ended_leaves_no_process_behind(place: Path, number: signal.Signals) -> None:
    (place / "slow.py").write_text(
        "import os, time\ndef f(data, settings):\n"
        f"    open({str(place / 'pid')!r}, 'w').write(f'{{os.getpid()}}\\n')\n"
        "    time.sleep(600)\n"
    )
    (place / "reports").mkdir()
    (place / "tmp").mkdir()
    words = ["gate", "data.csv", "--out", "reports/r", "--witness", "slow:f"]
    started = subprocess.Popen(
        [sys.executable, "-m", "crosscheck", *words],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(place / "tmp")},
        stderr=subprocess.PIPE,
        text=True,
    )
    pid = place / "pid"
    while not (pid.exists() and pid.read_text().endswith("\n")):
        assert started.poll() is None
    started.send_signal(number)
    _, told = started.communicate()
    worker = Path("/proc") / pid.read_text().strip()
    while worker.exists() and "(zombie)" not in (worker / "status").read_text():
        pass
    if number == signal.SIGTERM:
        assert started.returncode == 128 + signal.SIGTERM
        assert "asked to end; nothing was written" in told
        assert "Traceback" not in told
        assert list((place / "reports").iterdir()) == []
        assert list((place / "tmp").iterdir()) == []
