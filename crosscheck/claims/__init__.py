"""Published numbers: read them, verify them against data, audit them without, explain them.

`read(path)` gives the claims of a file; `verify(claims, ledger)` holds them against recomputed
values. Heavier, and so in modules of their own: `audit.audit(claims)` asks whether a table can be
true at all, `forensics.explanations_of(outcome, case)` which mistake gives a wrong number. All
that reading takes is loaded with the first file that is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crosscheck.claims.judging.outcome import ClaimOutcome, Ignored
from crosscheck.claims.verify import Run, verify
from crosscheck.notation.claim import Claim

if TYPE_CHECKING:
    from crosscheck.claims.author import Help, helped
    from crosscheck.claims.reading import examine, read

__all__ = [
    "Claim", "ClaimOutcome", "Help", "Ignored", "Run", "examine", "helped", "read", "verify",
]  # fmt: skip

LATER = {"Help": "author", "helped": "author", "examine": "reading", "read": "reading"}
"""What is loaded on first use, and the module that it is in."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever is asked for
    """Load what reads claims on first use: most runs have none."""
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - only then

    return getattr(import_module(f"{__name__}.{LATER[name]}"), name)
