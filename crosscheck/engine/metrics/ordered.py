"""Rows in order of their score, however many: ranges one after the other, cells side by side.

Every curve is a sum over groups of equal scores of whole numbers made of the counts above: tp, fp
with the group, and before it. An engine on one machine takes ranges of scores, each small enough
for its memory, from the top; a cluster takes cells of scores side by side and adds what
stands above each. Both divide by a function of the score that never falls, so that a group of equal
scores is never divided, and no bit of any result depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.engine.base import Engine

PARTS = 64
"""Parts that a range with too many rows is divided into."""


@dataclass(frozen=True, slots=True)
class Range:
    """Scores from one to another, both included, and how many rows have them."""

    least: float
    most: float
    rows: int

    def where(self, engine: Engine) -> str:
        """Write the condition that a score is in the range."""
        low, high = engine.words.double(self.least), engine.words.double(self.most)
        return f"score BETWEEN {low} AND {high}"


def cell(engine: Engine, found: Range, parts: int) -> str:
    """Write the part of the range that a score is in; halves, so that no difference overflows.

    Where the range is too narrow for that, it has one part.
    """
    low, high = found.least * 0.5, found.most * 0.5
    width = high - low
    if width == 0.0 or parts == 1:
        return "0"
    double = engine.words.double
    share = f"((score * {double(0.5)} - {double(low)}) / {double(width)})"
    return f"least({parts - 1}, {engine.words.whole(f'{share} * {double(float(parts))}')})"


def ranges(engine: Engine, source: str) -> list[Range]:
    """Divide a table with a column `score` into ranges that can be put in order, the top first."""
    [(least, most, rows)] = engine.rows(f"SELECT min(score), max(score), count(*) FROM {source}")
    if not rows:
        return []
    return list(_divided(engine, source, Range(least, most, int(rows))))


def _divided(engine: Engine, source: str, found: Range) -> Iterator[Range]:
    most = engine.ordering.round_rows
    made = cell(engine, found, PARTS)
    if found.rows <= most or found.least == found.most or made == "0":
        yield found
        return
    rows = engine.rows(
        f"SELECT part, min(score), max(score), count(*) FROM (SELECT score, {made} AS part "
        f"FROM {source} WHERE {found.where(engine)}) parts GROUP BY part ORDER BY part DESC"
    )
    held: list[Range] = []
    for _, low, high, count in rows:
        one = Range(low, high, int(count))
        if held and sum(each.rows for each in held) + one.rows > most:
            yield _joined(held)
            held = []
        if one.rows > most:
            yield from _divided(engine, source, one)
        else:
            held.append(one)
    if held:
        yield _joined(held)


def _joined(parts: Sequence[Range]) -> Range:
    return Range(parts[-1].least, parts[0].most, sum(one.rows for one in parts))


def placed(
    engine: Engine,
    rows: str,
    found: Range,
    above: dict[str, tuple[int, int, int, int]],
) -> str:
    """Write every row of a range with its place: tp and `through` count it and its equals.

    `rows` gives part, score, y; `above` says for each part, as a literal, how many positives and
    negatives it has in all, and how many of them stand above the range. `above` in the answer
    counts the rows with a higher score.
    """
    words = engine.words
    stated = [
        (part, *(f"CAST({number} AS BIGINT)" for number in (p, n, tp, tp + fp)))
        for part, (p, n, tp, fp) in above.items()
    ]
    totals = words.values("totals", ("part", "p", "n", "tp_0", "rows_0"), stated)
    cells = min(engine.ordering.cells, -(-found.rows // engine.ordering.cell_rows))
    made = cell(engine, found, cells)
    if made == "0":
        inside = "PARTITION BY g.part ORDER BY score DESC"
        celled, joined, also = rows, "", ("", "")
    else:
        inside = "PARTITION BY g.part, g.cell ORDER BY score DESC"
        celled = f"SELECT part, score, y, {made} AS cell FROM ({rows}) given"
        joined = f" JOIN ({_offsets(celled)}) o ON g.part = o.part AND g.cell = o.cell"
        also = ("o.tp_1 + ", "o.rows_1 + ")
    return (
        "SELECT g.part AS part, score, y, t.p AS p, t.n AS n, "
        f"t.tp_0 + {also[0]}CAST(sum(y) OVER ({inside}) AS BIGINT) AS tp, "
        f"t.rows_0 + {also[1]}count(*) OVER ({inside}) AS through, "
        f"t.rows_0 + {also[1]}rank() OVER ({inside}) - 1 AS above "
        f"FROM ({celled}) g JOIN {totals} t ON g.part = t.part{joined}"
    )


def _offsets(celled: str) -> str:
    """Write what stands in the cells above each."""
    higher = "OVER (PARTITION BY part ORDER BY cell DESC ROWS UNBOUNDED PRECEDING)"
    return (
        f"SELECT part, cell, CAST(sum(pos) {higher} AS BIGINT) - pos AS tp_1, "
        f"CAST(sum(held) {higher} AS BIGINT) - held AS rows_1 "
        "FROM (SELECT part, cell, CAST(sum(y) AS BIGINT) AS pos, count(*) AS held "
        f"FROM ({celled}) counted GROUP BY part, cell) cells"
    )
