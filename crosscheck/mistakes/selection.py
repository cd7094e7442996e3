"""Dynamic K, deployment, the γ sweep and the three states gone wrong."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.mistakes.classification import share
from crosscheck.mistakes.formula import Formula, of_keys, of_queries, of_rows

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from crosscheck.data.rows import Floats, Mask, Rows, Texts
    from crosscheck.mistakes.bench import Bench
    from crosscheck.model.key import Key
    from crosscheck.model.ledgers import Number

GRID = r"screening_sensitivity@tau=([^,]+),.+"


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


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0


def _column(metric: str, values: Callable[[Bench], Floats | None]) -> Formula:
    return of_queries(lambda bench, name: values(bench) if name == metric else None)


def empty_selections_skipped(rows: Rows, mask: Mask, _: re.Match[str]) -> float:
    """Average precision over the queries for which something was selected."""
    chosen = mask & rows.with_gold & (sizes(rows) > 0)
    return _mean(_divided(found(rows), sizes(rows))[chosen])


def pooled_as_mean(rows: Rows, mask: Mask, _: re.Match[str]) -> float:
    """Average the queries' shares in place of pooling their sentences."""
    chosen = mask & rows.with_gold
    return _mean((_divided(found(rows), golds(rows)) * rows.pred)[chosen])


def pooled_unconditional(rows: Rows, mask: Mask, _: re.Match[str]) -> float:
    """Leave the condition out of the denominator."""
    chosen = mask & rows.with_gold
    return share((found(rows) * rows.pred)[chosen].sum(), golds(rows)[chosen].sum())


def _bounds(most: Callable[[int], int]) -> Formula:
    """Count k below, above and unreachable under another upper bound."""

    def count(rows: Rows, mask: Mask, at: re.Match[str]) -> int:
        chosen = sizes(rows)
        limit = np.array([most(len(uids)) for uids in rows.lists("candidates")])
        least = int(rows.settings.get("k_min", 2))
        unreachable = limit < least
        flagged = {
            "k_below_min": (chosen < least) & ~unreachable,
            "k_above_max": chosen > limit,
            "k_min_unreachable": unreachable,
        }[at[0]]
        return int((flagged & rows.pred & mask).sum())

    return of_rows("k_below_min|k_above_max|k_min_unreachable", count)


def deployment_is_gate(bench: Bench, key: Key) -> Number | None:
    """Count every passed query as one that returned something."""
    metric = key.metric.removeprefix("deployment_")
    gate = "sensitivity" if metric == "recall" else metric
    return bench.ledger.get(f"{gate}|{key.population}|{key.slice}|{key.statistic}")


def _gamma(*, order_by_prob: bool, clamp: bool) -> Formula:
    """Sweep γ in another order, or without the bounds."""

    def value(rows: Rows, mask: Mask, at: re.Match[str]) -> Number:
        nodes = [list(cell or ()) for cell in rows.frame["node_probs"].to_list()]
        taken = [
            _swept(probs, float(at[2]), order_by_prob=order_by_prob, clamp=clamp)
            for probs, inside in zip(nodes, mask.tolist(), strict=True)
            if inside
        ]
        return sum(taken) if at[1] == "sentences" else _mean(np.array(taken, dtype=float))

    return of_rows("(k|sentences)@gamma=(.+)", value)


def _swept(probs: list[float], gamma: float, *, order_by_prob: bool, clamp: bool) -> int:
    ordered = sorted(probs, reverse=True) if order_by_prob else probs
    mass = math.fsum(probs)
    taken, total = 0, 0.0
    while mass and taken < len(ordered) and total < gamma * mass:
        total += ordered[taken]
        taken += 1
    most = min(10, len(probs) // 2)
    return max(min(2, most), min(taken, most)) if clamp else taken


def _restated(*, low_in_neg: bool, high_in_pos: bool) -> Formula:
    """Put queries on a τ in other states, and let the counts and rates of section 7 follow."""

    def value(rows: Rows, mask: Mask, at: re.Match[str]) -> Number:
        if rows.settings.get("tau_neg") is None or not rows.has("prob"):
            state = rows.state
        else:
            low = rows.by_fold(rows.settings["tau_neg"])
            high = rows.by_fold(rows.settings["tau_pos"])
            negative = rows.prob <= low if low_in_neg else rows.prob < low
            positive = rows.prob >= high if high_in_pos else rows.prob > high
            state = np.where(negative, "NEG", np.where(positive, "POS", "UNCERTAIN"))
        name = at[0].removeprefix("n_").removesuffix("_rate").upper()
        count = int((state[mask] == name).sum())
        return count if at[0].startswith("n_") else share(count, mask.sum())

    return of_rows("n_(neg|uncertain|pos)|(neg|uncertain|pos)_rate", value)


def _rate(metric: str, value: Callable[[Mask, Texts], float]) -> Formula:
    """Break a rate of section 7; `value` gets the labels and states of the slice."""
    return of_rows(metric, lambda rows, mask, _: value(rows.label[mask], rows.state[mask]))


def grid_on_eval(rows: Rows, mask: Mask, at: re.Match[str]) -> float:
    """Take the threshold grid from the rows that are evaluated."""
    positive = mask & rows.label
    return share((positive & (rows.prob >= float(at[1]))).sum(), positive.sum())


MISTAKES: dict[str, Formula] = {
    "evidence-recall-at-ten": _column("evidence_recall", lambda b: b.columns.get("recall@10")),
    "evidence-precision-over-gold": _column(
        "evidence_precision", lambda b: _divided(found(b.rows), golds(b.rows))
    ),
    "empty-selections-skipped": of_rows(
        "evidence_precision", empty_selections_skipped, "positives_only"
    ),
    "pooled-as-mean": of_rows("evidence_recall/pooled", pooled_as_mean, "positives_only"),
    "conditional-unconditional": of_rows(
        "evidence_recall/pooled_conditional", pooled_unconditional, "positives_only"
    ),
    "k-max-rounded-up": _bounds(lambda n: min(10, math.ceil(n / 2))),
    "k-max-at-least-k-min": _bounds(lambda n: max(2, min(10, n // 2))),
    "k-max-without-cap": _bounds(lambda n: n // 2),
    "deployment-is-gate": of_keys("deployment_.*", deployment_is_gate),
    "gamma-in-ranking-order": _gamma(order_by_prob=False, clamp=True),
    "gamma-not-clamped": _gamma(order_by_prob=True, clamp=False),
    "tau-neg-inclusive": _restated(low_in_neg=True, high_in_pos=True),
    "tau-pos-exclusive": _restated(low_in_neg=False, high_in_pos=False),
    "screening-counts-alerts-only": _rate(
        "screening_sensitivity", lambda y, s: share((y & (s == "POS")).sum(), y.sum())
    ),
    "screening-per-1000-positives": _rate(
        "screening_fn_per_1000", lambda y, s: 1000 * share((y & (s == "NEG")).sum(), y.sum())
    ),
    "alert-precision-is-recall": _rate(
        "alert_precision", lambda y, s: share((y & (s == "POS")).sum(), y.sum())
    ),
    "alert-rate-per-100": _rate(
        "alert_rate_per_1000", lambda y, s: 100 * share((s == "POS").sum(), len(y))
    ),
    "grid-on-eval": of_rows(GRID, grid_on_eval, "tune_queries"),
}
