"""A system's file as columns: every EVAL query, and the TUNE queries where a gate was tuned.

Numbers stay integers with a count of decimals until they are written.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from crosscheck.study.corpus import corpus, tune_labels
from crosscheck.study.decisions import PLACES, STATES, gate, states
from crosscheck.study.profile import CRITERIA, FOLD_POSTS, MAX_SENTENCES, Configuration
from crosscheck.study.rankers import NODE_PLACES, RANKERS, node_probabilities, scores
from crosscheck.study.selection import selection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.study.draws import Booleans, Integers


@dataclass(frozen=True, slots=True)
class Decimals:
    """One number per row, as integers of the last decimal place."""

    values: Integers
    places: int


@dataclass(frozen=True, slots=True)
class DecimalLists:
    """A list of numbers per row, as integers of the last decimal place."""

    rows: list[list[int]]
    places: int


@dataclass(frozen=True, slots=True)
class TextLists:
    """A list of ids per row."""

    rows: list[list[str]]


Item = TypeVar("Item", int, str)
ColumnValues = list[str] | list[int] | Decimals | DecimalLists | TextLists


@dataclass(frozen=True, slots=True)
class _Rows:
    """The key of every row of the file, as positions, with its label and probability."""

    post: Integers
    criterion: Integers
    fold: Integers
    is_eval: Integers
    label: Integers
    prob: Integers


def columns(system: Configuration) -> dict[str, ColumnValues]:
    """Lay out one system's file, column by column, in the contract's order."""
    rows = _rows(with_tune=system.gates)
    table = _keys(rows) | _ranking(rows, system)
    if system.gates:
        table["prob"] = Decimals(rows.prob, PLACES)
        limit = np.array(gate().threshold)[rows.fold]
        table["pred"] = (rows.prob >= limit).astype(np.int64).tolist()
    elif system.selects:
        # No gate yet: every query passes, so that what was selected is what is returned.
        table["pred"] = [1] * len(rows.post)
    if system.states:
        table["state"] = [STATES[state] for state in states(rows.prob).tolist()]
    if system.selects:
        table |= _selection(rows, system)
    return table


def _rows(*, with_tune: bool) -> _Rows:
    """Go through the folds: each one's EVAL queries, then the TUNE queries that go with it."""
    posts, answers = corpus(), gate()
    blocks = []
    for number in range(len(FOLD_POSTS)):
        held_out = np.flatnonzero(posts.fold == number)
        label = posts.label[held_out]
        blocks.append(_block(number, held_out, 1, label, answers.prob[held_out]))
        if with_tune:
            label = tune_labels(posts, number)
            blocks.append(_block(number, posts.tune[number], 0, label, answers.tune_prob[number]))
    return _Rows(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))


def _block(
    number: int, posts: Integers, is_eval: int, label: Booleans, prob: Integers
) -> tuple[Integers, ...]:
    size = len(posts) * len(CRITERIA)
    return (
        np.repeat(posts, len(CRITERIA)),
        np.tile(np.arange(len(CRITERIA)), len(posts)),
        np.full(size, number),
        np.full(size, is_eval),
        label.ravel().astype(np.int64),
        prob.ravel(),
    )


def _keys(rows: _Rows) -> dict[str, ColumnValues]:
    ids = corpus().post_ids
    return {
        "post_id": [ids[post] for post in rows.post.tolist()],
        "criterion_id": [CRITERIA[place].id for place in rows.criterion.tolist()],
        "fold": rows.fold.tolist(),
        "split": ["EVAL" if is_eval else "TUNE" for is_eval in rows.is_eval.tolist()],
    }


def _ranking(rows: _Rows, system: Configuration) -> dict[str, ColumnValues]:
    candidates = np.repeat(corpus().candidates, len(CRITERIA))
    return {
        "candidates": TextLists(_of_eval(rows, _retrieved())),
        "scores": DecimalLists(
            _of_eval(rows, _cut(scores(system.ranker), candidates)), RANKERS[system.ranker].places
        ),
        "gold": _uids(rows, _golds()),
        "has_evidence": rows.label.tolist(),
    }


@cache
def _retrieved() -> list[list[str]]:
    """Give every query the first sentences of its post: one list for all criteria."""
    posts = corpus()
    firsts = [
        names[:length] for names, length in zip(_names(), posts.candidates.tolist(), strict=True)
    ]
    return [first for first in firsts for _ in CRITERIA]


@cache
def _golds() -> list[list[int]]:
    gold = corpus().gold
    of_query = gold.reshape(-1, gold.shape[-1])
    places = np.nonzero(of_query)[1].tolist()
    ends = np.cumsum(of_query.sum(axis=1)).tolist()
    return [places[begin:end] for begin, end in pairwise([0, *ends])]


def _selection(rows: _Rows, system: Configuration) -> dict[str, ColumnValues]:
    chosen = selection(by_state=system.states)
    candidates = np.repeat(corpus().candidates, len(CRITERIA))
    return {
        "selected": _uids(rows, _cut(chosen.order, chosen.k.ravel())),
        "node_probs": DecimalLists(
            _of_eval(rows, _cut(node_probabilities(), candidates)), NODE_PLACES
        ),
    }


def _cut(values: Integers, lengths: Integers) -> list[list[int]]:
    """Keep the first so many values of every query."""
    of_query = values.reshape(-1, values.shape[-1]).tolist()
    return [row[:length] for row, length in zip(of_query, lengths.tolist(), strict=True)]


def _of_eval(rows: _Rows, of_query: Sequence[list[Item]]) -> list[list[Item]]:
    """Give every EVAL row its query's list, and TUNE rows, whose lists nobody reads, none."""
    query = rows.post * len(CRITERIA) + rows.criterion
    return [
        of_query[place] if is_eval else []
        for place, is_eval in zip(query.tolist(), rows.is_eval.tolist(), strict=True)
    ]


@cache
def _names() -> list[list[str]]:
    return [[f"{post}_{n}" for n in range(MAX_SENTENCES)] for post in corpus().post_ids]


def _uids(rows: _Rows, places: Sequence[list[int]]) -> TextLists:
    """Name sentences: the post's id, an underscore, the sentence's number in the post."""
    names = _names()
    return TextLists(
        [
            list(map(names[post].__getitem__, row)) if row else []
            for post, row in zip(rows.post.tolist(), _of_eval(rows, places), strict=True)
        ]
    )
