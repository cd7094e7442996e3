"""Posts, their sentences, who met which criterion, and the gold sentences that say so.

Posts are numbered in the order of the files, fold after fold; arrays are posts × criteria
(× sentences).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from crosscheck.study import draws
from crosscheck.study.profile import (
    AWKWARD_POST_IDS,
    CRITERIA,
    FOLD_POSTS,
    MAX_CANDIDATES,
    MAX_SENTENCES,
    POSTS,
    TUNE_POSTS,
)

if TYPE_CHECKING:
    from crosscheck.study.draws import Booleans, Integers

# Of a thousand queries with evidence, so many have one, two, … six gold sentences.
_GOLD_SIZES: Final = (880, 66, 26, 14, 8, 6)
# One post in twenty has only one to three sentences.
_SHORT_POST: Final = 20


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is true of the posts, before any system has looked at them."""

    post_ids: list[str]
    fold: Integers
    candidates: Integers  # sentences of the post that are ranked
    label: Booleans  # posts × criteria
    gold: Booleans  # posts × criteria × sentences
    tune: list[Integers]  # for each fold, the posts of other folds that tune it


@cache
def corpus() -> Corpus:
    """Build the corpus; it is the same every time."""
    fold = np.repeat(np.arange(len(FOLD_POSTS)), FOLD_POSTS)
    sentences = _sentences()
    label = _labels()
    return Corpus(
        post_ids=_post_ids(),
        fold=fold,
        candidates=np.minimum(sentences, MAX_CANDIDATES),
        label=label,
        gold=_gold(sentences, label),
        tune=[_tune_posts(fold, number) for number in range(len(FOLD_POSTS))],
    )


def tune_labels(posts: Corpus, number: int) -> Booleans:
    """Look up the labels of a fold's TUNE posts."""
    return np.asarray(posts.label[posts.tune[number]], dtype=np.bool_)


def _post_ids() -> list[str]:
    numbers = draws.order("post ids", 9000)[:POSTS] + 1000
    ids = [f"s_{number}" for number in numbers]
    places = draws.order("awkward ids", POSTS)
    for place, awkward in zip(places, AWKWARD_POST_IDS, strict=False):
        ids[place] = awkward
    return ids


def _sentences() -> Integers:
    """Count each post's sentences: a triangle from 4 to 40, and some short posts."""
    usual = 4 + draws.below(19, "length, one", POSTS) + draws.below(19, "length, two", POSTS)
    short = 1 + draws.below(3, "short length", POSTS)
    is_short = draws.below(_SHORT_POST, "is short", POSTS) == 0
    return np.where(is_short, short, usual)


def _labels() -> Booleans:
    """Give each criterion exactly its number of posts; severe posts meet several criteria."""
    severity = draws.bell("severity", POSTS)
    label = np.zeros((POSTS, len(CRITERIA)), dtype=np.bool_)
    for column, criterion in enumerate(CRITERIA):
        need = severity // 2 + draws.bell(f"need {criterion.id}", POSTS)
        label[np.argsort(-need, kind="stable")[: criterion.positives], column] = True
    return label


def _gold(sentences: Integers, label: Booleans) -> Booleans:
    """Mark one to six sentences of each query with evidence, no more than its post has."""
    shape = (POSTS, len(CRITERIA), MAX_SENTENCES)
    size = 1 + draws.pick(np.array(_GOLD_SIZES), "gold size", *shape[:2])
    lottery = draws.below(2**31, "gold sentence", *shape)
    exists = np.arange(MAX_SENTENCES) < sentences[:, None, None]
    lottery = np.where(exists, lottery, 2**31)
    place = np.argsort(np.argsort(lottery, axis=-1, kind="stable"), axis=-1, kind="stable")
    chosen = (place < size[:, :, None]) & exists & label[:, :, None]
    return np.asarray(chosen, dtype=np.bool_)


def _tune_posts(fold: Integers, number: int) -> Integers:
    """Choose the posts that tune a fold, among those that are not evaluated in it."""
    shuffled = draws.order(f"tune posts {number}", POSTS)
    return np.sort(shuffled[fold[shuffled] != number][:TUNE_POSTS])
