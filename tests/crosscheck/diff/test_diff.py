"""`crosscheck diff`: what moved is told, from ledgers that are still the verified ones."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from crosscheck.commands.diff import command
from crosscheck.diff import compare, opened
from crosscheck.diff.markdown import render
from crosscheck.errors import UserError
from crosscheck.report import ledger

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLE = Path(__file__).parents[3] / "reports" / "example"
NDCG = "ndcg@10|positives_only|all|mean"


def altered(folder: Path, change: Callable[[dict[str, Any]], None], **values: float) -> Path:
    """Copy the example with other headline values, in report and ledger alike."""
    folder.mkdir(parents=True)
    report = json.loads((EXAMPLE / "report.json").read_text(encoding="utf-8"))
    system = report["systems"][0]
    lines = (EXAMPLE / "ledger.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    for row in system["headline"]:
        if row["metric"] in values:
            row["value"] = values[row["metric"]]
            place = next(i for i, line in enumerate(lines) if line.startswith(f"{row['key']},"))
            cells = lines[place].split(",")
            cells[5] = cells[6] = repr(row["value"])
            lines[place] = ",".join(cells)
    change(report)
    text = "".join(lines)
    system["ledger"]["sha256"] = ledger.digest(text, system["ledger"]["columns"])
    (folder / "ledger.csv").write_text(text, encoding="utf-8")
    (folder / "report.json").write_text(json.dumps(report), encoding="utf-8")
    return folder


def as_it_was(report: dict[str, Any]) -> None:
    """Change nothing."""
    del report


def value_of(metric: str) -> tuple[float, dict[str, Any]]:
    report = json.loads((EXAMPLE / "report.json").read_text(encoding="utf-8"))
    row = next(one for one in report["systems"][0]["headline"] if one["metric"] == metric)
    return row["value"], row["intervals"][0]


def test_a_report_and_itself_are_the_same() -> None:
    diff = compare(*opened(str(EXAMPLE), str(EXAMPLE / "report.json"), None))
    assert diff.nothing
    assert "nothing moved" in render(diff)


def test_a_number_that_fell_out_of_its_interval_is_worse_and_beyond(tmp_path: Path) -> None:
    was, interval = value_of("ndcg@10")
    new = altered(tmp_path / "new", as_it_was, **{"ndcg@10": interval["low"] - 0.01})
    diff = compare(*opened(str(EXAMPLE), str(new), None))
    [one] = diff.numbers
    assert (one.key, one.old, one.turn, one.beyond) == (NDCG, was, "worse", True)
    assert one.change == interval["low"] - 0.01 - was
    assert [(moved.moved, moved.came, moved.went) for moved in diff.ledgers] == [(1, 0, 0)]


def test_a_lower_error_is_better_and_within_chance(tmp_path: Path) -> None:
    was, interval = value_of("brier")
    new = altered(tmp_path / "new", as_it_was, brier=(was + interval["low"]) / 2)
    [one] = compare(*opened(str(EXAMPLE), str(new), None)).numbers
    assert (one.turn, one.beyond) == ("better", False)


def test_findings_and_claims_come_change_and_go(tmp_path: Path) -> None:
    def change(report: dict[str, Any]) -> None:
        report["verdict"] = "fail"
        report["findings"][0] |= {"rule": "XC901", "severity": "error"}
        report["systems"][0]["claims"][0]["status"] = "wrong"

    new = altered(tmp_path / "new", change)
    diff = compare(*opened(str(EXAMPLE), str(new), None))
    told = {(one.what, one.how, one.error) for one in diff.events}
    assert told == {
        ("finding", "came", True), ("finding", "went", False), ("claim", "changed", True)
    }  # fmt: skip
    assert diff.verdicts == ("pass", "fail")
    assert "PASS → FAIL" in render(diff)


def test_a_key_that_is_gone_is_told(tmp_path: Path) -> None:
    def change(report: dict[str, Any]) -> None:
        report["systems"][0]["headline"].pop(0)

    new = altered(tmp_path / "new", change)
    [one] = compare(*opened(str(EXAMPLE), str(new), None)).numbers
    assert one.old is not None
    assert one.new is None


def test_a_number_that_is_gone_or_worse_from_nothing_is_a_regression(tmp_path: Path) -> None:
    def change(report: dict[str, Any]) -> None:
        report["systems"][0]["headline"].pop(0)

    gone = str(altered(tmp_path / "gone", change))
    assert run(str(EXAMPLE), gone, "--fail-on", "regression=50%")[0] == 1
    none, some = (str(altered(tmp_path / name, as_it_was, brier=at)) for name, at in FROM_NOTHING)
    code, text = run(none, some, "--fail-on", "regression=50%")
    assert code == 1
    assert "Brier score (full) is worse" in text
    assert run(some, none, "--fail-on", "regression=50%")[0] == 0


FROM_NOTHING = (("none", 0.0), ("some", 0.01))


def test_a_verdict_that_fell_is_a_regression(tmp_path: Path) -> None:
    new = str(altered(tmp_path / "new", lambda report: report.update(verdict="fail")))
    assert (
        "the verdict was PASS and is FAIL" in run(str(EXAMPLE), new, "--fail-on", "regression")[1]
    )


def test_the_only_system_is_the_same_under_another_name(tmp_path: Path) -> None:
    def change(report: dict[str, Any]) -> None:
        report["systems"][0]["name"] = "results_v2"

    diff = compare(*opened(str(EXAMPLE), str(altered(tmp_path / "new", change)), None))
    assert diff.numbers == []
    assert diff.behind[0].endswith("→ results_v2")


def test_a_headline_that_its_ledger_does_not_state_is_refused(tmp_path: Path) -> None:
    def change(report: dict[str, Any]) -> None:
        report["systems"][0]["headline"][0]["value"] = 0.99

    with pytest.raises(UserError, match=r"is 0\.99 in report\.json and"):
        opened(str(EXAMPLE), str(altered(tmp_path / "new", change)), None)


def test_without_intervals_none_is_said_to_hold(tmp_path: Path) -> None:
    def change(report: dict[str, Any]) -> None:
        for row in report["systems"][0]["headline"]:
            row["intervals"] = []

    was, _ = value_of("ndcg@10")
    old = altered(tmp_path / "old", change)
    new = altered(tmp_path / "new", change, **{"ndcg@10": was - 0.01})
    diff = compare(*opened(str(old), str(new), None))
    assert "1 headline number moved, 1 for the worse, no intervals" in render(diff)


def test_what_lies_behind_is_named(tmp_path: Path) -> None:
    def change(report: dict[str, Any]) -> None:
        report["provenance"]["inputs"][0]["sha256"] = "0" * 64
        report["provenance"]["versions"]["numpy"] = "9.9"

    diff = compare(*opened(str(EXAMPLE), str(altered(tmp_path / "new", change)), None))
    assert any("changed" in line and "input" in line for line in diff.behind)
    assert any(line.startswith("numpy: ") and line.endswith("→ 9.9") for line in diff.behind)


def test_a_ledger_changed_by_hand_is_refused(tmp_path: Path) -> None:
    new = altered(tmp_path / "new", as_it_was)
    file = new / "ledger.csv"
    file.write_text(file.read_text(encoding="utf-8").replace("exact", "drift", 1), encoding="utf-8")
    with pytest.raises(UserError, match="not the ledger that was verified"):
        opened(str(EXAMPLE), str(new), None)


@pytest.mark.parametrize("path", ["../ledger.csv", "/etc/hostname"])
def test_a_ledger_elsewhere_is_not_opened(tmp_path: Path, path: str) -> None:
    def change(report: dict[str, Any]) -> None:
        report["systems"][0]["ledger"]["path"] = path

    with pytest.raises(UserError, match="not beside it"):
        opened(str(EXAMPLE), str(altered(tmp_path / "new", change)), None)


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(command, words, standalone_mode=False)
    if isinstance(result.exception, Exception):
        raise result.exception
    return result.return_value, result.output


def test_fail_on_holds_numbers_to_a_share_of_what_they_were(tmp_path: Path) -> None:
    was, _ = value_of("ndcg@10")
    new = str(altered(tmp_path / "new", as_it_was, **{"ndcg@10": was * 0.97}))
    assert run(str(EXAMPLE), new)[0] == 0
    assert run(str(EXAMPLE), new, "--fail-on", "regression=5%")[0] == 0
    code, text = run(str(EXAMPLE), new, "--fail-on", "regression=2%")
    assert code == 1
    assert "nDCG@10" in text
    assert run(str(EXAMPLE), new, "--fail-on", "any")[0] == 1
    assert run(new, str(EXAMPLE), "--fail-on", "regression=0%")[0] == 0  # better is no regression
    assert run(str(EXAMPLE), str(EXAMPLE), "--fail-on", "any")[0] == 0
    assert json.loads(run(str(EXAMPLE), new, "--format", "json")[1])["numbers"][0]["key"] == NDCG


def test_two_revisions_are_compared_without_touching_the_work_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def git(*words: str) -> None:
        name = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *name, *words], check=True, capture_output=True)

    git("init", "-q", ".")
    altered(tmp_path / "reports" / "paper", as_it_was)
    git("add", ".")
    git("commit", "-qm", "one")
    shutil.rmtree(tmp_path / "reports")
    altered(tmp_path / "reports" / "paper", as_it_was, **{"ndcg@10": 0.5})
    git("commit", "-qam", "two")
    shutil.rmtree(tmp_path / "reports")
    old, new = opened("HEAD~1..HEAD", None, "reports/paper")
    assert [one.key for one in compare(old, new).numbers] == [NDCG]
    assert compare(*opened("HEAD..", None, None)).nothing
    for words, told in (
        (("HEAD~1..nowhere", None, None), "git: "),
        (("HEAD~1..HEAD", None, "elsewhere"), "holds no report at elsewhere"),
        (("--help..HEAD", None, None), "is no revision"),
        (("HEAD", None, None), "two revisions"),
    ):
        with pytest.raises(UserError, match=told):
            opened(*words)
