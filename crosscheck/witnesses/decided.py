"""scikit-learn on one decision about two classes: cells, rates, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from crosscheck.data.rows import Mask
    from crosscheck.model.ledgers import Number

    Labels = np.ndarray[Any, np.dtype[np.int8]]


@dataclass(frozen=True)
class Decided:
    """A label and a decision on it; scikit-learn is asked for what is wanted of them alone."""

    label: Labels
    decision: Labels

    @classmethod
    def of(cls, label: Mask, decision: Mask) -> Decided:
        """Give both as scikit-learn goes through them fastest."""
        return cls(label.astype(np.int8), decision.astype(np.int8))

    @cached_property
    def told(self) -> dict[str, Number]:
        """Give the cells and the rates."""
        tn, fp, fn, tp = self.cells
        return self.rates | {
            "tp": tp,
            "fp": fp,
            "tn": tn,
            "fn": fn,
            "fpr": fp / (fp + tn) if fp + tn else 0.0,
            "fnr": fn / (fn + tp) if fn + tp else 0.0,
        }

    @cached_property
    def rates(self) -> dict[str, Number]:
        """Give what one call gives for both classes."""
        from sklearn.metrics import precision_recall_fscore_support  # noqa: PLC0415 - the same

        precision, recall, f1, _ = precision_recall_fscore_support(
            self.label, self.decision, labels=[0, 1], zero_division=0
        )
        return {
            "sensitivity": float(recall[1]),
            "specificity": float(recall[0]),
            "precision": float(precision[1]),
            "npv": float(precision[0]),
            "f1": float(f1[1]),
        }

    @cached_property
    def cells(self) -> tuple[int, int, int, int]:
        """Give tn, fp, fn and tp, as its matrix has them."""
        from sklearn.metrics import confusion_matrix  # noqa: PLC0415 - the same

        tn, fp, fn, tp = confusion_matrix(self.label, self.decision, labels=[0, 1]).ravel()
        return int(tn), int(fp), int(fn), int(tp)

    @cached_property
    def mcc(self) -> dict[str, Number]:
        """Give Matthews' correlation."""
        from sklearn.metrics import matthews_corrcoef  # noqa: PLC0415 - the same

        return {"mcc": float(matthews_corrcoef(self.label, self.decision))}

    @cached_property
    def further(self) -> dict[str, Number]:
        """Give what section 16 adds, and what needs both classes."""
        from sklearn import metrics  # noqa: PLC0415 - the same

        label, decision = self.label, self.decision
        tn, fp, fn, tp = self.cells
        found: dict[str, Number] = {
            "accuracy": float(metrics.accuracy_score(label, decision)),
            "error_rate": float(metrics.zero_one_loss(label, decision)),
            "jaccard": float(metrics.jaccard_score(label, decision, zero_division=0)),
            "fdr": fp / (tp + fp) if tp + fp else 0.0,
            "fomr": fn / (tn + fn) if tn + fn else 0.0,
            "prevalence": (tp + fn) / (tp + fp + tn + fn),
        }
        if tp + fn and tn + fp:
            adjusted = metrics.balanced_accuracy_score(label, decision, adjusted=True)
            found["informedness"] = float(adjusted)
            found["auroc/decisions"] = float(metrics.roc_auc_score(label, decision))
            found["balanced_accuracy"] = float(metrics.balanced_accuracy_score(label, decision))
        if (tp + fn and tn + fp) or (tp + fp and tn + fn):
            found["kappa"] = float(metrics.cohen_kappa_score(label, decision))
        return found
