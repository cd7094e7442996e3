"""The three rankers' scores and the node probabilities, one number per query and candidate.

The rankers see the same sentences: most of their noise is shared, so the systems differ the way
real ones do, a little and on the same queries. Scores are integers with a fixed number of decimals.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from crosscheck.study import draws
from crosscheck.study.corpus import corpus
from crosscheck.study.decisions import ONE, gate
from crosscheck.study.profile import CRITERIA, MAX_CANDIDATES, POSTS

if TYPE_CHECKING:
    from crosscheck.study.draws import Integers

NODE_PLACES: Final = 4

_SHAPE: Final = (POSTS, len(CRITERIA), MAX_CANDIDATES)
# Some folds are harder than others, in thousandths of the noise's deviation.
_FOLD_EASE: Final = (180, -140, 20, 120, -180)


@dataclass(frozen=True, slots=True)
class Ranker:
    """How well a ranker sees gold, and how its scores are written."""

    name: str
    signal: int  # how far gold stands out, in thousandths of the noise's deviation
    places: int  # decimals of its scores
    unit: int  # score units for one deviation
    middle: int  # score of the middle of the noise


RANKERS: Final = {
    ranker.name: ranker
    for ranker in (
        Ranker("retriever", signal=1890, places=3, unit=90, middle=480),
        Ranker("reranker", signal=2100, places=2, unit=140, middle=-30),
        Ranker("graph", signal=2340, places=2, unit=160, middle=-80),
    )
}


@cache
def scores(name: str) -> Integers:
    """Score every candidate of every query: posts × criteria × candidates."""
    ranker = RANKERS[name]
    return ranker.middle + _seen(ranker) * ranker.unit // 1000


@cache
def node_probabilities() -> Integers:
    """Give every candidate its node probability, in ten-thousandths; most are near zero."""
    seen: Integers = _seen(RANKERS["graph"]) + draws.bell("node", *_SHAPE) * 300 // 1000
    steep = np.clip((seen + 1800) * 1000 // 5200, 0, 1000)
    return steep**6 // 10**14


@cache
def _shared() -> Integers:
    """Mix what all rankers agree on: the sentence itself, and the pair."""
    sentence = draws.bell("sentence", POSTS, 1, MAX_CANDIDATES) * 400
    pair = draws.bell("pair", *_SHAPE) * 750
    mixed: Integers = (sentence + pair) // 1000
    return mixed


def _seen(ranker: Ranker) -> Integers:
    posts = corpus()
    own = draws.bell(f"own {ranker.name}", *_SHAPE) * 500 // 1000
    confidence = (gate().prob - ONE // 2) // 12
    ease = np.array(_FOLD_EASE)[posts.fold][:, None] + confidence
    boost = ranker.signal + ease[:, :, None] + draws.bell("clarity", *_SHAPE) * 500 // 1000
    return _shared() + own + boost * posts.gold[:, :, :MAX_CANDIDATES]
