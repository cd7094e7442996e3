"""The setting `families` (docs/interface.md): what is not wanted is as if it were not there."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import primary
from primary.families import NEEDS, SLICES_AND_UNITS

METRICS = [family for family in NEEDS if family not in SLICES_AND_UNITS]


def asked(settings: dict[str, Any], *families: str) -> dict[str, Any]:
    return settings | {"families": list(families)}


def evaluated(study: pl.DataFrame) -> pl.DataFrame:
    return study.filter(pl.col("split") == "EVAL")


def test_facts_list_the_wanted_families_that_the_data_suffices_for(
    small_study: pl.DataFrame, small_settings: dict[str, Any]
) -> None:
    few = small_study.drop("node_probs")
    facts = primary.describe(few, asked(small_settings, "ranking", "gamma", "posts"))
    assert facts["families"] == ["posts", "ranking"]
    assert facts["missing"].pop("gamma") == ["node_probs"]
    assert facts["missing"] == {
        family: ["not asked for"] for family in NEEDS if family not in {"posts", "ranking", "gamma"}
    }


@pytest.mark.parametrize("family", METRICS)
def test_a_family_alone_has_the_values_of_the_whole_ledger(
    family: str, small_study: pl.DataFrame, small_settings: dict[str, Any]
) -> None:
    whole = primary.evaluate(small_study, small_settings)
    alone = primary.evaluate(small_study, asked(small_settings, family))
    assert alone == {key: whole[key] for key in alone}
    assert not [key for key in alone if "|state=" in key or "|has_evidence=" in key]
    sliced = primary.evaluate(small_study, asked(small_settings, family, *SLICES_AND_UNITS))
    assert sliced == {key: whole[key] for key in sliced}
    assert alone.items() <= sliced.items()


def test_together_the_families_are_the_whole_ledger(
    small_study: pl.DataFrame, small_settings: dict[str, Any]
) -> None:
    assert primary.evaluate(small_study, asked(small_settings, *NEEDS)) == primary.evaluate(
        small_study, small_settings
    )


def test_what_only_others_need_is_not_read(small_study: pl.DataFrame) -> None:
    wrong = small_study.with_columns(
        state=pl.lit("?"), selected=pl.lit("["), node_probs=pl.lit("none")
    )
    given = {"families": ["ranking", "ties"], "columns": {"node_probs": "absent"}}
    assert primary.evaluate(wrong, given) == primary.evaluate(
        small_study.drop("selected", "node_probs"), {"families": ["ranking", "ties"]}
    )
    facts = primary.describe(wrong, given)
    assert list(facts["columns"]) == [
        *("post_id", "criterion_id", "fold", "split", "candidates", "scores", "gold"),
        *("has_evidence", "prob"),
    ]
    whole = primary.describe(small_study)
    assert facts["queries"] == whole["queries"]


@pytest.mark.parametrize(
    ("family", "column"),
    [
        ("confusion", "prob"),
        ("confusion", "pred"),
        ("states", "state"),
        ("states", "prob"),
        ("state_slices", "state"),
        ("ranking", "scores"),
        ("posts", "has_evidence"),
        ("gamma", "node_probs"),
    ],
)
def test_every_alternative_of_a_wanted_family_is_read(
    family: str, column: str, small_study: pl.DataFrame
) -> None:
    wrong = small_study.with_columns(pl.lit("wrong").alias(column))
    with pytest.raises(primary.InputError, match=f"column {column}"):
        primary.describe(wrong, {"families": [family]})


def test_missing_rows_matter_only_where_they_are_needed(small_study: pl.DataFrame) -> None:
    short = small_study.slice(1)
    with pytest.raises(primary.InputError, match="the post lacks the criterion"):
        primary.describe(short, {"families": ["per_post"]})
    primary.describe(short, {"families": ["confusion", "curves"]})
    untuned = small_study.filter((pl.col("split") == "EVAL") | (pl.col("fold") == 0))
    for family in ("tuned", "grid"):
        with pytest.raises(primary.InputError, match="fold 1 has no TUNE rows"):
            primary.describe(untuned, {"families": [family]})
    primary.describe(untuned, {"families": ["curves"]})


def test_without_posts_queries_are_the_unit(
    small_study: pl.DataFrame, small_settings: dict[str, Any]
) -> None:
    rows = evaluated(small_study)
    plan = {"query": primary.draw(rows.height, resamples=5, seed=1)}
    settings = asked(small_settings, "ranking")
    assert primary.describe(rows, settings)["posts"] is None
    found = primary.intervals(rows, settings, plan)
    assert list(found.replicates) == ["query"]
    swaps = [[1] * rows.height]
    compared = primary.compare((rows, settings), (rows, settings), plan, swaps=swaps)
    assert compared.ledger["mrr@all|positives_only|all|p/permutation"] == 1.0


@pytest.mark.parametrize(
    ("family", "metric"),
    [
        ("ranking", "ndcg@10"),
        ("dynamic_k", "evidence_recall"),
        ("curves", "auroc"),
        ("calibration", "brier"),
        ("confusion", "mcc"),
        ("states", "neg_rate"),
        ("per_post", "hamming_loss"),
    ],
)
def test_only_wanted_families_have_intervals_and_differences(
    family: str, metric: str, small_study: pl.DataFrame, small_settings: dict[str, Any]
) -> None:
    rows = evaluated(small_study)
    plan = {
        "post": primary.draw(14, resamples=5, seed=1),
        "query": primary.draw(rows.height, resamples=5, seed=2),
    }
    settings = asked(small_settings, family, "posts")
    found = primary.intervals(rows, settings, plan)
    whole = primary.intervals(rows, small_settings, plan)
    assert found.ledger == {key: whole.ledger[key] for key in found.ledger}
    metrics = {key.partition("|")[0] for key in found.ledger}
    assert metric in metrics
    others = {"ndcg@10", "evidence_recall", "auroc", "brier", "mcc", "neg_rate", "hamming_loss"}
    assert metrics & others == {metric}
    compared = primary.compare((rows, settings), (rows, settings))
    # The study has a label of probability 0, and an infinite loss compares with nothing.
    assert {key.partition("|")[0] for key in compared.ledger} == metrics - {"log_loss"}


def test_per_query_values_are_those_of_the_wanted_families(small_study: pl.DataFrame) -> None:
    frame = primary.per_query(small_study, {"families": ["dynamic_k"]})
    assert list(frame.columns) == [
        *("post_id", "criterion_id", "fold", "evidence_recall", "evidence_precision", "k"),
        *("prob", "pred", "has_evidence"),
    ]


def test_a_reading_keeps_its_families(small_study: pl.DataFrame) -> None:
    once = primary.read(small_study, {"families": ["ranking", "curves"]})
    assert primary.describe(once)["families"] == ["curves", "ranking"]
    assert "auroc|all_queries|all|value" not in primary.evaluate(once, families=["ranking"])
    assert "brier|all_queries|all|value" not in primary.evaluate(once, families=["calibration"])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], "no family is named; known are ranking, ties, "),
        (["ranks", "ranking"], "there is no family ranks; known are ranking, ties, "),
        ("ranking", "expected a list, found 'ranking'"),
    ],
)
def test_families_that_are_none_are_refused(given: Any, told: str) -> None:
    rows = pl.DataFrame({"query_id": ["q"]})
    with pytest.raises(primary.InputError) as caught:
        primary.read(rows, {"families": given})
    assert str(caught.value).startswith(f"setting 'families': {told}")
