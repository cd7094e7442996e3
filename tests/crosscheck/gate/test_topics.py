"""Claims about single topics, counts and recall levels, as evaluation programs print them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from crosscheck import check

if TYPE_CHECKING:
    from pathlib import Path

    from crosscheck.api.result import Result
    from crosscheck.claims import ClaimOutcome

QRELS = "".join(f"7 0 d{n} {int(n < 7)}\n" for n in range(10)) + "8 0 d1 1\n8 0 d2 1\n"
RUN = "".join(f"7 Q0 d{n} 0 {9 - at} r\n" for at, n in enumerate((0, 1, 9, 2, 3, 8, 4)))
RUN += "8 Q0 d3 0 2 r\n8 Q0 d1 0 1 r\n"
RIGHT = """\
map                  \t7\t0.6092
map                  \t8\t0.2500
map                  \tall\t0.4296
P_15                 \t7\t0.3333
num_ret              \t7\t7
num_rel              \t8\t2
num_rel_ret          \tall\t6
num_nonrel_judged_ret\tall\t2
num_q                \tall\t2
"""


def verified(tmp_path: Path, claims: str, name: str = "eval.txt", **settings: object) -> Result:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.txt").write_text(RUN)
    (tmp_path / name).write_text(claims)
    given = {"qrels": str(tmp_path / "qrels.txt"), "run": str(tmp_path / "run.txt")}
    return check(given, claims=tmp_path / name, witnesses=["trec_eval"], **settings)


def statuses(result: Result) -> dict[str, int]:
    return dict(Counter(one.status for one in outcomes(result)))


def outcomes(result: Result) -> tuple[ClaimOutcome, ...]:
    [evidence] = result._outcome.evidence  # noqa: SLF001 - what became of each claim
    return evidence.claims


def test_each_topic_and_count_is_verified(tmp_path: Path) -> None:
    result = verified(tmp_path, RIGHT)
    assert statuses(result) == {"holds": 9}


def test_the_value_of_a_topic_is_compared_by_every_witness(tmp_path: Path) -> None:
    ledger = verified(tmp_path, RIGHT).ledger
    row = ledger.loc["map@all/by_gold|all_queries|per-query=8|mean"]
    assert [row["primary"], row["reference"], row["trec_eval"]] == [0.25, 0.25, 0.25]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("map\t8\t0.2510", "map of 8 is printed as 0.2510; the data give 0.250000"),
        ("num_rel\t8\t3", "num_rel of 8 is printed as 3; the data have 2"),
        ("num_ret\tall\t10", "num_ret is printed as 10; the data have 9"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    result = verified(tmp_path, f"{RIGHT}{line}\n")
    assert statuses(result) == {"holds": 9, "wrong": 1}
    assert any(said in one.message for one in result.findings if one.rule == "XC901")


def test_a_topic_that_the_data_lack_is_unverified(tmp_path: Path) -> None:
    result = verified(tmp_path, f"{RIGHT}map\t9\t0.1\nnum_rel\t9\t1\n")
    assert statuses(result) == {"holds": 9, "unverified": 2}
    [first, second] = [one.message for one in result.findings if one.rule == "XC902"]
    assert "no single row of the data is that query" in first
    assert "no single query of the data is called “9”" in second


@pytest.mark.parametrize(
    ("value", "status", "said"),
    [
        # r·|G| = 2.1: the contract wants 3 documents (precision 4/5), version 10 two (1).
        ("0.8000", "holds", "holds: 0.800000"),
        ("1.0000", "holds", "by the rounding of trec_eval, version"),
        ("0.9000", "wrong", "the data give 0.800000"),
    ],
)
def test_recall_levels_hold_as_either_version_rounds(
    tmp_path: Path, value: str, status: str, said: str
) -> None:
    result = verified(tmp_path, f"iprec_at_recall_0.30\t7\t{value}\n")
    [claim] = outcomes(result)
    assert claim.status == status
    assert said in claim.sentence


PAGE = """\

Queryid (Num):        7
Total number of documents over all queries
    Retrieved:        7
    Relevant:         7
    Rel_ret:          5
Interpolated Recall - Precision Averages:
    at 0.00       1.0000
Average precision (non-interpolated) for all rel docs(averaged over queries)
                  0.6092
Queryid (Num):        2
Total number of documents over all queries
    Retrieved:        9
    Relevant:         9
    Rel_ret:          6
Interpolated Recall - Precision Averages:
    at 0.00       0.7500
    at 1.00       0.0000
Average precision (non-interpolated) for all rel docs(averaged over queries)
                  0.4296
Precision:
  At    5 docs:   0.5000
R-Precision (precision after R (= num_rel for a query) docs retrieved):
    Exact:        0.6071
"""


def test_a_result_page_of_trec_is_verified_with_its_topics(tmp_path: Path) -> None:
    result = verified(tmp_path, PAGE)
    assert statuses(result) == {"holds": 14}


def test_tar_eval_means_leave_out_topics_without_relevant_documents(tmp_path: Path) -> None:
    text = "7\ttopic_id\t7\n7\tap\t0.609\n7\tnum_rels\t7\nALL\ttopic_id\tALL\nALL\tap\t0.430\n"
    result = verified(tmp_path, text)
    keys = [one.claim.key for one in outcomes(result)]
    assert "map@all/by_gold|positives_only|all|mean" in keys
    assert statuses(result) == {"holds": 3}


def test_ir_measures_per_query_lines_are_verified(tmp_path: Path) -> None:
    text = "7\tAP\t0.6092\n8\tRR\t0.5\nall\tAP\t0.4296\nall\tNumRet(rel=1)\t6\n"
    assert statuses(verified(tmp_path, text)) == {"holds": 4}


def test_err_of_ir_measures_asks_for_its_largest_grade(tmp_path: Path) -> None:
    graded = QRELS.replace("7 0 d0 1", "7 0 d0 2")
    (tmp_path / "graded.txt").write_text(graded)
    result = verified(tmp_path, "AP\t0.4296\nERR@20\t0.1\n")
    data = {"qrels": str(tmp_path / "graded.txt"), "run": str(tmp_path / "run.txt")}
    result = check(data, claims=tmp_path / "eval.txt", witnesses=["trec_eval"])
    told = [one.message for one in result.findings if one.rule == "XC902"]
    assert any("state grade_max = 4" in one for one in told)
