"""Seeds (contract, section 18): each repeats the same queries, with the same truth and slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.model.findings import finding

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from crosscheck.checks import Evidence
    from crosscheck.data.rows import Rows
    from crosscheck.model.findings import Finding

TRUTH = {"has_evidence": "label", "label": "label", "gold": "gold", "grades": "grades"}
"""A column that says what is true of a query → how it is called."""
KEYS = ("query_id", "post_id", "criterion_id")


def found(evidence: Evidence) -> Iterator[Finding]:
    """Look for queries that two seeds tell differently, and for those that one lacks."""
    seeds = evidence.facts.get("seeds") or []
    if len(seeds) < 2 or evidence.facts.get("key") == "rows":  # noqa: PLR2004 - one repeats nothing
        return
    rows = evidence.rows
    keys = list(zip(*(rows.texts(name) for name in KEYS if rows.has(name)), strict=True))
    for column in rows.frame.columns:
        called = TRUTH.get(column) or _slice(column)
        if called:
            yield from _differing(evidence, keys, _cells(rows, column), called)
    yield from _lacking(evidence, keys, seeds)


def _slice(column: str) -> str:
    return f"slice {column.removeprefix('slices.')}" if column.startswith("slices.") else ""


def _cells(rows: Rows, column: str) -> list[Hashable]:
    values = rows.frame[column].to_list()
    return [frozenset(map(str, one)) if isinstance(one, list) else one for one in values]


def _differing(
    evidence: Evidence, keys: Sequence[tuple[str, ...]], cells: Sequence[Hashable], called: str
) -> Iterator[Finding]:
    first: dict[tuple[str, ...], int] = {}
    pairs: dict[tuple[str, ...], tuple[int, int]] = {}
    for row, key in enumerate(keys):
        known = first.setdefault(key, row)
        if cells[row] != cells[known]:
            pairs.setdefault(key, (known, row))
    if pairs:
        key, (one, other) = next(iter(pairs.items()))
        seeds = evidence.rows.texts("seed")
        yield finding(
            "XC122",
            f"the {called} of {len(pairs):,} queries is not the same in every seed, first of "
            f"{' / '.join(key)}: {_shown(cells[one])} in seed {seeds[one]}, "
            f"{_shown(cells[other])} in seed {seeds[other]}",
            system=evidence.system,
        )


def _shown(cell: Hashable) -> str:
    return ", ".join(sorted(cell)) or "none" if isinstance(cell, frozenset) else str(cell)


def _lacking(
    evidence: Evidence, keys: Sequence[tuple[str, ...]], seeds: Sequence[str]
) -> Iterator[Finding]:
    every = dict.fromkeys(keys)
    own: dict[str, set[tuple[str, ...]]] = {seed: set() for seed in seeds}
    for key, seed in zip(keys, evidence.rows.texts("seed"), strict=True):
        own[seed].add(key)
    lacking = {
        seed: [key for key in every if key not in known]
        for seed, known in own.items()
        if len(known) < len(every)
    }
    if lacking:
        seed, missing = next(iter(lacking.items()))
        yield finding(
            "XC123",
            f"{len(lacking)} of {len(seeds)} seeds lack queries that another has: seed {seed} "
            f"{len(missing):,} of {len(every):,}, first {' / '.join(missing[0])}",
            system=evidence.system,
        )
