"""What is wrong with a config or a policy, in words of ours, everything at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from crosscheck.config.values import guess, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_EXPECTED = {
    "model_type": "a table",
    "dict_type": "a table",
    "list_type": "a list",
    "tuple_type": "a list",
    "bool_type": "true or false",
}
"""What pydantic expects; every other message is already ours."""


def problem(error: Any, known_keys: Callable[[list[str]], list[str]]) -> str:  # noqa: ANN401 - pydantic's own dictionary
    """Say where one thing is wrong, what it is, and what was expected."""
    path = [str(part) for part in error["loc"] if part != "[key]"]
    where = re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", ".".join(path))
    kind = error["type"]
    if kind == "missing":
        return f"{where}: is missing; it has to be said"
    if kind == "extra_forbidden":
        return f"{where}: unknown key{guess(path[-1], known_keys(path[:-1]))}"
    if kind == "value_error":
        return f"{where}: {error['ctx']['error']}"
    if kind in {"too_short", "too_long"}:
        least = error["ctx"].get("min_length", error["ctx"].get("max_length"))
        count = "at least one entry" if least == 1 else f"{least} entries"
        return f"{where}: is {shown(error['input'])}; expected {count}"
    expected = _EXPECTED.get(kind, "something else")
    return f"{where}: is {shown(error['input'])}; expected {expected}"


def refusal(file: Path | str, problems: Sequence[str]) -> str:
    """Put all problems of a file into one message."""
    count = "a problem" if len(problems) == 1 else f"{len(problems)} problems"
    return f"{file} has {count}:" + "".join(f"\n  {each}" for each in problems)
