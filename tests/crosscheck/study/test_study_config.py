"""The study's config is one that the program accepts and that says what the study is."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

from crosscheck import config, study

if TYPE_CHECKING:
    from pathlib import Path


def test_one_system_says_everything_at_the_top(tmp_path: Path) -> None:
    found = config.read(study.write(tmp_path)["config"])
    assert found.systems == {}
    assert found.data == "full.csv"
    assert found.claims is not None
    assert found.claims.files == ["claims.json"]
    assert (found.tau_neg, found.tau_pos) == (0.003, 0.85)
    assert found.rule == "fpr<=5%"


def test_several_systems_have_a_table_each(written: dict[str, Path]) -> None:
    found = config.read(written["config"])
    assert tuple(found.systems) == study.SYSTEM_NAMES
    assert all(found.of(name).data == f"{name}.csv" for name in study.SYSTEM_NAMES)


def test_claims_and_tau_belong_to_the_full_pipeline(written: dict[str, Path]) -> None:
    found = config.read(written["config"])
    claiming = [name for name in study.SYSTEM_NAMES if found.of(name).claims]
    staged = [name for name in study.SYSTEM_NAMES if "tau_neg" in found.settings(name)]
    assert claiming == staged == ["full"]


def test_thresholds_and_their_rule_belong_to_those_with_a_gate(written: dict[str, Path]) -> None:
    found = config.read(written["config"])
    ruled = [name for name in study.SYSTEM_NAMES if found.of(name).rule]
    decided = [name for name in study.SYSTEM_NAMES if "threshold" in found.settings(name)]
    assert ruled == decided == ["ne_gate", "full"]


def test_the_files_named_are_there(written: dict[str, Path]) -> None:
    found = config.read(written["config"])
    assert all(found.locate(f"{name}.csv").is_file() for name in found.systems)
    assert found.locate("claims.json").is_file()


def test_a_ranker_alone_has_no_thresholds() -> None:
    table = tomllib.loads(study.config_text(["retriever"], "parquet"))
    assert table.keys() == {"data", "views", "profile"}
    assert table["data"] == "retriever.parquet"


@pytest.mark.parametrize("systems", [["full"], study.SYSTEM_NAMES])
def test_the_profile_is_declared(systems: list[str]) -> None:
    profile = config.from_table(tomllib.loads(study.config_text(systems))).profile
    assert profile is not None
    assert profile.model_dump() == {
        "posts": 1477,
        "queries": 14_770,
        "with_evidence": 1379,
        "without_evidence": 13_391,
        "criteria": [f"A.{number}" for number in range(1, 11)],
        "posts_per_fold": [295, 295, 295, 295, 297],
        "queries_per_fold": [2950, 2950, 2950, 2950, 2970],
        "mean_candidates": [18, 22],
        "view_queries": {"dsm5": 13_293},
        "shared_candidates": True,
        "uid_pattern": "{post_id}_*",
    }
