"""Curves (sections 4 and 16) from whole numbers that an engine adds up over groups of equal scores.

Of a group with positives: pos, neg; tp, fp with everything above it; tp − pos, fp − neg before it.
Groups without any are never made: what is asked of them is a least or a largest value of rows.
Precision is taken to 84 bits as three digits of 28, by whole division, so that no rounding enters
any sum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from crosscheck.contract import parameter_values
from crosscheck.engine.exact import Exact, fraction, ratio
from crosscheck.engine.metrics.ordered import Range, placed, ranges
from crosscheck.engine.slices import within
from crosscheck.model.key import escape

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crosscheck.engine.base import Engine
    from crosscheck.engine.slices import Book, Slices
    from crosscheck.engine.table import Table
    from crosscheck.engine.words import Words

DIGIT = 1 << 28
"""A digit of a quotient; rows up to 2^35 leave its products within 64 bits."""
LAYERED = "placed_rows"
PLACE = 10**12
"""Beside a quotient of 25 digits stands the number of rows above, of 12."""
Sums = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Budget:
    """A share of false positives that is allowed: 100·FP ≤ α·N."""

    name: str
    share: Fraction

    @property
    def column(self) -> str:
        """Give its name as part of a column's."""
        return self.name.replace(".", "_")

    def holds(self, fp: str) -> str:
        """Write the condition."""
        return f"({fp} * {100 * self.share.denominator} <= n * {self.share.numerator})"


@dataclass
class Curve:
    """What was added up for one slice so far."""

    positives: int
    negatives: int
    sums: Sums = field(default_factory=dict)

    def add(self, found: Sums) -> None:
        """Take what a range gives, the ranges from the top down."""
        for name, value in found.items():
            before = self.sums.get(name)
            if value is None or before is None:
                self.sums[name] = before if value is None else value
            elif name.startswith("max_"):
                self.sums[name] = max(before, value)
            elif name.startswith("min_"):
                self.sums[name] = min(before, value)
            elif name.startswith("sum_"):
                self.sums[name] = before + value

    @property
    def above(self) -> tuple[int, int]:
        """Count the positives and negatives of the ranges so far."""
        return self.sums.get("sum_pos", 0), self.sums.get("sum_neg", 0)


def digits(words: Words, above: str, below: str) -> list[str]:
    """Write the first three digits of a quotient that is at most 1."""
    found, left = [], above
    for _ in range(3):
        shifted = f"({left}) * {DIGIT}"
        found.append(words.quotient(shifted, below))
        left = f"(({shifted}) % ({below}))"
    return found


def value_of(high: int, middle: int, low: int) -> Fraction:
    """Read three sums of digits."""
    return Fraction((high * DIGIT + middle) * DIGIT + low, DIGIT**3)


def _shared(words: Words) -> dict[str, str]:
    """Write the sums of the area and of the average precision."""
    found = {
        "sum_strict": "pos * (n - fp)",
        "sum_before": "pos * (n - fp + neg)",
    }
    for place, digit in enumerate(digits(words, "tp", "tp + fp")):
        found[f"sum_ap{place}"] = f"pos * {digit}"
    # Before the first group the precision is 1: its first digit is a whole one.
    before = digits(
        words, "tp - pos", "CASE WHEN pos + neg = tp + fp THEN 1 ELSE tp + fp - pos - neg END"
    )
    for place, digit in enumerate(before):
        first = str(DIGIT if place == 0 else 0)
        found[f"sum_before_ap{place}"] = (
            f"pos * CASE WHEN pos + neg = tp + fp THEN {first} ELSE {digit} END"
        )
    return {name: words.total(made) for name, made in found.items()}


def _of_groups(words: Words, budgets: Sequence[Budget]) -> dict[str, str]:
    """Write the extremes of groups with positives, and what they take off the partial areas."""
    found: dict[str, str] = {}
    for budget in budgets:
        name, held = budget.column, budget.holds("fp")
        found |= {
            f"max_tp_{name}": f"max(CASE WHEN {held} THEN tp END)",
            f"max_fp_{name}": f"max(CASE WHEN {held} THEN fp END)",
            f"min_score_{name}": f"min(CASE WHEN {held} THEN score END)",
            f"sum_off_{name}": words.total(
                f"CASE WHEN {held} THEN pos * (2 * fp - neg) ELSE 0 END"
            ),
        }
    return found


def _of_rows(budgets: Sequence[Budget]) -> dict[str, str]:
    """Write the last row within each budget, and the first beyond it."""
    found = {"sum_pos": "sum(y)", "sum_neg": "count(*) - sum(y)"}
    for budget in budgets:
        name, held = budget.column, budget.holds("(through - tp)")
        found |= {
            f"max_last_tp_{name}": f"max(CASE WHEN {held} THEN tp END)",
            f"max_last_fp_{name}": f"max(CASE WHEN {held} THEN through - tp END)",
            f"min_last_{name}": f"min(CASE WHEN {held} THEN score END)",
            f"min_over_tp_{name}": f"min(CASE WHEN {held} THEN NULL ELSE tp END)",
            f"min_over_fp_{name}": f"min(CASE WHEN {held} THEN NULL ELSE through - tp END)",
        }
    return found


def _of_f1(words: Words) -> dict[str, str]:
    """Write the best tp / (tp + fp + P), and of equals the one with the fewest rows above."""
    high, middle, low = digits(words, "tp", "tp + fp + p")
    wide = "CAST({} AS DECIMAL(38,0))"
    quotient = (
        f"({wide.format(high)} * {wide.format(DIGIT)} + {wide.format(middle)}) "
        f"* {wide.format(DIGIT)} + {wide.format(low)}"
    )
    best = f"CAST(({quotient}) * {wide.format(PLACE)} AS DECIMAL(38,0)) + ({PLACE - 1} - tp - fp)"
    best = f"CAST({best} AS DECIMAL(38,0))"
    return {"max_f1": f"max({best})", "at_f1": f"max_by(score, {best})"}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of slice: what a row shows in SQL, and the slice that each such value is."""

    shown: str
    labels: dict[Any, str]


def literal(words: Words, value: object) -> str:
    """Write a value of a slice."""
    return str(value) if isinstance(value, int) else words.quote(str(value))


def _labelled(engine: Engine, source: str, kind: Kind, found: Range) -> str:
    shown = f"SELECT {kind.shown} AS part, score, y FROM {source} WHERE {found.where(engine)}"
    return f"SELECT part, score, y FROM ({shown}) shown WHERE part IS NOT NULL"


GROUPS = (
    "SELECT part, score, max(p) AS p, max(n) AS n, count(*) AS pos, max(tp) AS tp, "
    "max(through) - max(tp) AS fp, max(through) - max(above) - count(*) AS neg "
    "FROM {} WHERE y = 1 GROUP BY part, score"
)
"""The groups of equal scores that hold a positive."""


def add_up(
    engine: Engine,
    source: str,
    kinds: Sequence[Kind],
    totals: dict[str, tuple[int, int]],
    asked: Sequence[Budget] | None,
    *,
    also: Callable[[Kind, str], None] | None = None,
    told: Callable[[int, int], None] | None = None,
) -> dict[str, Curve]:
    """Add up over a table with `score`, `y` and what slices are made of, range by range.

    `totals`: slice → its positives and negatives; without budgets the areas alone are made;
    `also` is shown every table of placed rows, `told` hears how many rows of how many are done.
    """
    curves = {label: Curve(*totals[label]) for kind in kinds for label in kind.labels.values()}
    of_groups = aggregates(engine.words, asked)
    of_rows = _of_rows(asked or ())
    taken = ranges(engine, source)
    for at, found in enumerate(taken):
        if told is not None and at:
            told(sum(one.rows for one in taken[:at]), sum(one.rows for one in taken))
        for kind in kinds:
            above = _above(engine.words, kind, curves)
            if not above:
                continue
            rows = _labelled(engine, source, kind, found)
            placed_rows = placed(engine, rows, found, above)
            if asked is not None:
                engine.keep(LAYERED, placed_rows)
                rows = placed_rows = f"SELECT * FROM {LAYERED}"
            if also is not None:
                also(kind, LAYERED)
            groups = GROUPS.format(f"({placed_rows}) placed")
            _ask(engine, kind, curves, groups, of_groups)
            _ask(engine, kind, curves, rows, of_rows)
            if asked is not None:
                engine.drop(LAYERED)
    return curves


def _above(
    words: Words, kind: Kind, curves: dict[str, Curve]
) -> dict[str, tuple[int, int, int, int]]:
    """Give the positives and negatives of every slice that has rows, and those seen so far."""
    return {
        literal(words, value): (
            curves[label].positives,
            curves[label].negatives,
            *curves[label].above,
        )
        for value, label in kind.labels.items()
        if curves[label].positives + curves[label].negatives
    }


def _ask(
    engine: Engine, kind: Kind, curves: dict[str, Curve], source: str, wanted: dict[str, str]
) -> None:
    """Add up over a source, slice by slice."""
    listed = ", ".join(f"{made} AS {name}" for name, made in wanted.items())
    for part, *values in engine.rows(f"SELECT part, {listed} FROM ({source}) s GROUP BY part"):
        _take(curves[kind.labels[part]], dict(zip(wanted, values, strict=True)))


def _take(curve: Curve, found: Sums) -> None:
    whole = {
        name: value
        if value is None or name.startswith(("min_score", "min_last", "at_"))
        else int(value)
        for name, value in found.items()
    }
    score = whole.pop("at_f1", None)
    best = curve.sums.get("max_f1")
    if score is not None and (best is None or whole["max_f1"] > best):
        curve.sums["at_f1"] = score
    curve.add(whole)


def areas(curve: Curve) -> dict[str, Exact]:
    """Give the areas under both curves."""
    p, n = curve.positives, curve.negatives
    if not (p and n):
        rate = ratio(p, p + n)
        half = Fraction(1, 2)
        return {
            "auroc": half,
            "auroc/strict": half,
            "auprc": rate,
            "auprc/trapezoid": rate,
        }
    sums = curve.sums
    precise = value_of(*(sums[f"sum_ap{place}"] for place in range(3)))
    before = value_of(*(sums[f"sum_before_ap{place}"] for place in range(3)))
    return {
        "auroc": Fraction(sums["sum_strict"] + sums["sum_before"], 2 * p * n),
        "auroc/strict": Fraction(sums["sum_strict"], p * n),
        "auprc": precise / p,
        "auprc/trapezoid": (precise + before) / (2 * p),
    }


def at_budget(curve: Curve, budget: Budget) -> dict[str, Exact]:
    """Give the rates and thresholds at a budget of false positives, and the area within it."""
    p, n, name = curve.positives, curve.negatives, budget.column
    sums = curve.sums
    tp, fp, score = (sums.get(f"{one}_{name}") for one in ("max_tp", "max_fp", "min_score"))
    last, last_fp = sums.get(f"min_last_{name}"), sums.get(f"max_last_fp_{name}")
    at = f"fpr={budget.name}%"
    return {
        f"tpr@{at}": ratio(tp or 0, p),
        f"fpr@{at}": ratio(fp or 0, n),
        f"threshold@{at}": math.inf if score is None else fraction(repr(score)),
        f"fpr@{at}/last_index": ratio(last_fp or 0, n),
        f"threshold@{at}/last_index": math.inf if last is None else fraction(repr(last)),
        f"auroc/partial@{at}": _partial(curve, budget),
    }


def _partial(curve: Curve, budget: Budget) -> Exact:
    """Divide the area within the budget by the budget; the group across it counts in part."""
    p, n, sums = curve.positives, curve.negatives, curve.sums
    share = budget.share / 100
    if not (p and n):
        return share / 2 if p or n else Fraction(0)
    tp0, fp0 = (Fraction(sums.get(f"max_last_{one}_{budget.column}") or 0) for one in ("tp", "fp"))
    # Straight lines from each group of equals to the next, seen from the other axis.
    area = tp0 * fp0 - Fraction(sums.get(f"sum_off_{budget.column}") or 0, 2)
    tp, fp = (sums.get(f"min_over_{one}_{budget.column}") for one in ("tp", "fp"))
    if tp is not None and fp is not None:
        width = share * n - fp0
        area += width * (tp0 + (tp - tp0) * width / (fp - fp0) / 2)
    return ratio(area / (p * n), share)


def best_f1(curve: Curve) -> tuple[Exact, Exact]:
    """Give the largest F1 of any threshold, and the largest threshold that reaches it."""
    best = curve.sums.get("max_f1")
    if not curve.positives or best is None:
        return Fraction(0), math.inf
    quotient, place = divmod(best, PLACE)
    rows = PLACE - 1 - place
    below = rows + curve.positives
    tp = -(-quotient * below // DIGIT**3)
    return Fraction(2 * tp, below), fraction(repr(curve.sums["at_f1"]))


def kinds_of(table: Table, slices: Slices, *wanted: str) -> dict[str, Kind]:
    """Give the kinds of slice that a family has: `all` and `seed` always, others as wanted."""
    words = table.engine.words
    found = {"all": Kind("0", {0: "all"})}
    if slices.seeds:
        found["seed"] = Kind("seed", {one: f"seed={escape(one)}" for one in slices.seeds})
    if slices.folds and "fold" in wanted:
        found["fold"] = Kind("fold", {one: f"fold={one}" for one in slices.folds})
    if slices.folds and slices.seeds and "fold" in wanted:
        both = {
            f"{fold} {seed}": within(seed, fold) for seed in slices.seeds for fold in slices.folds
        }
        found["within"] = Kind(f"concat(CAST(fold AS {words.text}), ' ', seed)", both)
    if slices.criteria and "criterion" in wanted:
        labels = {one: f"criterion={escape(one)}" for one in slices.criteria}
        found["criterion"] = Kind("criterion_id", labels)
    for name, (column, some) in slices.declared.items() if "declared" in wanted else ():
        found[f"{name}="] = Kind(column, {one: f"{name}={escape(one)}" for one in some})
    for name, some in slices.views.items() if slices.criteria and "view" in wanted else ():
        listed = ", ".join(map(words.quote, some)) or "NULL"
        shown = f"CASE WHEN criterion_id IN ({listed}) THEN 0 END"
        found[f"view {name}"] = Kind(shown, {0: f"view={escape(name)}"})
    return found


def budgets(table: Table) -> list[Budget]:
    """Give the budgets that are asked for."""
    return [Budget(one, fraction(one)) for one in parameter_values(table.settings)["α"]]


def enter(book: Book, curve: Curve, part: str, asked: Sequence[Budget], population: str) -> None:
    """Enter what a curve gives for one slice."""
    found = areas(curve)
    for name, value in found.items():
        book.put(name, population, part, value)
    if population == "pairs":
        return
    book.put("gini", population, part, 2 * Fraction(found["auroc"]) - 1)
    for budget in asked:
        for name, value in at_budget(curve, budget).items():
            book.put(name, population, part, value)
    f1, threshold = best_f1(curve)
    book.put("max_f1", population, part, f1)
    book.put("threshold@max_f1", population, part, threshold)


def aggregates(words: Words, asked: Sequence[Budget] | None) -> dict[str, str]:
    """Write every sum over groups; without budgets those of the areas alone."""
    found = _shared(words)
    if asked is not None:
        found |= _of_groups(words, asked) | _of_f1(words)
    return found
