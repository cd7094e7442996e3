"""The identities of section 11 among keys that are present: what a check has to look at."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from crosscheck.contract.ids import TIE_BOUNDS
from crosscheck.contract.loader import load
from crosscheck.model.key import parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from crosscheck.contract.ids import MetricId
    from crosscheck.contract.model import Identity

    Place = tuple[str, str, str]
    Metrics = Mapping[str, Mapping[str, str]]
    """Template → parameter → metric."""
    Maker = Callable[[Identity, Place, Metrics], Iterator["Instance"]]

ONE = "1"
CLASSES = "class"
ANYWHERE = "\0"
"""Stands for a slice; no name has the character."""


@dataclass(frozen=True, slots=True)
class Instance:
    """An identity at one place: its kind and the keys that take part.

    `kind` is one of equal, le, sum, mean, le_mean, ratio, harmonic, mcc: `monotone`, `falling` and
    `bounds` become `le`, `micro` `equal`, `classes` `mean`, `pooled` `ratio`, `matrix` and `true`
    `sum`. `total` is a key, the text "1", or empty.
    """

    identity: Identity
    kind: str
    terms: tuple[str, ...]
    over: tuple[str, ...] = ()
    total: str = ""


def instances(keys: Iterable[str]) -> Iterator[Instance]:
    """List every identity whose parts are all among `keys`."""
    stated = set(keys)
    known = stated | {"", ONE}
    makers = {
        "monotone": _monotone, "falling": _monotone, "bounds": _bounds, "micro": _micro,
        "classes": _over_classes, "pooled": _over_classes, "matrix": _matrix, "true": _matrix,
    }  # fmt: skip
    alike = _alike(_present(stated), _classes(stated))
    for identity in load().identities:
        make = makers.get(identity.kind, _plain)
        made: dict[int, list[Instance]] = {}
        for (_, part, _), shape in alike:
            if id(shape) not in made:
                made[id(shape)] = list(_made(identity, make, shape))
            for one in made[id(shape)]:
                terms, over, total = _placed(one, part)
                if known.issuperset(terms) and known.issuperset(over) and total in known:
                    yield Instance(identity, one.kind, terms, over, total)


@dataclass(frozen=True, slots=True)
class _Shape:
    """What places have in common that differ in their slice alone: identities are made once."""

    place: Place
    """With a stand-in for a slice `NAME=value`; some identities ask for “all”, or shun folds."""
    metrics: Metrics
    keys: frozenset[str]
    """Of its metrics, at its place."""
    ending: str
    """Of every key at its place."""


def _alike(
    present: Mapping[Place, Metrics], classes: Mapping[str, str]
) -> list[tuple[Place, _Shape]]:
    """Give each place with the shape that it shares with others."""
    shapes: dict[tuple[str, ...], _Shape] = {}
    found = []
    for place, metrics in present.items():
        population, part, statistic = place
        stand_in = ANYWHERE if "=" in part else part
        named = [metric for values in metrics.values() for metric in values.values()]
        alike = (population, stand_in, statistic, *named)
        if alike not in shapes:
            ending = f"|{population}|{stand_in}|{statistic}"
            keys = frozenset(metric + ending for metric in named)
            whole = {**metrics, CLASSES: classes}
            shapes[alike] = _Shape((population, stand_in, statistic), whole, keys, ending)
        found.append((place, shapes[alike]))
    return found


def _made(identity: Identity, make: Maker, shape: _Shape) -> Iterator[Instance]:
    """Make an identity's instances, but those that ask for a metric that is not at the place."""
    if not _carries(identity, shape.place):
        return
    for one in make(identity, shape.place, shape.metrics):
        if all(
            term in shape.keys
            for term in (*one.terms, *one.over, one.total)
            if term.endswith(shape.ending)
        ):
            yield one


def _placed(one: Instance, part: str) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Write a slice where its stand-in is."""
    return (
        tuple([term.replace(ANYWHERE, part) for term in one.terms]),
        tuple([term.replace(ANYWHERE, part) for term in one.over]),
        one.total.replace(ANYWHERE, part),
    )


def _carries(identity: Identity, place: Place) -> bool:
    """Whether an identity holds at a place: a nonlinear one of no number that was averaged."""
    _, part, statistic = place
    if identity.statistics and statistic not in identity.statistics:
        return False
    averaged = part in {"folds", "seeds"} or statistic in {"macro", "micro"}
    return not (identity.nonlinear and averaged)


def _classes(keys: set[str]) -> dict[str, str]:
    """Name the slices `class=c` that any key has."""
    slices = {key.split("|")[2] for key in keys}
    return {part: part for part in sorted(slices) if part.startswith(f"{CLASSES}=")}


def _present(keys: set[str]) -> dict[Place, dict[str, dict[str, str]]]:
    """Group the keys whose statistic carries identities: place → template → parameter → metric."""
    contract = load()
    carrying: dict[str, bool] = {}
    written: dict[str, tuple[str, str] | None] = {}
    found: dict[Place, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for text in sorted(keys):
        metric, population, part, statistic = parts(text)
        if metric not in written:
            written[metric] = _written(contract.find(metric))
        place = written[metric]
        if place is None:
            continue
        if statistic not in carrying:
            carrying[statistic] = contract.statistic(statistic).identities
        if carrying[statistic]:
            template, value = place
            found[population, part, statistic][template][value] = metric
    return found


def _written(metric: MetricId | None) -> tuple[str, str] | None:
    """Give the template and the parameters of a metric, as identities name them."""
    if metric is None:
        return None
    template = metric.template + (f"/{metric.bound}" if metric.bound else "")
    return template, ",".join(metric.parameters.values())


def _term(term: str, place: Place) -> str:
    population, part, statistic = place
    metric, _, rest = term.partition("|")
    if rest:
        population, _, statistic = rest.partition("|")
    return f"{metric}|{population}|{part}|{statistic}"


def _plain(identity: Identity, place: Place, metrics: Metrics) -> Iterator[Instance]:
    first = identity.terms[0]
    notation = load().notation
    needed = notation.of(first)
    if needed and needed[-1].numbered:
        yield from _summed_over_bins(identity, place, metrics)
        return
    if not needed:
        terms = tuple(_term(term, place) for term in identity.terms)
        over = tuple(_term(term, place) for term in identity.over)
        yield Instance(identity, identity.kind, terms, over, _total(identity, {}, place))
        return
    for value in metrics.get(first, {}):
        values = {needed[0].symbol: value}
        yield Instance(
            identity,
            identity.kind,
            tuple(_term(notation.fill(term, values), place) for term in identity.terms),
            tuple(_term(notation.fill(term, values), place) for term in identity.over),
            _total(identity, values, place),
        )


def _total(identity: Identity, values: Mapping[str, str], place: Place) -> str:
    if identity.total in {"", ONE}:
        return identity.total
    return _term(load().notation.fill(identity.total, values), place)


def _summed_over_bins(identity: Identity, place: Place, metrics: Metrics) -> Iterator[Instance]:
    groups: dict[str, list[str]] = defaultdict(list)
    for value, metric in metrics.get(identity.terms[0], {}).items():
        groups[value.rpartition(",")[0]].append(_term(metric, place))
    for terms in groups.values():
        yield Instance(identity, "sum", tuple(terms), (), _total(identity, {}, place))


def _monotone(identity: Identity, place: Place, metrics: Metrics) -> Iterator[Instance]:
    for term in identity.terms:
        present = metrics.get(term, {})
        ordered = sorted(present, key=lambda v: Decimal("inf") if v == "all" else Decimal(v))
        if identity.kind == "falling":
            ordered.reverse()
        if len(ordered) > 1:
            yield Instance(identity, "le", tuple(_term(present[v], place) for v in ordered))


def _bounds(identity: Identity, place: Place, metrics: Metrics) -> Iterator[Instance]:
    low, high = TIE_BOUNDS
    for term in identity.terms:
        for metric in metrics.get(term, {}).values():
            terms = (f"{metric}/{low}", metric, f"{metric}/{high}")
            yield Instance(identity, "le", tuple(_term(one, place) for one in terms))


def _micro(identity: Identity, place: Place, metrics: Metrics) -> Iterator[Instance]:
    population, _, statistic = place
    if statistic != "micro":
        return
    for term in identity.terms:
        for metric in metrics.get(term, {}).values():
            for plain in ("mean", "value"):
                whole = f"{metric}|{population}|all|{plain}"
                yield Instance(identity, "equal", (_term(metric, place), whole))


def _over_classes(identity: Identity, place: Place, metrics: Metrics) -> Iterator[Instance]:
    """Hold a number over all rows against those of every class."""
    population, part, statistic = place
    if part != "all" or not metrics[CLASSES]:
        return

    def everywhere(terms: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(
            _term(one, (population, c, statistic)) for one in terms for c in metrics[CLASSES]
        )

    kind = "mean" if identity.kind == "classes" else "ratio"
    terms, over = everywhere(identity.terms), everywhere(identity.over)
    yield Instance(identity, kind, terms, over, _total(identity, {}, place))


def _matrix(identity: Identity, place: Place, metrics: Metrics) -> Iterator[Instance]:
    """Add up the cells of the confusion matrix, all of them or those of each true class."""
    population, part, statistic = place
    rows: dict[str, list[str]] = defaultdict(list)
    for value, metric in metrics.get(identity.terms[0], {}).items():
        true = value.partition(",")[0]
        where = part if identity.kind == "matrix" else f"{CLASSES}={true}"
        rows[where].append(_term(metric, place))
    if identity.kind == "matrix" or part == "all":
        for where, cells in rows.items():
            total = _total(identity, {}, (population, where, statistic))
            yield Instance(identity, "sum", tuple(cells), (), total)
