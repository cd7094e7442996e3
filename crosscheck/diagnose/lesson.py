"""A metric taught on the user's own data: its value under every definition, one query worked."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from crosscheck.contract import load
from crosscheck.contract.page import Bullets, Heading, Page, PageTable, Paragraph
from crosscheck.diagnose.moves import moves
from crosscheck.model.key import Key
from crosscheck.notation.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crosscheck.diagnose.scene import Scene

TOLD = {
    "definition": "definition",
    "population": "population",
    "pooled": "aggregation",
    "macro": "aggregation",
    "tie-bound": "order of ties",
}
_LONGEST = 24
_FEW = 6
_LISTED = 12


def on_this_data(key: str, case: Scene) -> Page:
    """Show the key's value, and what every other definition and population would give."""
    right = case.ledger[key]
    rows = [("this key", key, _shown(right), "")]
    for move in moves(key, case.index):
        if move.mistake in TOLD:
            value = case.ledger[move.key]
            rows.append((TOLD[move.mistake], move.key, _shown(value), _change(right, value)))
    return [
        Heading(2, "On this data, under each definition"),
        PageTable(("what differs", "key", "value", "change"), tuple(rows), code=(1,)),
    ]


def worked(key: str, case: Scene) -> Page:
    """Work the metric out on one query of the data, or on its counts."""
    metric = Key.parse(key).metric
    found = load().find(metric)
    if found is None:
        return []
    measure = Measure.parse(metric)
    lines: list[str] = []
    if measure is not None and case.bench.queries:
        lines = list(_ranking(measure, case))
    else:
        teach = _LESSONS.get(found.metric.id)
        lines = list(teach(key, case)) if teach else []
    if not lines:
        return []
    return [Heading(2, "Worked on this data"), *_blocks(lines)]


def _blocks(lines: list[str]) -> Page:
    return (
        [Paragraph(lines[0]), Bullets(tuple(lines[1:]))]
        if len(lines) > 1
        else [Paragraph(lines[0])]
    )


def _shown(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6f}"


def _change(right: float, value: float) -> str:
    if not right or not math.isfinite(value):
        return ""
    return f"{100 * (value - right) / abs(right):+.2f} %"


def telling_query(case: Scene, k: float) -> int | None:
    """Choose a query that shows something: a few gold, some found within K, not all at the top."""
    best: tuple[int, int | None] = (0, None)
    for i, (hits, length, gold) in enumerate(case.bench.queries):
        found = bool(hits) and hits[0] <= k
        mixed = found and hits[:gold] != tuple(range(1, gold + 1))
        good = mixed and 1 < gold < _FEW and length < _LONGEST
        best = max(best, (bool(gold) + found + mixed + good, i), key=lambda one: one[0])
    return best[1]


def _name(case: Scene, i: int) -> str:
    rows = case.bench.rows.frame
    columns = [c for c in ("post_id", "criterion_id", "query_id", "fold") if c in rows.columns]
    return ", ".join(f"{column} {rows[column][i]}" for column in columns)


def _ranking(measure: Measure, case: Scene) -> Iterator[str]:
    """Work a ranking metric out, rank by rank."""
    i = telling_query(case, measure.k)
    if i is None:
        return
    hits, length, gold = case.bench.queries[i]
    top = [rank for rank in hits if rank <= measure.k]
    cut = length if math.isinf(measure.k) else int(measure.k)
    yield f"The query with {_name(case, i)}:"
    places = ", ".join(map(str, hits[:_LISTED])) or "none"
    places += f" and {len(hits) - _LISTED} more" if len(hits) > _LISTED else ""
    yield f"{gold} gold, {length} candidates; gold stands at rank {places}"
    counted = f"{len(top)} hit" if len(top) == 1 else f"{len(top)} hits"
    yield f"within the first {cut}: rank {', '.join(map(str, top)) or 'none'}, so {counted}"
    yield from _steps(measure, gold, length, len(hits), top)
    value = case.bench.columns.get(str(measure))
    if value is not None:
        yield f"{measure} of this query is {value[i]:.6f}"


def _steps(measure: Measure, gold: int, length: int, found: int, top: list[int]) -> Iterator[str]:
    k = length if math.isinf(measure.k) else int(measure.k)
    within = min(k, length) if measure.variant == "k_eff" else k
    if measure.kind == "recall":
        below = found if measure.variant == "retrieved" else gold
        what = "gold that was retrieved" if measure.variant == "retrieved" else "gold"
        yield f"hits / {what} = {len(top)} / {below}"
    elif measure.kind == "precision":
        yield f"hits / places = {len(top)} / {within}"
    elif measure.kind == "hit":
        yield f"at least one hit: {'1' if top else '0'}"
    elif measure.kind == "mrr":
        yield f"1 / rank of the first hit = 1 / {top[0]}" if top else "no hit: 0"
    elif measure.kind == "map":
        yield from _average_precision(measure, gold, within, top)
    else:
        yield from _gain(gold, within, top)


def _average_precision(measure: Measure, gold: int, within: int, top: list[int]) -> Iterator[str]:
    terms = " + ".join(f"{i}/{rank}" for i, rank in enumerate(top, 1)) or "0"
    total = sum(i / rank for i, rank in enumerate(top, 1))
    yield f"precision at each hit: {terms} = {total:.6f}"
    below = {"by_gold": gold, "by_hits": len(top) or 1}.get(measure.variant, min(gold, within))
    name = {"by_gold": "|G|", "by_hits": "the hits"}.get(measure.variant, "min(|G|, K)")
    yield f"divided by {name} = {below}: {total / below:.6f}"


def _gain(gold: int, within: int, top: list[int]) -> Iterator[str]:
    gain = sum(1 / math.log2(rank + 1) for rank in top)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(gold, within) + 1))
    terms = " + ".join(f"1/log2({rank + 1})" for rank in top) or "0"
    ideal = " + ".join(f"1/log2({rank + 1})" for rank in range(1, min(gold, within) + 1))
    yield f"DCG = {terms} = {gain:.6f}"
    yield f"ideal = {ideal} = {best:.6f}"
    if best:
        yield f"DCG / ideal = {gain / best:.6f}"


def _auroc(key: str, case: Scene) -> Iterator[str]:
    """Work out one positive query's share of AUROC."""
    rows = case.bench.rows
    if not case.bench.has("prob") or not rows.label.any() or rows.label.all():
        return
    negatives = rows.prob[rows.label == 0]
    i = int(np.flatnonzero(rows.label == 1)[0])
    below, equal = int((negatives < rows.prob[i]).sum()), int((negatives == rows.prob[i]).sum())
    share = (below + equal / 2) / len(negatives)
    yield f"The positive query with {_name(case, i)} has probability {rows.prob[i]:g}:"
    yield f"{below} of {len(negatives)} negatives are below it, {equal} are equal"
    yield f"its share is ({below} + {equal}/2) / {len(negatives)} = {share:.6f}"
    yield f"{key.partition('|')[0]} is the mean of this over all {int(rows.label.sum())} positives"


def _brier(key: str, case: Scene) -> Iterator[str]:
    del key
    rows = case.bench.rows
    if not case.bench.has("prob"):
        return
    p, y = rows.prob[0], rows.label[0]
    yield f"The query with {_name(case, 0)} has probability {p:g} and label {y:g}:"
    yield f"(prob − label)² = ({p:g} − {y:g})² = {(p - y) ** 2:.6f}; Brier is the mean of these"


def _ece(key: str, case: Scene) -> Iterator[str]:
    """Show the fullest bin, and how it enters the sum."""
    bins = load().metric(Key.parse(key).metric).parameters["M"]
    stem = f"reliability@{bins}/bin="
    total = case.ledger.get("queries|all_queries|all|n", 0)
    counts = {j: case.ledger.get(f"{stem}{j}|all_queries|all|n", 0) for j in range(int(bins))}
    if not total or not any(counts.values()):
        return
    j = max(
        (one for one in counts if counts[one] < max(counts.values())),
        key=lambda one: counts[one],
        default=0,
    )
    prob = case.ledger[f"{stem}{j}|all_queries|all|mean_prob"]
    label = case.ledger[f"{stem}{j}|all_queries|all|mean_label"]
    low, high, count = j / int(bins), (j + 1) / int(bins), counts[j]
    yield f"Bin {j} holds the probabilities from {low:g} to below {high:g}:"
    yield f"{count} of {total} queries; mean probability {prob:.6f}, mean label {label:.6f}"
    added = count / total * abs(label - prob)
    yield f"it adds {count}/{total} · |{label:.6f} − {prob:.6f}| = {added:.6f}"
    yield f"the sum over all {bins} bins is ece@{bins}"


def _counts(formula: str) -> Callable[[str, Scene], Iterator[str]]:
    """Make the lesson of a rate that follows from the four counts."""

    def lesson(key: str, case: Scene) -> Iterator[str]:
        one = Key.parse(key)
        prefix = "deployment_" if one.metric.startswith("deployment_") else ""
        places = {
            c: f"{prefix}{c}|{one.population}|{one.slice}|value" for c in ("tp", "fp", "tn", "fn")
        }
        if not all(place in case.ledger for place in places.values()):
            return
        counts = {c: int(case.ledger[place]) for c, place in places.items()}
        yield "From the four counts:"
        yield ", ".join(f"{c.upper()} = {count}" for c, count in counts.items())
        written = formula
        for c, count in counts.items():
            written = written.replace(c, str(count))
        yield f"{formula} = {written} = {case.ledger[key]:.6f}"

    return lesson


def _evidence(key: str, case: Scene) -> Iterator[str]:
    """Work out evidence recall or precision on one query."""
    rows = case.bench.rows
    if not (rows.has("selected") and rows.has("gold")):
        return
    for i, (gold, chosen) in enumerate(zip(rows.gold, rows.lists("selected"), strict=True)):
        both = set(gold) & set(chosen)
        if both and len(both) < max(len(gold), len(chosen)):
            below, what = (len(gold), "gold") if "recall" in key else (len(chosen), "selected")
            yield f"The query with {_name(case, i)}:"
            yield f"{len(gold)} gold, {len(chosen)} selected, {len(both)} of them gold"
            yield f"{len(both)} / {below} ({what}) = {len(both) / below:.6f}"
            return


_LESSONS: dict[str, Callable[[str, Scene], Iterator[str]]] = {
    "auroc": _auroc,
    "brier": _brier,
    "ece@M": _ece,
    "evidence_recall": _evidence,
    "evidence_precision": _evidence,
    "sensitivity": _counts("tp / (tp + fn)"),
    "specificity": _counts("tn / (tn + fp)"),
    "fpr": _counts("fp / (fp + tn)"),
    "fnr": _counts("fn / (fn + tp)"),
    "precision": _counts("tp / (tp + fp)"),
    "npv": _counts("tn / (tn + fn)"),
    "f1": _counts("2·tp / (2·tp + fp + fn)"),
    "deployment_fpr": _counts("fp / (fp + tn)"),
    "deployment_fnr": _counts("fn / (fn + tp)"),
    "deployment_precision": _counts("tp / (tp + fp)"),
    "deployment_recall": _counts("tp / (tp + fn)"),
    "deployment_f1": _counts("2·tp / (2·tp + fp + fn)"),
}
