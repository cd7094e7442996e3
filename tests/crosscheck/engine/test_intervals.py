"""Intervals of an engine: a case by hand, groups, the primary's replicates for the same counts."""

from __future__ import annotations

import hashlib
import math
import random
from contextlib import closing
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import primary
from crosscheck import config, study
from crosscheck.engine.connect import connect
from crosscheck.engine.evaluate import evaluate
from crosscheck.engine.intervals import rankings
from crosscheck.engine.intervals.drawn import Drawn, draw
from crosscheck.engine.intervals.ends import corrected, percentile
from crosscheck.engine.intervals.groups import group, group_of
from crosscheck.engine.intervals.sums import cut
from crosscheck.engine.table import open_table
from crosscheck.witnesses.plan import Draws

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Columns = dict[str, list[Any]]
    Write = Callable[..., str]
    Draw = Callable[..., Columns]

pytestmark = pytest.mark.filterwarnings("ignore")


class Given:
    """A plan that is written down."""

    def __init__(self, counts: list[list[int]]) -> None:
        self.counts = counts

    def groups(self, size: int, unit: str) -> Any:
        del unit
        assert {len(row) for row in self.counts} == {size}
        return np.array(self.counts)

    def kinds(self, counts: tuple[int, ...]) -> Iterator[Any]:
        yield np.array([counts, counts])


def asked(
    path: str, settings: dict[str, Any], draws: Any, groups: int = 4096, address: str = "duckdb"
) -> Drawn:
    with closing(connect(address)) as engine:
        facts = evaluate(engine, [path], settings).facts
        return draw(engine, [path], settings, facts, draws, groups=groups)


def test_a_case_by_hand(written: Write) -> None:
    """Three posts: a hit at rank 1, a hit at rank 2, a miss; b twice, then a and c."""
    path = written(
        {
            "post_id": ["b", "a", "c"],
            "criterion_id": ["x", "x", "x"],
            "candidates": [["1", "2"], ["1", "2"], ["1", "2"]],
            "gold": [["2"], ["1"], ["3"]],
            "prob": [0.5, 0.25, 0.75],
            "pred": [1, 1, 0],
        }
    )
    # Units are in the order of their ids: a, b, c.
    found = asked(path, {"k": [3]}, Given([[0, 3, 0], [1, 2, 0], [1, 1, 1]]))
    assert found.units["post"] == "each of the 3 posts"
    values = {key: one.replicates.tolist() for key, one in found.samples["post"].items()}
    assert values["mrr@3|positives_only|all|mean"] == [0.5, 2 / 3, 0.5]
    assert values["hit@3|positives_only|all|mean"] == [1.0, 1.0, pytest.approx(2 / 3, abs=1e-16)]
    assert values["sensitivity|all_queries|all|value"] == [1.0, 1.0, pytest.approx(2 / 3)]
    # (1 − 0.5)² = 0.25, (1 − 0.25)² = 0.5625, (1 − 0.75)² = 0.0625.
    assert values["brier|all_queries|all|value"] == [0.25, 1.0625 / 3, 0.875 / 3]
    # Bins of b: |1 − 0.5|; of a and b twice: (0.75 + 2·0.5)/3; of all three: 1.5/3.
    assert values["ece@10|all_queries|all|value"] == [0.5, 1.75 / 3, 0.5]
    [mrr] = [one for key, one in found.samples["post"].items() if key.startswith("mrr@3|pos")][:1]
    assert mrr.estimate == 0.5
    # Without a: (1/2 + 0)/2; without b: (1 + 0)/2; without c: (1 + 1/2)/2.
    assert mrr.deleted.tolist() == [0.25, 0.5, 0.75]


def test_groups_are_the_same_in_python_and_in_duckdb(written: Write) -> None:
    ids = [f"é{number}' \\ \U0001f600" for number in range(300)]
    path = written({"post_id": ids, "criterion_id": ["x"] * 300, "prob": [0.5] * 300})
    with closing(connect("duckdb")) as engine:
        table = open_table(engine, [path], {})
        grouping = group(table, "post", 64)
        rows = engine.rows("SELECT post_id, unit_0 FROM grouped_rows")
    assert grouping.text() == "64 groups of posts"
    assert dict(rows) == {one: group_of(one, 64) for one in ids}
    first = hashlib.sha256(ids[0].encode()).hexdigest()[:16]
    assert group_of(ids[0], 64) == int(first, 16) % 64


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    """Give the built-in study's full pipeline as Parquet, with its settings."""
    folder: Path = tmp_path_factory.mktemp("study")
    study.write(folder, systems=("full",), format="parquet")
    settings = config.read(folder / config.FILE).settings(None)
    return str(folder / "full.parquet"), settings


def test_no_more_posts_than_groups_is_the_exact_bootstrap(
    full: tuple[str, dict[str, Any]],
) -> None:
    path, settings = full
    resamples = 40
    draws = Draws(7, resamples)
    found = asked(path, settings, draws)
    rows = primary.table(path, settings)
    rows = rows.filter(rows["split"] == "EVAL")
    order = list(dict.fromkeys(zip(rows["fold"].to_list(), rows["post_id"].to_list(), strict=True)))
    counts = draws.groups(len(order), "post")
    places = {unit: place for place, unit in enumerate(sorted(order))}
    counts = counts[:, [places[unit] for unit in order]]
    queries = draws.groups(rows.height, "query")
    theirs = primary.intervals(path, settings, {"post": counts, "query": queries})
    ours = found.samples["post"]
    assert len(ours) == 700
    for key, one in ours.items():
        assert one.estimate == pytest.approx(theirs.estimates[key], abs=1e-13)
        assert one.replicates == pytest.approx(theirs.replicates["post"][key], abs=1e-12)
    ends = {key: value for key, value in found.ledger.items() if "/post/" in key}
    assert ends == pytest.approx({key: theirs.ledger[key] for key in ends}, abs=1e-11)
    flags = {key for key in theirs.flags if key in ends}
    assert flags == {key for key in found.flags if "/post/" in key}
    # By query the estimates and deletions are the primary's, whatever was drawn.
    for key, one in found.samples["query"].items():
        assert one.estimate == pytest.approx(theirs.estimates[key], abs=1e-13)
    key = "ndcg@10|positives_only|all|mean"
    one = found.samples["query"][key]
    values, weights = one.deletions()
    exact = np.sort(theirs.jackknife["query"][key])
    ordered = np.argsort(values)
    spread = np.repeat(values[ordered], weights[ordered].astype(int))
    assert spread == pytest.approx(exact, abs=1e-13)


def random_columns(drawn: Draw, below: Draw) -> Columns:
    draw_ = random.Random(5)
    columns = below(*(drawn(draw_, f"s{number}", 40) for number in range(4)))
    columns["fold"] = [number // 2 % 2 for number in range(160)]
    columns["prob"] = [min(max(one, 0.001), 0.999) for one in columns["prob"]]
    return columns


def test_duckdb_and_sail_draw_the_same_bits(written: Write, drawn: Draw, below: Draw) -> None:
    from pysail.spark import SparkConnectServer  # noqa: PLC0415 - heavy

    path = written(random_columns(drawn, below))
    settings = {"k": [3], "tau_neg": 0.1, "tau_pos": 0.6}
    server = SparkConnectServer(ip="127.0.0.1", port=0)
    server.start(background=True)
    try:
        address = f"sc://127.0.0.1:{server.listening_address[1]}"
        for groups in (16, 4096):
            ours = asked(path, settings, Draws(1, 20), groups)
            theirs = asked(path, settings, Draws(1, 20), groups, address)
            assert len(ours.ledger) > 300
            assert ours.ledger == theirs.ledger
            assert (ours.flags, ours.units) == (theirs.flags, theirs.units)
    finally:
        server.stop()


def test_seeds_go_together_and_are_not_drawn(written: Write, drawn: Draw, below: Draw) -> None:
    once = random_columns(drawn, below)
    columns = below(once, once)
    columns["seed"] = ["1"] * 160 + ["2"] * 160
    path = written(columns)
    found = asked(path, {"k": [3]}, Draws(1, 10), 4096)
    # A post is one whatever its seed and fold; queries too, so that kinds of rows would not do.
    assert found.units == {"post": "each of the 80 posts", "query": "each of the 160 queries"}
    key = "mrr@3|positives_only|seeds|ci_low/post/percentile"
    alike = "mrr@3|positives_only|folds|ci_low/post/percentile"
    assert found.ledger[key] == pytest.approx(found.ledger[alike], abs=1e-12)
    why = found.declined["mrr@3|positives_only|all|ci_low/seed/percentile"]
    assert why.startswith("seeds are not drawn by an engine")


def test_what_cannot_be_drawn_has_its_reason(
    written: Write, drawn: Draw, below: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rankings, "MOST", 2)
    path = written(random_columns(drawn, below))
    found = asked(path, {"k": [3]}, Draws(1, 10), 16)
    reasons = {key.split("|")[0]: why for key, why in found.declined.items() if "/post/" in key}
    assert "more than" in reasons["ndcg@3"]
    for metric in ("auroc", "auprc", "tpr@fpr=5%", "ece@10/equal_mass"):
        assert "in the order of their scores" in reasons[metric]
    # By query nothing is sent: the kinds are drawn here.
    assert "ndcg@3|positives_only|all|ci_low/query/bca" in found.ledger


def test_sums_are_exact_whatever_their_size() -> None:
    draw_ = random.Random(3)
    rows = [[draw_.randint(-(2**76), 2**76), draw_.randint(0, 9)] for _ in range(50)]
    counts = [[draw_.randint(0, 2**20) for _ in rows] for _ in range(4)]
    pieces = cut(rows, 2, max(map(sum, counts)))
    found = pieces.weighed(np.array(counts, dtype=np.float64))
    for row, drawn_ in zip(found.tolist(), counts, strict=True):
        exact = [
            sum(count * one[column] for count, one in zip(drawn_, rows, strict=True))
            for column in range(2)
        ]
        assert row[1] == exact[1]
        assert abs(Fraction(row[0]) - exact[0]) <= abs(exact[0]) * Fraction(1, 2**51)


def test_ends_by_hand() -> None:
    values = np.array([4.0, 1.0, 3.0, 2.0, 5.0])
    assert percentile(np.sort(values), 0.25) == 2.0
    assert percentile(np.sort(values), 0.1) == pytest.approx(1.4)
    assert percentile(np.array([1.0, math.inf]), 0.5) == math.inf
    # No bias, no bend: the percentile interval itself.
    even = corrected(3.0, values, np.array([1.0, 2.0, 3.0]), np.ones(3))
    assert even == pytest.approx((1.1, 4.9))
    assert corrected(9.0, values, np.array([1.0, 2.0]), np.ones(2)) is None
    assert corrected(3.0, values, np.array([1.0, 1.0]), np.ones(2)) is None
    assert corrected(3.0, np.array([1.0, math.inf]), values, np.ones(5)) is None
