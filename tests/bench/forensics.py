"""Planted mistakes: is the true one named, and how far up?

`make forensics` runs it and prints the table of docs/forensics.md; with `PLANTS=out.json` every
verdict is written there too. The published study takes part where its data lie beside this folder.
It ends with 1 where fewer come first, or among the first three, than the project promises.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent / "planted"))

import builtin
import classes
import graded
import published
from plant import FULL, NOWHERE, judged

if TYPE_CHECKING:
    from plant import Verdict

PUBLISHED = Path(__file__).resolve().parents[3] / "shared" / "data" / "study" / "per_query.csv"
FIRST, THREE = 0.90, 0.98
"""The shares that are promised."""


def run(folder: Path) -> dict[str, list[Verdict]]:
    """Put every plant of every study to the search."""
    found = {
        "built-in": judged(builtin.plants(), builtin.of(folder / "study")),
        "classes": judged(classes.plants(), classes.of(folder / "classes")),
        "graded": judged(graded.plants(), graded.of(folder / "graded")),
    }
    if PUBLISHED.is_file():
        found["published"] = judged(published.plants(), published.of(PUBLISHED))
    return found


def first(one: Verdict) -> bool:
    """Whether the true mistake comes first."""
    return one.place == 1


def unknowable(one: Verdict) -> bool:
    """Whether several fit, the true one among the first three, and the answer says that."""
    return one.place > 1 and one.told


def main() -> int:
    """Print the table."""
    started = time.process_time()
    with tempfile.TemporaryDirectory() as scratch:
        found = run(Path(scratch))
    every = [one for some in found.values() for one in some]
    print("| study | planted | different | first | among three | not first, and told so | nowhere |")
    print("|---|---|---|---|---|---|---|")
    for name, some in [*found.items(), ("all", every)]:
        print(_row(name, some))
    print()
    for digits, label in ((3, "3 decimals"), (4, "4 decimals"), (FULL, "in full")):
        some = [one for one in every if _digits(one) == digits]
        print(f"{label}: {sum(map(first, some))} of {len(some)} first")
    print()
    for one in every:
        if one.place != 1:
            place = "nowhere" if one.place == NOWHERE else f"place {one.place} of {one.fitting}"
            print(f"- {one.study}: {one.plant.what} ({one.plant.key}) = {one.printed}: {place}, behind {one.first}")
    print(f"\n{time.process_time() - started:.0f} s of CPU")
    if os.environ.get("PLANTS"):
        written = [{"mistake": v.plant.mistake, "what": v.plant.what, "key": v.plant.key, "study": v.study, "printed": v.printed, "place": v.place, "fitting": v.fitting, "chance": v.chance, "sentence": v.sentence} for v in every]
        Path(os.environ["PLANTS"]).write_text(json.dumps(written, indent=1), encoding="utf-8")
    kept = sum(map(first, every)) >= FIRST * len(every)
    near = sum(one.place <= 3 for one in every) >= THREE * len(every)
    return 0 if kept and near else 1


def _digits(one: Verdict) -> int:
    places = len(one.printed.partition(".")[2])
    return places if places in {3, 4} else FULL


def _row(name: str, some: list[Verdict]) -> str:
    total = len(some)
    different = len({(one.plant.mistake, one.plant.what) for one in some})
    cells = (
        f"{sum(map(first, some))} ({sum(map(first, some)) / total:.1%})",
        f"{sum(one.place <= 3 for one in some)} ({sum(one.place <= 3 for one in some) / total:.1%})",
        str(sum(map(unknowable, some))),
        str(sum(one.place == NOWHERE for one in some)),
    )
    return f"| {name} | {total} | {different} | {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
