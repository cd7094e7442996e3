"""The built-in study: a data set generated to the contract's profile, the same on every machine.

`write` puts it on disk: one file per system, the config and truthful claims. `SYSTEM_NAMES` are the
six configurations of the ablation, `full` is the whole pipeline.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.study.profile import SYSTEM_NAMES, SYSTEMS, Configuration

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "CLAIMS_NAME",
    "FORMATS",
    "SYSTEMS",
    "SYSTEM_NAMES",
    "Configuration",
    "config_text",
    "file_names",
    "put",
    "write",
]

FORMATS = ("csv", "parquet")
CONFIG_NAME = "crosscheck.toml"
CLAIMS_NAME = "claims.json"


def file_names(
    systems: Sequence[str] = ("full",),
    format: str = "csv",  # noqa: A002 - the name that the command line uses
) -> dict[str, str]:
    """Name the files that `write` makes: each system's, then `config` and `claims`."""
    _refuse_unknown(systems, format)
    names = {name: f"{name}.{format}" for name in SYSTEM_NAMES if name in systems}
    names["config"] = CONFIG_NAME
    if "full" in names:
        names["claims"] = CLAIMS_NAME
    return names


def config_text(
    systems: Sequence[str] = ("full",),
    format: str = "csv",  # noqa: A002 - the name that the command line uses
) -> str:
    """Write the study's `crosscheck.toml` for these systems' files."""
    from crosscheck.study.config import text  # noqa: PLC0415 - needs numpy

    _refuse_unknown(systems, format)
    return text([one for one in SYSTEMS if one.name in systems], format, CLAIMS_NAME)


def write(
    directory: str | Path,
    *,
    systems: Sequence[str] = ("full",),
    format: str = "csv",  # noqa: A002 - the name that the command line uses
) -> dict[str, Path]:
    """Write these systems' files, the config and the claims; say where each one is."""
    from crosscheck.study.columns import columns  # noqa: PLC0415 - needs numpy
    from crosscheck.study.files import WRITERS  # noqa: PLC0415 - needs numpy

    names = file_names(systems, format)
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    paths = {name: folder / file for name, file in names.items()}
    for system in SYSTEMS:
        if system.name in paths:
            put(paths[system.name], WRITERS[format](columns(system)))
    put(paths["config"], config_text(systems, format).encode())
    if "claims" in paths:
        put(paths["claims"], resources.files(__name__).joinpath(CLAIMS_NAME).read_bytes())
    return paths


def put(path: Path, content: bytes) -> None:
    """Write a file in one step, so that nobody ever reads half of it."""
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(content)
    part.replace(path)


def _refuse_unknown(systems: Sequence[str], format: str) -> None:  # noqa: A002 - as above
    unknown = [name for name in systems if name not in SYSTEM_NAMES]
    if unknown or not systems:
        found = ", ".join(f"“{name}”" for name in unknown) or "none"
        raise UserError(
            f"the built-in study: systems asked for: {found}; expected one or more of "
            f"{', '.join(SYSTEM_NAMES)}"
        )
    if format not in FORMATS:
        raise UserError(
            f"the built-in study: format “{format}” is not known; expected {' or '.join(FORMATS)}"
        )
