"""Dynamic-K: which candidates a system returns, within the bounds on k.

Candidates are taken by node probability, ties in the order of the ranking, until their share of the
query's mass reaches γ; then k is clamped to its bounds (contract, section 6).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from crosscheck.study.corpus import corpus
from crosscheck.study.decisions import gate, states
from crosscheck.study.profile import (
    CANDIDATES_PER_SELECTED,
    HARD_CAP,
    K_MIN,
    MAX_CANDIDATES,
)
from crosscheck.study.rankers import node_probabilities, scores

if TYPE_CHECKING:
    from crosscheck.study.draws import Integers

# γ in percent. The three-state gate skips NEG, is careful with UNCERTAIN, and generous with POS.
GAMMA: Final = 90
GAMMA_BY_STATE: Final = (0, 90, 95)


@dataclass(frozen=True, slots=True)
class Selection:
    """The order in which a query's candidates are taken, and how many of them."""

    order: Integers  # posts × criteria × candidates: positions, best first
    k: Integers  # posts × criteria


@cache
def selection(*, by_state: bool) -> Selection:
    """Select with one γ for all, or with the γ of each query's state and nothing for NEG."""
    order = _order()
    mass = np.cumsum(np.take_along_axis(_present_nodes(), order, axis=-1), axis=-1)
    state = states(gate().prob)
    gamma = np.array(GAMMA_BY_STATE)[state] if by_state else np.full_like(state, GAMMA)
    short_of = 100 * mass < gamma[:, :, None] * mass[:, :, -1:]
    reached = np.where(mass[:, :, -1] > 0, short_of.sum(axis=-1) + 1, 0)
    k_max = np.minimum(HARD_CAP, corpus().candidates // CANDIDATES_PER_SELECTED)[:, None]
    k = np.clip(reached, np.minimum(K_MIN, k_max), k_max)
    return Selection(order=order, k=np.where(state == 0, 0, k) if by_state else k)


def _present_nodes() -> Integers:
    """Blank the node probabilities of positions past the post's last candidate."""
    present = np.arange(MAX_CANDIDATES) < corpus().candidates[:, None, None]
    return np.where(present, node_probabilities(), 0)


@cache
def _order() -> Integers:
    """Sort by node probability, then by score, then by place; absent positions last."""
    present = np.arange(MAX_CANDIDATES) < corpus().candidates[:, None, None]
    score = np.where(present, scores("graph"), np.iinfo(np.int64).min + 1)
    ranking = np.argsort(-score, axis=-1, kind="stable")
    nodes = np.where(present, node_probabilities(), -1)
    ranked_nodes = np.take_along_axis(nodes, ranking, axis=-1)
    by_node = np.argsort(-ranked_nodes, axis=-1, kind="stable")
    return np.take_along_axis(ranking, by_node, axis=-1)
