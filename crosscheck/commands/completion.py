"""What the shell can fill in: metrics, rules, witnesses.

A shell asks once it has run `eval "$(_CROSSCHECK_COMPLETE=bash_source crosscheck)"` (zsh_source,
fish_source alike). Each list is loaded when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

COMMON = {"@K": "@10", "@M": "@10", "=α": "=5%"}
"""How a metric's id ends that has a parameter, and the value that most people mean."""


def metrics(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Give the metrics of the contract, headline ones with their cut-offs."""
    from crosscheck.contract import load  # noqa: PLC0415 - on use

    del ctx, param
    ids = {
        one.id[: -len(symbol)] + symbol[0] + at.lstrip("@=") if symbol else one.id
        for one in load().metrics
        for symbol in [next((end for end in COMMON if one.id.endswith(end)), "")]
        for at in ((one.headline.at if one.headline else ()) or (COMMON.get(symbol, ""),))
    }
    return sorted(one for one in ids if one.startswith(incomplete))


def rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Give the rules' ids."""
    from crosscheck.model.findings import rules as known  # noqa: PLC0415 - on use

    del ctx, param
    return [one for one in known() if one.startswith(incomplete.upper())]


def witnesses(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Give the witnesses that can be asked by name."""
    from crosscheck.witnesses.registry import STANDARD  # noqa: PLC0415 - on use

    del ctx, param
    return [one.name for one in STANDARD if one.name.startswith(incomplete)]
