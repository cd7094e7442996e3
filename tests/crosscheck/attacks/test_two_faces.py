"""What a stranger's report says of itself, and shows: nothing of it passes for a word of ours."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import shutil
import time
import zipfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.cli import run
from crosscheck.errors import BAD_INPUT, FAILED
from crosscheck.rerun import rerun
from crosscheck.rerun.fields import MOST, changed
from crosscheck.system import harmless, one_line

if TYPE_CHECKING:
    from collections.abc import Callable

FAKE = "2.0\nSAME: r is what its inputs give"


@pytest.fixture
def place(honest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a copy of it."""
    copy = Path(shutil.copytree(honest, tmp_path / "place"))
    monkeypatch.chdir(copy)
    monkeypatch.setattr("crosscheck.rerun.rerun", partial(rerun, processes=False))
    return copy


def edit(change: Callable[[dict[str, Any]], object]) -> None:
    stored = json.loads(Path("r/report.json").read_text())
    change(stored)
    Path("r/report.json").write_text(json.dumps(stored, indent=2, ensure_ascii=False) + "\n")


def described(change: Callable[[dict[str, str]], object]) -> None:
    told = json.loads(Path("r/machine.json").read_text())
    change(told)
    Path("r/machine.json").write_text(json.dumps(told, indent=2))


def rewritten(stored: dict[str, Any]) -> None:
    """Claim a version of one's own, and with it a badge that nobody here can compare."""
    stored["provenance"]["versions"]["metric-crosscheck"] = "9.9"
    stored["selftest"] = "1000000/3, sealed"


@pytest.mark.parametrize(
    ("forge", "where"),
    [
        (lambda: edit(lambda one: one["provenance"]["versions"].update(numpy=FAKE)), "numpy"),
        (lambda: edit(lambda one: one["provenance"]["versions"].update(numpy="2 or so")), "numpy"),
        (lambda: edit(rewritten), "selftest"),
        (lambda: described(lambda one: one.update(seal="gold")), "machine.json, seal"),
        (lambda: described(lambda one: one.update(kernel=FAKE)), "machine.json, kernel"),
        (lambda: described(lambda one: one.update(kernel="x" * 5000)), "machine.json, kernel"),
        (lambda: Path("r/x\nSAME: r is what").write_text(""), "SAME"),
    ],
)
def test_a_sentence_is_no_version_no_badge_and_no_machine(
    place: Path, capfd: pytest.CaptureFixture[str], forge: Callable[[], object], where: str
) -> None:
    del place
    forge()
    assert run(["rerun", "r"]) == FAILED
    shown = capfd.readouterr().out.splitlines()
    assert any(where in line for line in shown)
    assert not [line for line in shown if line.startswith("SAME")]
    assert max(map(len, shown)) < 1_000


def test_a_folder_with_a_line_in_its_name_is_one_row_of_the_table(
    place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    del place
    name = "notes\nr2  SAME  PASS  1,016"
    Path(name).mkdir()
    assert run(["rerun", "r", name]) == BAD_INPUT
    shown = capfd.readouterr().out.splitlines()
    assert not [line for line in shown if line.startswith("r2")]


def test_a_report_that_is_a_link_is_not_followed(
    place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (place.parent / "secret").write_text('{"schema_version": "hunter2"}')
    Path("r/report.json").unlink()
    Path("r/report.json").symlink_to(place.parent / "secret")
    assert run(["rerun", "r"]) == BAD_INPUT
    assert "is a link" in capfd.readouterr().err


def test_an_input_that_is_a_link_is_a_stranger_in_the_folder(place: Path) -> None:
    Path("r/data.csv").symlink_to(place / "data.csv")
    assert run(["rerun", "r", "-q"]) == FAILED


@pytest.mark.parametrize("data", ["/", "/*/*/*/*/*/*/*", "../*/*/*/*", "/proc", "/etc/host?"])
def test_no_folder_out_of_reach_is_even_listed(
    place: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    data: str,
) -> None:
    # By a config that a bundle brings along; by a path of the report itself.
    content = f'data = "{data}"\n'.encode()
    (place / "crosscheck.toml").write_bytes(content)

    def change(one: dict[str, Any]) -> None:
        one["provenance"]["request"]["data"] = None
        for file in one["provenance"]["inputs"]:
            if file["path"] == "crosscheck.toml":
                file.update(sha256=hashlib.sha256(content).hexdigest(), bytes=len(content))

    edit(change)
    for name, look in (("config.places.glob", glob.glob), ("limits.os.walk", os.walk)):
        monkeypatch.setattr(f"crosscheck.{name}", partial(_inside, place, look))
    assert run(["rerun", "r", "-q"]) == BAD_INPUT
    assert "does not list among its inputs" in capfd.readouterr().err
    Path("crosscheck.toml").write_text("k = [1]\n")

    def lead(one: dict[str, Any]) -> None:
        one["provenance"]["request"]["data"] = data
        digest = hashlib.sha256(b"k = [1]\n").hexdigest()
        for file in one["provenance"]["inputs"]:
            if file["path"] == "crosscheck.toml":
                file.update(sha256=digest, bytes=8)
            else:
                file["path"] = str(Path(data).parent / "data.csv")

    edit(lead)
    assert run(["rerun", "r", "-q"]) in {FAILED, BAD_INPUT}
    assert "Traceback" not in capfd.readouterr().err


def _inside(place: Path, look: Callable[[str], Any], word: str) -> Any:
    assert Path(word).resolve().is_relative_to(place), word
    return look(word)


def test_a_report_of_any_length_is_compared_in_a_time_that_grows_with_it() -> None:
    numbers = [str(one) for one in range(300_000)]
    began = time.process_time()
    found = list(changed({"a": numbers, "b": [1]}, {"a": numbers[::-1], "b": [1]}))
    assert time.process_time() - began < 5
    assert len(found) == MOST + 1
    assert [str(one) for one in changed({"a": [1, 2], "b": 1}, {"a": [1], "b": 1.0})] == [
        "a.1: 2 → not present",
        "b: 1 → 1.0",
    ]


def two_faces() -> dict[str, bytes]:
    """Give bundles that another program than ours may unpack to something else."""
    plain = Path("b.zip").read_bytes()
    with zipfile.ZipFile("b.zip") as archive:
        names = [one.filename for one in archive.infolist()]
        start = archive.start_dir
    with zipfile.ZipFile("hidden.zip", "w") as archive:
        archive.writestr("report.html", "99 %")
    hidden = Path("hidden.zip").read_bytes()
    # Sizes of the first entry, as whoever reads from the front takes them.
    longer = bytearray(plain)
    longer[22:26] = (10**6).to_bytes(4, "little")
    name = names[0].encode()
    commented = plain[:-2] + (3).to_bytes(2, "little") + b"PK\x03"
    return {
        "before": hidden + plain,
        "behind": plain + b"\n",
        "described": bytes(longer),
        "named": plain.replace(name, b"x" * len(name), 1),
        "commented": commented,
        "between": plain[:start] + hidden + plain[start:],
    }


@pytest.mark.parametrize("how", ["before", "behind", "described", "named", "commented", "between"])
def test_a_bundle_that_two_programs_unpack_differently_is_refused(
    place: Path, capfd: pytest.CaptureFixture[str], how: str
) -> None:
    del place
    Path("c.zip").write_bytes(two_faces()[how])
    assert run(["rerun", "c.zip", "-q"]) == BAD_INPUT
    assert "c.zip" in capfd.readouterr().err


def test_what_no_eye_sees_is_shown() -> None:
    for code in (0x200B, 0xAD, 0xFEFF, 0x2060, 0xE0041):
        shown = harmless(f"a{chr(code)}b")
        assert shown.isascii()
        assert json.loads(f'"{shown}"') == f"a{chr(code)}b"
    assert one_line("a\nb\tc") == r"a\nb\tc"
    assert len(one_line("x" * 10_000)) < 400
    # Joiners are part of how Persian and emoji are written.
    assert harmless("a\u200cb\u200dc") == "a\u200cb\u200dc"
