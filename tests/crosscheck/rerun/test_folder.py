"""A report's folder: every file is looked at, and none is there that no gate wrote."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from crosscheck.cli import run
from crosscheck.errors import BAD_INPUT, FAILED, PASS
from crosscheck.faults import reports
from crosscheck.report import json as report_json
from crosscheck.report import ledger
from crosscheck.report.names import SAMPLE
from crosscheck.rerun import bundle, rerun
from crosscheck.rerun.folder import Folders

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def told(report: Path, gated: Path) -> Callable[[], list[str]]:
    """Give what is said of the copy, held against the report that it was copied from."""

    def say() -> list[str]:
        fresh = report_json.read(gated / "report")
        found = Folders(report, gated / "report", fresh, aged=False).differences()
        return [str(one) for one in found]

    return say


def test_a_copy_is_the_same(told: Callable[[], list[str]]) -> None:
    assert told() == []


@pytest.mark.parametrize(
    "name", ["extra.html", ".htaccess", "figures/roc.svg", "LEDGER.CSV", "data/ledger.csv"]
)
def test_a_file_that_no_gate_wrote_is_found(
    report: Path, told: Callable[[], list[str]], name: str
) -> None:
    (report / name).parent.mkdir(exist_ok=True)
    (report / name).write_text("99 %")
    assert told() == [f"{name.partition('/')[0]}: not written by gate"]


def test_so_is_an_empty_folder(report: Path, told: Callable[[], list[str]]) -> None:
    (report / "empty").mkdir()
    assert told() == ["empty: not written by gate"]


def test_a_link_is_no_file_of_the_report(report: Path, told: Callable[[], list[str]]) -> None:
    (report / "report.html").rename(report.parent / "page.html")
    (report / "report.html").symlink_to(report.parent / "page.html")
    assert told() == ["report.html: missing → written with every report"]


def test_inputs_may_lie_in_the_folder(
    report: Path, gated: Path, told: Callable[[], list[str]]
) -> None:
    shutil.copy(gated / "data.csv", report / "data.csv")
    assert told() == []
    (report / "data.csv").write_text("another")
    assert told() == ["data.csv: not written by gate"]


@pytest.mark.parametrize("name", ["requirements.lock", "inputs"])
def test_what_a_bundle_adds_has_no_place_outside_of_one(
    report: Path, told: Callable[[], list[str]], name: str
) -> None:
    (report / name).mkdir()
    (report / name / "x").write_text("")
    assert told() == [f"{name}: not written by gate"]


@pytest.mark.parametrize("name", [ledger.NAME, SAMPLE])
def test_a_ledger_is_compared_column_by_column(report: Path, gated: Path, name: str) -> None:
    fresh = report.with_name("fresh")
    shutil.copytree(gated / "report", fresh)
    text = (fresh / ledger.NAME).read_text()
    (fresh / name).write_text(text)
    folders = Folders(report, fresh, report_json.read(fresh), aged=False)

    def wheres(ledgers: ledger.Ledgers) -> list[str]:
        (report / name).write_text(ledger.render(ledgers))
        return [one.where for one in folders.differences()]

    said = ledger.read(text)
    key = next(iter(said["trec_eval"]))
    assert wheres(said) == []
    near = said["trec_eval"][key] + 1e-12
    assert wheres(said | {"trec_eval": said["trec_eval"] | {key: near}}) == []
    assert wheres(said | {"primary": said["primary"] | {key: near}}) == [
        f"{name}, SHA-256",
        f"{name}, primary, {key}",
    ]
    assert wheres({"reference": said["reference"]} | said) == [name]  # another order
    (report / name).unlink()
    assert [str(one) for one in folders.differences()] == [
        f"{name}: missing → written with every report"
    ]


def spoiled(report: Path, cell: str) -> None:
    """Put something into a cell of the last witness, which is in no hash."""
    lines = (report / "ledger.csv").read_text().splitlines()
    place = lines[0].split(",").index("trec_eval")
    cells = lines[9].split(",")
    cells[place] = cell
    lines[9] = ",".join(cells)
    (report / "ledger.csv").write_text("".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize(
    "cell",
    ["9" * 200_000, "9" * 5_000, "9" * 4_000, "nan", "-inf", "x" * 1_000, "\0", '"'],
    ids=lambda cell: f"{cell[:4]!r} of {len(cell)}",
)
def test_no_cell_of_a_ledger_is_an_error_of_ours(
    report: Path, told: Callable[[], list[str]], capsys: pytest.CaptureFixture[str], cell: str
) -> None:
    spoiled(report, cell)
    assert told()[0].startswith("ledger.csv")
    assert run(["tables", str(report)]) in (PASS, BAD_INPUT)
    assert "Traceback" not in capsys.readouterr().err


def test_bytes_that_are_no_text_are_found(report: Path, told: Callable[[], list[str]]) -> None:
    content = (report / "ledger.csv").read_bytes()
    (report / "ledger.csv").write_bytes(content + b"\xff\xfe")
    assert told()[0].startswith("ledger.csv")


@pytest.mark.parametrize(
    "content",
    [b"[" * 100_000, b"\xff", b'{"kernel": ' + b"9" * 5_000 + b"}", b'{"kernel": NaN}', b"[]"],
    ids=["deep", "no text", "large", "nan", "list"],
)
def test_a_machine_that_no_gate_described_is_refused(
    report: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    (report / "machine.json").write_bytes(content)
    assert run(["rerun", str(report), "-q"]) == BAD_INPUT
    assert "machine.json: is not what `crosscheck gate` wrote" in capsys.readouterr().err


@pytest.mark.parametrize(
    "value", ["[" * 100_000, "[" * 150 + "]" * 150, "9" * 5_000, "9" * 4_000, "NaN", "1e999"]
)
def test_no_value_in_a_report_is_an_error_of_ours(
    report: Path, capsys: pytest.CaptureFixture[str], value: str
) -> None:
    text = (report / "report.json").read_text()
    (report / "report.json").write_text(text.replace('"facts": {', f'"facts": {{"x": {value},', 1))
    assert run(["rerun", str(report), "-q"]) in (FAILED, BAD_INPUT)
    assert "Traceback" not in capsys.readouterr().err


def test_a_gate_over_a_hostile_report_refuses(
    report: Path, gated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (report / "report.json").write_text("[" * 100_000)
    assert run(["gate", str(gated / "data.csv"), "--out", str(report), "-q"]) == BAD_INPUT
    assert "a report.json that is not ours" in capsys.readouterr().err


def test_a_listed_input_that_is_somebody_elses_is_not_described(
    report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hunter2")
    stored = json.loads((report / "report.json").read_text())
    stored["provenance"]["inputs"][0]["path"] = str(secret)
    (report / "report.json").write_text(json.dumps(stored))
    assert run(["rerun", str(report), "-q"]) == BAD_INPUT
    assert f"{secret}: is not the file that was gated\n" in capsys.readouterr().err


def test_a_bundle_unpacked_by_hand_is_verified_as_one(
    report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle.pack(report, tmp_path / "b.zip")
    folder = tmp_path / "by hand"
    bundle.unpack(tmp_path / "b.zip", folder)
    found = rerun(folder, processes=False)
    assert found.same
    assert found.uncompared == ("machine.json",)
    (folder / "extra.html").write_text("99 %")
    assert run(["rerun", str(folder), "-q"]) == BAD_INPUT
    assert "extra.html: not what SHA256SUMS says" in capsys.readouterr().err


def test_a_file_added_to_a_bundle_and_its_sums_is_found(report: Path, tmp_path: Path) -> None:
    (report / "extra.html").write_text("99 %")
    bundle.pack(report, tmp_path / "b.zip")
    with bundle.opened(tmp_path / "b.zip") as folder:
        assert list(map(str, rerun(folder, processes=False).differences)) == [
            "extra.html: not written by gate"
        ]


def test_the_report_that_the_self_test_tampers_with_is_the_same_before(tmp_path: Path) -> None:
    reports.make(tmp_path)
    assert rerun(tmp_path, processes=False).same


def test_every_figure_is_looked_at(gated: Path, tmp_path: Path) -> None:
    for name in ("first", "second"):
        shutil.copy(gated / "data.csv", tmp_path / f"{name}.csv")
    (tmp_path / "crosscheck.toml").write_text(
        'k = [1]\n[systems.first]\ndata = "first.csv"\n[systems.second]\ndata = "second.csv"\n'
    )
    out = tmp_path / "report"
    words = ["--config", str(tmp_path / "crosscheck.toml"), "--witness", "primary"]
    assert run(["gate", *words, "--no-intervals", "--out", str(out), "-q"]) == PASS
    assert rerun(out, processes=False).same
    drawn = out / "second" / "figures"
    (drawn / "roc.svg").write_text((drawn / "roc.svg").read_text() + " ")
    (drawn / "roc.pdf").unlink()
    (drawn / "rocket.pdf").write_bytes(b"%PDF")
    assert list(map(str, rerun(out, processes=False).differences)) == [
        "second/figures/roc.pdf: missing → written with every report",
        "second/figures/roc.svg: another figure → what the inputs give",
        "second/figures/rocket.pdf: not written by gate",
    ]
