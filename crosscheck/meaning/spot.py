"""A place that prints numbers, and the claims that its cell makes with what its labels say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crosscheck.contract import load
from crosscheck.notation.claim import Claim
from crosscheck.notation.compose import compose, counts
from crosscheck.notation.pieces import Passed
from crosscheck.notation.source import is_digit
from crosscheck.notation.written import BOLD, NOTHING, UNDERLINE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.notation.claim import Role
    from crosscheck.notation.labels import Label
    from crosscheck.notation.number import Cell, Quantity
    from crosscheck.notation.written import Written

_HALF = "one number under the name of an interval may be its half or its whole width"
_SHOWN = 80
"""Characters of a cell that a message repeats."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a cell stands and what its labels say."""

    file: str
    place: str
    text: str
    label: Label
    folds: bool = False
    """Whether a number without a slice is a mean over repetitions: folds, or seeds."""
    over: str = ""
    """Which of the two, where it is said."""
    table: str = ""
    title: str = ""
    at: tuple[int, int] = (0, 0)
    written: Written = NOTHING
    written_label: str = ""
    """The label that names the metric, as it is written: what the config can map."""
    reference: str = ""
    sizes: tuple[tuple[str, int], ...] = ()


def claims_of(cell: Cell, spot: Spot) -> Iterator[Claim]:
    """Turn each number of a cell into a claim."""
    if cell.blank:
        return
    if not cell.quantities or not cell.understood:
        if any(map(is_digit, cell.text)):
            yield not_understood(spot, cell.text)
        return
    if cell.doubt:
        yield replace(not_understood(spot, cell.text), problem=cell.doubt)
        return
    if cell.several:
        yield from _several(cell, spot)
        return
    spot = replace(spot, folds=spot.folds or cell.spread is not None)
    label = spot.label
    if label.statistic == "ci" and cell.number is not None:
        if cell.low is None:
            yield replace(made(spot, cell.number, "unknown", None), key=None, problem=_HALF)
            return
        label = replace(label, statistic=None)  # `0.82 (0.80–0.84)` under `MRR (95% CI)`
        spot = replace(spot, label=label)
    if cell.before is not None:
        former = replace(label, other=(*label.other, "before"))
        latter = replace(label, other=(*label.other, "after"))
        yield made(replace(spot, label=former), cell.before, *_role(label))
        spot = replace(spot, label=latter)
    if cell.number is not None:
        yield made(spot, cell.number, *_role(label))
    yield from _around(cell, spot)


def _around(cell: Cell, spot: Spot) -> Iterator[Claim]:
    """Give what stands with the number: its spread, interval, change and p-value."""
    if cell.spread is not None:
        yield made(spot, cell.spread, "std", "std")
    if cell.bracket is not None:
        yield replace(
            made(spot, cell.bracket, "unknown", "std"),
            key=None,
            problem="a number in brackets may be a standard deviation, an error or a rank",
            suggestions=(f"{cell.number.text if cell.number else ''} ± {cell.bracket.text}",),
        )
    if cell.low is not None and cell.high is not None:
        yield made(spot, cell.low, "ci_low", "ci_low")
        yield made(spot, cell.high, "ci_high", "ci_high")
    if cell.change is not None:
        yield made(spot, cell.change, "improvement", "improvement")
    if cell.p is not None:
        yield made(spot, cell.p, "p_value", "p/permutation")
    for error in (cell.upper, cell.lower):
        if error is not None:
            yield replace(
                made(spot, error, "unknown", None),
                key=None,
                problem="two different errors may be of an interval or of a deviation",
                suggestions=("give the interval: 0.82 (0.80–0.83)",),
            )


def _several(cell: Cell, spot: Spot) -> Iterator[Claim]:
    """Take `0.82/0.79` under `P/R`: as many numbers as names, else none of them is known."""
    from crosscheck.notation import labels  # noqa: PLC0415 - only cells of several numbers need it

    names = [part.strip() for part in spot.written_label.split("/")]
    inner = [labels.read(name) for name in names]
    if len(names) != len(cell.several) or not all(one.names_metric for one in inner):
        for number in cell.several:
            problem = f"{len(cell.several)} numbers in one cell, and no label that names as many"
            yield replace(made(spot, number, "unknown", None), key=None, problem=problem)
        return
    bare = replace(spot.label, problem=None, suggestions=(), condition=())
    for number, said in zip(cell.several, inner, strict=True):
        yield made(replace(spot, label=bare.plus(said)), number, *_role(said))


def between(written: Written) -> Passed:
    """Pass over what stands between the digits: the code of an escaped sign is no number."""
    found = [
        part
        for at, char in enumerate(written.text)
        if not is_digit(char)
        for part in written.ranges(at, at + 1)
    ]
    return Passed(tuple(found), "mark")


def not_understood(spot: Spot, text: str) -> Claim:
    """Keep a cell that has a digit and is no number that we read."""
    shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return Claim(
        file=spot.file,
        place=spot.place,
        label=spot.text,
        printed=shown,
        role="unknown",
        system=system_of(spot.label),
        table=spot.table,
        title=spot.title,
        at=spot.at,
        problem=f"“{shown}” is not read as a number; write the number alone, or as 0.82 ± 0.03",
        covers=spot.written.ranges(),
        name=spot.written_label,
        reference=spot.reference,
        said=spot.label,
        over_folds=spot.folds,
        over=spot.over,
        dataset=spot.label.dataset,
        split=spot.label.split,
        condition=" / ".join(spot.label.condition),
    )


def _role(label: Label) -> tuple[Role, str | None]:
    if label.change:
        return "improvement", "improvement"
    kind = (label.statistic or "").removesuffix("/population")
    known: tuple[Role, ...] = ("std", "ci_low", "ci_high")
    if kind == "n" and label.metric and load().find(label.metric) and not counts(label.metric):
        return "count", label.statistic
    return next((role for role in known if role == kind), "value"), label.statistic


def made(spot: Spot, number: Quantity, role: Role, statistic: str | None) -> Claim:
    """Make a claim of one number."""
    compared = role in {"improvement", "p_value"}
    label = replace(spot.label, statistic=None if compared else statistic)
    composed = compose(label, folds=spot.folds, over=spot.over)
    key = composed.key
    if compared and key:
        key = f"{key.rpartition('|')[0]}|{statistic}"
    return Claim(
        file=spot.file,
        place=spot.place,
        label=spot.text,
        printed=number.text,
        role=role if key else "unknown",
        number=number,
        system=system_of(label),
        key=key,
        percent=number.percent or (spot.label.percent and role != "p_value"),
        table=spot.table,
        title=spot.title,
        at=spot.at,
        problem=composed.problem,
        suggestions=composed.suggestions,
        covers=spot.written.ranges(*number.span),
        marks=_marks(spot.written, number),
        dataset=label.dataset,
        split=label.split,
        condition=" / ".join(label.condition),
        candidates=composed.candidates,
        change=spot.label.change or ("open" if role == "improvement" else ""),
        against=spot.label.against,
        name=spot.written_label,
        reference=spot.reference,
        said=spot.label,
        over_folds=spot.folds,
        over=spot.over,
        sizes=spot.sizes,
    )


def _marks(written: Written, number: Quantity) -> frozenset[str]:
    span = number.span
    if not written:
        return frozenset()
    flags = {"bold": BOLD, "underline": UNDERLINE}
    return frozenset(name for name, flag in flags.items() if written.is_marked(flag, *span))


def system_of(label: Label) -> str | None:
    """Give the system that a label names."""
    return " / ".join(label.other) or None
