"""Numbers that once vanished, passed, or were accused without a reason: each is told what it is."""

from __future__ import annotations

import json
import re

import pytest

from crosscheck.claims import ClaimOutcome, verify
from crosscheck.claims.reading import examine_text
from crosscheck.claims.verify import Run

MRR = "mrr@all|positives_only|all|mean"
LEDGERS: dict[str, dict[str, float]] = {
    "bm25": {MRR: 0.5, "recall@5|positives_only|all|mean": 0.7},
    "ours": {
        MRR: 0.6,
        "mrr@all|positives_only|folds|mean": 0.6,
        "mrr@all|positives_only|folds|std": 0.03,
        "map@10|positives_only|all|mean": 0.41,
        "map@10/by_gold|positives_only|all|mean": 0.43,
        "ndcg@10|positives_only|all|mean": 0.44,
        "recall@5|positives_only|all|mean": 0.9,
        "hit@3|positives_only|all|mean": 0.8,
        "queries|positives_only|all|n": 1379,
    },
}
CLASSES = {
    "accuracy|all_queries|all|value": 0.84,
    "accuracy|all_queries|seed=13|value": 0.83,
    "accuracy|all_queries|seeds|mean": 0.844,
    "accuracy|all_queries|seeds|std": 0.022,
    "accuracy|all_queries|dataset|macro": 0.85,
    "auroc/ovr_macro|all_queries|all|value": 0.96,
    "auroc/ovo_macro|all_queries|all|value": 0.95,
    "top_k_accuracy@3|all_queries|all|value": 0.99,
}


def judged(text: str, form: str, ledger: dict[str, float] | None = None) -> list[ClaimOutcome]:
    """Judge a file of a run that has one system."""
    known = LEDGERS["ours"] if ledger is None else ledger
    claims = examine_text(text, f"paper.{form}", form).claims
    return verify(claims, known, system="ours", rankings=["ours"], run=Run({"ours": known}))


def told(text: str, form: str, ledger: dict[str, float] | None = None) -> list[str]:
    return [one.status for one in judged(text, form, ledger)]


def of_both(text: str, form: str) -> list[ClaimOutcome]:
    """Judge a file of a run that has two."""
    claims = examine_text(text, f"paper.{form}", form).claims
    return [
        one
        for name in LEDGERS
        for one in verify(
            claims, LEDGERS[name], system=name, rankings=list(LEDGERS), run=Run(LEDGERS)
        )
    ]


@pytest.mark.parametrize(
    "page",
    [
        "<dl><dt>MRR<dd>{}</dl>",
        "<dl><dt>MRR</dt><dd>{}</dd><dt>System</dt><dd>ours</dd></dl>",
        "<svg width=3><text x=1>MRR {}</text></svg>",
        "<svg><g><text>MRR</text><text>{}</text></g></svg>",
    ],
)
def test_lists_of_terms_and_texts_of_pictures_are_read(page: str) -> None:
    assert told(page.format("0.93"), "html") == ["wrong"]
    assert told(page.format("0.60"), "html") == ["holds"]


def notebook(data: dict[str, list[str]]) -> str:
    output = {"output_type": "execute_result", "metadata": {}, "data": data}
    cell = {"cell_type": "code", "source": "", "metadata": {}, "outputs": [output]}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})


FRAME = "<table><tr><th></th><th>MRR</th></tr><tr><th>ours</th><td>0.600</td></tr></table>"


def test_an_output_that_is_repeated_is_read_once() -> None:
    text = notebook({"text/html": [FRAME], "text/plain": ["      MRR\n", "ours  0.60"]})
    assert told(text, "jupyter") == ["holds"]


def test_an_output_that_says_something_else_in_another_format_is_told() -> None:
    text = notebook({"text/html": [FRAME], "text/plain": ["      MRR\n", "ours  0.95"]})
    found = judged(text, "jupyter")
    assert [(one.status, one.claim.printed) for one in found] == [
        ("holds", "0.600"),
        ("unverified", "0.95"),
    ]


def test_the_text_of_a_notebook_s_picture_is_read() -> None:
    data = {"image/svg+xml": ["<svg><text>MRR</text><text>0.93</text></svg>"]}
    assert told(notebook(data), "jupyter") == ["wrong"]


TABULAR = r"\begin{tabular}{%s} System & %s \\ \midrule ours & %s \\ \end{tabular}"


@pytest.mark.parametrize(
    ("columns", "head", "row", "status"),
    [
        ("lr@{.}l", r"\multicolumn{2}{c}{MRR}", "0&600", ["holds"]),
        ("lr@{.}l", r"\multicolumn{2}{c}{MRR}", "0&950", ["wrong"]),
        ("l*{1}{r@{.}l}", r"\multicolumn{2}{c}{MRR}", "0&600", ["holds"]),
        ("lr@{$\\,\\pm\\,$}l", r"\multicolumn{2}{c}{MRR}", "0.60&0.03", ["holds", "holds"]),
        ("lr@{$\\,\\pm\\,$}l", r"\multicolumn{2}{c}{MRR}", "0.60&0.05", ["holds", "wrong"]),
        ("l>{9}c", "MRR", "0.600", ["unverified"]),
        ("l>{9}c", r"\multicolumn{1}{c}{MRR}", "0.600", ["unverified"]),
        ("l>{1-}c", "MRR", "0.600", ["unverified"]),
        ("l>{\\bfseries}c<{\\hspace{2pt}}", "MRR", "0.600", ["holds"]),
        ("@{}l@{\\hspace{2em}}S[table-format=1.3]@{}", "MRR", "0.600", ["holds"]),
    ],
)
def test_what_columns_put_around_their_cells_is_part_of_them(
    columns: str, head: str, row: str, status: list[str]
) -> None:
    assert told(TABULAR % (columns, head, row), "latex") == status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('{"mrr": 0.60, "notes": "MRR of 0.95 on the test set"}', ["holds", "wrong"]),
        ('{"mrr": 0.60, "note": "on the development set"}', ["unverified"]),
        ('{"mrr": 0.60, "result": "MRR 0.95"}', ["holds", "wrong"]),
        ('{"mrr": 0.60, "command": "eval --metric mrr --alpha 0.5"}', ["holds"]),
    ],
)
def test_remarks_of_a_nested_file_are_read(text: str, status: list[str]) -> None:
    assert told(text, "json") == status


def test_one_seed_is_a_setting_where_the_data_have_none() -> None:
    assert told('{"seed": 42, "mrr": 0.60}', "json") == ["holds"]
    assert told('{"seed": 42, "mrr": 0.95}', "json") == ["wrong"]


def test_it_names_the_seed_where_the_data_have_some() -> None:
    [right] = judged('{"seed": 13, "accuracy": 0.83}', "json", CLASSES)
    assert (right.status, right.key) == ("holds", "accuracy|all_queries|seed=13|value")
    assert told('{"seed": 14, "accuracy": 0.83}', "json", CLASSES) == ["unverified"]


def test_two_seeds_are_no_setting() -> None:
    text = '[{"seed": 1, "mrr": 0.60}, {"seed": 2, "mrr": 0.60}]'
    found = judged(text, "json")
    assert [one.status for one in found] == ["unverified", "unverified"]
    assert "there is no seed column" in found[0].sentence


SPREAD = "{}\n\n| System | {} |\n|---|---|\n| ours | {} |\n"


def test_a_spread_is_over_seeds_where_the_data_have_seeds() -> None:
    for caption in ("", "Table 1: mean ± std over 3 seeds."):
        text = SPREAD.format(caption, "Accuracy", "0.844 ± 0.022")
        assert told(text, "markdown", CLASSES) == ["holds", "holds"]
        text = SPREAD.format(caption, "Accuracy", "0.844 ± 0.042")
        assert told(text, "markdown", CLASSES) == ["holds", "wrong"]


def test_a_spread_over_seeds_is_not_one_over_folds() -> None:
    text = SPREAD.format("Table 1: mean and deviation over five runs.", "MRR", "0.60 ± 0.03")
    found = judged(text, "markdown")
    assert [one.status for one in found] == ["unverified", "unverified"]
    assert "there is no seed column" in found[0].sentence


def test_a_bare_spread_is_left_open_where_the_data_have_both() -> None:
    both = LEDGERS["ours"] | {
        "mrr@all|positives_only|seeds|mean": 0.6,
        "mrr@all|positives_only|seeds|std": 0.01,
    }
    text = SPREAD.format("", "MRR", "0.60 ± 0.01")
    assert told(text, "markdown", both) == ["holds", "unverified"]


def test_an_n_beside_a_metric_counts_its_queries() -> None:
    found = judged("metric,value,n\nmrr,0.60,1379\n", "csv")
    assert [one.status for one in found] == ["holds", "holds"]
    assert found[1].key == "queries|positives_only|all|n"
    assert told("metric,value,n\nmrr,0.60,5\n", "csv") == ["holds", "unverified"]


CHANGE = "| System | MRR |\n|---|---|\n| bm25 | 0.50 |\n| ours | 0.60 |\n| {} | {} |\n"


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("Δ", "+0.100", "+0.150"),
        ("ΔMRR", "+0.100", "+0.150"),
        ("Δ abs.", "+0.100", "+0.150"),
        ("Δ (ours vs. bm25)", "+0.100", "+0.150"),
        ("Improvement over bm25", "+20.0%", "+25.0%"),
        ("Rel. improvement", "0.200", "0.250"),
        ("Gain (pp)", "10.0", "15.0"),
    ],
)
def test_a_row_of_changes_below_two_systems_is_verified(name: str, right: str, wrong: str) -> None:
    for printed, status in ((right, "holds"), (wrong, "wrong")):
        found = of_both(CHANGE.format(name, printed), "markdown")
        assert [one.status for one in found if one.claim.role == "improvement"] == [status]


@pytest.mark.parametrize(
    ("head", "right", "key"),
    [
        ("MAP@10 (by gold)", "0.43", "map@10/by_gold|positives_only|all|mean"),
        ("MAP@10 by gold", "0.43", "map@10/by_gold|positives_only|all|mean"),
        ("nDCG@10 (binary)", "0.44", "ndcg@10|positives_only|all|mean"),
        ("Top@3", "0.80", "hit@3|positives_only|all|mean"),
    ],
)
def test_a_definition_beside_a_name_is_that_of_the_contract(
    head: str, right: str, key: str
) -> None:
    [found] = judged(f"System,{head}\nours,{right}\n", "csv")
    assert (found.status, found.key) == ("holds", key)
    assert told(f"System,{head}\nours,0.51\n", "csv") == ["wrong"]


def test_names_beside_several_classes() -> None:
    assert told("System,Top@3\nours,0.99\n", "csv", CLASSES) == ["holds"]
    assert told("System,top-3 accuracy\nours,0.99\n", "csv", CLASSES) == ["holds"]
    [open_] = judged("System,AUROC\nours,0.96\n", "csv", CLASSES)
    assert open_.status == "unverified"
    assert {"auroc/ovo_macro", "auroc/ovr_macro"} <= {*re.findall(r"auroc/\w+", open_.sentence)}
    assert told('{"accuracy|all_queries|dataset|macro": 0.85}', "json", CLASSES) == ["holds"]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("run1,mrr=0.9524\nrun2,x\n", "csv"),
        ("system,MRR\nMRR = 95 %,0.5\n", "csv"),
        (
            "| a | b |\n|---|---|\n| MRR: 0.95 | x |\n\n| s | MRR |\n|---|---|\n| o | 0.5 |\n",
            "markdown",
        ),
    ],
)
def test_a_metric_with_its_value_is_nobodys_name(text: str, form: str) -> None:
    problems = [one.problem or "" for one in examine_text(text, f"paper.{form}", form).claims]
    assert any("expected" in one or "column of names" in one for one in problems)
