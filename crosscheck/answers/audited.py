"""A document audited by its own digits, as data: the verdict, its findings, what was left open."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from crosscheck.answers.outline import Outline, outline
from crosscheck.audit import Audit, audit
from crosscheck.claims import Help, examine, helped
from crosscheck.model.frozen import Model

if TYPE_CHECKING:
    from pathlib import Path

    from crosscheck.audit.verdicts import TableFinding
    from crosscheck.claims import Claim
    from crosscheck.claims.reading import Reading

Verdict = Literal[
    "impossible", "nothing could be checked", "possible, with reservations", "possible"
]


@dataclass(frozen=True, slots=True)
class Given:
    """What the reader of a document knows besides it."""

    help: Help = field(default_factory=Help)
    n: int | None = None
    folds: int | None = None
    fold_sizes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Examined:
    """A document as it was read, and what the audit made of it."""

    path: Path
    reading: Reading
    claims: tuple[Claim, ...]
    """With the authors' help applied."""
    unread: tuple[Claim, ...]
    audit: Audit

    @property
    def outline(self) -> Outline:
        """How it was understood."""
        return outline(self.reading, self.claims)

    @property
    def verdict(self) -> Verdict:
        """What its own digits say about it, in a word."""
        if self.audit.violated:
            return "impossible"
        if not self.audit.checked:
            return "nothing could be checked"
        mixed = any(found.severity == "advice" for found in self.audit.findings)
        return "possible, with reservations" if mixed else "possible"


def examined(path: Path, given: Given) -> Examined:
    """Read a document and audit it."""
    reading = examine(path)
    stated = tuple(helped(reading.claims, given.help))
    claims = [claim for claim in stated if claim.number is not None and not claim.passed]
    found = audit(
        claims,
        n=given.n,
        folds=given.folds,
        fold_sizes=given.fold_sizes,
        text=reading.source.text,
    )
    return Examined(path, reading, stated, tuple(filter(_is_unread, stated)), found)


def _is_unread(one: Claim) -> bool:
    """Whether a claim is a number that was not read as one: `1e999999999`, NaN, `0.8 or so`."""
    return one.number is None and one.role == "unknown" and not one.passed and not one.rivals


class Open(Model):
    """A number that was not checked, and why."""

    place: str
    printed: str
    reason: str


class Involved(Model):
    """A cell that a finding is about."""

    place: str
    label: str
    printed: str
    key: str | None


class Found(Model):
    """One finding of the audit."""

    rule: str
    title: str
    severity: Literal["error", "advice"]
    message: str
    only_if: str = Field(description="What would have to be true for it to be a contradiction")
    worked: str = Field(description="The proof as one line of arithmetic")
    possible: str
    explanations: list[str]
    remedy: str
    cells: list[Involved]


class Audited(Model):
    """What `crosscheck claims --json` prints of a file."""

    file: str
    verdict: Verdict
    numbers: int
    checked: int
    violated: int
    unverifiable: list[Open]
    unread: list[Open]
    findings: list[Found]
    notes: list[str]


def as_data(one: Examined) -> Audited:
    """Give an audit as plain data."""
    return Audited(
        file=str(one.path),
        verdict=one.verdict,
        numbers=len(one.audit.claims) + len(one.unread),
        checked=len(one.audit.checked),
        violated=len(one.audit.violated),
        unverifiable=[
            Open(place=claim.place, printed=claim.printed, reason=reason)
            for claim, reason in one.audit.unverifiable
        ],
        unread=[
            Open(place=claim.where, printed=claim.printed, reason=claim.problem or "")
            for claim in one.unread
        ],
        findings=[_found(each) for each in one.audit.findings],
        notes=list(one.audit.notes),
    )


def _found(one: TableFinding) -> Found:
    return Found(
        rule=one.rule,
        title=one.title,
        severity=one.severity,
        message=one.sentence,
        only_if=one.only_if,
        worked=one.worked,
        possible=one.possible,
        explanations=list(one.explanations),
        remedy=one.remedy,
        cells=[
            Involved(place=c.place, label=c.label, printed=c.printed, key=c.key) for c in one.cells
        ],
    )
