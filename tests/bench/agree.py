"""Do both implementations agree on every key of random data sets of the field?

`make agree` draws 500 data sets (`SETS=5000` for more, `SEED=7` for others) with grades, judged
lists, seeds, slices, classes and scores, and ends with 1 at the first on which facts or keys
differ, or a value by more than 1e-12. It prints the table of docs/selftest.md.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, given, seed, settings

import primary
import reference
from crosscheck.contract import keys_owed
from crosscheck.fuzz.field import field_datasets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.fuzz.dataset import DataSet

SETS = int(os.environ.get("SETS", "500"))
SEED = int(os.environ.get("SEED", "0"))
CLOSE = 1e-12
COLUMNS = ("grades", "seed", "class_probs", "score", "y_true")


class Tally:
    """What was compared so far, by kind of data."""

    def __init__(self) -> None:
        self.sets: Counter[str] = Counter()
        self.keys: Counter[str] = Counter()
        self.worst = 0.0

    def add(self, data: DataSet, keys: int, worst: float) -> None:
        """Count one data set under every kind that it is of."""
        for kind in ("all", *kinds(data)):
            self.sets[kind] += 1
            self.keys[kind] += keys
        self.worst = max(self.worst, worst)


def kinds(data: DataSet) -> Iterator[str]:
    """Name what a data set has of the field."""
    yield from (name for name in COLUMNS if name in data.columns)
    if data.form == "trec":
        yield "qrels and run"
    elif "judged" in data.columns:
        yield "judged"
    if "slices" in data.settings:
        yield "slices"
    if "label" in data.columns:
        yield "classes"


def compared(data: DataSet, folder: Path) -> tuple[int, float]:
    """Give how many keys both state, and the largest difference; raise where they disagree."""
    place = data.place(folder)
    first, second = (
        {**package.describe(place, data.settings), "missing": None}
        for package in (primary, reference)
    )
    ours, theirs = (package.evaluate(place, data.settings) for package in (primary, reference))
    owed = sorted(keys_owed(first, data.settings))
    worst = max((apart(ours[key], theirs.get(key)) for key in ours), default=0.0)
    if first != second or not sorted(ours) == sorted(theirs) == owed or worst > CLOSE:
        raise SystemExit(f"they disagree on {data}")
    return len(owed), worst


def apart(first: Any, second: Any) -> float:
    """Give the difference, relative where numbers are large; infinite between types."""
    if type(first) is not type(second):
        return float("inf")
    return 0.0 if first == second else abs(first - second) / max(1.0, abs(first), abs(second))


def main() -> None:
    """Draw, compare, print."""
    tally = Tally()

    @seed(SEED)
    @settings(
        max_examples=SETS,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(data=field_datasets())
    def agree(data: DataSet) -> None:
        with TemporaryDirectory() as folder:
            tally.add(data, *compared(data, Path(folder)))

    agree()
    print("| data sets with | how many | keys compared |\n|---|---|---|")
    for kind, count in tally.sets.most_common():
        print(f"| {kind} | {count:,} | {tally.keys[kind]:,} |")
    print(f"\nseed {SEED}: no difference in keys or facts; largest difference {tally.worst:.1e}")


if __name__ == "__main__":
    main()
