"""Tables of noise: what contradicts is told, and looking into it has an end."""

from __future__ import annotations

import random

import pytest

from crosscheck.audit import Audit, audit, contradictions, ranked
from crosscheck.claims.reading import read_text

METRICS = ("nDCG", "MRR", "Recall", "Precision", "Hit")


def noise(systems: int, cutoffs: range, metrics: tuple[str, ...] = METRICS) -> Audit:
    chance = random.Random(7)
    heads = [f"{metric}@{k}" for metric in metrics for k in cutoffs]
    rows = [[f"{chance.random():.4f}" for _ in heads] for _ in range(systems)]
    lines = [["system", *heads], *([f"s{i}", *row] for i, row in enumerate(rows))]
    return audit(read_text("\n".join(map(",".join, lines)), "t.csv", "csv"))


def test_noise_is_impossible_however_much_of_it_is_looked_into(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(contradictions, "EFFORT", 60)
    found = noise(4, range(1, 4))
    assert not found.possible or any(one.rule == "XC913" for one in found.findings)
    assert {one.cells[0].system for one in found.findings} == {"s0", "s1", "s2", "s3"}
    assert any("no reason was looked for" in " ".join(one.explanations) for one in found.findings)


def test_the_effort_is_a_documents_and_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contradictions, "EFFORT", 60)
    first, second = (noise(2, range(1, 3)) for _ in range(2))
    assert [one.sentence for one in first.findings] == [one.sentence for one in second.findings]


def test_of_very_many_cutoffs_some_are_held_together_from_first_to_last() -> None:
    asked: list[set[float]] = []

    def kept(cells: dict[ranked.Measure, object], *_: object, **__: object) -> ranked.Tally:
        asked.append({measure.k for measure in cells})
        return ranked.Tally()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranked, "_audit_group", kept)
        noise(1, range(1, 101), ("nDCG",))
    assert [len(one) for one in asked] == [ranked.MOST_CUTOFFS]
    assert {1, 100} <= asked[0]
