"""`crosscheck contract`: readable at 80 columns, complete as JSON, and the page in docs/."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from crosscheck.cli import group, run
from crosscheck.contract import load

if TYPE_CHECKING:
    from pathlib import Path


def _output(*arguments: str) -> str:
    result = CliRunner().invoke(group, ["contract", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_the_whole_contract_names_every_metric() -> None:
    # A long id may be broken over two lines of its column, so lines are joined first.
    shown = _output().replace("\n", "").replace(" ", "")
    missing = [m.id for m in load().metrics if m.bare and m.id not in shown]
    assert missing == []


@pytest.mark.parametrize("arguments", [(), ("map@10",), ("screening_sensitivity@tau=τ",)])
def test_piped_output_is_plain_and_eighty_columns_wide(arguments: tuple[str, ...]) -> None:
    lines = _output(*arguments).splitlines()
    assert max(map(len, lines)) <= 80
    assert not any("\x1b" in line for line in lines)
    assert not any(line.endswith(" ") for line in lines)


def test_one_metric_shows_every_document_s_version_and_an_example() -> None:
    shown = _output("map@10")
    for source in ("S0 1.4", "S1 1.3", "S3 B.5", "S4 3.5"):
        assert source in shown
    assert "7/36" in shown


@pytest.mark.parametrize("written", ["map@K", "map@10/by_gold", "MAP@10", "mAP"])
def test_a_metric_can_be_asked_for_in_several_ways(written: str) -> None:
    assert _output(written).startswith("map@K: Average precision at K")


def test_a_whole_key_is_explained_first() -> None:
    title, first, *_ = _output("map@10|positives_only|all|mean").splitlines()
    assert title.startswith("map@K")
    assert first.startswith("map@10, mean: the sum of the precisions")


def test_json_is_complete() -> None:
    data = json.loads(_output("--json"))
    assert set(data) == set(load().__dataclass_fields__)
    assert [m["id"] for m in data["metrics"]] == [m.id for m in load().metrics]


def test_json_of_one_metric_has_its_conflicts_and_example() -> None:
    data = json.loads(_output("tpr@fpr=5%/tuned", "--json"))
    assert data["template"] == "tpr@fpr=α/tuned"
    assert data["parameters"] == {"α": "5"}
    assert {c["id"] for c in data["conflicts"]} == {"fpr_levels", "threshold_rows"}
    assert data["example"]["metric"] == "tpr@fpr=α"


def test_an_infinite_range_is_json() -> None:
    data = json.loads(_output("tp", "--json"))
    assert data["range"]["high"] == "inf"


def test_an_unknown_metric_is_exit_2_with_suggestions(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["contract", "ndgc@10"]) == 2
    assert "did you mean ndcg@10" in capsys.readouterr().err


def test_an_ambiguous_name_is_exit_2_with_the_candidates(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["contract", "Macro F1"]) == 2
    assert "f1_macro/per_criterion or f1_macro/per_post" in capsys.readouterr().err


def test_two_formats_at_once_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["contract", "--json", "--markdown"]) == 2
    assert "choose one" in capsys.readouterr().err


def test_the_page_in_docs_is_what_the_command_prints(root: Path) -> None:
    committed = (root / "docs" / "contract.md").read_text("utf-8")
    assert committed == _output("--markdown"), (
        "run: crosscheck contract --markdown > docs/contract.md"
    )
