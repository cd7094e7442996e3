"""The third built-in study: four classes, three seeds, three data sets, as one table.

Probabilities are thousandths that sum to one; some tie, and the rarest class is missing from a data
set. `predicted` is the first class of the largest probability.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import numpy as np

from crosscheck.study import draws

if TYPE_CHECKING:
    from crosscheck.study.draws import Integers

CLASSES: Final = ("business", "science", "sport", "world")
WEIGHTS: Final = (9, 6, 8, 2)
DATASETS: Final = ("agnews", "bbc", "reuters")
SEEDS: Final = ("13", "42", "2024")
EXAMPLES: Final = 60
"""Of each data set."""
SKILL: Final = (2900, 2300, 1800)
"""How much the true class stands out in each data set, in thousandths of the noise's deviation."""
RARE: Final = "world"
WITHOUT_RARE: Final = "bbc"
DATA: Final = "predictions.csv"
CONFIG: Final = f"""\
# A built-in study of metric-crosscheck: four classes, three seeds, three data sets.

data = "{DATA}"
claims = "claims.json"
classes = {json.dumps(CLASSES)}
top_k = [2, 3]

[slices]
dataset = "dataset"
"""


def files() -> dict[str, bytes]:
    """Give the files of the study, claims aside."""
    return {DATA: _table().encode(), "crosscheck.toml": CONFIG.encode()}


def _labels() -> Integers:
    """Draw the true classes, the same in every seed."""
    drawn = draws.pick(np.array(WEIGHTS), "classes labels", len(DATASETS), EXAMPLES)
    row = DATASETS.index(WITHOUT_RARE)
    rare = CLASSES.index(RARE)
    drawn[row][drawn[row] == rare] = 0
    return drawn


def _table() -> str:
    labels = _labels()
    lines = ["query_id,dataset,seed,label,predicted,class_probs"]
    for seed in SEEDS:
        for place, dataset in enumerate(DATASETS):
            probs = _probabilities(labels[place], SKILL[place], f"classes {seed} {dataset}")
            for number, (label, row) in enumerate(zip(labels[place].tolist(), probs, strict=True)):
                predicted = CLASSES[int(np.argmax(row))]
                written = ", ".join(f"{value / 1000:g}" for value in row.tolist())
                lines.append(
                    f"{dataset}-{number:02d},{dataset},{seed},{CLASSES[label]},{predicted},"
                    f'"[{written}]"'
                )
    return "\n".join([*lines, ""])


def _probabilities(labels: Integers, skill: int, purpose: str) -> Integers:
    """Draw thousandths that sum to a thousand, none of them 0.

    Strengths are cut to a few levels, so that classes tie now and then; what rounding leaves over
    goes to the least of them, where it parts no tie of the largest.
    """
    strength = draws.bell(purpose, len(labels), len(CLASSES)) // 250
    strength[np.arange(len(labels)), labels] += skill // 250
    weight = np.maximum(strength + 8, 1) ** 3
    shares: Integers = 1 + weight * (1000 - len(CLASSES)) // weight.sum(axis=1, keepdims=True)
    least = np.argmin(shares, axis=1)
    shares[np.arange(len(labels)), least] += 1000 - shares.sum(axis=1)
    return shares
