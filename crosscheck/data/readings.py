"""What was read of a system's files, kept for the next question about them in the same process.

Reading is most of the work, and what an implementation has read remembers what it was asked before
(docs/interface.md). It is kept for one hearing, and as long as there is room for it.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from crosscheck.config.places import members
from crosscheck.data import door

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from types import ModuleType

Made = TypeVar("Made")
ROWS_KEPT = 200_000
"""EVAL rows that are kept in all: the six systems of the study, by both implementations."""


class Described(Protocol):
    """A case: where its data lie, how to read them, what is known of them."""

    @property
    def data(self) -> Any:  # noqa: ANN401 - a path, or TREC's two
        """The data's place."""

    @property
    def settings(self) -> dict[str, Any]:
        """How they are read."""

    @property
    def facts(self) -> dict[str, Any]:
        """The facts of docs/interface.md."""

    @property
    def scope(self) -> str:
        """Empty for all rows."""


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


def reading(package: ModuleType, case: Described, extra: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401 - the package's own class
    """Read a case, under further settings too, unless that is kept; a sample never is."""
    settings = {**case.settings, **(extra or {})}

    def read() -> Any:  # noqa: ANN401 - the same
        return package.read(case.data, settings)

    return read() if case.scope else once(package.__name__, case, settings, read)


def described(package: ModuleType, data: Any, settings: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - a path, or TREC's two
    """Read data and give their facts; what was read is kept for whoever asks next."""
    try:
        asked = _question(package.__name__, data, settings, 0)
    except OSError:  # the implementation has the words for it
        asked = None
    study = package.read(data, settings)
    facts: dict[str, Any] = package.describe(study)
    if asked is not None and "sample" not in settings:
        _keep(replace(asked, rows=facts["rows"]["EVAL"]), study)
    return facts


def read_ahead(asked: Ahead) -> None:
    """Read small data before anybody knows what will be asked of them; they are kept."""
    if _is_small(asked.data):
        package = getattr(door, asked.package)
        question = _question(package.__name__, asked.data, asked.settings, 0)
        _keep(question, package.read(asked.data, asked.settings))


@dataclass(frozen=True, slots=True)
class Ahead:
    """Data of which it is known by whom and how they will be read, and nothing else yet."""

    package: str
    data: Any
    settings: dict[str, Any]
    name: str = ""
    scope: str = ""


SMALL = 32_000_000
"""Bytes of text that are read ahead: whoever reads more may be asked about a sample alone."""
PLAIN = ("csv", "tsv", "jsonl", "ndjson")
"""Ends of the names of tables whose size on disk says how much there is to read."""


def _is_small(data: Any) -> bool:  # noqa: ANN401 - a path, or TREC's two
    files = _files(data)
    plain = all(path.suffix.lower().lstrip(".") in PLAIN for path in files)
    return plain and sum(path.stat().st_size for path in files) <= SMALL


def once(made: str, case: Described, settings: Mapping[str, Any], make: Callable[[], Made]) -> Made:
    """Give what is made of a case's files; make it, unless it is kept. Of large data nothing is."""
    kept = _KEPT.get()
    rows = case.facts["rows"]["EVAL"] if case.facts else 0
    if kept is None or rows > ROWS_KEPT // 2:
        return make()
    asked = _question(made, case.data, settings, rows)
    found: Made = kept[asked] if asked in kept else make()
    _keep(asked, found)
    return found


def at_hand(package: ModuleType, case: Described) -> bool:
    """Say whether this process keeps what a package read of a case."""
    kept = _KEPT.get()
    if not kept or case.scope:
        return False
    rows = case.facts["rows"]["EVAL"]
    return _question(package.__name__, case.data, case.settings, rows) in kept


def _keep(asked: _Question, found: Any) -> None:  # noqa: ANN401 - whatever was made
    kept = _KEPT.get()
    if kept is None or asked.rows > ROWS_KEPT // 2:
        return
    kept.pop(asked, None)
    kept[asked] = found
    while sum(one.rows for one in kept) > ROWS_KEPT:
        del kept[next(iter(kept))]


def _question(made: str, data: Any, settings: Mapping[str, Any], rows: int) -> _Question:  # noqa: ANN401 - a path, or TREC's two
    files = []
    for path in _files(data):
        now = path.stat()
        files.append((str(path), now.st_ino, now.st_size, now.st_mtime_ns))
    written = json.dumps(settings, sort_keys=True, default=str)
    return _Question(made, tuple(files), written, rows)


def _files(data: Any) -> list[Path]:  # noqa: ANN401 - a path, or TREC's two
    places = [data[role] for role in sorted(data)] if isinstance(data, dict) else [data]
    return [path for place in places for path in members(str(place))]
