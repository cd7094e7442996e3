"""Several systems against each other (S4 8.1): one table, paired intervals, permutation tests.

`Wanted` is what is asked for; `contest` settles who is compared with whom on which numbers,
`questions` says what is asked for it, and `conclude` turns the answers into the table and into
findings. The primary computes every resample and permutation; the reference
recomputes a declared sample of them exactly and derives every interval and p-value by itself; what
they disagree on fails.
"""

from __future__ import annotations

from crosscheck.ablation.contest import Contest, Questions, Wanted, contest, questions
from crosscheck.ablation.judge import Conclusion, conclude
from crosscheck.ablation.metrics import HEADLINE, S4_TABLE

__all__ = [
    "HEADLINE",
    "S4_TABLE",
    "Conclusion",
    "Contest",
    "Questions",
    "Wanted",
    "conclude",
    "contest",
    "questions",
]
