"""The matrix fault × rule, and the command's other answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck import cli
from crosscheck.faults import matrix
from crosscheck.faults.selftest import FaultResult, badge
from crosscheck.mistakes.catalogue import faults

if TYPE_CHECKING:
    import pytest

MAP = faults()["map-by-gold"]
CAUGHT = FaultResult(MAP, {"XC401": "error", "XC622": "error"}, "drift")
DRIFT_ONLY = FaultResult(MAP, {"XC401": "drift"}, "drift")
CRASHED = FaultResult(MAP, {}, "untouched", "ValueError: no")


def test_a_catch_is_an_error_under_the_rule_that_must_speak() -> None:
    assert [CAUGHT.caught, DRIFT_ONLY.caught, CRASHED.caught] == [True, False, False]


def test_a_change_that_the_study_hides_is_a_miss() -> None:
    assert not FaultResult(MAP, {"XC401": "error"}, "silent").caught


def test_the_badge_counts() -> None:
    assert badge([CAUGHT, DRIFT_ONLY, CRASHED]) == "1/3"


def test_the_text_marks_errors_drift_and_misses() -> None:
    lines = [line for line in matrix.text([CAUGHT, DRIFT_ONLY, CRASHED]) if "map-by-gold" in line]
    assert [line.split()[1:3] for line in lines] == [["[E]", "E"], ["[d]", "·"], ["[·]", "·"]]
    assert ["MISSED" in line for line in lines] == [False, True, True]
    assert "ValueError: no" in lines[2]


def test_markdown_names_the_thread_and_the_rule() -> None:
    (line,) = [line for line in matrix.markdown([CAUGHT]) if "map-by-gold" in line]
    assert "AmenRa/ranx 22" in line
    assert "**XC401** XC622" in line


def test_what_stands_in_for_a_rule_has_a_title() -> None:
    assert matrix.title("rerun") == matrix.BEYOND_RULES["rerun"]
    assert matrix.title("XC401") == "The two implementations disagree"


def test_the_list_has_every_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["selftest", "--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(faults())


def test_an_unknown_fault_is_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["selftest", "--fault", "map-by-magic"]) == 2
    assert "no such fault or family" in capsys.readouterr().err


def test_part_of_a_selftest_is_not_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["selftest", "--fault", "labels", "--record"]) == 2
    assert "leave --fault out" in capsys.readouterr().err
