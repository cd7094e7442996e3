"""Do truthful documents raise an alarm, and how often is one wrong cell found?

`make truthful` runs 10,000 documents and ends with 1 where one gives an error, or more than one in
a hundred gives advice; `DOCUMENTS=500` asks for fewer, `SEED=7` for others.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from dataclasses import dataclass, field

from documents.truthful import document

from crosscheck.audit import audit
from crosscheck.claims.reading import examine_text

DOCUMENTS = int(os.environ.get("DOCUMENTS", "10000"))
SEED = int(os.environ.get("SEED", "0"))
ADVICE = 0.01
_SHOWN = 20


@dataclass
class Alarms:
    """What truthful documents were accused of."""

    documents: int = 0
    cells: int = 0
    checked: int = 0
    errors: list[tuple[int, str, str]] = field(default_factory=list)
    advised: list[tuple[int, str, str]] = field(default_factory=list)

    @property
    def advice(self) -> float:
        """The share of documents that were given advice."""
        return len({seed for seed, *_ in self.advised}) / max(self.documents, 1)


def tried(seeds: range) -> Alarms:
    """Audit the truthful documents of some seeds."""
    found = Alarms()
    for seed in seeds:
        made = document(seed)
        reading = examine_text(made.text, f"{seed}.{made.form}", made.form)
        answer = audit(reading.claims, text=made.text)
        found.documents += 1
        found.cells += len(answer.claims)
        found.checked += len(answer.checked)
        for one in answer.findings:
            told = found.errors if one.severity == "error" else found.advised
            told.append((seed, one.rule, one.sentence))
    return found


def main() -> int:
    """Print the figures; 1 where they are not what is promised."""
    found = tried(range(SEED, SEED + DOCUMENTS))
    for name, told in (("error", found.errors), ("advice", found.advised)):
        for seed, rule, sentence in told[:_SHOWN]:
            print(f"{name} {rule} in document {seed}: {sentence}")
    rules = Counter(rule for _, rule, _ in (*found.errors, *found.advised))
    print(
        f"{found.documents} truthful documents, {found.cells} numbers, {found.checked} checked: "
        f"{len({s for s, *_ in found.errors})} with an error, {found.advice:.2%} with advice"
        + "".join(f"; {rule} {count}" for rule, count in sorted(rules.items()))
    )
    return int(bool(found.errors) or found.advice >= ADVICE)


if __name__ == "__main__":
    sys.exit(main())
