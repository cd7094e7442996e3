"""What the files' own footers say, before an engine makes one table of them.

An engine widens numbers, fills columns that a file lacks, and prefers a folder's name to a column:
each would silently read something else than what is stored.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck.engine.base import EngineError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

REMOTE = "://"
OWN = ("file_row_number", "crosscheck file", "at_file", "at_row", "_metadata")
"""Names that engines give to columns of their own, in any case of their letters."""


def look(files: Sequence[str]) -> None:
    """Refuse files that are not of one kind; files elsewhere are left to the engine."""
    first: tuple[str, dict[str, Any]] | None = None
    for file in files:
        if REMOTE in file:
            return
        types = _types(file)
        folders = {name for name in _folders(file) if name in types}
        for name in sorted(folders):
            raise EngineError(
                f"{file}: column {name} stands in the file and in the folder's name; which counts? "
                "Take it out of one"
            )
        _refuse_names(file, [*types, *_folders(file)])
        if first is None:
            first = file, types
        _alike(first, (file, types))


def _refuse_names(file: str, names: Iterable[str]) -> None:
    """Refuse names that an engine takes for its own, or for one another."""
    seen: dict[str, str] = {}
    for name in names:
        if name.lower() in OWN:
            raise EngineError(f"{file}: column {name} has a name that engines use; rename it")
        other = seen.setdefault(name.lower(), name)
        if other != name:
            raise EngineError(
                f"{file}: columns {other} and {name} differ in the case of letters alone, and "
                "engines take them for one; rename one"
            )


def _types(file: str) -> dict[str, Any]:
    import pyarrow as pa  # noqa: PLC0415 - heavy
    from pyarrow import parquet  # noqa: PLC0415 - heavy

    try:
        schema = parquet.read_schema(file)
    except (pa.ArrowException, OSError) as error:
        told = " ".join(str(error).split())
        raise EngineError(f"{file}: cannot be read: {told}. Give a whole Parquet file") from None
    for name, count in Counter(schema.names).items():
        if count > 1:
            raise EngineError(f"{file}: {count} columns are called {name}; rename all but one")
    return {one.name: one.type for one in schema}


def _folders(file: str) -> Iterable[str]:
    """Name the columns that folders of the path stand for: NAME=VALUE."""
    return [part.partition("=")[0] for part in Path(file).parent.parts if "=" in part]


def _alike(first: tuple[str, dict[str, Any]], other: tuple[str, dict[str, Any]]) -> None:
    """Refuse a column that one file has and another lacks, or stores at another width."""
    for (file, types), (beside, others) in ((first, other), (other, first)):
        for name in types:
            if name not in others:
                raise EngineError(
                    f"{beside}: has no column {name}, which {file} has; give every file the same"
                )
    for name, kind in other[1].items():
        widths = {_width(first[1][name]), _width(kind)} - {None}
        if len(widths) > 1:
            raise EngineError(
                f"{other[0]}: column {name} is of the type {kind}, and of {first[1][name]} in "
                f"{first[0]}; a number means the shortest decimal of its own type: store one"
            )
        if "halffloat" in str(kind):
            raise EngineError(
                f"{other[0]}: column {name} is of 16-bit numbers, which engines widen; store "
                "64-bit ones"
            )


def _width(kind: Any) -> str | None:  # noqa: ANN401 - a type of pyarrow
    """Give what decides a number's shortest decimal, alone or in a list; None: no values at all."""
    from pyarrow import types  # noqa: PLC0415 - heavy

    inner = kind.value_type if hasattr(kind, "value_type") else kind
    if types.is_null(inner):
        return None
    return str(inner) if types.is_floating(inner) else ""
