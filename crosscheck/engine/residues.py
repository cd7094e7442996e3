"""Parts of all rows by the residue of a hash: a sample, or every part one after the other.

The residue is that of the first 8 bytes of the SHA-256 of the post's id, or of the query's where
there are no posts: the same in Python and in every engine. Counts of the parts add up to those of
all rows, and so do means, each weighed by its number of queries.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from crosscheck.contract import load
from crosscheck.engine.table import open_table, unit_text
from crosscheck.model.key import Key

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from crosscheck.engine.base import Engine

NOT_ADDED = "it does not follow from numbers of the parts"
COUNTED = ("all_queries", "positives_only", "predicted_positive")
EXTREMES = ("min", "max")
OVER = ("folds", "seeds")
NO_SUM = ("classes_left_out",)
"""Whole numbers that are none of the rows: those of the parts do not add up."""


def write(
    engine: Engine,
    files: list[str],
    settings: Mapping[str, Any],
    part: tuple[int, int],
    path: Path,
) -> Path | None:
    """Write the rows of one residue class as they stand in the files; None: there are none."""
    from pyarrow import parquet  # noqa: PLC0415 - heavy

    modulus, rest = part
    table = open_table(engine, files, settings)
    words = engine.words
    listed = ", ".join(words.name(name) for name in table.types)
    order = [one for one in (engine.file, engine.place) if one]
    order = order or [words.name(table.columns.found[name]) for name in table.key]
    found = engine.arrow(
        f"SELECT {listed} FROM source WHERE {words.residue(unit_text(table), modulus)} = {rest} "
        f"ORDER BY {', '.join(order)}"
    )
    if not found.num_rows:
        return None
    parquet.write_table(found, path, compression="zstd")
    return path


class Sums:
    """What the parts' ledgers add up to."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = defaultdict(int)
        self.weighed: dict[str, Fraction] = defaultdict(Fraction)
        self.weights: dict[str, int] = defaultdict(int)

    def add(self, ledger: Mapping[str, float]) -> None:
        """Add one part's ledger."""
        kind_of = load().kind_of
        for text, value in ledger.items():
            key = Key.parse(text)
            if key.statistic in EXTREMES or key.slice in OVER or key.metric in NO_SUM:
                continue
            if isinstance(value, int) and kind_of(text) == "integer":
                self.counts[text] += value
            elif key.statistic == "mean" and key.population in COUNTED:
                rows = ledger.get(f"queries|{key.population}|{key.slice}|n")
                if rows is not None:
                    self.weighed[text] += Fraction(value) * int(rows)
                    self.weights[text] += int(rows)

    def ledger(self) -> dict[str, float]:
        """Give the counts and means of all rows."""
        means = {
            text: float(total / self.weights[text]) if self.weights[text] else 0.0
            for text, total in self.weighed.items()
        }
        return {**self.counts, **means}
