"""A case asked about some keys alone: little is read and computed, and every value is the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import primary
import reference
from crosscheck import config as configs
from crosscheck.config import systems
from crosscheck.data.case import Case, make_case

if TYPE_CHECKING:
    from pathlib import Path

NDCG = "ndcg@10|positives_only|all|mean"
AUROC = "auroc|all_queries|all|value"
RECALL = "evidence_recall|positives_only|all|mean"
ALWAYS = {"post_id", "criterion_id", "fold", "split", "gold", "has_evidence", "prob"}


@pytest.fixture
def case(study: Path) -> Case:
    (source,) = systems.choose(
        configs.read(study / "crosscheck.toml"), data=str(study / "data.csv")
    )
    return make_case(source, source.settings, wants_intervals=False)


def test_every_key_can_be_asked_for_alone(case: Case) -> None:
    """Each key comes, with the value of the whole ledger, from what is asked for its sake."""
    whole = primary.evaluate(case.data, case.settings)
    by_settings: dict[str, tuple[dict[str, Any], list[str]]] = {}
    for key in case.owed:
        settings = case.about([key]).settings
        by_settings.setdefault(str(settings), (settings, []))[1].append(key)
    assert len(by_settings) > len(case.facts["families"])
    for settings, keys in by_settings.values():
        some = primary.evaluate(case.data, settings)
        assert {key: some.get(key) for key in keys} == {key: whole[key] for key in keys}


@pytest.mark.parametrize("package", [primary, reference])
@pytest.mark.parametrize(
    ("key", "families", "columns"),
    [
        (NDCG, {"ranking"}, {"candidates", "scores"}),
        (AUROC, {"curves"}, set()),
        (RECALL, {"dynamic_k"}, {"selected"}),
        ("ndcg@10/tie_low|positives_only|all|mean", {"ties"}, {"candidates", "scores"}),
        ("exact_match|posts|all|value", {"per_post"}, set()),
        ("k|all_queries|state=POS|mean", {"dynamic_k", "state_slices"}, {"selected"}),
        ("queries|predicted_positive|all|n", set(), set()),
    ],
)
def test_only_what_a_number_needs_is_read(
    package: Any, key: str, families: set[str], columns: set[str], case: Case
) -> None:
    facts = package.describe(case.data, case.about([key]).settings)
    assert set(facts["families"]) == {"posts", *families}
    assert set(facts["columns"]) == ALWAYS | columns
    assert facts["posts"] == case.facts["posts"]


def test_only_the_cut_offs_asked_for_are_computed(case: Case) -> None:
    asked = case.about([NDCG, "recall@3|positives_only|all|mean"]).settings
    assert asked["k"] == [10, 3]
    assert asked["fpr"] == ["1"]
    assert "views" not in asked
    assert case.about(["mrr@all|positives_only|view=one|mean"]).settings["views"]


def test_what_was_declared_stays(case: Case) -> None:
    asked = case.about([NDCG]).settings
    given = case.settings
    assert {name: asked[name] for name in ("threshold", "tau_neg", "tau_pos", "grid")} == {
        name: given[name] for name in ("threshold", "tau_neg", "tau_pos", "grid")
    }


def test_trec_files_can_be_asked_about_some_keys(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("q 0 d1 1\nq 0 d2 0\n")
    (tmp_path / "a.run").write_text("q Q0 d2 1 2.0 r\nq Q0 d1 2 1.0 r\n")
    files = {"qrels": str(tmp_path / "a.qrels"), "run": str(tmp_path / "a.run")}
    asked = Case("s", files, {}, {}, ()).about(["mrr@all|positives_only|all|mean"])
    for package in (primary, reference):
        ledger = package.evaluate(asked.data, asked.settings)
        assert ledger["mrr@all|positives_only|all|mean"] == 0.5
        assert "auroc|pairs|all|value" not in ledger
