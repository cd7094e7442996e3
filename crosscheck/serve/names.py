"""The name under which a visitor's file lies here: one word that leads nowhere else."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from crosscheck import config
from crosscheck.config.places import COMPRESSED, STATE

if TYPE_CHECKING:
    from collections.abc import Container

LONGEST = 60
"""Characters; as bytes no more than any file system takes."""
_ODD = re.compile(r"[^\w.+()-]+")
RESERVED = {config.FILE, config.PROJECT, STATE, "report", "report.zip"}
"""Names of ours, and those that would be found beside data and obeyed."""


def plain(name: str | None, otherwise: str, taken: Container[str] = ()) -> str:
    """Give the last part of a name in characters that mean nothing to a shell or a glob."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name or ""))[-1]
    word = _ODD.sub("_", last)
    end = "".join(re.findall(r"\.\w{1,8}", word)[-2:])
    end = end if _known(end) else end[end.rfind(".") :] if end else ""
    stem = word[: len(word) - len(end)].strip("._-+()") or otherwise
    found = f"{stem[: LONGEST - len(end)]}{end}"
    count = 1
    while found.lower() in RESERVED or found in taken:
        count += 1
        found = f"{stem[: LONGEST - len(end) - 4]}-{count}{end}"
    return found


def _known(end: str) -> bool:
    """Whether two endings belong together: `.csv.gz`."""
    return end.count(".") > 1 and f".{end.rpartition('.')[2].lower()}" in COMPRESSED
