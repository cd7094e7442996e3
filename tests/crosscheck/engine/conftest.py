"""Random data sets with everything in them that has ever divided two programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import reference

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

Columns = dict[str, list[Any]]
SCORES = {
    "ties": lambda draw: draw.choice([0.1, 0.2, 0.3, 0.5]),
    "plain": lambda draw: draw.gauss(0, 1),
    "skewed": lambda draw: draw.choice([1e300, -1e300, 1e-300]) * draw.random(),
    "subnormal": lambda draw: draw.choice([0.0, -0.0, 5e-324, 1e-323, -5e-324, 2.5e-310]),
    "one value": lambda draw: 0.25,  # noqa: ARG005 - every kind takes the generator
}
PROBS = {
    "edges": lambda draw: draw.choice([0.0, 0.1, 0.3, 0.6, 0.7, 1.0, 0.5]),
    "plain": lambda draw: draw.random(),
    "one value": lambda draw: 0.3,  # noqa: ARG005 - the same
    "tiny": lambda draw: draw.choice([5e-324, 1e-310, 1e-17, 1 - 2**-53, 0.5]),
    "decimals": lambda draw: round(draw.random(), 2),
}


def rows_of(draw: random.Random, name: str, count: int, *, split: str = "EVAL") -> Columns:
    """Draw the rows of one data set: a kind of scores, a kind of probabilities, a share of gold."""
    score, prob = (SCORES[draw.choice([*SCORES])], PROBS[draw.choice([*PROBS])])
    share = draw.choice([0.0, 0.2, 0.5, 1.0])
    found: Columns = {}
    for number in range(count):
        ids = [f"{name}-{number}-{at}" for at in range(draw.choice([0, 1, 2, 5, 12]))]
        gold = [uid for uid in ids if draw.random() < 0.3] if draw.random() < share else []
        if gold and draw.random() < 0.2:
            gold.append(f"{name}-{number}-lost")
        row = {
            "post_id": f"{name}-{number // 2}",
            "criterion_id": ("A|1", "B%2")[number % 2],
            "split": split,
            "candidates": ids,
            "scores": [score(draw) for _ in ids],
            "gold": draw.sample(gold, len(gold)),
            "has_evidence": int(bool(gold)),
            "prob": prob(draw),
            "pred": draw.randint(0, 1),
            "selected": draw.sample(ids, draw.randint(0, len(ids))),
            "node_probs": [prob(draw) for _ in ids],
        }
        for column, value in row.items():
            found.setdefault(column, []).append(value)
    return found


def joined(*some: Columns) -> Columns:
    """Put rows below each other."""
    return {column: [value for one in some for value in one[column]] for column in some[0]}


@pytest.fixture
def written(tmp_path: Path) -> Callable[[Mapping[str, Any]], str]:
    """Give a function that writes columns to a Parquet file."""
    lists = {
        "candidates": pa.list_(pa.string()),
        "gold": pa.list_(pa.string()),
        "selected": pa.list_(pa.string()),
        "scores": pa.list_(pa.float64()),
        "node_probs": pa.list_(pa.float64()),
        "grades": pa.list_(pa.int64()),
        "judged": pa.list_(pa.string()),
    }

    def write(columns: Mapping[str, Any], name: str = "data.parquet") -> str:
        arrays = {column: pa.array(values, lists.get(column)) for column, values in columns.items()}
        parquet.write_table(pa.table(arrays), tmp_path / name)
        return str(tmp_path / name)

    return write


@pytest.fixture(scope="session")
def sail() -> Iterator[str]:
    """Start Sail on a free port of this machine; give its address."""
    from pysail.spark import SparkConnectServer  # noqa: PLC0415 - heavy

    server = SparkConnectServer(ip="127.0.0.1", port=0)
    server.start(background=True)
    yield f"sc://127.0.0.1:{server.listening_address[1]}"
    server.stop()


@pytest.fixture(scope="session")
def drawn() -> Callable[..., Columns]:
    """Give a function that draws the rows of one data set."""
    return rows_of


@pytest.fixture(scope="session")
def below() -> Callable[..., Columns]:
    """Give a function that puts rows below each other."""
    return joined


@pytest.fixture(scope="session")
def differing() -> Callable[..., list[tuple[str, object, object]]]:
    """Give a function that lists where a ledger is not the reference's."""
    return differences


def differences(
    path: str, settings: dict[str, Any], ledger: Mapping[str, float]
) -> list[tuple[str, object, object]]:
    """List where a ledger is not the reference's: integers equal, the rest within 1e-14."""
    expected = reference.evaluate(path, settings)
    found: list[tuple[str, object, object]] = [
        (key, value, ledger.get(key))
        for key, value in expected.items()
        if key not in ledger or not _same(value, ledger[key])
    ]
    return found + [(key, None, ledger[key]) for key in ledger if key not in expected]


def _same(one: float, other: float) -> bool:
    if type(one) is not type(other):
        return False
    if one == other or isinstance(one, int):
        return one == other
    # Both within 1e-12 of 0 counts as equal (section 11).
    return abs(one - other) <= max(1e-14 * max(abs(one), abs(other)), 1e-26) or (
        max(abs(one), abs(other)) < 1e-12
    )
