"""Consistent documents that look odd: nothing in them is impossible, and none is accused."""

from __future__ import annotations

import pytest

from crosscheck.audit import Audit, audit
from crosscheck.claims.reading import read_text


def table(*rows: str) -> str:
    lines = [f"| {row} |" for row in rows]
    return "\n".join([lines[0], "|---" * (rows[0].count("|") + 1) + "|", *lines[1:]])


def audited(text: str) -> Audit:
    return audit(read_text(text, "t.md", "markdown"), text=text)


ODD = {
    "weighted averages, unlabelled": table(
        "Model|Accuracy|Precision|Recall|F1", "A|0.812|0.820|0.812|0.809",
        "B|0.756|0.771|0.756|0.748"
    ),
    "macro averages, unlabelled": table(
        "Model|Accuracy|Precision|Recall|F1", "A|0.81|0.72|0.69|0.68", "B|0.85|0.80|0.75|0.76",
        "C|0.79|0.70|0.66|0.66"
    ),
    "top-k accuracy": table(
        "Model|Top-1 accuracy|Top-5 accuracy|Macro F1", "A|0.71|0.95|0.40", "B|0.70|0.70|0.68"
    ),
    "micro, macro and weighted": table(
        "Model|Accuracy|Micro F1|Macro F1|Weighted F1", "A|0.800|0.800|0.512|0.779"
    ),
    "a report by class": table(
        "Class|Precision|Recall|F1|Support", "cat|1.00|0.50|0.67|2", "dog|0.50|1.00|0.67|1",
        "emu|1.00|1.00|1.00|1", "macro avg|0.83|0.83|0.78|4", "weighted avg|0.88|0.75|0.75|4"
    ),
    "an ablation with minus signs": table(
        "Variant|nDCG@10|Recall@10", "Full|0.520|0.700", "− reranker|0.480 (−0.040)|0.690 (−0.010)",
        "− expansion|0.510 (−0.010)|0.650 (−0.050)"
    ),
    "one system on two splits": table(
        "Model|MRR@10 (Dev)|MRR@10 (Test)", "A|0.40|0.35", "B|0.45|0.41"
    ),
    "two tables of two data sets": "### Results on SciFact\n\n"
    + table("Model|nDCG@10|R@10", "A|0.60|0.80", "B|0.65|0.82")
    + "\n\n### Results on FiQA\n\n"
    + table("Model|nDCG@10|R@10", "A|0.30|0.40", "B|0.35|0.45"),
    "thresholds as rows": table(
        "Threshold|Precision|Recall|F1", "0.3|0.50|0.90|0.64", "0.5|0.70|0.70|0.70",
        "0.7|0.90|0.40|0.55"
    ),
    "changes against a table elsewhere": table(
        "Model|AUC|Δ AUC", "A|0.857|−0.116", "B|0.722|−0.110", "C|0.897|−0.157"
    ),
    "graded nDCG below Hit at 1": table("Model|Hit@1|Graded nDCG@1", "A|0.66|0.52"),
    "Cohen's kappa below zero": table("Model|Accuracy|Kappa|MCC", "A|0.40|-0.12|-0.10"),
    "a mean over data sets and a mean over queries": table(
        "Model|SciFact|FiQA|Average", "nDCG@10|0.60|0.30|0.45"
    ),
    "spreads over seeds": "### Mean and std over 3 seeds\n\n"
    + table("Model|Accuracy|F1", "A|0.81 ± 0.02|0.70 ± 0.04"),
    "n of repetitions in the caption": "### n=5 runs\n\n" + table("Model|Accuracy", "A|0.813"),
    "a loss of zero": table("Model|AUROC|Log loss|Brier", "A|1.000|0.000|0.000"),
}  # fmt: skip


@pytest.mark.parametrize("case", ODD)
def test_an_odd_but_consistent_document_is_not_accused(case: str) -> None:
    found = audited(ODD[case])
    assert [(one.rule, one.sentence) for one in found.findings] == []


def test_a_misread_column_is_told_once_and_as_advice() -> None:
    rows = [f"s{i}|{1.5 + i / 100:.2f}" for i in range(40)]
    (found,) = audited(table("Model|AUROC", *rows)).findings
    assert (found.rule, found.severity) == ("XC911", "advice")
    assert "39 more of 40" in found.sentence


def test_graded_gain_may_be_what_binary_laws_forbid() -> None:
    """nDCG@1 below Hit@1 is impossible only for binary relevance, and that is said."""
    (found,) = audited(table("Model|Hit@1|nDCG@1", "A|0.660|0.520")).findings
    assert (found.severity, found.only_if) == ("advice", "nDCG is of binary relevance")


def test_binary_is_known_where_another_row_shows_it() -> None:
    text = table("Model|Hit@1|nDCG@1", "A|0.660|0.520", "B|0.700|0.700")
    assert [one.severity for one in audited(text).findings] == ["error"]


def test_sibling_tables_are_read_as_one_and_only_advise() -> None:
    parts = (table("Model|P@5", "A|0.500", "B|0.400"), table("Model|Hit@5", "A|0.450", "B|0.700"))
    (found,) = audited("\n\n".join(parts)).findings
    assert (found.rule, found.severity) == ("XC912", "advice")
    assert "are of one run" in found.only_if


def test_an_average_says_of_which_cells_it_is_the_mean() -> None:
    text = "### nDCG@10\n\n" + table(
        "Model|SciFact|FiQA|NFCorpus|Avg", "A|0.60|0.40|0.20|0.40", "B|0.70|0.50|0.30|0.60"
    )
    (found,) = audited(text).findings
    assert found.rule == "XC921"
    assert any("without" in one and "0.30" in one for one in found.explanations)


def test_wins_are_counted() -> None:
    text = "### nDCG@10\n\n" + table(
        "Model|SciFact|FiQA|NFCorpus", "A|0.60|0.40|0.20", "Ours|0.70|0.30|0.30"
    )
    assert audited(f"{text}\n\nOurs wins on 2 of 3 datasets.").findings == ()
    (found,) = audited(f"{text}\n\nOurs wins on 3 of 3 datasets.").findings
    assert found.rule == "XC925"


def test_a_number_of_the_text_that_no_table_prints_is_told() -> None:
    text = table("Model|MRR", "Base|0.500", "Ours|0.612")
    assert audited(f"Ours reaches an MRR of 0.612.\n\n{text}").findings == ()
    (found,) = audited(f"Ours reaches an MRR of 0.621.\n\n{text}").findings
    assert (found.rule, found.severity) == ("XC919", "advice")


def test_counts_that_fit_are_told_if_few() -> None:
    found = audited(
        "### Over 20 queries\n\n" + table("Model|Precision|Recall|F1", "A|0.83|0.71|0.77")
    )
    assert found.findings == ()
    assert any("TP 5, FP 1, FN 2" in note for note in found.notes)


def test_no_counts_of_so_few_queries_fit() -> None:
    text = "### Over 10 queries\n\n" + table("Model|Precision|Recall|F1", "A|0.83|0.69|0.75")
    assert [one.rule for one in audited(text).findings] == ["XC917"]
