"""Dynamic K, its bounds, the deployed system, and the γ sweep (section 6).

Exactness: K and hits are integers, recalls fractions; ⌊n·ratio⌋ and the share of a query's mass
that reaches γ are decided on exact decimals.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from reference.aggregate import counted_tally, mean, statistics, tally
from reference.classification import confused, rates
from reference.values import ZERO, Exact, Value, as_text, counted_total, in_units, ratio, total

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from decimal import Decimal

    from reference.settings import Settings
    from reference.study import Query, Study

    Entries = Iterator[tuple[str, str, str, Exact]]

K_STATISTICS = ("mean", "std", "median", "p25", "p75", "p90")
DEPLOYMENT = {"fpr": "fpr", "fnr": "fnr", "precision": "precision", "sensitivity": "recall"}


def size(query: Query) -> int:
    """Return k = |selected|."""
    return len(query.selected or ())


def recall(query: Query) -> Value:
    """Return |selected ∩ G| / |G|."""
    return ratio(query.found, len(query.gold)) if query.gold else ZERO


def precision(query: Query) -> Value:
    """Return |selected ∩ G| / |selected|."""
    return ratio(query.found, size(query)) if query.gold else ZERO


def k(rows: Sequence[Query], _study: Study) -> Entries:
    """Yield the statistics of k = |selected|."""
    positives = [query for query in rows if query.positive]
    for population, some in (("all_queries", rows), ("positives_only", positives)):
        sizes = [size(query) for query in some]
        for name, value in statistics(tally(sizes), K_STATISTICS).items():
            yield "k", population, name, value
        yield "k", population, "min", min(sizes, default=0)
        yield "k", population, "max", max(sizes, default=0)


def histogram(rows: Sequence[Query], study: Study) -> Entries:
    """Yield how many queries select j, for every j up to the largest k of all EVAL rows."""
    counts = Counter(map(size, rows))
    for j in range(study.largest_k + 1):
        yield f"k/hist={j}", "all_queries", "n", counts[j]


def average_k(rows: Sequence[Query], _study: Study) -> Entries:
    """Yield the mean of |returned|, over the queries that pass the gate and over all."""
    passed = [size(query) for query in rows if query.pred]
    yield "avg_k", "predicted_positive", "mean", ratio(sum(passed), len(passed))
    yield "avg_k", "all_queries", "mean", ratio(sum(passed), len(rows))


def evidence(rows: Sequence[Query], _study: Study) -> Entries:
    """Yield recall and precision of what is selected, over positives."""
    for metric, values, counts in _evidence(rows):
        for name, value in statistics(counted_tally(zip(values, counts, strict=True))).items():
            yield metric, "positives_only", name, value


def brief_evidence(rows: Sequence[Query], _study: Study) -> Entries:
    """Yield of them what is a headline metric (section 10)."""
    for metric, values, counts in _evidence(rows):
        yield metric, "positives_only", "mean", ratio(counted_total(values, counts), sum(counts))


def _evidence(rows: Sequence[Query]) -> Iterator[tuple[str, list[Value], list[int]]]:
    """Yield the values of a metric that there are, each with a number of positives."""
    alike = Counter([(q.found, len(q.gold or ()), size(q)) for q in rows if q.positive])
    counts = list(alike.values())
    yield "evidence_recall", [ratio(hits, gold) for hits, gold, _ in alike], counts
    yield "evidence_precision", [ratio(hits, chosen) for hits, _, chosen in alike], counts


def evidence_all(rows: Sequence[Query], _study: Study) -> Entries:
    """Yield S1's variants: where nothing is to be found, or nothing selected, agreement is 1."""
    agreed = Fraction(sum(not query.positive and not query.selected for query in rows))
    recalls = total([agreed, *(recall(query) for query in rows if query.positive)])
    precisions = total([agreed, *(precision(query) for query in rows if query.positive)])
    yield "evidence_recall/all_queries", "all_queries", "mean", ratio(recalls, len(rows))
    yield "evidence_precision/all_queries", "all_queries", "mean", ratio(precisions, len(rows))


def pooled(rows: Sequence[Query], _study: Study) -> Entries:
    """Yield S3's pooled recalls of what is returned: over all positives, and those that pass."""
    positives = [query for query in rows if query.positive]
    passed = [query for query in positives if query.pred]
    hits = sum([query.found for query in passed])
    for name, some in (("pooled", positives), ("pooled_conditional", passed)):
        gold = sum(len(query.gold or ()) for query in some)
        yield f"evidence_recall/{name}", "positives_only", "value", ratio(hits, gold)


def deployment(rows: Sequence[Query], _study: Study) -> Entries:
    """Yield the confusion of has_evidence against "something is returned"."""
    table = confused((q.label or 0, int(bool(q.pred and q.selected))) for q in rows)
    for name, count in table._asdict().items():
        yield f"deployment_{name}", "all_queries", "value", count
    values = rates(table)
    for metric, name in (*DEPLOYMENT.items(), ("f1", "f1")):
        yield f"deployment_{name}", "all_queries", "value", values[metric]


def k_max(candidates: int, settings: Settings) -> int:
    """min(hard_cap, ⌊n·ratio⌋)."""
    return _k_max(candidates, settings.hard_cap, settings.k_max_ratio)


@lru_cache(maxsize=4096)
def _k_max(candidates: int, hard_cap: int, share: Decimal) -> int:
    above, below = share.as_integer_ratio()
    return min(hard_cap, candidates * above // below)


def bounds(rows: Sequence[Query], study: Study) -> Entries:
    """Yield how many passing queries select too few, too many, or cannot select enough."""
    k_min = study.settings.k_min
    below = above = unreachable = 0
    for query in rows:
        if not query.pred:
            continue
        limit, chosen = k_max(len(query.ranking), study.settings), size(query)
        unreachable += limit < k_min
        below += limit >= k_min and (chosen < k_min or not chosen)
        above += chosen > limit
    counts = {"k_below_min": below, "k_above_max": above, "k_min_unreachable": unreachable}
    for metric, count in counts.items():
        yield metric, "all_queries", "value", count


class Swept(NamedTuple):
    """What each γ selects for one query: K, and how much gold is among them."""

    k: tuple[int, ...]
    found: tuple[int, ...]


def swept(rows: Sequence[Query], settings: Settings) -> Iterator[Swept]:
    """Take candidates by node probability until their share of the mass reaches γ."""
    units = in_units({prob for query in rows for prob in query.node_probs or ()})
    shares = [gamma.as_integer_ratio() for gamma in settings.gamma]
    for query in rows:
        yield _swept(query, units, shares, settings)


def _swept(
    query: Query, units: Mapping[float, int], shares: Sequence[tuple[int, int]], settings: Settings
) -> Swept:
    probs = query.node_probs or ()
    limit = k_max(len(query.ranking), settings)
    floor = min(settings.k_min, limit)
    ahead = list(accumulate(map(units.__getitem__, sorted(probs, reverse=True))))
    counts = []
    for above, below in shares:
        mass = -(-above * ahead[-1] // below) if ahead else 0  # ⌈γ·Σ⌉, as sums are integers
        enough = bisect_left(ahead, mass) + 1 if mass else 0
        counts.append(max(floor, min(enough, limit)))
    if not query.hits:
        return Swept(tuple(counts), (0,) * len(counts))
    order = sorted(range(len(probs)), key=probs.__getitem__, reverse=True)
    hits = {rank - 1 for rank in query.hits}
    return Swept(tuple(counts), tuple([len(hits.intersection(order[:n])) for n in counts]))


def sweep(rows: Sequence[Query], swept_by_row: Mapping[int, Swept], study: Study) -> Entries:
    """Yield mean K, evidence recall and workload for every γ."""
    of_rows = [swept_by_row[query.row].k for query in rows]
    positives = [(swept_by_row[q.row].found, len(q.gold or ())) for q in rows if q.positive]
    for place, gamma in enumerate(study.settings.gamma):
        at = f"@gamma={as_text(gamma)}"
        selected = sum([counts[place] for counts in of_rows])
        recalls = [ratio(found[place], gold) for found, gold in positives]
        yield f"k{at}", "all_queries", "mean", ratio(selected, len(rows))
        yield f"evidence_recall{at}", "positives_only", "mean", mean(recalls)
        yield f"sentences{at}", "all_queries", "value", selected
