"""The built-in studies beside that of evidence: each a set of small files, the same everywhere."""

from __future__ import annotations

from importlib import import_module, resources
from pathlib import Path

from crosscheck.study import CLAIMS_NAME, put

FURTHER = ("trec", "classes")
"""Each a module of this package with `files`, and `claims_NAME.json` beside it."""


def contents(name: str) -> dict[str, bytes]:
    """Give every file of a study by its name."""
    files: dict[str, bytes] = import_module(f"{__package__}.{name}").files()
    claims = resources.files(__package__ or "").joinpath(f"claims_{name}.json")
    return {**files, CLAIMS_NAME: claims.read_bytes()}


def write(name: str, directory: str | Path) -> dict[str, Path]:
    """Write a study to a folder; say where each file is."""
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    found = contents(name)
    for file, content in found.items():
        put(folder / file, content)
    return {file: folder / file for file in found}
