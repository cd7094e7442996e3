"""One class against the rest: the setting `positive` (docs/interface.md, Settings)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import primary
import reference

if TYPE_CHECKING:
    from pathlib import Path

PACKAGES = [primary, reference]


@pytest.fixture(params=PACKAGES, ids=lambda package: package.__name__)
def package(request: pytest.FixtureRequest) -> Any:
    return request.param


def csv(folder: Path, text: str) -> Path:
    path = folder / "data.csv"
    path.write_text(text, encoding="utf-8")
    return path


def refusal(package: Any, path: Path, settings: dict[str, Any]) -> str:
    with pytest.raises(package.InputError) as caught:
        package.evaluate(path, settings)
    return str(caught.value)


SPAM = "text,truth,spam,predicted\n1,spam,0.9,spam\n2,ham,0.2,spam\n3,spam,0.4,ham\n"
READ_AS = {"columns": {"label": "truth", "prob": "spam"}}


def test_a_positive_class_makes_labels_two_valued(package: Any, tmp_path: Path) -> None:
    path, settings = csv(tmp_path, SPAM), {"positive": "spam", **READ_AS}
    ledger = package.evaluate(path, settings)
    assert [ledger[f"{name}|all_queries|all|value"] for name in ("tp", "fp", "tn", "fn")] == [
        1, 1, 0, 1,
    ]  # fmt: skip
    assert ledger["auroc|all_queries|all|value"] == 1.0
    facts = package.describe(path, settings)
    assert facts["columns"] == {"has_evidence": "truth", "pred": "predicted", "prob": "spam"}
    assert facts["classes"] == []


def test_one_class_stands_against_all_the_others(package: Any, tmp_path: Path) -> None:
    path = csv(tmp_path, "y_true,y_pred\na,a\nb,a\nc,b\n1,1\n")
    ledger = package.evaluate(path, {"positive": "a"})
    assert ledger["accuracy|all_queries|all|value"] == 0.75


@pytest.mark.parametrize(
    "wrong",
    [
        {"positive": "eggs"},
        {"positive": "Spam"},
        {"positive": "spam", "classes": ["ham", "spam"]},
        {"positive": "spam", "task": "multiclass"},
    ],
)
def test_a_positive_class_that_cannot_be_meant_is_refused(
    package: Any, tmp_path: Path, wrong: dict[str, Any]
) -> None:
    assert "positive" in refusal(package, csv(tmp_path, SPAM), READ_AS | wrong)


def test_a_positive_class_needs_a_label_in_every_row(package: Any, tmp_path: Path) -> None:
    empty = csv(tmp_path, "y_true,y_pred\na,a\n,b\n")
    assert "y_true" in refusal(package, empty, {"positive": "a"})
    without = csv(tmp_path, "has_evidence,prob\n1,0.5\n")
    assert "positive" in refusal(package, without, {"positive": "1"})
