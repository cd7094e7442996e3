"""Arrays as scikit-learn users have them → a table with one row per example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crosscheck.errors import UserError
from crosscheck.extras import needed

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

TWO = 2


def table_of(arrays: Mapping[str, Any], settings: dict[str, Any]) -> pa.Table:
    """Make the table; `settings` may name the classes, whose ids become text."""
    arrow = needed("pyarrow", "arrays")
    columns = {name: _array(name, given) for name, given in arrays.items()}
    _refuse_unequal({name: len(column) for name, column in columns.items()})
    labels = [name for name in ("y_true", "y_pred") if name in columns]
    binary = "classes" not in settings and settings.get("task") != "multiclass"
    binary = binary and all(set(columns[name].tolist()) <= {0, 1} for name in labels)
    found: dict[str, Any] = {}
    for name, column in columns.items():
        if name in labels:
            found[name] = column.astype(int) if binary else [_text(one) for one in column.tolist()]
        elif column.ndim == 1:
            found[name] = column
        elif binary and column.shape[1] == TWO:
            found[name] = column[:, 1]  # scikit-learn's second column is the positive class
        else:
            found["class_probs"] = _class_probs(name, column, settings)
    if "classes" in settings:
        settings["classes"] = [_text(one) for one in settings["classes"]]
    return arrow.table(found)


def _array(name: str, given: Any) -> Any:  # noqa: ANN401 - whatever numpy makes an array of
    import numpy as np  # noqa: PLC0415 - heavy

    column = np.asarray(given)
    most = 1 if name in {"y_true", "y_pred"} else TWO
    if not 1 <= column.ndim <= most:
        shape = " × ".join(map(str, column.shape)) or "a single value"
        raise UserError(f"{name}: is {shape}; expected one value for each example")
    if column.ndim == TWO and column.shape[1] == 1:
        return column[:, 0]
    return column


def _refuse_unequal(lengths: Mapping[str, int]) -> None:
    if "y_true" not in lengths:
        raise UserError(f"{', '.join(lengths)} without y_true: nothing to hold it against")
    if len(lengths) == 1:
        raise UserError("y_true alone: give y_prob, y_pred or y_score too")
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {count:,}" for name, count in lengths.items())
        raise UserError(f"arrays of unequal length: {told}")


def _class_probs(name: str, column: Any, settings: Mapping[str, Any]) -> list[list[float]]:  # noqa: ANN401 - an array
    count = column.shape[1]
    if name != "y_prob":
        raise UserError(f"{name}: has {count} columns; expected one score for each example")
    classes = settings.get("classes")
    if classes is None or len(classes) != count:
        told = "which classes are they?" if classes is None else f"but classes has {len(classes)}."
        raise UserError(
            f"y_prob: has {count} columns; {told} Name them in their order, such as "
            "classes=model.classes_"
        )
    return [[float(one) for one in row] for row in column.tolist()]


def _text(value: object) -> str:
    """Write a class as text: 3.0 is the class 3, as scikit-learn takes it."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
