"""Put a data set before every witness and say where two of them part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from crosscheck.contract import keys_owed, load
from crosscheck.data import door
from crosscheck.data.case import Case
from crosscheck.model.ledgers import compare, structure
from crosscheck.system import scratch
from crosscheck.witnesses import Silence, Testimony
from crosscheck.witnesses.tasks import ask

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from crosscheck.fuzz.dataset import DataSet
    from crosscheck.witnesses import Answer, Witness

IN_OWN_WORDS = "missing"
"""The one fact that each implementation states in its own words (docs/interface.md)."""

Kind = Literal["value", "key", "type", "fact", "refusal", "silence"]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One point on which a witness departs from one that was heard before it."""

    kind: Kind
    accused: str
    beside: str
    metric: str
    """The metric as the contract lists it, such as `map@K`; a fact's name; or the error."""
    key: str
    says: Mapping[str, object]
    """Witness → its answer."""

    @property
    def signature(self) -> tuple[str, str, str]:
        """What makes two disagreements the same bug: who, how, and about which metric."""
        return self.accused, self.kind, self.metric


def disagreements(
    data: DataSet, witnesses: Sequence[Witness], about: str | None = None
) -> list[Disagreement]:
    """Ask every witness about the data, or about one metric alone, and compare each pair."""
    with scratch("fuzz") as folder:
        case = case_of(data, folder)
        if about is not None:
            case = replace(case, owed=tuple(key for key in case.owed if _template(key) == about))
        heard = {witness.name: ask(witness.testify, case) for witness in witnesses}
    spoken = {name: one for name, one in heard.items() if isinstance(one, Testimony)}
    kinds = {witness.name: witness.kind for witness in witnesses}
    implementations = [name for name in spoken if kinds[name] == "implementation"]
    return [
        *_silences(heard),
        *([] if about else _structures(case, spoken, implementations)),
        *_facts(spoken, implementations),
        *_values(spoken),
    ]


def case_of(data: DataSet, folder: Path) -> Case:
    """Describe the data as the gate does; what the primary refuses owes nothing."""
    place = data.place(folder)
    try:
        facts = door.primary.describe(place, data.settings)
    except door.primary.InputError:
        return Case("fuzz", place, data.settings, {}, ())
    return Case("fuzz", place, data.settings, facts, tuple(keys_owed(facts, data.settings)))


def _silences(heard: dict[str, Answer]) -> Iterator[Disagreement]:
    """Find who falls silent, or refuses, where somebody answers."""
    spoken = [name for name, answer in heard.items() if isinstance(answer, Testimony)]
    for name, answer in heard.items():
        if isinstance(answer, Silence) and spoken:
            kind: Kind = "refusal" if answer.refused else "silence"
            error = "" if answer.refused else answer.reason.partition(":")[0]
            says = {name: answer.reason, spoken[0]: "an answer"}
            yield Disagreement(kind, name, spoken[0], error, "", says)


def _structures(
    case: Case, spoken: dict[str, Testimony], implementations: list[str]
) -> Iterator[Disagreement]:
    """Find keys that an implementation misses or adds, and values of the wrong type."""
    contract = load()
    due = set(case.owed)
    for name in implementations if due else []:
        found = structure(spoken[name].ledger)
        for key in dict.fromkeys([*case.owed, *found]):
            owed = key in due
            if owed != (key in found):
                says = {name: spoken[name].ledger.get(key), "the contract": owed and "owed"}
                yield Disagreement("key", name, "the contract", _template(key), key, says)
            elif found[key] != ("int" if contract.kind_of(key) == "integer" else "float"):
                says = {name: spoken[name].ledger[key], "the contract": contract.kind_of(key)}
                yield Disagreement("type", name, "the contract", _template(key), key, says)


def _facts(spoken: dict[str, Testimony], implementations: list[str]) -> Iterator[Disagreement]:
    for first, second in combinations(implementations, 2):
        ours, theirs = spoken[first].facts or {}, spoken[second].facts or {}
        for name in dict.fromkeys([*ours, *theirs]):
            if name != IN_OWN_WORDS and ours.get(name) != theirs.get(name):
                says = {first: ours.get(name), second: theirs.get(name)}
                yield Disagreement("fact", second, first, name, "", says)


def _values(spoken: dict[str, Testimony]) -> Iterator[Disagreement]:
    """Compare every pair; who already departs on a key is not held against others."""
    accused: set[tuple[str, str]] = set()
    for (first, ours), (second, theirs) in combinations(spoken.items(), 2):
        for one in compare((first, second), ours.ledger, theirs.ledger).differences:
            if (first, one.key) in accused or (second, one.key) in accused:
                continue
            accused.add((second, one.key))
            says = {
                name: testimony.ledger[one.key]
                for name, testimony in spoken.items()
                if one.key in testimony.ledger
            }
            yield Disagreement("value", second, first, _template(one.key), one.key, says)


def _template(key: str) -> str:
    metric = key.partition("|")[0]
    found = load().find(metric)
    return found.template if found else metric
