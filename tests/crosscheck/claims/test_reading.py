"""Claims from JSON, CSV, Markdown and LaTeX: every number with its key, or with a problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crosscheck.claims import Claim, read
from crosscheck.claims.reading import form, read_text
from crosscheck.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path

LATEX = r"""
\begin{table}[t]\centering
\caption{Results ($n=140$ queries).} % a comment with & and \\
\begin{tabular}{l|ccc} \toprule
\multirow{2}{*}{Model} & \multicolumn{2}{c}{Positives only} & \\ \cmidrule(lr){2-3}
 & nDCG@10 & $\text{Recall}_{10}$ & AUC \\ \midrule
Baseline & $0.7330 \pm 0.031$ & 94.4\% & .733 \\
\textbf{Ours} & \textbf{0.8206}$_{\pm 0.030}$ & \textbf{96.1\%} & 0.897 (0.894--0.900) \\
\quad +GNN & $\mathbf{0.81}^{*}$ & -- & \underline{0.9} \\[2pt] \bottomrule
\end{tabular}\end{table}
"""


def said(claims: list[Claim]) -> dict[tuple[str | None, str | None], str]:
    return {(claim.system, claim.key): claim.printed for claim in claims if not claim.rivals}


def test_nested_json_gives_system_population_and_metric() -> None:
    text = '{"reranked": {"positives_only": {"recall@10": 0.9001190476190476}}}'
    (claim,) = read_text(text, "summary.json", "json")
    assert claim.key == "recall@10|positives_only|all|mean"
    assert claim.system == "reranked"
    assert claim.printed == "0.9001190476190476"
    assert claim.place == "reranked/positives_only/recall@10"


def test_json_numbers_keep_their_trailing_zeros() -> None:
    (claim,) = read_text('{"auroc": 0.8970}', "c.json", "json")
    assert claim.printed == "0.8970"


@pytest.mark.parametrize("written", ["NaN", "Infinity", "1e999"])
def test_a_json_number_that_is_none_is_kept_with_its_problem(written: str) -> None:
    (claim,) = read_text(f'{{"ours": {{"mrr": {written}}}}}', "c.json", "json")
    assert (claim.system, claim.label, claim.printed) == ("ours", "mrr", written)
    assert claim.problem == f"{written} is not a number to check"


def test_counts_and_settings_are_recognised() -> None:
    text = """{"a": {"all_queries": {"queries_total": 1490, "queries_evaluated": 1490,
               "queries_with_positives": 140, "skip_no_positives": false}}, "eval_split": "test"}"""
    claims = read_text(text, "c.json", "json")
    assert [(claim.role, claim.key) for claim in claims] == [
        ("count", "queries|all_queries|all|n"),
        ("count", "queries|all_queries|all|n"),
        ("count", "queries|positives_only|all|n"),
        ("setting", "all_queries"),
        ("setting", None),
    ]


def test_a_flag_says_which_queries_flat_numbers_are_over() -> None:
    claims = read_text('{"recall@5": 0.08, "skip_no_positives": false}', "c.json", "json")
    assert claims[0].key == "recall@5|all_queries|all|mean"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"folds": {"auroc": {"mean": 0.9}}}', "auroc|all_queries|folds|mean"),
        ('{"auroc": {"std": 0.01}}', "auroc|all_queries|folds|std"),
        ('{"per_fold": {"0": {"ndcg@10": 0.9}}}', "ndcg@10|positives_only|fold=0|mean"),
        ('{"fold_3": {"MRR": 0.9}}', "mrr@all|positives_only|fold=3|mean"),
        ('{"per_criterion": {"A.3": {"auroc": 0.9}}}', "auroc|all_queries|criterion=A.3|value"),
        ('{"auroc_std": 0.01}', "auroc|all_queries|folds|std"),
        ('{"ndcg@10|all_queries|all|median": 1}', "ndcg@10|all_queries|all|median"),
        ('{"auroc": {"ci": [0.89, 0.90]}}', "auroc|all_queries|all|ci_low"),
        ('{"metrics": {"tpr@fpr=5%": 0.4}}', "tpr@fpr=5%|all_queries|all|value"),
    ],
)
def test_levels_of_json_say_slice_and_statistic(text: str, key: str) -> None:
    assert read_text(text, "c.json", "json")[0].key == key


def test_a_latex_table_of_the_ordinary_kind() -> None:
    claims = read_text(LATEX, "paper.tex", "latex")
    assert said(claims) == {
        ("Baseline", "ndcg@10|positives_only|folds|mean"): "0.7330",
        ("Baseline", "ndcg@10|positives_only|folds|std"): "0.031",
        ("Baseline", "recall@10|positives_only|all|mean"): "94.4%",
        ("Baseline", "auroc|all_queries|all|value"): ".733",
        ("Ours", "ndcg@10|positives_only|folds|mean"): "0.8206",
        ("Ours", "ndcg@10|positives_only|folds|std"): "0.030",
        ("Ours", "recall@10|positives_only|all|mean"): "96.1%",
        ("Ours", "auroc|all_queries|all|value"): "0.897",
        ("Ours", "auroc|all_queries|all|ci_low"): "0.894",
        ("Ours", "auroc|all_queries|all|ci_high"): "0.900",
        ("+GNN", "ndcg@10|positives_only|all|mean"): "0.81",
        ("+GNN", "auroc|all_queries|all|value"): "0.9",
    }


def test_a_markdown_table_with_metrics_in_rows() -> None:
    text = "| Metric | A | B | Δ |\n|---|---|---|---|\n| **R@5** | 73.3 | *80.0* | +9.1% |\n"
    claims = read_text(text, "t.md", "markdown")
    assert [(c.role, c.system, c.key, c.percent) for c in claims] == [
        ("value", "A", "recall@5|positives_only|all|mean", True),
        ("value", "B", "recall@5|positives_only|all|mean", True),
        ("improvement", None, "recall@5|positives_only|all|improvement", True),
    ]


def test_a_table_with_cut_offs_in_a_column() -> None:
    text = "| K | Recall | nDCG |\n|---|---|---|\n| 5 | 0.5 | 0.4 |\n| 10 | 0.6 | 0.45 |\n"
    keys = {claim.key for claim in read_text(text, "t.md", "markdown")}
    metrics = ("recall@5", "ndcg@5", "recall@10", "ndcg@10")
    assert keys == {f"{metric}|positives_only|all|mean" for metric in metrics}


def test_csv_wide_and_long_say_the_same() -> None:
    wide = read_text("model,auroc,MRR\nA,0.9,0.7\n", "a.csv", "csv")
    long = read_text("model,metric,value\nA,auroc,0.9\nA,MRR,0.7\n", "b.csv", "csv")
    assert said(wide) == said(long)
    assert len(wide) == 2


def test_a_table_in_a_block_of_code_is_read() -> None:
    text = "```\n| Metric | A |\n|---|---|\n| MRR | 0.5 |\n```\n"
    assert said(read_text(text, "t.md", "markdown")) == {
        ("A", "mrr@all|positives_only|all|mean"): "0.5"
    }


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [("nDGC@10", "ndcg@10"), ("Recall", "sensitivity"), ("AP@10", "map@10/by_hits")],
)
def test_an_unknown_or_ambiguous_name_is_kept_with_suggestions(name: str, suggestion: str) -> None:
    text = f"| Model | MRR | {name} |\n|---|---|---|\n| A | 0.5 | 0.7 |\n"
    claim = read_text(text, "t.md", "markdown")[1]
    assert claim.key is None
    assert claim.problem is not None
    assert suggestion in claim.suggestions


@pytest.mark.parametrize(
    ("written", "metric"),
    [
        ("NDCG@10", "ndcg@10"),
        ("nDCG_10", "ndcg@10"),
        ("R@5", "recall@5"),
        ("HitRate@1", "hit@1"),
        ("Success@1", "hit@1"),
        ("P@3", "precision@3"),
        ("MRR@10", "mrr@10"),
        ("mAP", "map@all"),
        ("AUC", "auroc"),
        ("ROC-AUC", "auroc"),
        ("TPR@5%FPR", "tpr@fpr=5%"),
        ("MRR (positives only)", "mrr@all"),
        ("nDCG@10 (%)", "ndcg@10"),
        ("Mean nDCG@10 ↑", "ndcg@10"),
    ],
)
def test_names_as_people_write_them(written: str, metric: str) -> None:
    text = f"| Model | {written} |\n|---|---|\n| A | 50.5 |\n"
    (claim,) = read_text(text, "t.md", "markdown")
    assert claim.metric == metric


def test_a_metric_over_a_population_it_is_not_defined_on_has_a_problem() -> None:
    (claim,) = read_text('{"positives_only": {"auroc": 0.9}}', "c.json", "json")
    assert claim.key is None
    assert "auroc|all_queries" in claim.suggestions


def test_a_small_number_in_a_table_of_percentages_is_left_open() -> None:
    text = "| Model | R@5 | AUROC |\n|---|---|---|\n| A | 73.3 | 0.9 |\n"
    claims = read_text(text, "t.md", "markdown")
    assert [claim.percent for claim in claims] == [True, None]


def test_bad_json_is_the_users_error_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_text('{"a": 1,\n "b": }', encoding="utf-8")
    with pytest.raises(UserError, match=r"c\.json: not valid JSON.*line 2"):
        read(file)


def test_a_name_twice_in_one_object_is_refused_for_one_of_them_would_pass_unread() -> None:
    with pytest.raises(UserError, match=r"c\.json: not valid JSON: “mrr” stands twice"):
        read_text('{"ours": {"mrr": 0.9, "mrr": 0.5}}', "c.json", "json")


def test_a_file_that_is_not_text_is_the_users_error(tmp_path: Path) -> None:
    file = tmp_path / "c.md"
    file.write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(UserError, match="not UTF-8"):
        read(file)


def test_the_format_is_told_from_the_text() -> None:
    assert form('{"a": 1}') == "json"
    assert form(LATEX) == "latex"
    assert form("# Title\n| a | b |") == "markdown"
