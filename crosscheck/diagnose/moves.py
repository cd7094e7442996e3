"""Other keys of the same ledger that a number can have been mistaken for, one step away."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.contract import load
from crosscheck.model.key import Key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Ledger = Mapping[str, int | float]


@dataclass(frozen=True, slots=True)
class Move:
    """A step from the claimed key to another: which mistake it is, and its particulars."""

    mistake: str
    detail: str
    key: str


@dataclass(frozen=True, slots=True)
class Index:
    """A ledger's keys, ready to be searched from one of them."""

    ledger: Ledger
    metrics: tuple[str, ...]
    places: Mapping[str, tuple[tuple[str, str], ...]]
    """`metric|population` → the (slice, statistic) pairs that it has."""

    @classmethod
    def of(cls, ledger: Ledger) -> Index:
        """Index a ledger."""
        places: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for key in ledger:
            metric, population, where, statistic = key.split("|")
            places[f"{metric}|{population}"].append((where, statistic))
        metrics = sorted({stem.partition("|")[0] for stem in places})
        return cls(ledger, tuple(metrics), {stem: tuple(some) for stem, some in places.items()})


def moves(written: str, index: Index) -> Iterator[Move]:
    """List the keys of a ledger that one mistake leads to."""
    key = Key.parse(written)
    seen = {written}
    for move in _all(key, index):
        if move.key in index.ledger and move.key not in seen:
            seen.add(move.key)
            yield move


def _all(key: Key, index: Index) -> Iterator[Move]:
    yield from _definitions(key)
    yield from _populations(key)
    yield from _aggregations(key, index)
    yield from _cutoffs(key, index)
    yield from _tie_bounds(key)
    yield from _metrics(key, index)
    yield from _intervals(key, index)
    yield from _slices(key, index)
    yield from _statistics(key, index)


def _with(key: Key, **changed: str) -> str:
    parts = {"metric": key.metric, "population": key.population}
    parts |= {"slice": key.slice, "statistic": key.statistic} | changed
    return str(Key(**parts))


def _definitions(key: Key) -> Iterator[Move]:
    found = load().find(key.metric)
    if found is None or found.bound:
        return
    stem = key.metric.partition("/")[0]
    names = ["", *(variant.id for variant in found.metric.variants)]
    for name in names:
        metric = f"{stem}/{name}" if name else stem
        for statistic in dict.fromkeys((key.statistic, "mean", "value")):
            population = "all_queries" if name == "all_queries" else key.population
            shown = load().find(metric)
            if shown is not None:
                detail = f"{metric} ({shown.formula})"
                other = _with(key, metric=metric, statistic=statistic, population=population)
                yield Move("definition", detail, other)


def _populations(key: Key) -> Iterator[Move]:
    for population in load().populations:
        detail = f"{population.text} instead of {key.population}"
        yield Move("population", detail, _with(key, population=population.id))


def _aggregations(key: Key, index: Index) -> Iterator[Move]:
    """Pool, go over folds, seeds or criteria; and take the standard deviations over each."""
    if key.statistic in {"std", "std/population"}:
        parts = key.slice if key.slice in {"folds", "seeds"} else "folds"
        spreads = {
            "the standard deviation with n − 1": (parts, "std"),
            "the standard deviation with n": (parts, "std/population"),
            "the standard deviation over queries": ("all", "std"),
        }
        for detail, (where, statistic) in spreads.items():
            yield Move("spread", detail, _with(key, slice=where, statistic=statistic))
        return
    for detail, where, statistics in (
        ("all queries pooled", "all", ("mean", "value")),
        ("the mean of the folds", "folds", ("mean",)),
        ("the mean of the seeds", "seeds", ("mean",)),
    ):
        for statistic in statistics:
            yield Move("pooled", detail, _with(key, slice=where, statistic=statistic))
    for where, statistic in index.places.get(f"{key.metric}|{key.population}", ()):
        if statistic in {"macro", "micro"}:
            over = where if where == "criteria" else f"the values of {where}"
            other = _with(key, slice=where, statistic=statistic)
            yield Move("macro", f"the {statistic} average over {over}", other)


def _cutoffs(key: Key, index: Index) -> Iterator[Move]:
    """Take the same metric at another K, α, M, γ or τ."""
    mine = load().find(key.metric)
    if mine is None or not mine.parameters:
        return
    for metric in index.metrics:
        other = load().find(metric)
        same = other is not None and (other.template, other.bound) == (mine.template, mine.bound)
        if same and metric != key.metric:
            yield Move("cutoff", metric, _with(key, metric=metric))


def _metrics(key: Key, index: Index) -> Iterator[Move]:
    """Take another metric, at the same K."""
    mine = load().find(key.metric)
    if mine is None:
        return
    for metric in index.metrics:
        other = load().find(metric)
        if other is None or other.bound or other.metric.id == mine.metric.id:
            continue
        variants = {None, mine.variant and mine.variant.id, "macro", "multiclass"}
        if (other.variant and other.variant.id) not in variants:
            continue
        if dict(other.parameters) != dict(mine.parameters):
            continue
        for statistic in dict.fromkeys((key.statistic, "value", "mean")):
            yield Move("another-metric", metric, _with(key, metric=metric, statistic=statistic))


def _tie_bounds(key: Key) -> Iterator[Move]:
    for bound, detail in (("tie_low", "worst"), ("tie_high", "best")):
        other = _with(key, metric=f"{key.metric}/{bound}", slice="all", statistic="mean")
        yield Move("tie-bound", detail, other)


def _intervals(key: Key, index: Index) -> Iterator[Move]:
    end = key.statistic.partition("/")[0]
    if end not in {"ci_low", "ci_high"}:
        return
    for where, statistic in index.places.get(f"{key.metric}|{key.population}", ()):
        if where == key.slice and statistic.startswith(f"{end}/"):
            detail = statistic.removeprefix(f"{end}/").replace("/", ", ")
            yield Move("interval", detail, _with(key, statistic=statistic))


def _slices(key: Key, index: Index) -> Iterator[Move]:
    """Take one fold, criterion, state or view in place of all, or of the folds' mean."""
    wanted = {key.statistic, "value"} if key.statistic == "mean" else {key.statistic}
    for where, statistic in index.places.get(f"{key.metric}|{key.population}", ()):
        if "=" in where and statistic in wanted:
            yield Move("slice", where, _with(key, slice=where, statistic=statistic))


def _statistics(key: Key, index: Index) -> Iterator[Move]:
    for where, statistic in index.places.get(f"{key.metric}|{key.population}", ()):
        if where == key.slice and not statistic.startswith("ci_"):
            yield Move("statistic", statistic, _with(key, statistic=statistic))
