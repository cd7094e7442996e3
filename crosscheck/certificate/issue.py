"""Issue a certificate: rerun, copy, describe, sign."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck import rerun, system
from crosscheck.certificate import crate, page
from crosscheck.certificate.beside import pages
from crosscheck.certificate.envelope import seal
from crosscheck.certificate.repository import repository_of
from crosscheck.certificate.statement import (
    ENVELOPE,
    REPORT,
    Predicate,
    found_in,
    program,
    statement,
)
from crosscheck.data.hashes import sha256
from crosscheck.errors import UserError
from crosscheck.report import json
from crosscheck.rerun.bundle import opened
from crosscheck.rerun.folder import files
from crosscheck.rerun.inputs import locate

if TYPE_CHECKING:
    from collections.abc import Collection

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from crosscheck.report.view import Report
    from crosscheck.witnesses.tasks import Progress


@dataclass(frozen=True, slots=True)
class Signer:
    """Who signs, with which key, when."""

    who: str
    when: str
    key: Ed25519PrivateKey


@dataclass(frozen=True, slots=True)
class Again:
    """How a report is rerun before it is signed."""

    allowed: Collection[str] = ()
    """Witnesses of the authors' own that may be run."""
    within: Collection[Path] = ()
    """Folders in which the inputs may lie."""
    progress: Progress | None = None


def issue(
    report: Path,
    target: Path,
    signer: Signer,
    again: Again | None = None,
    *,
    within: Collection[Path] = (),
) -> Predicate:
    """Write the folder of a certificate; with `again`, only of a report that its inputs give."""
    if os.path.lexists(target):
        raise UserError(f"--out {target}: is there already; name a new folder")
    with opened(report) as place:
        folder = place if place.is_dir() else place.parent
        # What is rerun is what is signed: nothing may change in between.
        before = _digests(folder)
        stored = json.read(folder)
        found = found_in(stored)
        if again is not None:
            _refuse_changed(folder, again)
        for problem in pages(folder, stored):
            raise UserError(f"{folder / problem}; it was altered, so it is not certified")
        predicate = Predicate(
            found=found,
            repository=repository_of(_inputs(stored, folder, within)),
            rerun="not done" if again is None else "same",
            who=signer.who,
            when=signer.when,
            program=program(),
        )
        _write(folder, target, predicate, signer.key, before)
    return predicate


def _digests(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): sha256(path) for path in files(folder)}


def _refuse_changed(folder: Path, how: Again) -> None:
    found = rerun.rerun(folder, allowed=how.allowed, within=how.within, progress=how.progress)
    if not found.same:
        first = found.differences[0]
        raise UserError(
            f"{folder}: is not what its inputs give ({len(found.differences)} differences, first "
            f"{first}), so it is not certified; see `crosscheck rerun {folder}`"
        )


def _inputs(stored: Report, folder: Path, within: Collection[Path]) -> list[Path]:
    """Find the files that were gated, where they still are what they were."""
    try:
        return [Path(place) for place in locate(stored, folder, within).values()]
    except UserError:  # of a report that is not rerun they need not be there
        return []


def _write(
    folder: Path,
    target: Path,
    predicate: Predicate,
    key: Ed25519PrivateKey,
    before: dict[str, str],
) -> None:
    """Write everything aside, sign it, and give it its name."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise UserError(f"--out {target}: cannot be written to ({error.strerror})") from None
    try:
        for path in files(folder):
            place = part / REPORT / path.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
        if _digests(part / REPORT) != before:
            raise UserError("the report was changed while it was certified; nothing was signed")
        _put(part / page.TEMPLATE, page.html(predicate).encode())
        _put(part / page.PDF, page.pdf(predicate))
        sizes = {path.relative_to(part).as_posix(): path.stat().st_size for path in files(part)}
        _put(part / crate.NAME, crate.metadata(predicate, sizes).encode())
        sealed = seal(statement(predicate, _digests(part)).payload(), key)
        _put(part / ENVELOPE, sealed.encode())
        system.sync(part)
        part.chmod(0o755)
        part.rename(target)
    except OSError as error:
        raise UserError(
            f"--out {target}: the certificate could not be written ({error.strerror}); nothing "
            "was left behind"
        ) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _put(path: Path, content: bytes) -> None:
    path.write_bytes(content)
