"""Every sentence of the contract in the words of the data that it is said of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck import contract
from crosscheck.contract.page import Bullets, Heading, PageTable, Paragraph, worded
from crosscheck.model.findings import rules

if TYPE_CHECKING:
    from crosscheck.contract.words import Words

STUDY = re.compile(r"\b(sentences?|posts?|criteri(on|a)|evidence|clinicians?)\b", re.IGNORECASE)


def words(kind: str) -> Words:
    return next(one for one in contract.load().studies if one.id == kind)


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ({"posts": 3, "columns": {"post_id": "post_id"}, "families": ["ranking"]}, "evidence"),
        ({"criteria": ["A.1"], "families": ["ranking"]}, "evidence"),
        ({"posts": None, "criteria": [], "columns": {}, "families": ["ranking"]}, "ranking"),
        ({"classes": ["a", "b"], "families": ["classes"]}, "classes"),
        ({"columns": {"has_evidence": "y_true"}, "families": ["curves"]}, "binary"),
        ({}, "binary"),
    ],
)
def test_the_kind_of_study_follows_from_the_facts(facts: dict[str, Any], kind: str) -> None:
    assert contract.load().words(facts).id == kind


@pytest.mark.parametrize("kind", ["ranking", "binary", "classes"])
def test_no_word_of_the_study_is_left_in_what_is_said_of_other_data(kind: str) -> None:
    said = [
        text
        for metric in contract.load().metrics
        for text in (metric.definition, metric.meaning, *(v.definition for v in metric.variants))
    ]
    said += [one.text for one in contract.load().populations]
    said += [text for rule in rules().values() for text in (rule.title, rule.remedy)]
    # Ids, columns and documents keep their names.
    left = [words(kind).fit(text) for text in said]
    plain = [re.sub(r"\S*[_|=]\S*", "", text) for text in left]
    assert [text for text in plain if STUDY.search(text)] == []


def test_the_study_itself_is_told_in_its_own_words() -> None:
    text = "How much of the evidence a reader sees who reads the first K sentences."
    assert words("evidence").fit(text) == text


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        (
            "ranking",
            "How soon the first piece of evidence comes.",
            "How soon the first relevant document comes.",
        ),
        (
            "binary",
            "The share of queries with evidence that the gate passes.",
            "The share of positive rows that are predicted positive.",
        ),
        ("binary", "Queries that nobody reviews.", "Rows that nobody reviews."),
        ("classes", "Every criterion weighs the same.", "Every class weighs the same."),
    ],
)
def test_phrases_are_replaced_as_a_whole(kind: str, text: str, said: str) -> None:
    assert words(kind).fit(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "“the evidence” is in posts/sentences.csv",
        "`evidence` of has_evidence = 1",
        "mrr@all|positives_only|criterion=evidence|mean",
        "evidence_recall",
        "sentence.uid",
    ],
)
def test_what_is_quoted_and_what_is_a_name_stays(text: str) -> None:
    assert words("ranking").fit(text) == text


def test_a_page_keeps_its_keys_and_formulas() -> None:
    page = [
        Heading(1, "The evidence"),
        Paragraph("No sentence."),
        Bullets(("the posts",)),
        PageTable(("a", "b"), (("sentence", "sentence"),)),
    ]
    assert worded(page, words("ranking")) == [
        Heading(1, "The relevant documents"),
        Paragraph("No document."),
        Bullets(("the queries",)),
        PageTable(("a", "b"), (("sentence", "document"),)),
    ]
