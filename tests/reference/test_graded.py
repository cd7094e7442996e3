"""Graded relevance and judgements: by hand, and against the definition for every small case."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from typing import TYPE_CHECKING, Any

import pytest

import reference
from reference import graded, ranking, ties, values
from reference.settings import Settings
from reference.study import Query

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    Jsonl = Callable[[list[dict[str, Any]]], Path]

UIDS = "abcd"
CUTS = (1, 2, 3)
FAMILIES = ("ranking", *graded.FAMILIES)


def query(
    uids: Sequence[str], grades: dict[str, int], judged: Iterable[str], scores: Any = None
) -> Query:
    """Return a query whose gold is what has a grade; `z` is gold that was not retrieved."""
    known = frozenset(judged) | set(grades)
    return Query(
        1,
        gold=frozenset(grades),
        ranking=tuple(uids),
        scores=scores,
        hits=tuple(rank for rank, uid in enumerate(uids, 1) if uid in grades),
        grades=tuple((rank, grades[uid]) for rank, uid in enumerate(uids, 1) if uid in grades),
        ideal=tuple(sorted(grades.values(), reverse=True)),
        judged=tuple(rank for rank, uid in enumerate(uids, 1) if uid in known),
        nonrelevant=len(known) - len(grades),
    )


def asked(grade_max: int = 2) -> ranking.Named:
    return ranking.named(Settings(k=CUTS), FAMILIES, grade_max)


@cache
def log2(number: int) -> Decimal:
    return Decimal(number).ln() / Decimal(2).ln()


def dcg(gains: Sequence[int]) -> Decimal:
    return sum((gain / log2(rank + 1) for rank, gain in enumerate(gains, 1)), Decimal(0))


def by_definition(
    uids: Sequence[str], grades: dict[str, int], judged: set[str], grade_max: int
) -> dict[str, Decimal | Fraction]:
    """Work out section 15 from its sentences, place by place."""
    found: dict[str, Decimal | Fraction] = {}
    gold, every = set(grades), judged | set(grades)
    wrong = every - gold
    places = [grades.get(uid, 0) for uid in uids]
    ideal = sorted(grades.values(), reverse=True)
    for k in (*CUTS, None):
        at = "all" if k is None else str(k)
        for name, gains in (("graded", lambda g: g), ("exponential", lambda g: 2**g - 1)):
            above = dcg([gains(g) for g in places[:k]])
            below = dcg([gains(g) for g in ideal[:k]])
            found[f"dcg@{at}/{name}"] = above
            found[f"ndcg@{at}/{name}"] = above / below if below else Fraction(0)
        err, going = Fraction(0), Fraction(1)
        for rank, grade in enumerate(places[:k], 1):
            stop = Fraction(2**grade - 1, 2**grade_max)
            err += going * stop / rank
            going *= 1 - stop
        found[f"err@{at}"] = err
        inside = uids[:k]
        found[f"judged@{at}"] = Fraction(sum(uid in every for uid in inside), len(inside) or 1)
        hits = sum(uid in gold for uid in inside)
        precision = Fraction(hits, k or len(uids) or 1)
        recall = Fraction(hits, len(gold) or 1)
        both = precision + recall
        found[f"f1@{at}"] = 2 * precision * recall / both if both else Fraction(0)
    preferred = Fraction(0)
    for rank, uid in enumerate(uids):
        if uid in gold:
            above = sum(other in wrong for other in uids[:rank])
            n, of = min(above, len(gold)), min(len(wrong), len(gold))
            preferred += 1 - Fraction(n, of) if above else 1
    found["bpref"] = preferred / len(gold) if gold else Fraction(0)
    found["rprecision"] = Fraction(sum(u in gold for u in uids[: len(gold)]), len(gold) or 1)
    for p in (Fraction(1, 2), Fraction(4, 5), Fraction(19, 20)):
        terms = [p**i for i, uid in enumerate(uids) if uid in gold]
        found[f"rbp@p={float(p)}"] = (1 - p) * sum(terms, Fraction(0))
    for tenths in range(11):
        reached = [
            Fraction(sum(u in gold for u in uids[:i]), i)
            for i in range(1, len(uids) + 1)
            if sum(u in gold for u in uids[:i]) >= Fraction(tenths, 10) * len(gold)
        ]
        best = max(reached, default=Fraction(0)) if gold else Fraction(0)
        found[f"iprec@recall={Fraction(tenths, 10).limit_denominator()}"] = best
    return found


def named(key: str) -> str:
    """Write the recall levels of the definition as keys do."""
    name, equals, level = key.partition("recall=")
    return name + equals + (f"{float(Fraction(level)):g}" if level else "")


def close(a: Any, b: Any) -> bool:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a == b
    return abs(values.as_decimal(a) - values.as_decimal(b)) < Decimal("1e-40")


@pytest.mark.slow
@pytest.mark.parametrize("missed", [0, 2])
def test_every_grade_vector_with_every_judged_set_by_the_definition(missed: int) -> None:
    metrics = asked()
    others = set(ranking.named(Settings(k=CUTS))) - {
        "f1@1", "f1@2", "f1@3", "f1@all", "rprecision",
    }  # fmt: skip
    with values.high_precision():
        for vector in product((0, 1, 2), repeat=4):
            grades = {uid: g for uid, g in zip(UIDS, vector, strict=True) if g}
            if missed:
                grades["z"] = missed
            for marks in product((False, True), repeat=4):
                judged = {uid for uid, mark in zip(UIDS, marks, strict=True) if mark}
                found = ranking.values(ranking.shape(query(UIDS, grades, judged)), metrics)
                wanted = by_definition(UIDS, grades, judged, 2)
                for key, value in wanted.items():
                    assert close(found[named(key)], value), (vector, marks, key)
                old = {k for k in others if not k.startswith(("rbp", "iprec"))}
                assert set(found) == {named(key) for key in wanted} | old


STRUCTURES = [
    ((2, 2, 1, 1), (0, 2, 1, 0)),
    ((1, 1, 1, 1), (2, 0, 1, 1)),
    ((3, 2, 2, 2), (1, 2, 0, 1)),
    ((1, 1, 1, 0), (0, 0, 2, 1)),
    ((2, 2, 2, 1), (0, 0, 0, 2)),
]


@pytest.mark.parametrize(("scores", "vector"), STRUCTURES)
def test_tie_bounds_are_the_extremes_over_every_order_of_equals(
    scores: tuple[float, ...], vector: tuple[int, ...]
) -> None:
    metrics, distinct = asked(), list(dict.fromkeys(scores))
    grades = {uid: g for uid, g in zip(UIDS, vector, strict=True) if g}
    for marks in product((False, True), repeat=4):
        judged = {uid for uid, mark in zip(UIDS, marks, strict=True) if mark}
        row = query(UIDS, grades, judged, scores)
        groups = [[u for u, s in zip(UIDS, scores, strict=True) if s == x] for x in distinct]
        with values.high_precision():
            tried = [
                ranking.values(
                    ranking.shape(query([u for g in order for u in g], grades, judged)), metrics
                )
                for order in product(*(permutations(group) for group in groups))
            ]
            for name, (low, high) in ties.tie_ends([row], metrics).items():
                every = [one[name] for one in tried]
                assert (low, high) == ([min(every)], [max(every)]), (name, marks)


ROWS = [
    {"query_id": "q1", "candidates": ["a", "b", "c"], "gold": ["c", "a", "z"],
     "grades": [3, 1, 2], "judged": ["a", "b", "c", "z", "y"]},
    {"query_id": "q2", "candidates": ["a", "b"], "gold": [], "grades": [], "judged": ["b"]},
    {"query_id": "q3", "candidates": [], "gold": ["a"], "grades": [1], "judged": ["a"]},
]  # fmt: skip


def test_a_table_with_grades_by_hand(jsonl: Jsonl) -> None:
    found = reference.exact(jsonl(ROWS), {"k": [1, 3]})
    # q1: grades 1, 0, 3 at ranks 1, 2, 3; the ideal is 3, 2, 1.
    assert found["dcg@1/graded|positives_only|all|mean"] == Fraction(1, 2)
    assert found["dcg@3/graded|positives_only|all|mean"] == Fraction(1, 2) * (1 + Fraction(3, 2))
    assert found["ndcg@1/graded|all_queries|all|mean"] == Fraction(1, 3) / 3
    assert found["ndcg@1/exponential|all_queries|all|mean"] == Fraction(1, 7) / 3
    # r = 1/8, 0, 7/8: 1/8 + 7/8·7/8·1/3.
    err = Fraction(1, 8) + Fraction(49, 64) / 3
    assert found["err@3|positives_only|all|mean"] == err / 2
    # q1: gold at 1 has nothing above it, at 3 one of two wrong: (1 + 1 − 1/2) / 3.
    assert found["bpref|positives_only|all|mean"] == Fraction(1, 2) / 2
    # An empty G does not zero what was judged: 3/3, 1/2, and nothing.
    assert found["judged@3|all_queries|all|mean"] == Fraction(1, 2)
    assert found["judged@1|all_queries|all|mean"] == Fraction(1, 3)
    facts = reference.describe(jsonl(ROWS))
    assert {"graded", "exponential", "judged"} <= set(facts["families"])
    assert facts["grade_max"] == 3


def test_a_stated_grade_max_is_that_of_err(jsonl: Jsonl) -> None:
    found = reference.exact(jsonl(ROWS), {"grade_max": 4})
    assert found["err@1|positives_only|all|mean"] == Fraction(1, 16) / 2
    assert reference.describe(jsonl(ROWS), {"grade_max": 31})["families"].count("exponential") == 0


def test_gains_are_bounded_only_where_they_are_powers(jsonl: Jsonl) -> None:
    rows = [{**ROWS[2], "candidates": ["a"], "grades": [31], "judged": ["a"]}]
    found = reference.exact(jsonl(rows), {"k": [1]})
    assert found["dcg@1/graded|positives_only|all|mean"] == 31
    assert not [key for key in found if key.startswith("err@") or "/exponential" in key]


@pytest.mark.parametrize(
    ("change", "column", "said"),
    [
        ({"grades": [1, 2]}, "grades", "2 grades for 3 gold"),
        ({"grades": [1, 0, 2]}, "grades", "found the grade 0, below 1"),
        ({"grades": [1, 1.5, 2]}, "grades", "found 1.5 where a whole number of 32 bits"),
        ({"grades": [1, 2**31, 2]}, "grades", "where a whole number of 32 bits"),
        ({"grades": [1, float("nan"), 2]}, "grades", "where a finite number is expected"),
        ({"grades": ["1", "2", "3"]}, "grades", "where a number is expected"),
        ({"grades": 3}, "grades", "found 3 where a list is expected"),
        ({"judged": ["a", "c"]}, "judged", "gold uid 'z' is not among the judged"),
        ({"judged": ["a", "a", "c", "z"]}, "judged", "uid 'a' is in the list twice"),
        ({"judged": [1]}, "judged", "uid 1 is not text"),
    ],
)
def test_what_is_wrong_with_grades_and_judgements_is_named(
    jsonl: Jsonl, change: dict[str, Any], column: str, said: str
) -> None:
    with pytest.raises(reference.InputError) as caught:
        reference.evaluate(jsonl([ROWS[1], {**ROWS[0], **change}]))
    (problem,) = caught.value.problems
    assert (problem.row, problem.query, problem.column) == (2, "q1", column)
    assert said in problem.what


def test_a_grade_above_the_largest_is_refused(jsonl: Jsonl) -> None:
    with pytest.raises(reference.InputError, match="found the grade 3, above grade_max 2"):
        reference.evaluate(jsonl(ROWS), {"grade_max": 2})


def test_whole_floats_and_text_are_grades(jsonl: Jsonl, csv_file: Callable[[str], Path]) -> None:
    first = reference.evaluate(jsonl([{**ROWS[0], "grades": [3.0, 1, 2]}]))
    text = "query_id,candidates,gold,relevance_grades,judged\nq1,a|b|c,c|a|z,3|1|2,a|b|c|z|y\n"
    assert reference.evaluate(csv_file(text)) == first


def test_gmap_is_the_geometric_mean_of_average_precision(jsonl: Jsonl) -> None:
    rows = [
        {"query_id": "1", "candidates": ["a"], "gold": ["a"]},
        {"query_id": "2", "candidates": ["x", "a"], "gold": ["a"]},
        {"query_id": "3", "candidates": ["w", "x", "y", "a"], "gold": ["a"], "fold": 0},
        {"query_id": "4", "candidates": ["a"], "gold": ["b"]},
        {"query_id": "5", "candidates": ["a"], "gold": []},
    ]
    rows = [{**row, "fold": 0} for row in rows]
    three = reference.exact(jsonl(rows[:3]))
    assert three["gmap|positives_only|all|value"] == Fraction(1, 2)  # ∛(1 · 1/2 · 1/4)
    assert three["gmap|positives_only|folds|mean"] == Fraction(1, 2)
    five = reference.exact(jsonl(rows))
    product_of_four = Decimal("0.125") * Decimal("0.00001")
    wanted = (product_of_four.ln() / 4).exp()
    assert abs(five["gmap|positives_only|all|value"] - wanted) < Decimal("1e-25")
    assert float(five["gmap|all_queries|all|value"]) == pytest.approx((0.125e-10) ** 0.2, rel=1e-12)
    assert reference.exact(jsonl(rows[4:]))["gmap|positives_only|all|value"] == 0


def test_gmap_of_many_is_worked_out_by_logarithms(jsonl: Jsonl) -> None:
    rows = [{"query_id": str(i), "candidates": ["x", "a"], "gold": ["a"]} for i in range(40)]
    assert reference.evaluate(jsonl(rows))["gmap|positives_only|all|value"] == 0.5


def test_settings_name_the_levels_and_the_patience(jsonl: Jsonl) -> None:
    rows = [{"query_id": "1", "candidates": ["x", "a", "b"], "gold": ["a", "b", "c"]}]
    found = reference.exact(jsonl(rows), {"rbp": [0.25], "recall_levels": [0.3, 0.34, 0.7]})
    assert found["rbp@p=0.25|positives_only|all|mean"] == Fraction(3, 4) * Fraction(5, 16)
    assert found["iprec@recall=0.3|positives_only|all|mean"] == Fraction(2, 3)
    assert found["iprec@recall=0.34|positives_only|all|mean"] == Fraction(2, 3)
    assert found["iprec@recall=0.7|positives_only|all|mean"] == 0  # ⌈2.1⌉ = 3 of 2 found
    assert not [key for key in found if key.startswith("rbp@p=0.8")]
