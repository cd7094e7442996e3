"""The output of trec_eval and of ir_measures as claims: read by their own definitions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from crosscheck import claims
from crosscheck.claims.reading import examine, form
from crosscheck.config.systems import Source
from crosscheck.errors import UserError
from crosscheck.gate.cut_offs import ungraded, with_cut_offs
from crosscheck.readers import ir_measures_file, ranx_file
from crosscheck.readers.trec_eval_file import key_of

if TYPE_CHECKING:
    from pathlib import Path

OUTPUT = """\
runid                 \tall\tbm25
num_q                 \tall\t2
num_ret               \tall\t1500
map                   \t301\t0.1234
map                   \tall\t0.1785
iprec_at_recall_0.00  \tall\t0.4665
iprec_at_recall_0.10  \tall\t0.3885
P_15                  \tall\t0.3111
ndcg_cut_10           \tall\t0.2500
"""


@pytest.fixture
def output(tmp_path: Path) -> Path:
    path = tmp_path / "eval.txt"
    path.write_text(OUTPUT)
    return path


def test_each_measure_is_read_as_the_key_of_its_definition(output: Path) -> None:
    assert {one.key or one.counted: one.printed for one in claims.read(output)} == {
        "queries|all_queries|all|n": "2",
        "num_ret": "1500",
        "map@all/by_gold|all_queries|per-query=301|mean": "0.1234",
        "map@all/by_gold|all_queries|all|mean": "0.1785",
        "iprec@recall=0|all_queries|all|mean": "0.4665",
        "iprec@recall=0.1|all_queries|all|mean": "0.3885",
        "precision@15|all_queries|all|mean": "0.3111",
        "ndcg@10/graded|all_queries|all|mean": "0.2500",
    }


def test_what_is_passed_over_is_counted_with_its_reason(output: Path) -> None:
    passed = Counter(one.rule for one in examine(output).passed)
    assert passed == {"name": 10, "text": 1}


@pytest.mark.parametrize(
    ("measure", "key"),
    [
        ("recall_1000", "recall@1000"),
        ("success_1", "hit@1"),
        ("map_cut_5", "map@5/by_gold"),
        ("iprec_at_recall_1.00", "iprec@recall=1"),
        ("iprec_at_recall_0.30", "iprec@recall=0.3"),
        ("gm_map", "gmap"),
        ("num_rel_ret", "#num_rel_ret"),
        ("infAP", ""),
        ("P_x", ""),
    ],
)
def test_measures_by_name(measure: str, key: str) -> None:
    assert key_of(measure) == key


def test_three_words_to_a_line_are_not_yet_an_evaluation() -> None:
    assert form("map all 0.5\n") == "trec_eval"
    assert form("q1 d1 1\nq1 d2 2\n") != "trec_eval"
    assert form("map all 0.5\nand some words more\n") != "trec_eval"


def test_cut_offs_that_claims_name_are_computed(output: Path) -> None:
    found = with_cut_offs(Source("s", "run", {}), claims.read(output))
    assert found.settings["k"] == [1, 3, 5, 10, 15, 20]
    stated = with_cut_offs(Source("s", "run", {"k": [10, 15]}), claims.read(output))
    assert stated.settings == {"k": [10, 15]}


def test_no_more_cut_offs_are_added_than_a_table_has(tmp_path: Path) -> None:
    lines = "".join(f"P_{k}\tall\t0.1\n" for k in range(100, 200))
    (tmp_path / "a.txt").write_text(lines)
    assert with_cut_offs(Source("s", "run", {}), claims.read(tmp_path / "a.txt")).settings == {}


def test_without_grades_a_graded_claim_is_one_of_plain_ndcg(output: Path) -> None:
    claim = next(one for one in claims.read(output) if one.metric == "ndcg@10/graded")
    plain = "ndcg@10|all_queries|all|mean"
    assert ungraded(claim, {plain: 0.25}).key == plain
    assert ungraded(claim, {plain: 0.25, str(claim.key): 0.3}) == claim


def test_exponential_gains_are_those_of_plain_ndcg_only_without_grades(tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    path.write_text(RANX.replace("NDCG@10       ", "NDCG Burges@10"), encoding="utf-8")
    claim = next(one for one in claims.read(path) if one.metric == "ndcg@10/exponential")
    plain = "ndcg@10|all_queries|all|mean"
    assert ungraded(claim, {plain: 0.25}).key == plain
    # Grades so high that they have no exponential gains are grades all the same.
    assert ungraded(claim, {plain: 0.25, "ndcg@10/graded|all_queries|all|mean": 0.3}) == claim


def test_the_stored_output_of_trec_eval_is_read_whole(shared_data: Path) -> None:
    found = examine(shared_data / "trec_eval" / "out.test")
    assert [one for one in found.claims if not one.key and not one.counted] == []
    assert len(found.claims) == 29


def test_ir_measures_is_read_by_its_definitions_too(tmp_path: Path) -> None:
    text = "nDCG@10\t0.8168\nAP\t0.7083\nRR@10\t0.7500\nR@5\t1.0\ninfAP\t0.4\n301\tAP\t0.6\n"
    (tmp_path / "irm.txt").write_text(text)
    assert form(text) == "ir_measures"
    assert {one.key: one.printed for one in claims.read(tmp_path / "irm.txt")} == {
        "ndcg@10/graded|all_queries|all|mean": "0.8168",
        "map@all/by_gold|all_queries|all|mean": "0.7083",
        "mrr@10|all_queries|all|mean": "0.7500",
        "recall@5|all_queries|all|mean": "1.0",
        "map@all/by_gold|all_queries|per-query=301|mean": "0.6",
    }
    passed = Counter(one.rule for one in examine(tmp_path / "irm.txt").passed)
    assert passed["measure"] == 1


@pytest.mark.parametrize(
    ("measure", "metric"),
    [
        ("nDCG", "ndcg@all/graded"),
        ("P(rel=1)@5", "precision@5"),
        ("P(rel=2)@5", ""),
        ("nDCG(dcg='exp-log2')@5", "ndcg@5/exponential"),
        ("IPrec@0.1", "iprec@recall=0.1"),
        ("RBP(p=0.8)", ""),
        ("RBP(rel=1,p=0.8)", "rbp@p=0.8"),
        ("NumRet(rel=1)", "#num_rel_ret"),
        ("NumQ", "queries"),
    ],
)
def test_measures_of_ir_measures_by_name(measure: str, metric: str) -> None:
    assert ir_measures_file.key_of(measure) == metric


def test_a_table_of_two_columns_is_no_output_of_ir_measures() -> None:
    assert form("nDCG@10\t0.8\nMRR\t0.5\n") != "ir_measures"


RANX = """\
#    Model    MAP     NDCG@10         Hit Rate@5    RBP.95
---  -------  ------  --------------  ------------  --------
a    bm25     0.414   0.484           0.960         0.310
b    dense 2  0.498ᵃ  0.549ᵃ          1.000         0.402ᵃ
"""


def test_the_table_of_ranx_is_read_by_its_definitions(tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    path.write_text(RANX, encoding="utf-8")
    assert form(RANX) == "ranx"
    assert [(one.system, one.key, one.printed) for one in claims.read(path)] == [
        ("bm25", "map@all/by_gold|all_queries|all|mean", "0.414"),
        ("bm25", "ndcg@10/graded|all_queries|all|mean", "0.484"),
        ("bm25", "hit@5|all_queries|all|mean", "0.960"),
        ("dense 2", "map@all/by_gold|all_queries|all|mean", "0.498"),
        ("dense 2", "ndcg@10/graded|all_queries|all|mean", "0.549"),
        ("dense 2", "hit@5|all_queries|all|mean", "1.000"),
    ]
    assert Counter(one.rule for one in examine(path).passed)["measure"] == 2


@pytest.mark.parametrize("value", ["41.4", "1.5"])
def test_a_table_of_ranx_in_percent_is_left_to_the_reader_of_tables(value: str) -> None:
    assert not ranx_file.READER.recognises(RANX.replace("0.414", value))


def test_a_dictionary_that_python_printed_is_told_how_to_become_json(tmp_path: Path) -> None:
    path = tmp_path / "claims.json"
    path.write_text("{'map': np.float64(0.4138), 'mrr': 0.5}\n")
    with pytest.raises(UserError, match=r"Python printed: write it by json\.dump"):
        claims.read(path)
