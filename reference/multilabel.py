"""Posts with one label per criterion (section 8).

Exactness: matches, true and false positives are counted; every value is a fraction of counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reference.aggregate import mean
from reference.values import ZERO, Value, ratio, total

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reference.study import Query, Study

METRICS = (
    "exact_match", "hamming_score", "hamming_loss", "f1_micro", "f1_macro/per_criterion",
    "f1_macro/per_post", "f1_weighted/per_criterion", "f1_weighted/per_post",
)  # fmt: skip
Cells = list[tuple[int, int]]


@dataclass(frozen=True)
class Post:
    """One row of the two matrices: (label, decision) for each criterion, in one fixed order.

    `first` is the place of its first row among those it was gathered from.
    """

    seed: str | None
    fold: int | None
    first: int
    cells: Cells


def posts_of(rows: Iterable[Query]) -> list[Post]:
    """Gather the queries of each (seed, fold, post), in the order of their first row."""
    gathered: dict[tuple[str | None, int | None, str | None], dict[str, tuple[int, int]]] = {}
    first: dict[tuple[str | None, int | None, str | None], int] = {}
    for place, query in enumerate(rows):
        post = (query.seed, query.fold, query.post)
        decided = (query.label or 0, query.pred or 0)
        gathered.setdefault(post, {})[str(query.criterion)] = decided
        first.setdefault(post, place)
    return [
        Post(post[0], post[1], first[post], [cells[criterion] for criterion in sorted(cells)])
        for post, cells in gathered.items()
    ]


def f1(cells: Iterable[tuple[int, int]]) -> Value:
    """2·TP / (2·TP + FP + FN); no positive and none predicted: 0."""
    both = either = 0
    for label, decision in cells:
        both += label & decision
        either += label + decision
    return ratio(2 * both, either)


def score(posts: Sequence[Post]) -> dict[str, Value]:
    """Return every metric of section 8; without posts, 0."""
    if not posts:
        return dict.fromkeys(METRICS, ZERO)
    by_post = [post.cells for post in posts]
    by_criterion = [list(column) for column in zip(*by_post, strict=True)]
    every = [cell for cells in by_post for cell in cells]
    agree = [sum(label == decision for label, decision in cells) for cells in by_post]
    hamming = ratio(sum(agree), len(every))
    found = (
        ratio(sum(n == len(by_criterion) for n in agree), len(posts)),
        hamming,
        1 - hamming,
        f1(every),
        mean([f1(cells) for cells in by_criterion]),
        mean([f1(cells) for cells in by_post]),
        _weighted(by_criterion),
        _weighted(by_post),
    )
    return dict(zip(METRICS, found, strict=True))


def _weighted(groups: Sequence[Cells]) -> Value:
    """Weigh each group's F1 by its positives."""
    weights = [sum(label for label, _ in cells) for cells in groups]
    terms = [weight * f1(cells) for weight, cells in zip(weights, groups, strict=True)]
    return ratio(total(terms), sum(weights))


def per_post(rows: Sequence[Query], _study: Study) -> Iterator[tuple[str, str, str, Value]]:
    """Yield section 8 for the posts of these rows."""
    for metric, value in score(posts_of(rows)).items():
        yield metric, "posts", "value", value
