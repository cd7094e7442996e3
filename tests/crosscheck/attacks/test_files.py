"""Files that are no files, files without end, files that unpack to more than a machine holds."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pyarrow as pa
import pytest

from crosscheck.cli import run
from crosscheck.config import Waiver
from crosscheck.errors import BAD_INPUT, UserError
from crosscheck.limits import VARIABLE, Limits, admit, admit_data
from crosscheck.system import no_panic

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = "query_id,has_evidence,prob\na,1,0.5\nb,0,0.25\n"


@pytest.fixture
def refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """Give a function that runs a command, which must be refused with one clear message."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text(DATA)

    def refused(*words: str) -> str:
        capfd.readouterr()
        assert run(list(words)) == BAD_INPUT
        shown = capfd.readouterr()
        assert "Traceback" not in shown.err
        assert shown.err.startswith("crosscheck: ")
        return shown.err

    return refused


UNENDING = [
    ("gate", "trap.csv", "--out", "r"),
    ("gate", "data.csv", "--claims", "trap.csv", "--out", "r"),
    ("gate", "data.csv", "--config", "trap.csv", "--out", "r"),
    ("claims", "trap.csv"),
    ("explain", "auroc", "trap.csv"),
    ("rerun", "trap.csv"),
    ("bundle", "trap.csv"),
    ("tables", "trap.csv"),
]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither")
@pytest.mark.parametrize("words", UNENDING, ids=" ".join)
@pytest.mark.parametrize("kind", ["a pipe", "a device"])
def test_what_has_no_end_is_not_opened(
    refusal: Callable[..., str], words: tuple[str, ...], kind: str
) -> None:
    if kind == "a pipe":
        os.mkfifo("trap.csv")
    else:
        Path("trap.csv").symlink_to("/dev/zero")
    assert f"trap.csv: is {kind}, and only regular files are read" in refusal(*words)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such links")
def test_a_link_to_itself_is_refused(refusal: Callable[..., str]) -> None:
    Path("loop.csv").symlink_to("loop.csv")
    assert "loop.csv" in refusal("gate", "loop.csv", "--out", "r")


def bomb(path: Path) -> Path:
    """Write a file of some 300 KB that unpacks to 300 MB."""
    with gzip.open(path, "wb", compresslevel=9) as file:
        file.write(DATA.encode())
        for _ in range(300):
            file.write(b"a" * 2**20)
    return path


def test_a_small_file_that_unpacks_to_a_large_one_is_refused(
    refusal: Callable[..., str],
) -> None:
    bomb(Path("d.csv.gz"))
    told = refusal("gate", "d.csv.gz", "--out", "r")
    assert "that is no honest data" in told
    assert f"{VARIABLE}=ratio=… allows more" in told


def test_the_same_for_zstd_zip_and_parquet(tmp_path: Path) -> None:
    large = bytes(100 * 2**20)
    with pa.OSFile(str(tmp_path / "d.csv.zst"), "wb") as raw:
        raw.write(pa.Codec("zstd").compress(large, asbytes=True))
    with zipfile.ZipFile(tmp_path / "d.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("sheet.xml", large)
    pl.DataFrame({"prob": pl.repeat(0.5, 70_000_000, eager=True)}).write_parquet(
        tmp_path / "d.parquet"
    )
    for name in ("d.csv.zst", "d.xlsx", "d.parquet"):
        with pytest.raises(UserError, match="that is no honest data"):
            admit(tmp_path / name)


def test_honest_files_pass(tmp_path: Path) -> None:
    (tmp_path / "d.csv.gz").write_bytes(gzip.compress(DATA.encode() * 1_000))
    pl.DataFrame({"prob": [0.5, 0.25]}).write_parquet(tmp_path / "d.parquet")
    admit_data(str(tmp_path))
    admit_data(str(tmp_path / "*.gz"))
    admit(tmp_path / "missing")


def test_sizes_and_counts_are_bounded_and_the_bounds_can_be_set(
    refusal: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "file=10")
    assert "more than the 10 that are read here" in refusal("gate", "data.csv", "--out", "r")
    monkeypatch.setenv(VARIABLE, "document=1KB, config=1KB")
    Path("paper.md").write_text("x" * 2_000)
    assert "paper.md: is 2,000 bytes" in refusal("claims", "paper.md")
    assert "paper.md: is 2,000" in refusal("gate", "data.csv", "--config", "paper.md", "--out", "r")
    monkeypatch.setenv(VARIABLE, "files=1")
    Path("more.csv").write_text(DATA)
    with pytest.raises(UserError, match="names 2 files"):
        admit_data("*.csv")
    for nonsense in ("file", "file=x", "files=-1", "nothing=1", "file=1TB"):
        monkeypatch.setenv(VARIABLE, nonsense)
        assert f"{VARIABLE}: “{nonsense}” is no limit" in refusal("gate", "data.csv", "--out", "r")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("resamples = 1000000000", "resamples: 1,000,000,000 are more than"),
        (f"k = {list(range(1, 2_000))}", "a list or table of 1,999 entries"),
        ("a = " + "[" * 100 + "]" * 100, "more than 32 levels"),
        ("a = " + "[" * 90_000, "levels inside each other"),
        ("seed = " + "9" * 5_000, "not valid TOML"),
        ("a" * 2**21, "more than the 1,048,576 that are read here"),
    ],
    ids=["resamples", "a long list", "deep", "deeper", "a long number", "a long file"],
)
def test_a_config_is_bounded(refusal: Callable[..., str], text: str, told: str) -> None:
    Path("crosscheck.toml").write_text(text)
    assert told in refusal("gate", "data.csv", "--out", "r")


def test_resamples_are_bounded_on_the_command_line_and_with_the_data(
    refusal: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("gate", "data.csv", "--out", "r", "--resamples")
    assert "resamples: 1,000,000,000 are more" in refusal(*words, "1000000000")
    monkeypatch.setenv(VARIABLE, "plan=100")
    assert "1,000 of 2 queries and posts would take 2,000 bytes" in refusal(*words, "1000")


def test_a_waiver_of_many_stars_takes_no_time() -> None:
    waiver = Waiver(rule="XC901", key="*a" * 500 + "b", reason="r")
    assert not waiver.covers("XC901", "a" * 5_000)
    assert Waiver(rule="XC901", key="a*c*e", reason="r").covers("XC901", "abcde")
    assert not Waiver(rule="XC901", key="ab*bc", reason="r").covers("XC901", "abc")
    assert Waiver(rule="XC901", key="ab", reason="r").covers("XC901", "ab")


def damaged() -> bytes:
    """Give a Parquet file whose column is longer than its bytes: polars panics over some."""
    held = io.BytesIO()
    pl.DataFrame({"query_id": [f"q{n}" for n in range(50)], "prob": [0.5] * 50}).write_parquet(held)
    return held.getvalue()


@pytest.mark.parametrize("place", range(20, 400, 20))
def test_a_damaged_parquet_file_is_bad_input(refusal: Callable[..., str], place: int) -> None:
    content = bytearray(damaged())
    content[place : place + 4] = b"\xff\xff\xff\x7f"
    Path("d.parquet").write_bytes(content[:-place])
    assert "d.parquet" in refusal("gate", "d.parquet", "--out", "r")


def test_a_panic_of_a_library_is_bad_input_and_told_once(
    capfd: pytest.CaptureFixture[str],
) -> None:
    class PanicException(BaseException):
        __module__ = "pyo3_runtime"

    def panic() -> None:
        os.write(2, b"thread '<unnamed>' panicked at src/lib.rs\n")
        raise PanicException("out of range\nmore")

    told = r"d\.parquet: cannot be read: it is damaged.*\(out of range\)"
    with pytest.raises(UserError, match=told), no_panic("d.parquet"):
        panic()
    assert capfd.readouterr().err == ""
    with no_panic("d.parquet"):
        os.write(2, b"a warning\n")
    assert capfd.readouterr().err == "a warning\n"


def test_limits_are_named_in_the_page_on_security(root: Path) -> None:
    page = (root / "docs" / "security.md").read_text(encoding="utf-8")
    for name in Limits.__dataclass_fields__:
        assert f"| `{name}` |" in page
