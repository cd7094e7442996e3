"""From what a run found out to what the report shows."""

from __future__ import annotations

import math

from crosscheck.contract import load
from crosscheck.model.findings import Finding
from crosscheck.model.ledgers import compare
from crosscheck.report.assemble import _worded, pair_of
from crosscheck.report.view import Pair


def test_a_pair_of_witnesses_is_shown_by_its_counts() -> None:
    first = {"only": 1.0, "a": 1.0, "b": 0.5, "c": 3, "d": 0.1, "e": 0.8}
    second = {"a": 1.0, "b": 0.501, "c": 4, "d": 0.1 + 1e-12, "e": 0.801, "extra": 2.0}
    assert pair_of(compare(("x", "y"), first, second)) == Pair(
        first="x",
        second="y",
        shared=5,
        exact=2,
        drift=2,
        wrong=1,
        only_first=1,
        only_second=1,
        worst_key="c",
        worst_difference=0.25,
    )


def test_a_difference_without_a_ratio_is_shown_as_1() -> None:
    assert pair_of(compare(("x", "y"), {"a": math.inf}, {"a": 0.5})).worst_difference == 1.0


def test_a_finding_about_claims_keeps_the_words_of_the_authors_file() -> None:
    words = next(one for one in load().studies if one.id == "ranking")
    text = "the sentence also says “prose”"
    finding = Finding(
        rule="XC902", title="t", group="claims", severity="error", message=text, section="11.7",
        remedy="",
    )  # fmt: skip
    assert _worded(finding, {"": words}).message == text
    assert "document" in _worded(finding.model_copy(update={"group": "data"}), {"": words}).message
