"""Cases of the kinds that the built-in study is not: graded runs, several classes, a score."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.contract import keys_owed
from crosscheck.data.case import Case

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CLASSES = ["a", "b,", "c|", "d"]
SCORES = (1.0, 2.0, 2.0000000001, 3.5, -1.0)
"""Among them two that are equal as 32-bit floats alone."""


def case_of(data: Any, settings: dict[str, Any]) -> Case:
    import primary  # noqa: PLC0415 - heavy

    facts = primary.describe(data, settings)
    return Case("s", data, settings, facts, tuple(keys_owed(facts, settings)))


def _graded(folder: Path, settings: dict[str, Any]) -> Case:
    draw = random.Random(18)
    qrels, run = [], []
    for topic in range(9):
        docs = [f"d{number}" for number in range(24)]
        values = [-1, 0, 0, 1, 2, 3, 4]
        qrels += [f"t{topic} 0 {doc} {draw.choice(values)}" for doc in draw.sample(docs, 12)]
        ranked = draw.sample(docs, draw.choice([0, 5, 15, 22]))
        run += [f"t{topic} Q0 {doc} 1 {draw.choice(SCORES)!r} r" for doc in ranked]
    for name, lines in (("qrels", qrels), ("run", run)):
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    data = {name: str(folder / name) for name in ("qrels", "run")}
    return case_of(data, {"k": [1, 5, 10], "grade_max": 4, **settings})


def _classes(folder: Path, settings: dict[str, Any]) -> Case:
    draw = random.Random(17)
    rows = []
    for number in range(60):
        # Eighths and sixteenths, different ones, so that sums and ties are exact.
        probs = draw.sample([1 / 16, 2 / 16, 4 / 16, 9 / 16], 4)
        row = {"query_id": f"q{number}", "label": draw.choice(CLASSES), "class_probs": probs}
        row |= {"predicted": draw.choice(CLASSES), "corpus": "xy"[number % 2]}
        rows.append(row)
    settings = {"classes": CLASSES, "slices": {"dataset": "corpus"}, "top_k": [2, 3], **settings}
    return case_of(_lines(folder, rows), settings)


def _score(folder: Path, settings: dict[str, Any]) -> Case:
    draw = random.Random(16)
    rows = [
        {"query_id": f"q{number}", "has_evidence": draw.randint(0, 1), "seed": "st"[number % 2]}
        | {"score": draw.randint(-30, 30) / 4}
        for number in range(60)
    ]
    return case_of(_lines(folder, rows), {"threshold": 0.25, "fpr": [5, 100], **settings})


def _lines(folder: Path, rows: list[dict[str, Any]]) -> str:
    path = folder / "data.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return str(path)


KINDS: dict[str, Callable[[Path, dict[str, Any]], Case]] = {
    "graded": _graded,
    "classes": _classes,
    "score": _score,
}


@pytest.fixture
def field_case(tmp_path: Path) -> Callable[..., Case]:
    """Give the maker of a case of one of the kinds."""
    return lambda kind, **settings: KINDS[kind](tmp_path, settings)
