"""The worked examples, held against both implementations: hand, primary and reference agree."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

import primary
import reference
from crosscheck.contract import keys_owed, load

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from crosscheck.contract.model import ExampleData

IMPLEMENTATIONS = [primary, reference]


def _thawed(value: Any) -> Any:
    if hasattr(value, "items"):
        return {name: _thawed(entry) for name, entry in value.items()}
    return [_thawed(entry) for entry in value] if isinstance(value, tuple) else value


def _file(data: ExampleData, folder: Path) -> Path:
    path = folder / "data.jsonl"
    path.write_text("\n".join(json.dumps(_thawed(row)) for row in data.records()), "utf-8")
    return path


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS, ids=lambda m: m.__name__)
@pytest.mark.parametrize("data", load().example_data, ids=lambda data: data.id)
def test_the_answers_worked_by_hand_are_computed(
    data: ExampleData, implementation: ModuleType, tmp_path: Path
) -> None:
    ledger = implementation.evaluate(_file(data, tmp_path), _thawed(data.settings))
    answers = {
        key: float(Fraction(answer))
        for example in load().examples
        if example.data == data.id
        for key, answer in example.answers.items()
    }
    assert {key: ledger[key] for key in answers} == pytest.approx(answers, abs=1e-11)


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS, ids=lambda m: m.__name__)
@pytest.mark.parametrize("data", load().example_data, ids=lambda data: data.id)
def test_the_third_opinion_lists_the_same_keys(
    data: ExampleData, implementation: ModuleType, tmp_path: Path
) -> None:
    path, settings = _file(data, tmp_path), _thawed(data.settings)
    owed = keys_owed(implementation.describe(path, settings), settings)
    assert set(owed) == set(implementation.evaluate(path, settings))


def test_every_variant_is_answered_in_some_example() -> None:
    contract = load()
    answered = {
        contract.metric(key.split("|")[0]).template for e in contract.examples for key in e.answers
    }
    assert answered == {template for metric in contract.metrics for template in metric.templates}
