"""A file of which nothing was recognised: both counted its rows, and that is never a pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crosscheck.cli import run
from crosscheck.errors import FAILED, PASS
from crosscheck.report import json

if TYPE_CHECKING:
    from pathlib import Path

ROWS = "q1,a|b|c,b\nq2,a|b|c,c\n"
GATE = ("gate", "data.csv", "--out", "r", "-q", "--no-figures", "--witness", "primary")


@pytest.mark.parametrize(
    ("header", "code"),
    [("query_id,my_ranking,truth", FAILED), ("query_id,candidates,gold", PASS)],
)
def test_columns_that_nobody_recognised_fail_the_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, header: str, code: int
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text(f"{header}\n{ROWS}")
    assert run(list(GATE)) == code
    told = [one.message for one in json.read(tmp_path / "r").findings if one.rule == "XC996"]
    assert len(told) == (code == FAILED)
    for message in told:
        assert "(read: query_id)" in message
        assert 'candidates = "my_ranking"' in message
