"""Claims files broken at random: is every token accounted for, in time, without a crash?

`make mutate-claims` runs it; `FILES=5000` and `SEED=1` ask for another number and another seed.
One that is ended (Ctrl-C, SIGTERM) prints what it has done so far.
It ends with 1 where a count does not add up, a reader crashes, or a file takes too long.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field

from broken_claims import SEEDS, broken, problem

from crosscheck.claims.reading import examine_text
from crosscheck.errors import UserError

FILES = int(os.environ.get("FILES", "100000"))
SEED = int(os.environ.get("SEED", "0"))
EVERY = 5_000
"""Files after which it is said how many are done."""
LIMIT = 5.0
"""Seconds of processor time that a file may take."""


@dataclass
class Tally:
    """What became of the files of one format."""

    files: int = 0
    refused: int = 0
    tokens: int = 0
    claims: int = 0
    ignored: int = 0
    slowest: float = 0.0
    wrong: list[str] = field(default_factory=list)


def tried(form: str, text: str, tally: Tally) -> None:
    """Read one file."""
    before = time.process_time()
    tally.files += 1
    try:
        reading = examine_text(text, "mutated", form)
        said = problem(reading)
        states = Counter(one.state for one in reading.entries)
        tally.tokens += len(reading.entries)
        tally.claims += states["claimed"]
        tally.ignored += states["ignored"]
    except UserError as error:
        tally.refused += 1
        said = "" if "cannot be read as" not in str(error) or "CSV:" in str(error) else str(error)
    except Exception as error:  # noqa: BLE001 - a crash is what is looked for
        said = f"{type(error).__name__}: {error}"
    spent = time.process_time() - before
    tally.slowest = max(tally.slowest, spent)
    if spent > LIMIT:
        said = f"took {spent:.1f} s"
    if said:
        tally.wrong.append(f"{said}\n{text!r}")


def _try_all(tallies: dict[str, Tally]) -> None:
    chance = random.Random(SEED)
    forms = list(SEEDS)
    for i in range(FILES):
        form = forms[i % len(forms)]
        tried(form, broken(form, chance), tallies[form])
        if (i + 1) % EVERY == 0:
            print(f"{i + 1:,} of {FILES:,}", file=sys.stderr, flush=True)


def main() -> int:
    """Read all of them, or as many as there is time for, and print what became of them."""
    tallies = {form: Tally() for form in SEEDS}
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        _try_all(tallies)
    done = sum(one.files for one in tallies.values())
    heads = f"{'files':>8}{'refused':>9}{'tokens':>10}{'claimed':>10}{'ignored':>10}{'slowest':>9}"
    print(f"{'format':10}{heads}")
    for form, one in tallies.items():
        counts = f"{one.files:8}{one.refused:9}{one.tokens:10}{one.claims:10}{one.ignored:10}"
        print(f"{form:10}{counts}{one.slowest:8.2f}s")
    wrong = [said for one in tallies.values() for said in one.wrong]
    print(f"{len(wrong)} of {done:,} files crashed, took more than {LIMIT:.0f} s or do not add up")
    for said in wrong[:5]:
        print(said)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
