"""A document cell by cell: what became of each number, and why.

Every table, named value and sentence is a sheet of cells; a cell's numbers have each a state. The
tokens come from the text itself, so a number that nobody read is on a sheet of its own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from crosscheck.answers.outline import PROSE, VALUES, meaning
from crosscheck.claims.accounting import account, rules
from crosscheck.model.frozen import Model
from crosscheck.notation.pieces import Leaf, Printed, Sentence, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.answers.audited import Examined
    from crosscheck.claims import Claim
    from crosscheck.claims.accounting import Entry
    from crosscheck.notation.written import Written

State = Literal[
    "impossible", "involved", "doubtful", "unread", "uncheckable", "consistent", "ignored"
]
"""The worst first: a cell is what the worst of its numbers is."""
WORST: tuple[State, ...] = (
    "impossible", "involved", "doubtful", "unread", "uncheckable", "consistent", "ignored",
)  # fmt: skip
ELSEWHERE = "in no table, under no name and in no sentence"
HOLDS = "checked against the rest of the document: nothing speaks against it"
SETTING = "a setting or a count, which claims no result"


class Number(Model):
    """One number of the document, and what became of it."""

    printed: str
    label: str
    place: str
    state: State
    meaning: str = Field(description="What it was read as, in words")
    key: str | None = Field(description="The ledger key that it claims")
    reason: str = Field(description="Why it has its state")
    findings: list[int] = Field(description="Which of the findings are about it, from 0")


class Cell(Model):
    """One cell, and which of the numbers stand in it."""

    text: str
    head: bool = False
    state: State | None = None
    numbers: list[int] = Field(default=[])


class Sheet(Model):
    """A table of the document, its named values, or its sentences."""

    kind: Literal["table", "values", "text"]
    name: str
    title: str
    passed: str = Field(description="Why the authors leave it out, where they do")
    rows: list[list[Cell]]


class Sheets(Model):
    """The whole document."""

    sheets: list[Sheet]
    numbers: list[Number]
    counts: dict[State, int]


def sheets(one: Examined) -> Sheets:
    """Lay out a document cell by cell."""
    book = _Book(one)
    found = list(book.sheets())
    found += book.rest()
    counts: dict[State, int] = dict.fromkeys(WORST, 0)
    for number in book.numbers:
        counts[number.state] += 1
    return Sheets(sheets=found, numbers=book.numbers, counts=counts)


class _Book:
    """What became of each token of a document, found by its place."""

    def __init__(self, one: Examined) -> None:
        self.one = one
        self.entries = account(one.reading.source, one.claims, one.reading.passed)
        self.starts = [entry.token.start for entry in self.entries]
        self.numbers: list[Number] = []
        self.known: dict[object, int] = {}
        self.seen: set[int] = set()
        self.blamed, self.beside, self.doubted = _about(one)
        self.checked = {_id(claim) for claim in one.audit.checked}
        self.left = {_id(claim): reason for claim, reason in one.audit.unverifiable}
        self.why = rules()
        self.passed = {c.table: c.passed for c in one.claims if c.table and "table" in c.passed}

    def sheets(self) -> Iterator[Sheet]:
        values: list[list[Cell]] = []
        texts: list[list[Cell]] = []
        for piece in self.one.reading.pieces:
            if isinstance(piece, Table):
                yield self.table(piece)
            elif isinstance(piece, Leaf):
                values.append(
                    [Cell(text=" / ".join(piece.path), head=True), self.cell(piece.value)]
                )
            elif isinstance(piece, Printed):
                values.append([Cell(text=piece.name.text, head=True), self.cell(piece.value)])
            elif isinstance(piece, Sentence):
                cell = self.cell(piece.written)
                texts += [[cell]] if cell.numbers else []
        if values:
            yield Sheet(kind="values", name=VALUES, title="", passed="", rows=values)
        if texts:
            yield Sheet(kind="text", name=PROSE, title="", passed="", rows=texts)

    def table(self, table: Table) -> Sheet:
        rows = [
            [
                self.cell(cell, head=at < table.header or not column)
                for column, cell in enumerate(row)
            ]
            for at, row in enumerate(table.cells)
        ]
        title = table.caption.text or table.title
        passed = self.passed.get(table.name, "")
        return Sheet(kind="table", name=table.name, title=title, passed=passed, rows=rows)

    def cell(self, written: Written, *, head: bool = False) -> Cell:
        found = dict.fromkeys(number for entry in self.within(written) for number in self.of(entry))
        states = [self.numbers[at].state for at in found]
        worst = min(states, key=WORST.index, default=None)
        return Cell(text=written.text, head=head, state=worst, numbers=list(found))

    def within(self, written: Written) -> Iterator[Entry]:
        for low, high in written.ranges():
            at = bisect_left(self.starts, low)
            if at and self.entries[at - 1].token.end > low:
                at -= 1
            while at < len(self.entries) and self.starts[at] < high:
                self.seen.add(at)
                yield self.entries[at]
                at += 1

    def of(self, entry: Entry) -> Iterator[int]:
        """Give the numbers of a token, each made once."""
        if not entry.claims:
            token = entry.token
            yield self._add(token, lambda: _ignored(entry, self.why[entry.rule]))
            return
        for claim in entry.claims:
            told = _id(claim) in self.blamed or _id(claim) in self.beside
            if not claim.rivals or told or _id(claim) in self.doubted:
                yield self._add(_id(claim), lambda claim=claim: self.number(claim))

    def _add(self, what: object, make: object) -> int:
        if what not in self.known:
            self.known[what] = len(self.numbers)
            self.numbers.append(make())  # type: ignore[operator] # a function without arguments
        return self.known[what]

    def number(self, claim: Claim) -> Number:
        state, reason = self.state(claim)
        which = _id(claim)
        findings = {*self.blamed[which], *self.beside[which], *self.doubted[which]}
        return Number(
            printed=claim.printed,
            label=claim.label,
            place=claim.where,
            state=state,
            meaning=meaning(claim) if claim.key else "",
            key=claim.key,
            reason=reason,
            findings=sorted(findings),
        )

    def state(self, claim: Claim) -> tuple[State, str]:
        """Say what became of a number, and why."""
        which = _id(claim)
        findings = self.one.audit.findings
        if claim.passed:
            return "ignored", claim.passed
        for state, found in (
            ("impossible", self.blamed), ("involved", self.beside), ("doubtful", self.doubted),
        ):  # fmt: skip
            if found[which]:
                return state, findings[min(found[which])].sentence  # type: ignore[return-value] # as listed
        if which in self.checked:
            return "consistent", HOLDS
        if claim.role in ("setting", "count"):
            return "ignored", SETTING
        reason = self.left.get(which) or claim.problem or "nothing in the document bears on it"
        return ("uncheckable" if claim.key else "unread"), reason

    def rest(self) -> list[Sheet]:
        """Give the numbers that stand on no sheet: what nobody read must show too."""
        left = [entry for at, entry in enumerate(self.entries) if at not in self.seen]
        rows = []
        for entry in left:
            for at in self.of(entry) if entry.claims else ():
                one = self.numbers[at]
                rows.append([Cell(text=one.printed, state=one.state, numbers=[at])])
        if not rows:
            return []
        return [Sheet(kind="text", name=ELSEWHERE, title="", passed="", rows=rows)]


def _id(claim: Claim) -> tuple[object, ...]:
    """Name a claim by where it stands: the audit may have read its label in another way."""
    return claim.covers, claim.place, claim.printed, bool(claim.rivals)


def _same(one: Claim, other: Claim) -> bool:
    """Whether two cells say the same, be it in two tables."""
    return (one.key, one.role, one.printed) == (other.key, other.role, other.printed)


def _ignored(entry: Entry, why: str) -> Number:
    token = entry.token
    return Number(
        printed=token.text,
        label="",
        place=f"line {token.line}, column {token.column}",
        state="ignored",
        meaning="",
        key=None,
        reason=f"{entry.rule}: {why}",
        findings=[],
    )


_Places = defaultdict[tuple[object, ...], set[int]]


def _about(one: Examined) -> tuple[_Places, _Places, _Places]:
    """Tell of each cell which findings blame it, take it along, or doubt it."""
    blamed, beside, doubted = (_Places(set) for _ in range(3))
    for at, found in enumerate(one.audit.findings):
        for cell in (*found.cells, *found.also):
            if found.severity == "advice":
                doubted[_id(cell)].add(at)
            elif found.suspect is None or _same(cell, found.suspect):
                blamed[_id(cell)].add(at)
            else:
                beside[_id(cell)].add(at)
    return blamed, beside, doubted
