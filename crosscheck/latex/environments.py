r"""Where environments begin and end in a list of tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crosscheck.latex.render import closing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.latex.tokens import Token


@dataclass(slots=True)
class Environment:
    r"""`\begin{name}` stands at `begin`, its content from `start` to `stop`, all of it to `end`."""

    name: str
    begin: int
    start: int
    stop: int
    end: int
    parent: Environment | None


def environments(tokens: Sequence[Token]) -> list[Environment]:
    """List the environments in the order in which they begin; one without end lasts to the end."""
    found: list[Environment] = []
    open_ones: list[Environment] = []
    for at, token in enumerate(tokens):
        if token.kind != "command" or token.text not in {"begin", "end"}:
            continue
        name, after = name_at(tokens, at + 1)
        if token.text == "begin":
            parent = open_ones[-1] if open_ones else None
            found.append(Environment(name, at, after, len(tokens), len(tokens), parent))
            open_ones.append(found[-1])
        elif any(one.name == name for one in open_ones):
            while True:
                last = open_ones.pop()
                last.stop, last.end = at, after if last.name == name else at
                if last.name == name:
                    break
    return found


def name_at(tokens: Sequence[Token], at: int) -> tuple[str, int]:
    """Read the name in braces at `at`, and where it ends."""
    while at < len(tokens) and tokens[at].kind == "space":
        at += 1
    if at >= len(tokens) or tokens[at].kind != "{":
        return "", at
    end = closing(tokens, at)
    name = "".join(one.text for one in tokens[at + 1 : end] if one.kind == "run")
    return name, min(end + 1, len(tokens))
