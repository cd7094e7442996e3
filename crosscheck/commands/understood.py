"""`crosscheck claims FILE --explain-reading`: each table as it was understood, and what to map."""

from __future__ import annotations

import json
import textwrap
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from crosscheck.claims.accounting import rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from crosscheck.claims import Claim
    from crosscheck.claims.reading import Reading

WIDTH = 96
MOST = 12
"""Systems, sentences and lines to paste that are listed."""


def lines(reading: Reading, claims: Sequence[Claim]) -> Iterator[str]:
    """Write how a file was understood; `claims` are its own, with the authors' help applied."""
    claims = [one for one in claims if not one.rivals]
    known = [one for one in claims if one.key]
    ignored = Counter(one.rule for one in reading.ignored)
    passed = sum(bool(one.passed) for one in claims)
    yield (
        f"{reading.source.file}: {len(known):,} numbers understood, "
        f"{len(claims) - len(known):,} not, {sum(ignored.values()) + passed:,} ignored"
    )
    for name, some in _tables(claims).items():
        yield ""
        yield from _table(name, some)
    if ignored:
        yield ""
        why = rules()
        for rule, count in ignored.most_common():
            yield from _wrapped(f"ignored: {count:,} × {rule}: {why[rule]}", "")
    yield from _paste(claims)


def _tables(claims: Iterable[Claim]) -> dict[str, list[Claim]]:
    found: defaultdict[str, list[Claim]] = defaultdict(list)
    for one in claims:
        found["running text" if one.prose else one.table or "named values"].append(one)
    return dict(found)


def _table(name: str, claims: Sequence[Claim]) -> Iterator[str]:
    """Say what each label means, and of what the numbers are."""
    title = claims[0].title if claims[0].table else ""
    yield from _wrapped(f"{name}{f': {title}' if title else ''}", "")
    if name == "running text":
        for one in claims[:MOST]:
            meant = one.key or f"not understood: {one.problem}"
            yield from _wrapped(f"line {one.line}: “{one.label}”, {one.printed}: {meant}", "  ")
        yield from _more(len(claims) - MOST)
        return
    groups: defaultdict[tuple[str, str], int] = defaultdict(int)
    for one in claims:
        groups[one.name or one.label, _meaning(one)] += 1
    for (label, meant), count in groups.items():
        cells = f"{count} cell{'s' if count > 1 else ''}"
        yield from _wrapped(f"“{label}”, {cells}: {meant}", "  ")
    subjects = list(dict.fromkeys(one.subject for one in claims if one.subject))
    if subjects:
        more = f" … and {len(subjects) - MOST} more" if len(subjects) > MOST else ""
        yield from _wrapped(f"of: {'; '.join(subjects[:MOST])}{more}", "  ")


def _meaning(one: Claim) -> str:
    if one.passed:
        return one.passed
    if one.key is None:
        return f"not understood: {one.problem}"
    metric, population, where, statistic = one.key.split("|")
    kind = where.partition("=")[0]
    where = f"{kind}=…" if "=" in where else where
    scale = "either scale" if one.percent is None else "percent" if one.percent else "fraction"
    beside = f", with “{one.condition}” not understood" if one.condition else ""
    return f"{metric} over {population}, {where}, {statistic} ({scale}){beside}"


def _paste(claims: Sequence[Claim]) -> Iterator[str]:
    """Give the lines that would name what was not understood."""
    names = {
        one.name: (one.suggestions or ("METRIC",))[0]
        for one in claims
        if one.name and not one.passed and (one.key is None or one.condition) and not one.prose
    }
    if not names:
        return
    yield ""
    yield "to name what was not understood, in crosscheck.toml:"
    yield "[claims.names]"
    for name, meant in list(names.items())[:MOST]:
        yield f"{json.dumps(name, ensure_ascii=False)} = {json.dumps(meant)}"
    yield from _more(len(names) - MOST)
    yield "or, where it is no claim:"
    yield "[[claims.ignore]]"
    yield f"pattern = {json.dumps(next(iter(names)), ensure_ascii=False)}"
    yield 'reason = "…"'


def _more(count: int) -> Iterator[str]:
    if count > 0:
        yield f"  … and {count:,} more"


def _wrapped(text: str, lead: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=lead, subsequent_indent=f"{lead}    ", break_on_hyphens=False
    )
