"""Several classes gone wrong: averages over classes, probabilities, agreement, calibration."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.mistakes.averages import own_probabilities
from crosscheck.mistakes.calibration import equal_mass, gaps, open_below, proper, weighted
from crosscheck.mistakes.classification import points
from crosscheck.mistakes.formula import Formula, of_keys, of_rows
from crosscheck.mistakes.ranking import ratio

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from crosscheck.data.rows import Floats, Mask, Rows
    from crosscheck.mistakes.bench import Bench
    from crosscheck.mistakes.calibration import Combine, Place
    from crosscheck.model.key import Key
    from crosscheck.model.ledgers import Number

CLIPS = ("1e-15", "1e-7", "0.001", "0.01")
"""What probabilities are kept above, under the logarithm."""
_OTHER_RATE = {"precision": "recall", "recall": "precision"}


def _classes(rows: Rows) -> list[str]:
    names = rows.settings.get("classes")
    found = names or sorted({*rows.texts("label"), *rows.texts("predicted")})
    return [str(name) for name in found]


def _probabilities(rows: Rows, mask: Mask) -> tuple[Floats, Floats] | None:
    """Give the probabilities of some rows, and which class is theirs, as zeros and ones."""
    if not rows.has("class_probs") or not rows.settings.get("classes"):
        return None
    probs = np.array(rows.lists("class_probs"), dtype=np.float64)[mask]
    label = rows.texts("label")[mask]
    truth = np.stack([label == name for name in rows.settings["classes"]], axis=1)
    return probs, truth.astype(np.float64)


def area(label: Mask, prob: Floats) -> float:
    """AUROC, by the trapezoids under the curve."""
    _, true, false = points(label, prob)
    steps = np.diff(np.r_[0.0, false]) * (np.r_[0.0, true[:-1]] + true) / 2
    return ratio(float(steps.sum()), float(true[-1] * false[-1]))


def by_class(bench: Bench, key: Key) -> dict[str, float]:
    """Give each class's own value of a metric that is an average over classes."""
    rate = {"accuracy": "recall", "balanced_accuracy": "recall"}.get(
        key.metric.partition("/")[0], key.metric.partition("/")[0]
    )
    stem = f"{rate}|{key.population}|class="
    found = {
        one.slice.removeprefix("class="): float(bench.ledger[text])
        for text, one in bench.keys.items()
        if text.startswith(stem) and one.statistic == "value"
    }
    if found or not key.metric.startswith("auroc/"):
        return found if key.slice == "all" else {}
    probs = _probabilities(bench.rows, bench.rows.mask(key.population, key.slice))
    if probs is None:
        return {}
    return {
        name: area(own, prob)
        for name, prob, own in zip(
            _classes(bench.rows), probs[0].T, probs[1].T.astype(bool), strict=True
        )
    }


def auroc_micro(rows: Rows, mask: Mask, _: re.Match[str]) -> Number | None:
    """Pool the rows of all classes into one curve."""
    found = _probabilities(rows, mask)
    return None if found is None else area(found[1].ravel().astype(bool), found[0].ravel())


def _kappa(power: int, rows: Rows, mask: Mask, _: re.Match[str]) -> Number | None:
    """Weigh disagreements by how far apart the classes are listed."""
    if not rows.has("predicted"):
        return None
    place = {name: i for i, name in enumerate(_classes(rows))}
    true = [place[one] for one in rows.texts("label")[mask]]
    given = [place[one] for one in rows.texts("predicted")[mask]]
    table = np.zeros((len(place), len(place)))
    np.add.at(table, (true, given), 1)
    apart = np.abs(np.subtract.outer(np.arange(len(place)), np.arange(len(place))))
    cost = apart.astype(np.float64) ** power
    chance = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    below = float((cost * chance).sum())
    return 1 - float((cost * table).sum()) / below if below else None


def _adjusted(bench: Bench, key: Key) -> Number | None:
    """Let guessing count as nothing."""
    count = 2 if key.metric == "balanced_accuracy" else len(_classes(bench.rows))
    return (float(bench.ledger[str(key)]) - 1 / count) / (1 - 1 / count)


def _scaled(factor: Callable[[Bench], float | None]) -> Callable[[Bench, Key], Number | None]:
    def value(bench: Bench, key: Key) -> Number | None:
        times = factor(bench)
        return None if times is None else float(bench.ledger[str(key)]) * times

    return value


def _per_class(bench: Bench) -> float | None:
    return 1 / len(_classes(bench.rows)) if bench.has("class_probs") else None


def brier_of_top(rows: Rows, mask: Mask, _: re.Match[str]) -> Number | None:
    """Square the error of the likeliest class alone."""
    found = _sure(rows, mask)
    return None if found is None else float(((found[0] - found[1]) ** 2).mean())


def _sure(rows: Rows, mask: Mask) -> tuple[Mask, Floats] | None:
    """Tell where the likeliest class is right, and how likely it is said to be."""
    found = _probabilities(rows, mask)
    if found is None:
        return None
    probs, truth = found
    first = probs.argmax(axis=1)
    place = np.arange(len(first))
    return truth[place, first].astype(bool), probs[place, first]


def top_label(place: Place, combine: Combine = weighted) -> Formula:
    """Break the calibration of the likeliest class."""

    def value(rows: Rows, mask: Mask, at: re.Match[str]) -> Number | None:
        found = _sure(rows, mask)
        if found is None:
            return None
        right, sure = found
        sizes, gap = gaps(right, sure, place(sure, int(at[1])))
        return combine(sizes, gap, len(sure)) if len(sizes) else 0.0

    return of_rows(r"ece@(\d+)/top_label", value)


def classwise(rows: Rows, mask: Mask, at: re.Match[str]) -> Number | None:
    """Calibrate each class's own probability, and take the mean over the classes."""
    found = _probabilities(rows, mask)
    if found is None:
        return None
    probs, truth = found
    each = [
        weighted(
            *gaps(truth[:, c].astype(bool), probs[:, c], proper(probs[:, c], int(at[1]))),
            len(probs),
        )
        for c in range(probs.shape[1])
    ]
    return float(np.mean(each))


def _clipped(least: float, rows: Rows, mask: Mask, _: re.Match[str]) -> Number | None:
    """Keep probabilities away from 0 before the logarithm is taken."""
    found = own_probabilities(rows)
    if found is None or (found[1][mask] >= least).all():
        return None
    return float(-np.log(np.maximum(found[1][mask], least)).mean())


def exchanged(bench: Bench, key: Key) -> Number | None:
    """Take labels for predictions: precision becomes recall, and recall precision."""
    metric, slash, kind = key.metric.partition("/")
    other = _OTHER_RATE.get(metric)
    if other is None or kind not in {"macro", "", "k_eff"}:
        return None
    return bench.ledger.get(f"{other}{slash}{kind}|{key.population}|{key.slice}|{key.statistic}")


MISTAKES: dict[str, Formula] = {
    "auroc-micro": of_rows("auroc/ovr_.*|auroc/ovo_.*", auroc_micro),
    "kappa-weighted-linear": of_rows("kappa", partial(_kappa, 1)),
    "kappa-weighted-quadratic": of_rows("kappa", partial(_kappa, 2)),
    "balanced-accuracy-adjusted": of_keys("balanced_accuracy(/multiclass)?", _adjusted),
    "brier-halved": of_keys("brier(/multiclass)?", _scaled(lambda _: 0.5)),
    "brier-mean-of-classes": of_keys("brier/multiclass", _scaled(_per_class)),
    "brier-of-top-label": of_rows("brier/multiclass", brier_of_top),
    "log-loss-base-2": of_keys("log_loss", _scaled(lambda _: 1 / math.log(2))),
    "log-loss-base-10": of_keys("log_loss", _scaled(lambda _: 1 / math.log(10))),
    **{
        f"log-loss-clipped-{one}": of_rows("log_loss", partial(_clipped, float(one)))
        for one in CLIPS
    },
    "labels-and-predictions-exchanged": of_keys(r"(precision|recall)(/.*)?", exchanged),
    "ece-classwise": of_rows(r"ece@(\d+)/top_label", classwise),
    "ece-top-label-of-equal-mass": top_label(equal_mass),
    "ece-top-label-closed-right": top_label(lambda p, m: np.maximum(open_below(p, m), 0)),
    "ece-top-label-unweighted": top_label(proper, lambda _, gap, __: float(np.mean(np.abs(gap)))),
    "ece-top-label-largest-gap": top_label(proper, lambda _, gap, __: float(np.max(np.abs(gap)))),
    "ece-top-label-root-mean-square": top_label(
        proper, lambda n, gap, total: float(np.sqrt(np.sum(n / total * gap**2)))
    ),
}
