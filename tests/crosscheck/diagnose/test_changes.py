"""Wrong improvements and p-values: which reading, which test gives the printed number."""

from __future__ import annotations

import polars as pl
import pytest
from scipy import stats

from crosscheck.claims.reading import read_text
from crosscheck.claims.verify import verify
from crosscheck.diagnose.changes import explain_change, explain_p
from crosscheck.diagnose.scene import Scene
from crosscheck.model.comparison import Comparison, ComparisonRow
from crosscheck.notation.claim import Claim
from crosscheck.notation.number import parse

QUERIES = [f"q{i:02d}" for i in range(40)]
KEY = "mrr@all|positives_only|all|mean"


def scene(step: int) -> Scene:
    """Rank the gold of query i at place 1 + i·step mod 7."""
    names = [f"d{i}" for i in range(8)]
    gold = [[names[i * step % 7]] for i in range(len(QUERIES))]
    rows = {"query_id": QUERIES, "candidates": [names] * len(QUERIES), "gold": gold}
    return Scene(pl.DataFrame(rows))


@pytest.fixture(scope="module")
def pair() -> Scene:
    """The system “new”, with the system “old” beside it."""
    new, old = scene(7), scene(3)
    better = scene(2)
    return Scene(better.data, others={"old": old, "ideal": new})


def change(text: str, role: str = "improvement", against: str | None = "old") -> Claim:
    number = parse(text).number
    assert number is not None
    return Claim(
        "c.json", "", "MRR", text, role, number, "new", KEY, percent="%" in text, against=against
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mistake", "made"),
    [
        ("change-of-the-new", lambda old, new: 100 * (new - old) / new),
        ("change-in-points", lambda old, new: 100 * (new - old)),
        ("change-as-difference", lambda old, new: new - old),
        ("change-of-the-error", lambda old, new: 100 * (new - old) / (1 - old)),
        ("change-as-share", lambda old, new: 100 * new / old),
    ],
)
def test_a_change_read_otherwise_is_named(pair: Scene, mistake: str, made: object) -> None:
    old, new = float(pair.others["old"].ledger[KEY]), float(pair.ledger[KEY])
    assert old != new
    printed = f"{made(old, new):+.4f}"  # type: ignore[operator]
    found = explain_change(change(printed), 100 * (new - old) / old, pair, "new")
    assert found is not None
    assert found.suspects[0].names == (mistake,)


def test_a_change_against_another_system_is_named(pair: Scene) -> None:
    old, new = float(pair.others["ideal"].ledger[KEY]), float(pair.ledger[KEY])
    found = explain_change(change(f"{100 * (new - old) / old:+.4f}"), 1.0, pair, "new")
    assert found is not None
    assert found.suspects[0].mistakes == (
        ("change-relative", ""),
        ("change-against-another", "ideal"),
    )


def compared(p: float) -> Comparison:
    row = ComparisonRow(
        system="new", baseline="old", key=KEY, name="MRR", value=0.5, difference=0.1, p=p,
        p_holm=min(1.0, 3 * p),
    )  # fmt: skip
    return Comparison(
        baseline="old", systems=["old", "new"], metrics=[KEY, "a", "b"], resamples=1000,
        correction="holm", rows=[row],
    )  # fmt: skip


def test_a_p_value_that_is_not_corrected_is_named(pair: Scene) -> None:
    found = explain_p(change("0.0213", "p_value"), 0.0639, pair, "new", compared(0.0213))
    assert found is not None
    assert found.suspects[0].names == ("p-not-corrected",)


def test_the_p_value_of_another_test_is_named(pair: Scene) -> None:
    a, b = (one.bench.columns["mrr@all"] for one in (pair.others["old"], pair))
    p = float(stats.ttest_rel(b, a).pvalue)
    found = explain_p(change(f"{p:.5f}", "p_value"), 0.9, pair, "new", compared(0.3))
    assert found is not None
    assert found.suspects[0].mistakes == (("p-of-another-test", "a paired t-test"),)


def test_a_metric_that_nobody_knows_is_called_unknown() -> None:
    claims = read_text(
        '{"a": {"MRR": 0.5, "zorp@5": 0.2}, "x": {"a": {"MRR": 0.1}}}', "c.json", "json"
    )
    told = {
        one.claim.printed: one.sentence
        for one in verify(claims, {KEY: 0.5}, system="a", rankings=["a", "b"])
    }
    assert "“zorp@5” is no metric that the contract knows" in told["0.2"]
    assert "belongs to “x / a”, which is no ranking of this run" in told["0.1"]
    assert "holds" in told["0.5"]
