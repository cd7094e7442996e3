"""One more ranking metric, or one more file format, is one entry, and shows up everywhere."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

import reference
from reference import files, magnify, ranking, values

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Jsonl = Callable[[list[dict[str, Any]]], Path]

SETTINGS = {"k": [3], "gamma": [0.5], "tau_neg": 0.2, "tau_pos": 0.6}


def study() -> list[dict[str, Any]]:
    """Return queries with gold at ranks 1 and 3, 2 and 4, and one without gold."""
    golds = [["a", "c"], ["b", "d"], []]
    return [
        {
            "post_id": f"p{number}", "criterion_id": "A", "fold": number % 2, "gold": gold,
            "candidates": ["a", "b", "c", "d"], "scores": [4, 3, 2, 2], "prob": 0.4,
        }
        for number, gold in enumerate(golds)
    ]  # fmt: skip


def first_of_gold(seen: ranking.Shape, _none: None) -> int:
    """Return the hits among the first |G|: a numerator of one's own."""
    return len(seen.within(seen.gold))


def patience(seen: ranking.Shape, p: Decimal) -> Fraction:
    """Return (1 − p)·Σ p^(rank − 1): persistence."""
    going, found = Fraction(p), Fraction(0)
    for rank in reversed(range(1, seen.ranked + 1)):
        found = found * going + (rank in seen.hits)
    return found * (1 - going)


ADDED = {
    "oneprecision": ranking.Metric(
        "oneprecision", first_of_gold, ranking.gold, (None,), (None,), values=None
    ),
    "persist@p=0.5": ranking.Metric(
        "persist@p={}", patience, ranking.one, (Decimal("0.5"),), values="gamma"
    ),
}
# By hand: ranks {1, 3} and {2, 4} of |G| = 2, ½·(1 + ¼) and ½·(½ + ⅛); ties can swap ranks 3, 4.
PER_QUERY = {"oneprecision": [0.5, 0.5, 0.0], "persist@p=0.5": [0.625, 0.3125, 0.0]}
BOUNDS = {"oneprecision": (0.5, 0.5), "persist@p=0.5": (0.4375, 0.5)}


@pytest.fixture(params=ADDED)
def name(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(ranking, "METRICS", (*ranking.METRICS, ADDED[request.param]))
    return str(request.param)


def test_a_new_metric_is_in_the_ledger_with_all_its_slices_statistics_and_bounds(
    jsonl: Jsonl, name: str
) -> None:
    found = reference.evaluate(jsonl(study()), SETTINGS)
    positives = PER_QUERY[name][:2]
    assert found[f"{name}|positives_only|all|mean"] == sum(positives) / 2
    assert found[f"{name}|all_queries|all|mean"] == sum(positives) / 3
    assert found[f"{name}|positives_only|fold=1|median"] == positives[1]
    assert found[f"{name}|all_queries|state=UNCERTAIN|p75"] == (positives[0] + positives[1]) / 2
    assert found[f"{name}|positives_only|folds|mean"] == sum(positives) / 2
    low, high = BOUNDS[name]
    assert found[f"{name}/tie_low|positives_only|all|mean"] == low
    assert found[f"{name}/tie_high|positives_only|all|mean"] == high


def test_a_new_metric_is_in_the_values_by_query(jsonl: Jsonl, name: str) -> None:
    assert reference.per_query(jsonl(study()), SETTINGS)[name] == PER_QUERY[name]


def test_a_new_headline_metric_has_intervals_and_is_compared(jsonl: Jsonl, name: str) -> None:
    path, sample = jsonl(study()), {"query": {"replicates": [0]}}
    plan = {"query": [[3, 0, 0]]}
    found = reference.intervals(path, SETTINGS, plan, {}, {}, sample)["recomputed"]["query"]
    assert found["replicates"][f"{name}|positives_only|all|mean"] == {0: PER_QUERY[name][0]}
    compared = reference.compare((path, SETTINGS), (path, SETTINGS))["ledger"]
    assert compared[f"{name}|positives_only|folds|difference"] == 0


def test_a_metric_is_owed_per_criterion_where_its_row_says_so(jsonl: Jsonl, name: str) -> None:
    found = reference.evaluate(jsonl(study()), SETTINGS)
    assert (f"{name}|positives_only|criteria|macro" in found) == (name == "oneprecision")


def test_a_new_metric_is_shown_query_by_query(jsonl: Jsonl, name: str) -> None:
    read = reference.read(jsonl(study()), SETTINGS)
    with values.high_precision():
        shown = magnify.key(read, f"{name}|positives_only|all|mean")
        lines = list(magnify.query(read, ["p0", "A"]))
    tallied = shown["counts"]["queries_by_value"]
    assert {Fraction(value) for value in tallied} == set(map(Fraction, PER_QUERY[name][:2]))
    assert any(line.startswith(f"    {name} = ") for line in lines)


def test_a_new_file_format_is_read_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def blanks(path: Path) -> files.Source:
        header, *rows = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
        return files.Source(
            header, lambda names, _: ([row[header.index(n)] for n in names] for row in rows)
        )

    monkeypatch.setitem(files.FORMATS, ".txt", files.Format(blanks, is_text=False))
    path = tmp_path / "data.txt"
    path.write_text("query_id pred has_evidence\na 1 1\nb 1 0\n", encoding="utf-8")
    assert reference.evaluate(path)["precision|all_queries|all|value"] == 0.5
    with pytest.raises(reference.InputError, match=r"or \.feather or \.txt file"):
        reference.evaluate(tmp_path / "data.xls")
