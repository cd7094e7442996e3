"""The identities of section 11 among keys that are present: what a check has to look at."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from crosscheck.contract.ids import TIE_BOUNDS
from crosscheck.contract.loader import load
from crosscheck.model.key import Key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from crosscheck.contract.model import Identity

    Place = tuple[str, str, str]
    Metrics = Mapping[str, Mapping[str, str]]
    """Template → parameter → metric."""

ONE = "1"
CLASSES = "class"


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
    present = _present(stated)
    makers = {
        "monotone": _monotone, "falling": _monotone, "bounds": _bounds, "micro": _micro,
        "classes": _over_classes, "pooled": _over_classes, "matrix": _matrix, "true": _matrix,
    }  # fmt: skip
    classes = _classes(stated)
    for identity in load().identities:
        make = makers.get(identity.kind, _plain)
        for place, metrics in present.items():
            if _carries(identity, place):
                for one in make(identity, place, {**metrics, CLASSES: classes}):
                    if known.issuperset((*one.terms, *one.over, one.total)):
                        yield one


def _carries(identity: Identity, place: Place) -> bool:
    """Whether an identity holds at a place: a nonlinear one of no number that was averaged."""
    _, part, statistic = place
    if identity.statistics and statistic not in identity.statistics:
        return False
    averaged = part in {"folds", "seeds"} or statistic in {"macro", "micro"}
    return not (identity.nonlinear and averaged)


def _classes(keys: set[str]) -> dict[str, str]:
    """Name the slices `class=c` that any key has."""
    parts = {key.split("|")[2] for key in keys}
    return {part: part for part in sorted(parts) if part.startswith(f"{CLASSES}=")}


def _present(keys: set[str]) -> dict[Place, dict[str, dict[str, str]]]:
    """Group the keys whose statistic carries identities: place → template → parameter → metric."""
    contract = load()
    found: dict[Place, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for text in sorted(keys):
        key = Key.parse(text)
        metric = contract.find(key.metric)
        if metric is None or not contract.statistic(key.statistic).identities:
            continue
        value = ",".join(metric.parameters.values())
        template = metric.template + (f"/{metric.bound}" if metric.bound else "")
        place = (key.population, key.slice, key.statistic)
        found[place][template][value] = key.metric
    return found


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
    for value in metrics.get(first, {}) if needed else [""]:
        values = {needed[0].symbol: value} if needed else {}
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
