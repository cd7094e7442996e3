"""Reading never crashes, and every token is accounted for: mutated files of eight formats."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crosscheck.claims.reading import examine_text, read_text
from crosscheck.errors import UserError

if TYPE_CHECKING:
    from types import ModuleType

FILES = 4_000
PARTS = 4


def _shared() -> ModuleType:
    """Load what `make mutate-claims` breaks files with."""
    file = Path(__file__).parents[2] / "bench" / "broken_claims.py"
    found = importlib.util.spec_from_file_location("broken_claims", file)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


BROKEN = _shared()


@pytest.mark.parametrize("part", range(PARTS))
def test_a_mutated_file_is_read_or_refused(part: int) -> None:
    chance = random.Random(part)
    forms = list(BROKEN.SEEDS)
    for i in range(FILES // PARTS):
        form = forms[i % len(forms)]
        text = BROKEN.broken(form, chance)
        try:
            reading = examine_text(text, "mutated", form)
        except UserError as error:
            assert form not in {"markdown", "html"}, text
            assert str(error).startswith("mutated: ")  # noqa: PT017 - the message is the promise
            assert "cannot be read as" not in str(error) or form == "csv", text  # noqa: PT017 - no crash
            continue
        assert not BROKEN.problem(reading), text


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 50_000, "[[[[" * 30 + "1" + "]]]]" * 30])
def test_deep_json_is_refused_or_read(text: str) -> None:
    try:
        read_text(text, "deep", "json")
    except UserError as error:
        assert "deep" in str(error)  # noqa: PT017 - the message is the promise


def test_deep_braces_in_latex_are_read() -> None:
    text = "\\begin{tabular}{c} a & " + "{" * 5000 + "\\textbf{" * 5000 + " \\end{tabular}"
    assert read_text(text, "deep", "latex") == []


@pytest.mark.parametrize("name", ["rec0.all", "Recall@00all", "mrr 0 all"])
def test_a_cut_off_that_is_no_number_is_no_crash(name: str) -> None:
    assert len(read_text(f"System,{name}\nours,0.5\n", "a.csv", "csv")) == 1
