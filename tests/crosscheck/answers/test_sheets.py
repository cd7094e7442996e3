"""A document cell by cell: what became of each number, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from crosscheck.answers.audited import Given, examined
from crosscheck.answers.sheets import sheets
from crosscheck.claims import Help
from crosscheck.commands.claims import command

if TYPE_CHECKING:
    from crosscheck.answers.sheets import Number, Sheets

PUBLISHED = Path(__file__).parents[1] / "audit" / "s2.md"
PAPER = """
| Model | MRR | Click | Latency (ms) |
|---|---|---|---|
| A | 0.50 | 3.9 | 12 |
| B | 0.60 | 3.1 | 14 |

Our B reaches an MRR of 0.60.
"""


def laid(text: str, tmp_path: Path, **given: object) -> Sheets:
    file = tmp_path / "paper.md"
    file.write_text(text, encoding="utf-8")
    return sheets(examined(file, Given(Help(**given))))  # type: ignore[arg-type]


def at(found: Sheets, sheet: int, row: int, column: int) -> list[Number]:
    return [found.numbers[one] for one in found.sheets[sheet].rows[row][column].numbers]


def test_the_cells_that_do_not_fit_are_told_from_those_beside_them() -> None:
    found = sheets(examined(PUBLISHED, Given()))
    blamed = [(one.label, one.printed) for one in found.numbers if one.state == "impossible"]
    assert blamed == [
        ("nDCG@10 / + SAGE+Residual GNN", "0.8206"),
        ("MRR / Improvement", "+12.02%"),
        ("nDCG@1 / GNN (HPO)", "0.6497"),
        ("nDCG@10 / GNN (HPO)", "0.8206"),
    ]
    assert found.counts["involved"] == 10
    assert found.counts["unread"] == 0


def test_a_number_says_what_it_was_read_as(tmp_path: Path) -> None:
    [number] = at(laid(PAPER, tmp_path), 0, 1, 1)
    assert number.key == "mrr@all|positives_only|all|mean"
    assert number.meaning.startswith("mrr@all over positives_only")


def test_what_is_not_understood_and_what_a_rule_ignores_say_why(tmp_path: Path) -> None:
    found = laid(PAPER, tmp_path)
    [click] = at(found, 0, 1, 2)
    [cost] = at(found, 0, 1, 3)
    assert (click.state, click.key) == ("unread", None)
    assert click.reason
    assert (cost.state, cost.reason.split(":")[0]) == ("ignored", "cost")


def test_a_table_that_the_config_leaves_out_is_ignored(tmp_path: Path) -> None:
    found = laid(PAPER, tmp_path, exclude=("table 1",))
    assert "left out by the config" in found.sheets[0].passed
    assert {one.state for one in at(found, 0, 1, 1)} == {"ignored"}


def test_a_sentence_is_a_sheet_too(tmp_path: Path) -> None:
    text = laid(PAPER, tmp_path).sheets[1]
    assert (text.kind, text.rows[0][0].text) == ("text", "Our B reaches an MRR of 0.60.")


def test_every_number_stands_in_a_cell(tmp_path: Path) -> None:
    file = tmp_path / "paper.tex"
    body = r"A & \input{gone} & 0.5 \\"
    file.write_text(
        f"\\begin{{tabular}}{{lrr}} & MRR & Hit@1 \\\\ {body} \\end{{tabular}}", "utf-8"
    )
    found = sheets(examined(file, Given()))
    shown = [
        at for sheet in found.sheets for row in sheet.rows for cell in row for at in cell.numbers
    ]
    assert sorted(set(shown)) == list(range(len(found.numbers)))


def test_explain_reading_prints_the_same_as_json(tmp_path: Path) -> None:
    file = tmp_path / "paper.md"
    file.write_text(PAPER, encoding="utf-8")
    arguments = [str(file), "--explain-reading", "--json"]
    [told] = json.loads(CliRunner().invoke(command, arguments, standalone_mode=False).output)
    assert (told["understood"], told["not_understood"], told["ignored"]) == (3, 2, 2)
    assert told["unnamed"] == {"Click": "METRIC"}


def test_a_setting_of_a_summary_is_told_as_one(tmp_path: Path) -> None:
    file = tmp_path / "summary.json"
    said = '{"positives_only": {"skip_no_positives": true, "mrr@10": 0.5}}'
    file.write_text(said, encoding="utf-8")
    told = CliRunner().invoke(command, [str(file), "--explain-reading"], standalone_mode=False)
    assert "a setting, no result: positives_only" in told.output
