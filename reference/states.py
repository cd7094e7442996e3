"""The three-state gate and its grid of thresholds (section 7).

Exactness: p < τ is decided on decimals; everything else is a fraction of counts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

from reference.study import STATES
from reference.values import Exact, Value, as_text, ratio

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from decimal import Decimal

    from reference.study import Query, Study

RATES = (
    "neg_rate", "uncertain_rate", "pos_rate", "alert_rate_per_1000", "screening_sensitivity",
    "screening_fn_per_1000", "alert_precision",
)  # fmt: skip
GRID = ("screening_sensitivity", "alert_precision", "alert_rate_per_1000", "neg_rate")


def gate(prob: Decimal, tau_neg: Decimal, tau_pos: Decimal) -> str:
    """NEG if p < τ_neg; UNCERTAIN if p < τ_pos; else POS."""
    return "NEG" if prob < tau_neg else "UNCERTAIN" if prob < tau_pos else "POS"


def rates(seen: Counter[tuple[str | None, int]]) -> dict[str, Value]:
    """Return the rates of (state, label) counts."""
    n = seen.total()
    in_state = {state: seen[state, 0] + seen[state, 1] for state in STATES}
    positives = sum(seen[state, 1] for state in STATES)
    found = (
        *(ratio(in_state[state], n) for state in STATES),
        ratio(1000 * in_state["POS"], n),
        ratio(positives - seen["NEG", 1], positives),
        ratio(1000 * seen["NEG", 1], n),
        ratio(seen["POS", 1], in_state["POS"]),
    )
    return dict(zip(RATES, found, strict=True))


def states(rows: Sequence[Query], _study: Study) -> Iterator[tuple[str, str, str, Exact]]:
    """Yield counts and rates; without labels there are no positives."""
    positives = Counter([query.state for query in rows if query.label])
    seen: Counter[tuple[str | None, int]] = Counter()
    for state, count in Counter([query.state for query in rows]).items():
        seen[state, 1] = positives[state]
        seen[state, 0] = count - positives[state]
    for each in STATES:
        yield f"n_{each.lower()}", "all_queries", "value", seen[each, 0] + seen[each, 1]
    for metric, value in rates(seen).items():
        yield metric, "all_queries", "value", value


def grid(rows: Sequence[Query], study: Study) -> Iterator[tuple[str, str, str, Exact]]:
    """Yield the grid on the TUNE rows of this fold; on EVAL never."""
    fold = rows[0].fold
    tune = [(q.prob, q.label or 0) for q in study.tune if q.fold == fold and q.prob is not None]
    probs = [sorted(prob for prob, label in tune if label == wanted) for wanted in (0, 1)]
    for tau_neg, tau_pos in study.settings.grid:
        seen: Counter[tuple[str | None, int]] = Counter()
        for label, ascending in enumerate(probs):
            low, high = bisect_left(ascending, tau_neg), bisect_left(ascending, tau_pos)
            for state, count in zip(STATES, (low, high - low, len(ascending) - high), strict=True):
                seen[state, label] = count
        found = rates(seen)
        for metric in GRID:
            name = f"{metric}@tau={as_text(tau_neg)},{as_text(tau_pos)}"
            yield name, "tune_queries", "value", found[metric]
