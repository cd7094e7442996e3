"""`crosscheck claims FILE`: verdict, exit code and machine-readable output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from crosscheck.commands.claims import command

PUBLISHED = Path(__file__).parent / "s2.md"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, [str(a) for a in arguments], standalone_mode=False)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "table.md"
    file.write_text("| Model | P@1 | Hit@1 |\n|---|---|---|\n| A | 0.50 | 0.50 |\n", "utf-8")
    return file


def test_an_impossible_table_fails_with_its_reasons() -> None:
    result = run(PUBLISHED)
    assert result.return_value == 1
    assert "impossible" in result.output.splitlines()[0]
    assert "100 numbers: 100 checked" in result.output
    assert run("--all", PUBLISHED).output.count("error XC9") == 4


def test_an_audit_takes_a_screen_and_says_what_it_leaves_out() -> None:
    output = run(PUBLISHED).output
    assert len(output.splitlines()) < 70
    assert "(--all shows them)" in output


def test_a_possible_table_passes(table: Path) -> None:
    result = run(table)
    assert result.return_value == 0
    assert "possible" in result.output.splitlines()[0]


def test_a_table_of_which_nothing_can_be_checked_does_not_pass(tmp_path: Path) -> None:
    file = tmp_path / "table.md"
    file.write_text("| Model | Fluency |\n|---|---|\n| A | 12 |\n", "utf-8")
    result = run(file)
    assert result.return_value == 1
    assert "nothing could be checked" in result.output


def test_a_file_without_numbers_is_the_users_error(tmp_path: Path) -> None:
    file = tmp_path / "empty.md"
    file.write_text("# Nothing\n", "utf-8")
    result = run(file)
    assert "holds no number" in str(result.exception)


def test_n_is_taken_from_the_command_line(table: Path) -> None:
    assert run(table, "--n", "3").return_value == 1
    assert run(table, "--n", "4").return_value == 0


def test_strict_fails_on_advice(tmp_path: Path) -> None:
    file = tmp_path / "f1.md"
    text = "| Model | PPV | Sensitivity | F1 |\n|---|---|---|---|\n| A | 0.5 | 0.5 | 0.3 |\n"
    file.write_text(text, "utf-8")
    assert run(file).return_value == 0
    assert run(file, "--strict").return_value == 1


def test_json_holds_the_whole_audit(table: Path) -> None:
    (audit,) = json.loads(run(table, "--json").output)
    assert audit["verdict"] == "possible"
    assert (audit["numbers"], audit["checked"], audit["violated"]) == (2, 2, 0)


def test_bad_fold_sizes_are_refused(table: Path) -> None:
    assert "295,295,297" in str(run(table, "--fold-sizes", "a,b").exception)
