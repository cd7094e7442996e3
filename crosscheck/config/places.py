"""Which files a path means: the file itself, the tables of a folder, those that a glob names."""

from __future__ import annotations

import json
from glob import glob, has_magic
from pathlib import Path

TABLES = ("csv", "tsv", "json", "jsonl", "ndjson", "parquet", "arrow", "feather")
"""What a table's name ends in (docs/interface.md, Files)."""
COMPRESSED = {".gz": "gzip", ".zst": "zstd"}
"""What the name of a compressed file ends in → how it is compressed."""
SPLITS = "dataset_dict.json"
"""What Hugging Face `datasets` writes into a folder of splits."""
STATE = "state.json"
"""What Hugging Face `datasets` writes beside the tables of a data set: their order."""


def bare(name: str) -> str:
    """Give a file's name without what says that it is compressed."""
    for end in COMPRESSED:
        if name.lower().endswith(end):
            return name[: -len(end)]
    return name


def kind(path: Path) -> str:
    """Give what a file's name ends in, compression aside."""
    return bare(path.name).rpartition(".")[2].lower()


def is_pattern(place: str) -> bool:
    """Tell whether a path is a glob: a file whose name holds such a sign is a file."""
    return has_magic(place) and not Path(place).exists()


def members(place: str) -> list[Path]:
    """Give every file that a path means, in the order in which they are read."""
    path = Path(place)
    if path.is_dir():
        return _of_folder(path)
    if is_pattern(place):
        found = map(Path, glob(place))  # noqa: PTH207 - the pattern may begin at the root
        return sorted((one for one in found if one.is_file()), key=str)
    return [path]


def _of_folder(folder: Path) -> list[Path]:
    state = folder / STATE
    if state.is_file():
        return [state, *_stated(state)]
    tables = (path for path in folder.iterdir() if path.is_file() and kind(path) in TABLES)
    return sorted((path for path in tables if not path.name.startswith(".")), key=_name)


def partitions(place: str) -> list[str]:
    """Name the folders in a folder that hold Parquet and are a column's values, as in `fold=0`."""
    path = Path(place)
    found = (one for one in path.iterdir() if one.is_dir()) if path.is_dir() else ()
    return sorted(
        one.name for one in found if "=" in one.name and next(one.rglob("*.parquet"), None)
    )


def _stated(state: Path) -> list[Path]:
    """Name the tables of a data set as its state lists them; nonsense is the readers' to refuse."""
    try:
        listed = json.loads(state.read_text(encoding="utf-8"))["_data_files"]
        names = [Path(one["filename"]).name for one in listed]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []
    return [state.parent / name for name in names if (state.parent / name).is_file()]


def splits_of(place: str) -> list[str]:
    """Name the splits of a data set of `datasets` that is a folder of splits; none of another."""
    try:
        listed = json.loads((Path(place) / SPLITS).read_text(encoding="utf-8"))["splits"]
        return [str(one) for one in listed]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []


def _name(path: Path) -> str:
    return path.name


def called(place: str) -> str:
    """Name a system after its file or folder, without what only says how it is written."""
    path = Path(place)
    if is_pattern(place):
        named = path.parent.name or path.name.translate(dict.fromkeys(map(ord, "*?[]")))
        path = Path(named.strip("-_. ") or "system")
    if path.is_dir():
        return path.resolve().name or "system"
    name = bare(path.name)
    return name.rpartition(".")[0] or name or "system"
