"""Do truthful columns of n, errors, intervals, p-values and ranks raise an alarm?

`python tests/bench/beside.py` simulates systems, prints what tests and intervals give for them, and
counts what the audit says; `TABLES=100` asks for fewer, `SEED=7` for others.
"""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from statistics import mean, stdev

from scipy import stats

from crosscheck.audit import audit
from crosscheck.claims.reading import examine_text

TABLES = int(os.environ.get("TABLES", "1000"))
SEED = int(os.environ.get("SEED", "0"))
NAMES = ("BM25", "DPR", "ColBERT", "Ours")


def printed(title: str, *rows: list[str]) -> str:
    """Write a table in Markdown under a heading."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([title, "", lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])


def runs(chance: random.Random, n: int, *, whole: bool) -> dict[str, list[float]]:
    """Give the values of each query: zeros and ones, or shares; systems are correlated."""
    easy = [chance.random() for _ in range(n)]
    found = {}
    for name in NAMES[: chance.randint(3, 4)]:
        skill, own = chance.random(), chance.random()
        values = [min(max((1 - own) * e + own * chance.random(), 0.0), 1.0) ** skill for e in easy]
        found[name] = [float(v > 0.5) for v in values] if whole else values
    return found


def errors(chance: random.Random) -> str:
    """Mean, deviation, error and n of one row."""
    n, d = chance.choice((20, 52, 200)), chance.choice((3, 4))
    whole = chance.random() < 0.5
    rows = [
        [name, f"{mean(v):.{d}f}", f"{stdev(v):.{d}f}", f"{stdev(v) / n**0.5:.{d}f}", str(n)]
        for name, v in runs(chance, n, whole=whole).items()
    ]
    return printed("### Results", ["Model", "Accuracy" if whole else "MRR", "SD", "SE", "n"], *rows)


def tested(chance: random.Random) -> str:
    """Mean ± sd over folds, and a paired t-test against the first."""
    n, d = chance.choice((5, 10)), chance.choice((3, 4))
    found = runs(chance, n, whole=False)
    first = next(iter(found.values()))
    rows = []
    for name, v in found.items():
        p = "–" if v is first else f"{stats.ttest_rel(v, first).pvalue:.3f}"
        rows.append([name, f"{mean(v):.{d}f} ± {stdev(v):.{d}f}", p])
    title = chance.choice((f"### Paired t-test over {n} folds", f"### Mean ± sd over {n} folds"))
    return printed(title, ["Model", "MRR", "p"], *rows)


def ends(values: list[float], d: int) -> tuple[str, float, float]:
    """Give a mean and its interval of 95 % by t."""
    half = float(stats.t.ppf(0.975, len(values) - 1)) * stdev(values) / len(values) ** 0.5
    return f"{mean(values):.{d}f}", mean(values) - half, mean(values) + half


def intervals(chance: random.Random) -> str:
    """Intervals of each system, and p of a paired t-test."""
    n, d = chance.choice((30, 100)), 3
    found = runs(chance, n, whole=False)
    first = next(iter(found.values()))
    rows = []
    for name, v in found.items():
        value, low, high = ends(v, d)
        p = "–" if v is first else f"{stats.ttest_rel(v, first).pvalue:.3f}"
        rows.append([name, f"{value} ({low:.{d}f}, {high:.{d}f})", p])
    return printed("### Results", ["Model", "MRR (95% CI)", "p-value"], *rows)


def differences(chance: random.Random) -> str:
    """Changes with their interval and p, of one test."""
    n, d = chance.choice((30, 100)), 4
    found = runs(chance, n, whole=False)
    (_, first), *others = found.items()
    rows = []
    for name, v in others:
        apart = [b - a for a, b in zip(first, v, strict=True)]
        value, low, high = ends(apart, d)
        p = stats.ttest_1samp(apart, 0).pvalue
        rows.append([f"{name} vs BM25", value, f"[{low:.{d}f}, {high:.{d}f}]", f"{p:.4f}"])
    return printed("### Tests", ["Comparison", "Δ MRR", "95% CI", "p"], *rows)


def permuted(chance: random.Random) -> str:
    """Give p-values of B permutations."""
    many = chance.choice((200, 1000, 9999))
    rows = [["BM25", "0.500", "–"]]
    for name in NAMES[1:]:
        p = chance.choice(((chance.randint(0, 40) + 1) / (many + 1), chance.randint(1, 40) / many))
        rows.append([name, f"{chance.uniform(0.5, 0.9):.3f}", f"{p:.4f}"])
    return printed(f"### p by {many:,} permutations", ["Model", "MRR", "p"], *rows)


def ranked(chance: random.Random) -> str:
    """Ranks by one of the metrics, or average ranks over data sets."""
    values = {name: [chance.random() for _ in range(3)] for name in NAMES}
    places = [
        {name: 1 + sum(o[c] > v[c] for o in values.values()) for name, v in values.items()}
        for c in range(3)
    ]
    if chance.random() < 0.5:
        head = ["nDCG@10", "NFCorpus", "SciFact", "FiQA", "Avg. rank"]
        rows = [
            [name, *(f"{x:.3f}" for x in v), f"{mean(p[name] for p in places):.2f}"]
            for name, v in values.items()
        ]
        return printed("### Results", head, *rows)
    rows = [
        [str(places[0][name]), name, *(f"{x:.3f}" for x in v[:2])] for name, v in values.items()
    ]
    return printed("### Results", ["Rank", "Model", "MRR", "AUROC"], *rows)


def counted(chance: random.Random) -> str:
    """Shares of the n of their row."""
    rows = []
    for name in ("A", "B", "C"):
        n = chance.randint(15, 400)
        rows.append([f"Set {name}", str(n), f"{chance.randint(0, n) / n:.3f}"])
    return printed("### Results", ["Dataset", "n", "Accuracy"], *rows)


KINDS = (errors, tested, intervals, differences, permuted, ranked, counted)


def main() -> int:
    """Print what truthful tables were accused of; 1 where one was told to be impossible."""
    told: Counter[tuple[str, str]] = Counter()
    accused: Counter[str] = Counter()
    for seed in range(SEED, SEED + TABLES):
        chance = random.Random(f"beside {seed}")
        kind = KINDS[seed % len(KINDS)]
        text = kind(chance)
        findings = audit(examine_text(text, "t.md", "markdown").claims, text=text).findings
        told.update((kind.__name__, f"{one.severity} {one.rule}") for one in findings)
        accused.update({one.severity for one in findings})
        if findings:
            print(f"{kind.__name__} {seed}: {findings[0].severity} {findings[0].sentence}")
    print(
        f"{TABLES} truthful tables (seeds {SEED} to {SEED + TABLES - 1}): {accused['error']} with "
        f"an error, {accused['advice']} with advice; {dict(told)}"
    )
    return int(bool(accused["error"]))


if __name__ == "__main__":
    sys.exit(main())
