"""Bootstrap intervals of the headline metrics (section 10).

Exactness: a sampled resample is made of really replicated rows, and every metric is computed on
them as on the data itself, exactly. The interval is then derived from the replicates that were
handed in, which are floats and so fractions: percentiles interpolate between two of them exactly;
the shares of BCa are decimals of 50 digits (`normal`). An end is rounded once.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from reference import aggregate, ledger, multilabel, normal, ranking
from reference.errors import MismatchError, Problem
from reference.study import NEEDS
from reference.values import Value, as_decimal, high_precision, root

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from decimal import Decimal

    from reference.multilabel import Post
    from reference.study import Query, Study

    Counts = Sequence[int]

# The slices of intervals beside `all`; `folds` is derived.
SLICES = ("fold", "criterion")
LOW, HIGH = Fraction(1, 40), Fraction(39, 40)
SAME = 1e-12


@dataclass(frozen=True)
class Headline:
    """What the headline metrics of a study need, worked out once for all resamples."""

    study: Study
    families: frozenset[str]
    table: ranking.Table

    def __call__(self, rows: Sequence[Query], posts: Sequence[Post] | None) -> dict[str, Value]:
        """Return the base keys on slices `all`, `fold`, `criterion` and `folds`."""
        found: dict[str, Value] = {}
        for kinds, measure in self._measures():
            for name, some in self.study.slices(kinds, rows):
                for metric, population, statistic, value in measure(some):
                    key = f"{metric}|{population}|{name}|{statistic}"
                    found[key] = aggregate.as_value(value)
        for name, members in self._by_fold(posts).items():
            for metric, value in multilabel.score(members).items():
                found[f"{metric}|posts|{name}|value"] = value
        means = aggregate.over_folds(found, self.study.folds)
        return found | {key: value for key, value in means.items() if key.endswith("|mean")}

    def _measures(self) -> Iterator[tuple[Sequence[str], ledger.Measure]]:
        """Yield the slices and the measure of every family with headline metrics, posts apart."""
        if "ranking" in self.families:
            yield SLICES, self._ranking
        for family in ledger.FAMILIES:
            if family.headline and family.name in self.families:
                kinds = [kind for kind in SLICES if kind in family.slices.split()]
                yield kinds, partial(self._headline, family)

    def _ranking(self, rows: Sequence[Query]) -> ledger.Entries:
        return ranking.measure(rows, self.table, ("mean",), ("positives_only",))

    def _headline(self, family: ledger.Family, rows: Sequence[Query]) -> ledger.Entries:
        for entry in family.measure(rows, self.study):
            metric, _, statistic, _ = entry
            base, at, _ = metric.partition("@")
            headline = metric in family.headline or base + at in family.headline
            if headline and statistic in {"mean", "value"}:
                yield entry

    def _by_fold(self, posts: Sequence[Post] | None) -> dict[str, list[Post]]:
        if posts is None:
            return {}
        folds = {f"fold={fold}": [p for p in posts if p.fold == fold] for fold in self.study.folds}
        return {"all": list(posts), **folds}

    def posts(self, rows: Sequence[Query]) -> list[Post] | None:
        """Return the posts of these rows, if section 8 is owed."""
        return multilabel.posts_of(rows) if "per_post" in self.families else None

    def resample(
        self, rows: Sequence[Query], unit: str, places: Sequence[int], counts: Counts
    ) -> dict[str, Value]:
        """Compute a resample from really replicated rows; section 8 for unit `post` only.

        `places` says which unit each row belongs to.
        """
        if len(counts) != max(places) + 1:
            what = f"the plan counts {len(counts)} units of {unit}, the data has {max(places) + 1}"
            raise MismatchError([Problem(what, "Make the plan for this data and these settings")])
        posts = self.posts(rows) if unit == "post" else None
        if posts is not None:
            posts = [post for post, n in zip(posts, counts, strict=True) for _ in range(n)]
        drawn = [q for q, place in zip(rows, places, strict=True) for _ in range(counts[place])]
        return self(drawn, posts)


def headline(study: Study, *others: Study) -> Headline:
    """Prepare a study. Rows of `others` may be swapped in: only what these too suffice for."""
    studies = (study, *others)
    families = frozenset(f for f in NEEDS if all(each.has(f) for each in studies))
    queries = [query for each in studies for query in each.queries]
    return Headline(study, families, ranking.table(queries, ranking.headline(study.settings)))


def units(study: Study) -> dict[str, list[int]]:
    """Return the unit of each query, numbered in the order of first rows: by post, by query."""
    found = {"query": list(range(len(study.queries)))}
    if study.has("posts"):
        numbers: dict[tuple[int | None, str | None], int] = {}
        of = [numbers.setdefault((q.fold, q.post), len(numbers)) for q in study.queries]
        found = {"post": of, **found}
    return found


def intervals(
    study: Study,
    plan: Mapping[str, Any],
    replicates: Mapping[str, Mapping[str, Any]],
    jackknife: Mapping[str, Mapping[str, Any]],
    sample: Mapping[str, Mapping[str, Sequence[int]]],
) -> dict[str, Any]:
    """Answer `intervals` (docs/interface.md)."""
    prepared = headline(study)
    whole = prepared(study.queries, prepared.posts(study.queries))
    answer: dict[str, Any] = {"ledger": {}, "flags": [], "recomputed": {}}
    for unit, places in units(study).items():
        chosen = sample.get(unit, {})
        drawn = {b: plan[unit][b] for b in chosen.get("replicates", ())}
        deleted = {u: _all_but(u, max(places) + 1) for u in chosen.get("jackknife", ())}
        answer["recomputed"][unit] = {
            "replicates": _recomputed(prepared, unit, places, drawn),
            "jackknife": _recomputed(prepared, unit, places, deleted),
        }
        if not replicates.get(unit):
            continue
        owed = [key for key in whole if unit == "post" or "|posts|" not in key]
        _check_given(owed, unit, replicates[unit], jackknife.get(unit, {}))
        for key in owed:
            name, theta = key.rpartition("|")[0], float(whole[key])
            ordered = sorted(floats(replicates[unit][key]))
            percentile = (quantile(ordered, LOW), quantile(ordered, HIGH))
            bca = bias_corrected(theta, ordered, floats(jackknife[unit][key]))
            for method, ends in (("percentile", percentile), ("bca", bca or percentile)):
                for end, value in zip(("ci_low", "ci_high"), ends, strict=True):
                    answer["ledger"][f"{name}|{end}/{unit}/{method}"] = value
            if bca is None:
                answer["flags"] += [f"{name}|{end}/{unit}/bca" for end in ("ci_low", "ci_high")]
    return answer


def _recomputed(
    prepared: Headline, unit: str, places: Sequence[int], drawn: Mapping[int, Counts]
) -> dict[str, dict[int, float]]:
    found: dict[str, dict[int, float]] = {}
    for number, counts in drawn.items():
        values = prepared.resample(prepared.study.queries, unit, places, counts)
        for key, value in values.items():
            found.setdefault(key, {})[number] = float(value)
    return found


def _all_but(unit: int, count: int) -> list[int]:
    return [int(place != unit) for place in range(count)]


def _check_given(owed: Sequence[str], unit: str, *given: Mapping[str, Any]) -> None:
    problems = [
        Problem(f"no {kind} for {key} by {unit}", "Hand in the values of every headline base key")
        for kind, values in zip(("replicates", "jackknife values"), given, strict=True)
        for key in owed
        if key not in values
    ]
    if problems:
        raise MismatchError(problems)


def floats(values: Any) -> list[float]:  # noqa: ANN401 - a list, or an array that can become one
    """Return plain floats."""
    return list(values.tolist() if hasattr(values, "tolist") else values)


def quantile(ordered: Sequence[float], share: Fraction) -> float:
    """Interpolate linearly at position (n − 1)·share."""
    position = (len(ordered) - 1) * share
    below = math.floor(position)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    return float(Fraction(low) + (Fraction(high) - Fraction(low)) * (position - below))


def bias_corrected(
    theta: float, ordered: Sequence[float], jackknife: Sequence[float]
) -> tuple[float, float] | None:
    """Return the BCa interval, or None where z0 or the acceleration is undefined."""
    below = bisect_left(ordered, theta - SAME) + bisect_right(ordered, theta + SAME)
    share = Fraction(below, 2 * len(ordered))
    if not 0 < share < 1 or max(jackknife) - min(jackknife) <= SAME:
        return None
    ends = []
    with high_precision():
        bias, bend = normal.inverse(share), acceleration(jackknife)
        for level in (LOW, HIGH):
            reach = bias + normal.inverse(level)
            if bend * reach >= 1:
                return None
            shifted = normal.below(bias + reach / (1 - bend * reach))
            ends.append(quantile(ordered, Fraction(shifted)))
    return ends[0], ends[1]


def acceleration(jackknife: Sequence[float]) -> Decimal:
    """Return Σ(θ̄ − θᵢ)³ / (6·(Σ(θ̄ − θᵢ)²)^³ᐟ²), of values that are not all the same.

    The values are brought to one scale on which they and n·(θ̄ − θᵢ) are integers; it cancels out.
    """
    counted = [(*v.as_integer_ratio(), n) for v, n in Counter(jackknife).items()]
    common = max(below for _, below, _ in counted)  # powers of two
    scaled = [(above * (common // below), n) for above, below, n in counted]
    whole = sum(value * n for value, n in scaled)
    apart = [(whole - value * len(jackknife), n) for value, n in scaled]
    squares = sum(value * value * n for value, n in apart)
    cubes = sum(value * value * value * n for value, n in apart)
    return cubes / (6 * squares * as_decimal(root(Fraction(squares))))
