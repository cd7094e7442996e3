"""The values of a system that is compared but not gated: by both implementations, nothing more.

Only the families of the numbers that the table prints are read and computed: the case's settings
name no others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.data import door
from crosscheck.data.readings import reading
from crosscheck.model.key import Key

if TYPE_CHECKING:
    from crosscheck.data.case import Case
    from crosscheck.model.ledgers import Ledger


@dataclass(frozen=True, slots=True)
class Valued:
    """What both implementations say; `ledger` is the primary's."""

    ledger: Ledger
    reference: Ledger


def valued(case: Case) -> Valued:
    """Evaluate a system twice, on the keys that it owes the table."""
    first, second = (
        package.evaluate(reading(package, case)) for package in (door.primary, door.reference)
    )
    return Valued(
        ledger={key: first[key] for key in case.owed if key in first},
        reference={key: second[key] for key in case.owed if key in second},
    )


def printed(text: str) -> list[str]:
    """List what the table prints of a column: the value, and mean and deviation over folds."""
    key = Key.parse(text)
    if key.slice not in {"all", "folds"}:
        return [text]
    over = f"{key.metric}|{key.population}|folds"
    return list(dict.fromkeys([text, f"{over}|mean", f"{over}|std"]))
