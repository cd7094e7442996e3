"""One system against another: on all rows, on a sample, and without posts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import primary
import reference
from crosscheck import ablation
from crosscheck.ablation import paired
from crosscheck.data import readings, sampling
from crosscheck.report.assemble import report_of
from crosscheck.witnesses.implementations import REFERENCE
from crosscheck.witnesses.run import ask

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Settle = Callable[..., Any]

STEM = "ndcg@10|positives_only|folds"
STATISTICS = {
    "difference",
    "improvement",
    "difference_ci_low/post/percentile",
    "difference_ci_high/post/percentile",
    "p/permutation",
    "p/holm",
}


@pytest.fixture
def testify(settle: Settle) -> Callable[..., Any]:
    def compare(*metrics: str, resamples: int = 40) -> Any:
        (first, *_) = settle(*metrics).pairings
        return paired.compared(3, resamples, first)

    return compare


def test_both_answer_with_every_statistic(testify: Any) -> None:
    answer = testify("ndcg@10")
    expected = {f"{STEM}|{statistic}" for statistic in STATISTICS}
    assert set(answer.ledger) == set(answer.checked) == set(answer.reference) == expected


def test_a_sample_of_resamples_and_permutations_is_recomputed(testify: Any) -> None:
    answer = testify("ndcg@10", "mrr")
    assert len(answer.numbers) == 2
    assert answer.recomputed == 2 * 2 * 2
    assert answer.differing == ()


def test_the_sample_is_chosen_by_the_seed(testify: Any) -> None:
    assert testify("ndcg@10").numbers == testify("mrr").numbers


def test_large_data_are_verified_on_a_sample(testify: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = testify("ndcg@10")
    monkeypatch.setattr(paired, "REFERENCE", replace(REFERENCE, rows_limit=10))
    monkeypatch.setattr(sampling, "FEWEST", 1)
    answer = testify("ndcg@10")
    assert answer.scope == "1 in 2 posts"
    assert answer.ledger == whole.ledger
    assert answer.checked != whole.checked
    assert answer.checked == pytest.approx(answer.reference, abs=1e-12)


def test_a_system_is_read_once_for_all_its_comparisons(
    settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []

    def counted(data: Any, settings: Any) -> Any:
        read.append(data)
        return honest(data, settings)

    honest = reference.read
    monkeypatch.setattr(reference, "read", counted)
    pairings = settle("ndcg@10").pairings
    with readings.keeping():
        for one in pairings:
            paired.compared(3, 40, one)
    systems = {case.system for one in pairings for case in (one.baseline, one.system)}
    assert len(pairings) > 1
    assert len(read) == len(systems)


def test_a_file_that_has_changed_is_read_again(settle: Settle, folder: Path) -> None:
    [first, *_] = settle("ndcg@10").pairings
    with readings.keeping():
        before = paired.compared(3, 40, first).ledger
        (folder / "better.csv").write_bytes((folder / "base.csv").read_bytes())
        after = paired.compared(3, 40, first).ledger
    assert before[f"{STEM}|difference"] != 0.0
    assert after[f"{STEM}|difference"] == 0.0


def test_a_probability_in_one_system_alone_is_in_nobodys_way(
    settle: Settle, contestants: Any, folder: Path, save: Callable[..., Path]
) -> None:
    """Both have a decision and a selection, one has probabilities besides; no file is touched."""
    passed = [row | {"pred": 1} for row in contestants["gated"]]
    without = [{k: v for k, v in row.items() if k != "prob"} for row in passed]
    pair = [
        replace(case, data=str(save(rows, folder / f"{place}.csv")))
        for place, (case, rows) in enumerate(
            zip(settle("ndcg@10").cases, (passed, without), strict=False)
        )
    ]
    before = {path: path.read_bytes() for path in folder.iterdir()}
    key = "evidence_recall|positives_only|all|mean"
    answer = paired.compared(
        3, 40, paired.Pairing(pair[0].about((key,)), pair[1].about((key,)), (key,))
    )
    assert answer.ledger["evidence_recall|positives_only|all|difference"] == 0.0
    assert answer.reference == answer.ledger
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_a_failing_implementation_leaves_a_silence(
    settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise MemoryError("no room")

    monkeypatch.setattr(primary, "compare", broken)
    answer = ask(partial(paired.compared, 3, 40), settle("ndcg@10").pairings[0])
    assert "no room" in answer.reason  # type: ignore[union-attr]


@pytest.fixture
def without_posts(contestants: Any, folder: Path, save: Callable[..., Path]) -> None:
    """Write the systems again, with a plain key and no folds."""
    for name, rows in contestants.items():
        plain = [
            {"query_id": f"{row['post_id']} {row['criterion_id']}"}
            | {k: v for k, v in row.items() if k not in {"post_id", "criterion_id", "fold"}}
            for row in rows
        ]
        save(plain, folder / f"{name}.csv")


@pytest.mark.usefixtures("without_posts")
def test_without_posts_queries_are_resampled(run: Callable[..., Any]) -> None:
    outcome = run("ndcg@10", "mrr")
    rows = report_of(outcome).comparison.rows
    assert {row.unit for row in rows if row.difference is not None} == {"query"}
    assert {row.key.split("|")[2] for row in rows} == {"all"}
    assert [one for one in outcome.ablation.findings if one.severity == "error"] == []


def test_the_seed_decides_the_interval(sources: Any, cases: Any) -> None:
    found = []
    for seed in (3, 3, 4):
        wanted = ablation.Wanted(sources, ("ndcg@10",), resamples=40)
        first = ablation.contest(wanted, cases, seed=seed).pairings[0]
        found.append(paired.compared(seed, 40, first).ledger)
    assert found[0] == found[1]
    assert found[0] != found[2]
