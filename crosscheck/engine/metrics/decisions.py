"""What a row decides and selects: counts, confusion, states, dynamic-K, deployment, criteria."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from crosscheck.contract import parameter_values
from crosscheck.engine.exact import BITS, Exact, fraction, ratio, root
from crosscheck.engine.table import STATES, ratio_of
from crosscheck.engine.tally import Statistics, Tally, select, tally, total

if TYPE_CHECKING:
    from crosscheck.engine.slices import Book, Slices
    from crosscheck.engine.table import Table

EVERY, POSITIVE, PASSED = "all_queries", "positives_only", "predicted_positive"


class Row(NamedTuple):
    """What rows that are counted together have in common; −1: not known."""

    y: int
    gold: int
    passed: int
    state: str
    k: int
    hits: int
    k_max: int


def counts(table: Table, slices: Slices) -> Tally:
    """Count the EVAL rows by everything that decides anything."""
    words = table.engine.words
    labelled, chosen = table.labelled, table.has("selected")
    found = words.keep("selected", "u", words.has("gold", "u"))
    bounds = chosen and table.has("candidates")
    columns = {
        "y": "y" if labelled else "-1",
        "g": _few("relevant", exact=chosen) if labelled else "-1",
        "passed": "passed" if table.decided else "-1",
        "in_state": "in_state" if table.stateful else "''",
        "k": words.size("selected") if chosen else "-1",
        "hits": words.size(found) if chosen and table.has("gold") else "-1",
        "k_max": _k_max(table) if bounds else "-1",
    }
    listed = [*table.dims, *(f"c_{name}" for name in columns)]
    made = ", ".join([*table.dims, *(f"{made} AS c_{name}" for name, made in columns.items())])
    rows = table.engine.rows(
        f"SELECT {', '.join(listed)}, count(*) FROM (SELECT {made} FROM eval_rows) counted "
        f"GROUP BY {', '.join(listed)}"
    )
    more = [*(["state"] if table.stateful else []), *(["has_evidence"] if labelled else [])]
    dims = [*table.dims]
    dims += ["in_state"] if table.stateful else []
    dims += ["y"] if labelled else []
    # The state and the label are slices besides being counted.
    width, at = len(table.dims), {name: place for place, name in enumerate(columns)}
    spread = (
        (
            *row[:width],
            *(row[width + at[name]] for name in dims[width:]),
            Row(*row[width:-1]),
            row[-1],
        )
        for row in rows
    )
    counted = tally(slices, dims, spread, more)
    return {
        part: Counter({payload[0]: count for payload, count in counter.items()})
        for part, counter in counted.items()
    }


def _few(size: str, *, exact: bool) -> str:
    """Tell only whether there is any, where no more is asked: fewer groups."""
    return size if exact else f"CASE WHEN {size} > 0 THEN 1 ELSE 0 END"


def _k_max(table: Table) -> str:
    """Write min(hard_cap, ⌊n·ratio⌋), in whole numbers."""
    share = ratio_of(table.settings, "k_max_ratio")
    size = table.engine.words.size("candidates")
    floor = table.engine.words.quotient(f"{size} * {share.numerator}", str(share.denominator))
    return f"least({int(ratio_of(table.settings, 'hard_cap'))}, {floor})"


def enter(table: Table, book: Book, found: Tally) -> None:
    """Enter every metric that follows from the counts."""
    for part, counter in found.items():
        _of_labels(table, book, part, counter)
        _populations(table, book, part, counter)
        if table.stateful:
            for name, value in states(counter).items():
                book.put(name, EVERY, part, value)
        if table.has("selected", "gold") and table.decided:
            _dynamic_k(book, part, counter)
            _deployment(book, part, counter)
            if table.has("candidates"):
                _bounds(table, book, part, counter)
    if table.has("selected"):
        largest = max((row.k for row in found["all"]), default=0)
        for part, counter in found.items():
            for k in range(largest + 1):
                count = select(counter, lambda row, k=k: row.k == k)  # type: ignore[misc]
                book.put(f"k/hist={k}", EVERY, part, count, "n")


def _of_labels(table: Table, book: Book, part: str, counter: Counter[Row]) -> None:
    if not table.labelled:
        return
    if table.decided:
        for name, value in rates(confusion(counter), table).items():
            book.put(name, EVERY, part, value)
    positives = select(counter, lambda row: row.y == 1)
    rows = sum(counter.values())
    book.put("n_queries", EVERY, part, rows)
    book.put("n_positive", EVERY, part, positives)
    book.put("positive_rate", EVERY, part, ratio(positives, rows))


def _populations(table: Table, book: Book, part: str, counter: Counter[Row]) -> None:
    book.put("queries", EVERY, part, sum(counter.values()), "n")
    if table.labelled:
        book.put("queries", POSITIVE, part, select(counter, lambda row: row.gold > 0), "n")
    if table.decided:
        book.put("queries", PASSED, part, select(counter, lambda row: row.passed == 1), "n")


class Confusion(NamedTuple):
    """The four counts."""

    tp: int
    fp: int
    tn: int
    fn: int


def confusion(counter: Counter[Row]) -> Confusion:
    """Count labels against decisions."""
    cells: Counter[tuple[int, int]] = Counter()
    for row, count in counter.items():
        cells[row.y, row.passed] += count
    return Confusion(cells[1, 1], cells[0, 1], cells[0, 0], cells[1, 0])


def rates(cells: Confusion, table: Table | None = None) -> dict[str, Exact]:
    """Give the counts and every rate of sections 4 and 16."""
    tp, fp, tn, fn = cells
    rows = sum(cells)
    sensitivity, specificity = Fraction(ratio(tp, tp + fn)), Fraction(ratio(tn, tn + fp))
    precision, npv = Fraction(ratio(tp, tp + fp)), Fraction(ratio(tn, tn + fn))
    accuracy = Fraction(ratio(tp + tn, rows))
    found: dict[str, Exact] = {
        **cells._asdict(),
        "sensitivity": sensitivity,
        "specificity": specificity,
        "fpr": ratio(fp, fp + tn),
        "fnr": ratio(fn, fn + tp),
        "precision": precision,
        "npv": npv,
        "f1": ratio(2 * tp, 2 * tp + fp + fn),
        "mcc": matthews(cells),
        "balanced_accuracy": (sensitivity + specificity) / 2,
    }
    if table is None:
        return found
    expected = Fraction(ratio((tp + fp) * (tp + fn) + (tn + fn) * (tn + fp), rows * rows))
    both = (tp + fn) and (tn + fp)
    found |= {
        "accuracy": accuracy,
        "error_rate": 1 - accuracy if rows else Fraction(0),
        "jaccard": ratio(tp, tp + fp + fn),
        "kappa": ratio(accuracy - expected, 1 - expected),
        "informedness": sensitivity + specificity - 1 if rows else Fraction(0),
        "markedness": precision + npv - 1 if rows else Fraction(0),
        "fdr": ratio(fp, tp + fp),
        "fomr": ratio(fn, fn + tn),
        "prevalence": ratio(tp + fn, rows),
        "auroc/decisions": (sensitivity + specificity) / 2 if both else Fraction(bool(rows), 2),
    }
    for beta in parameter_values(table.settings)["β"]:
        square = fraction(beta) ** 2
        below = square * precision + sensitivity
        found[f"f_beta@beta={beta}"] = ratio((1 + square) * precision * sensitivity, below)
    return found


def matthews(cells: Confusion) -> Exact:
    """Give the correlation of label and decision; whole numbers do not overflow here (T17)."""
    tp, fp, tn, fn = cells
    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return ratio(tp * tn - fp * fn, root(Fraction(below)))


def states(counter: Counter[Row]) -> dict[str, Exact]:
    """Give the counts and rates of section 7."""
    rows = sum(counter.values())
    of = {name: select(counter, lambda row, name=name: row.state == name) for name in STATES}  # type: ignore[misc]
    positives = select(counter, lambda row: row.y == 1)
    missed = select(counter, lambda row: row.y == 1 and row.state == "NEG")
    alarmed = select(counter, lambda row: row.y == 1 and row.state == "POS")
    found: dict[str, Exact] = {f"n_{name.lower()}": count for name, count in of.items()}
    found |= {f"{name.lower()}_rate": ratio(count, rows) for name, count in of.items()}
    found["alert_rate_per_1000"] = ratio(1000 * of["POS"], rows)
    found["screening_sensitivity"] = ratio(positives - missed, positives)
    found["screening_fn_per_1000"] = ratio(1000 * missed, rows)
    found["alert_precision"] = ratio(alarmed, of["POS"])
    return found


def _share(above: int, below: int) -> int:
    return (above << BITS) // below if below else 0


def _often(counter: Counter[Row], value: object) -> Counter[int]:
    often: Counter[int] = Counter()
    for row, count in counter.items():
        often[value(row)] += count  # type: ignore[operator]
    return often


def _dynamic_k(book: Book, part: str, counter: Counter[Row]) -> None:
    positives = Counter({row: count for row, count in counter.items() if row.gold > 0})
    passed = Counter({row: count for row, count in counter.items() if row.passed == 1})
    for population, some in ((EVERY, counter), (POSITIVE, positives)):
        often = _often(some, lambda row: row.k)
        Statistics(often).enter(book, "k", population, part, p90=True)
        book.put("k", population, part, min((row.k for row in some), default=0), "min")
        book.put("k", population, part, max((row.k for row in some), default=0), "max")
    returned = total(passed, lambda row: row.k)
    book.put("avg_k", PASSED, part, ratio(returned, sum(passed.values())), "mean")
    book.put("avg_k", EVERY, part, ratio(returned, sum(counter.values())), "mean")
    recall = _often(positives, lambda row: _share(row.hits, row.gold))
    Statistics(recall, 1 << BITS).enter(book, "evidence_recall", POSITIVE, part)
    precision = _often(positives, lambda row: _share(row.hits, row.k))
    Statistics(precision, 1 << BITS).enter(book, "evidence_precision", POSITIVE, part)
    unit = 1 << BITS
    every = {
        "evidence_recall/all_queries": lambda row: (
            _share(row.hits, row.gold) if row.gold else unit * (not row.k)
        ),
        "evidence_precision/all_queries": lambda row: (
            _share(row.hits, row.k) if row.k else unit * (not row.gold)
        ),
    }
    for name, value in every.items():
        mean = Statistics(_often(counter, value), unit).mean()
        book.put(name, EVERY, part, mean, "mean")
    found = total(positives, lambda row: row.hits * (row.passed == 1))
    gold = total(positives, lambda row: row.gold)
    asked = total(positives, lambda row: row.gold * (row.passed == 1))
    book.put("evidence_recall/pooled", POSITIVE, part, ratio(found, gold))
    book.put("evidence_recall/pooled_conditional", POSITIVE, part, ratio(found, asked))


def _deployment(book: Book, part: str, counter: Counter[Row]) -> None:
    """Enter the confusion of the label against whether anything is returned."""
    returned: Counter[Row] = Counter()
    for row, count in counter.items():
        returned[row._replace(passed=int(row.passed == 1 and row.k > 0))] += count
    found = rates(confusion(returned))
    for name in ("tp", "fp", "tn", "fn", "fpr", "fnr", "precision", "f1"):
        book.put(f"deployment_{name}", EVERY, part, found[name])
    book.put("deployment_recall", EVERY, part, found["sensitivity"])


def _bounds(table: Table, book: Book, part: str, counter: Counter[Row]) -> None:
    least = int(ratio_of(table.settings, "k_min"))
    passed = Counter({row: count for row, count in counter.items() if row.passed == 1})
    below = select(passed, lambda row: row.k_max >= least and (row.k < least or not row.k))
    above = select(passed, lambda row: row.k > row.k_max)
    book.put("k_below_min", EVERY, part, below)
    book.put("k_above_max", EVERY, part, above)
    book.put("k_min_unreachable", EVERY, part, select(passed, lambda row: row.k_max < least))
