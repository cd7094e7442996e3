"""Several files of one study: a folder, a glob, or a Hugging Face data set (docs/interface.md)."""

from __future__ import annotations

import glob
import json
from bisect import bisect_left
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reference import files
from reference.files import FORMATS, Source, kind_of, unreadable

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from reference.files import Cells

STATE = "state.json"


def source(path: Path) -> Source:
    """Open a table, or several as one."""
    if path.is_dir():
        return _together(path, _of_folder(path))
    if not path.exists() and glob.has_magic(str(path)):
        found = sorted(each for each in glob.glob(str(path)) if Path(each).is_file())  # noqa: PTH207 - a path of any kind
        if not found:
            raise unreadable(path, "no file has such a name")
        return _together(path, [Path(each) for each in found])
    return files.source(path)


def _of_folder(folder: Path) -> list[Path]:
    """Return the tables of a folder by name, or in the order that a data set states."""
    if (folder / STATE).is_file():
        return _stated(folder)
    inside = [each for each in folder.iterdir() if each.is_file() and each.name[0] != "."]
    found = sorted(
        (each for each in inside if kind_of(each) in FORMATS), key=lambda each: each.name
    )
    if not found:
        parts = sorted(each.parent.name for each in folder.glob(f"*/{STATE}"))
        held = f"; it holds the data sets {', '.join(parts)}" if parts else ""
        raise unreadable(folder, f"holds no table{held}")
    return found


def _stated(folder: Path) -> list[Path]:
    try:
        stated: Any = json.loads((folder / STATE).read_text(encoding="utf-8"))
        names = [str(each["filename"]) for each in stated["_data_files"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise unreadable(folder / STATE, "does not state the files of a data set") from error
    strange = [name for name in names if Path(name).name != name]
    if strange or not names:
        raise unreadable(folder / STATE, "does not state the files of a data set")
    return [folder / name for name in names]


def _together(place: Path, paths: Sequence[Path]) -> Source:
    """Read files of one kind one after the other."""
    kinds = {kind_of(each): each.name for each in paths}
    readers = {FORMATS[kind].read if kind in FORMATS else kind for kind in kinds}
    if len(readers) > 1:
        what = f"holds tables of several kinds, such as {' and '.join(list(kinds.values())[:2])}"
        raise unreadable(place, what)
    sources = [files.source(each) for each in paths]
    first = sources[0]
    for path, each in zip(paths, sources, strict=True):
        twice = next((name for name in each.header if each.header.count(name) > 1), None)
        if twice is not None:
            raise unreadable(path, f"two columns are called {twice!r}")
    header = list(dict.fromkeys(name for each in sources for name in each.header))
    lengths: list[int] = []

    def rows(columns: Sequence[str], ids: Collection[str]) -> Cells:
        for path, each in zip(paths, sources, strict=True):
            lacking = [name for name in columns if name not in each.header]
            if lacking and not first.open_columns:
                raise unreadable(path, f"has no column {lacking[0]!r}, which another file has")
        lengths.clear()
        for each in sources:
            lengths.append(0)
            for row in each.rows(columns, ids):
                lengths[-1] += 1
                yield row

    def where(row: int) -> tuple[str, int]:
        ends = list(accumulate(lengths))
        at = bisect_left(ends, row)
        return str(paths[at]), row - (ends[at - 1] if at else 0)

    return Source(header, rows, where, first.open_columns, first.typed)
