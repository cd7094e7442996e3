"""Truthful documents of every kind raise no error; `make truthful` runs 10,000 of them."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parents[2] / "bench"
DOCUMENTS = 160
PARTS = 4


@pytest.fixture(scope="module")
def truthful() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCH)
        yield importlib.import_module("truthful")


@pytest.mark.parametrize("part", range(PARTS))
def test_a_truthful_document_is_not_accused(part: int, truthful: Any) -> None:
    each = DOCUMENTS // PARTS
    found = truthful.tried(range(part * each, (part + 1) * each))
    assert found.errors == []
    assert found.checked > 0.9 * found.cells
    assert len(found.advised) <= 2


def test_every_kind_of_page_is_among_them(truthful: Any) -> None:
    made = [truthful.document(seed) for seed in range(DOCUMENTS)]
    kinds = {sheet.kind for one in made for sheet in one.sheets}
    assert kinds == {
        "ablation", "average", "binary", "changes", "classes", "counts", "folds", "graded",
        "matrix", "ranking", "report", "splits", "spreads", "topics",
    }  # fmt: skip
    assert {one.form for one in made} == {"markdown", "latex", "html", "csv"}


def test_a_document_is_the_same_for_the_same_seed(truthful: Any) -> None:
    assert truthful.document(7).text == truthful.document(7).text
    assert truthful.document(7).text != truthful.document(11).text


def test_a_third_of_cells_that_are_ten_percent_off_is_found(truthful: Any) -> None:
    """The measured share, docs/power.md, is above that; the sample here is small."""
    power = importlib.import_module("power")
    assert truthful.DOCUMENTS > 0
    found, false = power.measured(range(24))
    assert false["error"] == 0
    tried, _, told = found["all", "10 %"]
    assert tried > 15
    assert told / tried > 1 / 3
