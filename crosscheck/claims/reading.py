"""Read a file of claims, whatever its format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck.claims import layout
from crosscheck.claims.cells import Cells, Leaf
from crosscheck.claims.readers import readers
from crosscheck.claims.scale import settle
from crosscheck.errors import UserError

if TYPE_CHECKING:
    from crosscheck.claims.claim import Claim

OTHERWISE = "markdown"
"""What a text is read as that no reader recognises: any text may hold a pipe table."""


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
    claims = read_text(text, file.name, form(text, file.suffix))
    if all(claim.role == "setting" for claim in claims):
        raise UserError(
            f"{file}: holds no number in a table or under a name; expected "
            f"{', '.join(one.name for one in readers().values())}, with one of the two"
        )
    return claims


def read_text(text: str, name: str, form: str) -> list[Claim]:
    """Read claims from text in a known format."""
    found = readers()[form].read(text, name)
    claims = layout.from_leaves([one for one in found if isinstance(one, Leaf)], name)
    for grid in found:
        claims += layout.from_grid(grid, name) if isinstance(grid, Cells) else []
    return settle(claims)


def form(text: str, suffix: str = "") -> str:
    """Tell the format by the end of the file's name, else by the text."""
    named = (name for name, one in readers().items() if suffix.lower() in one.suffixes)
    seen = (name for name, one in readers().items() if one.recognises(text))
    return next(named, None) or next(seen, OTHERWISE)
