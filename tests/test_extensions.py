"""A witness, a check, a claims reader and a report format from outside, through to the report.

Each is really added to a copy of the packages, as tests/additions/extensions.toml says; then the
gate is run in a process that sees the copy alone. Metrics: test_additions.py; file formats:
test_new_format.py.
"""

from __future__ import annotations

import csv
import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

ADDITIONS = Path(__file__).parent / "additions"
EXTENSIONS = tomllib.loads((ADDITIONS / "extensions.toml").read_text(encoding="utf-8"))
ANSWERS = """query_id,candidates,gold
q1,s1|s2|s3|s4,s1
q2,s5|s6|s7|s8,s6|s8
q3,s9|s10|s11,s12
q4,s13|s14|s15,
"""
PAPER = """* Results
| Metric   |  Ours |
|----------+-------|
| MRR      | 0.500 |
| Recall@3 | 0.900 |
"""
KEY = "mrr@all|positives_only|all|mean"


def add(copy: Any, extension: dict[str, Any]) -> None:
    """Make one addition."""
    for place, file in extension["files"].items():
        shutil.copy(ADDITIONS / file, copy.tree / place)
    for file, lines in extension.get("lines", {}).items():
        for known, added in lines.items():
            copy.put(file, known, after=added)


@dataclass(frozen=True)
class Extended:
    """The copy with every addition, and what each of them touched."""

    copy: Any
    touched: dict[str, set[str]]

    @property
    def system(self) -> dict[str, Any]:
        (system,) = self.copy.report["systems"]
        return dict(system)


GATE = ("gate", "answers.csv", "--claims", "paper.org", "--witness", "by hand", "--out", "out")


@pytest.fixture(scope="module")
def extended(copied: Callable[[], Any]) -> Extended:
    copy = copied()
    touched = {}
    for point, extension in EXTENSIONS.items():
        before = copy.sources()
        add(copy, extension)
        after = copy.sources()
        touched[point] = {name for name in after if before.get(name) != after[name]}
    (copy.folder / "answers.csv").write_text(ANSWERS, encoding="utf-8")
    (copy.folder / "paper.org").write_text(PAPER, encoding="utf-8")
    gate = copy.run(*GATE)
    assert gate.returncode == 1, gate.stdout + gate.stderr
    return Extended(copy, touched)


@pytest.mark.parametrize(
    ("point", "most"), [("witness", 2), ("check", 3), ("claims reader", 1), ("report format", 1)]
)
def test_an_extension_touches_few_source_files(extended: Extended, point: str, most: int) -> None:
    touched = extended.touched[point]
    stated = EXTENSIONS[point]["files"].keys() | EXTENSIONS[point].get("lines", {}).keys()
    assert touched == stated
    assert len(touched) <= most


def test_the_witness_is_asked_and_agrees(extended: Extended) -> None:
    (witness,) = (one for one in extended.system["witnesses"] if one["name"] == "by hand")
    assert (witness["status"], witness["keys"]) == ("answered", 1)
    assert [one["reason"] for one in witness["declined"]] == ["it knows one number only"]
    pairs = {(one["first"], one["second"]): one for one in extended.system["pairs"]}
    assert pairs["primary", "by hand"]["exact"] == 1
    rows = {
        row["key"]: row for row in csv.DictReader(extended.copy.written("ledger.csv").splitlines())
    }
    assert rows[KEY]["by hand"] == rows[KEY]["primary"] == "0.5"


def test_the_check_finds_its_own_reason_under_its_own_rule(extended: Extended) -> None:
    (row,) = (one for one in extended.system["checks"] if one["group"] == "enough")
    assert (row["status"], row["examined"]) == ("failed", 1)
    (finding,) = (one for one in extended.copy.report["findings"] if one["rule"] == "XC698")
    assert finding["message"] == "there are 4 queries"
    assert "There are few queries" in extended.copy.run("rules", "XC698").stdout


def test_the_claims_are_read_and_held_against_the_data(extended: Extended) -> None:
    claims = {one["label"]: one["status"] for one in extended.system["claims"]}
    assert claims == {"MRR / Ours": "holds", "Recall@3 / Ours": "wrong"}


@pytest.mark.parametrize("page", ["report.html", "report.md", "junit.xml"])
def test_people_read_of_all_of_them(extended: Extended, page: str) -> None:
    text = extended.copy.written(page)
    assert "There are queries enough" in text or "there are 4 queries" in text
    assert "Recall@3" in text
    assert "by hand" in text or page == "junit.xml"


def test_a_rerun_asks_them_again(extended: Extended) -> None:
    again = extended.copy.run("rerun", "out")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "by hand; 1 numbers, all the same" in again.stdout


def test_the_format_is_written_replaced_and_held_against_the_inputs(extended: Extended) -> None:
    findings = [one["rule"] for one in extended.copy.report["findings"]]
    assert extended.copy.written("outline.txt").splitlines() == ["fail", *findings]
    again = extended.copy.run(*GATE)
    assert again.returncode == 1, again.stdout + again.stderr
    shutil.copytree(extended.copy.folder / "out", extended.copy.folder / "changed")
    (extended.copy.folder / "changed" / "outline.txt").write_text("pass\n", encoding="utf-8")
    rerun = extended.copy.run("rerun", "changed")
    assert rerun.returncode == 1, rerun.stdout + rerun.stderr
    assert "outline.txt" in rerun.stdout
