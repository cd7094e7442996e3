"""A held-out set: random studies that nothing was tuned on, other cut-offs, pairs, unknown kinds.

`python tests/bench/planted/heldout.py` prints its figures; `SEED=7` asks for other studies. The
weights of the catalogue were set before it was written, and it is for counting only: what it
shows is not to be mended by moving weights.
"""

from __future__ import annotations

import math
import os
import random
import sys
from dataclasses import replace
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent))

import plain as p
import polars as pl
import rankings as r
from plant import NOWHERE, Plant, Query, Study, Verdict, judge, over, printed

from crosscheck.claims.verify import fits
from crosscheck.diagnose.chance import CHANCE
from crosscheck.diagnose.forensics import explain
from crosscheck.diagnose.scene import Scene
from crosscheck.notation.number import parse

SEED = int(os.environ.get("SEED", "314159"))
STUDIES = ((30, 12, 2), (75, 20, 5), (140, 30, 9))
"""Queries, documents and the most gold of each study."""
CUTOFFS = (3, 7, 15)
DIGITS = (4, 3, 4)


def study(seed: int, queries: int, documents: int, most: int) -> Study:
    """Make rankings by chance: a skill for each query, some without gold, some lists short."""
    chance = random.Random(f"held out {seed} {queries}")
    made = []
    for i in range(queries):
        names = [f"q{i}d{j:03d}" for j in range(documents)]
        chance.shuffle(names)
        gold = chance.sample(names, chance.randint(0 if i % 9 == 0 else 1, most))
        skill = chance.random()
        worth = {n: chance.random() + skill * (n in gold) for n in names}
        kept = sorted(names, key=lambda n: -worth[n])[: chance.randint(documents // 2, documents)]
        made.append(Query(kept, [worth[n] for n in kept], gold, post=f"q{i}"))
    rows = {
        "query_id": [q.post for q in made],
        "candidates": [q.ranking for q in made],
        "scores": [q.scores for q in made],
        "gold": [q.gold for q in made],
    }
    scene = Scene(pl.DataFrame(rows), {"k": [1, *CUTOFFS]})
    return Study(f"{queries} queries", scene, made)


def known(k: int) -> list[Plant]:
    """Give mistakes of the catalogue at a cut-off that no other plant has."""
    late = r.positives(lambda q: 1 / (1 + (p.first(q) or 10**9)))
    return [
        *r.of_ndcg(k), *r.of_map(k), *r.of_mrr(), *r.of_sets(k), *r.of_means(k), *r.of_order(k),
        Plant(r.MRR, "mrr-rank-off-by-one", "1/(rank + 1)", late),
        Plant(r.at("ndcg", k), "first-row-lost", "the first list left out",
              lambda s: over(s.positives[1:], lambda q: p.ndcg(q, k))),
    ]  # fmt: skip


def unknown(k: int) -> list[Plant]:
    """Give mistakes that the catalogue does not have: no name is right, and none is to be given."""
    key = r.at("ndcg", k)

    def squared(q: Query) -> float:
        return p.ndcg(q, k) ** 2

    def geometric(s: Study) -> float:
        return math.exp(over(s.positives, lambda q: math.log(p.ndcg(q, k) + 0.01))) - 0.01

    def middle(s: Study) -> float:
        return median(p.recall(q, k) for q in s.positives)

    return [
        Plant(key, "", "squared before the mean", r.positives(squared)),
        Plant(key, "", "geometric mean", geometric),
        Plant(key, "", "root discount", r.positives(lambda q: p.ndcg_by(q, k, lambda i: i**-0.5))),
        Plant(r.at("recall", k), "", "median of recall", middle),
        Plant(r.MRR, "", "root of the rank", r.positives(lambda q: p.mrr(q) ** 0.5)),
    ]


def put(plants: list[Plant], one: Study) -> list[Verdict]:
    """Put plants to the search, but those that leave the number as it is or are not computable."""
    found = []
    for i, plant in enumerate(plants):
        digits = plant.digits or DIGITS[i % len(DIGITS)]
        if plant.what in {f"{name}@{k}" for name in ("P", "Recall") for k in CUTOFFS}:
            plant = replace(plant, mistake="cutoff")  # noqa: PLW2901 - here that K is configured
        try:
            found.append(judge(plant, one, digits))
        except (ValueError, ZeroDivisionError, KeyError):
            continue
    return found


def invented(plants: list[Plant], one: Study) -> list[tuple[str, str]]:
    """Give what was offered as *the* reason for mistakes that have no name."""
    found = []
    for plant in plants:
        number = parse(printed(plant.value(one), 4)).number
        if number is None or fits(number, one.value(plant.key), percent=False):
            continue
        told = explain(plant.key, number, one.scene).explanations
        sure = bool(told) and told[0].surprise <= CHANCE
        found.append((plant.what, told[0].title if sure else ""))
    return found


def main() -> int:
    """Print how many of the known are named, and how many of the unknown were given a reason."""
    named: list[Verdict] = []
    unnamed: list[tuple[str, str]] = []
    for (queries, documents, most), k in zip(STUDIES, CUTOFFS, strict=True):
        one = study(SEED, queries, documents, most)
        some = put(known(k), one)
        named += some
        unnamed += invented(unknown(k), one)
        print(_row(f"{queries} queries, K = {k}", some))
    print(_row("all", named))
    for one in named:
        if one.place != 1:
            place = "nowhere" if one.place == NOWHERE else f"place {one.place} of {one.fitting}"
            told = "told so" if one.told else "not told"
            print(f"- {one.study}: {one.plant.what} = {one.printed}: {place} ({told}), {one.first}")
    given = [(what, why) for what, why in unnamed if why]
    print(f"Mistakes without a name: {len(given)} of {len(unnamed)} got a reason: {given}")
    return 0


def _row(name: str, some: list[Verdict]) -> str:
    first, near = sum(v.place == 1 for v in some), sum(v.place <= 3 for v in some)
    told = sum(v.place > 1 and v.told for v in some)
    nowhere = sum(v.place == NOWHERE for v in some)
    return (
        f"| {name} | {len(some)} | {first} ({first / len(some):.1%}) | {near} "
        f"({near / len(some):.1%}) | {told} | {nowhere} |"
    )


if __name__ == "__main__":
    sys.exit(main())
