"""Section 15 by its definitions: every metric recomputed query by query, as fractions where it can.

The brute force below is written from the contract's sentences: gains and discounts in 60 digits,
all else exact. Every vector of grades in {0, 1, 2}⁴ with every set of judged documents is tried,
and for the bounds of ties every order of equal scores.
"""

from __future__ import annotations

import math
import unicodedata
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

import polars as pl
import pytest

import primary
from primary.facts import _plain

DOCS = ("a", "b", "c", "d")
CUTS = (1, 3, None)
SETTINGS = {"k": [1, 3], "grade_max": 2, "rbp": [0.8], "recall_levels": [0, 0.3, 0.7, 1]}
LN2 = Decimal(2).ln()


def discount(rank: int) -> Decimal:
    with localcontext(prec=60):
        return Decimal(2).ln() / Decimal(rank + 1).ln()


DISCOUNTS = {rank: discount(rank) for rank in range(1, 9)}


def name(metric: str, cut: int | None, variant: str = "") -> str:
    return f"{metric}@{'all' if cut is None else cut}{variant}"


def gained(grades: list[int], gain: Any) -> Decimal:
    with localcontext(prec=60):
        return sum(
            (gain(grade) * DISCOUNTS[rank] for rank, grade in enumerate(grades, 1)), Decimal(0)
        )


def graded_values(ranking: list[str], grades: dict[str, int]) -> dict[str, float]:
    """nDCG, DCG and ERR of one query, at every cut."""
    found: dict[str, float] = {}
    held = [grades.get(doc, 0) for doc in ranking]
    best = sorted((grade for grade in grades.values() if grade >= 1), reverse=True)
    for cut in CUTS:
        for variant, gain in (("/graded", int), ("/exponential", lambda g: 2**g - 1)):
            dcg, ideal = gained(held[:cut], gain), gained(best[:cut], gain)
            found[name("dcg", cut, variant)] = float(dcg)
            with localcontext(prec=60):
                found[name("ndcg", cut, variant)] = float(dcg / ideal) if ideal else 0.0
        left, err = Fraction(1), Fraction(0)
        for rank, grade in enumerate(held[:cut], 1):
            stop = Fraction(2**grade - 1, 4)
            err += left * stop / rank
            left *= 1 - stop
        found[name("err", cut)] = float(err)
    return found


def binary_values(ranking: list[str], gold: set[str], judged: set[str]) -> dict[str, float]:
    """f1, rprecision, rbp, iprec, bpref and judged of one query."""
    found: dict[str, Fraction] = {}
    for cut in CUTS:
        top = ranking[:cut]
        size = len(ranking) if cut is None else cut
        hits = len(gold & set(top))
        both = [Fraction(hits, size) if size else 0, Fraction(hits, len(gold)) if gold else 0]
        found[name("f1", cut)] = Fraction(2 * both[0] * both[1], sum(both)) if hits else Fraction(0)
        found[name("judged", cut)] = Fraction(len(judged & set(top)), len(top)) if top else 0
    size = len(gold)
    early = len(gold & set(ranking[:size]))
    found["rprecision"] = Fraction(early, size) if size else Fraction(0)
    rho = Fraction(4, 5)
    found["rbp@p=0.8"] = (1 - rho) * sum(
        (rho**place for place, doc in enumerate(ranking) if doc in gold), Fraction(0)
    )
    for level in ("0", "0.3", "0.7", "1"):
        reached = [
            Fraction(len(gold & set(ranking[:place])), place)
            for place in range(1, len(ranking) + 1)
            if gold and len(gold & set(ranking[:place])) >= Fraction(level) * size
        ]
        found[f"iprec@recall={level}"] = max(reached, default=Fraction(0))
    worse = judged - gold
    terms = []
    for place, doc in enumerate(ranking):
        if doc in gold:
            above = len(worse & set(ranking[:place]))
            least = min(len(worse), size)
            terms.append(1 - Fraction(min(above, size), least) if above else Fraction(1))
    found["bpref"] = sum(terms, Fraction(0)) / size if size else Fraction(0)
    return {metric: float(value) for metric, value in found.items()}


def values(ranking: list[str], grades: dict[str, int], judged: set[str]) -> dict[str, float]:
    gold = {doc for doc, grade in grades.items() if grade >= 1}
    return graded_values(ranking, grades) | binary_values(ranking, gold, judged)


def every_query() -> list[dict[str, Any]]:
    """All grades of four documents, with every set of judged ones, ranked a, b, c, x."""
    rows = []
    for grades in product((0, 1, 2), repeat=4):
        gold = [doc for doc, grade in zip(DOCS, grades, strict=True) if grade]
        others = [doc for doc in (*DOCS, "x") if doc not in gold]
        for size in range(len(others) + 1):
            rows += [
                {
                    "candidates": ["a", "b", "c", "x"],
                    "gold": gold,
                    "grades": [grade for grade in grades if grade],
                    "judged": [*gold, *more],
                }
                for more in combinations(others, size)
            ]
    return [{"query_id": str(number), **row} for number, row in enumerate(rows)]


def expected(row: dict[str, Any], ranking: list[str]) -> dict[str, float]:
    return values(ranking, dict(zip(row["gold"], row["grades"], strict=True)), set(row["judged"]))


def test_every_vector_of_grades_with_every_set_of_judged_documents() -> None:
    rows = every_query()
    frame = primary.per_query(pl.DataFrame(rows), SETTINGS)
    wrong = []
    for row, got in zip(rows, frame.to_dict("records"), strict=True):
        for metric, value in expected(row, row["candidates"]).items():
            if abs(got[metric] - value) > 1e-14:
                wrong.append((row, metric, got[metric], value))
    assert wrong == []
    assert len(rows) == 512


TIES = [
    ([0.5, 0.5, 0.5, 0.5], [2, 0, 1, 0], ["x"]),
    ([0.9, 0.5, 0.5, 0.5], [0, 0, 2, 1], ["a", "b"]),
    ([0.5, 0.5, 0.1, 0.1], [1, 2, 0, 2], ["c"]),
    ([0.5, 0.5, 0.5, 0.1], [0, 1, 0, 0], ["a", "c", "d"]),
    ([0.1, 0.9, 0.9, 0.1], [2, 0, 0, 1], []),
]


def orders(scores: list[float]) -> list[list[str]]:
    """Every order of the documents in which no score rises."""
    found = []
    for order in permutations(range(4)):
        ranked = [scores[place] for place in order]
        if ranked == sorted(ranked, reverse=True):
            found.append([DOCS[place] for place in order])
    return found


@pytest.mark.parametrize(("scores", "grades", "others"), TIES)
def test_the_bounds_of_ties_are_the_extremes_of_all_orders(
    scores: list[float], grades: list[int], others: list[str]
) -> None:
    held = {doc: grade for doc, grade in zip(DOCS, grades, strict=True) if grade}
    row = {
        "query_id": ["q"],
        "candidates": [list(DOCS)],
        "scores": [scores],
        "gold": [list(held)],
        "grades": [list(held.values())],
        "judged": [[*held, *others]],
    }
    ledger = primary.evaluate(pl.DataFrame(row), SETTINGS)
    tried = [values(order, held, {*held, *others}) for order in orders(scores)]
    for metric in tried[0]:
        seen = [one[metric] for one in tried]
        for bound, extreme in (("tie_low", min(seen)), ("tie_high", max(seen))):
            got = ledger[f"{metric}/{bound}|positives_only|all|mean"]
            assert got == pytest.approx(extreme, abs=1e-14), (metric, bound)


def test_where_every_grade_is_one_the_graded_ndcg_is_the_binary_one_bit_by_bit() -> None:
    rows = [row for row in every_query() if set(row["grades"]) == {1}]
    ledger = primary.evaluate(pl.DataFrame(rows))
    for k in (1, 3, 5, 10, 20, "all"):
        for statistic in ("mean", "std", "median", "p25", "p75"):
            key = f"|all_queries|all|{statistic}"
            plain = ledger[f"ndcg@{k}{key}"]
            assert plain == ledger[f"ndcg@{k}/graded{key}"] == ledger[f"ndcg@{k}/exponential{key}"]


def qrels_and_run(folder: Any, qrels: str, run: str) -> dict[str, Any]:
    (folder / "qrels").write_text(qrels)
    (folder / "run").write_text(run)
    return {"qrels": folder / "qrels", "run": folder / "run"}


RUN = "q Q0 a 1 3 x\nq Q0 b 2 2 x\nq Q0 c 3 1 x\nr Q0 d 1 1 x\nz Q0 a 1 1 x\n"


def test_the_level_makes_gold_and_the_grades_stay(tmp_path: Any) -> None:
    data = qrels_and_run(tmp_path, "q 0 a 1\nq 0 b 2\nq 0 c -1\nr 0 d 1\ns 0 d 0\n", RUN)
    ledger = primary.evaluate(data, {"relevance_level": 2})
    half = (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))
    assert ledger["queries|positives_only|all|n"] == 1
    assert ledger["ndcg@10/graded|positives_only|all|mean"] == pytest.approx(half, abs=1e-15)
    # r has no gold at this level, but a grade: it counts among all queries.
    assert ledger["ndcg@10/graded|all_queries|all|mean"] == pytest.approx((half + 1) / 3, abs=1e-15)
    assert ledger["dcg@all/graded|all_queries|all|mean"] == pytest.approx(
        (1 + 2 / math.log2(3) + 1) / 3, abs=1e-15
    )
    # c has the value −1: nobody judged it.
    assert ledger["judged@3|positives_only|all|mean"] == 2 / 3
    assert ledger["judged@3|all_queries|all|mean"] == (2 / 3 + 1 + 0) / 3
    # a is judged and not relevant at this level, and stands above b.
    assert ledger["bpref|positives_only|all|mean"] == 0.0
    facts = primary.describe(data, {"relevance_level": 2})
    assert (facts["grade_max"], facts["missing_topics"], facts["dropped_queries"]) == (2, 1, 1)


def test_what_was_not_judged_is_gold_at_no_level(tmp_path: Any) -> None:
    data = qrels_and_run(tmp_path, "q 0 a -1\nq 0 b 0\nq 0 c 1\n", RUN)
    gold = [primary.table(data, {"relevance_level": one})["gold"].to_list() for one in (-1, 0, 1)]
    assert gold == [[["b", "c"]], [["b", "c"]], [["c"]]]


def test_binary_qrels_owe_no_grades_but_judgements(tmp_path: Any) -> None:
    data = qrels_and_run(tmp_path, "q 0 a 1\nq 0 b 0\n", RUN)
    facts = primary.describe(data)
    assert "judged" in facts["families"]
    assert not {"graded", "exponential"} & set(facts["families"])
    assert facts["grade_max"] is None


def test_above_thirty_grades_are_not_doubled() -> None:
    row = {"query_id": ["q"], "candidates": [["a"]], "gold": [["a"]], "grades": [[31]]}
    ledger = primary.evaluate(pl.DataFrame(row))
    assert ledger["dcg@1/graded|all_queries|all|mean"] == 31.0
    assert not [key for key in ledger if key.startswith(("err@", "ndcg@1/exp"))]
    owed = primary.describe(pl.DataFrame(row))["families"]
    assert ("graded" in owed, "exponential" in owed) == (True, False)


def test_gmap_is_the_geometric_mean_with_a_floor() -> None:
    rows = pl.DataFrame(
        {
            "query_id": ["a", "b", "c"],
            "candidates": [["x", "y"], ["x", "y"], ["x"]],
            "gold": [["x"], ["y"], []],
        }
    )
    ledger = primary.evaluate(rows)
    assert ledger["gmap|positives_only|all|value"] == pytest.approx(math.sqrt(0.5), abs=1e-15)
    third = (0.5 * 1e-5) ** (1 / 3)
    assert ledger["gmap|all_queries|all|value"] == pytest.approx(third, rel=1e-14)
    assert not [key for key in ledger if key.startswith("gmap/")]


def test_the_largest_grade_is_that_of_all_rows_unless_it_is_stated() -> None:
    rows = pl.DataFrame(
        {
            "query_id": ["a", "b"],
            "fold": [0, 1],
            "candidates": [["x"], ["x"]],
            "gold": [["x"], ["x"]],
            "grades": [[1], [3]],
        }
    )
    ledger = primary.evaluate(rows)
    assert ledger["err@1|positives_only|fold=0|mean"] == 1 / 8
    assert ledger["err@1|positives_only|fold=1|mean"] == 7 / 8
    assert primary.evaluate(rows, {"grade_max": 4})["err@1|positives_only|fold=1|mean"] == 7 / 16
    with pytest.raises(primary.InputError, match="the grade 3 is above grade_max 2") as caught:
        primary.evaluate(rows, {"grade_max": 2})
    assert [(one.row, one.column) for one in caught.value.problems] == [(2, "grades")]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"grades": [[0]]}, "found 0.0 in the list"),
        ({"grades": [[1.5]]}, "found 1.5 in the list"),
        ({"grades": [[2**31]]}, "found 2147483648.0 in the list"),
        ({"grades": [[1, 2]]}, "found 2 numbers for 1 gold ids"),
        ({"grades": ["x"]}, "found 'x', which is no list of numbers"),
        ({"judged": [["b"]]}, "the gold uid 'a' is not among the judged"),
        ({"judged": [["a", "a"]]}, "the uid 'a' is in the list twice"),
        ({"judged": [["a", ""]]}, "the list holds an empty id"),
        ({"judged": [[1.5]]}, "the column is of type List"),
    ],
)
def test_grades_and_judgements_that_cannot_be_are_refused(
    columns: dict[str, Any], words: str
) -> None:
    rows = {"query_id": ["q"], "candidates": [["a", "b"]], "gold": [["a"]], **columns}
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(pl.DataFrame(rows))
    assert words in str(caught.value)


def test_trec_eval_ties_are_those_of_32_bits(tmp_path: Any) -> None:
    """0.1 + 1e-9 is 0.1 in 32 bits: then the larger id stands first."""
    run = "q Q0 a 1 0.100000001 x\nq Q0 b 2 0.1 x\nq Q0 c 3 0.05 x\n"
    data = qrels_and_run(tmp_path, "q 0 b 1\n", run)
    first = {
        ties: primary.evaluate(data, {"ties": ties}) for ties in ("order", "docid", "trec_eval")
    }
    key = "mrr@all|positives_only|all|mean"
    assert [ledger[key] for ledger in first.values()] == [0.5, 0.5, 1.0]
    assert first["trec_eval"]["mrr@all/tie_low|positives_only|all|mean"] == 0.5
    assert first["docid"]["mrr@all/tie_high|positives_only|all|mean"] == 0.5
    facts = primary.describe(data, {"ties": "trec_eval"})
    assert (facts["float32_ties"], facts["queries_with_ties"]) == (1, 1)
    assert primary.describe(data)["float32_ties"] == 1
    table = primary.table(data, {"ties": "trec_eval"})
    assert table["candidates"].to_list() == [["b", "a", "c"]]
    assert table["scores"].to_list() == [[0.1, 0.100000001, 0.05]]


def test_scores_beyond_32_bits_tie_as_infinite(tmp_path: Any) -> None:
    data = qrels_and_run(tmp_path, "q 0 b 1\n", "q Q0 a 1 1e300 x\nq Q0 b 2 1e200 x\n")
    ledger = primary.evaluate(data, {"ties": "trec_eval"})
    assert ledger["mrr@all|positives_only|all|mean"] == 1.0


def test_float32_ties_are_counted_before_dedupe() -> None:
    rows = pl.DataFrame(
        {
            "query_id": ["p1", "p2", "p3"],
            "candidates": [["a", "a"], ["a", "a"], ["a", "b"]],
            "scores": [[1.000000001, 1.0], [1.0, 1.0], [1.0, 1.000000001]],
            "gold": [["a"], ["a"], ["a"]],
        }
    )
    given = {"dedupe": "first"}
    facts = primary.describe(rows, given)
    assert (facts["float32_ties"], facts["queries_with_ties"]) == (2, 0)
    # Modulo 3 the hash of p1 alone is 0.
    assert primary.describe(rows, {**given, "sample": 3})["float32_ties"] == 1


def test_dedupe_keeps_the_best_place(tmp_path: Any) -> None:
    rows = pl.DataFrame(
        {
            "query_id": ["q", "r"],
            "candidates": [["a", "b", "a", "c"], ["a"]],
            "scores": [[0.1, 0.5, 0.9, 0.2], [1.0]],
            "node_probs": [[0.1, 0.2, 0.3, 0.4], [0.5]],
            "gold": [["c"], ["a"]],
        }
    )
    with pytest.raises(primary.InputError, match="the uid 'a' is in the list twice"):
        primary.evaluate(rows)
    table = primary.table(rows, {"dedupe": "first"})
    assert table["candidates"].to_list() == [["a", "b", "c"], ["a"]]
    assert table["scores"].to_list() == [[0.9, 0.5, 0.2], [1.0]]
    assert table["node_probs"].to_list() == [[0.3, 0.2, 0.4], [0.5]]
    assert primary.describe(rows, {"dedupe": "first"})["duplicates_removed"] == 1
    run = "q Q0 a 1 1 x\nq Q0 b 2 2 x\nq Q0 a 3 3 x\nz Q0 a 1 1 x\nz Q0 a 1 1 x\n"
    data = qrels_and_run(tmp_path, "q 0 b 1\n", run)
    with pytest.raises(primary.InputError, match="the document 'a' is there twice"):
        primary.evaluate(data)
    facts = primary.describe(data, {"dedupe": "first"})
    assert facts["duplicates_removed"] == 1
    ledger = primary.evaluate(data, {"dedupe": "first"})
    assert ledger["precision@all|positives_only|all|mean"] == 0.5


def test_lookalikes_are_gold_that_only_looks_missing() -> None:
    rows = pl.DataFrame(
        {
            "query_id": ["q", "r"],
            "candidates": [["Straße", "cafe\u0301", " x", "y"], ["z"]],
            "gold": [["STRASSE", "caf\u00e9", "x", "w"], ["z", "zz"]],
        }
    )
    facts = primary.describe(rows)
    assert (facts["lookalikes"], facts["gold_not_in_candidates"]) == (3, 5)


def test_ids_of_ascii_are_made_plain_as_all_others_are() -> None:
    letters = [chr(number) for number in range(128)] + list("éÉßİΣς\u00a0\u2003e\u0301")
    ids = [f"{first}{last}" for first in letters for last in letters]
    expected = [unicodedata.normalize("NFC", one).strip().casefold() for one in ids]
    assert _plain(pl.Series(ids)).to_list() == expected
    ascii_only = [one for one in ids if one.isascii()]
    assert _plain(pl.Series(ascii_only)).to_list() == [one.strip().lower() for one in ascii_only]


def test_rbp_of_a_long_ranking_stays_within_one() -> None:
    ids = [str(number) for number in range(5000)]
    rows = pl.DataFrame({"query_id": ["q"], "candidates": [ids], "gold": [ids]})
    ledger = primary.evaluate(rows)
    for rho in ("0.5", "0.8", "0.95"):
        exact = 1 - Fraction(rho) ** 5000
        assert ledger[f"rbp@p={rho}|positives_only|all|mean"] == pytest.approx(
            float(exact), abs=1e-14
        )
        assert ledger[f"rbp@p={rho}|positives_only|all|mean"] <= 1


def test_interpolated_precision_counts_the_needed_hits_on_decimals() -> None:
    """0.3·10 is three hits: floats would ask for a fourth, or be content with two."""
    ids = [str(number) for number in range(10)]
    ranking = [*ids[:3], "x", *ids[3:]]
    rows = pl.DataFrame({"query_id": ["q"], "candidates": [ranking], "gold": [ids]})
    ledger = primary.evaluate(rows)
    assert ledger["iprec@recall=0.3|positives_only|all|mean"] == 1.0
    assert ledger["iprec@recall=0.4|positives_only|all|mean"] == 10 / 11
