"""Labels of two values (section 14; docs/interface.md, Cells): how they are told, and read.

`has_evidence` and `pred` hold 0, 1, true or false. What is called `label` or `predicted` is theirs
where it holds nothing else, spelled more freely, or where the setting `positive` names one class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crosscheck.contract import load
from crosscheck.engine.base import EngineError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crosscheck.engine.base import Engine
    from crosscheck.engine.words import Words

ONE, ZERO = ("1", "true"), ("0", "false")
FREELY = ("1.0",), ("0.0",)


def read(words: Words, kind: Any, theirs: str, *, freely: bool) -> str:  # noqa: ANN401 - a pyarrow type
    """Write a label as 1 or 0, and whatever is none as NULL."""
    one, zero = _values(words, kind, theirs, freely=freely)
    return f"CASE WHEN {one} THEN 1 WHEN {zero} THEN 0 END"


def _values(words: Words, kind: Any, theirs: str, *, freely: bool) -> tuple[str, str]:  # noqa: ANN401 - the same
    """Write when a cell is 1, and when it is 0."""
    from pyarrow import types  # noqa: PLC0415 - heavy

    quoted = words.name(theirs)
    if freely and types.is_floating(kind):
        return f"{quoted} = {words.double(1.0)}", f"{quoted} = {words.double(0.0)}"
    text = f"lower(CAST({quoted} AS {words.text}))"
    if not freely:
        return f"{text} IN {ONE!r}", f"{text} IN {ZERO!r}"
    text = words.trimmed(text)
    return f"{text} IN {(*ONE, *FREELY[0])!r}", f"{text} IN {(*ZERO, *FREELY[1])!r}"


def against_rest(words: Words, named: str, positive: str) -> str:
    """Write whether a class, read as a name, is the positive one; empty: NULL."""
    return (
        f"CASE WHEN {named} IS NULL OR {named} = '' THEN NULL "
        f"WHEN {named} = {words.quote(positive)} THEN 1 ELSE 0 END"
    )


def two_valued(
    engine: Engine, kinds: Mapping[str, Any], names: Sequence[str], split: str | None
) -> bool:
    """Whether columns hold two values alone: the first everywhere, others in EVAL rows."""
    words = engine.words
    filled, other = [], []
    for at, name in enumerate(names):
        text = f"CAST({words.name(name)} AS {words.text})"
        there = f"({text} IS NOT NULL AND {text} <> ''{_in_eval(words, split) if at else ''})"
        one, zero = _values(words, kinds[name], name, freely=True)
        filled.append(there)
        other.append(f"({there} AND NOT ({one} OR {zero}))")
    wanted = [f"max(CASE WHEN {' OR '.join(some)} THEN 1 ELSE 0 END)" for some in (filled, other)]
    [(some, others)] = engine.rows(f"SELECT {', '.join(wanted)} FROM source")
    return bool(some) and not others


def _in_eval(words: Words, split: str | None) -> str:
    if split is None:
        return ""
    [found] = [one for one in load().splits if one.name == "EVAL"]
    text = f"CAST({words.name(split)} AS {words.text})"
    listed = ", ".join(map(words.quote, ("EVAL", "", *filter(None, found.also))))
    return f" AND coalesce({text}, '') IN ({listed})"


def check_positive(engine: Engine, label: str, positive: str) -> None:
    """Refuse a class that no row has, of any split."""
    [(found,)] = engine.rows(
        f"SELECT max(CASE WHEN {label} = {engine.words.quote(positive)} THEN 1 ELSE 0 END) "
        "FROM source"
    )
    if not found:
        raise EngineError(f"positive = “{positive}”: no row has that class as its label")
