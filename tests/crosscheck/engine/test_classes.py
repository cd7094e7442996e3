"""Several classes by an engine against the exact reference, and what is refused of them."""

from __future__ import annotations

import random
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import primary
import reference
from crosscheck.engine.base import EngineError, Ordering
from crosscheck.engine.connect import connect
from crosscheck.engine.evaluate import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Columns = dict[str, list[Any]]
    Write = Callable[..., str]
    Draw = Callable[..., Columns]
    Differing = Callable[..., list[tuple[str, object, object]]]

# Names that keys escape, that code points and locales order differently, and that nobody predicts.
CLASSES = ["b", "a,c", "Z|%", "ä", "it's", "nobody"]
FORCED = Ordering(round_rows=40, cells=13)


def plain(draw: random.Random, size: int) -> list[float]:
    drawn = [draw.random() for _ in range(size)]
    return [one / sum(drawn) for one in drawn]


def decimals(draw: random.Random, size: int) -> list[float]:
    """Tenths: ties, and every edge of a bin."""
    cuts = sorted(draw.randint(0, 10) for _ in range(size - 1))
    return [(high - low) / 10 for low, high in zip([0, *cuts], [*cuts, 10], strict=True)]


def tiny(draw: random.Random, size: int) -> list[float]:
    """All but nothing beside all but everything; a zero may have a sign."""
    some = [draw.choice([5e-324, 1e-310, 1e-17, -0.0, 0.0, 3e-13]) for _ in range(size)]
    some[draw.randrange(size)] = draw.choice([1.0, 1 - 2**-53, 0.9999999])
    return some


def equal(draw: random.Random, size: int) -> list[float]:
    del draw
    return [1 / size] * size


def certain(draw: random.Random, size: int) -> list[float]:
    at = draw.randrange(size)
    return [float(one == at) for one in range(size)]


def off(draw: random.Random, size: int) -> list[float]:
    """Almost 1 in all."""
    return [one * (1 + draw.uniform(-9e-7, 9e-7)) for one in plain(draw, size)]


KINDS = (plain, decimals, tiny, equal, certain, off)


def rows_of(draw: random.Random, name: str, count: int) -> Columns:
    """Draw the rows of one data set: a kind of probabilities, and some of the classes."""
    kind = draw.choice(KINDS)
    labels = draw.sample(CLASSES[:-1], draw.choice([1, 2, 2, 5]))
    predicted = draw.choice([labels, CLASSES[:-1], labels[:1]])
    return {
        "query_id": [f"{name}-{at}" for at in range(count)],
        "dataset": [name] * count,
        "label": draw.choices(labels, k=count),
        "predicted": draw.choices(predicted, k=count),
        "class_probs": [kind(draw, len(CLASSES)) for _ in range(count)],
    }


def answered(path: str, settings: dict[str, Any], ordering: Ordering | None = None) -> Any:
    with closing(connect("duckdb", ordering)) as engine:
        answer = evaluate(engine, [path], settings)
    assert answer.declined == {}
    return answer


def facts_differ(path: str, settings: dict[str, Any], facts: dict[str, Any]) -> list[str]:
    """Name the facts that are not the reference's; some are asked about rankings alone."""
    expected = reference.describe(path, settings)
    return [
        name
        for name, value in expected.items()
        if name not in {"missing", "lookalikes"} and facts.get(name) != value
    ]


@pytest.mark.parametrize("at", range(4))
def test_random_sets_of_classes_are_the_references(
    at: int, written: Write, below: Draw, differing: Differing
) -> None:
    draw = random.Random(at)
    path = written(below(*(rows_of(draw, f"s{number}", 9) for number in range(25))))
    settings = {"classes": CLASSES, "slices": {"set": "dataset"}, "bins": [10, 3], "top_k": [1, 3]}
    answer = answered(path, settings)
    assert differing(path, settings, answer.ledger) == []
    assert facts_differ(path, settings, answer.facts) == []
    assert answer.ledger == answered(path, settings, FORCED).ledger


def repeated(draw: random.Random) -> Columns:
    """Draw folds and seeds; one seed lacks a fold, and rows that are not EVAL have no classes."""
    found = [
        rows_of(draw, "same", 12)
        | {"seed": [seed] * 12, "fold": [fold] * 12, "split": ["EVAL"] * 12}
        for seed, fold in (("one", 0), ("one", 3), ("b%", 0))
    ]
    other = rows_of(draw, "same", 12) | {"label": [""] * 12, "predicted": ["unknown"] * 12}
    found.append(other | {"seed": ["one"] * 12, "fold": [0] * 12, "split": ["TRAIN"] * 12})
    return {name: [one for some in found for one in some[name]] for name in found[0]}


@pytest.mark.parametrize("at", range(3))
def test_folds_and_seeds_of_classes_are_the_references(
    at: int, written: Write, differing: Differing
) -> None:
    path = written(repeated(random.Random(100 + at)))
    settings = {"classes": CLASSES, "slices": {"set": "dataset"}}
    answer = answered(path, settings, FORCED)
    assert answer.ledger["classes_left_out|all_queries|all|value"] >= 1
    assert differing(path, settings, answer.ledger) == []
    assert facts_differ(path, settings, answer.facts) == []


def single(columns: Columns, path: Path) -> str:
    """Write the probabilities as numbers of 32 bits."""
    kinds = {"class_probs": pa.list_(pa.float32())}
    arrays = {name: pa.array(values, kinds.get(name)) for name, values in columns.items()}
    parquet.write_table(pa.table(arrays), path)
    return str(path)


@pytest.mark.filterwarnings("ignore")
def test_probabilities_of_32_bits_are_their_own_shortest_decimals(
    sail: str, tmp_path: Path, below: Draw, differing: Differing
) -> None:
    draw = random.Random(32)
    rows = below(*(rows_of(draw, f"s{number}", 9) for number in range(6)))
    rows["class_probs"] = [[0.1, 0.2, 0.3, 0.4, 0.0, 0.0], plain(draw, 6)] * 27
    path, settings = single(rows, tmp_path / "single.parquet"), {"classes": CLASSES}
    ours = answered(path, settings).ledger
    assert differing(path, settings, ours) == []
    with closing(connect(sail)) as engine:
        assert evaluate(engine, [path], settings).ledger == ours


@pytest.mark.filterwarnings("ignore")  # Spark's client warns about versions of pandas.
def test_sail_gives_the_same_bits_of_classes(sail: str, written: Write, below: Draw) -> None:
    draw = random.Random(7)
    rows = [rows_of(draw, f"s{number}", 9) for number in range(8)]
    for one, fold in zip(rows, [0, 1] * 4, strict=True):
        one["fold"] = [fold] * 9
    path = written(below(*rows))
    settings = {"classes": CLASSES, "slices": {"set": "dataset"}}
    with closing(connect(sail)) as engine:
        theirs = evaluate(engine, [path], settings)
    ours = answered(path, settings)
    assert theirs.declined == {}
    assert theirs.ledger == ours.ledger
    assert theirs.facts == ours.facts
    bad = written({**GOOD, **BAD["close sum"][0]}, "bad.parquet")
    with closing(connect(sail)) as engine, pytest.raises(EngineError, match="do not add up to 1"):
        evaluate(engine, [bad], {"classes": ["x", "y"]})


@pytest.mark.parametrize("of", ["text", "whole numbers", "a boolean and text", "two of many"])
def test_classes_without_probabilities_are_the_references(
    of: str, written: Write, differing: Differing
) -> None:
    draw = random.Random(of)
    kinds: dict[str, tuple[list[Any], list[Any]]] = {
        "text": (["b", "a,c", "Z|%"], ["b", "ä"]),
        "whole numbers": ([1, 2, 10, -3], [0, 1, 2, 7]),
        "a boolean and text": (["true", "x"], [True, False]),
        "two of many": ([str(one) for one in range(120)], ["5", "6"]),
    }
    labels, predicted = kinds[of]
    path = written(
        {
            "query_id": [str(one) for one in range(300)],
            "label": draw.choices(labels, k=300),
            "predicted": draw.choices(predicted, k=300),
        }
    )
    answer = answered(path, {})
    assert ("confusion_matrix" in answer.facts["families"]) == (of != "two of many")
    assert differing(path, {}, answer.ledger) == []
    assert facts_differ(path, {}, answer.facts) == []


def test_a_file_of_both_tasks_is_asked_about_one(written: Write, differing: Differing) -> None:
    path = written(
        {
            "post_id": ["p", "p", "q", "q"],
            "criterion_id": ["1", "2", "1", "2"],
            "label": ["x", "y", "z", "y"],
            "predicted": ["x", "x", "z", "z"],
            "has_evidence": [1, 0, 1, 1],
            "prob": [0.9, 0.2, 0.3, 0.8],
            "gold": [["u"], [], [], ["v"]],
        }
    )
    for task in ("binary", "multiclass"):
        settings = {"task": task, "recall_levels": [0.5]}
        answer = answered(path, settings)
        assert differing(path, settings, answer.ledger) == []
        assert facts_differ(path, settings, answer.facts) == []
    with closing(connect("duckdb")) as engine, pytest.raises(EngineError, match="both tasks"):
        evaluate(engine, [path], {})


def test_families_that_are_not_asked_for_are_left_out(written: Write, differing: Differing) -> None:
    path = written({**GOOD, "label": ["x", "", "x", "y"]})
    settings: dict[str, Any] = {"families": ["posts"], "classes": ["x", "y"]}
    answer = answered(path, settings)
    assert list(answer.ledger) == ["queries|all_queries|all|n"]
    assert differing(path, settings, answer.ledger) == []
    path = written({**GOOD, "class_probs": [[2.0]] * 4})
    settings["families"] = ["classes"]
    assert differing(path, settings, answered(path, settings).ledger) == []


GOOD: Columns = {
    "query_id": ["a", "b", "c", "d"],
    "label": ["x", "y", "x", "y"],
    "predicted": ["x", "x", "y", "y"],
    "class_probs": [[0.5, 0.5], [1.0, 0.0], [0.25, 0.75], [0.5, 0.500001]],
}
NAN = float("nan")
BAD: dict[str, tuple[Columns, str]] = {
    "empty": ({"label": ["x", "", "x", "y"]}, "query b, column label: the class is empty"),
    "null": ({"predicted": ["x", "y", None, "y"]}, "query c, column predicted: the class is empty"),
    "outside": (
        {"label": ["x", "y", "z", "y"]},
        "query c, column label: found none of the classes",
    ),
    "short": (
        {"class_probs": [[1.0], *[[0.5, 0.5]] * 3]},
        "query a, column class_probs: the list is",
    ),
    "none": (
        {"class_probs": [None, *[[0.5, 0.5]] * 3]},
        "query a, column class_probs: the list is",
    ),
    "nan": (
        {"class_probs": [[NAN, 0.5], *[[0.5, 0.5]] * 3]},
        "query a, column class_probs: found no",
    ),
    "above": (
        {"class_probs": [[1.5, -0.5], *[[0.5, 0.5]] * 3]},
        "query a, column class_probs: found",
    ),
    "sum": (
        {"class_probs": [[0.5, 0.6], *[[0.5, 0.5]] * 3]},
        "query a, column class_probs: the prob",
    ),
    "close sum": (
        {"class_probs": [[0.5, 0.5000010000000001], *[[0.5, 0.500001]] * 3]},
        "query a, column class_probs: the probabilities do not add up to 1",
    ),
}


def refused(path: str, settings: dict[str, Any]) -> str:
    with closing(connect("duckdb")) as engine, pytest.raises(EngineError) as caught:
        evaluate(engine, [path], settings)
    return str(caught.value)


def test_what_is_on_the_bound_is_taken(written: Write) -> None:
    settings = {"classes": ["x", "y"]}
    assert answered(written(GOOD), settings).facts == answered(written(GOOD), settings).facts
    primary.describe(written(GOOD), settings)


@pytest.mark.parametrize("bad", BAD)
def test_bad_rows_of_classes_are_refused(bad: str, written: Write) -> None:
    change, told = BAD[bad]
    path, settings = written({**GOOD, **change}), {"classes": ["x", "y"]}
    found = refused(path, settings)
    assert told in found
    assert found.startswith(f"{path}: ")
    with pytest.raises(primary.InputError):
        primary.describe(path, settings)


@pytest.mark.parametrize("classes", [["x"], ["x", "y", "x"], ["x", "y", ""]])
def test_classes_that_are_no_list_of_names_are_refused(classes: list[str], written: Write) -> None:
    path = written(GOOD)
    assert "give two or more, each once, none of them empty" in refused(path, {"classes": classes})
    with pytest.raises(primary.InputError):
        primary.describe(path, {"classes": classes})


def test_probabilities_need_their_classes_named(written: Write) -> None:
    assert "column class_probs: nothing says which class" in refused(written(GOOD), {})


def test_fractions_are_no_names_here(written: Write) -> None:
    path = written({**GOOD, "label": [1.5, 2.0, 2.0, 1.5]})
    told = "column label, which is label, is of the type double; an engine reads names as text"
    assert told in refused(path, {"classes": ["x", "y"]})
