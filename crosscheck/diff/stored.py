"""A stored report with its ledgers: from a folder, or from a revision of a git repository.

A ledger whose hash is not the one in its `report.json` is refused: what would be compared then is
not what was verified.
"""

from __future__ import annotations

import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.limits import admit, limits, more
from crosscheck.report import json, ledger
from crosscheck.system import scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crosscheck.report.view import Report

RANGE = ".."
STATED = ("primary", "sql")
"""Whose column is compared: the primary's; where an engine alone saw all rows, the engine's."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A report and what its ledgers say: system → key → the verified value."""

    name: str
    report: Report
    ledgers: dict[str, dict[str, int | float]]


def opened(old: str, new: str | None, report: str | None) -> tuple[Stored, Stored]:
    """Open both sides: two folders, or `A..B` of the repository that this folder is in."""
    if new is not None:
        return _of_folder(Path(old)), _of_folder(Path(new))
    if RANGE not in old or Path(old).exists():
        raise UserError(
            f"“{old}” alone is nothing to compare; name two reports, or two revisions as OLD..NEW"
        )
    first, _, second = old.partition(RANGE)
    second = second.removeprefix(".")  # as git has it: A...B
    return _of_revision(first or "HEAD", report), _of_revision(second or "HEAD", report)


def _of_folder(path: Path) -> Stored:
    folder = path if path.is_dir() else path.parent

    def content(name: str) -> bytes:
        file = folder / name
        admit(file, "report")
        try:
            return file.read_bytes()
        except OSError as error:
            raise UserError(
                f"{file}: cannot be read ({error.strerror}); keep the ledger beside report.json"
            ) from error

    return _stored(str(path), json.read(path), content)


def _of_revision(revision: str, report: str | None) -> Stored:
    place = _place(revision, report)
    name = f"{revision}:{place}"
    with _written(_shown(revision, place)) as file:
        read = json.read(file)
    folder = PurePosixPath(place).parent
    return _stored(name, read, lambda path: _shown(revision, str(folder / path)))


def _stored(name: str, report: Report, content: Callable[[str], bytes]) -> Stored:
    ledgers = {}
    for system in report.systems:
        file = system.ledger
        if file is None:
            raise UserError(f"{name}: names no ledger of {system.name}; gate it again")
        place = PurePosixPath(file.path)
        if place.is_absolute() or ".." in place.parts:
            raise UserError(f"{name}: its ledger {file.path} is not beside it; gate it again")
        text = content(file.path).decode("utf-8", "replace")
        if ledger.digest(text, file.columns) != file.sha256:
            raise UserError(
                f"{name}: {file.path} is not the ledger that was verified (its SHA-256 differs "
                "from that in report.json); run `crosscheck gate` again"
            )
        read = ledger.read(text)
        stated = next((read[who] for who in STATED if read.get(who)), {})
        for row in system.headline:
            if stated.get(row.key) != row.value:
                raise UserError(
                    f"{name}: {row.key} is {row.value!r} in report.json and "
                    f"{stated.get(row.key)!r} in {file.path}; run `crosscheck gate` again"
                )
        ledgers[system.name] = stated
    return Stored(name, report, ledgers)


def _place(revision: str, wanted: str | None) -> str:
    """Find the one report.json of a revision, or the one that is named."""
    if revision.startswith("-"):
        raise UserError(f"“{revision}” is no revision")
    listed = _git("ls-tree", "-r", "-z", "--name-only", "--full-tree", f"{revision}^{{tree}}")
    names = listed.decode("utf-8", "replace").split("\0")
    reports = [name for name in names if PurePosixPath(name).name == json.NAME]
    if wanted is not None:
        asked = PurePosixPath(wanted.replace("\\", "/"))
        reports = [one for one in reports if PurePosixPath(one) in (asked, asked / json.NAME)]
    if len(reports) == 1:
        return reports[0]
    if not reports:
        about = f" at {wanted}" if wanted else ""
        raise UserError(
            f"{revision}: holds no report{about}; commit the folder that `crosscheck gate --out` "
            "wrote, or compare two folders"
        )
    listed_names = ", ".join(str(PurePosixPath(one).parent) for one in reports[:5])
    raise UserError(
        f"{revision}: holds {len(reports)} reports ({listed_names}); say which one with --report"
    )


def _shown(revision: str, place: str) -> bytes:
    """Give a file's content at a revision."""
    name = f"{revision}:{place}"
    size = int(_git("cat-file", "-s", name))
    if size > limits().report:
        raise UserError(f"{name}: is {size:,} bytes long; {more('report')}")
    return _git("cat-file", "blob", name)


def _git(*words: str) -> bytes:
    try:
        done = subprocess.run(["git", *words], capture_output=True, check=False)  # noqa: S603, S607
    except OSError as error:
        raise UserError(f"git cannot be run ({error.strerror}); compare two folders") from error
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
        raise UserError(f"git: {told}")
    return done.stdout


@contextmanager
def _written(content: bytes) -> Iterator[Path]:
    with scratch("diff") as folder:
        file = folder / json.NAME
        file.write_bytes(content)
        yield file
