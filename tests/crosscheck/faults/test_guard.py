"""Every kind of number has somebody to vouch for it besides the two implementations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crosscheck import cli
from crosscheck.errors import UserError
from crosscheck.faults import guard

if TYPE_CHECKING:
    from pathlib import Path


def test_no_number_rests_on_the_two_implementations_alone() -> None:
    found = guard.opinions()
    assert [one.kind for one in found if one.alone] == []
    assert len(found) > 150


def test_without_vectors_it_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no vectors here"):
        guard.opinions(tmp_path)


def test_a_number_that_nobody_else_knows_is_named() -> None:
    alone = guard.Opinion(("ndcg@K", "posts"), 3, (), 0, enumerated=False)
    assert alone.alone
    assert any("NOBODY" in line for line in guard.lines([alone]))


def test_the_command_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["selftest", "--guard"]) == 0
    assert "0 with none of these" in capsys.readouterr().out
