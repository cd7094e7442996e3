"""Section 18: repetitions and declared slices, by the ledgers of their rows taken apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest

import primary

SETTINGS: dict[str, Any] = {"slices": {"dataset": "corpus"}, "k": [1, 3]}
SEEDS = ("0", "1|%", "2")


def rows_of(*, folds: bool, seed: int = 3) -> pl.DataFrame:
    """Six posts of two criteria, three seeds; labels and gold are the same in every seed."""
    rng = np.random.default_rng(seed)
    gold = {(post, one): rng.random() < 0.6 for post in range(6) for one in "AB"}
    rows = []
    for name in SEEDS:
        for post in range(6):
            for criterion in "AB":
                ids = [f"s{number}" for number in range(4)]
                held = ids[: 1 + post % 2] if gold[post, criterion] else []
                rows.append(
                    {
                        "seed": name,
                        "post_id": f"p{post}",
                        "criterion_id": criterion,
                        "split": "EVAL",
                        "corpus": "|".join("xy"[: 1 + post % 2]) if post else None,
                        "candidates": rng.permutation(ids).tolist(),
                        "scores": rng.random(4).round(1).tolist(),
                        "gold": held,
                        "grades": rng.integers(1, 4, len(held)).tolist(),
                        "prob": float(rng.random().__round__(1)),
                        **({"fold": post % 2} if folds else {}),
                    }
                )
        for number in range(6 * folds):
            tune = {"post_id": f"t{number}", "criterion_id": "A", "split": "TUNE"}
            tune |= {"seed": name, "fold": number % 2, "prob": float(rng.random().__round__(1))}
            rows.append(tune | {"gold": ["s"] if rng.random() < 0.5 else []})
    return pl.DataFrame(rows, infer_schema_length=None)


def of_slice(ledger: dict[str, Any], part: str) -> dict[str, Any]:
    return {key: value for key, value in ledger.items() if key.split("|")[2] == part}


def renamed(ledger: dict[str, Any], part: str) -> dict[str, Any]:
    found = {}
    for key, value in ledger.items():
        metric, population, _, statistic = key.split("|")
        found[f"{metric}|{population}|{part}|{statistic}"] = value
    return found


@pytest.mark.parametrize("folds", [False, True])
def test_a_seed_is_what_its_rows_alone_give(folds: bool) -> None:
    frame = rows_of(folds=folds)
    ledger = primary.evaluate(frame, SETTINGS)
    largest = {"grade_max": primary.describe(frame, SETTINGS)["grade_max"]}
    for name, escaped in zip(SEEDS, ("0", "1%7C%25", "2"), strict=True):
        alone = primary.evaluate(frame.filter(pl.col("seed") == name), SETTINGS | largest)
        part = f"seed={escaped}"
        assert of_slice(ledger, part) == renamed(of_slice(alone, "all"), part)
        assert of_slice(alone, part) == of_slice(ledger, part)


@pytest.mark.parametrize("folds", [False, True])
def test_seeds_are_the_mean_of_what_each_gives(folds: bool) -> None:
    frame = rows_of(folds=folds)
    ledger = primary.evaluate(frame, SETTINGS)
    largest = {"grade_max": primary.describe(frame, SETTINGS)["grade_max"]}
    alone = [
        primary.evaluate(frame.filter(pl.col("seed") == name), SETTINGS | largest) for name in SEEDS
    ]
    over = of_slice(ledger, "seeds")
    means = {key for key in over if key.endswith("|mean")}
    metrics = {key.partition("|")[0] for key in means}
    assert {"ndcg@3/graded", "gmap", "auroc", "accuracy", "hamming_loss"} <= metrics
    assert ("tpr@fpr=5%/tuned" in metrics) is folds
    assert not {"positive_rate", "tp", "recall@1/tie_low", "threshold@fpr=5%"} & metrics
    own = "folds" if folds else "all"
    for key in means:
        metric, population, _, _ = key.split("|")
        stem = f"{metric}|{population}"
        values = []
        for one in alone:
            tried = (f"{stem}|{own}|mean", f"{stem}|{own}|value")
            values.append(next(one[name] for name in tried if name in one))
        if math.inf in values:
            assert over[key] == math.inf
            continue
        mean = sum(values) / 3
        spread = sum((value - mean) ** 2 for value in values)
        assert over[key] == pytest.approx(mean, abs=1e-12)
        assert over[f"{stem}|seeds|std"] == pytest.approx(math.sqrt(spread / 2), abs=1e-12)
        assert over[f"{stem}|seeds|std/population"] == pytest.approx(
            math.sqrt(spread / 3), abs=1e-12
        )
    entering = {key.split("|")[0] for key in alone[0] if key.split("|")[2] == "folds"}
    assert entering == metrics or not folds


def test_tuned_thresholds_belong_to_a_seed_and_rates_pool_them() -> None:
    frame = rows_of(folds=True)
    ledger = primary.evaluate(frame, SETTINGS)
    assert not [key for key in ledger if key.startswith("threshold@fpr=5%/tuned")]
    alone = [primary.evaluate(frame.filter(pl.col("seed") == name), SETTINGS) for name in SEEDS]
    evaluated = frame.filter((pl.col("split") == "EVAL") & (pl.col("fold") == 0))
    tp = positives = 0
    for name, one in zip(SEEDS, alone, strict=True):
        threshold = one["threshold@fpr=5%/tuned|all_queries|fold=0|value"]
        rows = evaluated.filter(pl.col("seed") == name, pl.col("gold").list.len() > 0)
        positives += rows.height
        tp += rows.filter(pl.col("prob") >= threshold).height
    assert ledger["tpr@fpr=5%/tuned|all_queries|fold=0|value"] == tp / positives
    grid = "neg_rate@tau=0.3,0.5|tune_queries|fold=1|value"
    tune = frame.filter((pl.col("split") == "TUNE") & (pl.col("fold") == 1))
    assert ledger[grid] == tune.filter(pl.col("prob") < 0.3).height / tune.height


def test_a_declared_slice_is_what_its_rows_alone_give() -> None:
    frame = rows_of(folds=False)
    ledger = primary.evaluate(frame, SETTINGS)
    largest = {"grade_max": primary.describe(frame, SETTINGS)["grade_max"], "k": [1, 3]}
    facts = primary.describe(frame, SETTINGS)
    assert facts["slices"] == {"dataset": ["", "x", "x|y"]}
    assert facts["seeds"] == list(SEEDS)
    assert facts["posts"] == 6
    for value, escaped in (("x", "x"), ("x|y", "x%7Cy"), ("", "")):
        rows = frame.filter(pl.col("corpus").fill_null("") == value)
        alone = renamed(of_slice(primary.evaluate(rows, largest), "all"), f"dataset={escaped}")
        got = of_slice(ledger, f"dataset={escaped}")
        assert {key for key in got if key not in alone} == {
            f"{name}|all_queries|dataset={escaped}|value" for name in ("n_queries", "n_positive")
        }
        assert {key: value for key, value in got.items() if key in alone} == {
            key: alone[key] for key in got if key in alone
        }
    metrics = {key.split("|")[0] for key in of_slice(ledger, "dataset")}
    assert metrics == {
        *("auroc", "auprc", "sensitivity", "precision", "positive_rate", "mrr@all"),
    }
    full = primary.evaluate(frame, {"slices": {"dataset": "corpus"}})
    assert "ndcg@10/graded" in {key.split("|")[0] for key in of_slice(full, "dataset")}
    parts = [full[f"mrr@all|positives_only|dataset={one}|mean"] for one in ("", "x", "x%7Cy")]
    assert full["mrr@all|positives_only|dataset|macro"] == pytest.approx(sum(parts) / 3)
    assert full["mrr@all|positives_only|dataset|micro"] == full["mrr@all|positives_only|all|mean"]


@pytest.mark.parametrize(
    ("slices", "words"),
    [
        ({"seed": "corpus"}, "no slice can be called 'seed'"),
        ({"1a": "corpus"}, "no slice can be called '1a'"),
        ({"dataset": "nowhere"}, "the settings map the slice dataset to 'nowhere'"),
        ("corpus", "expected names and columns"),
    ],
)
def test_slices_that_cannot_be_are_refused(slices: Any, words: str) -> None:
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(rows_of(folds=False), {"slices": slices})
    assert words in str(caught.value)


def test_too_many_values_are_no_slice() -> None:
    rows = pl.DataFrame({"query_id": [str(number) for number in range(10_001)]})
    with pytest.raises(primary.InputError, match="the slice has 10,001 values"):
        primary.evaluate(rows, {"slices": {"each": "query_id"}})


def test_a_key_stands_once_in_a_seed() -> None:
    rows = pl.DataFrame({"query_id": ["a", "a"], "seed": [1, 2], "prob": [0.5, 0.5]})
    assert primary.describe(rows)["seeds"] == ["1", "2"]
    with pytest.raises(primary.InputError, match="the key is already in row 1"):
        primary.evaluate(rows.with_columns(seed=pl.lit("1")))
    with pytest.raises(primary.InputError, match="column seed: the id is empty"):
        primary.evaluate(rows.with_columns(seed=pl.lit("")))
    one = primary.describe(rows.head(1))
    assert one["seeds"] == ["1"]
    ledger = primary.evaluate(rows.head(1).with_columns(has_evidence=1))
    assert ledger["brier|all_queries|seeds|mean"] == 0.25
    assert ledger["brier|all_queries|seed=1|value"] == 0.25


def test_every_seed_and_fold_needs_its_own_tune_rows() -> None:
    frame = rows_of(folds=True)
    lacking = frame.filter(
        ~((pl.col("split") == "TUNE") & (pl.col("seed") == "2") & (pl.col("fold") == 1))
    )
    with pytest.raises(primary.InputError, match="fold 1 of seed 2 has no TUNE rows"):
        primary.evaluate(lacking)


# --- intervals ----------------------------------------------------------------------------------


def replicated(frame: pl.DataFrame, weights: np.ndarray[Any, Any]) -> pl.DataFrame:
    """Write each row out as often as it weighs, copies of a post under names of their own."""
    placed = frame.with_row_index("place")
    copies = [
        placed.filter(pl.Series(weights > copy)).with_columns(
            post_id=pl.format("{}~{}", "post_id", pl.lit(copy))
        )
        for copy in range(int(weights.max(initial=0)))
    ]
    return pl.concat(copies).sort("place", maintain_order=True).drop("place")


def wrong_keys(
    found: dict[str, float], ledger: dict[str, float], parts: tuple[str, ...]
) -> list[str]:
    wrong = []
    for key, value in found.items():
        if key.split("|")[2] not in parts:
            continue
        expected = ledger[key]
        if value != expected and not abs(value - expected) <= 1e-12 * max(1, abs(expected)):
            wrong.append(f"{key}: {value} for {expected}")
    return wrong


@pytest.mark.parametrize("folds", [False, True])
def test_replicates_with_seeds_are_the_ledger_of_the_replicated_rows(
    folds: bool,
) -> None:
    frame = rows_of(folds=folds).filter(pl.col("split") == "EVAL")
    settings = SETTINGS | {"k": [3, 5, 10], "grade_max": 3}
    post = np.array([[1] * 6, [2, 0, 1, 1, 3, 1], [1, 1, 2, 1, 0, 1]])
    query = np.ones((3, 12), dtype=int)
    seeds = np.array([[1, 1, 1], [2, 1, 0], [1, 1, 1]])
    plan = {"post": post, "query": query, "seed": {"units": post, "seeds": seeds}}
    found = primary.intervals(frame, settings, plan)
    parts = ("all", "fold=0", "fold=1", "folds", "seeds", "criterion=A", "seed=0", "dataset=x")
    unit = frame["post_id"].str.slice(1).cast(pl.Int64).to_numpy()
    seed = frame["seed"].replace_strict(list(SEEDS), [0, 1, 2]).to_numpy()
    for resample in range(3):
        ledger = primary.evaluate(replicated(frame, post[resample][unit]), settings)
        values = {key: array[resample] for key, array in found.replicates["post"].items()}
        assert wrong_keys(values, ledger, parts) == []
        weights = post[resample][unit] * seeds[resample][seed]
        ledger = primary.evaluate(replicated(frame, weights), settings)
        values = {key: array[resample] for key, array in found.replicates["seed"].items()}
        assert wrong_keys(values, ledger, ("all",)) == []
        if seeds[resample].tolist() == [1, 1, 1]:
            assert wrong_keys(values, ledger, ("seeds",)) == []
    assert {key.split("|")[2] for key in found.replicates["seed"]} == {"all", "seeds"}
    stem = "auroc|all_queries|all"
    assert f"{stem}|ci_low/seed/percentile" in found.ledger
    assert f"{stem}|ci_low/seed/bca" not in found.ledger
    assert found.jackknife["seed"] == {}
    assert (
        f"{stem.replace('all_queries|all', 'all_queries|seeds')}|ci_high/post/bca" in found.ledger
    )
    assert "hamming_loss|posts|seeds|ci_low/seed/percentile" in found.ledger
    assert not [key for key in found.ledger if "|%" in key]


def test_drawn_seeds_enter_as_often_as_they_were_drawn() -> None:
    frame = rows_of(folds=False)
    settings = SETTINGS | {"families": ["curves", "posts"]}
    units = np.ones((1, 6), dtype=int)
    plan = {
        "post": units,
        "query": np.ones((1, 12), dtype=int),
        "seed": {"units": units, "seeds": np.array([[2, 0, 1]])},
    }
    found = primary.intervals(frame, settings, plan).replicates["seed"]
    ledger = primary.evaluate(frame, settings)
    values = [ledger[f"auroc|all_queries|seed={one}|value"] for one in ("0", "2")]
    got = found["auroc|all_queries|seeds|mean"][0]
    assert got == pytest.approx((2 * values[0] + values[1]) / 3, abs=1e-15)


@pytest.mark.parametrize("unit", ["post", "query"])
def test_the_jackknife_is_the_ledger_without_each_unit(unit: str) -> None:
    frame = rows_of(folds=True).filter(pl.col("split") == "EVAL")
    settings = SETTINGS | {"k": [3, 5, 10], "grade_max": 3, "families": FEW}
    plan = {
        "post": np.ones((1, 6), dtype=int),
        "query": np.ones((1, 12), dtype=int),
        "seed": {"units": np.ones((1, 6), dtype=int), "seeds": np.ones((1, 3), dtype=int)},
    }
    found = primary.intervals(frame, settings, plan).jackknife[unit]
    names = ["post_id"] if unit == "post" else ["post_id", "criterion_id"]
    units = frame.select(names).unique(maintain_order=True).rows()
    for number, one in enumerate(units):
        gone = pl.all_horizontal(
            pl.col(name) == value for name, value in zip(names, one, strict=True)
        )
        ledger = primary.evaluate(frame.filter(~gone), settings)
        values = {key: array[number] for key, array in found.items()}
        assert wrong_keys(values, ledger, ("all", "folds", "seeds", "seed=0")) == []


FEW = ["ranking", "graded", "curves", "calibration", "confusion", "posts"]


def class_rows(seed: int = 5) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet([1, 1, 1], 24).round(2)
    probs[:, 2] = (1 - probs[:, 0] - probs[:, 1]).round(2)
    names = np.array(["a", "b", "c"])
    return pl.DataFrame(
        {
            "query_id": [f"q{number % 12}" for number in range(24)],
            "seed": ["x"] * 12 + ["y"] * 12,
            "fold": [number % 2 for number in range(24)],
            "label": names[rng.integers(0, 3, 12)].tolist() * 2,
            "predicted": names[probs.argmax(axis=1)].tolist(),
            "class_probs": probs.tolist(),
        }
    )


def test_classes_are_weighed_as_their_replicated_rows() -> None:
    frame = class_rows()
    settings = {"classes": ["a", "b", "c"]}
    rng = np.random.default_rng(1)
    query = np.stack([np.bincount(rng.integers(12, size=12), minlength=12) for _ in range(8)])
    plan = {"query": query, "seed": {"units": query, "seeds": np.ones((8, 2), dtype=int)}}
    found = primary.intervals(frame, settings, plan)
    unit = frame["query_id"].str.slice(1).cast(pl.Int64).to_numpy()
    keyed = frame.rename({"query_id": "post_id"})
    for resample in range(8):
        rows = replicated(keyed, query[resample][unit]).rename({"post_id": "query_id"})
        ledger = primary.evaluate(rows, settings)
        values = {key: array[resample] for key, array in found.replicates["query"].items()}
        parts = {key.split("|")[2] for key in ledger}
        both = tuple(one for one in ("all", "fold=0", "fold=1", "folds", "seeds") if one in parts)
        assert wrong_keys(values, ledger, both) == []
    metrics = {key.partition("|")[0] for key in found.estimates}
    assert metrics == {
        *("accuracy", "kappa", "mcc/multiclass", "balanced_accuracy/multiclass", "f1/macro"),
        *("f1/weighted", "auroc/ovr_macro", "log_loss", "brier/multiclass"),
    }
    left = found.jackknife["query"]
    for number in range(12):
        ledger = primary.evaluate(frame.filter(pl.col("query_id") != f"q{number}"), settings)
        values = {key: array[number] for key, array in left.items()}
        assert wrong_keys(values, ledger, ("all", "folds", "seeds")) == []


def test_two_runs_of_classes_are_compared() -> None:
    first, second = class_rows(), class_rows(6).with_columns(label=class_rows()["label"])
    settings = {"classes": ["a", "b", "c"]}
    swaps = np.array([[0] * 12, [1] * 12, [1, 0] * 6])
    found = primary.compare((first, settings), (second, settings), None, swaps=swaps)
    ledgers = [primary.evaluate(one, settings) for one in (first, second)]
    for metric in ("accuracy", "f1/macro", "auroc/ovr_macro"):
        key = f"{metric}|all_queries|all|value"
        difference = ledgers[1][key] - ledgers[0][key]
        stem = f"{metric}|all_queries|all"
        assert found.ledger[f"{stem}|difference"] == pytest.approx(difference, abs=1e-15)
        permuted = found.replicates["permuted"][key]
        assert permuted[:2].tolist() == pytest.approx([difference, -difference], abs=1e-14)


def test_a_plan_for_seeds_has_two_parts_of_one_length() -> None:
    frame = class_rows()
    ones = np.ones((2, 12), dtype=int)
    settings = {"classes": ["a", "b", "c"]}
    for given, words in (
        (ones, "is no pair of counts"),
        ({"units": ones}, "is no pair of counts"),
        ({"units": ones, "seeds": np.ones((3, 2), dtype=int)}, "2 times and seeds 3 times"),
        ({"units": ones, "seeds": np.ones((2, 3), dtype=int)}, "has the shape (2, 3)"),
    ):
        with pytest.raises(primary.InputError) as caught:
            primary.intervals(frame, settings, {"query": ones, "seed": given})
        assert words in str(caught.value)
    with pytest.raises(primary.InputError, match="no counts for the unit seed"):
        primary.intervals(frame, settings, {"query": ones})


def test_an_infinite_loss_has_percentiles_alone_and_no_comparison() -> None:
    rows = pl.DataFrame(
        {"query_id": list("abc"), "has_evidence": [1, 1, 0], "prob": [0.0, 0.5, 0.5]}
    )
    plan = {"query": np.array([[0, 2, 1], [0, 1, 2], [1, 1, 1], [3, 0, 0]])}
    found = primary.intervals(rows, None, plan)
    stem = "log_loss|all_queries|all"
    assert found.estimates[f"{stem}|value"] == math.inf
    assert found.ledger[f"{stem}|ci_low/query/percentile"] == pytest.approx(math.log(2))
    assert found.ledger[f"{stem}|ci_high/query/percentile"] == math.inf
    assert found.ledger[f"{stem}|ci_high/query/bca"] == math.inf
    assert f"{stem}|ci_high/query/bca" in found.flags
    compared = primary.compare((rows, None), (rows, None), plan)
    assert not [key for key in compared.ledger if key.startswith("log_loss")]
