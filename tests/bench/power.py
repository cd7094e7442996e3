"""How often is one wrong cell found, by kind of table, and how often are truthful ones accused?

`make power` prints the table of docs/power.md; `DOCUMENTS=100` asks for fewer, `SEED=7` for others.
"""

from __future__ import annotations

import os
import random
import sys
from collections import defaultdict

from documents.plant import SIZES, planted
from documents.truthful import document

from crosscheck.audit import audit
from crosscheck.claims.reading import examine_text

DOCUMENTS = int(os.environ.get("DOCUMENTS", "800"))
SEED = int(os.environ.get("SEED", "0"))

Cell = tuple[str, str]


def told(text: str, form: str) -> dict[str, str]:
    """Give what an audit says of a text: sentences, each with its severity."""
    reading = examine_text(text, f"document.{form}", form)
    return {one.sentence: one.severity for one in audit(reading.claims, text=text).findings}


def measured(seeds: range) -> tuple[dict[Cell, list[int]], dict[str, int]]:
    """Give tried, found as an error, found at all, by kind and size; and the false alarms."""
    found: dict[Cell, list[int]] = defaultdict(lambda: [0, 0, 0])
    false = {"error": 0, "advice": 0}
    for seed in seeds:
        made = document(seed)
        before = told(made.text, made.form)
        for severity in false:
            false[severity] += severity in before.values()
        for size in SIZES:
            plant = planted(made, size, random.Random(f"{seed} {size}"))
            if plant is None:
                continue
            kind, other = plant
            after = told(other.text, other.form)
            new = {severity for sentence, severity in after.items() if sentence not in before}
            for cell in ((kind, size), ("all", size)):
                found[cell][0] += 1
                found[cell][1] += "error" in new
                found[cell][2] += bool(new)
    return found, false


def main() -> int:
    """Print both figures."""
    found, false = measured(range(SEED, SEED + DOCUMENTS))
    print(f"| kind of table | {' | '.join(SIZES)} |\n|---{'|---:' * len(SIZES)}|")
    kinds = sorted({kind for kind, _ in found}, key=lambda kind: (kind == "all", kind))
    for kind in kinds:
        cells = [found.get((kind, size), [0, 0, 0]) for size in SIZES]
        shown = (f"{c[1] / c[0]:.0%} / {c[2] / c[0]:.0%}" if c[0] else "–" for c in cells)
        print(f"| {kind} | {' | '.join(shown)} |")
    print(
        f"\n{DOCUMENTS} truthful documents (seeds {SEED} to {SEED + DOCUMENTS - 1}): "
        f"{false['error']} with an error, {false['advice']} with advice; "
        f"{sum(c[0] for (k, _), c in found.items() if k == 'all')} wrong cells, one at a time."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
