"""A rerun of a stranger's report: it proves, or says what it did not; it reads nothing else."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import struct
import subprocess
import sys
import warnings
import zipfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.cli import run
from crosscheck.errors import BAD_INPUT, FAILED, PASS
from crosscheck.rerun import bundle, rerun, sandbox

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = "query_id,candidates,gold\nq1,a|b|c,b\nq2,a|b|c,a\nq3,a|b|c,d\n"
GATE = ("-q", "--no-figures", "--witness", "primary")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gate two small files once: one report passes, one fails."""
    place = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        Path("crosscheck.toml").write_text("k = [1, 2]\n")
        Path("data.csv").write_text(DATA)
        Path("claims.json").write_text('{"mrr": 0.99}')
        assert run(["gate", "data.csv", "--out", "good", *GATE]) == PASS
        assert run(["gate", "data.csv", "--claims", "claims.json", "--out", "bad", *GATE]) == FAILED
    return place


@pytest.fixture
def place(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a copy of them."""
    copy = Path(shutil.copytree(made, tmp_path / "place"))
    monkeypatch.chdir(copy)
    # Nothing here is about processes, which take their time to start.
    monkeypatch.setattr("crosscheck.rerun.rerun", partial(rerun, processes=False))
    return copy


def edit(report: Path, change: Callable[[dict[str, Any]], object]) -> None:
    stored = json.loads((report / "report.json").read_text())
    change(stored)
    text = json.dumps(stored, indent=2, ensure_ascii=False)
    (report / "report.json").write_text(f"{text}\n")


def data_of(stored: dict[str, Any]) -> dict[str, Any]:
    """Give what a report says of its data."""
    found: dict[str, Any] = next(
        one for one in stored["provenance"]["inputs"] if one["path"] == "data.csv"
    )
    return found


def refusal(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["rerun", "-q", *words]) == BAD_INPUT
    shown = capfd.readouterr().err
    assert "Traceback" not in shown
    return shown


def test_a_command_line_in_a_report_is_never_run(place: Path) -> None:
    edit(place / "good", lambda one: one["provenance"].update(command=["crosscheck", "--help"]))
    assert run(["rerun", "good", "-q"]) == FAILED


def test_a_file_that_is_python_too_is_not_run(
    place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    mark = place / "mark"
    Path("data.csv").write_text(f"open({str(mark)!r},'w')\n")
    digest = hashlib.sha256(Path("data.csv").read_bytes()).hexdigest()

    def change(one: dict[str, Any]) -> None:
        size = Path("data.csv").stat().st_size
        data_of(one).update(sha256=digest, bytes=size)
        one["provenance"]["request"]["witnesses"] = ["runpy:run_path"]

    edit(place / "good", change)
    assert "--allow-witness runpy:run_path" in refusal(capfd, "good")
    assert not mark.exists()


def test_expect_pass_fails_a_failure_that_is_the_same(
    place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    del place
    assert run(["rerun", "bad", "-q"]) == PASS
    assert capfd.readouterr().out.startswith("SAME: bad is what its inputs give (FAIL: ")
    assert run(["rerun", "bad", "-q", "--expect", "pass"]) == FAILED
    assert "--expect pass was asked for" in capfd.readouterr().err
    assert run(["rerun", "good", "-q", "--expect", "pass"]) == PASS
    assert "; not proven: machine.json" in capfd.readouterr().out


def test_several_reports_are_rerun_whatever_becomes_of_each(
    place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree("good", "forged")
    edit(place / "forged", lambda one: one.update(verdict="fail"))
    Path("notes.txt").write_text("nothing")
    assert run(["rerun", "good", "bad", "forged", "notes.txt"]) == FAILED
    shown = capfd.readouterr().out.splitlines()
    table = [line.split(maxsplit=3)[:3] for line in shown[:5]]
    assert table == [
        ["report", "result", "verdict"],
        ["good", "SAME", "PASS"],
        ["bad", "SAME", "FAIL"],
        ["forged", "CHANGED", "PASS"],
        ["notes.txt", "NOT", "RERUN"],
    ]
    assert "forged:" in shown
    assert "  verdict: 'fail' → 'pass'" in shown
    assert run(["rerun", "good", "notes.txt", "-q"]) == BAD_INPUT
    assert run(["rerun", "good", "bad", "-q", "--expect", "pass"]) == FAILED
    assert run(["rerun"]) == BAD_INPUT


def listed(report: Path, file: Path, name: str | None = None) -> None:
    """Let a report name another file as its data, with the hash that it really has."""

    def change(one: dict[str, Any]) -> None:
        data_of(one).update(
            path=name or str(file),
            sha256=hashlib.sha256(file.read_bytes()).hexdigest(),
            bytes=file.stat().st_size,
        )
        one["provenance"]["request"]["data"] = name or str(file)

    edit(report, change)


@pytest.mark.parametrize("by", ["path", "link", "dots"])
def test_a_file_outside_is_not_read_even_by_its_hash(
    place: Path, capfd: pytest.CaptureFixture[str], by: str
) -> None:
    away = place.parent / "away"
    away.mkdir()
    (away / "secret.csv").write_text(DATA.replace("q1", "hunter2"))
    name = str(away / "secret.csv")
    if by == "link":
        (place / "good" / "secret.csv").symlink_to(away / "secret.csv")
        name = "secret.csv"
    if by == "dots":
        name = "../away/secret.csv"
    listed(place / "good", away / "secret.csv", name)
    shown = refusal(capfd, "good")
    assert "secret.csv: not found in " in shown
    assert "--inputs FOLDER" in shown
    assert "hunter2" not in shown
    assert run(["rerun", "good", "-q", "--inputs", str(away)]) == FAILED


def test_a_bundle_is_read_from_itself_alone(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bundle.pack(Path("good"), Path("b.zip"))
    with zipfile.ZipFile("b.zip") as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    del files["inputs/data.csv"]
    rezip(files)
    assert "data.csv: not found in " in refusal(capfd, "c.zip")
    assert run(["rerun", "c.zip", "-q", "--inputs", str(place)]) == PASS


def rezip(files: dict[str, bytes], name: str = "c.zip") -> None:
    """Write a bundle whose sums are right."""
    sums = "".join(
        f"{hashlib.sha256(files[one]).hexdigest()}  {one}\n"
        for one in sorted(files)
        if one != "SHA256SUMS"
    )
    with zipfile.ZipFile(name, "w") as archive:
        for one, content in {**files, "SHA256SUMS": sums.encode()}.items():
            archive.writestr(one, content)


def test_the_lock_file_of_a_bundle_is_that_of_the_reports_versions(place: Path) -> None:
    edit(place / "good", lambda one: one["provenance"]["versions"].update(numpy="1.2.3"))
    bundle.pack(Path("good"), Path("b.zip"))
    with zipfile.ZipFile("b.zip") as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert "numpy==1.2.3\n" in files["requirements.lock"].decode().splitlines(keepends=True)


def test_a_forged_lock_file_is_found(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    del place
    bundle.pack(Path("good"), Path("b.zip"))
    with zipfile.ZipFile("b.zip") as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    rezip(files | {"requirements.lock": b"numpy==0.0.1\n"})
    assert run(["rerun", "c.zip", "-q"]) == FAILED
    assert "requirements.lock: other versions → those that" in capfd.readouterr().out


def encrypted(content: bytes) -> bytes:
    """Set the bit that says that an entry is encrypted."""
    spoiled = bytearray(content)
    spoiled[6] |= 1
    spoiled[spoiled.index(b"PK\x01\x02") + 8] |= 1
    return bytes(spoiled)


def test_an_encrypted_bundle_is_refused(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    del place
    rezip({"report.json": b"{}"})
    Path("c.zip").write_bytes(encrypted(Path("c.zip").read_bytes()))
    assert "is encrypted, or packed as no bundle of ours" in refusal(capfd, "c.zip")


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["report.json", "report.json/x"], "as a file and as a folder"),
        (["report.json/x", "report.json"], "as a file and as a folder"),
        (["report.json", "REPORT.json"], "one name twice"),
        (["caf\u00e9", "cafe\u0301"], "one name twice"),
        (["a//b"], "no plain file"),
        (["./a"], "no plain file"),
        (["a\x1b[2J"], "no plain file"),
        (["/".join("a" * 40)], "no plain file"),
    ],
)
def test_entries_that_clash_are_refused(
    place: Path, capfd: pytest.CaptureFixture[str], names: list[str], told: str
) -> None:
    del place
    with zipfile.ZipFile("c.zip", "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    assert told in refusal(capfd, "c.zip")


def pieces(bundled: Path) -> list[range]:
    """Say where in a bundle the bytes of its files lie; between them are names, dates and modes."""
    with zipfile.ZipFile(bundled) as opened:
        found = []
        for one in opened.infolist():
            opened.fp.seek(one.header_offset + 26)  # type: ignore[union-attr]
            name, extra = struct.unpack("<HH", opened.fp.read(4))  # type: ignore[union-attr]
            start = one.header_offset + 30 + name + extra
            found.append(range(start, start + one.compress_size))
        return found


def test_a_bundle_whose_pieces_are_broken_is_refused(
    place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    del place
    bundle.pack(Path("good"), Path("b.zip"))
    whole = Path("b.zip").read_bytes()
    inside = [at for one in pieces(Path("b.zip")) for at in one]
    for place_in_it in inside[:: len(inside) // 40]:
        spoiled = bytearray(whole)
        spoiled[place_in_it] ^= 0xFF
        Path("c.zip").write_bytes(spoiled)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            refusal(capfd, "c.zip")


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is for Linux")
def test_a_sandbox_that_cannot_be_had_is_said(
    place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sandbox, "PROGRAM", "no-such-bwrap")
    assert "there is no bwrap here" in refusal(capfd, "--sandbox", "good")
    fake = place / "no-such-bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(place), prepend=os.pathsep)
    assert "may not be used here (bwrap: No permissions)" in refusal(capfd, "--sandbox", "good")


def usable() -> bool:
    """Tell whether a sandbox can be made here."""
    if shutil.which("bwrap") is None:
        return False
    words = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]
    return subprocess.run(words, check=False, capture_output=True).returncode == 0


@pytest.mark.skipif(not usable(), reason="bubblewrap is not here, or may make no namespaces")
def test_in_the_sandbox_there_is_no_network_and_nothing_to_write_to(
    place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("stranger.py").write_text(
        "import os, socket\n"
        "def f(data, settings):\n"
        f"    for name in ({str(place / 'mark')!r}, {str(Path.home() / 'mark')!r}):\n"
        "        try:\n"
        "            open(name, 'w').close()\n"
        "        except OSError as error:\n"
        "            print(type(error).__name__, flush=True)\n"
        "    try:\n"
        "        socket.create_connection(('192.0.2.1', 80), 1)\n"
        "    except OSError as error:\n"
        "        print(error.strerror, flush=True)\n"
        "    print(sorted(os.environ), flush=True)\n"
        "    return {}\n"
    )
    edit(place / "good", lambda one: one["provenance"]["request"].update(witnesses=["stranger:f"]))
    words = ["rerun", "good", "--sandbox", "--allow-witness", "stranger:f"]
    assert run(words) == FAILED
    shown = capfd.readouterr().err
    assert "Network is unreachable" in shown
    assert shown.count("OSError") == 2
    assert "GITHUB" not in shown
    assert not (place / "mark").exists()


@pytest.mark.skipif(not usable(), reason="bubblewrap is not here, or may make no namespaces")
def test_an_honest_bundle_is_the_same_in_the_sandbox(
    place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    del place
    bundle.pack(Path("good"), Path("b.zip"))
    assert run(["rerun", "b.zip", "-q", "--sandbox"]) == PASS
    assert capfd.readouterr().out.startswith("SAME: ")
