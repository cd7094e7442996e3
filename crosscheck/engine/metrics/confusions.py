"""Several classes (section 17): everything that follows from label against prediction."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.engine.exact import Exact, mean, ratio, root
from crosscheck.engine.metrics.decisions import Confusion
from crosscheck.engine.tally import tally
from crosscheck.model.key import escape_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.engine.slices import Book, Slices
    from crosscheck.engine.table import Table

EVERY = "all_queries"


@dataclass
class Matrix:
    """How often each label was predicted as what, in one slice."""

    classes: Sequence[str]
    cells: Counter[tuple[str, str]]
    labels: Counter[str] = field(default_factory=Counter)
    predictions: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        for (label, predicted), count in self.cells.items():
            self.labels[label] += count
            self.predictions[predicted] += count

    @property
    def rows(self) -> int:
        """Count the rows."""
        return sum(self.labels.values())

    @property
    def right(self) -> int:
        """Count the rows whose prediction is their label."""
        return sum(self.cells[name, name] for name in self.classes)

    def against_rest(self, name: str) -> Confusion:
        """Count one class against all others."""
        tp = self.cells[name, name]
        fp, fn = self.predictions[name] - tp, self.labels[name] - tp
        return Confusion(tp, fp, self.rows - tp - fp - fn, fn)


def enter(table: Table, slices: Slices, book: Book, families: Sequence[str]) -> None:
    """Count labels against predictions, and enter what follows."""
    for part, matrix in _matrices(table, slices).items():
        book.put("queries", EVERY, part, matrix.rows, "n")
        for name, value in _overall(matrix).items():
            book.put(name, EVERY, part, value)
        if "confusion_matrix" in families:
            _cells(book, part, matrix)
        if part == "all":
            _classes(book, matrix)


def _matrices(table: Table, slices: Slices) -> dict[str, Matrix]:
    """Count every slice's rows; where nothing is asked about classes, as of one."""
    classes = table.settings.get("classes") or ()
    pair = ["label", "predicted"] if table.has("label", "predicted") else ["''", "''"]
    by = [*table.dims, *pair]
    rows = table.engine.rows(
        f"SELECT {', '.join(by)}, count(*) FROM eval_rows GROUP BY {', '.join(by)}"
    )
    counted = tally(slices, table.dims, rows)
    return {part: Matrix(classes, counter) for part, counter in counted.items()}


def _rates(cells: Confusion) -> dict[str, Exact]:
    """Give the rates of one class."""
    tp, fp, tn, fn = cells
    return {
        "precision": ratio(tp, tp + fp),
        "recall": ratio(tp, tp + fn),
        "f1": ratio(2 * tp, 2 * tp + fp + fn),
        "specificity": ratio(tn, tn + fp),
    }


def _overall(matrix: Matrix) -> dict[str, Exact]:
    """Give what one slice has over all classes."""
    rows, right = matrix.rows, matrix.right
    labels, predictions = matrix.labels, matrix.predictions
    both = sum(count * predictions[name] for name, count in labels.items())
    accuracy = Fraction(ratio(right, rows))
    expected = Fraction(ratio(both, rows * rows))
    spreads = [
        rows * rows - sum(count * count for count in counts.values())
        for counts in (predictions, labels)
    ]
    below = root(Fraction(spreads[0] * spreads[1]))
    found: dict[str, Exact] = {
        "accuracy": accuracy,
        "f1/micro": accuracy,
        "kappa": ratio(accuracy - expected, 1 - expected),
        "mcc/multiclass": ratio(right * rows - both, below),
    }
    by_class = [(name, _rates(matrix.against_rest(name))) for name in matrix.classes]
    found["balanced_accuracy/multiclass"] = mean(
        rates["recall"] for name, rates in by_class if labels[name]
    )
    for metric in ("precision", "recall", "f1"):
        values = [(Fraction(rates[metric]), labels[name]) for name, rates in by_class]
        weighed = sum((value * count for value, count in values), Fraction(0))
        found[f"{metric}/macro"] = mean(value for value, _ in values)
        found[f"{metric}/weighted"] = ratio(weighed, rows)
    return found


def _cells(book: Book, part: str, matrix: Matrix) -> None:
    names = {name: escape_class(name) for name in matrix.classes}
    for label, true in names.items():
        for predicted, shown in names.items():
            metric = f"count@true={true},predicted={shown}"
            book.put(metric, EVERY, part, matrix.cells[label, predicted])


def _classes(book: Book, matrix: Matrix) -> None:
    for name in matrix.classes:
        cells = matrix.against_rest(name)
        found = {**cells._asdict(), **_rates(cells), "support": matrix.labels[name]}
        for metric, value in found.items():
            book.put(metric, EVERY, f"class={escape_class(name)}", value)
