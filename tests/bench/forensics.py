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
from plant import FULL, NOWHERE, judged, thin_air

if TYPE_CHECKING:
    from plant import Verdict

PUBLISHED = Path(__file__).resolve().parents[3] / "shared" / "data" / "study" / "per_query.csv"
FIRST, THREE = 0.90, 0.98
"""The shares that are promised."""


def run(folder: Path) -> tuple[dict[str, list[Verdict]], list[bool]]:
    """Put every plant of every study to the search, and numbers that come from nowhere."""
    studies = {
        builtin: builtin.of(folder / "study"),
        classes: classes.of(folder / "classes"),
        graded: graded.of(folder / "graded"),
    }
    if PUBLISHED.is_file():
        studies[published] = published.of(PUBLISHED)
    found = {study.name: judged(plants.plants(), study) for plants, study in studies.items()}
    return found, [one for study in studies.values() for one in thin_air(study)]


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
        found, air = run(Path(scratch))
    every = [one for some in found.values() for one in some]
    print(
        "| study | planted | different | first | among three | not first, and told so | nowhere |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, some in [*found.items(), ("all", every)]:
        print(_row(name, some))
    print()
    for digits, label in ((3, "3 decimals"), (4, "4 decimals"), (FULL, "in full")):
        some = [one for one in every if _digits(one) == digits]
        print(f"{label}: {sum(map(first, some))} of {len(some)} first")
    print()
    print("\n".join(_told(one) for one in every if one.place != 1))
    print(f"\n{_thin_air(air)}")
    print(f"\n{time.process_time() - started:.0f} s of CPU")
    if os.environ.get("PLANTS"):
        written = [_written(one) for one in every]
        Path(os.environ["PLANTS"]).write_text(json.dumps(written, indent=1), encoding="utf-8")
    kept = sum(map(first, every)) >= FIRST * len(every)
    near = sum(one.place <= 3 for one in every) >= THREE * len(every)
    return 0 if kept and near else 1


def _told(one: Verdict) -> str:
    place = "nowhere" if one.place == NOWHERE else f"place {one.place} of {one.fitting}"
    what = f"{one.plant.what} ({one.plant.key})"
    return f"- {one.study}: {what} = {one.printed}: {place}, behind {one.first}"


def _thin_air(air: list[bool]) -> str:
    given = sum(air)
    return f"Numbers from nowhere: {given} of {len(air)} ({given / len(air):.1%}) got a reason"


def _written(one: Verdict) -> dict[str, object]:
    about = {"study": one.study, "printed": one.printed, "place": one.place}
    found = {"fitting": one.fitting, "chance": one.chance, "sentence": one.sentence}
    return {
        "what": one.plant.what,
        "mistake": one.plant.mistake,
        "key": one.plant.key,
        **about,
        **found,
    }


def _digits(one: Verdict) -> int:
    places = len(one.printed.partition(".")[2])
    return places if places in {3, 4} else FULL


def _row(name: str, some: list[Verdict]) -> str:
    total = len(some)
    different = len({(one.plant.mistake, one.plant.what) for one in some})
    ahead, near = sum(map(first, some)), sum(one.place <= 3 for one in some)
    cells = (
        f"{ahead} ({ahead / total:.1%})",
        f"{near} ({near / total:.1%})",
        str(sum(map(unknowable, some))),
        str(sum(one.place == NOWHERE for one in some)),
    )
    return f"| {name} | {total} | {different} | {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
