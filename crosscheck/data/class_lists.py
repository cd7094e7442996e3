"""scikit-learn frames with a list per row: `y_prob` as predict_proba gave it.

The contract reads `y_prob` as one number. Lists of as many numbers as the labels have values are
the classes' probabilities, in the order of `clf.classes_`, which is sorted: numbers by size, texts
by code point. That is taken for granted where nothing else is stated, and told.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck.config.places import members
from crosscheck.data.looks import columns_of

if TYPE_CHECKING:
    from crosscheck.data.looks import Columns

LISTS = ("y_prob", "y_proba", "y_score", "probability", "probabilities", "proba")
LABELS = ("label", "y_true", "target")
PREDICTED = ("predicted", "y_pred")


def with_class_lists(
    data: str | dict[str, str], settings: dict[str, Any]
) -> tuple[dict[str, Any], str]:
    """Give the settings that read a column of lists as class probabilities, and the sentence.

    The sentence is empty where there is no such column, or where something is stated already.
    """
    mapped = settings.get("columns") or {}
    if "classes" in settings or "class_probs" in mapped:
        return settings, ""
    columns, name = _listed(data)
    classes = _classes(columns)
    complete = any(one in columns for one in PREDICTED) and any(one in columns for one in LABELS)
    if not (name and complete and _lengths(columns[name]) == {len(classes)}):
        return settings, ""
    again = {**settings, "columns": {**mapped, "class_probs": name}, "classes": classes}
    # Labels that are 0 and 1 would else be read as yes and no.
    again.setdefault("task", "multiclass")
    order = ", ".join(classes)
    return again, (
        f"{name} holds a list in every row: read as the probabilities of the classes {order}, in "
        "this order, as predict_proba of scikit-learn gives them"
    )


def advice(data: str | dict[str, str]) -> str:
    """Say what to do about a column of lists that could not be read; empty where there is none."""
    columns, name = _listed(data)
    if not name:
        return ""
    if _lengths(columns[name]) == {2}:
        return (
            f"{name} holds two probabilities in every row: write that of the positive class alone "
            "(in scikit-learn: predict_proba(X)[:, 1])."
        )
    return (
        f"{name} holds a list in every row: for the probabilities of several classes there must be "
        "as many as the labels have values, and a column y_pred with the predicted class; or state "
        f'classes = [...] and [columns] class_probs = "{name}" in crosscheck.toml.'
    )


def _listed(data: str | dict[str, str]) -> tuple[Columns, str]:
    """Give the columns of a single file, and the one that holds lists of probabilities."""
    files = [path for path in members(data) if path.is_file()] if isinstance(data, str) else []
    columns = columns_of(Path(files[0])) if len(files) == 1 else {}
    return columns, next((one for one in LISTS if _lengths(columns.get(one, []))), "")


def _lengths(cells: list[Any]) -> set[int]:
    """Give how long the lists of a column are; nothing where a cell is no list of numbers."""
    found = set()
    for cell in cells:
        held = cell
        if isinstance(cell, str):
            try:
                held = json.loads(cell)
            except ValueError:
                return set()
        if not isinstance(held, list) or not all(isinstance(one, int | float) for one in held):
            return set()
        found.add(len(held))
    return found


def _classes(columns: Columns) -> list[str]:
    names = [one for one in (*LABELS, *PREDICTED) if one in columns]
    cells = (cell for name in names for cell in columns[name])
    texts = {str(cell).lower() if isinstance(cell, bool) else str(cell) for cell in cells}
    whole = all(text.lstrip("-").isdecimal() for text in texts)
    return sorted(texts, key=int) if whole else sorted(texts)
