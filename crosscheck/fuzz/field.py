"""Data sets of the field (contract, sections 14 to 18): grades, judgements, classes, scores, seeds.

Drawn as the study's are: few values, so that they tie, and every combination of columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from crosscheck.fuzz import values
from crosscheck.fuzz.dataset import DataSet, Row
from crosscheck.fuzz.strategies import BUDGETS, CUTS, datasets, few, rows, settings, shapes

if TYPE_CHECKING:
    from collections.abc import Callable

    Draw = Callable[[st.SearchStrategy[Any]], Any]

SEEDS = ((), ("1",), ("1", "2"), ("10%", "a|b", "2"))
CORPORA = ("x", "y", "", "a|b", "50%")
GRADES = (1, 2, 3, 31)
CLASSES = ("a", "b", "1", "01", "a,b", "c|d", " e")
SHARES = (
    (1.0, 0.0, 0.0),
    (0.5, 0.25, 0.25),
    (0.25, 0.25, 0.5),
    (0.125, 0.625, 0.25),
    (0.3, 0.3, 0.4),
)
"""Probabilities of three classes, some of them tied."""
SPELLINGS = ((0, 1), (0.0, 1.0), (False, True), ("0", "1.0", " 1"), ("true", "FALSE", "0.0"))
"""How a frame writes two labels."""
MOST_ROWS = 8
OPTIONAL = {
    "rbp": st.sampled_from([[0.5], [0.8, 0.95], [0.123]]),
    "recall_levels": st.sampled_from([[0, 1], [0.1, 0.3, 0.7], [0.5], [0.333]]),
    "beta": st.sampled_from([[0.5], [1, 2], [3.5]]),
    "bins": st.sampled_from([[10], [1], [3], [2, 7]]),
}


@st.composite
def repeated(draw: Draw) -> DataSet:
    """Draw a table of the study's kind in several seeds, data sets, grades and judgements."""
    shape = draw(shapes(draw(st.booleans())))
    seeds = draw(st.sampled_from(SEEDS)) or ("",)
    graded, judged, sliced = (draw(st.booleans()) for _ in range(3))
    made: list[Row] = []
    for seed in seeds:
        for row in draw(rows(shape)):
            more: Row = {"seed": seed} if seed else {}
            if sliced:
                more["corpus"] = draw(st.sampled_from(CORPORA))
            made.append(row | more | _judgements(draw, row, graded=graded, judged=judged))
    if not any(row.get("grades") for row in made):
        # Grades of nothing at all: the vector graded-without-a-grade holds what they mean.
        made = [{name: row[name] for name in row if name != "grades"} for row in made]
    chosen = draw(settings(shape)) | draw(st.fixed_dictionaries({}, optional=OPTIONAL))
    if sliced:
        chosen["slices"] = {"dataset": "corpus"}
    form = draw(st.sampled_from(["jsonl", "csv", "parquet"]))
    return DataSet(tuple(made), chosen, form)


def _judgements(draw: Draw, row: Row, *, graded: bool, judged: bool) -> Row:
    """Give grades and judgements to a row that has gold and a ranking."""
    gold = row.get("gold")
    if gold is None or "candidates" not in row:
        return {}
    found: Row = {}
    if graded:
        largest = len(GRADES) - draw(st.sampled_from([1, 1, 1, 0]))
        grades = st.sampled_from(GRADES[:largest])
        found["grades"] = draw(st.lists(grades, min_size=len(gold), max_size=len(gold)))
    if judged:
        others = [uid for uid in row["candidates"] if uid not in gold]
        seen = draw(st.sets(st.sampled_from(others))) if others else set()
        found["judged"] = [*gold, *(uid for uid in others if uid in seen), "never ranked"]
        if "never ranked" in gold:
            found["judged"].pop()
    return found


@st.composite
def several_classes(draw: Draw) -> DataSet:
    """Draw labels and predictions of three or four classes, with or without probabilities."""
    classes = draw(st.lists(st.sampled_from(CLASSES), min_size=3, max_size=3, unique=True))
    likely, stated = draw(st.booleans()), draw(st.booleans())
    seeds = draw(st.sampled_from(SEEDS)) or ("",)
    folds = draw(st.sampled_from([(), (0,), (0, 1)]))
    count = draw(st.integers(1, MOST_ROWS))
    made: list[Row] = []
    for seed in seeds:
        for number in range(count):
            row: Row = {"query_id": f"q{number}"}
            row |= {"seed": seed} if seed else {}
            row |= {"fold": folds[number % len(folds)]} if folds else {}
            row["label"] = draw(st.sampled_from(classes))
            row["predicted"] = draw(st.sampled_from(classes))
            if likely:
                row["class_probs"] = list(draw(st.sampled_from(SHARES)))
            row["corpus"] = draw(st.sampled_from(CORPORA))
            made.append(row)
    chosen: dict[str, Any] = {"task": "multiclass", "bins": draw(OPTIONAL["bins"])}
    chosen["top_k"] = draw(st.sampled_from([[1], [1, 2], [3]]))
    if likely or stated:
        chosen["classes"] = [*classes, "never"][: 3 if likely else 4]
    if draw(st.booleans()):
        chosen["slices"] = {"dataset": "corpus"}
    return DataSet(tuple(made), chosen, draw(st.sampled_from(["jsonl", "csv", "parquet"])))


@st.composite
def scored(draw: Draw) -> DataSet:
    """Draw labels with scores of any size, tuned within folds or not, with or without threshold."""
    tuned = draw(st.booleans())
    seeds = draw(st.sampled_from(SEEDS)) or ("",)
    scores = draw(few(values.scores()))
    made: list[Row] = []
    for seed in seeds:
        for split in ("EVAL", "TUNE") if tuned else ("EVAL",):
            for number in range(draw(st.integers(2 if tuned else 1, MOST_ROWS))):
                row: Row = {"query_id": f"q{number}", "split": split}
                row |= {"seed": seed} if seed else {}
                row |= {"fold": number % 2} if tuned else {}
                row["has_evidence"] = draw(st.integers(0, 1))
                row["score"] = draw(st.sampled_from(scores))
                made.append(row)
    chosen: dict[str, Any] = {"fpr": draw(st.sampled_from(BUDGETS))}
    if draw(st.booleans()):
        chosen["threshold"] = draw(st.sampled_from(scores))
    return DataSet(tuple(made), chosen | draw(st.fixed_dictionaries({}, optional=OPTIONAL)))


@st.composite
def frames(draw: Draw) -> DataSet:
    """Draw a frame of scikit-learn: labels in any spelling of yes and no, and no key."""
    truth, given = (draw(st.sampled_from(SPELLINGS)) for _ in range(2))
    decided, likely = draw(st.sampled_from([(True, True), (True, False), (False, True)]))
    shares = draw(few(values.probabilities()))
    made: list[Row] = []
    for _ in range(draw(st.integers(1, MOST_ROWS))):
        row: Row = {"y_true": draw(st.sampled_from(truth))}
        row |= {"y_pred": draw(st.sampled_from(given))} if decided else {}
        row |= {"y_prob": draw(st.sampled_from(shares))} if likely else {}
        made.append(row)
    chosen: dict[str, Any] = draw(st.fixed_dictionaries({}, optional=OPTIONAL))
    return DataSet(tuple(made), chosen, draw(st.sampled_from(["jsonl", "csv"])))


@st.composite
def judged_runs(draw: Draw) -> DataSet:
    """Draw qrels and a run with grades, topics missing from either, and every rule of ties."""
    words = st.sampled_from(values.PLAIN_IDS)
    documents = st.lists(words, unique=True, min_size=1, max_size=6)
    made: list[Row] = []
    for query in draw(st.lists(words, min_size=1, max_size=3, unique=True)):
        judged = draw(documents)
        grades = st.lists(st.integers(-1, 4), min_size=len(judged), max_size=len(judged))
        ranked = draw(documents | st.just([]))
        marks = st.lists(values.scores(), min_size=len(ranked), max_size=len(ranked))
        pairs = list(zip(judged, draw(grades), strict=True))
        made.append(
            {"query_id": query, "judged": pairs, "candidates": ranked, "scores": draw(marks)}
        )
    if not any(row["candidates"] for row in made):
        made[0] |= {"candidates": ["a"], "scores": [0.0]}
    chosen: dict[str, Any] = {
        "k": draw(st.sampled_from(CUTS)),
        "ties": draw(st.sampled_from(["order", "docid", "trec_eval"])),
        "relevance_level": draw(st.sampled_from([0, 1, 2])),
    }
    if draw(st.booleans()):
        chosen["grade_max"] = draw(st.sampled_from([4, 5, 30]))
    return DataSet(tuple(made), chosen | draw(st.fixed_dictionaries({}, optional=OPTIONAL)), "trec")


def field_datasets() -> st.SearchStrategy[DataSet]:
    """Draw any data set of the kinds that the study is not."""
    return st.one_of(repeated(), several_classes(), scored(), frames(), judged_runs())


def everything() -> st.SearchStrategy[DataSet]:
    """Draw any data set that the contract allows."""
    return st.one_of(datasets(), field_datasets())
