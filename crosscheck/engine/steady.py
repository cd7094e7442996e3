"""Whether files stood still while an engine counted them: it reads them many times over.

A file that is replaced between two readings would give one number of the old rows and the next of
the new ones, without a word from any engine. Files elsewhere (`s3://…`) are not looked at.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck.engine.base import EngineError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Stamp = tuple[int, int, int] | None

REMOTE = "://"


@contextmanager
def steady(files: Sequence[str]) -> Iterator[None]:
    """Refuse what was counted of files that changed meanwhile, also where it broke off."""
    before = {file: _stamp(file) for file in files if REMOTE not in file}
    try:
        yield
    except EngineError:
        _refuse_changed(before)
        raise
    _refuse_changed(before)


def _stamp(file: str) -> Stamp:
    """Give what a file that is written anew has otherwise; None: it is not there."""
    try:
        found = Path(file).stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino


def _refuse_changed(before: dict[str, Stamp]) -> None:
    for file, stamp in before.items():
        now = _stamp(file)
        if now != stamp:
            what = "is gone" if now is None else "has changed"
            raise EngineError(
                f"{file}: {what} since it was begun to be counted; run again when nobody writes it"
            ) from None
