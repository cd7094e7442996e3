"""A printed change between two systems: what the data give, and which mistake gives the number.

Verified and searched by what the gate uses, so that both give one answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crosscheck.errors import UserError

if TYPE_CHECKING:
    from crosscheck.answers.question import Question
    from crosscheck.diagnose.forensics import Diagnosis
    from crosscheck.diagnose.scene import Scene


def changed(wanted: Question, case: Scene, system: str) -> tuple[Question, Diagnosis | None]:
    """Explain a change of the first system; the question comes back with the other one's name."""
    from crosscheck.claims.judging import comparing  # noqa: PLC0415 - only changes need it
    from crosscheck.diagnose.changes import explain_change  # noqa: PLC0415 - the same
    from crosscheck.notation.claim import Claim  # noqa: PLC0415 - the same

    if wanted.number is None:
        return wanted, None
    other = _other(wanted, case)
    stem = wanted.key.rpartition("|")[0]
    claim = Claim(
        file="", place="", label=f"the change of {wanted.key}", printed=wanted.number.text,
        role="improvement", number=wanted.number, system=system, key=f"{stem}|improvement",
        percent=wanted.number.percent, change=wanted.change, against=other, prose=True,
    )  # fmt: skip
    ledgers = {system: case.ledger, other: case.others[other].ledger}
    outcome = comparing.improvement(claim, [claim], ledgers)
    if outcome.computed is None:
        raise UserError(f"{outcome.sentence}; “{other}” gives no {wanted.key}, or it is 0 there")
    found = explain_change(claim, outcome.computed, case, system)
    return replace(wanted, against=other), found


def _other(wanted: Question, case: Scene) -> str:
    """Give the system that the change is from: the named one, or the only other."""
    from crosscheck.notation.abbreviation import meant  # noqa: PLC0415 - only changes need it

    names = list(case.others)
    if not names:
        raise UserError(
            f"a change of {wanted.key} is between two systems: name both, the new one first, as "
            "--ranking ours=COLUMN --ranking baseline=COLUMN, or in a config"
        )
    if wanted.against is None and len(names) == 1:
        return names[0]
    found = meant(wanted.against or "", names)
    if found is None:
        said = f"“{wanted.against}” is none of them" if wanted.against else "which one is not said"
        raise UserError(
            f"the change is from one of {', '.join(names)}: {said}; write “… over {names[0]} = …”"
        )
    return found
