"""Sentences of the contract, held to on generated data."""

from __future__ import annotations

import json
import math
import tempfile
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import reference
from reference import ranking, ties, values
from reference.settings import Settings
from reference.study import Query

Rows = list[dict[str, Any]]
CRITERIA = ("A", "B")
SETTINGS = {"tau_neg": 0.2, "tau_pos": 0.6, "views": {"first": ["A"]}, "k": [1, 2], "fpr": [10]}
PROBS = st.sampled_from([0, 0.1, 0.2, 0.3, 0.35, 0.5, 0.6, 0.7, 0.9, 1])
SCORES = st.sampled_from([-2.5, -1, -0.1, 0, 0.25, 0.5, 1, 3])
SIGNED = ("mcc", "kappa", "informedness", "markedness", "gini")
few = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def queries(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the cells of one query, its key apart."""
    size = draw(st.integers(0, 6))
    uids = [f"s{i}" for i in range(size)]
    gold = draw(st.lists(st.sampled_from([*uids, "elsewhere"]), unique=True, max_size=3))
    return {
        "candidates": uids,
        "scores": draw(st.lists(SCORES, min_size=size, max_size=size)),
        "node_probs": draw(st.lists(PROBS, min_size=size, max_size=size)),
        "selected": draw(st.lists(st.sampled_from(uids), unique=True)) if uids else [],
        "gold": gold,
        "prob": draw(PROBS),
    }


@st.composite
def studies(draw: st.DrawFn) -> Rows:
    """Draw posts in two folds, each with both criteria, and a few TUNE rows."""
    rows: Rows = []
    for number in range(draw(st.integers(2, 5))):
        for split in ("EVAL", "TUNE"):
            for criterion in CRITERIA:
                key = {"post_id": f"{split}{number}", "criterion_id": criterion}
                rows.append({**key, "fold": number % 2, "split": split, **draw(queries())})
    return rows


def exact(rows: Rows) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        return reference.exact(path, SETTINGS)


def evaluated(rows: Rows) -> Rows:
    return [row for row in rows if row["split"] == "EVAL"]


def chosen(ledger: dict[str, Any], *starts: str) -> dict[str, Any]:
    found = {key: value for key, value in ledger.items() if key.startswith(starts)}
    assert found
    return found


@few
@given(studies(), st.randoms(use_true_random=False))
def test_row_order_does_not_matter(rows: Rows, random: Any) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert exact(shuffled) == exact(rows)


@few
@given(studies())
def test_an_irrelevant_candidate_at_the_bottom_changes_no_recall(rows: Rows) -> None:
    longer = [
        {
            **row,
            "candidates": [*row["candidates"], "bottom"],
            "scores": [*row["scores"], -99],
            "node_probs": [*row["node_probs"], 0],
        }
        for row in rows
    ]
    before, after = exact(rows), exact(longer)
    assert chosen(after, "recall@") == chosen(before, "recall@")


@few
@given(studies())
def test_an_increasing_transform_of_scores_changes_no_ranking_metric_and_no_auroc(
    rows: Rows,
) -> None:
    names = ("recall@", "precision@", "hit@", "mrr@", "map@", "ndcg@", "auroc")
    moved = [
        {
            **row,
            "scores": [3 * score**3 + 7 for score in row["scores"]],
            "prob": row["prob"] ** 2 / 2,
        }
        for row in rows
    ]
    after, before = exact(moved), exact(rows)

    def untuned(ledger: dict[str, Any]) -> dict[str, Any]:
        found = chosen(ledger, *names)
        return {
            k: v
            for k, v in found.items()
            if "fpr=" not in k and "|state=" not in k and not k.startswith("auroc/decisions")
        }

    assert untuned(after) == untuned(before)


@few
@given(studies())
def test_negating_the_scores_gives_one_minus_auroc(rows: Rows) -> None:
    negated = [
        {
            **row,
            "scores": [-score for score in row["scores"]],
            "prob": float(1 - Fraction(str(row["prob"]))),
        }
        for row in rows
    ]
    before, after = exact(rows), exact(negated)
    for population in ("all_queries", "pairs"):
        key = f"auroc|{population}|all|value"
        assert after[key] == 1 - before[key]


@few
@given(studies())
def test_swapping_the_classes_gives_one_minus_auroc(rows: Rows) -> None:
    key = "auroc|all_queries|all|value"
    labelled = [{**row, "has_evidence": int(bool(row["gold"]))} for row in rows]
    swapped = [{**row, "has_evidence": 1 - row["has_evidence"]} for row in labelled]
    assert exact(swapped)[key] == 1 - exact(labelled)[key]


@few
@given(studies())
def test_the_confusion_of_the_folds_sums_to_the_whole(rows: Rows) -> None:
    ledger = exact(rows)
    counts = ("tp", "fp", "tn", "fn", "n_neg", "n_uncertain", "n_pos")
    for metric in (*counts, *(f"deployment_{c}" for c in counts[:4]), "sentences@gamma=0.9"):
        name = f"{metric}|all_queries|"
        parts = [ledger[f"{name}fold={fold}|value"] for fold in (0, 1)]
        assert ledger[f"{name}all|value"] == sum(parts)


@few
@given(studies())
def test_duplicating_every_row_under_new_ids_changes_no_mean_and_no_value(rows: Rows) -> None:
    doubled = [*rows, *({**row, "post_id": f"again-{row['post_id']}"} for row in rows)]
    before, after = exact(rows), exact(doubled)
    counts = ("queries", "n_", "tp", "fp", "tn", "fn", "deployment_", "k_", "sentences", "k/hist")
    means = {
        key: value
        for key, value in before.items()
        if key.endswith(("|mean", "|value"))
        and not isinstance(value, int)
        and "/equal_mass" not in key  # twice as many rows fill other bins
    }
    assert {key: after[key] for key in means} == means
    whole = {k: v for k, v in before.items() if isinstance(v, int) and k.startswith(counts)}
    assert {key: after[key] for key in whole} == {key: 2 * value for key, value in whole.items()}


def slices_of(ledger: dict[str, Any], metric: str) -> list[str]:
    """Return the key ends (population, slice, statistic) on which identities hold."""
    found = [key.split("|", 1)[1] for key in ledger if key.startswith(f"{metric}|")]
    return [end for end in found if not end.endswith(("std", "std/population"))]


@few
@given(studies())
def test_identities_of_ranking(rows: Rows) -> None:
    ledger = exact(rows)
    for end in slices_of(ledger, "hit@1"):
        at_one = ("precision", "hit", "mrr", "ndcg", "map")
        same = {ledger[f"{metric}@1|{end}"] for metric in at_one}
        assert same == {ledger[f"map@1/by_hits|{end}"]}
        for low, high in (("1", "2"), ("2", "all")):
            for metric, variant in (("recall", ""), ("hit", ""), ("mrr", ""), ("map", "/by_gold")):
                grows = [ledger[f"{metric}@{k}{variant}|{end}"] for k in (low, high)]
                assert grows == sorted(grows)
        for k in ("1", "2", "all"):
            assert ledger[f"recall@{k}|{end}"] <= ledger[f"hit@{k}|{end}"]
            assert ledger[f"mrr@{k}|{end}"] <= ledger[f"hit@{k}|{end}"]
            chain = [ledger[f"map@{k}{v}|{end}"] for v in ("/by_gold", "", "/by_hits")]
            assert chain == sorted(chain)


@few
@given(studies())
def test_a_value_lies_within_its_tie_bounds(rows: Rows) -> None:
    ledger = exact(rows)
    for key, low in chosen(ledger, "recall", "precision@", "hit", "mrr", "map", "ndcg").items():
        if "/tie_low|" in key:
            high = ledger[key.replace("/tie_low|", "/tie_high|")]
            assert low <= ledger[key.replace("/tie_low|", "|")] <= high


@few
@given(studies())
def test_identities_of_decisions(rows: Rows) -> None:
    ledger = exact(rows)
    for end in slices_of(ledger, "tp"):
        tp, fp, tn, fn = (ledger[f"{count}|{end}"] for count in ("tp", "fp", "tn", "fn"))
        assert tp + fp + tn + fn == ledger[f"queries|{end.replace('|value', '|n')}"]
        if tn + fp:
            assert ledger[f"specificity|{end}"] == 1 - ledger[f"fpr|{end}"]
        p, r = ledger[f"precision|{end}"], ledger[f"sensitivity|{end}"]
        assert ledger[f"f1|{end}"] == (2 * p * r / (p + r) if p + r else 0)
    for end in slices_of(ledger, "auroc/strict"):
        assert ledger[f"auroc/strict|{end}"] <= ledger[f"auroc|{end}"]
    for end in slices_of(ledger, "neg_rate"):
        rates = [ledger[f"{state}_rate|{end}"] for state in ("neg", "uncertain", "pos")]
        assert sum(rates) == 1
    for end in slices_of(ledger, "hamming_score"):
        assert ledger[f"hamming_loss|{end}"] == 1 - ledger[f"hamming_score|{end}"]
    for end in slices_of(ledger, "evidence_recall/pooled"):
        if "|folds|" not in end:
            conditional = ledger[f"evidence_recall/pooled_conditional|{end}"]
            assert ledger[f"evidence_recall/pooled|{end}"] <= conditional


@few
@given(studies())
def test_micro_is_the_pooled_value(rows: Rows) -> None:
    ledger = exact(rows)
    micro = {key: value for key, value in ledger.items() if key.endswith("|criteria|micro")}
    assert len(micro) == 6  # the settings have no K = 10
    for key, value in micro.items():
        name = key.removesuffix("criteria|micro")
        assert value == ledger.get(f"{name}all|value", ledger.get(f"{name}all|mean"))


@few
@given(studies())
def test_deployment_equals_the_gate_when_every_passed_query_returns_something(rows: Rows) -> None:
    returning = [{**r, "candidates": [*r["candidates"], "x"], "selected": ["x"]} for r in rows]
    for row in returning:
        row["scores"], row["node_probs"] = [*row["scores"], 0], [*row["node_probs"], 0]
    ledger = exact(returning)
    for count in ("tp", "fp", "tn", "fn"):
        key = f"{count}|all_queries|all|value"
        assert ledger[f"deployment_{key}"] == ledger[key]


@few
@given(studies())
def test_every_value_is_in_its_range(rows: Rows) -> None:
    ledger = exact(rows)
    for key, value in ledger.items():
        metric, _, _, statistic = key.split("|")
        if metric.startswith("threshold@"):
            assert value == math.inf or 0 <= value <= 1
        elif metric.startswith(SIGNED) and not statistic.startswith("std"):
            assert -1 <= value <= 1
        elif metric == "log_loss":
            assert value >= 0
        elif metric == "brier/skill" or metric.startswith(SIGNED):
            assert value <= 1 or statistic.startswith("std")
        elif isinstance(value, int) or metric.startswith(("k", "avg_k")):
            assert value >= 0
        elif "per_1000" in metric:
            assert 0 <= value <= 1000
        else:
            assert 0 <= value <= (Fraction(3, 2) if statistic.startswith("std") else 1), key


@pytest.mark.parametrize("k", [1, 2, 3, 4, None])
@few
@given(query=queries())
def test_tie_bounds_are_the_extremes_over_all_orders_of_equal_scores(
    query: dict[str, Any], k: int | None
) -> None:
    order = sorted(range(len(query["scores"])), key=lambda i: -query["scores"][i])
    scores = tuple(query["scores"][i] for i in order)
    uids = tuple(query["candidates"][i] for i in order)
    gold = frozenset(query["gold"])
    hits = tuple(rank for rank, uid in enumerate(uids, 1) if uid in gold)
    row = Query(1, ranking=uids, scores=scores, gold=gold, hits=hits)
    groups = [[i for i, s in enumerate(scores) if s == each] for each in dict.fromkeys(scores)]
    metrics = ranking.named(Settings(k=() if k is None else (k,)))
    with values.high_precision():
        tried = []
        for shuffle in product(*(permutations(group) for group in groups)):
            places = [place for group in shuffle for place in group]
            found = tuple(rank for rank, i in enumerate(places, 1) if uids[i] in gold)
            tried.append(ranking.values(ranking.Shape(found, len(gold), len(uids)), metrics))
        for metric, (low, high) in ties.tie_ends([row], metrics).items():
            every = [one[metric] for one in tried]
            assert (low, high) == ([min(every)], [max(every)]), metric


@few
@given(st.lists(st.tuples(PROBS, st.booleans()), max_size=12))
def test_auroc_is_the_share_of_pairs_won_with_ties_counting_half(
    labelled: list[tuple[float, bool]],
) -> None:
    cells = [*labelled, (0.5, True), (0.5, False)]
    rows = [
        {"query_id": f"q{i}", "split": "EVAL", "prob": prob, "has_evidence": int(label)}
        for i, (prob, label) in enumerate(cells)
    ]
    positives = [prob for prob, label in cells if label]
    negatives = [prob for prob, label in cells if not label]
    won = [Fraction(a > b) + Fraction(a == b, 2) for a in positives for b in negatives]
    assert exact(rows)["auroc|all_queries|all|value"] == sum(won, Fraction(0)) / len(won)
