"""What was read of a system's files, kept for the next question about them in the same process.

Reading is most of the work, and what an implementation has read remembers what it was asked before
(docs/interface.md). It is kept for one hearing, and as long as there is room for it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from crosscheck.config.places import members

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from crosscheck.data.case import Case

ROWS_KEPT = 200_000
"""EVAL rows that are kept in all: the six systems of the study, by both implementations."""


@dataclass(frozen=True, slots=True)
class _Question:
    """Who reads which files, as they are now, and how."""

    package: str
    files: tuple[tuple[str, int, int, int], ...]
    settings: str
    """As text."""
    rows: int = field(compare=False)


_kept: dict[_Question, Any] = {}
"""What was asked for last stands last."""


def reading(package: ModuleType, case: Case, extra: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401 - the package's own class
    """Read a case, under further settings too, unless that is kept; large data never are."""
    settings = {**case.settings, **(extra or {})}
    rows = case.facts["rows"]["EVAL"] if case.facts else 0
    if rows > ROWS_KEPT // 2 or case.scope:
        return package.read(case.data, settings)
    asked = _question(package, case.data, settings, rows)
    study = _kept.pop(asked, None)
    if study is None:
        study = package.read(case.data, settings)
    _kept[asked] = study
    while sum(one.rows for one in _kept) > ROWS_KEPT:
        del _kept[next(iter(_kept))]
    return study


def forget() -> None:
    """Let go of everything."""
    _kept.clear()


def _question(package: ModuleType, data: Any, settings: dict[str, Any], rows: int) -> _Question:  # noqa: ANN401 - a path, or TREC's two
    places = [data[role] for role in sorted(data)] if isinstance(data, dict) else [data]
    files = []
    for path in (path for place in places for path in members(str(place))):
        now = path.stat()
        files.append((str(path), now.st_ino, now.st_size, now.st_mtime_ns))
    written = json.dumps(settings, sort_keys=True, default=str)
    return _Question(package.__name__, tuple(files), written, rows)
