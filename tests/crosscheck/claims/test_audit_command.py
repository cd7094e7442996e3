"""`crosscheck claims FILE`: what it prints into a pipe, and that it counts what it did not read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from click.testing import CliRunner

from crosscheck.commands.claims import command

if TYPE_CHECKING:
    from pathlib import Path


def printed(folder: Path, text: str, name: str, *options: str) -> str:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return CliRunner().invoke(command, [str(file), *options], standalone_mode=False).stdout


def test_nothing_is_set_off_where_no_terminal_is(tmp_path: Path) -> None:
    said = printed(tmp_path, '{"recall@5": 1.5, "MRR": 0.5}', "a.json")
    assert "error XC911" in said
    assert "\x1b" not in said
    assert "u001b" not in said


def test_a_stranger_s_escape_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    said = printed(tmp_path, '{"recall@5": 0.5, "\\u001b[1mMRR": 0.5}', "a.json")
    assert "\x1b" not in said
    assert r"\u001b[1mMRR" in said


def test_what_is_no_number_to_check_is_counted(tmp_path: Path) -> None:
    text = '{"mrr": 1e999999999, "ndcg@10": NaN, "recall@5": 0.5, "map": 0.%s}' % ("1" * 70)
    said = printed(tmp_path, text, "a.json")
    assert "4 numbers: 1 checked, 0 in contradiction, 0 not checkable, 3 not read" in said
    [data] = json.loads(printed(tmp_path, text, "a.json", "--json"))
    assert data["numbers"] == 4
    assert [one["place"].rpartition(" ")[2] for one in data["unread"]] == ["mrr", "ndcg@10", "map"]


def test_a_file_that_is_not_there_is_told_by_its_name(tmp_path: Path) -> None:
    table = r"\begin{tabular}{lc} System & MRR \\ \midrule a & 0.60 \\ \end{tabular}"
    said = printed(tmp_path, table + "\n" + r"\input{more/numbers}", "a.tex")
    assert r"\input{more/numbers}" in said
