"""Print api.md: the doors of the packages and the command line, from their own docstrings."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import textwrap
from typing import TYPE_CHECKING, Any

import click

from crosscheck.cli import COMMANDS, group

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

WIDTH = 100
DOORS = ("primary", "reference")
HEAD = """\
# Reference

Written by `make api` from the docstrings; a test holds it to them. What the two implementations
must answer is described in [interface.md](interface.md).
"""


def page() -> str:
    """Give the whole page."""
    parts = [HEAD]
    for name in DOORS:
        parts += _door(importlib.import_module(name))
    parts += _commands()
    return "\n".join(parts)


def _door(package: ModuleType) -> Iterator[str]:
    yield f"## `{package.__name__}`\n\n{_prose(inspect.getdoc(package) or '')}"
    for name in sorted(package.__all__, key=lambda name: (name[0].isupper(), name)):
        thing = getattr(package, name)
        described = _class if isinstance(thing, type) else _function
        yield from described(f"{package.__name__}.{name}", thing)


def _function(name: str, thing: Any) -> Iterator[str]:
    yield f"### `{name}`\n\n```python\n{_signature(name.rpartition('.')[2], thing)}\n```\n"
    yield f"{_prose(_documented(name, thing))}"


def _class(name: str, thing: type) -> Iterator[str]:
    base = thing.__mro__[1]
    kind = f" ({base.__name__})" if issubclass(thing, Exception) else ""
    yield f"### `{name}`{kind}\n\n{_prose(_documented(name, thing))}"
    if dataclasses.is_dataclass(thing):
        fields = (f"- `{one.name}`: `{one.type}`" for one in dataclasses.fields(thing))
        yield "\n".join(fields) + "\n"


def _documented(name: str, thing: Any) -> str:
    written = inspect.getdoc(thing)
    if not written:
        raise SystemExit(f"{name} is in __all__ and has no docstring; write one")
    return written


def _signature(name: str, thing: Any) -> str:
    """Write a signature in one line, or one parameter to a line where that is too long."""
    signature = inspect.signature(thing)
    flat = f"{name}{signature}".replace("'", "")
    if len(flat) <= WIDTH:
        return flat
    words = [str(one) for one in signature.parameters.values()]
    named = [one.kind is one.KEYWORD_ONLY for one in signature.parameters.values()]
    if True in named:
        words.insert(named.index(True), "*")
    lines = "".join(f"    {word},\n" for word in words)
    return f"{name}(\n{lines}) -> {signature.return_annotation}".replace("'", "")


def _prose(text: str) -> str:
    """Put a docstring's examples into a fence, and leave the rest as it is."""
    before, prompt, example = text.partition(">>> ")
    fence = f"```python\n>>> {example.strip()}\n```\n" if prompt else ""
    return f"{before.strip()}\n" + (f"\n{fence}" if fence else "")


def _commands() -> Iterator[str]:
    yield f"## The command line\n\n{inspect.getdoc(group.callback)}\n"
    context = click.Context(group, info_name="crosscheck", terminal_width=88, max_content_width=88)
    for name in COMMANDS:
        _, command, _ = group.resolve_command(context, [name])
        own = click.Context(command or group, info_name=name, parent=context)
        text = textwrap.dedent(own.get_help()).rstrip()
        yield f"### `crosscheck {name}`\n\n```text\n{text}\n```\n"


if __name__ == "__main__":
    print(page(), end="")
