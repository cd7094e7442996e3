"""Ranking metrics per query (sections 3 and 15); what ties can do to them is in `ties`.

Exactness: hits and ranks are integers, precisions are fractions. Only nDCG has logarithms: 1/log2
is worked out to 120 digits (exactly for ranks 1, 3, 7, …) and the quotient is kept to 50.

A metric depends on nothing but a few ranks and counts of its query: its `Shape`. So shapes are
counted, and each is worked out once.
"""

from __future__ import annotations

from bisect import bisect_right
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from reference import graded
from reference.values import ZERO, Value, as_text, discount, powers, ratio, total

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from reference.settings import Settings
    from reference.study import Query, Study

    # The metrics asked for: name, row of the table, value of its parameter.
    Named = Mapping[str, tuple["Metric", Any]]


class Shape(NamedTuple):
    """All that sections 3 and 15 look at: ranks of the gold, |G| and |R|; then grades, judgements.

    `grades` are the (rank, grade) of R ∩ G*, `ideal` all grades of G*, descending; `judged` are the
    ranks of what was judged, and `nonrelevant` counts all of the query that was judged and is no
    gold.
    """

    hits: tuple[int, ...]
    gold: int
    ranked: int
    grades: tuple[tuple[int, int], ...] = ()
    ideal: tuple[int, ...] = ()
    judged: tuple[int, ...] = ()
    nonrelevant: int = 0

    def within(self, k: int | None) -> tuple[int, ...]:
        """Return the ranks of the gold in R_K; None is `all`."""
        return self.hits if k is None else self.hits[: bisect_right(self.hits, k)]


def shape(query: Query) -> Shape:
    """Return what the metrics look at of a query, which remembers it."""
    if query.shape is None:
        query.shape = _shape(query)
    return query.shape


def _shape(query: Query) -> Shape:
    gold, ranked = len(query.gold or ()), len(query.ranking)
    if not query.ideal and query.nonrelevant is None:
        return Shape(query.hits, gold, ranked)
    judged, nonrelevant = query.judged, query.nonrelevant or 0
    return Shape(query.hits, gold, ranked, query.grades, query.ideal, judged, nonrelevant)


def one(_seen: Shape, _k: int | None) -> int:
    """1."""
    return 1


def found(seen: Shape, k: int | None) -> int:
    """|R_K ∩ G|."""
    return len(seen.within(k))


def hit(seen: Shape, k: int | None) -> int:
    """1 if R_K ∩ G is non-empty."""
    return int(bool(seen.within(k)))


def first(seen: Shape, k: int | None) -> int:
    """Return the rank of the first gold in R_K."""
    return next(iter(seen.within(k)), 1)


def gold(seen: Shape, _k: int | None) -> int:
    """|G|."""
    return seen.gold


def retrieved(seen: Shape, _k: int | None) -> int:
    """|R ∩ G|."""
    return len(seen.hits)


def cut(seen: Shape, k: int | None) -> int:
    """K; for `all`, |R|."""
    return seen.ranked if k is None else k


def cut_effective(seen: Shape, k: int | None) -> int:
    """min(K, |R|)."""
    return min(cut(seen, k), seen.ranked)


def ideal(seen: Shape, k: int | None) -> int:
    """min(|G|, K)."""
    return seen.gold if k is None else min(seen.gold, k)


def ideal_effective(seen: Shape, k: int | None) -> int:
    """min(|G|, K, |R|)."""
    return min(ideal(seen, k), seen.ranked)


def found_twice(seen: Shape, k: int | None) -> int:
    """2·|R_K ∩ G|, the numerator of F1: 2·P·R / (P + R) = 2·|R_K ∩ G| / (K + |G|)."""
    return 2 * found(seen, k)


def cut_and_gold(seen: Shape, k: int | None) -> int:
    """K + |G|; for `all`, |R| + |G|."""
    return cut(seen, k) + seen.gold


def found_by_gold(seen: Shape, _none: None) -> int:
    """|R_{|G|} ∩ G|."""
    return len(seen.within(seen.gold))


def patience(seen: Shape, p: Decimal) -> Value:
    """(1 − ρ)·Σ ρ^{i−1} over the ranks i of the gold."""
    above, below = p.as_integer_ratio()
    last = max(seen.hits, default=0)
    ups, downs = powers(above), powers(below)
    weighed = sum(ups(rank - 1) * downs(last - rank) for rank in seen.hits)
    return Fraction((below - above) * weighed, downs(last))


def best_precision(seen: Shape, level: Decimal) -> Value:
    """Return the largest P(i) at any i with |R_i ∩ G| ≥ r·|G|; none: 0.

    Such an i is largest at a gold, as precision falls in between.
    """
    above, below = level.as_integer_ratio()
    needed = -(-above * seen.gold // below)  # ⌈r·|G|⌉
    best = _best_precisions(seen.hits)
    return best[max(needed, 1) - 1] if max(needed, 1) <= len(best) else ZERO


def precisions(seen: Shape, k: int | None) -> Value:
    """Σ_{i≤K} rel(i)·P(i)."""
    return _precisions(seen.within(k))


def gain(seen: Shape, k: int | None) -> Value:
    """DCG of R_K."""
    return _gain(seen.within(k))


def ideal_gain(seen: Shape, k: int | None) -> Value:
    """DCG of min(|G|, K) gold at the first ranks."""
    return _ideal_gain(ideal(seen, k))


def ideal_gain_effective(seen: Shape, k: int | None) -> Value:
    """DCG of min(|G|, K, |R|) gold at the first ranks."""
    return _ideal_gain(ideal_effective(seen, k))


@lru_cache(maxsize=4096)
def _precisions(ranks: tuple[int, ...]) -> Value:
    return total(Fraction(count, rank) for count, rank in enumerate(ranks, 1))


@lru_cache(maxsize=4096)
def _best_precisions(ranks: tuple[int, ...]) -> list[Fraction]:
    """Return, for each gold, the largest precision there or at a later one."""
    single = [Fraction(count, rank) for count, rank in enumerate(ranks, 1)]
    return list(accumulate(reversed(single), max))[::-1]


@lru_cache(maxsize=4096)
def _gain(ranks: tuple[int, ...]) -> Value:
    return total(map(discount, ranks))


@cache
def _ideal_gain(ranks: int) -> Value:
    return total(map(discount, range(1, ranks + 1)))


class Metric(NamedTuple):
    """A metric of a ranking: numerator and denominator, as functions of a shape and a parameter.

    `form` is its name with {} where the parameter stands; `values` is the setting that lists the
    parameter's values, none for a metric without one. At which of them the metric is a headline
    (section 10) and is owed per criterion (section 9) stands here too. Its extremes under ties are
    with what is worth most `by` this first, or last, among equals; `straddles`: they are not
    (section 3, Tie bounds).
    """

    form: str
    above: Callable[[Shape, Any], Value | int]
    below: Callable[[Shape, Any], Value | int]
    headline: tuple[Any, ...] = ()
    per_criterion: tuple[Any, ...] = ()
    straddles: bool = False
    values: str | None = "cuts"
    family: str = "ranking"
    by: str = "gold"

    def of(self, seen: Shape, value: Any) -> Value:  # noqa: ANN401 - whatever a setting lists
        """Return its value for a query; 0 where the denominator is 0."""
        return ratio(self.above(seen, value), self.below(seen, value))

    @property
    def group(self) -> tuple[str, str | None]:
        """What it is listed with: linear and exponential gains are one family in section 15."""
        return "graded" if self.by == "grade" else self.family, self.values


ALL = None
HEADLINE = (3, 5, 10)
METRICS = (
    Metric("recall@{}", found, gold, HEADLINE, per_criterion=(10,)),
    Metric("recall@{}/retrieved", found, retrieved),
    Metric("precision@{}", found, cut, HEADLINE),
    Metric("precision@{}/k_eff", found, cut_effective),
    Metric("hit@{}", hit, one, HEADLINE),
    Metric("mrr@{}", hit, first, (*HEADLINE, ALL), per_criterion=(ALL,)),
    Metric("map@{}", precisions, ideal, HEADLINE),
    Metric("map@{}/by_gold", precisions, gold),
    Metric("map@{}/by_hits", precisions, found, straddles=True),
    Metric("map@{}/k_eff", precisions, ideal_effective),
    Metric("ndcg@{}", gain, ideal_gain, HEADLINE, per_criterion=(10,)),
    Metric("ndcg@{}/k_eff", gain, ideal_gain_effective),
    Metric("f1@{}", found_twice, cut_and_gold),
    Metric("rprecision", found_by_gold, gold, values=None),
    Metric("rbp@p={}", patience, one, values="rbp"),
    Metric("iprec@recall={}", best_precision, one, values="recall_levels"),
)
# Of which gmap is the geometric mean.
GMAP, GMAP_OF = "gmap", "map@all/by_gold"


def metrics(grade_max: int) -> tuple[Metric, ...]:
    """Return the rows of the table, those of graded relevance and of judgements included."""
    return (
        *METRICS,
        Metric("ndcg@{}/graded", graded.gain, graded.ideal, HEADLINE, family="graded", by="grade"),
        Metric("dcg@{}/graded", graded.gain, one, family="graded", by="grade"),
        *(
            Metric(form, above, below, family="exponential", by="grade")
            for form, above, below in (
                ("ndcg@{}/exponential", graded.exponential_gain, graded.exponential_ideal),
                ("dcg@{}/exponential", graded.exponential_gain, one),
                ("err@{}", graded.cascade(grade_max), one),
            )
        ),
        Metric("bpref", graded.preferred, gold, values=None, family="judged"),
        Metric("judged@{}", graded.judged, cut_effective, family="judged", by="judged"),
    )


def named(
    settings: Settings, families: Iterable[str] = ("ranking",), grade_max: int | None = None
) -> Named:
    """Return the metrics of these families at every value of their parameters, value by value."""
    wanted = frozenset(families)
    rows = [metric for metric in metrics(grade_max or 0) if metric.family in wanted]
    return {
        metric.form.format(_shown(value)): (metric, value)
        for group in dict.fromkeys(metric.group for metric in rows)
        for value in (getattr(settings, group[1]) if group[1] else (None,))
        for metric in rows
        if metric.group == group
    }


def owed(study: Study, plain: str = "ranking") -> Named:
    """Return the metrics that a study owes; `plain` is the family that stands for section 3's."""
    families = [family for family in graded.FAMILIES if study.has(family)]
    if study.has(plain):
        families.append("ranking")
    return named(study.settings, families, study.grade_max)


def _shown(value: Any) -> str:  # noqa: ANN401 - whatever a setting lists
    if value is ALL:
        return "all"
    return as_text(value) if isinstance(value, Decimal) else str(value)


def headline(among: Named) -> Named:
    """Keep those that are headline metrics (section 10)."""
    return {name: (m, at) for name, (m, at) in among.items() if at in m.headline}


def per_criterion(settings: Settings) -> list[str]:
    """Return the names of those that are owed per criterion (section 9)."""
    return [name for name, (m, at) in named(settings).items() if at in m.per_criterion]


def values(seen: Shape, metrics: Named) -> dict[str, Value]:
    """Return every metric asked for of one query."""
    return {name: metric.of(seen, value) for name, (metric, value) in metrics.items()}
