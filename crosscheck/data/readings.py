"""What was read of a system's files, kept for the next question about them in the same process.

Reading is most of the work, and what an implementation has read remembers what it was asked before
(docs/interface.md). It is kept for one hearing, and as long as there is room for it.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from crosscheck.config.places import members

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import ModuleType

    from crosscheck.data.case import Case

Made = TypeVar("Made")
ROWS_KEPT = 200_000
"""EVAL rows that are kept in all: the six systems of the study, by both implementations."""


@dataclass(frozen=True, slots=True)
class _Question:
    """What is made of which files, as they are now, and how."""

    made: str
    files: tuple[tuple[str, int, int, int], ...]
    settings: str
    """As text."""
    rows: int = field(compare=False)


Kept = dict[_Question, Any]
"""What was asked for last stands last."""

_KEPT: ContextVar[Kept | None] = ContextVar("kept", default=None)


@contextmanager
def keeping() -> Iterator[None]:
    """Keep what is read meanwhile; at any other time nothing is."""
    token = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(token)


def reading(package: ModuleType, case: Case, extra: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401 - the package's own class
    """Read a case, under further settings too, unless that is kept; a sample never is."""
    settings = {**case.settings, **(extra or {})}

    def read() -> Any:  # noqa: ANN401 - the same
        return package.read(case.data, settings)

    return read() if case.scope else once(package.__name__, case, settings, read)


def once(made: str, case: Case, settings: Mapping[str, Any], make: Callable[[], Made]) -> Made:
    """Give what is made of a case's files; make it, unless it is kept. Of large data nothing is."""
    kept = _KEPT.get()
    rows = case.facts["rows"]["EVAL"] if case.facts else 0
    if kept is None or rows > ROWS_KEPT // 2:
        return make()
    asked = _question(made, case.data, settings, rows)
    found: Made = kept.pop(asked) if asked in kept else make()
    kept[asked] = found
    while sum(one.rows for one in kept) > ROWS_KEPT:
        del kept[next(iter(kept))]
    return found


def _question(made: str, data: Any, settings: Mapping[str, Any], rows: int) -> _Question:  # noqa: ANN401 - a path, or TREC's two
    places = [data[role] for role in sorted(data)] if isinstance(data, dict) else [data]
    files = []
    for path in (path for place in places for path in members(str(place))):
        now = path.stat()
        files.append((str(path), now.st_ino, now.st_size, now.st_mtime_ns))
    written = json.dumps(settings, sort_keys=True, default=str)
    return _Question(made, tuple(files), written, rows)
