"""Two reports held against each other: numbers, findings, claims, and what lies behind them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeVar

from pydantic import Field

from crosscheck.contract import load
from crosscheck.model.frozen import Model, Value
from crosscheck.model.key import Key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from crosscheck.diff.stored import Stored
    from crosscheck.model.findings import Finding
    from crosscheck.report.view import ClaimView, Report, RowView

T = TypeVar("T")
Turn = Literal["better", "worse", "neither"]


class Number(Model):
    """A headline number that is not what it was; `old` or `new` is None where there is none."""

    system: str
    key: str
    name: str
    old: Value | None
    new: Value | None
    change: float | None = Field(default=None, description="new − old")
    relative: float | None = Field(default=None, description="Of the old value's size")
    low: Value | None = Field(default=None, description="The old value's 95 % interval")
    high: Value | None = None
    beyond: bool | None = Field(
        default=None, description="Whether the new value lies outside the old one's interval"
    )
    turn: Turn = "neither"


class Moved(Model):
    """How many keys of a system's whole ledger are not what they were."""

    system: str
    same: int
    moved: int
    came: int
    went: int

    @property
    def is_other(self) -> bool:
        """Whether any key is not what it was."""
        return bool(self.moved or self.came or self.went)


class Event(Model):
    """A finding or a claim that came, went, or is now another."""

    what: Literal["finding", "claim"]
    how: Literal["came", "went", "changed"]
    about: str
    was: str | None = None
    now: str | None = None
    error: bool = Field(description="Whether it is an open error, or a claim that does not hold")


class Diff(Model):
    """What moved between two reports."""

    old: str
    new: str
    verdicts: tuple[str, str]
    numbers: list[Number]
    ledgers: list[Moved]
    events: list[Event]
    behind: list[str] = Field(description="Inputs, policy, contract and versions that changed")

    @property
    def nothing(self) -> bool:
        """Whether no number, finding, claim or verdict is another."""
        keys = any(one.is_other for one in self.ledgers)
        return not (self.numbers or self.events or keys or self.verdicts[0] != self.verdicts[1])

    def regressions(self, share: float) -> list[Number]:
        """Give the headline numbers that are worse by more than a share of what they were.

        From 0, and from or to what is infinite, every change for the worse is more; and a number
        that is gone is one that nobody can hold to what it was.
        """
        return [
            one
            for one in self.numbers
            if one.new is None
            or (one.turn == "worse" and (one.relative is None or abs(one.relative) > share))
        ]


def compare(old: Stored, new: Stored) -> Diff:
    """Say everything that is not as it was; the only system of each side is one system."""
    renamed = _renamed(old, new)
    if renamed:
        old = _called(old, new.report.systems[0].name)
    return Diff(
        old=old.name,
        new=new.name,
        verdicts=(old.report.verdict, new.report.verdict),
        numbers=list(_numbers(old.report, new.report)),
        ledgers=list(_ledgers(old.ledgers, new.ledgers)),
        events=[*_findings(old.report, new.report), *_claims(old.report, new.report)],
        behind=[*renamed, *_behind(old.report, new.report)],
    )


def _renamed(old: Stored, new: Stored) -> list[str]:
    """Say that the only system goes by another name: most are named after their file."""
    names = [[system.name for system in one.report.systems] for one in (old, new)]
    if names[0] == names[1] or any(len(each) != 1 for each in names):
        return []
    return [f"system: {names[0][0]} → {names[1][0]}"]


def _called(stored: Stored, name: str) -> Stored:
    """Give a report of one system under another name."""
    report = stored.report
    [system] = report.systems
    findings = [
        one.model_copy(update={"system": name}) if one.system == system.name else one
        for one in report.findings
    ]
    changed = {"systems": [system.model_copy(update={"name": name})], "findings": findings}
    [known] = stored.ledgers.values()
    return replace(stored, report=report.model_copy(update=changed), ledgers={name: known})


def _numbers(old: Report, new: Report) -> Iterator[Number]:
    was, now = _headline(old), _headline(new)
    for (system, key), row in was.items():
        later = now.get((system, key))
        if later is None:
            yield Number(system=system, key=key, name=row.name, old=row.value, new=None)
        elif later.value != row.value:
            yield _number(system, row, later)
    for (system, key), row in now.items():
        if (system, key) not in was:
            yield Number(system=system, key=key, name=row.name, old=None, new=row.value)


def _headline(report: Report) -> dict[tuple[str, str], RowView]:
    return {(one.name, row.key): row for one in report.systems for row in one.headline}


def _number(system: str, first: RowView, second: RowView) -> Number:
    span = first.intervals[0] if first.intervals else None
    change = second.value - first.value if math.isfinite(first.value - second.value) else None
    return Number(
        system=system,
        key=second.key,
        name=second.name,
        old=first.value,
        new=second.value,
        change=change,
        relative=change / abs(first.value) if change is not None and first.value else None,
        low=span.low if span else None,
        high=span.high if span else None,
        beyond=not span.low <= second.value <= span.high if span else None,
        turn=_turn(second.key, first.value, second.value),
    )


def _turn(key: str, old: float, new: float) -> Turn:
    found = load().find(Key.parse(key).metric)
    direction = found.metric.direction if found else "neither"
    if direction == "neither":
        return "neither"
    return "better" if (new > old) == (direction == "higher") else "worse"


def _ledgers(
    old: dict[str, dict[str, int | float]], new: dict[str, dict[str, int | float]]
) -> Iterator[Moved]:
    for system in dict.fromkeys((*old, *new)):
        was, now = old.get(system, {}), new.get(system, {})
        both = was.keys() & now.keys()
        moved = sum(was[key] != now[key] for key in both)
        yield Moved(
            system=system,
            same=len(both) - moved,
            moved=moved,
            came=len(now.keys() - both),
            went=len(was.keys() - both),
        )


def _findings(old: Report, new: Report) -> Iterator[Event]:
    """Match findings by rule, system, key and place: their words hold numbers, which move."""

    def place(one: Finding) -> tuple[Any, ...]:
        return one.rule, one.system, one.key, one.place, one.waived is None

    for how, one, _ in _paired(old.findings, new.findings, place):
        if how != "changed":
            about = f"{one.rule} {one.title}" + (f" ({one.system})" if one.system else "")
            told = one.message + (f" Waived: {one.waived}" if one.waived is not None else "")
            yield Event(
                what="finding",
                how=how,
                about=about,
                was=told if how == "went" else None,
                now=told if how == "came" else None,
                error=one.severity == "error" and one.waived is None,
            )


def _claims(old: Report, new: Report) -> Iterator[Event]:
    """Match claims by what they speak of, in the same file."""

    def place(one: tuple[str, ClaimView]) -> tuple[Any, ...]:
        return one[0], one[1].file, one[1].label, one[1].key, one[1].role, one[1].dataset

    def told(one: ClaimView) -> str:
        return f"{one.printed}: {one.status}"

    for how, (system, one), other in _paired(_claimed(old), _claimed(new), place):
        later = other[1] if other else one
        if how == "changed" and told(one) == told(later):
            continue
        yield Event(
            what="claim",
            how=how,
            about=f"{one.label} ({system}, {later.file or later.place})",
            was=None if how == "came" else told(one),
            now=None if how == "went" else told(later),
            error=how != "went" and later.status in ("wrong", "unverified"),
        )


def _claimed(report: Report) -> list[tuple[str, ClaimView]]:
    return [(system.name, one) for system in report.systems for one in system.claims]


def _paired(
    old: Iterable[T], new: Iterable[T], place: Callable[[T], tuple[Any, ...]]
) -> Iterator[tuple[Literal["came", "went", "changed"], T, T | None]]:
    """Put what stands at one place together, the first with the first."""
    waiting: dict[tuple[Any, ...], list[T]] = {}
    for one in old:
        waiting.setdefault(place(one), []).append(one)
    for one in new:
        same = waiting.get(place(one))
        if same:
            yield "changed", same.pop(0), one
        else:
            yield "came", one, None
    for rest in waiting.values():
        for one in rest:
            yield "went", one, None


def _behind(old: Report, new: Report) -> Iterator[str]:
    """Name what the numbers were computed from and with, where it is another."""
    was, now = old.provenance, new.provenance
    yield from _changed("input", *({f.path: f.sha256 for f in p.inputs} for p in (was, now)))
    if was.policy.sha256 != now.policy.sha256:
        yield f"policy: {was.policy.name} → {now.policy.name}"
    if was.contract_sha256 != now.contract_sha256:
        yield "the contract"
    for name in dict.fromkeys((*was.versions, *now.versions)):
        first, second = was.versions.get(name, "none"), now.versions.get(name, "none")
        if first != second:
            yield f"{name}: {first} → {second}"


def _changed(what: str, was: dict[str, str], now: dict[str, str]) -> Iterator[str]:
    for name in dict.fromkeys((*was, *now)):
        if was.get(name) != now.get(name):
            how = "new" if name not in was else "gone" if name not in now else "changed"
            yield f"{what} {name}: {how}"
