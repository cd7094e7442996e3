"""The claims of a program's own output: its reader knows the key of every number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.notation.claim import Claim
from crosscheck.notation.number import parse

if TYPE_CHECKING:
    from crosscheck.notation.pieces import Printed


def from_printed(one: Printed, file: str, order: int) -> Claim:
    """Make the claim of one number."""
    number = parse(one.value.text).number
    about = one.query or one.system
    label = f"{one.name.text} of {about}" if about else one.name.text
    return Claim(
        file=file,
        place=label,
        label=label,
        printed=one.value.text,
        role="unknown" if number is None else "count" if one.counted else "value",
        number=number,
        key=one.key or None,
        at=(order, 0),
        problem=f"“{one.value.text}” is not a number to check" if number is None else None,
        covers=one.value.ranges(),
        name=one.name.text,
        counted=one.counted,
        query=one.query,
        system=one.system or None,
    )
