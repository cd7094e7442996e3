"""Verify a certificate: who signed, what, and whether every file is what was signed.

Nothing is read from the certificate's folder but the files that the signed statement names, by
plain paths inside it; what lies there besides is an error.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from crosscheck import rerun
from crosscheck.certificate import beside
from crosscheck.certificate.envelope import unseal
from crosscheck.certificate.statement import ENVELOPE, REPORT, found_in, read
from crosscheck.data.hashes import sha256
from crosscheck.errors import UserError
from crosscheck.limits import admit
from crosscheck.report import json

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from crosscheck.certificate.keys import Trusted
    from crosscheck.certificate.statement import Predicate, Statement
    from crosscheck.witnesses.tasks import Progress

MOST = 20
"""Problems of one kind that are told."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found out about a certificate whose signature holds."""

    predicate: Predicate
    signers: tuple[Trusted, ...]
    problems: tuple[str, ...]
    files: int
    rerun: rerun.Rerun | None = None
    unproven: tuple[str, ...] = ()
    """What nobody has written again, so that it is the signer's word."""

    @property
    def holds(self) -> bool:
        """Whether everything is what was signed."""
        return not self.problems


def verify(
    path: Path,
    trusted: Sequence[Trusted],
    *,
    policy: str | None = None,
    again: bool = False,
    allowed: Collection[str] = (),
    within: Collection[Path] = (),
    progress: Progress | None = None,
) -> Verified:
    """Verify a certificate; one that nobody trusted has signed is refused before it is read.

    `policy` is the SHA-256 of the only policy that will do.
    """
    file = path / ENVELOPE if path.is_dir() else path
    folder = file.parent
    try:
        admit(file, "report")
        payload, signers = unseal(file.read_bytes(), trusted)
        stated = read(payload)
    except OSError as error:
        raise UserError(
            f"{file}: cannot be read ({error.strerror}); expected the folder that `crosscheck "
            "certify` wrote, or its certificate.json"
        ) from None
    except UserError as error:
        raise UserError(f"{file}: {error}") from None
    problems = [*_files(folder, file.name, stated), *_policy(stated.predicate, policy)]
    if not problems:
        problems += _report(folder, stated.predicate)
    found = None
    if again and not problems:
        report = folder / REPORT
        found = rerun.rerun(report, allowed=allowed, within=within, progress=progress)
        problems += [f"rerun: {one}" for one in found.differences[:MOST]]
    unproven = () if problems else tuple(_unproven(folder, stated.predicate, found))
    return Verified(
        stated.predicate, tuple(signers), tuple(problems), len(stated.subject), found, unproven
    )


def _unproven(folder: Path, predicate: Predicate, found: rerun.Rerun | None) -> Iterator[str]:
    yield from beside.unproven(folder, predicate)
    if found is not None:
        yield from found.unproven
    elif beside.has_figures(json.read(folder / REPORT)):
        yield f"{REPORT}/{beside.PAGE} and its figures: they are drawn from the data (--rerun)"


def _files(folder: Path, envelope: str, stated: Statement) -> Iterator[str]:
    """Name every file that is missing, added, altered, or no plain file."""
    named = {one.name: one.digest.sha256 for one in stated.subject}
    there = {path.relative_to(folder).as_posix(): path for path in _walk(folder)}
    for name, expected in named.items():
        if name not in there:
            yield f"{name}: is missing"
        elif not _plain(there[name]):
            yield f"{name}: is no plain file"
        elif sha256(there[name]) != expected:
            yield f"{name}: is not what was signed"
    for name in sorted(there.keys() - named.keys() - {envelope}):
        yield f"{name}: was added; nobody signed it"
    if f"{REPORT}/{json.NAME}" not in named:
        yield f"{REPORT}/{json.NAME}: is not among the files that were signed"
    if envelope in named:
        yield f"{envelope}: is named among the files that it signs"


def _walk(folder: Path) -> Iterator[Path]:
    """Give everything in a folder but folders; a link to a folder is one thing, not its content."""
    for at, folders, names in os.walk(folder, followlinks=False):
        linked = [name for name in folders if (Path(at) / name).is_symlink()]
        yield from (Path(at) / name for name in (*names, *linked))


def _plain(path: Path) -> bool:
    return stat.S_ISREG(path.lstat().st_mode)


def _policy(predicate: Predicate, wanted: str | None) -> Iterator[str]:
    policy = predicate.found.policy
    if wanted is not None and policy.sha256 != wanted:
        yield (
            f"policy: the report was held to “{policy.name}” (SHA-256 {policy.sha256}), not to "
            f"the one asked for ({wanted})"
        )


def _report(folder: Path, predicate: Predicate) -> Iterator[str]:
    """Derive from the report again what the certificate says of it."""
    try:
        stored = json.read(folder / PurePosixPath(REPORT))
        derived = found_in(stored)
    except UserError as error:
        yield str(error)
        return
    stated, known = predicate.found.model_dump(), derived.model_dump()
    for name in stated:
        if stated[name] != known[name]:
            yield f"{name}: the certificate says otherwise than the report"
    yield from beside.problems(folder, predicate)
    yield from (f"{REPORT}/{one}" for one in beside.pages(folder / REPORT, stored))
