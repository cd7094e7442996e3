"""Read a file of claims, whatever its format."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck.claims import layout
from crosscheck.claims.readers import csv_file, json_file, latex_file, markdown_file
from crosscheck.claims.scale import settle
from crosscheck.errors import UserError

if TYPE_CHECKING:
    from crosscheck.claims.claim import Claim

FORMATS = {
    ".json": "json",
    ".csv": "csv",
    ".tsv": "csv",
    ".md": "markdown",
    ".markdown": "markdown",
    ".tex": "latex",
    ".latex": "latex",
}


def read(path: str | Path) -> list[Claim]:
    """Read every number that a file claims; what is not understood keeps its problem.

    A file without any number is refused: a gate that checked nothing of it must not pass.
    """
    file = Path(path)
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{file}: not UTF-8 text (byte {error.start}); save it as UTF-8") from error
    claims = read_text(text, file.name, FORMATS.get(file.suffix.lower()) or sniff(text))
    if all(claim.role == "setting" for claim in claims):
        raise UserError(
            f"{file}: holds no number in a table or under a name; expected JSON, CSV, or "
            "Markdown or LaTeX with a table"
        )
    return claims


def read_text(text: str, name: str, form: str) -> list[Claim]:
    """Read claims from text in a known format."""
    if form == "json":
        claims = layout.from_leaves(json_file.leaves(text, name), name)
    else:
        if form == "csv":
            grids = csv_file.grids(text, name)
        elif form == "latex":
            grids = latex_file.grids(text)
        else:
            grids = markdown_file.grids(text)
        claims = [claim for grid in grids for claim in layout.from_grid(grid, name)]
    return settle(claims)


def sniff(text: str) -> str:
    """Tell the format of a file whose name does not."""
    if re.match(r"\s*[{\[]", text) and not re.match(r"\s*\[[^\]]*\]\(", text):
        return "json"
    return "latex" if "\\begin{" in text else "markdown"
