"""S2's own published tables (contract, trap T13): impossible as printed, possible as mended."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from crosscheck.audit import Audit, audit
from crosscheck.claims.reading import read_text

TABLES = (Path(__file__).parent / "s2.md").read_text(encoding="utf-8")
MENDED = (
    TABLES.replace("0.8206 ± 0.030", "0.8098 ± 0.030")
    .replace("+12.02%", "+14.19%")
    .replace("0.6497 ± 0.052 | +17.27%", "0.6605 ± 0.052 | +19.22%")
)


@pytest.fixture(scope="module")
def printed() -> Audit:
    return audit(read_text(TABLES, "s2.md", "markdown"))


@pytest.fixture(scope="module")
def mended() -> Audit:
    return audit(read_text(MENDED, "s2.md", "markdown"))


def metrics(found: object) -> set[str]:
    return {claim.metric for claim in found.cells}  # type: ignore[attr-defined]


def test_the_tables_as_printed_are_impossible_for_four_reasons(printed: Audit) -> None:
    errors = [(one.rule, frozenset(metrics(one))) for one in printed.findings]
    assert sorted(errors, key=str) == sorted(
        [
            ("XC912", frozenset({"hit@1", "ndcg@1"})),
            ("XC912", frozenset({"ndcg@5", "ndcg@10", "precision@5", "precision@10"})),
            ("XC915", frozenset({"ndcg@10"})),
            ("XC915", frozenset({"mrr@all"})),
        ],
        key=str,
    )


def test_the_change_of_ndcg_at_10_is_recomputed_from_its_cells(printed: Audit) -> None:
    found = next(one for one in printed.findings if metrics(one) == {"ndcg@10"})
    assert "+10.48%" in found.sentence
    assert "+11.95%" in found.sentence


def test_the_change_of_mrr_is_recomputed_from_its_cells(printed: Audit) -> None:
    found = next(one for one in printed.findings if metrics(one) == {"mrr@all"})
    assert "+12.02%" in found.sentence
    assert "+14.19%" in found.sentence
    assert "nothing else in the table decides" in found.explanations[0]


def test_the_hits_between_the_cut_offs_bound_ndcg_at_10(printed: Audit) -> None:
    found = next(one for one in printed.findings if "precision@10" in metrics(one))
    assert "ranks 6 to 10 can hold add at most 0.028" in found.sentence
    assert "does not fit is nDCG@10 / GNN (HPO) = 0.8206" in found.sentence
    highest = float(re.findall(r"[\d.]*\d", found.possible)[-1])
    assert 0.8098 < highest < 0.8206


def test_the_cell_and_not_the_percentage_is_blamed(printed: Audit) -> None:
    found = next(one for one in printed.findings if metrics(one) == {"ndcg@10"})
    assert "the cell, not the percentage, is the likely culprit" in found.explanations[0]
    assert "0.8098" in found.explanations[0]


def test_ndcg_at_1_is_the_cell_that_does_not_fit(printed: Audit) -> None:
    found = next(one for one in printed.findings if metrics(one) == {"hit@1", "ndcg@1"})
    assert "does not fit is nDCG@1 / GNN (HPO) = 0.6497" in found.sentence


def test_the_mended_tables_pass(mended: Audit) -> None:
    assert [one.sentence for one in mended.findings if one.severity == "error"] == []
    assert mended.possible


def test_what_is_left_against_the_mended_tables_is_told_as_advice(mended: Audit) -> None:
    """Six cells rule 0.8098 out together: 0.0576 · 0.3562 + 0.0212 · 0.2184 = 0.0251 < 0.0265.

    Hits at ranks 6–10: 10 · P@10 − 5 · P@5 ≤ 0.07875 a query. Of those, Hit@10 − Hit@5 ≤ 0.0576
    are a query's first and bring at most 1/log2(7) = 0.3562 each; the others stand in queries
    with a second gold and bring at most 0.3562/1.6309 = 0.2184.
    """
    advice = [one for one in mended.findings if one.severity == "advice"]
    assert [one.rule for one in advice] == ["XC913"]
    cells = {"hit@5", "hit@10", "ndcg@5", "ndcg@10", "precision@5", "precision@10"}
    assert metrics(advice[0]) == cells


@pytest.mark.parametrize("system", ["Baseline", "GNN (HPO)"])
def test_the_denominators_of_map_that_the_table_leaves(mended: Audit, system: str) -> None:
    (note,) = [one for one in mended.notes if f"“{system}”" in one]
    assert "compatible with MAP divided by min(|G|, K)" in note
    assert "by the hits found" in note
    assert "by |G| only if every query hit at rank 1 has one gold" in note
    assert "not compatible" not in note


def test_nothing_is_passed_over(printed: Audit) -> None:
    assert len(printed.claims) == 100
    assert len(printed.checked) == 100
    assert printed.unverifiable == ()
