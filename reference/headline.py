"""The headline metrics of a study (section 10): of its rows, of a resample, of swapped rows.

Exactness: a resample is made of really replicated rows, and every metric is computed on them as on
the data itself, exactly. What does not depend on what is drawn is worked out once: the order of
the rows, the posts, and the values of every kind of ranking.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from reference import aggregate, ledger, multilabel, ranking, tallies
from reference.calibration import NOTHING
from reference.study import NEEDS, escaped
from reference.values import ZERO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from reference.multilabel import Post
    from reference.study import Query, Study
    from reference.values import Exact, Value

    Measured = tuple[Sequence[str], ledger.Measure]

Row = TypeVar("Row")
Entry = TypeVar("Entry")
# The slices of intervals beside `all`; `folds` and `seeds` are derived.
SLICES = ("fold", "criterion", "declared")
# Those of unit `seed`.
OF_SEEDS = ("all", "seeds")
# So many answers are kept of each study.
MOST_KEPT = 8


@dataclass(frozen=True)
class Draw:
    """How often each row is drawn; whether whole posts are; how often each seed is, if at all."""

    weights: Sequence[int]
    of_posts: bool
    times: Mapping[str, int] | None = None


@dataclass(frozen=True)
class Headline:
    """What the headline metrics of a study need, worked out once for all resamples.

    `rows` are its queries as the units of a plan are numbered, which in a comparison are those of
    the baseline. Metrics are those of the `families` and of the table, on `all`, on the slices of
    these kinds, and by seed if they are `seeded`.
    """

    study: Study
    rows: Sequence[Query]
    families: frozenset[str]
    table: tallies.Table
    kinds: tuple[str, ...] = SLICES
    seeded: bool = True

    @cached_property
    def whole(self) -> dict[str, Exact]:
        """Every headline metric of the data itself."""
        return self._once("whole", lambda: self.of(self.rows))

    def of(self, rows: Sequence[Query]) -> dict[str, Exact]:
        """Return every headline metric of rows, of this study or of several."""
        ordered = [rows[place] for place in _by_score(rows)]
        return self._all(ordered, self._posts_of(rows))

    def resample(self, draw: Draw) -> dict[str, Exact]:
        """Compute a resample from really replicated rows; section 8 not for unit `query`."""
        in_file = tuple([draw.weights[place] for place in self._file_order])
        times = None if draw.times is None else tuple(draw.times.items())
        return self._once((in_file, draw.of_posts, times), lambda: self._resampled(draw))

    def _once(self, asked: object, answer: Callable[[], dict[str, Exact]]) -> dict[str, Exact]:
        """Answer what this study was not asked before, about the same metrics, in some pairing."""
        of = (self.families, self.kinds, self.seeded, *self.table.alike)
        kept, question = self.study.kept, (of, asked)
        if question not in kept:
            while len(kept) >= MOST_KEPT:
                del kept[next(iter(kept))]
            kept[question] = answer()
        return dict(kept[question])

    def _resampled(self, draw: Draw) -> dict[str, Exact]:
        rows, weights = self.rows, draw.weights
        posts = self._posts if draw.of_posts else None
        if posts is not None:
            posts = [post for post in posts for _ in range(weights[post.first])]
        drawn = [rows[place] for place in self._order for _ in range(weights[place])]
        found = self._all(drawn, posts, draw.times)
        if draw.times is None:
            return found
        return {key: value for key, value in found.items() if taken_apart(key)[1] in OF_SEEDS}

    @cached_property
    def _order(self) -> list[int]:
        return _by_score(self.rows)

    @cached_property
    def _file_order(self) -> list[int]:
        return _in_file(self.rows)

    @cached_property
    def _posts(self) -> list[Post] | None:
        return self._posts_of(self.rows)

    def _posts_of(self, rows: Sequence[Query]) -> list[Post] | None:
        """Return the posts of these rows, if section 8 is owed."""
        return multilabel.posts_of(rows) if "per_post" in self.families else None

    def _all(
        self,
        rows: Sequence[Query],
        posts: Sequence[Post] | None,
        times: Mapping[str, int] | None = None,
    ) -> dict[str, Exact]:
        """Return the base keys on `all`, its parts, `folds`, every seed and `seeds`.

        `times` says how often each seed was drawn; once, where seeds are not.
        """
        found = self._measured(rows, posts, self.kinds, self.study.folds)
        drawn: dict[str, list[Exact]] = {}
        for seed in self.study.seeds if self.seeded else ():
            own = [query for query in rows if query.seed == seed]
            own_posts = None if posts is None else [post for post in posts if post.seed == seed]
            folds = self.study.of_seed(seed).folds
            for key, value in self._measured(own, own_posts, ("fold",), folds).items():
                name, where, statistic = taken_apart(key)
                if where == "all":
                    found[f"{name}|seed={escaped(seed)}|{statistic}"] = value
                if where == ("folds" if folds else "all"):
                    again = 1 if times is None else times[seed]
                    drawn.setdefault(f"{name}|seeds|mean", []).extend([value] * again)
        return found | {
            key: aggregate.over(values, ("mean",))["mean"] if values else ZERO
            for key, values in drawn.items()
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
        parts = cache(lambda kind: list(self.study.slices([kind], rows))[1:])
        for kinds, measure in self._measures:
            among = [parts(kind) for kind in kinds if kind in only]
            for name, some in chain([("all", rows)], *among):
                for metric, population, statistic, value in self._found(measure, name, some):
                    key = f"{metric}|{population}|{name}|{statistic}"
                    found[key] = aggregate.as_number(value)
        for name, members in _by_fold(posts, folds).items():
            for metric, value in self._found(_of_posts, name, members):
                found[f"{metric}|posts|{name}|value"] = value
        return found | aggregate.over_folds(found, folds, ("mean",))

    def _found(
        self, measure: Callable[[Sequence[Row]], Iterable[Entry]], name: str, rows: Sequence[Row]
    ) -> Iterable[Entry]:
        """Measure a slice; of the data themselves once, as a deletion leaves most of them alone."""
        found: Iterable[Entry]
        first, found = self._found_first.get((measure, name), (None, ()))
        if rows != first:
            found = list(measure(rows))
            self._found_first.setdefault((measure, name), (rows, found))
        return found

    @cached_property
    def _found_first(self) -> dict[tuple[object, str], tuple[Any, Any]]:
        """The rows of each slice that were measured first, and what was found."""
        return {}

    @cached_property
    def _measures(self) -> list[Measured]:
        return list(self._families())

    def _families(self) -> Iterator[Measured]:
        """Yield the slices and the measure of every family with headline metrics, posts apart."""
        if self.table.columns:
            yield _slices(SLICES), self._ranking
        for family in ledger.FAMILIES:
            if family.headline and family.name in self.families:
                yield _slices(family.slices.split()), partial(self._headline, family)

    def _ranking(self, rows: Sequence[Query]) -> ledger.Entries:
        return tallies.measure(rows, self.table, ("mean",), ("positives_only",))

    def _headline(self, family: ledger.Family, rows: Sequence[Query]) -> ledger.Entries:
        for entry in (family.brief or family.measure)(rows, self.study):
            metric, _, statistic, _ = entry
            base, at, _ = metric.partition("@")
            headline = metric in family.headline or base + at in family.headline
            if headline and statistic in {"mean", "value"}:
                yield entry


def headline(
    study: Study,
    *others: Study,
    rows: Sequence[Query] | None = None,
    keys: Sequence[str] | None = None,
) -> Headline:
    """Prepare a study. Rows of `others` may be swapped in: only what these too suffice for.

    Of a few base keys little more than these is measured.
    """
    studies = (study, *others)
    there = frozenset(f for f in NEEDS if all(each.has(f) for each in studies))
    among = ranking.headline(ranking.named(study.settings, there, study.grade_max))
    asked = _asked(keys)
    metrics = {name: metric for name, metric in among.items() if asked(name)}
    queries = [query for each in studies for query in each.queries] if metrics else []
    names = {f.name: f.headline for f in ledger.FAMILIES if f.headline} | {"per_post": ("posts",)}
    words = {
        "fold": ("fold", "folds"),
        "criterion": ("criterion",),
        "declared": study.settings.slices,
    }
    return Headline(
        study,
        study.queries if rows is None else rows,
        frozenset(family for family in names if family in there and asked(*names[family])),
        tallies.table(queries, metrics),
        tuple([kind for kind in SLICES if asked(*words[kind])]),
        asked("seed", "seeds"),
    )


def _asked(keys: Sequence[str] | None) -> Callable[..., bool]:
    """Return what says whether keys have one of some words in them; without keys, they have."""
    if keys is None:
        return lambda *_: True
    parts = {part for key in keys for part in key.split("|")}
    families = {f"{part.partition('@')[0]}@" for part in parts}
    words = {*parts, *families, *(part.partition("=")[0] for part in parts)}
    return lambda *some: not words.isdisjoint(some)


def _by_score(rows: Sequence[Query]) -> list[int]:
    """Return the places of the rows by ascending score, equals in file order.

    What is replicated in this order is in order, and so is every slice of it.
    """
    return sorted(_in_file(rows), key=[query.score or NOTHING for query in rows].__getitem__)


def _in_file(rows: Sequence[Query]) -> list[int]:
    """Return the places of the rows in file order."""
    return sorted(range(len(rows)), key=[query.row for query in rows].__getitem__)


def _slices(kinds: Sequence[str]) -> tuple[str, ...]:
    """Keep the kinds that intervals have; with criteria come the declared slices."""
    among = [kind for kind in SLICES if kind in kinds]
    return tuple([kind for kind in among if kind != "declared" or "criterion" not in among])


def _of_posts(posts: Sequence[Post]) -> Iterable[tuple[str, Value]]:
    return multilabel.score(posts).items()


def _by_fold(posts: Sequence[Post] | None, folds: Sequence[int]) -> dict[str, list[Post]]:
    if posts is None:
        return {}
    parts = {f"fold={fold}": [p for p in posts if p.fold == fold] for fold in folds}
    return {"all": list(posts), **parts}


def taken_apart(key: str) -> tuple[str, str, str]:
    """Return metric and population, slice, and statistic."""
    metric, population, where, statistic = key.split("|")
    return f"{metric}|{population}", where, statistic
