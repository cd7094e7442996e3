"""Every token with a digit has one outcome, whatever the readers do."""

from __future__ import annotations

from collections import Counter

import pytest

from crosscheck.claims.accounting import account, rules
from crosscheck.claims.reading import Reading, examine_text, understood
from crosscheck.notation.claim import Claim
from crosscheck.notation.pieces import Passed
from crosscheck.notation.source import Source


def tokens(text: str) -> list[str]:
    return [one.text for one in Source("f", text).tokens]


def claim(*covers: tuple[int, int]) -> Claim:
    return Claim("f", "", "x", "x", "value", covers=covers)


def adds_up(reading: Reading) -> bool:
    """Say whether every token is claimed or ignored by a rule that exists."""
    states = Counter(one.state for one in reading.entries)
    assert states["claimed"] + states["ignored"] == len(reading.source.tokens)
    assert {one.rule for one in reading.ignored} <= set(rules())
    return all(one.claims for one in reading.entries if one.state == "claimed")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("nDCG@10 is 0.82.", ["10", "0.82"]),
        (".733 and 1,379; s12", [".733", "1,379", "s12"]),
        ("0.82/0.79 0.9–1.0", ["0.82", "0.79", "0.9", "1.0"]),
        ("0.9\u200b99", ["0.9\u200b99"]),
        ("0.999¹ ½ ٠٫٨٢", ["0.999¹", "½", "٠٫٨٢"]),
        ("no number, not one", []),
    ],
)
def test_a_token_is_a_maximal_run_with_a_digit(text: str, found: list[str]) -> None:
    assert tokens(text) == found


def test_a_token_has_line_and_column() -> None:
    (token,) = Source("f", "a\r\nbc 0.5\n").tokens
    assert (token.line, token.column) == (2, 4)


def test_lines_are_counted_from_the_sheet_or_page_they_stand_on() -> None:
    source = Source("f", "a 1\nb 2\nc 3\n", ((4, "page 2"),))
    assert [(source.landmark(one.start), one.line) for one in source.tokens] == [
        ("", 1),
        ("page 2", 1),
        ("page 2", 2),
    ]


def test_a_token_that_nothing_covers_is_unread() -> None:
    entries = account(Source("f", "0.5 0.6 0.7"), [claim((0, 3))], [Passed(((8, 11),), "url")])
    assert [one.state for one in entries] == ["claimed", "unread", "ignored"]


def test_half_a_number_that_was_read_is_not_read() -> None:
    (entry,) = account(Source("f", "0.8306"), [claim((0, 4))], [])
    assert entry.state == "unread"


def test_a_claim_counts_before_a_rule_for_ignoring() -> None:
    (entry,) = account(Source("f", "0.5"), [claim((0, 3))], [Passed(((0, 3),), "url")])
    assert entry.state == "claimed"


def test_a_reader_that_yields_nothing_loses_nothing() -> None:
    reading = understood(Source("f", "MRR 0.5\nnDCG 0.6"), [])
    assert [(one.printed, one.line, one.column) for one in reading.claims] == [
        ("0.5", 1, 5),
        ("0.6", 2, 6),
    ]
    assert all(one.role == "unknown" and one.problem for one in reading.claims)
    assert adds_up(reading)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("json", '{"mrr": "0.8306 (roughly)", "b": [1, {"c 3": "4 x"}]}'),
        ("csv", "model,MRR\nA,0.5 approx 3\nB,oops 0.6\n"),
        ("markdown", "# 1 Title\n| a | MRR |\n|--|--|\n| x9 | 0.5 or 0.6 |\n\n1. one 2\n[3]: u4"),
        ("latex", r"\def\x{5}\begin{tabular}{p{3cm}}a&MRR\\\hline b&0.5 xx 6\\\end{tabular} 7 % 8"),
        ("html", "<html><table width=5><tr><td>MRR<td>0.5 x 6</table><p>7 <!-- 8 -->"),
        ("yaml", "a: 0.5 # 6\n&b1 c: [7, 'x 8']\n"),
        ("toml", "# 1\n[a.b2]\nc = 0.5\nd = ['6', 2026-01-17]\n"),
        ("jupyter", '{"cells": [{"source": "x=1", "outputs": [{"text": ["M 0.5"], "n": 3}]}]}'),
    ],
)  # fmt: skip
def test_the_account_of_every_format_adds_up(form: str, text: str) -> None:
    assert adds_up(examine_text(text, "f", form))
