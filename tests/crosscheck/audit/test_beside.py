"""What stands beside a metric: n, deviations, errors, intervals, p-values, ranks, short names."""

from __future__ import annotations

import pytest

from crosscheck.audit import audit
from crosscheck.claims.reading import read_text
from crosscheck.notation.abbreviation import meant


def table(*rows: str) -> str:
    lines = [f"| {row} |" for row in rows]
    return "\n".join([lines[0], "|---" * (rows[0].count("|") + 1) + "|", *lines[1:]])


def told(text: str) -> list[tuple[str, str, str]]:
    findings = audit(read_text(text, "t.md", "markdown"), text=text).findings
    return [(one.rule, one.severity, one.only_if) for one in findings]


CONSISTENT = {
    "a rank of matrices": table("Model|Rank|Accuracy", "A|8|0.70", "A|16|0.72", "A|32|0.71"),
    "ranks by what is not printed": table(
        "Rank|Model|MRR|R@5", "1|A|0.50|0.70", "2|B|0.60|0.60", "3|C|0.40|0.80", "4|D|0.55|0.50"
    ),
    "a rank beside each metric": table(
        "Model|MRR|Rank|R@5|Rank", "A|0.7|2|0.8|2", "B|0.8|1|0.9|1", "C|0.6|3|0.7|3"
    ),
    "less is better": table("Rank|Model|Log loss", "1|A|0.20", "2|B|0.30", "3|C|0.40"),
    "average ranks with ties": table(
        "nDCG@10|NFCorpus|SciFact|FiQA|Avg. rank",
        "A|0.70|0.60|0.3|1.67", "B|0.70|0.70|0.2|1.67", "C|0.60|0.50|0.1|3.0",
    ),
    "mean rank of the answer": table("Model|MRR|Mean rank", "A|0.7|12.5", "B|0.8|8.1", "C|0.6|20"),
    "error, deviation and n": table(
        "Model|Accuracy|SD|SE|n", "A|0.70|0.10|0.01|100", "B|0.80|0.12|0.017|50"
    ),
    "no deviation at all": table("Model|Accuracy|SD|SE|n", "A|1.000|0.000|0.000|52"),
    "error of a share": table("Model|Accuracy|SE", "A (n=100)|0.80|0.040"),
    "samples of training": table("Model|Samples|Accuracy", "A|10|0.705", "B|100|0.722"),
    "p beside P": table("Model|P|R|F1|p", "A|0.50|0.50|0.50|–", "B|0.60|0.60|0.60|0.03"),
    "correlated folds": "### 10 folds\n\n"
    + table("Model|AUROC", "A|0.801 ± 0.100", "B|0.806 ± 0.101 (p=0.001)"),
    "interval and p": table(
        "Comparison|Δ MRR|95% CI|p",
        "A vs B|0.03|[0.01, 0.05]|0.004", "A vs C|0.01|[-0.01, 0.03]|0.31",
    ),
    "a corrected p": "### p-values Holm-corrected\n\n"
    + table("Comparison|Δ MRR|95% CI|p", "A vs B|0.03|[0.001, 0.059]|0.12"),
    "whole numbers of permutations": "### 999 permutations\n\n"
    + table("Model|MRR|p", "A|0.50|–", "B|0.60|0.001", "C|0.61|0.047"),
    "two systems called baseline": table(
        "Model|MRR", "Baseline MF|0.40", "Baseline KD|0.45", "Ours|0.50",
        "Improvement over Baseline|+35.0%",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CONSISTENT)
def test_nothing_is_said_of_what_is_consistent(name: str) -> None:
    assert told(CONSISTENT[name]) == []


def test_an_n_of_its_own_column_is_used_under_its_condition() -> None:
    text = table("Data|n|Accuracy", "A|52|0.64", "B|40|0.50")
    assert told(text) == [("XC917", "advice", "its n is what it is a share of")]


def test_an_n_of_its_own_row_is_used_for_its_column() -> None:
    text = table("Metric|A|B", "Accuracy|0.505|0.55", "n|40|40")
    assert told(text) == [("XC917", "advice", "its n is what it is a share of")]


def test_an_n_in_a_label_is_used() -> None:
    assert told(table("Model|Accuracy", "A (n=40)|0.705")) == [
        ("XC917", "advice", "it is over 40 queries, once")
    ]


def test_a_rank_that_names_its_metric_is_an_error_where_the_order_is_another() -> None:
    text = table("Model|MRR|MRR rank", "A|0.70|2", "B|0.80|1", "C|0.90|3")
    assert {(rule, severity) for rule, severity, _ in told(text)} == {("XC925", "error")}


def test_error_deviation_and_n_of_one_row_contradict_without_condition() -> None:
    text = table("Model|Accuracy|SD|SE|n", "A|0.70|0.10|0.05|100")
    assert told(text) == [("XC926", "error", "")]


def test_a_p_of_a_paired_test_over_these_folds_is_an_error() -> None:
    rows = table("Model|Accuracy|p", "A|0.800 ± 0.001|–", "B|0.900 ± 0.001|0.40")
    assert told("### paired t-test over 5 folds\n\n" + rows) == [("XC926", "error", "")]
    assert told("### over 5 folds\n\n" + rows) == [
        ("XC926", "advice", "p is of a paired t-test over 5 values")
    ]


def test_an_estimate_with_its_interval_is_the_metric_under_a_heading_that_names_both() -> None:
    (value, low, high) = read_text(
        table("Model|AUROC (95% CI)", "A|0.82 (0.80–0.85)"), "t.md", "markdown"
    )
    assert [one.role for one in (value, low, high)] == ["value", "ci_low", "ci_high"]
    assert value.key == "auroc|all_queries|all|value"


def test_a_lone_number_under_the_name_of_an_interval_is_not_the_metric() -> None:
    (one,) = read_text(table("Model|MRR 95% CI", "A|0.02"), "t.md", "markdown")
    assert one.key is None
    assert "half or its whole width" in (one.problem or "")


def test_a_short_name_is_understood_where_one_system_alone_can_be_meant() -> None:
    text = table("Model|MRR", "Baseline MF|0.40", "KNN|0.45", "Ours|0.50",
                 "Improvement over Baseline|+35.0%")  # fmt: skip
    ((rule, severity, only_if),) = told(text)
    assert (rule, severity) == ("XC915", "advice")
    assert "Baseline MF" in only_if


def test_short_names_are_first_words_or_initials() -> None:
    names = ("Random Forest", "Baseline MF", "BM25")
    assert meant("RF", names) == "Random Forest"
    assert meant("baseline", names) == "Baseline MF"
    assert meant("bm25", names) == "BM25"
    assert meant("Base", names) is None
    assert meant("Baseline", ("Baseline MF", "Baseline KD")) is None
