"""Ledgers → the tables of the report, each line in the contract's words (S4 10.2).

`headline` is what a paper prints; `tables` everything else a reader may ask for, by title. Both
read the primary's ledger, which the gate has compared with every other witness's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from crosscheck import contract
from crosscheck.contract.naming import meaning_of, name_of_key
from crosscheck.model.key import Key
from crosscheck.report.view import IntervalView, RowView

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from crosscheck.contract import MetricId
    from crosscheck.contract.words import Words

    Value = int | float
    Wanted = Callable[[Key, MetricId], bool]

CRITERIA = "criteria"
CUT_OFFS = "ranking at every cut-off"
CUT_OFFS_ALL = "ranking over all queries"
TUNED = "thresholds chosen on TUNE rows"
SELECTED_K = "selected K"
GAMMA = "γ sweep"
GRID = "threshold grid on TUNE rows"
VIEWS = "views"
GRADED = "graded relevance at every cut-off"
RECALL = "interpolated precision"
CLASSES = "classes"
MATRIX = "confusion matrix"
SEEDS = "seeds"
BY = "by "
"""How the title of a declared slice's table begins."""
COUNTS = ("tp", "fp", "tn", "fn")

EVIDENCE = "evidence"
"""The kind of study that the source documents are about: their targets and ranges are its alone."""
METHODS = ("percentile", "bca")
UNITS = ("post", "query", "seed")


@dataclass(frozen=True, slots=True)
class TableSource:
    """What the tables of one system are made from."""

    ledgers: Mapping[str, Mapping[str, Value]]
    facts: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    fell_back: frozenset[str] = frozenset()
    """Interval keys whose BCa fell back to the percentile interval."""

    @property
    def words(self) -> Words:
        """What the data are called."""
        return contract.load().words(self.facts)

    @property
    def ledger(self) -> Mapping[str, Value]:
        """The primary's statement; where an engine alone saw all rows, the engine's."""
        return self.ledgers.get("primary") or self.ledgers["sql"]


def headline(source: TableSource) -> list[RowView]:
    """List the headline metrics over the whole data set, in the contract's order."""
    keys = contract.headline_keys(source.facts, source.settings)
    return [
        row(source, key) for key in keys if Key.parse(key).slice == "all" and key in source.ledger
    ]


def tables(source: TableSource) -> dict[str, list[RowView]]:
    """Further tables by title; a table without rows is left out."""
    wanted_by = TABLES | {f"{BY}{name}": _by(name) for name in source.facts.get("slices", ())}
    chosen: dict[str, list[str]] = {title: [] for title in wanted_by}
    known: dict[tuple[str, str, str, str], list[str]] = {}
    for text in source.ledger:
        metric, population, part, statistic = text.split("|")
        if statistic.startswith(("ci_low", "ci_high")):
            continue
        name, equals, _ = part.partition("=")
        kind = metric, population, name + equals, statistic
        if kind not in known:
            known[kind] = _titles(Key(*kind), wanted_by)
        for title in known[kind]:
            chosen[title].append(text)
    if _all_have_gold(source.facts):
        del chosen[CUT_OFFS_ALL]
    return {title: [row(source, key) for key in keys] for title, keys in chosen.items() if keys}


def _titles(key: Key, wanted_by: Mapping[str, Wanted]) -> list[str]:
    """Name the tables of a key, whose slice is `name=` for every value of it."""
    metric = contract.load().find(key.metric)
    if metric is None or metric.bound:
        return []
    return [title for title, wanted in wanted_by.items() if wanted(key, metric)]


def _all_have_gold(facts: Mapping[str, Any]) -> bool:
    """Tell whether both populations are the same queries."""
    counted = facts.get("queries", {})
    return bool(counted) and counted["all_queries"] == counted.get("positives_only")


def row(source: TableSource, text: str) -> RowView:
    """One line of a table: the number, its spread and interval, whom it is about, what it means."""
    key = Key.parse(text)
    metric = contract.load().metric(key.metric).metric
    folds = Key(key.metric, key.population, "folds", "mean")
    plain = key.slice in ("all", "folds") and key.statistic in ("mean", "value")
    value = source.ledger[text]
    hoped = metric.headline and source.words.id == EVIDENCE
    target = _target(key, metric.population if hoped else None)
    return RowView(
        key=text,
        metric=key.metric,
        name=_name(source, key),
        population=key.population,
        n=_behind(source, key),
        value=value,
        folds_mean=_float(source, str(folds)) if plain else None,
        folds_std=_float(source, _with(folds, "std")) if plain else None,
        intervals=list(_intervals(source, key)) if key.slice != "folds" else [],
        folds_intervals=list(_intervals(source, folds)) if plain else [],
        meaning=source.words.fit(_meaning(key)),
        target=None if target is None else str(target),
        target_met=None if target is None else target.met(value),
        place=_place(key, value) if source.words.id == EVIDENCE else None,
        witnesses=[name for name, ledger in source.ledgers.items() if text in ledger],
    )


def _name(source: TableSource, key: Key) -> str:
    """Name what a key states; of graded data, nDCG without grades by its full name too."""
    plain = key.metric.startswith("ndcg@") and "/" not in key.metric
    full = plain and "graded" in source.facts.get("families", ())
    return f"{name_of_key(key)} (binary)" if full else name_of_key(key)


def _meaning(key: Key) -> str:
    """Say what a metric means; the meanings speak of queries, so over pairs its definition."""
    if key.population == "pairs":
        return contract.load().metric(key.metric).definition
    return meaning_of(key.metric)


def _with(key: Key, statistic: str) -> str:
    return str(Key(key.metric, key.population, key.slice, statistic))


def _float(source: TableSource, key: str) -> float | None:
    found = source.ledger.get(key)
    return None if found is None else float(found)


def _behind(source: TableSource, key: Key) -> int | None:
    """How many queries, or posts, stand behind a number."""
    if key.population == "posts":
        return source.facts.get("posts") if key.slice == "all" else None
    if key.population == "tune_queries":
        found = source.facts.get("rows", {}).get("TUNE")
        return None if found is None else int(found)
    cut = "all" if key.slice in ("folds", "criteria") else key.slice
    n = source.ledger.get(f"queries|{key.population}|{cut}|n")
    return n if isinstance(n, int) else None


def _intervals(source: TableSource, key: Key) -> Iterator[IntervalView]:
    """By post first, which is the honest one; percentile before BCa (contract, section 10)."""
    for method in METHODS:
        for unit in UNITS:
            low = _with(key, f"ci_low/{unit}/{method}")
            high = _with(key, f"ci_high/{unit}/{method}")
            if low in source.ledger and high in source.ledger:
                yield IntervalView(
                    unit=unit,
                    method=method,
                    low=float(source.ledger[low]),
                    high=float(source.ledger[high]),
                    fell_back=low in source.fell_back or high in source.fell_back,
                )


def _target(key: Key, population: str | None) -> contract.model.Target | None:
    """Give the advisory target, on the headline number only."""
    if key.population != population or key.slice != "all":
        return None
    return contract.load().targets.get(key.metric)


def _place(key: Key, value: float) -> str | None:
    found = contract.load().reference_ranges.get(key.metric)
    return None if found is None or key.slice != "all" else found.place(float(value))


def _on_criteria(key: Key, metric: MetricId) -> bool:
    owed = any(name.startswith("criteri") for name in metric.rows)
    return (
        key.slice.startswith("criterion=")
        and key.statistic in ("mean", "value")
        and metric.variant is None
        and owed
        and (not metric.at or metric.at in metric.metric.criteria_at)
        and metric.metric.population == key.population
    )


def _ranking(population: str) -> Wanted:
    def wanted(key: Key, metric: MetricId) -> bool:
        return (
            "ranking" in metric.rows
            and "K" in metric.parameters
            and metric.variant is None
            and (key.population, key.slice, key.statistic) == (population, "all", "mean")
        )

    return wanted


def _over_all(*rows: str, cut: str = "all") -> Wanted:
    """Every number of these rows of the key table, over one slice."""

    def wanted(key: Key, metric: MetricId) -> bool:
        plain = key.statistic in ("mean", "value", "n")
        return key.slice == cut and plain and any(name in metric.rows for name in rows)

    return wanted


def _selected_k(key: Key, metric: MetricId) -> bool:
    """Take K over everything, by state and by label, in every statistic."""
    cuts = ("all", "state=", "has_evidence=")
    return metric.metric.id == "k" and metric.variant is None and key.slice.startswith(cuts)


def _confusion(key: Key, metric: MetricId) -> bool:
    return metric.metric.id in COUNTS and key.slice == "all"


def _decisions(key: Key, metric: MetricId) -> bool:
    """Take what follows from the counts, headline metrics aside: those stand above."""
    own = metric.metric
    plain = key.slice == "all" and key.statistic == "value" and key.population == "all_queries"
    return plain and own.headline is None and own.id not in COUNTS and "confusion" in metric.rows


def _further(*rows: str) -> Wanted:
    """Take what no cut-off belongs to, on the headline population, headline metrics aside."""

    def wanted(key: Key, metric: MetricId) -> bool:
        own = metric.metric
        return (
            own.headline is None
            and key.slice == "all"
            and key.statistic in ("mean", "value")
            and key.population == own.population
            and "K" not in metric.parameters
            and not own.id.startswith("iprec@")
            and any(name in metric.rows for name in rows)
        )

    return wanted


def _graded(key: Key, metric: MetricId) -> bool:
    plain = (key.population, key.slice, key.statistic) == ("positives_only", "all", "mean")
    known = {"graded", "exponential", "judged"} & set(metric.rows)
    return plain and "K" in metric.parameters and bool(known)


def _recall_levels(key: Key, metric: MetricId) -> bool:
    plain = (key.population, key.slice, key.statistic) == ("positives_only", "all", "mean")
    return plain and metric.metric.id.startswith("iprec@")


def _classes(key: Key, metric: MetricId) -> bool:
    return key.slice.startswith("class=") and "per_class" in metric.rows


def _matrix(key: Key, metric: MetricId) -> bool:
    return key.slice == "all" and "confusion_matrix" in metric.rows


def _of_classes(key: Key, metric: MetricId) -> bool:
    known = {"classes", "class_probs"} & set(metric.rows)
    plain = key.slice == "all" and metric.metric.headline is None
    return plain and bool(known) and "confusion" not in metric.rows


def _seeds(key: Key, metric: MetricId) -> bool:
    """Take the headline numbers of every seed, and their mean and spread."""
    over = key.slice == "seeds" and key.statistic in ("mean", "std")
    one = key.slice.startswith("seed=") and key.statistic in ("mean", "value")
    return (over or one) and _is_headline(key, metric)


def _by(name: str) -> Wanted:
    """Take the headline numbers of every value of a declared slice, and their averages."""

    def wanted(key: Key, metric: MetricId) -> bool:
        one = key.slice.startswith(f"{name}=") and key.statistic in ("mean", "value")
        over = key.slice == name and key.statistic in ("macro", "micro")
        return (one or over) and _is_headline(key, metric)

    return wanted


def _is_headline(key: Key, metric: MetricId) -> bool:
    own, variant = metric.metric, metric.variant
    known = own.headline if variant is None or not own.bare else variant.headline
    return (
        known is not None
        and key.population == own.population
        and (not known.at or metric.at in known.at)
    )


def _pairs(key: Key, metric: MetricId) -> bool:
    return key.population == "pairs" and key.slice == "all" and "pairs" in metric.rows


def _views(key: Key, metric: MetricId) -> bool:
    """Take the headline numbers of every declared view."""
    plain = key.slice.startswith("view=") and key.statistic in ("mean", "value")
    return plain and metric.variant is None and _is_headline(key, metric)


TABLES: dict[str, Wanted] = {
    CRITERIA: _on_criteria,
    SELECTED_K: _selected_k,
    "evidence found": _over_all("avg_k", "evidence", "evidence_all", "evidence_pooled", "k_bounds"),
    GAMMA: _over_all("gamma", "gamma_recall", "gamma_sentences"),
    "states": _over_all("states"),
    GRID: _over_all("grid", cut="folds"),
    "deployment": _over_all("deployment"),
    CLASSES: _classes,
    MATRIX: _matrix,
    "several classes": _of_classes,
    GRADED: _graded,
    CUT_OFFS: _ranking("positives_only"),
    CUT_OFFS_ALL: _ranking("all_queries"),
    "rankings as a whole": _further("ranking", "ranking_pooled", "judged"),
    RECALL: _recall_levels,
    "pairs": _pairs,
    "confusion": _confusion,
    "decisions": _decisions,
    "curves": _further("curves"),
    "calibration": _further("calibration"),
    TUNED: _over_all("tuned", cut="folds"),
    VIEWS: _views,
    SEEDS: _seeds,
}
"""Title → which keys it holds, in the order of the report; of a slice `NAME=value`, by `NAME=`."""
