"""How a document was understood, as data: each label's meaning, each sentence, what to map."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from pydantic import Field

from crosscheck.claims.accounting import rules
from crosscheck.model.frozen import Model

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crosscheck.claims import Claim
    from crosscheck.claims.reading import Reading

PROSE = "running text"
VALUES = "named values"


class Meant(Model):
    """One label of a table: how many cells it names, and what they were read as."""

    label: str
    cells: int
    meaning: str
    understood: bool
    name: str = Field(description="What `[claims.names]` can map; empty where nothing can be")
    suggestions: list[str] = Field(default=[], description="Metrics that it may mean")


class Said(Model):
    """One number in running text."""

    line: int
    label: str
    printed: str
    meaning: str


class Part(Model):
    """A table, the named values, or the running text of a document."""

    name: str
    title: str
    labels: list[Meant] = Field(default=[])
    subjects: list[str] = Field(default=[], description="Of what the numbers are: systems, data")
    sentences: list[Said] = Field(default=[])


class Rule(Model):
    """Tokens that a stated rule passes over."""

    rule: str
    count: int
    why: str


class Outline(Model):
    """A whole document."""

    file: str
    reader: str
    understood: int
    not_understood: int
    ignored: int
    parts: list[Part]
    rules: list[Rule]
    unnamed: dict[str, str] = Field(description="Name that was not understood → what it may mean")


def outline(reading: Reading, claims: Sequence[Claim]) -> Outline:
    """Say how a file was understood; `claims` are its own, with the authors' help applied."""
    claims = [one for one in claims if not one.rivals]
    known = sum(bool(one.key) for one in claims)
    ignored = Counter(one.rule for one in reading.ignored)
    passed = sum(bool(one.passed) for one in claims)
    why = rules()
    return Outline(
        file=reading.source.file,
        reader=reading.reader,
        understood=known,
        not_understood=len(claims) - known,
        ignored=sum(ignored.values()) + passed,
        parts=[_part(name, some) for name, some in by_part(claims).items()],
        rules=[Rule(rule=one, count=n, why=why[one]) for one, n in ignored.most_common()],
        unnamed={
            one.name: (one.suggestions or ("METRIC",))[0]
            for one in claims
            if one.name and not one.passed and (one.key is None or one.condition) and not one.prose
        },
    )


def by_part(claims: Iterable[Claim]) -> dict[str, list[Claim]]:
    """Put the claims of one table together, those of the running text, and the named values."""
    found: defaultdict[str, list[Claim]] = defaultdict(list)
    for one in claims:
        found[PROSE if one.prose else one.table or VALUES].append(one)
    return dict(found)


def _part(name: str, claims: Sequence[Claim]) -> Part:
    title = claims[0].title if claims[0].table else ""
    if name == PROSE:
        said = [
            Said(line=one.line, label=one.label, printed=one.printed, meaning=one.key or _not(one))
            for one in claims
        ]
        return Part(name=name, title=title, sentences=said)
    groups: defaultdict[tuple[str, str], list[Claim]] = defaultdict(list)
    for one in claims:
        groups[one.name or one.label, meaning(one)].append(one)
    labels = [
        Meant(
            label=label,
            cells=len(some),
            meaning=meant,
            understood=all(one.key or one.passed for one in some),
            name=some[0].name,
            suggestions=list(some[0].suggestions),
        )
        for (label, meant), some in groups.items()
    ]
    subjects = dict.fromkeys(one.subject for one in claims if one.subject)
    return Part(name=name, title=title, labels=labels, subjects=list(subjects))


def meaning(one: Claim) -> str:
    """Say in words what a number was read as."""
    if one.passed:
        return one.passed
    if one.key is None:
        return _not(one)
    if one.role == "setting":
        return f"a setting, no result: {one.key}"
    metric, population, where, statistic = one.key.split("|")
    kind = where.partition("=")[0]
    where = f"{kind}=…" if "=" in where else where
    scale = "either scale" if one.percent is None else "percent" if one.percent else "fraction"
    beside = f", with “{one.condition}” not understood" if one.condition else ""
    return f"{metric} over {population}, {where}, {statistic} ({scale}){beside}"


def _not(one: Claim) -> str:
    return f"not understood: {one.problem}"
