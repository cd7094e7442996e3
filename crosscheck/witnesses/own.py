"""A user's own witness: any `module:function` that takes (data, settings) and gives a ledger.

It gets what the two implementations get (docs/interface.md): the data's path and the settings. Its
code is run in a process of its own, and what it answers is taken as data (`apart`).
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.model.key import Key
from crosscheck.witnesses import Testimony, Witness, decline

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crosscheck.data.case import Case
    from crosscheck.model.ledgers import Number


def witness(place: str, standard: Iterable[str] = ()) -> Witness:
    """Make a witness of `module:function`; the module is imported in the witness's process."""
    module, colon, function = place.partition(":")
    if not (colon and module and function):
        raise UserError(
            f"“{place}” names no witness: expected {''.join(f'{name}, ' for name in standard)}"
            "or your own as module:function"
        )
    return Witness(name=place, kind="user", testify=partial(testify, place), apart=True)


def testify(place: str, case: Case) -> Testimony:
    """Call the user's function and take its answer at its word, once it is a ledger."""
    module, _, function = place.partition(":")
    answer = getattr(importlib.import_module(module), function)(case.data, case.settings)
    ledger = _ledger(place, answer)
    return Testimony(ledger, declined=decline(case, ledger, lambda _: "it did not answer"))


def _ledger(place: str, answer: object) -> dict[str, Number]:
    if not isinstance(answer, Mapping):
        raise TypeError(f"{place} gave a {type(answer).__name__}: expected a mapping key → number")
    ledger: dict[str, Number] = {}
    for key, value in answer.items():
        Key.parse(str(key))
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(
                f"{place}: {key} is {value!r}, a {type(value).__name__}: "
                "expected a plain int or float (numpy numbers: use .item())"
            )
        ledger[str(key)] = value
    return ledger
