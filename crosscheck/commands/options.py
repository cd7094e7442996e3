"""Options that several commands share, each written once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

Command = TypeVar("Command", bound="Callable[..., Any]")


def inputs(when: str = "") -> Callable[[Command], Command]:
    """Add `--inputs FOLDER`: where else a report's inputs may lie."""
    return click.option(
        "--inputs",
        "within",
        multiple=True,
        type=click.Path(path_type=Path, file_okay=False, exists=True),
        metavar="FOLDER",
        help=_told(when, "look for inputs in this folder too; repeatable."),
    )


def allow_witness(
    when: str = "", whose: str = "a witness of the authors' own"
) -> Callable[[Command], Command]:
    """Add `--allow-witness NAME`: the one way to run code that a file names."""
    return click.option(
        "--allow-witness",
        "allowed",
        multiple=True,
        metavar="NAME",
        help=_told(when, f"run this module:function, {whose}; repeatable."),
    )


def policy(what: str) -> Callable[[Command], Command]:
    """Add `--policy FILE`, or the variable."""
    return click.option("--policy", metavar="FILE", envvar="CROSSCHECK_POLICY", help=what)


def _told(when: str, what: str) -> str:
    return f"{when}: {what}" if when else f"{what[:1].upper()}{what[1:]}"
