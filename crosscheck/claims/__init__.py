"""Published numbers: read them, verify them against data, audit them without, explain them.

`read(path)` gives the claims of a file; `verify(claims, ledger)` holds them against recomputed
values. Heavier, and so in modules of their own: `audit.audit(claims)` asks whether a table can be
true at all, `forensics.explanations_of(outcome, case)` which mistake gives a wrong number.
"""

from __future__ import annotations

from crosscheck.claims.author import Help, helped
from crosscheck.claims.judging.outcome import ClaimOutcome, Ignored
from crosscheck.claims.reading import examine, read
from crosscheck.claims.verify import Run, verify
from crosscheck.notation.claim import Claim

__all__ = [
    "Claim", "ClaimOutcome", "Help", "Ignored", "Run", "examine", "helped", "read", "verify",
]  # fmt: skip
