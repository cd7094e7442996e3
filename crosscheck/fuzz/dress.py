"""The same data in other clothes, and data that must be refused.

Both loaders are part of what is cross-checked: `dressed` writes a data set with other column names,
labels and split words that mean the same; `broken` spoils it in one way that section 1 refuses.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from crosscheck.fuzz.dataset import NUMBER_LISTS, DataSet, Row

if TYPE_CHECKING:
    from collections.abc import Callable

    Draw = Callable[[st.SearchStrategy[Any]], Any]

ALIASES = {
    "gold": ["gold", "gold_ids", "gold_evidence_ids", "gold_sent_uids"],
    "candidates": ["candidates", "candidate_ids", "ranked_ids", "reranked_topk"],
    "scores": ["scores", "reranker_scores", "refined_scores"],
    "has_evidence": ["has_evidence", "gt_has_evidence", "has_evidence_gold"],
    "prob": ["prob", "ne_prob"],
    "pred": ["pred", "ne_pred"],
    "selected": ["selected", "retrieved_ids"],
    "fold": ["fold", "fold_id"],
}
SPLIT_WORDS = {"EVAL": ["EVAL", "TEST", ""], "TUNE": ["TUNE", "VAL", "DEV"]}
LABEL_WORDS = {0: ["0", "false", "FALSE", "False"], 1: ["1", "true", "TRUE", "True"]}
LABELS = ("has_evidence", "pred")


@st.composite
def dressed(draw: Draw, data: DataSet) -> DataSet:
    """Rename columns and write labels and splits in other words of the same meaning."""
    if not draw(st.booleans()):
        return data
    names = {
        name: draw(st.sampled_from(words))
        for name, words in ALIASES.items()
        if name in data.columns
    }
    labels = {label: draw(st.sampled_from(words)) for label, words in LABEL_WORDS.items()}
    splits = {split: draw(st.sampled_from(words)) for split, words in SPLIT_WORDS.items()}

    def cell(name: str, value: Any) -> Any:  # noqa: ANN401 - whatever a cell holds
        if name in LABELS and data.form in {"csv", "python", "pipe"}:
            return labels[value]
        return splits[value] if name == "split" else value

    rows = tuple(
        {names.get(name, name): cell(name, value) for name, value in row.items()}
        for row in data.rows
    )
    return replace(data, rows=rows)


@st.composite
def broken(draw: Draw, tables: st.SearchStrategy[DataSet]) -> tuple[str, DataSet]:
    """Spoil a data set in one way that section 1 refuses; say in which."""
    data = draw(tables)
    ways = [(name, spoil) for name, spoil in SPOILS.items() if any(map(spoil, data.rows))]
    name, spoil = draw(st.sampled_from(ways))
    eligible = [place for place, row in enumerate(data.rows) if spoil(row)]
    place = draw(st.sampled_from(eligible))
    spoiled = spoil(data.rows[place])
    rows = [*data.rows[:place], *spoiled, *data.rows[place + 1 :]]
    # Only JSON Lines can write every kind of wrong value as it is.
    return name, replace(data, rows=tuple(rows), form="jsonl")


def _with(name: str, value: object) -> Callable[[Row], list[Row]]:
    return lambda row: [row | {name: value}] if name in row and _is_read(name, row) else []


def _is_read(name: str, row: Row) -> bool:
    """Of TUNE rows only key, fold, label and probability are looked at."""
    return row.get("split") not in SPLIT_WORDS["TUNE"] or name in {"has_evidence", "prob"}


def _uid_twice(name: str) -> Callable[[Row], list[Row]]:
    def spoil(row: Row) -> list[Row]:
        if not row.get(name) or not _is_read(name, row):
            return []
        changed: Row = row | {name: [*row[name], row[name][0]]}
        if name == "candidates":
            changed |= {one: [*row[one], 0.0] for one in NUMBER_LISTS if one in row}
        return [changed]

    return spoil


def _longer(name: str, value: float) -> Callable[[Row], list[Row]]:
    return lambda row: [row | {name: [*row[name], value]}] if name in row else []


def _value_in(name: str, value: float) -> Callable[[Row], list[Row]]:
    return lambda row: [row | {name: [value, *row[name][1:]]}] if row.get(name) else []


def _foreign_selection(row: Row) -> list[Row]:
    if "selected" not in row or "candidates" not in row:
        return []
    return [row | {"selected": [*row["selected"], "none of them"]}]


SPOILS: dict[str, Callable[[Row], list[Row]]] = {
    "a probability above 1": _with("prob", 1.0000001),
    "a negative probability": _with("prob", -0.1),
    "a probability that is no number": _with("prob", math.nan),
    "a label of 2": _with("has_evidence", 2),
    "a label in words": _with("has_evidence", "yes"),
    "a decision of 2": _with("pred", 2),
    "a misspelt state": _with("state", "POSITIVE"),
    "a duplicate key": lambda row: [row, row],
    "a candidate twice": _uid_twice("candidates"),
    "a gold uid twice": _uid_twice("gold"),
    "a selected uid twice": _uid_twice("selected"),
    "a selection outside the candidates": _foreign_selection,
    "a score too many": _longer("scores", 0.5),
    "a node probability too many": _longer("node_probs", 0.5),
    "a score that is no number": _value_in("scores", math.nan),
    "an endless score": _value_in("scores", math.inf),
    "a node probability above 1": _value_in("node_probs", 1.5),
}
