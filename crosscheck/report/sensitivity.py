"""Definition sensitivity: how far each headline number moves under another reading of its name.

The other readings are the contract's named variants, the other population that S0 2.2 or S0 4.1
asks for, the other standard deviation, and the two orders of tied scores. All of them are verified
keys of the ledger: nothing is computed here but the change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck import contract
from crosscheck.contract.naming import name_of, name_of_key
from crosscheck.model.key import Key
from crosscheck.report.view import ConflictView, Sensitivity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crosscheck.contract import MetricId
    from crosscheck.report.results import TableSource

    Value = int | float

SHOWN = ("10", "all")
"""Cut-offs that stand for the others: the direction of a definition's effect is the same."""

POPULATIONS = {
    "positives_only": ("all_queries", "Queries without gold count as 0.", "S0 2.2"),
    "all_queries": ("pairs", "Over (query, candidate) pairs, by ranking score.", "S0 4.1"),
}
"""Headline population → the other one, in words, and who asks for it."""


def sensitivity(source: TableSource) -> list[Sensitivity]:
    """Every headline number beside what other definitions give on this data."""
    found: list[Sensitivity] = []
    spread: set[str] = set()
    for text in contract.headline_keys(source.facts, source.settings):
        key = Key.parse(text)
        metric = contract.load().metric(key.metric)
        at = metric.parameters.get("K")
        if key.slice not in ("all", "folds") or (at is not None and at not in SHOWN):
            continue
        if text not in source.ledger:
            continue
        if key.slice == "all":
            found += _readings(source.ledger, key, metric)
        elif key.population not in spread:
            # n against n − 1 moves every metric by the same share: one of each population shows it.
            spread.add(key.population)
            found += _spread(source.ledger, key)
    fit = source.words.fit
    return [one.model_copy(update={"alternative": fit(one.alternative)}) for one in found]


def _readings(ledger: Mapping[str, Value], key: Key, metric: MetricId) -> Iterator[Sensitivity]:
    yield from _variants(ledger, key, metric)
    yield from _cut_off(ledger, key, metric)
    yield from _population(ledger, key)
    yield from _ties(ledger, key)


def _variants(ledger: Mapping[str, Value], key: Key, metric: MetricId) -> Iterator[Sensitivity]:
    """Take the variants over the whole data set; each has its own population and statistic."""
    own = metric.variant.id if metric.variant else ""
    for variant in metric.metric.variants:
        name = f"{key.metric.split('/', 1)[0]}/{variant.id}"
        place = _stated(ledger, name, key.population)
        if variant.id == own or place is None:
            continue
        sources = metric.metric.sources(variant.id)
        yield _line(ledger, key, place, variant.definition, ", ".join(sources))


def _stated(ledger: Mapping[str, Value], metric: str, population: str) -> str | None:
    others = (name for name in ("positives_only", "all_queries", "posts") if name != population)
    for name in (population, *others):
        for statistic in ("mean", "value"):
            text = f"{metric}|{name}|all|{statistic}"
            if text in ledger:
                return text
    return None


def _cut_off(ledger: Mapping[str, Value], key: Key, metric: MetricId) -> Iterator[Sensitivity]:
    """Compare the reciprocal rank without a cut-off with the one at 10 (S0 1.3)."""
    other = str(Key("mrr@10", key.population, "all", "mean"))
    if metric.text == "mrr@all" and other in ledger:
        yield _line(ledger, key, other, "0 if no gold is among the first 10.", "S0 1.3")


def _population(ledger: Mapping[str, Value], key: Key) -> Iterator[Sensitivity]:
    if key.population not in POPULATIONS:
        return
    population, words, asked = POPULATIONS[key.population]
    other = str(Key(key.metric, population, key.slice, key.statistic))
    if other in ledger:
        yield _line(ledger, key, other, words, asked)


def _ties(ledger: Mapping[str, Value], key: Key) -> Iterator[Sensitivity]:
    for bound, words in (("tie_low", "Worst"), ("tie_high", "Best")):
        other = str(Key(f"{key.metric}/{bound}", key.population, "all", "mean"))
        if other in ledger and ledger[other] != ledger[str(key)]:
            yield _line(ledger, key, other, f"{words} order of equal scores.", "contract 3")


def _spread(ledger: Mapping[str, Value], key: Key) -> Iterator[Sensitivity]:
    """Compare the standard deviation over folds with n − 1 and with n in the denominator."""
    std = Key(key.metric, key.population, "folds", "std")
    other = Key(key.metric, key.population, "folds", "std/population")
    if str(std) in ledger and str(other) in ledger and ledger[str(std)]:
        yield _line(ledger, std, str(other), "n instead of n − 1 folds in the denominator.", "S1 6")


def _line(
    ledger: Mapping[str, Value], key: Key, other: str, words: str, source: str
) -> Sensitivity:
    value, alternative = ledger[str(key)], ledger[other]
    folds = key.slice == "folds"
    return Sensitivity(
        metric=f"{name_of(key.metric)}, std over folds" if folds else name_of_key(key),
        key=str(key),
        value=value,
        alternative=words,
        source=source,
        alternative_value=alternative,
        change=100 * (alternative - value) / value if value else None,
    )


def conflicts() -> list[ConflictView]:
    """Where the source documents contradict each other, from the contract's own list."""
    whole = contract.load()
    found = []
    for conflict in whole.conflicts:
        says: dict[str, str] = {}
        for source, text in whole.positions(conflict):
            says[source] = f"{says[source]}; {text}" if source in says else text
        metrics = [conflict.metric] if conflict.metric else list(conflict.metrics)
        found.append(
            ConflictView(
                topic=conflict.question,
                metrics=metrics,
                says=says,
                decided=conflict.decision,
                reason=conflict.reason,
            )
        )
    return found
