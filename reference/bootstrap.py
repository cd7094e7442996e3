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

from reference import aggregate, ledger, multilabel, normal, ranking, tallies
from reference.errors import MismatchError, Problem
from reference.study import NEEDS, escaped
from reference.values import ZERO, as_decimal, high_precision, root

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from decimal import Decimal

    from reference.multilabel import Post
    from reference.study import Query, Study
    from reference.values import Exact

    Counts = Sequence[int]

# The slices of intervals beside `all`; `folds` and `seeds` are derived.
SLICES = ("fold", "criterion", "declared")
# Those of unit `seed`.
OF_SEEDS = ("all", "seeds")
ENDS = ("ci_low", "ci_high")
LOW, HIGH = Fraction(1, 40), Fraction(39, 40)
SAME = 1e-12


@dataclass(frozen=True)
class Headline:
    """What the headline metrics of a study need, worked out once for all resamples."""

    study: Study
    families: frozenset[str]
    table: tallies.Table

    def __call__(
        self,
        rows: Sequence[Query],
        posts: Sequence[Post] | None,
        times: Mapping[str, int] | None = None,
    ) -> dict[str, Exact]:
        """Return the base keys on `all`, its parts, `folds`, every seed and `seeds`.

        `times` says how often each seed was drawn; once, where seeds are not.
        """
        found = self._measured(rows, posts, SLICES, self.study.folds)
        drawn: dict[str, list[Exact]] = {}
        for seed in self.study.seeds:
            own = [query for query in rows if query.seed == seed]
            own_posts = None if posts is None else [post for post in posts if post.seed == seed]
            folds = self.study.of_seed(seed).folds
            for key, value in self._measured(own, own_posts, ("fold",), folds).items():
                name, where, statistic = _taken_apart(key)
                if where == "all":
                    found[f"{name}|seed={escaped(seed)}|{statistic}"] = value
                if where == ("folds" if folds else "all"):
                    again = 1 if times is None else times[seed]
                    drawn.setdefault(f"{name}|seeds|mean", []).extend([value] * again)
        return found | {
            key: aggregate.over(values)["mean"] if values else ZERO for key, values in drawn.items()
        }

    def _measured(
        self,
        rows: Sequence[Query],
        posts: Sequence[Post] | None,
        only: Sequence[str],
        folds: Sequence[int],
    ) -> dict[str, Exact]:
        """Return the base keys on slices of these kinds, and over folds."""
        found: dict[str, Exact] = {}
        for kinds, measure in self._measures():
            for name, some in self.study.slices([k for k in kinds if k in only], rows):
                for metric, population, statistic, value in measure(some):
                    key = f"{metric}|{population}|{name}|{statistic}"
                    found[key] = aggregate.as_number(value)
        for name, members in _by_fold(posts, folds).items():
            for metric, value in multilabel.score(members).items():
                found[f"{metric}|posts|{name}|value"] = value
        means = aggregate.over_folds(found, folds)
        return found | {key: value for key, value in means.items() if key.endswith("|mean")}

    def _measures(self) -> Iterator[tuple[Sequence[str], ledger.Measure]]:
        """Yield the slices and the measure of every family with headline metrics, posts apart."""
        if self.table.columns:
            yield SLICES, self._ranking
        for family in ledger.FAMILIES:
            if family.headline and family.name in self.families:
                kinds = [kind for kind in SLICES if kind in family.slices.split()]
                yield kinds, partial(self._headline, family)

    def _ranking(self, rows: Sequence[Query]) -> ledger.Entries:
        return tallies.measure(rows, self.table, ("mean",), ("positives_only",))

    def _headline(self, family: ledger.Family, rows: Sequence[Query]) -> ledger.Entries:
        for entry in family.measure(rows, self.study):
            metric, _, statistic, _ = entry
            base, at, _ = metric.partition("@")
            headline = metric in family.headline or base + at in family.headline
            if headline and statistic in {"mean", "value"}:
                yield entry

    def posts(self, rows: Sequence[Query]) -> list[Post] | None:
        """Return the posts of these rows, if section 8 is owed."""
        return multilabel.posts_of(rows) if "per_post" in self.families else None

    def resample(self, rows: Sequence[Query], draw: Draw) -> dict[str, Exact]:
        """Compute a resample from really replicated rows; section 8 not for unit `query`."""
        posts = self.posts(rows) if draw.of_posts else None
        if posts is not None:
            posts = [post for post in posts for _ in range(draw.weights[post.first])]
        drawn = [q for q, n in zip(rows, draw.weights, strict=True) for _ in range(n)]
        found = self(drawn, posts, draw.times)
        if draw.times is None:
            return found
        return {key: value for key, value in found.items() if _taken_apart(key)[1] in OF_SEEDS}


def _by_fold(posts: Sequence[Post] | None, folds: Sequence[int]) -> dict[str, list[Post]]:
    if posts is None:
        return {}
    parts = {f"fold={fold}": [p for p in posts if p.fold == fold] for fold in folds}
    return {"all": list(posts), **parts}


def _taken_apart(key: str) -> tuple[str, str, str]:
    """Return metric and population, slice, and statistic."""
    metric, population, where, statistic = key.split("|")
    return f"{metric}|{population}", where, statistic


def headline(study: Study, *others: Study) -> Headline:
    """Prepare a study. Rows of `others` may be swapped in: only what these too suffice for."""
    studies = (study, *others)
    families = frozenset(f for f in NEEDS if all(each.has(f) for each in studies))
    queries = [query for each in studies for query in each.queries]
    among = ranking.named(study.settings, families, study.grade_max)
    return Headline(study, families, tallies.table(queries, ranking.headline(among)))


@dataclass(frozen=True)
class Draw:
    """How often each row is drawn; whether whole posts are; how often each seed is, if at all."""

    weights: Sequence[int]
    of_posts: bool
    times: Mapping[str, int] | None = None


def units(study: Study) -> dict[str, list[int]]:
    """Return the unit of each query, numbered in the order of first rows: by post, by query.

    With seeds, a unit is the same post, or the same query, in every seed and fold.
    """
    seeded = bool(study.seeds)
    queries = [q.key if seeded else place for place, q in enumerate(study.queries)]
    found = {"query": _numbered(queries)}
    if study.has("posts"):
        posts = [q.post if seeded else (q.fold, q.post) for q in study.queries]
        found = {"post": _numbered(posts), **found}
    if len(study.seeds) > 1:
        found["seed"] = found.get("post", found["query"])
    return found


def _numbered(names: Sequence[object]) -> list[int]:
    numbers: dict[object, int] = {}
    return [numbers.setdefault(name, len(numbers)) for name in names]


def drawn(study: Study, unit: str, plan: Any, number: int) -> Draw:  # noqa: ANN401 - see the door
    """Return what one resample of the plan draws."""
    places = units(study)[unit]
    if unit != "seed":
        weights = _weights(unit, plan[number], places)
        return Draw(weights, of_posts=unit == "post")
    seeds = study.seeds
    weights = _weights("post" if study.has("posts") else "query", plan["units"][number], places)
    of_seeds = [seeds.index(query.seed or "") for query in study.queries]
    again = _weights("seed", plan["seeds"][number], of_seeds)
    both = [a * b for a, b in zip(weights, again, strict=True)]
    times = dict(zip(seeds, map(int, plan["seeds"][number]), strict=True))
    return Draw(both, of_posts=study.has("posts"), times=times)


def _weights(unit: str, counts: Counts, places: Sequence[int]) -> list[int]:
    """Say how often each row is drawn, whose unit stands at its place."""
    if len(counts) != max(places) + 1:
        what = f"the plan counts {len(counts)} units of {unit}, the data has {max(places) + 1}"
        raise MismatchError([Problem(what, "Make the plan for this data and these settings")])
    return [int(counts[place]) for place in places]


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
        given = {b: drawn(study, unit, plan[unit], b) for b in chosen.get("replicates", ())}
        answer["recomputed"][unit] = {"replicates": _recomputed(prepared, given)}
        if unit != "seed":
            without = {u: [_all_but(u, max(places) + 1)] for u in chosen.get("jackknife", ())}
            left = {u: drawn(study, unit, counts, 0) for u, counts in without.items()}
            answer["recomputed"][unit]["jackknife"] = _recomputed(prepared, left)
        if replicates.get(unit):
            owed = [key for key in whole if _is_owed(study, key, unit)]
            leaving = None if unit == "seed" else jackknife.get(unit, {})
            _check_given(owed, unit, replicates[unit], leaving)
            for key in owed:
                _note(answer, key, unit, float(whole[key]), replicates[unit], leaving)
    return answer


def _is_owed(study: Study, key: str, unit: str) -> bool:
    """Whether a base key has intervals for a unit: section 8 has none by query."""
    name, where, _ = _taken_apart(key)
    if unit == "seed" and where not in OF_SEEDS:
        return False
    return not name.endswith("|posts") or unit == "post" or (unit == "seed" and study.has("posts"))


def _note(  # noqa: PLR0917 - all of them are its own
    answer: dict[str, Any],
    key: str,
    unit: str,
    theta: float,
    replicates: Mapping[str, Any],
    jackknife: Mapping[str, Any] | None,
) -> None:
    """Derive the intervals of one base key."""
    name = key.rpartition("|")[0]
    ordered = sorted(floats(replicates[key]))
    percentile = (quantile(ordered, LOW), quantile(ordered, HIGH))
    found = {"percentile": percentile}
    if jackknife is not None:
        bca = bias_corrected(theta, ordered, floats(jackknife[key]))
        found["bca"] = bca or percentile
        if bca is None:
            answer["flags"] += [f"{name}|{end}/{unit}/bca" for end in ENDS]
    for method, ends in found.items():
        for end, value in zip(ENDS, ends, strict=True):
            answer["ledger"][f"{name}|{end}/{unit}/{method}"] = value


def _recomputed(prepared: Headline, given: Mapping[int, Draw]) -> dict[str, dict[int, float]]:
    found: dict[str, dict[int, float]] = {}
    for number, draw in given.items():
        for key, value in prepared.resample(prepared.study.queries, draw).items():
            found.setdefault(key, {})[number] = float(value)
    return found


def _all_but(unit: int, count: int) -> list[int]:
    return [int(place != unit) for place in range(count)]


def _check_given(owed: Sequence[str], unit: str, *given: Mapping[str, Any] | None) -> None:
    problems = [
        Problem(f"no {kind} for {key} by {unit}", "Hand in the values of every headline base key")
        for kind, values in zip(("replicates", "jackknife values"), given, strict=True)
        if values is not None
        for key in owed
        if key not in values
    ]
    if problems:
        raise MismatchError(problems)


def floats(values: Any) -> list[float]:  # noqa: ANN401 - a list, or an array that can become one
    """Return plain floats."""
    return list(values.tolist() if hasattr(values, "tolist") else values)


def quantile(ordered: Sequence[float], share: Fraction) -> float:
    """Interpolate linearly at position (n − 1)·share; towards `inf`, it is `inf`."""
    position = (len(ordered) - 1) * share
    below = math.floor(position)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    if position == below or math.inf in {low, high}:
        return low if position == below else math.inf
    return float(Fraction(low) + (Fraction(high) - Fraction(low)) * (position - below))


def bias_corrected(
    theta: float, ordered: Sequence[float], jackknife: Sequence[float]
) -> tuple[float, float] | None:
    """Return the BCa interval, or None where z0 or the acceleration is undefined, or any `inf`."""
    if math.inf in {theta, ordered[-1], *jackknife}:
        return None
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
