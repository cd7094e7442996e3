"""JSON, YAML, TOML and notebooks: every value with its names, its digits and its place."""

from __future__ import annotations

import json

import pytest

from crosscheck.claims.reading import examine_text
from crosscheck.errors import UserError
from crosscheck.notation.pieces import Leaf, Sentence, Table


def leaves(text: str, form: str) -> list[tuple[tuple[str, ...], str, bool]]:
    pieces = examine_text(text, "f", form).pieces
    return [(one.path, one.text, one.numeric) for one in pieces if isinstance(one, Leaf)]


SAME = {
    "json": '{"ours": {"mrr": 0.8300, "note": "a 1", "ci": [0.1, "0.2"], "ok": true, "no": null}}',
    "yaml": "ours:\n  mrr: 0.8300\n  note: a 1\n  ci: [0.1, '0.2']\n  ok: true\n  no: null\n",
    "toml": '[ours]\nmrr = 0.8300\nnote = "a 1"\nci = [0.1, "0.2"]\nok = true\n',
}


@pytest.mark.parametrize("form", SAME)
def test_nested_files_give_the_same_values_whatever_their_notation(form: str) -> None:
    expected = [
        (("ours", "mrr"), "0.8300", True),
        (("ours", "note"), "a 1", False),
        (("ours", "ci", "[0]"), "0.1", True),
        (("ours", "ci", "[1]"), "0.2", False),
        (("ours", "ok"), "true", False),
        (("ours", "no"), "", False),
    ]
    assert leaves(SAME[form], form) == expected[: 5 if form == "toml" else 6]


@pytest.mark.parametrize(
    ("form", "text", "said"),
    [
        ("json", '{"a": {"mrr": 0.9, "mrr": 0.5}}', "“mrr” stands twice"),
        ("yaml", "a:\n  mrr: 0.9\n  mrr: 0.5\n", "line 3: “mrr” stands twice"),
        ("toml", "mrr = 0.9\nmrr = 0.5\n", "not valid TOML"),
    ],
)
def test_a_name_that_stands_twice_is_refused(form: str, text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        examine_text(text, "f", form)


def test_a_record_is_named_by_its_metric_not_by_its_system() -> None:
    text = '{"system": "mrr", "metric": "ndcg@10", "value": 0.583}'
    assert (("mrr", "ndcg@10"), "0.583", True) in leaves(text, "json")
    (listed,) = (one for one in leaves(f"[{text}]", "json") if one[2])
    assert listed[0] == ("mrr", "ndcg@10")


@pytest.mark.parametrize("written", ['"0.83\\u0030"', '"\\u0030.830"', '"0.830"'])
def test_a_quoted_number_is_accounted_for_however_it_is_escaped(written: str) -> None:
    found = examine_text(f'{{"mrr": {written}}}', "f", "json")
    (claim,) = found.claims
    assert claim.printed == "0.830"
    assert {one.state for one in found.entries} == {"claimed"}


@pytest.mark.parametrize("written", ["NaN", "1e400", "-Infinity", '"NaN"', "true", '"-inf"'])
def test_a_number_that_is_none_is_kept_with_its_problem(written: str) -> None:
    (claim,) = examine_text(f'{{"mrr": {written}}}', "f", "json").claims
    assert (claim.printed, claim.number, bool(claim.problem)) == (written.strip('"'), None, True)


def test_aliases_are_read_wherever_they_stand_and_limited() -> None:
    assert leaves("a: &x {mrr: 0.5}\nb: *x\n", "yaml") == [
        (("a", "mrr"), "0.5", True),
        (("b", "mrr"), "0.5", True),
    ]
    laughs = "a0: &a0 [1,1,1,1,1,1,1,1,1]\n" + "".join(
        f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 9)
    )
    with pytest.raises(UserError, match="with its aliases"):
        examine_text(laughs, "f", "yaml")


NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["# Results\n", "|M|MRR|\n", "|--|--|\n", "|A|0.5|\n"]},
        {
            "cell_type": "code",
            "execution_count": 7,
            "source": "x = 0.9",
            "outputs": [
                {"output_type": "stream", "text": ["MRR 0.61\n"]},
                {"data": {"text/plain": ["   MRR\nA  0.62"], "image/png": "iVBORw0KGgo8"}},
                {"data": {"text/html": "<table><tr><td>M<td>0.63</table>", "text/plain": "0.63"}},
            ],
        },
    ],
    "metadata": {"version": "3.11"},
    "nbformat": 4,
}  # fmt: skip


def test_a_notebook_gives_its_texts_and_what_it_printed() -> None:
    found = examine_text(json.dumps(NOTEBOOK), "n.ipynb", "jupyter")
    grids = [one.rows for one in found.pieces if isinstance(one, Table)]
    texts = [one.written.text for one in found.pieces if isinstance(one, Sentence)]
    assert grids == [
        (("M", "MRR"), ("A", "0.5")),
        (("", "MRR"), ("A", "0.62")),
        (("M", "0.63"),),
    ]
    assert texts == ["Results", "MRR 0.61"]
    assert {one.token.text: one.rule for one in found.ignored}["7"] == "notebook"
    assert "unread" not in {one.state for one in found.entries}


def test_a_notebook_without_cells_is_refused() -> None:
    with pytest.raises(UserError, match="without a list of cells"):
        examine_text('{"nbformat": 4}', "n.ipynb", "jupyter")
