"""The tool's own run on hostile inputs: one clear message, the right exit code, nothing left."""

from __future__ import annotations

import errno
import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from crosscheck.cli import run
from crosscheck.errors import BAD_INPUT, FAILED, OUR_ERROR, PASS

if TYPE_CHECKING:
    from collections.abc import Callable

    Row = dict[str, Any]
    Save = Callable[[list[Row], Path], Path]


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """Run the command; it must refuse, with one message and no traceback."""
    assert run([str(one) for one in arguments]) == BAD_INPUT
    shown = capsys.readouterr()
    assert "Traceback" not in shown.err + shown.out
    assert shown.err.startswith(("crosscheck: ", "Usage:"))
    return shown.err


@pytest.fixture
def out(tmp_path: Path) -> Path:
    (tmp_path / "reports").mkdir()
    return tmp_path / "reports" / "r"


def change(column: str, value: object, place: int = 0) -> Callable[[list[Row]], None]:
    def apply(rows: list[Row]) -> None:
        rows[place][column] = value

    return apply


def drop(column: str) -> Callable[[list[Row]], None]:
    def apply(rows: list[Row]) -> None:
        for row in rows:
            del row[column]

    return apply


def repeat(rows: list[Row]) -> None:
    rows.append(dict(rows[2]))


BAD_ROWS = {
    "a probability above 1": (change("prob", 1.0000001), "prob"),
    "a negative probability": (change("prob", -0.1), "prob"),
    "a probability that is no number": (change("prob", "nan"), "prob"),
    "an endless score": (change("scores", [1, 2, float("inf"), 4, 5, 6]), "scores"),
    "a label of 2": (change("has_evidence", 2), "has_evidence"),
    "a label in words": (change("has_evidence", "yes"), "has_evidence"),
    "a state with a typo": (change("state", "POSS"), "state"),
    "a uid twice": (
        change("candidates", ["p00_0"] * 2 + [f"x{n}" for n in range(4)]),
        "candidates",
    ),
    "lists of unequal length": (change("scores", [0.5]), "scores"),
    "a selection outside the candidates": (change("selected", ["nowhere"]), "selected"),
    "a duplicate key": (repeat, "p01"),
    "no key column": (drop("post_id"), "post_id"),
    "a fold in words": (change("fold", "first"), "fold"),
    "an unknown split": (change("split", "HOLDOUT"), "split"),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_bad_rows_are_refused(
    name: str, rows: list[Row], save: Save, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil, named = BAD_ROWS[name]
    if name == "a state with a typo":
        for row in rows:
            row["state"] = "NEG"
    spoil(rows)
    data = save(rows, out.parent.parent / "data.csv")
    message = refused(capsys, "gate", data, "--out", out)
    assert named in message
    assert "data.csv" in message
    assert "The reference reads this input" not in message
    assert left_in(out.parent) == []


def test_all_problems_of_a_file_come_in_one_message(
    rows: list[Row], save: Save, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows[0]["prob"] = 7
    rows[3]["has_evidence"] = "maybe"
    message = refused(capsys, "gate", save(rows, out.parent / "data.csv"), "--out", out)
    assert "prob" in message
    assert "has_evidence" in message


def truncated_parquet(folder: Path) -> Path:
    pl.DataFrame({"query_id": ["a", "b"], "prob": [0.1, 0.2]}).write_parquet(folder / "d.parquet")
    content = (folder / "d.parquet").read_bytes()
    (folder / "d.parquet").write_bytes(content[: len(content) // 2])
    return folder / "d.parquet"


def with_content(name: str, content: bytes) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / name).write_bytes(content)
        return folder / name

    return make


HEADER = b"query_id,has_evidence,prob\n"
BAD_FILES: dict[str, Callable[[Path], Path]] = {
    "truncated Parquet": truncated_parquet,
    "CSV cut inside a quoted cell": with_content("d.csv", HEADER + b'a,1,0.5\nb,0,"0.'),
    "CSV with a short row": with_content("d.csv", HEADER + b"a,1,0.5\nb,0\n"),
    "wrong encoding": with_content("d.csv", HEADER + "ä,1,0.5\n".encode("latin-1")),
    "UTF-16": with_content("d.csv", "query_id,prob\na,0.5\n".encode("utf-16")),
    "an empty file": with_content("d.csv", b""),
    "a header only": with_content("d.csv", HEADER),
    "truncated gzip": with_content("d.csv.gz", gzip.compress(HEADER + b"a,1,0.5\n" * 99)[:-9]),
    "JSON Lines cut short": with_content("d.jsonl", b'{"query_id": "a", "prob": 0.5}\n{"query'),
    "an unknown kind of file": with_content("d.xlsx", b"PK"),
    "Parquet that is none": with_content("d.parquet", b"PAR1nonsensePAR1"),
    "a directory": lambda folder: folder,
    "a missing file": lambda folder: folder / "nowhere.csv",
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_are_refused(
    name: str, out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in").mkdir()
    data = BAD_FILES[name](tmp_path / "in")
    message = refused(capsys, "gate", data, "--out", out)
    assert data.name in message
    assert left_in(out.parent) == []


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b""])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_bom_and_crlf_are_no_problem(mark: bytes, end: bytes, out: Path) -> None:
    lines = [b"query_id,has_evidence,prob", b"a,1,0.7", b"b,0,0.2", b"c,1,0.4", b""]
    data = out.parent.parent / "d.csv"
    data.write_bytes(mark + end.join(lines))
    assert (
        run(["gate", str(data), "--out", str(out), "-q", "--witness", "primary", "--no-figures"])
        == PASS
    )


BAD_CONFIGS = {
    "a missing column": ('[columns]\ncandidates = "no_such"\n', "no_such"),
    "an unknown key": ("tresh = 0.5\n", "tresh"),
    "thresholds the wrong way round": ("tau_neg = 0.9\ntau_pos = 0.1\n", "tau_neg"),
    "no TOML": ("threshold = = 3\n", "not valid TOML"),
    "a waiver without a reason": ('[waivers]\nXC901 = ""\n', "reason"),
    "a fold without threshold": ("[threshold]\n0 = 0.5\n", "fold"),
}


@pytest.mark.parametrize("name", BAD_CONFIGS)
def test_bad_configs_are_refused(
    name: str, study: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, named = BAD_CONFIGS[name]
    (study / "crosscheck.toml").write_text(text)
    message = refused(capsys, "gate", study / "data.csv", "--out", out)
    assert named in message
    assert left_in(out.parent) == []


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--qrels", "q"], "--run"),
        (["data.csv", "--qrels", "q", "--run", "r"], "exclude"),
        (["data.csv", "--ranking", "justaname"], "NAME=COLUMN"),
        (["data.csv", "--witness", "nobody"], "nobody"),
        (["data.csv", "--resamples", "0"], "resamples"),
        (["data.csv", "--claims", "nowhere.json"], "nowhere.json"),
        (["data.csv", "--config", "nowhere.toml"], "nowhere.toml"),
        (["--qrels", "nowhere.q", "--run", "nowhere.r"], "nowhere.q"),
        (["data.csv", "--ranking", "a=no_such_column"], "no_such_column"),
        (["data.csv", "--ranking", "a=gold", "--ranking", "a=candidates"], "names a twice"),
        (["data.csv", "--frobnicate"], "frobnicate"),
    ],
)
def test_bad_usage_is_refused(
    arguments: list[str],
    named: str,
    study: Path,
    out: Path,
    *,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(study)
    assert named in refused(capsys, "gate", *arguments, "--out", out)
    assert left_in(out.parent) == []


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[1, 2", b"\xff\xfe", b"| a |\n|--", b"%PDF-1.4 binary"]
)
def test_claims_that_cannot_be_read_never_pass(
    content: bytes, study: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (study / "claims.json").write_bytes(content)
    arguments = ["gate", study / "data.csv", "--claims", study / "claims.json", "--out", out]
    code = run([str(one) for one in [*arguments, "-q", "--witness", "primary", "--no-figures"]])
    assert code in {BAD_INPUT, FAILED}
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "content", [b"{}", b"null", b'{"note": "hello"}', b'{"mrr": null}', b'{"eval_split": "test"}']
)
def test_claims_without_a_number_are_refused(
    content: bytes, study: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claims = study / "claims.json"
    claims.write_bytes(content)
    said = refused(capsys, "gate", study / "data.csv", "--claims", claims, "--out", out)
    assert "claims.json: holds no number" in said


def test_a_folder_that_is_a_file_is_refused(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (study / "taken").write_text("precious")
    refused(capsys, "gate", study / "data.csv", "--out", study / "taken")
    refused(capsys, "gate", study / "data.csv", "--out", study / "taken" / "below")
    assert (study / "taken").read_text() == "precious"


def test_a_folder_with_other_files_is_never_replaced(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    message = refused(capsys, "gate", study / "data.csv", "--out", study)
    assert "no report of ours" in message
    assert (study / "data.csv").exists()


@pytest.mark.parametrize("content", [b"{", b"[]", b"{}", b'{"systems": [{"name": 1}]}', b"\xff"])
def test_a_report_that_is_not_ours_is_never_replaced(
    content: bytes, study: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out.mkdir()
    (out / "report.json").write_bytes(content)
    said = refused(capsys, "gate", study / "data.csv", "--out", out)
    assert "a report.json that is not ours" in said
    assert (out / "report.json").read_bytes() == content


def test_a_report_of_an_older_schema_is_replaced(study: Path, out: Path) -> None:
    out.mkdir()
    (out / "full").mkdir()
    older = {"schema_version": "1", "systems": [{"name": "full"}], "gone": True}
    (out / "report.json").write_text(json.dumps(older))
    words = ["gate", str(study / "data.csv"), "--out", str(out), "--witness", "primary"]
    run([*words, "-q", "--no-figures"])
    assert "gone" not in json.loads((out / "report.json").read_text())
    assert not (out / "full").exists()


def test_no_write_permission_is_said_at_once(
    study: Path, out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def denied(*_: object, **__: object) -> str:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("tempfile.mkdtemp", denied)
    assert "Permission denied" in refused(capsys, "gate", study / "data.csv", "--out", out)


def test_a_full_disk_leaves_nothing_behind(
    study: Path, out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    honest = Path.write_bytes
    written = []

    def full(self: Path, data: bytes) -> int:
        if len(written) >= 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(self)
        return honest(self, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    message = refused(
        capsys,
        "gate",
        study / "data.csv",
        "--out",
        out,
        "--witness",
        "primary",
        "-q",
        "--no-figures",
    )
    assert "No space left" in message
    assert left_in(out.parent) == []


def test_a_full_disk_keeps_the_old_report(
    study: Path, out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gate = ["gate", study / "data.csv", "--out", out, "--witness", "primary", "-q", "--no-figures"]
    assert run([str(one) for one in gate]) == PASS
    before = (out / "report.json").read_bytes()
    capsys.readouterr()

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, f"No space left on device {handle}")

    monkeypatch.setattr(os, "fsync", full)
    refused(capsys, *gate)
    assert (out / "report.json").read_bytes() == before
    assert left_in(out.parent) == ["r"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no groups of processes to signal")
def test_ctrl_c_ends_quietly_and_leaves_nothing(study: Path, out: Path) -> None:
    (study / "slow_of_the_test.py").write_text(
        "import time\ndef slow(data, settings):\n    time.sleep(600)\n"
    )
    words = ["gate", "data.csv", "--out", str(out), "--witness", "slow_of_the_test:slow"]
    program = (
        "import sys\nfrom crosscheck.cli import main\nif __name__ == '__main__':\n    main()\n"
    )
    (study / "start.py").write_text(program)
    root = Path(__file__).resolve().parents[2]
    started = subprocess.Popen(
        [sys.executable, "start.py", *words],
        cwd=study,
        env={**os.environ, "PYTHONPATH": str(root)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert started.stderr is not None
    for line in started.stderr:
        if "slow is asked" in line:
            break
    os.killpg(started.pid, signal.SIGINT)
    rest = started.stderr.read()
    started.stderr.close()
    assert started.wait() == 130
    assert "interrupted" in rest
    assert "Traceback" not in rest
    assert left_in(out.parent) == []


def test_a_witness_killed_half_way_is_in_the_report(
    study: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (study / "dying_of_the_test.py").write_text(
        f"import os\ndef die(data, settings):\n    os.kill(os.getpid(), {signal.SIGKILL.value})\n"
    )
    monkeypatch.chdir(study)
    words = ["gate", "data.csv", "--out", str(out), "--witness", "dying_of_the_test:die", "-q"]
    assert run([*words, "--no-figures"]) == FAILED
    report = json.loads((out / "report.json").read_text())
    assert [one["rule"] for one in report["findings"] if one["severity"] == "error"] == ["XC991"]
    assert "SIGKILL" in report["findings"][0]["message"]


def test_an_error_of_ours_has_its_own_exit_code(
    study: Path, out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("crosscheck.gate.run", broken)
    assert run(["gate", str(study / "data.csv"), "--out", str(out)]) == OUR_ERROR
    shown = capsys.readouterr().err
    assert "an error of ours" in shown
    assert "Traceback" not in shown
    assert left_in(out.parent) == []


def test_ids_from_the_data_are_escaped_in_the_page(rows: list[Row], save: Save, out: Path) -> None:
    evil = "<script>alert(1)</script>"
    for row in rows:
        if row["post_id"] == "p00":
            row["post_id"] = evil
    rows[0]["has_evidence"] ^= 1
    data = save(rows, out.parent.parent / "data.csv")
    words = ["gate", str(data), "--out", str(out), "-q", "--witness", "primary", "--no-figures"]
    assert run(words) == FAILED
    page = (out / "report.html").read_text()
    assert evil not in page
    assert "&lt;script&gt;alert(1)" in page
