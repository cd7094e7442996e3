"""`crosscheck claims FILE --explain-reading`: what was understood, what was not, what to paste."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from crosscheck.commands.claims import command

if TYPE_CHECKING:
    from pathlib import Path

PAPER = """
## Main results

| Model | MRR | Click | Latency (ms) |
|---|---|---|---|
| A | 0.50 | 3.9 | 12 |
| B | 0.60 | 3.1 | 14 |

Our B reaches an MRR of 0.60.
"""


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    file = tmp_path / "paper.md"
    file.write_text(PAPER, encoding="utf-8")
    return file


def told(*arguments: str) -> str:
    result = CliRunner().invoke(command, [*arguments, "--explain-reading"], standalone_mode=False)
    assert result.exception is None
    return result.output


def test_each_label_is_shown_with_its_meaning(paper: Path) -> None:
    text = told(str(paper))
    assert "paper.md: 3 numbers understood, 2 not, 2 ignored" in text
    assert "“MRR”, 2 cells: mrr@all over positives_only, all, mean (fraction)" in text
    assert "“Click”, 2 cells: not understood" in text
    assert "of: A; B" in text
    assert "ignored: 2 × cost" in text
    assert "line 9: “Our B reaches an MRR of 0.60”, 0.60: mrr@all|positives_only|all|mean" in text


def test_the_lines_to_paste_help(paper: Path) -> None:
    assert '[claims.names]\n"Click" = "METRIC"' in told(str(paper))
    config = paper.parent / "crosscheck.toml"
    config.write_text('[[claims.ignore]]\npattern = "Click"\nreason = "theirs"\n', encoding="utf-8")
    text = told(str(paper), "--config", str(config))
    assert "“Click”, 2 cells: ignored by the config (Click): theirs" in text
    assert "[claims.names]" not in text
