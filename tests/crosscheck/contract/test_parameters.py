"""Parameters: how ids hold them, and how every entry is used wherever parameters are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crosscheck.config import from_table
from crosscheck.contract import keys_owed, read_name
from crosscheck.contract.naming import name_of
from crosscheck.notation.compose import compose
from crosscheck.notation.labels import Label, read
from crosscheck.notation.metric_names import lookup

if TYPE_CHECKING:
    from crosscheck.contract import Contract

SET = ("k", "fpr", "bins", "gamma", "grid", "rbp", "recall_levels", "beta", "top_k")
FACTS = {
    "families": ["dynamic_k", "calibration", "gamma"],
    "queries": {"positives_only": 2, "predicted_positive": None},
    "folds": [],
    "criteria": [],
    "max_k": 2,
}


def test_every_setting_of_a_parameter_is_a_key_of_the_config(contract: Contract) -> None:
    assert tuple(one.setting for one in contract.parameters if one.setting) == SET
    given = {"k": [7], "fpr": [2], "bins": [4], "gamma": [0.5], "rbp": [0.9], "beta": [3]}
    given |= {"recall_levels": [0, 0.25], "top_k": [2]}
    settings = from_table({**given, "grid": {"tau_neg": [0.2]}}).settings()
    assert {name: settings[name] for name in given} == given
    assert settings["grid"]["tau_neg"] == [0.2]


@pytest.mark.parametrize(
    ("template", "values", "written"),
    [
        ("ece@M", {"M": "15"}, "ece@15"),
        ("tpr@fpr=α/tuned", {"α": "2.5"}, "tpr@fpr=2.5%/tuned"),
        ("reliability@M/bin=j", {"M": "10", "j": "2"}, "reliability@10/bin=2"),
        ("mrr@all", {}, "mrr@all"),
        ("top_k_accuracy@k", {"k": "3"}, "top_k_accuracy@3"),
        ("count@true=a,predicted=b", {"a": "cat", "b": "d,g"}, "count@true=cat,predicted=d,g"),
        ("auroc/partial@fpr=α", {"α": "5"}, "auroc/partial@fpr=5%"),
    ],
)
def test_a_template_is_filled(
    contract: Contract, template: str, values: dict[str, str], written: str
) -> None:
    assert contract.notation.fill(template, values) == written
    assert contract.notation.symbols(template) == tuple(values)
    assert not contract.notation.undeclared(template)


def test_a_sign_that_no_parameter_declares_is_seen(contract: Contract) -> None:
    assert contract.notation.undeclared("rbp@p=π") == ["π"]


def test_an_example_takes_a_number_only_where_it_fits(contract: Contract) -> None:
    assert contract.notation.shown("ndcg@K", "7") == "ndcg@7"
    assert contract.notation.shown("ndcg@K", "0.5") == "ndcg@10"
    assert contract.notation.shown("tpr@fpr=α") == "tpr@fpr=5%"


def test_numbered_parameters_end_at_another_one_or_at_a_fact() -> None:
    owed = {key.partition("|")[0] for key in keys_owed(FACTS, {"bins": [3]})}
    assert [f"reliability@3/bin={j}" in owed for j in range(4)] == [True, True, True, False]
    assert [f"k/hist={j}" in owed for j in range(4)] == [True, True, True, False]


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        ("ndcg@10", "nDCG@10"),
        ("mrr@all", "MRR"),
        ("tpr@fpr=5%", "TPR@5%FPR"),
        ("reliability@10/bin=2", "Reliability diagram, one bin 3 of 10"),
        ("k/hist=2", "Histogram of K: 2"),
    ],
)
def test_tables_name_a_metric_by_its_parameter(metric: str, name: str) -> None:
    assert name_of(metric) == name


def test_a_name_without_its_parameter_says_what_it_lacks() -> None:
    assert read_name("Recall@K").template == "recall@K"
    assert lookup("Hits").problem == "“Hits” lacks its cut-off K"
    assert lookup("Hits").suggestions == ("hit@10", "hit@all")
    assert lookup("TPR@FPR").problem == "“TPR@FPR” lacks its false positive rate α"
    assert lookup("TPR@FPR").suggestions == ("tpr@fpr=5%",)


def test_a_value_completes_only_a_name_that_takes_it() -> None:
    assert read("top-7") == Label(parameter=("K", "7"))
    whole = read("Hits").plus(read("top-7"))
    assert compose(whole).key == "hit@7|positives_only|all|mean"
    assert compose(read("TPR@FPR").plus(read("top-7"))).key is None


@pytest.mark.parametrize(
    ("metric", "population"),
    [("recall@10", "positives_only"), ("k", "all_queries"), ("auroc", "all_queries")],
)
def test_a_claim_without_a_population_is_over_the_metrics_own(metric: str, population: str) -> None:
    assert (compose(read(metric)).key or "").split("|")[1] == population
