"""A report's folder: made aside, then moved into place, so that nobody finds half of one.

It is made before the work begins: a place that cannot be written to is said at once.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from crosscheck import system
from crosscheck.errors import UserError
from crosscheck.limits import admit
from crosscheck.report.formats import formats
from crosscheck.report.names import LEDGER, MACHINE, REPORT, SAMPLE, folder_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


@contextmanager
def aside(out: Path, like: Collection[str] = ()) -> Iterator[Path]:
    """Give a folder beside `out`; it becomes `out` at the end, or vanishes if anything failed.

    `like`: names of a report's files where they are known, which spares looking up all formats.
    """
    target = Path(os.path.abspath(out))  # noqa: PTH100 - resolve() would follow a link given as out
    pages = frozenset(name for name in like if "/" not in name)
    _refuse_foreign(target, pages)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise UserError(
            f"--out {out}: cannot be written to ({error.strerror}); name another folder"
        ) from None
    placed = False
    try:
        yield folder
        # On the disk before it is given its name.
        system.sync(folder)
        folder.chmod(0o755)
        _put_in_place(folder, target, pages)
        placed = True
    except OSError as error:
        raise UserError(
            f"--out {out}: the report could not be written ({error.strerror}); nothing was left "
            "behind. Make room, or name another folder"
        ) from None
    finally:
        if placed:
            _remove_ours(folder, pages)
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _refuse_foreign(target: Path, pages: Collection[str]) -> None:
    """Never replace what is not a report of ours."""
    if not target.exists():
        return
    if not target.is_dir():
        raise UserError(f"--out {target}: is a file; name a folder")
    if any(target.iterdir()) and not (target / REPORT).is_file():
        raise UserError(
            f"--out {target}: holds files that are no report of ours, and would be replaced; "
            "name a new folder"
        )
    strangers = _strangers(target, pages)
    if strangers:
        raise UserError(
            f"--out {target}: holds {', '.join(strangers[:3])} besides an old report, which would "
            "be lost; move it, or name a new folder"
        )


def _strangers(target: Path, pages: Collection[str]) -> list[str]:
    """Name what lies in a report's folder, or below it, and was not written by us."""
    if not (target / REPORT).is_file():
        return []
    ours = _ours(target, pages)
    if ours is None:
        return [f"a {REPORT} that is not ours"]
    return sorted(name for name in _everything(target) if name not in ours)


def _ours(target: Path, pages: Collection[str]) -> set[str] | None:
    """Name every file that the report of a folder was written with, and the folders they are in.

    By the report's word, of any version of the schema: an older one is there to be replaced.
    """
    admit(target / REPORT, "report")
    try:
        stated = json.loads((target / REPORT).read_text(encoding="utf-8"))
        names = [one["name"] for one in stated["systems"]]
        folders = [f"{folder_name(name, names)}/" for name in names]
        figures = [one.get("figures") or [] for one in stated["systems"]]
        figures.append((stated.get("comparison") or {}).get("figures") or [])
        drawn = {str(file) for some in figures for one in some for file in one["files"]}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    ledgers = {f"{folder}{name}" for folder in ("", *folders) for name in (LEDGER, SAMPLE)}
    known = {*pages, MACHINE, *ledgers, *(one for one in drawn if DRAWN.search(one))}
    above = {str(one) for name in known for one in PurePosixPath(name).parents}
    ours = known | above | {"figures"} | {folder.rstrip("/") for folder in folders}
    return ours if ours.issuperset(_everything(target)) else ours | formats().keys()


DRAWN = re.compile(r"(?:^|/)figures/[^/]+\.(?:svg|pdf)$")
"""A figure, wherever a report says that it lies."""


def _everything(target: Path) -> list[str]:
    """List the files, links and folders below a folder; what a link leads to is not below it."""
    found = []
    for at, folders, names in os.walk(target):
        found += [Path(at) / name for name in (*folders, *names)]
    return [path.relative_to(target).as_posix() for path in found]


def _put_in_place(folder: Path, target: Path, pages: Collection[str]) -> None:
    """Give a finished folder its name; where an old report has it, the two change places.

    In one step where the system has it, so that the name always leads to a whole report.
    """
    if not target.exists():
        folder.rename(target)
        return
    _refuse_foreign(target, pages)  # once more: the run has taken a while
    if not system.exchange(folder, target):
        between = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        try:
            target.rename(between / OLD)
            try:
                folder.rename(target)
            except OSError:
                (between / OLD).rename(target)
                raise
            (between / OLD).rename(folder)
        finally:
            between.rmdir()


OLD = "old"


def _remove_ours(folder: Path, pages: Collection[str]) -> None:
    """Remove an old report's files; anything that came among them stays where it is."""
    if not folder.is_dir():
        return
    ours = (_ours(folder, pages) or set()) if (folder / REPORT).is_file() else set()
    for name in sorted(_everything(folder), reverse=True):
        place = folder / name
        with suppress(OSError):
            if place.is_dir() and not place.is_symlink():
                place.rmdir()
            elif name in ours:
                place.unlink()
    with suppress(OSError):
        folder.rmdir()
