"""`crosscheck gate` as people and machines use it: files, formats, terminal, GitHub."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from crosscheck.cli import run
from crosscheck.errors import FAILED, PASS

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = Path(__file__).resolve().parents[3] / "crosscheck" / "report" / "report.schema.json"


def gate(study: Path, *more: str) -> int:
    words = ["gate", str(study / "data.csv"), "--out", str(study / "out"), "--no-figures"]
    return run([*words, "--witness", "primary", *more])


def test_a_run_writes_every_format(study: Path) -> None:
    assert gate(study, "-q") == PASS
    written = {path.name for path in (study / "out").iterdir()}
    assert written == {
        "report.json",
        "report.html",
        "report.md",
        "junit.xml",
        "ledger.csv",
        "machine.json",
        "report.sarif",
        "codequality.json",
        "badge.svg",
        "badge.json",
    }
    report = json.loads((study / "out" / "report.json").read_text())
    jsonschema.validate(report, json.loads(SCHEMA.read_text()))


def test_the_same_inputs_give_the_same_bytes(study: Path) -> None:
    assert gate(study, "-q") == PASS
    first = {path.name: path.read_bytes() for path in (study / "out").iterdir()}
    assert gate(study, "-q") == PASS
    assert {path.name: path.read_bytes() for path in (study / "out").iterdir()} == first


def test_the_verdict_can_be_read_from_across_the_room(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gate(study) == PASS
    shown = capsys.readouterr()
    assert "P A S S" in shown.out
    assert "report.html" in shown.out
    assert "primary is asked" in shown.err
    assert "try: " in shown.out


def test_quiet_is_one_line(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gate(study, "--quiet") == PASS
    shown = capsys.readouterr()
    assert re.fullmatch(
        r"PASS: [\d,]+ numbers compared by 2 witnesses; weakened by .*\.\n", shown.out
    )
    assert shown.err == ""


def test_json_is_the_report(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gate(study, "--json") == PASS
    shown = capsys.readouterr()
    assert shown.out == (study / "out" / "report.json").read_text()


def test_no_colour_codes_where_nobody_wants_them(
    study: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    gate(study)
    shown = capsys.readouterr()
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", shown.out + shown.err)


def test_findings_become_annotations_on_github(
    study: Path,
    rows: list[dict[str, Any]],
    save: Callable[..., Path],
    *,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows[0]["has_evidence"] ^= 1
    save(rows, study / "data.csv")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(study / "summary.md"))
    assert gate(study, "-q") == FAILED
    assert "::error title=XC101" in capsys.readouterr().out
    assert (study / "summary.md").read_text() == (study / "out" / "report.md").read_text()


def test_a_failing_run_still_writes_its_report(
    study: Path, rows: list[dict[str, Any]], save: Callable[..., Path]
) -> None:
    rows[0]["has_evidence"] ^= 1
    save(rows, study / "data.csv")
    assert gate(study, "-q") == FAILED
    report = json.loads((study / "out" / "report.json").read_text())
    assert report["verdict"] == "fail"
    assert report["summary"].startswith("FAIL: ")


def test_an_old_report_is_replaced_whole(study: Path) -> None:
    assert gate(study, "-q") == PASS
    for name in ("report.html", "ledger-sample.csv"):
        (study / "out" / name).write_text("old")
    assert gate(study, "-q") == PASS
    assert (study / "out" / "report.html").read_text() != "old"
    assert not (study / "out" / "ledger-sample.csv").exists()
    assert sorted(path.name for path in study.iterdir()) == ["crosscheck.toml", "data.csv", "out"]


def test_notes_beside_an_old_report_are_not_lost(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gate(study, "-q") == PASS
    (study / "out" / "notes.txt").write_text("mine")
    assert gate(study, "-q") == 2
    assert "notes.txt" in capsys.readouterr().err
    assert (study / "out" / "notes.txt").read_text() == "mine"


def test_systems_of_the_config_have_folders_of_their_own(
    study: Path, rows: list[dict[str, Any]], save: Callable[..., Path]
) -> None:
    save(rows, study / "other.csv")
    (study / "crosscheck.toml").write_text(
        'k = [1, 10]\n[systems.first]\ndata = "data.csv"\n[systems."a/b"]\ndata = "other.csv"\n'
    )
    words = ["gate", "--config", str(study / "crosscheck.toml"), "--out", str(study / "out"), "-q"]
    assert run([*words, "--witness", "primary", "--no-figures"]) == PASS
    folders = [path.name for path in (study / "out").iterdir() if path.is_dir()]
    assert "first" in folders
    assert len(folders) == 2
    assert all((study / "out" / name / "ledger.csv").is_file() for name in folders)


def test_trec_files_are_gated(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n2 0 c 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 2.0 x\n1 Q0 b 2 2.0 x\n2 Q0 a 1 1.0 x\n")
    words = ["gate", "--qrels", str(tmp_path / "q"), "--run", str(tmp_path / "r"), "-q"]
    assert run([*words, "--out", str(tmp_path / "out"), "--witness", "trec_eval"]) == PASS
    assert (tmp_path / "out" / "figures" / "agreement.svg").is_file()
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert [one["role"] for one in report["provenance"]["inputs"]] == ["qrels", "run"]


def test_intervals_are_asked_for_by_flag(study: Path) -> None:
    assert gate(study, "-q", "--resamples", "20", "--seed", "5") == PASS
    report = json.loads((study / "out" / "report.json").read_text())
    assert (report["provenance"]["resamples"], report["provenance"]["seed"]) == (20, 5)
    intervals = report["systems"][0]["headline"][0]["intervals"]
    assert {one["unit"] for one in intervals} == {"post", "query"}


def test_a_witness_of_the_users_own(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (study / "own_of_the_test.py").write_text(
        "import reference\n"
        "def same(data, settings):\n    return reference.evaluate(data, settings)\n"
        "def other(data, settings):\n"
        "    return {**reference.evaluate(data, settings), 'auroc|all_queries|all|value': 0.1}\n"
    )
    monkeypatch.chdir(study)
    assert gate(study, "-q", "--witness", "own_of_the_test:same") == PASS
    assert gate(study, "-q", "--witness", "own_of_the_test:other") == FAILED


@pytest.fixture
def published(shared_data: Path) -> list[str]:
    data = str(shared_data / "study" / "per_query.csv")
    rankings = ["--ranking", "retriever=retriever_topk", "--ranking", "reranked=reranked_topk"]
    return ["gate", data, *rankings, "-q", "--witness", "trec_eval", "--no-figures"]


def test_the_studys_own_claims_hold(
    published: list[str], shared_data: Path, tmp_path: Path
) -> None:
    claims = str(shared_data / "study" / "summary.json")
    assert run([*published, "--claims", claims, "--out", str(tmp_path / "out")]) == PASS
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    claimed = [claim for system in report["systems"] for claim in system["claims"]]
    metrics = [one for one in claimed if "@" in one["label"]]
    assert len(metrics) == 64
    assert {one["status"] for one in claimed} == {"holds"}


def test_one_claim_off_by_two_thousandths_fails_and_is_named(
    published: list[str], shared_data: Path, tmp_path: Path
) -> None:
    claims = json.loads((shared_data / "study" / "summary.json").read_text())
    claims["reranked"]["all_queries"]["ndcg@5"] += 0.002
    (tmp_path / "claims.json").write_text(json.dumps(claims))
    words = [*published, "--claims", str(tmp_path / "claims.json"), "--out", str(tmp_path / "out")]
    assert run(words) == FAILED
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    [error] = [one for one in report["findings"] if one["severity"] == "error"]
    assert (error["rule"], error["system"]) == ("XC901", "reranked")
    assert error["key"] == "ndcg@5|all_queries|all|mean"
    assert "reranked" in error["place"]


def test_one_gold_id_changed_fails_and_its_query_is_named(
    published: list[str], shared_data: Path, tmp_path: Path
) -> None:
    text = (shared_data / "study" / "per_query.csv").read_text()
    assert text.count("s_1061_1689,A.1,s_1061_1689_0,") == 1
    changed = text.replace("s_1061_1689,A.1,s_1061_1689_0,", "s_1061_1689,A.1,s_1061_1689_000,")
    (tmp_path / "data.csv").write_text(changed)
    claims = str(shared_data / "study" / "summary.json")
    words = [*published, "--claims", claims, "--out", str(tmp_path / "out")]
    words[1] = str(tmp_path / "data.csv")
    assert run(words) == FAILED
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    wrong = [one for one in report["findings"] if one["rule"] == "XC901"]
    assert len(wrong) > 25
    missing = [one["message"] for one in report["findings"] if one["rule"] == "XC107"]
    assert all("post s_1061_1689, criterion A.1" in message for message in missing)
    assert len(missing) == 2
