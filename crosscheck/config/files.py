"""The file of a config: what it is called, where it is looked for, the table that it holds."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from crosscheck.errors import UserError
from crosscheck.limits import admit, refuse_shape

FILE = "crosscheck.toml"
PROJECT = "pyproject.toml"


def find(data: Path | None = None) -> Path | None:
    """Look for a config beside the data, then in the working folder."""
    folders = [data if data.is_dir() else data.parent] if data else []
    for folder in [*folders, Path()]:
        if (folder / FILE).is_file():
            return folder / FILE
        project = folder / PROJECT
        if project.is_file() and "crosscheck" in parse(project).get("tool", {}):
            return project
    return None


def parse(path: Path) -> dict[str, Any]:
    """Read a file's table, or say why it holds none."""
    admit(path, "config")
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise UserError(f"{path} has too many levels inside each other. Mend it.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}. Check --config.") from None
    except ValueError as error:  # no TOML, no UTF-8, or a number of more digits than Python reads
        raise UserError(f"{path} is not valid TOML: {error}. Mend the line named.") from None
    refuse_shape(path, table)
    return table
