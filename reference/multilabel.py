"""Posts with one label per criterion (section 8).

Exactness: matches, true and false positives are counted; every value is a fraction of counts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from reference.values import ZERO, Value, counted_total, ratio

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reference.study import Query, Study

METRICS = (
    "exact_match", "hamming_score", "hamming_loss", "f1_micro", "f1_macro/per_criterion",
    "f1_macro/per_post", "f1_weighted/per_criterion", "f1_weighted/per_post",
)  # fmt: skip
Cell = tuple[int, int]


@dataclass(frozen=True)
class Post:
    """One row of the two matrices: (label, decision) for each criterion, in one fixed order.

    `first` is the place of its first row among those it was gathered from.
    """

    seed: str | None
    fold: int | None
    first: int
    cells: tuple[Cell, ...]


def posts_of(rows: Iterable[Query]) -> list[Post]:
    """Gather the queries of each (seed, fold, post), in the order of their first row."""
    gathered: dict[tuple[str | None, int | None, str | None], list[tuple[str, int, Cell]]] = {}
    for place, query in enumerate(rows):
        decided = (query.label or 0, query.pred or 0)
        post = (query.seed, query.fold, query.post)
        gathered.setdefault(post, []).append((str(query.criterion), place, decided))
    return [
        Post(seed, fold, cells[0][1], tuple([cell for _, _, cell in sorted(cells)]))
        for (seed, fold, _), cells in gathered.items()
    ]


class Group(NamedTuple):
    """The labels of a post or of a criterion: true positives, positives, predicted ones."""

    both: int
    positives: int
    predicted: int

    @property
    def f1(self) -> Value:
        """2·TP / (2·TP + FP + FN); no positive and none predicted: 0."""
        return ratio(2 * self.both, self.positives + self.predicted)


def group(cells: Iterable[Cell], counts: Iterable[int]) -> Group:
    """Count labels, each of which is there so many times."""
    both = positives = predicted = 0
    for (label, decision), count in zip(cells, counts, strict=False):
        both += count * (label & decision)
        positives += count * label
        predicted += count * decision
    return Group(both, positives, predicted)


def score(posts: Sequence[Post]) -> dict[str, Value]:
    """Return every metric of section 8; without posts, 0."""
    if not posts:
        return dict.fromkeys(METRICS, ZERO)
    alike = Counter([post.cells for post in posts])
    counts = list(alike.values())
    by_post = [group(cells, repeat(1)) for cells in alike]
    by_criterion = [group(cells, counts) for cells in zip(*alike, strict=True)]
    width, once = len(by_criterion), [1] * len(by_criterion)
    agree = [(sum(label == decision for label, decision in cells), n) for cells, n in alike.items()]
    hamming = ratio(sum(same * n for same, n in agree), width * len(posts))
    found = (
        ratio(sum(n for same, n in agree if same == width), len(posts)),
        hamming,
        1 - hamming,
        Group(*(sum(side) for side in zip(*by_criterion, strict=True))).f1,
        _mean(by_criterion, once),
        _mean(by_post, counts),
        _weighted(by_criterion, once),
        _weighted(by_post, counts),
    )
    return dict(zip(METRICS, found, strict=True))


def _mean(groups: Sequence[Group], counts: Sequence[int]) -> Value:
    return counted_total([each.f1 for each in groups], counts) / sum(counts)


def _weighted(groups: Sequence[Group], counts: Sequence[int]) -> Value:
    """Weigh each group's F1 by its positives."""
    weights = [each.positives * n for each, n in zip(groups, counts, strict=True)]
    return ratio(counted_total([each.f1 for each in groups], weights), sum(weights))


def per_post(rows: Sequence[Query], _study: Study) -> Iterator[tuple[str, str, str, Value]]:
    """Yield section 8 for the posts of these rows."""
    for metric, value in score(posts_of(rows)).items():
        yield metric, "posts", "value", value
