"""The figures on `docs/study.md` are the study's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crosscheck import study

if TYPE_CHECKING:
    from collections.abc import Callable

    Numbers = Callable[[str], dict[str, float]]

PAGE = (Path(__file__).parents[3] / "docs" / "study.md").read_text(encoding="utf-8")
LINES = {line.split("|")[1].strip(): line for line in PAGE.splitlines() if line.startswith("|")}


@pytest.mark.parametrize("system", study.SYSTEMS, ids=study.SYSTEM_NAMES)
def test_a_systems_row(system: study.System, answers: Numbers) -> None:
    cells = [cell.strip() for cell in LINES[f"`{system.name}`"].split("|")]
    found = answers(system.name)
    metrics = ("ndcg@10", "mrr@all", "recall@10")
    assert system.title.startswith(cells[2])
    assert cells[4:7] == [f"{found[f'{metric}|positives_only|all|mean']:.4f}" for metric in metrics]


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("AUROC {}", "auroc|all_queries|all|value"),
        ("(A.10: {})", "auroc|all_queries|criterion=A.10|value"),
        ("AUPRC {}", "auprc|all_queries|all|value"),
        ("TPR at 5 % FPR {}", "tpr@fpr=5%|all_queries|all|value"),
        ("ECE {}", "ece@10|all_queries|all|value"),
        ("Brier {}", "brier|all_queries|all|value"),
    ],
)
def test_a_figure_of_the_gate(words: str, key: str, answers: Numbers) -> None:
    assert words.format(f"{answers('full')[key]:.4f}") in " ".join(PAGE.split())
