"""What the files of a folder are: data, judgements and runs, claims. Asked of whoever reads them.

A file is data if the primary reads it and knows what to compute, judgements and runs by the shape
of their lines, claims if at least one of its numbers is a metric's.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck.claims import examine
from crosscheck.config import FILE
from crosscheck.config.places import TABLES, kind
from crosscheck.data import door
from crosscheck.data.looks import is_judgements, is_run, looks_like
from crosscheck.errors import UserError
from crosscheck.limits import admit
from crosscheck.report.names import REPORT

if TYPE_CHECKING:
    from collections.abc import Iterator

DEPTH = 3
"""Folders inside each other that are looked into."""
MOST = 300
"""Files that are looked at."""
DOCUMENTS = ("tex", "md", "markdown", "html", "ipynb", "docx", "xlsx", "yaml", "yml")
TEXTS = ("txt", "run", "res", "trec", "qrels", "out", "eval")
LARGEST = 1 << 24
"""Bytes of a file that may be claims."""
LINES = 20
SOME = 100_000
"""Lines of judgements or of a run that are asked for their queries."""
SKIPPED = ("node_modules", "__pycache__", "reports", "site-packages")


@dataclass(frozen=True, slots=True)
class Data:
    """Data that can be gated: a table, or judgements with a run."""

    place: str | dict[str, str]
    """Relative to the folder."""
    rows: int
    families: tuple[str, ...]

    @property
    def name(self) -> str:
        """What a system of these data goes by."""
        file = self.place if isinstance(self.place, str) else self.place["run"]
        return Path(file).name.partition(".")[0]


@dataclass(slots=True)
class Found:
    """What a folder holds."""

    data: list[Data] = field(default_factory=list)
    claims: dict[str, int] = field(default_factory=dict)
    """File → how many of its numbers are a metric's."""
    hints: list[str] = field(default_factory=list)
    """What could be data if somebody said how."""
    unread: int = 0
    """Files beyond those that were looked at."""


def recognise(folder: Path) -> Found:
    """Look at every file of a folder that could be data or claims."""
    found = Found()
    judged: list[str] = []
    runs: list[str] = []
    files = list(_files(folder))
    found.unread = max(0, len(files) - MOST)
    for path in files[:MOST]:
        name = path.relative_to(folder).as_posix()
        shape = _shape(path)
        if shape is not None:
            (judged if shape == "qrels" else runs).append(name)
        elif kind(path) in TABLES and (data := _data(folder, name)):
            found.data.append(data)
        elif claims := _claims(path):
            found.claims[name] = claims
        elif kind(path) in TABLES and (hint := looks_like(path, alone=True)):
            found.hints.append(hint)
    found.data += _pairs(folder, judged, runs)
    return found


def _files(folder: Path) -> Iterator[Path]:
    for at, folders, names in os.walk(folder):
        place = Path(at)
        if REPORT in names:
            folders.clear()
            continue
        deep = len(place.relative_to(folder).parts) >= DEPTH
        folders[:] = sorted(one for one in folders if not (deep or _skipped(one)))
        for name in sorted(names):
            path = place / name
            known = kind(path) in (*TABLES, *DOCUMENTS, *TEXTS)
            if known and not _skipped(name) and name != FILE and path.is_file():
                yield path


def _skipped(name: str) -> bool:
    return name.startswith(".") or name in SKIPPED


def _shape(path: Path) -> str | None:
    """Tell judgements and runs: by the fields of their lines, or as JSON by what they hold."""
    try:
        admit(path)
        with path.open(encoding="utf-8-sig") as file:
            lines = [line for line in islice(file, LINES) if line.strip()]
        if kind(path) == "json" and path.stat().st_size < LARGEST:
            return _pair_shape(path, json.loads(path.read_text(encoding="utf-8-sig")))
    except (OSError, ValueError, UserError, RecursionError):
        return None
    fields = [line.split() for line in lines]
    if lines and all(map(is_run, fields)):
        return "run"
    if lines and all(map(is_judgements, fields)):
        return "qrels"
    headed = bool(fields) and fields[0][:3] == ["query-id", "corpus-id", "score"]
    return "qrels" if headed else None


def _pair_shape(path: Path, held: Any) -> str | None:  # noqa: ANN401 - whatever JSON holds
    if not isinstance(held, dict) or not held:
        return None
    inner = [one for one in held.values() if isinstance(one, dict) and one]
    numbers = [value for one in inner for value in one.values()]
    if len(inner) < len(held) or not all(isinstance(one, int | float) for one in numbers):
        return None
    return "qrels" if "qrel" in path.name.lower() else "run" if len(held) > 1 else None


def _data(folder: Path, name: str) -> Data | None:
    return _described(str(folder / name), name)


def _described(data: str | dict[str, str], place: str | dict[str, str]) -> Data | None:
    """Ask the primary what it would compute; nothing where it would compute nothing."""
    try:
        for file in (data,) if isinstance(data, str) else data.values():
            admit(file)
        facts = door.primary.describe(data, {})
    except (door.primary.InputError, UserError, OSError, ImportError):
        return None
    families = tuple(one for one in facts["families"] if not one.endswith("_slices"))
    return Data(place, facts["rows"]["EVAL"], families) if families else None


def _pairs(folder: Path, judged: list[str], runs: list[str]) -> Iterator[Data]:
    """Pair each run with the judgements that share the most queries with it."""
    queries = {name: _queries(folder / name) for name in (*judged, *runs)}
    for run in runs:
        shared = {name: len(queries[name] & queries[run]) for name in judged}
        best = max(judged, key=lambda name: shared[name], default=None)
        if best is not None and shared[best]:
            place = {"qrels": best, "run": run}
            data = _described({name: str(folder / one) for name, one in place.items()}, place)
            yield from [data] if data is not None else []


def _queries(path: Path) -> set[str]:
    """Name the queries of judgements or of a run, as far as one looks."""
    if kind(path) == "json":
        return set(json.loads(path.read_text(encoding="utf-8-sig")))
    with path.open(encoding="utf-8-sig") as file:
        return {line.split(maxsplit=1)[0] for line in islice(file, SOME) if line.strip()}


def _claims(path: Path) -> int:
    try:
        if path.stat().st_size > LARGEST:
            return 0
        return sum(one.key is not None for one in examine(path).claims)
    except (UserError, OSError):
        return 0
