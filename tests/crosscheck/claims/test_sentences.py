"""Claims in running text: what is clear is verified, what is not is listed."""

from __future__ import annotations

import json

import pytest

from crosscheck.claims import verify
from crosscheck.claims.reading import examine_text, read_text
from crosscheck.claims.verify import Run
from crosscheck.model.comparison import Comparison, ComparisonRow

MRR = "mrr@all|positives_only|all|mean"
NDCG = "ndcg@10|positives_only|all|mean"
LEDGERS = {"bm25": {MRR: 0.5, NDCG: 0.6}, "ours": {MRR: 0.6, NDCG: 0.62}}


def run(p: float = 0.19) -> Run:
    rows = [
        ComparisonRow(
            system="ours", baseline="bm25", key=key, name=key, value=LEDGERS["ours"][key],
            difference=LEDGERS["ours"][key] - LEDGERS["bm25"][key], p=p / 2, p_holm=p,
        )
        for key in (MRR, NDCG)
    ]  # fmt: skip
    return Run(
        LEDGERS,
        Comparison(
            baseline="bm25", systems=["bm25", "ours"], metrics=["mrr@all"], resamples=9999,
            correction="Holm", rows=rows,
        ),
    )  # fmt: skip


def told(sentence: str, p: float = 0.19) -> list[str]:
    claims = read_text(f"# Results\n\n{sentence}\n", "paper.md", "markdown")
    found = verify(claims, LEDGERS["ours"], system="ours", rankings=["ours", "bm25"], run=run(p))
    return [one.status for one in found]


@pytest.mark.parametrize(
    ("sentence", "statuses"),
    [
        ("Ours reaches an nDCG@10 of 0.62.", ["holds"]),
        ("Ours reaches an nDCG@10 of 0.82.", ["wrong"]),
        ("Ours has MRR = 0.60 and nDCG@10: 0.62.", ["holds", "holds"]),
        ("With ours, MRR (0.60) is high.", ["holds"]),
        ("The system reaches an MRR of 0.60.", ["unverified"]),
        ("Ours improves MRR by 20% over BM25.", ["holds"]),
        ("Ours improves MRR by 10.0 points over BM25.", ["holds"]),
        ("Ours improves MRR by 31 points over BM25.", ["wrong"]),
        ("Ours is significantly better than BM25 in MRR.", ["wrong"]),
        ("Ours is not significantly better than BM25 in MRR.", []),
        ("By MRR, ours is the best of all systems.", ["holds"]),
        ("By MRR, BM25 is the best of all systems.", []),
        ("For ours, MRR differs from BM25 (p < 0.05).", ["wrong"]),
        ("For ours the MRR moved, and so did 0.44.", ["unverified"]),
    ],
)
def test_a_sentence_is_held_against_the_data(sentence: str, statuses: list[str]) -> None:
    assert told(sentence) == statuses


def test_a_significant_difference_holds() -> None:
    assert told("Ours is significantly better than BM25 in MRR.", p=0.004) == ["holds"]
    assert told("For ours, MRR differs from BM25 (p < 0.05).", p=0.004) == ["holds"]


def test_the_best_that_is_not_is_wrong() -> None:
    claims = read_text("By MRR, BM25 is the best of all systems.\n", "paper.md", "markdown")
    found = verify(claims, LEDGERS["bm25"], system="bm25", rankings=["bm25", "ours"], run=run())
    assert [one.status for one in found] == ["wrong"]


@pytest.mark.parametrize(
    ("sentence", "rules"),
    [
        ("We drew 500 queries in 2019.", {"prose"}),
        ("MRR is over 500 queries.", {"count"}),
        ("MRR uses a threshold of 0.5.", {"setting"}),
        ("MRR is in Table 3 and BM25 below.", {"count", "name"}),
    ],
)
def test_numbers_that_are_no_claims_are_ignored_by_a_rule(sentence: str, rules: set[str]) -> None:
    reading = examine_text(f"{sentence}\n", "paper.md", "markdown")
    assert {one.rule for one in reading.ignored} == rules
    assert not reading.claims


def test_a_program_s_output_in_running_text_is_not_read_as_a_sentence() -> None:
    text = "Report: {'0': {'precision': 0.99, 'recall': 0.98}, 'accuracy': 0.97}\n"
    assert all(one.key is None for one in read_text(text, "paper.md", "markdown"))


def test_an_improvement_in_a_metric_is_no_value_of_it() -> None:
    [claim] = read_text("We see an improvement in MRR of 12.1%.\n", "paper.md", "markdown")
    assert (claim.role, claim.key) == ("improvement", "mrr@all|positives_only|all|improvement")


BOLD = "| Model | MRR | nDCG@10 |\n|---|---|---|\n| bm25 | {} | 0.60 |\n| ours | {} | **0.62** |\n"


def ranked(first: str, second: str, truth: dict[str, dict[str, float]]) -> list[str]:
    claims = read_text(BOLD.format(first, second), "t.md", "markdown")
    found = [
        each
        for name in truth
        for each in verify(claims, truth[name], system=name, rankings=list(truth), run=Run(truth))
    ]
    return [one.status for one in found if one.claim.role == "best"]


def test_bold_that_is_the_best_of_what_is_printed_claims_to_be_the_best() -> None:
    assert ranked("0.50", "**0.60**", LEDGERS) == ["holds", "holds"]
    worse = {"bm25": {MRR: 0.7, NDCG: 0.6}, "ours": LEDGERS["ours"]}
    assert sorted(ranked("0.50", "**0.60**", worse)) == ["holds", "wrong"]


def test_bold_that_marks_something_else_claims_nothing() -> None:
    assert ranked("**0.50**", "0.60", LEDGERS) == []


def test_two_that_print_alike_are_equally_good() -> None:
    near = {"bm25": {MRR: 0.601, NDCG: 0.6}, "ours": {MRR: 0.599, NDCG: 0.62}}
    assert ranked("**0.60**", "**0.60**", near) == ["holds"]


SECOND = (
    "| Model | MRR | nDCG@10 |\n|---|---|---|\n| tfidf | {} | 0.5 |\n"
    "| bm25 | {} | <u>0.6</u> |\n| ours | **0.60** | **0.7** |\n"
)
THREE = {
    "tfidf": {MRR: 0.40, NDCG: 0.5},
    "bm25": {MRR: 0.50, NDCG: 0.6},
    "ours": {MRR: 0.60, NDCG: 0.64},
}


def seconds(first: str, second: str) -> list[str]:
    claims = read_text(SECOND.format(first, second), "t.md", "markdown")
    found = [
        each
        for name in THREE
        for each in verify(claims, THREE[name], system=name, rankings=list(THREE), run=Run(THREE))
    ]
    return [one.status for one in found if one.claim.role == "second"]


def test_underlined_is_the_second_where_bold_is_the_best() -> None:
    assert seconds("0.40", "<u>0.50</u>") == ["holds", "holds"]
    assert seconds("<u>0.55</u>", "0.50") == ["wrong", "holds"]


def test_underlined_that_marks_something_else_claims_nothing() -> None:
    assert seconds("<u>0.40</u>", "0.50") == []


def test_who_is_best_among_strangers_is_not_asked() -> None:
    claims = read_text(BOLD.format("0.50", "**0.60**"), "t.md", "markdown")
    found = verify(claims, LEDGERS["ours"], system="ours", rankings=["ours"], run=Run(LEDGERS))
    assert not [one for one in found if one.claim.role == "best"]


JOINED = ["MRR=0.950", r"$\mathrm{MRR}=0.950$", "`MRR=0.95`", "_MRR_=0.71", "MRR=95%", "MRR=.95",
    "MRR0.95", "MRR=95", "MRR 95", "MRR:0.95", "MRR95.1%",
]  # fmt: skip
"""A name and its value with nothing but a sign between them: read, and never as MRR@95."""
GLUED = [
    "nDCG@3=0.99", "MRR→0.89", "MRR~0.87", "ΔMRR=0.68", "MRR/Recall@3: 0.86/0.85", "MRRs of 0.78",
    "MRR\u2011score 0.76", "MRR-0.76", "nDCG@3=.95", "MRR0.95 is what we get.",
    "MRR 10 is 0.60.",
]  # fmt: skip
ANOTHER = [
    "On the training set we reach an MRR of 0.95.",
    "On the development set we reach an MRR of 0.95.",
    "On dev, MRR is 0.60.",
    "On x we reach an MRR of 0.95.",
    "On the x data set, MRR is 0.60.",
    "For the class cat, MRR is 0.95.",
    "We do not reach an MRR of 0.60.",
    "Without stemming, MRR is 0.95.",
    "BM25 reaches an MRR of 0.60.",
    "BM25+ours reaches an MRR of 0.95.",
    "Smith et al. report an MRR of 0.95.",
    "The previous best MRR is 0.95.",
    "Ours beats BM25, which has an MRR of 0.60.",
    "Our MRR is at least 0.60.",
    "Our MRR ≠ 0.60.",
]
RIGHT = [
    "Ours improves MRR from 0.472 to 0.833.",
    "Ours gains 37.1 points in nDCG@10.",
    "MRR and nDCG@10 are 0.60 and 0.62, respectively.",
    "MRR and nDCG@10 are 0.60 and 0.62.",
    "We reach 0.60 MRR, 0.62 nDCG@10.",
    "The top-3 recall is 0.500.",
    "- MRR – 0.600",
]


def told_alone(text: str, file: str = "paper.md", form: str = "markdown") -> list[str]:
    """Read a text of a run that has one system only, so that a bare number is that system's."""
    ledger = {**LEDGERS["ours"], "recall@3|positives_only|all|mean": 0.5}
    claims = read_text(f"{text}\n", file, form)
    found = verify(claims, ledger, system="ours", rankings=["ours"], run=Run({"ours": ledger}))
    return [one.status for one in found]


@pytest.mark.parametrize("sentence", [*GLUED, *ANOTHER, *RIGHT])
def test_a_sentence_that_is_not_plain_is_listed_and_neither_holds_nor_is_wrong(
    sentence: str,
) -> None:
    assert set(told_alone(sentence)) == {"unverified"}


@pytest.mark.parametrize("sentence", JOINED)
def test_a_value_that_is_joined_to_its_name_is_read(sentence: str) -> None:
    assert told_alone(sentence) == ["wrong"]


def test_a_right_value_that_is_joined_to_its_name_holds() -> None:
    assert told_alone("MRR=0.60") == ["holds"]


def test_glued_names_are_noticed_in_pages_and_notebooks() -> None:
    output = {"output_type": "stream", "name": "stdout", "text": ["nDCG@3=0.97\n"]}
    cell = {"cell_type": "code", "source": "", "metadata": {}, "outputs": [output]}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    assert told_alone("<p>MRR=0.84</p>", "a.html", "html") == ["wrong"]
    assert told_alone(json.dumps(notebook), "a.ipynb", "jupyter") == ["unverified"]


@pytest.mark.parametrize(
    "sentence",
    [
        "We reach an MRR of {}.",
        "Our model achieves an MRR of {} on the test set (Table 2).",
        "Overall, the MRR is **{}**.",
        "- MRR: {}",
        "Ours reaches {} MRR.",
    ],
)
def test_a_plain_sentence_is_verified(sentence: str) -> None:
    assert told_alone(sentence.format("0.60")) == ["holds"]
    assert told_alone(sentence.format("0.95")) == ["wrong"]


def test_the_system_named_first_is_not_the_better_one_after_over() -> None:
    claims = read_text("Over BM25, ours improves MRR by 20%.\n", "paper.md", "markdown")
    found = verify(claims, LEDGERS["bm25"], system="bm25", rankings=["ours", "bm25"], run=run())
    assert [one.status for one in found] == ["unverified"]


def test_a_loss_that_is_called_a_gain_does_not_hold() -> None:
    text = "BM25 improves MRR by 10.0 points over ours.\n"
    claims = read_text(text, "paper.md", "markdown")
    found = verify(claims, LEDGERS["bm25"], system="bm25", rankings=["ours", "bm25"], run=run())
    assert [one.status for one in found] == ["unverified"]
    assert "only its size fits" in found[0].sentence


def test_a_decimal_without_its_zero_is_no_part_of_a_name() -> None:
    assert told_alone("MRR: .95") == ["wrong"]


def test_what_else_a_sentence_says_is_quoted() -> None:
    claims = read_text("On the training set we reach an MRR of 0.95.\n", "paper.md", "markdown")
    [found] = verify(claims, LEDGERS["ours"], system="ours", rankings=["ours"])
    assert "also says “training”; put the number in a table" in found.sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "On x, ours improves MRR by 31 points over BM25.",
        "Ours improves MRR and nDCG@10 by 31 points over BM25.",
        "On x, ours is significantly better than BM25 in MRR.",
        "On x, for ours, MRR differs from BM25 (p < 0.05).",
    ],
)
def test_a_comparison_that_is_not_plain_is_not_held_against_the_data(sentence: str) -> None:
    assert set(told(sentence)) == {"unverified"}


@pytest.mark.parametrize("sentence", ["We use GPT-3.5 and α=0.5.", "A loss=0.5 was seen."])
def test_a_decimal_without_a_metric_is_still_no_claim(sentence: str) -> None:
    assert told_alone(sentence) == []


@pytest.mark.parametrize("noun", ["reduction", "gain", "degradation", "improvement"])
def test_a_number_of_a_change_is_no_value_of_the_metric(noun: str) -> None:
    [claim] = read_text(f"Rare items see a 12.1% MRR {noun}.", "paper.md", "markdown")
    assert claim.role == "improvement"
