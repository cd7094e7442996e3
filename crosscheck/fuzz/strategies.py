"""Data sets that the contract allows, as adversarial as it allows them.

Ties, empty lists, one class, extreme K, edge probabilities, odd ids, folds of one post; every
combination of columns, because what is absent decides what is owed. Shared by the property tests
and the `fuzz` command.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from crosscheck.fuzz import values
from crosscheck.fuzz.dataset import DataSet, Row
from crosscheck.fuzz.dress import dressed

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.fuzz.dataset import Form

    Draw = Callable[[st.SearchStrategy[Any]], Any]

MOST_POSTS = 3
MOST_CRITERIA = 3
MOST_CANDIDATES = 6


@dataclass(frozen=True)
class _Shape:
    """What a data set has; the same for all of its rows."""

    posts: bool
    folds: tuple[int, ...]
    criteria: tuple[str, ...]
    columns: frozenset[str]
    tune: bool
    odd: bool
    consistent: bool
    probs: tuple[float, ...]
    """The few probabilities that occur: ties are where definitions part."""


OPTIONAL = ("has_evidence", "pred", "state", "scores", "node_probs", "selected")


@st.composite
def shapes(draw: Draw, odd: bool) -> _Shape:
    """Draw which columns, folds, criteria and splits there are."""
    posts = draw(st.booleans())
    folds = draw(st.sampled_from([(), (0,), (0, 1), (2, 10, -1)]))
    columns = set(draw(st.sets(st.sampled_from(OPTIONAL))))
    columns |= set(draw(st.sampled_from(COLUMN_GROUPS)))
    if "candidates" not in columns:
        columns -= {"scores", "node_probs"}
    criteria: tuple[str, ...] = ()
    if posts:
        names = st.lists(
            values.ids(odd, ("A", "B", "C")), min_size=1, max_size=MOST_CRITERIA, unique=True
        )
        criteria = tuple(draw(names))
    tune = "prob" in columns and bool(folds) and draw(st.booleans())
    if tune and "gold" not in columns:
        columns.add("has_evidence")
    return _Shape(
        posts=posts,
        folds=folds,
        criteria=criteria,
        columns=frozenset(columns),
        tune=tune,
        odd=odd,
        consistent=draw(st.booleans()),
        probs=tuple(draw(few(values.probabilities()))),
    )


def few(strategy: st.SearchStrategy[float]) -> st.SearchStrategy[list[float]]:
    """Draw a handful of values, for rows to choose from."""
    return st.lists(strategy, min_size=1, max_size=5)


COLUMN_GROUPS = (
    ("candidates", "gold", "prob"),
    ("candidates", "gold"),
    ("has_evidence", "prob"),
    ("gold", "prob"),
    ("has_evidence", "pred"),
    ("candidates", "gold", "has_evidence", "prob", "pred", "selected", "node_probs", "scores"),
    ("candidates", "gold", "prob", "selected", "node_probs", "scores", "state"),
)


@st.composite
def rows(draw: Draw, shape: _Shape) -> tuple[Row, ...]:
    """Draw every row: for each fold some posts, for each post every criterion."""
    made: list[Row] = []
    uids = st.lists(
        values.ids(shape.odd),
        min_size=1,
        max_size=MOST_CANDIDATES * (MOST_POSTS + 1),
        unique=True,
    )
    pool = draw(uids)
    for split in ["EVAL", *(["TUNE"] if shape.tune else [])]:
        for fold in shape.folds or (None,):
            names = st.lists(
                values.ids(shape.odd, ("p", "q", "r")), min_size=1, max_size=MOST_POSTS, unique=True
            )
            for name in draw(names):
                for key in _keys(shape, name):
                    place = {} if fold is None else {"fold": fold}
                    mark = {"split": split} if shape.tune else {}
                    made.append(key | place | mark | draw(cells(shape, split, pool)))
    return tuple(made)


def _keys(shape: _Shape, name: str) -> list[Row]:
    if not shape.posts:
        return [{"query_id": name}]
    return [{"post_id": name, "criterion_id": criterion} for criterion in shape.criteria]


@st.composite
def cells(draw: Draw, shape: _Shape, split: str, pool: list[str]) -> Row:
    """Draw one row's values; of TUNE rows only label and probability are read."""
    row: Row = {}
    some = st.lists(st.sampled_from(pool), unique=True, max_size=MOST_CANDIDATES)
    if split == "EVAL":
        row |= _lists(draw, shape, some)
    elif "gold" in shape.columns:
        row["gold"] = draw(some)
    if "has_evidence" in shape.columns:
        agrees = shape.consistent and "gold" in row
        row["has_evidence"] = int(bool(row["gold"])) if agrees else draw(st.integers(0, 1))
    if "prob" in shape.columns:
        row["prob"] = draw(st.sampled_from(shape.probs))
    if "pred" in shape.columns:
        row["pred"] = draw(st.integers(0, 1))
    if "state" in shape.columns:
        row["state"] = draw(st.sampled_from(["NEG", "UNCERTAIN", "POS"]))
    return row


def _lists(draw: Draw, shape: _Shape, some: st.SearchStrategy[list[str]]) -> Row:
    row: Row = {}
    if "candidates" in shape.columns:
        row["candidates"] = draw(some)
        for name, strategy in (
            ("scores", values.scores()),
            ("node_probs", values.probabilities()),
        ):
            if name in shape.columns:
                length = len(row["candidates"])
                chosen = st.sampled_from(draw(few(strategy)))
                row[name] = draw(st.lists(chosen, min_size=length, max_size=length))
    if "gold" in shape.columns:
        row["gold"] = draw(some)
    if "selected" in shape.columns:
        known = row.get("candidates")
        subset = (
            st.just([]) if known == [] else st.lists(st.sampled_from(known or ["a"]), unique=True)
        )
        row["selected"] = draw(subset)
    return row


@st.composite
def settings(draw: Draw, shape: _Shape) -> dict[str, Any]:
    """Draw settings: few cut-offs, so that a data set is judged in a tenth of a second."""
    chosen: dict[str, Any] = {
        "k": draw(st.sampled_from(CUTS)),
        "fpr": draw(st.sampled_from(BUDGETS)),
    }
    chosen |= draw(st.fixed_dictionaries({}, optional=SETTINGS))
    by_fold = {str(fold): values.probabilities() for fold in shape.folds}
    number = values.probabilities()
    table = st.fixed_dictionaries(by_fold) if by_fold else number
    if draw(st.booleans()):
        chosen["threshold"] = draw(number | table)
    if draw(st.booleans()):
        low, high = sorted(draw(st.tuples(number, number)))
        chosen |= {"tau_neg": low, "tau_pos": high}
    if shape.criteria and draw(st.booleans()):
        members = st.lists(st.sampled_from([*shape.criteria, "nobody"]), min_size=1, unique=True)
        chosen["views"] = draw(
            st.dictionaries(values.ids(shape.odd, ("v", "w")), members, max_size=2)
        )
    return chosen


CUTS = ([1], [2], [1, 3], [3, 1000], [5, 10])
BUDGETS = ([50, 70], [5, 40], [0, 60, 100], [33.3, 80], [20, 25])
SETTINGS = {
    "bins": st.sampled_from([[10], [1], [3], [2, 7]]),
    "gamma": st.sampled_from([[0.9], [0.01, 1], [0.3], [0.5, 0.7]]),
    "grid": st.sampled_from(
        [{"tau_neg": [0.3], "tau_pos": [0.5]}, {"tau_neg": [0, 1], "tau_pos": [0, 0.5, 1]}]
    ),
    "k_min": st.sampled_from([2, 0, 1, 5]),
    "hard_cap": st.sampled_from([10, 0, 1, 3]),
    "k_max_ratio": st.sampled_from([0.5, 0, 1, 0.3, 0.7]),
}


@st.composite
def tables(draw: Draw) -> DataSet:
    """Draw a CSV, JSON Lines or Parquet data set."""
    shape = draw(shapes(draw(st.booleans())))
    made = draw(rows(shape))
    form: Form = draw(st.sampled_from(["jsonl", "csv", "python", "pipe", "parquet"]))
    if form == "pipe" and not all(map(_joinable, made)):
        form = "csv"
    clothed: DataSet = draw(dressed(DataSet(made, draw(settings(shape)), form)))
    return clothed


def _joinable(row: Row) -> bool:
    """Tell whether every list survives being joined by `|`."""
    for cell in row.values():
        if isinstance(cell, list) and cell:
            joined = "|".join(map(str, cell))
            odd = joined.startswith("[") or joined.strip() == "null"
            if odd or joined.split("|") != list(map(str, cell)):
                return False
    return True


@st.composite
def trec(draw: Draw) -> DataSet:
    """Draw qrels and a run: grades below and above the level, ties, queries missing from either."""
    made: list[Row] = []
    words = st.sampled_from([*values.PLAIN_IDS, "007", "7", "NA", "é", "🙂"])
    documents = st.lists(words, unique=True, max_size=MOST_CANDIDATES)
    for query in draw(st.lists(words, min_size=1, max_size=MOST_POSTS, unique=True)):
        judged = draw(documents)
        grades = st.lists(st.integers(-1, 3), min_size=len(judged), max_size=len(judged))
        ranked = draw(documents)
        marks = st.lists(values.scores(), min_size=len(ranked), max_size=len(ranked))
        made.append(
            {
                "query_id": query,
                "judged": list(zip(judged, draw(grades), strict=True)),
                "candidates": ranked,
                "scores": draw(marks),
            }
        )
    if not any(row["judged"] for row in made):
        made[0]["judged"] = [("a", 1)]
    if not any(row["candidates"] for row in made):
        made[0] |= {"candidates": ["a"], "scores": [0.0]}
    chosen = {
        "k": draw(st.sampled_from(CUTS)),
        "ties": draw(st.sampled_from(["order", "docid"])),
        "relevance_level": draw(st.sampled_from([1, 2])),
    }
    return DataSet(tuple(made), chosen, "trec")


@st.composite
def tied_groups(draw: Draw) -> DataSet:
    """Draw groups of equal probability, each with so many positives and negatives.

    Folds come out large and tiny; two groups alike in a row are where curves drop points (T1).
    """
    size = st.integers(0, draw(st.sampled_from([1, 2, 12])))
    alike = st.tuples(st.lists(values.probabilities(), min_size=1, max_size=3), size, size)
    pairs = [
        (label, prob)
        for probs, positives, negatives in draw(st.lists(alike, min_size=1, max_size=4))
        for prob in probs
        for label in [1] * positives + [0] * negatives
    ] or [(1, 0.5)]
    alone = draw(st.booleans())
    made = tuple(
        {
            "query_id": f"q{place}",
            "fold": int(alone and place == 0),
            "has_evidence": label,
            "prob": prob,
        }
        for place, (label, prob) in enumerate(pairs)
    )
    chosen = {"k": [1], "fpr": draw(st.sampled_from(BUDGETS))}
    return DataSet(made, chosen | draw(st.fixed_dictionaries({}, optional=SETTINGS)))


def datasets() -> st.SearchStrategy[DataSet]:
    """Draw any data set that the contract allows."""
    return st.one_of(tables(), tables(), trec(), tied_groups())
