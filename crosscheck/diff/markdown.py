"""What moved, as Markdown: a comment of a pull request, or a step's summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.report.markdown import code, text
from crosscheck.report.printing import percent, signed, value_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.diff.moved import Diff, Event, Moved, Number

MOST = 40
"""Numbers, findings and claims that are listed."""
TURNS = {"better": "better", "worse": "**worse**", "neither": ""}
GONE = "–"


def render(diff: Diff) -> str:
    """Write the answer; one line where nothing moved."""
    blocks = [f"### {headline(diff)}", f"{code(diff.old)} → {code(diff.new)}"]
    if diff.numbers:
        blocks.append(_table(diff.numbers))
    blocks += [text(whole(one)) for one in diff.ledgers if one.is_other]
    for title, how in (("Came", "came"), ("Changed", "changed"), ("Went", "went")):
        events = [one for one in diff.events if one.how == how]
        if events:
            lines = [f"- {text(event(one))}" for one in events[:MOST]]
            blocks += [f"**{title}**", "\n".join([*lines, *_more(len(events))])]
    if diff.behind:
        blocks.append("Behind it: " + text("; ".join(diff.behind[:MOST])))
    return "\n\n".join(blocks) + "\n"


def headline(diff: Diff) -> str:
    """Say in one line what moved."""
    old, new = (one.upper() for one in diff.verdicts)
    verdict = new if old == new else f"{old} → {new}"
    if diff.nothing:
        return f"{verdict}: nothing moved"
    worse = sum(one.turn == "worse" for one in diff.numbers)
    known = [one.beyond for one in diff.numbers if one.beyond is not None]
    parts = [
        f"{len(diff.numbers)} headline number{'s' * (len(diff.numbers) != 1)} moved",
        f"{worse} for the worse",
        f"{sum(known)} beyond their interval" if known else "no intervals to hold them against",
    ]
    return f"{verdict}: {', '.join(parts)}"


def cells(one: Number) -> list[str]:
    """Give a number's cells: what it was, is, by how much, and whether chance could do that."""
    span = {True: "beyond", False: "within", None: ""}[one.beyond]
    return [
        one.name,
        GONE if one.old is None else value_text(one.old),
        GONE if one.new is None else value_text(one.new),
        "" if one.change is None else signed(one.change),
        "" if one.relative is None else percent(one.relative, 1),
        span,
    ]


def whole(one: Moved) -> str:
    """Say how much of a system's whole ledger moved."""
    return (
        f"Whole ledger of {one.system}: {one.moved:,} of {one.same + one.moved:,} numbers moved, "
        f"{one.came:,} came, {one.went:,} went."
    )


def event(one: Event) -> str:
    """Say what became of a finding or a claim."""
    told = " → ".join(part for part in (one.was, one.now) if part)
    return f"{one.what} {one.about}: {told}"


def _table(numbers: Sequence[Number]) -> str:
    several = len({one.system for one in numbers}) > 1
    head = ["metric", "was", "is", "change", "%", "95 % interval", ""]
    rows = [[*map(text, cells(one)), TURNS[one.turn]] for one in numbers[:MOST]]
    if several:
        head = ["system", *head]
        rows = [[text(one.system), *row] for one, row in zip(numbers, rows, strict=False)]
    lines = [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
    return "\n".join([*lines, "", *_more(len(numbers))]).rstrip()


def _more(count: int) -> Iterator[str]:
    if count > MOST:
        yield f"- … and {count - MOST:,} more: `crosscheck diff --format json` has them all"
