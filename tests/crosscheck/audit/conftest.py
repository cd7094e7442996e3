"""Truthful tables: random data, metrics by their definition, printed as papers print them."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from statistics import mean, stdev
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

CUTOFFS = ((1, 3, 5, 10), (1, 5, 10, 20), (1, 3, 5), (5, 10, 20), (3, 10))


@dataclass
class Study:
    """A few systems over one set of random queries, and their metrics query by query."""

    chance: random.Random
    cutoffs: tuple[int, ...]
    systems: dict[str, list[dict[str, float]]] = field(default_factory=dict)
    counts: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)
    folds: list[int] = field(default_factory=list)

    def means(self, system: str) -> dict[str, float]:
        queries = self.systems[system]
        return {name: mean(query[name] for query in queries) for name in queries[0]}

    def fold_values(self, system: str, name: str) -> list[float]:
        values = [query[name] for query in self.systems[system]]
        groups = [[v for v, f in zip(values, self.folds, strict=True) if f == k] for k in range(5)]
        return [mean(group) for group in groups if group]


def ranking_metrics(hits: list[bool], gold: int, cutoffs: tuple[int, ...]) -> dict[str, float]:
    """Section 3 by its definition, one query."""
    found: dict[str, float] = {}
    first = next((i for i, hit in enumerate(hits, 1) if hit), None)
    for k in cutoffs:
        top = hits[:k]
        precisions = [sum(top[:i]) / i for i, hit in enumerate(top, 1) if hit]
        gain = sum(1 / math.log2(i + 1) for i, hit in enumerate(top, 1) if hit)
        ideal = sum(1 / math.log2(i + 1) for i in range(1, min(gold, k) + 1))
        found[f"Recall@{k}"] = sum(top) / gold
        found[f"P@{k}"] = sum(top) / k
        found[f"Hit@{k}"] = float(any(top))
        found[f"MRR@{k}"] = 1 / first if first and first <= k else 0.0
        found[f"MAP@{k}"] = sum(precisions) / min(gold, k)
        found[f"nDCG@{k}"] = gain / ideal
    found["MRR"] = 1 / first if first else 0.0
    return found


def random_study(seed: int) -> Study:
    """Make a study of one to three systems; sizes, gold and quality vary widely."""
    chance = random.Random(seed)
    study = Study(chance, chance.choice(CUTOFFS))
    size = chance.choice((1, 2, 5, 20, 80))
    most = chance.choice((1, 2, 6, 30))
    study.folds = [i % 5 for i in range(size)]
    shapes = [(chance.randint(1, 40), chance.randint(1, most)) for _ in range(size)]
    for s in range(chance.choice((1, 1, 1, 2, 3))):
        skill = chance.random()
        queries = []
        for length, gold in shapes:
            retrieved = min(gold, length, chance.randint(0, gold))
            places = sorted(
                range(length), key=lambda i, skill=skill: i * skill + chance.random() * 20
            )
            chosen = set(places[:retrieved])
            hits = [i in chosen for i in range(length)]
            queries.append(ranking_metrics(hits, gold, study.cutoffs))
        name = ("Baseline", "Ours", "Ours + all")[s]
        study.systems[name] = queries
        study.counts[name] = tuple(chance.randint(0, 200) for _ in range(4))  # type: ignore[assignment]
    return study


@pytest.fixture(scope="session")
def study_of() -> Callable[[int], Study]:
    return random_study


def print_as(value: float, style: str) -> str:
    """Print a share as papers do."""
    if style == "percent":
        return f"{100 * value:.1f}"
    if style == "percent sign":
        return f"{100 * value:.2f}%"
    return f"{value:.{style}f}"


@pytest.fixture(scope="session")
def printed_as() -> Callable[[float, str], str]:
    return print_as


def truthful_table(study: Study, style: str, *, spreads: bool, maps: bool = True) -> str:
    """Print a study as a Markdown table, with changes, spreads and a confusion matrix."""
    systems = list(study.systems)
    means = {system: study.means(system) for system in systems}
    spreads = spreads and len(study.folds) >= 10
    lines = [
        "| Metric | " + " | ".join(systems) + (" | Improvement |" if len(systems) == 2 else " |")
    ]
    lines.append("|---" * (len(lines[0].split("|")) - 2) + "|")
    for name in means[systems[0]]:
        if name.startswith("MAP") and not maps:
            continue
        values = [means[system][name] for system in systems]
        cells = [print_as(value, style) for value in values]
        if spreads:
            folds = [study.fold_values(system, name) for system in systems]
            values = [mean(fold) for fold in folds]
            cells = [f"{print_as(mean(f), style)} ± {print_as(stdev(f), style)}" for f in folds]
        if len(systems) == 2:
            old, new = values
            cells.append(f"{100 * (new - old) / old:+.2f}%" if old else "–")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", confusion_table(study, style)])


def confusion_table(study: Study, style: str) -> str:
    lines = [
        "| Model | TP | FP | TN | FN | Sensitivity | Specificity | FPR | PPV | F1 | Bal. Acc. |"
    ]
    lines.append("|---" * 11 + "|")
    for system, (tp, fp, tn, fn) in study.counts.items():
        if not (tp + fn and tn + fp and tp + fp):
            continue
        sensitivity, specificity, precision = tp / (tp + fn), tn / (tn + fp), tp / (tp + fp)
        rates = [sensitivity, specificity, 1 - specificity, precision]
        rates += [2 * tp / (2 * tp + fp + fn), (sensitivity + specificity) / 2]
        cells = [str(n) for n in (tp, fp, tn, fn)] + [print_as(rate, style) for rate in rates]
        lines.append(f"| {system} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


@pytest.fixture(scope="session")
def table_of() -> Callable[..., str]:
    return truthful_table
