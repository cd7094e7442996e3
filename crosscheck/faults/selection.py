"""Dynamic K, deployment, the γ sweep and the three states gone wrong."""

from __future__ import annotations

import math
import re
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.witnesses.fill import statistics

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.faults.bench import Bench, OfRows
    from crosscheck.witnesses import Ledger
    from crosscheck.witnesses.rows import Floats, Mask, Rows, Texts

GRID = re.compile(r"(?P<what>\w+)@tau=(?P<low>[^,]+),(?P<high>.+)")


def sizes(rows: Rows) -> Floats:
    """Count what was selected for each query."""
    return np.array([len(uids) for uids in rows.lists("selected")], dtype=np.float64)


def found(rows: Rows) -> Floats:
    """Count the gold that was selected for each query."""
    lists = zip(rows.lists("selected"), rows.gold, strict=True)
    return np.array([len(set(chosen) & set(gold)) for chosen, gold in lists], dtype=np.float64)


def golds(rows: Rows) -> Floats:
    """Count the gold of each query."""
    return np.array([len(gold) for gold in rows.gold], dtype=np.float64)


def _divided(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _column(metric: str, values: Callable[[Rows], Floats], bench: Bench) -> Ledger:
    column = values(bench.rows)
    return bench.per_query(lambda name: column if name == metric else None)


def _means(
    metric: str, population: str, wrong: Callable[[Rows, Mask], float], bench: Bench
) -> Ledger:
    """Break a mean; `wrong` gets the EVAL rows and those of the slice."""
    return bench.valued({metric: wrong}, population)


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0


def k_of_returned(bench: Bench) -> Ledger:
    """Count what was returned, so that a query the gate held back has K = 0."""
    returned = sizes(bench.rows) * bench.rows.pred
    patch: Ledger = {}
    for text in bench.case.owed:
        key = bench.keys[text]
        if key.metric == "k" and key.slice != "folds" and key.statistic not in {"min", "max"}:
            chosen = returned[bench.rows.mask(key.population, key.slice)]
            patch[text] = statistics(chosen)[key.statistic]
    return bench.overlaid(patch)


def empty_selections_skipped(bench: Bench) -> Ledger:
    """Average precision over the queries for which something was selected."""
    rows = bench.rows
    precision = _divided(found(rows), sizes(rows))
    chosen = rows.with_gold & (sizes(rows) > 0)
    return bench.valued(
        {"evidence_precision": lambda _, mask: _mean(precision[mask & chosen])}, "positives_only"
    )


def pooled_as_mean(rows: Rows, mask: Mask) -> float:
    """Average the queries' shares in place of pooling their sentences."""
    chosen = mask & rows.with_gold
    return _mean((_divided(found(rows), golds(rows)) * rows.pred)[chosen])


def pooled_unconditional(rows: Rows, mask: Mask) -> float:
    """Leave the condition out of the denominator."""
    chosen = mask & rows.with_gold
    whole = golds(rows)[chosen].sum()
    return float((found(rows) * rows.pred)[chosen].sum() / whole) if whole else 0.0


def evidence_recall_at_ten(bench: Bench) -> Ledger:
    """Report recall@10 for the recall of the dynamic selection."""
    recall = bench.columns["recall@10"]
    return bench.per_query(lambda metric: recall if metric == "evidence_recall" else None)


def _bounds(most: Callable[[int], int], bench: Bench) -> Ledger:
    """Count k below, above and unreachable under another upper bound."""
    rows = bench.rows
    chosen = sizes(rows)
    limit = np.array([most(len(uids)) for uids in rows.lists("candidates")])
    least = int(bench.case.settings.get("k_min", 2))
    unreachable = limit < least
    counts = {
        "k_below_min": rows.pred & (chosen < least) & ~unreachable,
        "k_above_max": rows.pred & (chosen > limit),
        "k_min_unreachable": rows.pred & unreachable,
    }

    def count(flagged: Mask, _: Rows, mask: Mask) -> int:
        return int((flagged & mask).sum())

    return bench.valued({metric: partial(count, flagged) for metric, flagged in counts.items()})


def deployment_is_gate(bench: Bench) -> Ledger:
    """Count every passed query as one that returned something."""
    patch: Ledger = {}
    for text in bench.ledger:
        if text.startswith("deployment_"):
            metric, rest = text.removeprefix("deployment_").split("|", 1)
            gate = "sensitivity" if metric == "recall" else metric
            patch[text] = bench.ledger[f"{gate}|{rest}"]
    return bench.overlaid(patch)


def _gamma(bench: Bench, *, order_by_prob: bool, clamp: bool) -> Ledger:
    """Sweep γ in another order, or without the bounds."""
    rows = bench.rows
    nodes = [list(cell or ()) for cell in rows.frame["node_probs"].to_list()]
    patch: Ledger = {}
    for text in bench.case.owed:
        key = bench.keys[text]
        name, _, gamma = key.metric.partition("@gamma=")
        if gamma and name in {"k", "sentences"} and key.slice != "folds":
            mask = rows.mask("all_queries", key.slice)
            taken = [
                _swept(probs, float(gamma), order_by_prob=order_by_prob, clamp=clamp)
                for probs, inside in zip(nodes, mask.tolist(), strict=True)
                if inside
            ]
            patch[text] = sum(taken) if name == "sentences" else _mean(np.array(taken, dtype=float))
    return bench.overlaid(patch)


def _swept(probs: list[float], gamma: float, *, order_by_prob: bool, clamp: bool) -> int:
    ordered = sorted(probs, reverse=True) if order_by_prob else probs
    mass = math.fsum(probs)
    taken, total = 0, 0.0
    while mass and taken < len(ordered) and total < gamma * mass:
        total += ordered[taken]
        taken += 1
    most = min(10, len(probs) // 2)
    return max(min(2, most), min(taken, most)) if clamp else taken


def _restated(decide: Callable[[Rows], Texts], bench: Bench) -> Ledger:
    """Put queries in other states, and let the counts and rates of section 7 follow."""
    state = decide(bench.rows)

    def count(name: str, _: Rows, mask: Mask) -> int:
        return int((state[mask] == name).sum())

    def rate(name: str, rows: Rows, mask: Mask) -> float:
        return _share(count(name, rows, mask), float(mask.sum()))

    values: dict[str, OfRows] = {}
    for name in ("NEG", "UNCERTAIN", "POS"):
        values[f"n_{name.lower()}"] = partial(count, name)
        values[f"{name.lower()}_rate"] = partial(rate, name)
    return bench.valued(values)


def _at_boundaries(rows: Rows, *, low_in_neg: bool, high_in_pos: bool) -> Texts:
    low, high = rows.by_fold(rows.settings["tau_neg"]), rows.by_fold(rows.settings["tau_pos"])
    negative = rows.prob <= low if low_in_neg else rows.prob < low
    positive = rows.prob >= high if high_in_pos else rows.prob > high
    return np.where(negative, "NEG", np.where(positive, "POS", "UNCERTAIN")).astype(object)


def _rate(metric: str, value: Callable[[Mask, Texts], float], bench: Bench) -> Ledger:
    """Break a rate of section 7; `value` gets the labels and states of the slice."""
    return bench.valued({metric: lambda rows, mask: value(rows.label[mask], rows.state[mask])})


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else 0.0


def grid_on_eval(bench: Bench) -> Ledger:
    """Take the threshold grid from the rows that are evaluated."""
    rows = bench.rows
    patch: Ledger = {}
    for text in bench.case.owed:
        key = bench.keys[text]
        at = GRID.fullmatch(key.metric)
        if at and at["what"] == "screening_sensitivity" and key.slice != "folds":
            positive = rows.mask("all_queries", key.slice) & rows.label
            passed = positive & (rows.prob >= float(at["low"]))
            patch[text] = _share(passed.sum(), positive.sum())
    return bench.overlaid(patch)


INJECT: dict[str, Callable[[Bench], Ledger]] = {
    "k-of-returned": k_of_returned,
    "avg-k-of-selected": partial(_means, "avg_k", "all_queries", lambda r, m: _mean(sizes(r)[m])),
    "evidence-recall-of-returned": partial(
        _column, "evidence_recall", lambda r: _divided(found(r), golds(r)) * r.pred
    ),
    "evidence-recall-at-ten": evidence_recall_at_ten,
    "evidence-precision-over-gold": partial(
        _column, "evidence_precision", lambda r: _divided(found(r), golds(r))
    ),
    "empty-selections-skipped": empty_selections_skipped,
    "pooled-as-mean": partial(_means, "evidence_recall/pooled", "positives_only", pooled_as_mean),
    "conditional-unconditional": partial(
        _means, "evidence_recall/pooled_conditional", "positives_only", pooled_unconditional
    ),
    "k-max-rounded-up": partial(_bounds, lambda n: min(10, math.ceil(n / 2))),
    "k-max-at-least-k-min": partial(_bounds, lambda n: max(2, min(10, n // 2))),
    "k-max-without-cap": partial(_bounds, lambda n: n // 2),
    "deployment-is-gate": deployment_is_gate,
    "gamma-in-ranking-order": partial(_gamma, order_by_prob=False, clamp=True),
    "gamma-not-clamped": partial(_gamma, order_by_prob=True, clamp=False),
    "tau-neg-inclusive": partial(
        _restated, partial(_at_boundaries, low_in_neg=True, high_in_pos=True)
    ),
    "tau-pos-exclusive": partial(
        _restated, partial(_at_boundaries, low_in_neg=False, high_in_pos=False)
    ),
    "screening-counts-alerts-only": partial(
        _rate, "screening_sensitivity", lambda y, s: _share((y & (s == "POS")).sum(), y.sum())
    ),
    "screening-per-1000-positives": partial(
        _rate,
        "screening_fn_per_1000",
        lambda y, s: 1000 * _share((y & (s == "NEG")).sum(), y.sum()),
    ),
    "alert-precision-is-recall": partial(
        _rate, "alert_precision", lambda y, s: _share((y & (s == "POS")).sum(), y.sum())
    ),
    "alert-rate-per-100": partial(
        _rate, "alert_rate_per_1000", lambda y, s: 100 * _share((s == "POS").sum(), len(y))
    ),
    "grid-on-eval": grid_on_eval,
}
