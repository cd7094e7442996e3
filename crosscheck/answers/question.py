"""What is asked of `explain`: a key, a number that was printed for it, or a change of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crosscheck.notation.number import Quantity


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: a key, and the number that somebody printed for it."""

    key: str
    number: Quantity | None = None
    percent: bool = False
    change: str = ""
    """How it is counted, where the number is a change of the key: `gain`, `points`, `open` …"""
    against: str | None = None
    """The system that the change is from."""
    verdict: str = ""
    """What the gate would say of the change."""
    holds: bool = False
    """Whether it holds."""
