"""Several files of one study: a folder, a glob, a folder of Hugging Face `datasets`."""

from __future__ import annotations

import glob
import json
from pathlib import Path
from typing import TYPE_CHECKING

from primary.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Collection

WILD = "*?["
STATE = "state.json"
"""What a folder of Hugging Face `datasets` is known by."""

ONE_KIND = {"ndjson": "jsonl", "feather": "arrow"}
"""Endings that are another name for the same."""


def kind_of(path: Path) -> str:
    """Give the ending of a name, that of compression apart."""
    name = path.name.lower().removesuffix(".gz").removesuffix(".zst")
    return name.rpartition(".")[2] if "." in name else ""


def files_of(path: Path, kinds: Collection[str]) -> list[Path] | None:
    """Give the files that a folder or a glob stands for; None of what is one file."""
    if path.is_dir():
        return _one_kind(_in_folder(path, kinds), path)
    if not path.exists() and any(sign in str(path) for sign in WILD):
        # Path.glob takes no pattern that begins at the root.
        found = [Path(one) for one in glob.glob(str(path))]  # noqa: PTH207
        tables = sorted((one for one in found if one.is_file()), key=str)
        if not tables:
            raise refuse("no file matches", "Check the pattern.", file=str(path))
        return _one_kind(tables, path)
    return None


def _in_folder(folder: Path, kinds: Collection[str]) -> list[Path]:
    if (folder / STATE).is_file():
        return _of_datasets(folder)
    if (folder / "dataset_dict.json").is_file():
        raise refuse(
            "the folder holds several splits of `datasets`",
            "Give the folder of one split, such as test.",
            file=str(folder),
        )
    tables = [
        one
        for one in folder.iterdir()
        if one.is_file() and kind_of(one) in kinds and not one.name.startswith(".")
    ]
    if not tables:
        raise refuse(
            "the folder holds no tables",
            f"Give a folder with {', '.join(f'.{kind}' for kind in kinds)} files.",
            file=str(folder),
        )
    return sorted(tables, key=lambda one: one.name)


def _of_datasets(folder: Path) -> list[Path]:
    """Give the files that the state names, in its order."""
    try:
        state = json.loads((folder / STATE).read_text(encoding="utf-8"))
        names = [one["filename"] for one in state["_data_files"]]
        plain = all(isinstance(name, str) and Path(name).name == name for name in names)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        names, plain = [], False
    if not plain or not names:
        raise refuse(
            "the file does not say which files the data are in",
            "Save the dataset again with save_to_disk.",
            file=str(folder / STATE),
        )
    return [folder / name for name in names]


def _one_kind(files: list[Path], source: Path) -> list[Path]:
    endings = sorted({kind_of(one) for one in files})
    if len({ONE_KIND.get(ending, ending) for ending in endings}) > 1:
        raise refuse(
            f"the files are of several kinds: {', '.join(f'.{ending}' for ending in endings)}",
            "Name those of one kind with a pattern, as results/*.csv.",
            file=str(source),
        )
    return files
