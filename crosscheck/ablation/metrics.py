"""The columns of the ablation table: which numbers are compared, as base keys.

A headline metric has a paired interval and a test (contract, section 10); any other number of the
ledger can stand in the table too, with its values and their differences alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.contract import headline_keys, load, read_name
from crosscheck.errors import UserError
from crosscheck.model.key import Key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from crosscheck.data.case import Case

S4_TABLE = ("ndcg@10", "auroc", "recall@10", "evidence_recall", "alert_precision")
"""The table of S4 8.1. Its “Evidence Recall@10” is recall@10 (S4 7.2); evidence recall at the
selected K stands beside it, since S4 A.3 asks for it as soon as K is dynamic."""

HEADLINE = "headline"
"""The word that asks for every headline metric."""

PLAIN = ("mean", "value", "n")
"""Statistics that a table shows unless a whole key asks for another."""

PARTS = ("population", "slice", "statistic")
"""What may follow a metric in a written key."""


@dataclass(frozen=True, slots=True)
class AblationColumn:
    """One number of the table, and whether the contract gives it an interval and a test."""

    key: str
    tested: bool


@dataclass(frozen=True, slots=True)
class _Asked:
    """A number as it was asked for; what was left open is None."""

    written: str
    metric: str
    population: str | None = None
    slice: str | None = None
    statistic: str | None = None

    def fits(self, key: Key, part: str) -> bool:
        """Whether a key is what was asked for, on a slice."""
        return (
            key.slice == (self.slice or part)
            and self.population in (None, key.population)
            and (key.statistic == self.statistic if self.statistic else key.statistic in PLAIN)
        )


def columns(
    cases: Sequence[Case], asked: Sequence[str], part: str | None
) -> tuple[AblationColumn, ...]:
    """Find the base key of every number asked for; without any, the table of S4 8.1.

    Data that have nothing of that table are compared by their own headline numbers. `part`
    is the slice; left open, it is the mean over folds where there are folds, as S4 8.1 prints it,
    else all queries.
    """
    tested = _tested(cases)
    parts = [part] if part else _usual_parts(cases)
    found: dict[str, AblationColumn] = {}
    missing = []
    for written in asked or S4_TABLE:
        chosen = list(_chosen(written, parts, tested, cases))
        found |= {column.key: column for column in chosen}
        if not chosen:
            missing.append(written)
    if not found and not asked:
        # Data of another kind have headline numbers of their own.
        found = {column.key: column for column in _chosen(HEADLINE, parts[-1:], tested, cases)}
    if not found or (missing and asked):
        where = f" on the slice {part}" if part else ""
        raise UserError(
            f"no system has {', '.join(missing)}{where}; `crosscheck contract METRIC` says which "
            "columns and slices a metric needs, and --metric names others"
        )
    return tuple(found.values())


def holders(column: AblationColumn, cases: Iterable[Case]) -> list[Case]:
    """List the systems that have a number."""
    return [case for case in cases if column.key in case.owed]


def _tested(cases: Iterable[Case]) -> list[str]:
    """List the base keys that have an interval in any system."""
    keys = (key for case in cases for key in headline_keys(case.facts, case.settings))
    return list(dict.fromkeys(keys))


def _usual_parts(cases: Sequence[Case]) -> list[str]:
    several = all(len(case.facts["folds"]) > 1 for case in cases)
    return ["folds", "all"] if several else ["all"]


def _chosen(
    written: str, parts: Sequence[str], tested: Sequence[str], cases: Sequence[Case]
) -> Iterator[AblationColumn]:
    if written == HEADLINE:
        keys = [key for key in tested if Key.parse(key).slice == parts[0]]
        yield from (AblationColumn(key, tested=True) for key in keys)
        return
    column = _find(_read(written), parts, tested, cases)
    if column is not None:
        yield column


def _read(written: str) -> _Asked:
    """Read `ndcg@10`, `nDCG@10`, `ndcg@10|positives_only` or a whole key."""
    name, *rest = written.split("|")
    if len(rest) > len(PARTS):
        raise UserError(f"metric “{written}”: expected a name, or metric|{'|'.join(PARTS)}")
    reading = read_name(name)
    if reading.metric is None:
        choices = reading.metrics or reading.suggestions
        which = f"; did you mean {' or '.join(choices)}?" if choices else ""
        raise UserError(f"metric “{written}”: {reading.why or 'is not known'}{which}")
    metric, _, population = reading.metric.partition("|")
    fields = dict(zip(PARTS, rest, strict=False))
    return _Asked(written, metric, **{"population": population or None, **fields})


def _find(
    asked: _Asked, parts: Sequence[str], tested: Iterable[str], cases: Sequence[Case]
) -> AblationColumn | None:
    """Find the key: a headline one where there is one, on the first slice that has any."""
    start = f"{asked.metric}|"
    headline = [Key.parse(key) for key in tested if key.startswith(start)]
    others = [Key.parse(key) for case in cases for key in case.owed if key.startswith(start)]
    entry = load().find(asked.metric)
    others.sort(key=lambda key: entry is None or key.population != entry.metric.population)
    for part in parts:
        for keys, is_tested in ((headline, True), (others, False)):
            for key in keys:
                if asked.fits(key, part):
                    return AblationColumn(str(key), is_tested)
    return None
