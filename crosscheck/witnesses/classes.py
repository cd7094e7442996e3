"""scikit-learn on several classes (contract, section 17).

Its averages are asked with `labels=` every class, present or not. It knows no AUROC of a class
without rows, and breaks ties among probabilities towards the later class: there it is not asked.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.model.key import escape_class, unescape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.contract import MetricId
    from crosscheck.contract.libraries import LibraryMeasure
    from crosscheck.data.rows import Floats, Mask, Rows, Texts
    from crosscheck.model.ledgers import Number

    Answer = dict[str, Number] | None

PAIR = 2
CLIPPED = float(np.finfo(np.float64).eps)
"""Below this scikit-learn takes a probability for it: the loss would be another one."""
AVERAGES = ("macro", "weighted", "micro")


class Classes:
    """Answers one (metric, population, slice) at a time; work shared by several is kept."""

    def __init__(self, rows: Rows, classes: Sequence[str]) -> None:
        self.rows = rows
        self.classes = list(classes)
        # Kept per object, not per class: each case has rows of its own.
        self.decided = cache(self._decided)
        self.per_class = cache(self._per_class)
        self.cells = cache(self._cells)
        self.likely = cache(self._likely)

    def values(
        self, metric: MetricId, measure: LibraryMeasure, population: str, part: str
    ) -> Answer:
        """Give the value of a metric on a slice, or None where scikit-learn is not asked."""
        del population  # with classes there is one
        kind, _, name = part.partition("=")
        if kind == "class":
            found = self.per_class(unescape(name)).get(metric.text)
        elif metric.metric.id.startswith("count@"):
            true, predicted = metric.parameters.values()
            found = self.cells(part)[true, predicted]
        elif metric.metric.id.startswith("top_k"):
            found = self._among(int(metric.at), part)
        elif measure.of == "class_probs" or metric.text == "log_loss":
            found = self.likely(part).get(metric.text)
        else:
            found = self.decided(part).get(metric.text)
        return None if found is None else {"value": found}

    def _columns(self, part: str) -> tuple[Texts, Texts, Mask]:
        mask = self.rows.within(part)
        return self.rows.texts("label")[mask], self.rows.texts("predicted")[mask], mask

    def _decided(self, part: str) -> dict[str, Number]:
        """Give everything that follows from label and prediction."""
        from sklearn import metrics  # noqa: PLC0415 - in the witness's process

        label, predicted, _ = self._columns(part)
        found: dict[str, Number] = {
            "accuracy": float(metrics.accuracy_score(label, predicted)),
            "mcc/multiclass": float(metrics.matthews_corrcoef(label, predicted)),
            "balanced_accuracy/multiclass": self._balanced(label, predicted),
        }
        if len({*label, *predicted}) > 1:
            found["kappa"] = float(metrics.cohen_kappa_score(label, predicted))
        for average in AVERAGES:
            precision, recall, f1, _ = metrics.precision_recall_fscore_support(
                label, predicted, labels=self.classes, average=average, zero_division=0
            )
            found[f"precision/{average}"] = float(precision)
            found[f"recall/{average}"] = float(recall)
            found[f"f1/{average}"] = float(f1)
        return found

    @staticmethod
    def _balanced(label: Texts, predicted: Texts) -> float:
        """Average the recalls of the classes that occur; its own function warns of others."""
        from sklearn.metrics import recall_score  # noqa: PLC0415 - in the witness's process

        present = sorted(set(label))
        score = recall_score(label, predicted, labels=present, average="macro", zero_division=0)
        return float(score)

    def _per_class(self, name: str) -> dict[str, Number]:
        """Give the numbers of one class against the rest, over all rows."""
        from sklearn import metrics  # noqa: PLC0415 - in the witness's process

        label, predicted, _ = self._columns("all")
        ((tn, fp), (fn, tp)) = metrics.multilabel_confusion_matrix(label, predicted, labels=[name])[
            0
        ].tolist()
        (precision,), (recall,), (f1,), (support,) = metrics.precision_recall_fscore_support(
            label, predicted, labels=[name], zero_division=0
        )
        return {
            "tp": int(tp),
            "fp": int(fp),
            "tn": int(tn),
            "fn": int(fn),
            "support": int(support),
            "precision": float(precision),
            "recall": float(recall),
            "f1": float(f1),
            "specificity": tn / (tn + fp) if tn + fp else 0.0,
        }

    def _cells(self, part: str) -> dict[tuple[str, str], int]:
        from sklearn.metrics import confusion_matrix  # noqa: PLC0415 - in the witness's process

        label, predicted, _ = self._columns(part)
        matrix = confusion_matrix(label, predicted, labels=self.classes)
        names = [escape_class(one) for one in self.classes]
        return {
            (true, given): int(matrix[row, place])
            for row, true in enumerate(names)
            for place, given in enumerate(names)
        }

    def _probabilities(self, mask: Mask) -> Floats:
        rows = [row for row, kept in zip(self.rows.lists("class_probs"), mask, strict=True) if kept]
        return np.array(rows, dtype=np.float64)

    def _likely(self, part: str) -> dict[str, Number]:
        """Give what follows from the probabilities, where scikit-learn means the same."""
        from sklearn import metrics  # noqa: PLC0415 - in the witness's process

        label, _, mask = self._columns(part)
        given, places = self._probabilities(mask), self._places(label)
        truth = np.zeros_like(given)
        truth[np.arange(len(label)), places] = 1
        brier = metrics.brier_score_loss(
            places, given, labels=np.arange(len(self.classes)), scale_by_half=False
        )
        found: dict[str, Number] = {"brier/multiclass": float(brier)}
        if (given[np.arange(len(label)), places] >= CLIPPED).all():
            loss = metrics.log_loss(places, given, labels=np.arange(len(self.classes)))
            found["log_loss"] = float(loss)
        if len(self.classes) > PAIR and len(set(places)) == len(self.classes):
            for metric, kind, average in (
                ("auroc/ovr_macro", "ovr", "macro"),
                ("auroc/ovr_weighted", "ovr", "weighted"),
                ("auroc/ovo_macro", "ovo", "macro"),
            ):
                score = metrics.roc_auc_score(places, given, multi_class=kind, average=average)
                found[metric] = float(score)
        return found

    def _places(self, label: Texts) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        order = {name: place for place, name in enumerate(self.classes)}
        return np.array([order[one] for one in label], dtype=np.int64)

    def _among(self, k: int, part: str) -> float | None:
        from sklearn.metrics import top_k_accuracy_score  # noqa: PLC0415 - in the witness's process

        label, _, mask = self._columns(part)
        given = self._probabilities(mask)
        ordered = np.sort(given, axis=1)[:, ::-1]
        if len(self.classes) <= PAIR or (ordered[:, k - 1] == ordered[:, k]).any():
            return None
        labels = np.arange(len(self.classes))
        return float(top_k_accuracy_score(self._places(label), given, k=k, labels=labels))
