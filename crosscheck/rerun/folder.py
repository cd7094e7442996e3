"""A stored report's folder, held against the one that its inputs give: every file of it.

Our own numbers are the same on every machine, and are compared bit by bit. What others compute may
end in other digits elsewhere: it is compared within what section 11.3 calls exact, and counted.
Everything else must be the same bytes. What `gate` does not write has no place here, but for the
inputs and what a bundle adds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from crosscheck.data.hashes import sha256
from crosscheck.errors import UserError
from crosscheck.limits import admit
from crosscheck.model.ledgers import compare
from crosscheck.report import json, ledger
from crosscheck.report.formats import encoded, formats
from crosscheck.report.names import MACHINE, SAMPLE
from crosscheck.system import harmless, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crosscheck.report.view import File, Report

    Values = dict[str, int | float]

INPUTS = "inputs"
"""Where a bundle keeps the inputs."""
LOCK = "requirements.lock"
SUMS = "SHA256SUMS"
UNCOMPARED = (MACHINE,)
"""What tells of the machine that the report was made on, not of the inputs."""
PYTHON = "python"
LONGER = 10
"""Times the length of a ledger: one that is longer still is not read to be told from it."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is not as it was."""

    where: str
    stored: str
    now: str = ""

    def __str__(self) -> str:
        # Any of it may be a stranger's: it stays on one line, and cannot pass for another.
        where, stored, now = map(one_line, (self.where, self.stored, self.now))
        return f"{where}: {stored}{f' → {now}' if now else ''}"


@dataclass(slots=True)
class Counted:
    """How many numbers of some witnesses were compared, and how many were the same to the bit."""

    witnesses: dict[str, None] = field(default_factory=dict)
    """Their names, in the order of the ledgers."""
    numbers: int = 0
    equal: int = 0

    def count(self, name: str, before: Values, after: Values) -> None:
        """Add one witness's ledgers."""
        self.witnesses[name] = None
        self.numbers += len(before.keys() & after.keys())
        self.equal += sum(key in after and _same(before[key], after[key]) for key in before)


@dataclass(slots=True)
class Folders:
    """The stored folder, and the one that the inputs give."""

    stored: Path
    fresh: Path
    report: Report
    """The fresh one."""
    aged: bool
    """Whether versions differ, and with them perhaps how a page is laid out."""
    ours: Counted = field(default_factory=Counted)
    others: Counted = field(default_factory=Counted)

    def differences(self) -> Iterator[Change]:
        """Compare every file but `report.json`, which is read field by field."""
        written = [path.relative_to(self.fresh).as_posix() for path in files(self.fresh)]
        for name in written:
            if name in UNCOMPARED:
                continue
            place = self.stored / name
            if place.is_symlink() or not place.is_file():
                yield Change(name, "missing", "written with every report")
            elif PurePosixPath(name).name in (ledger.NAME, SAMPLE):
                yield from self._ledger(name)
            elif name != json.NAME and not _same_bytes(place, self.fresh / name):
                yield self._another(name)
        if (self.stored / SUMS).is_file():
            yield from self._lock()
        for name in _strangers(self.stored, written, self.report.provenance.inputs):
            yield Change(name, "not written by gate")

    def uncompared(self) -> tuple[str, ...]:
        """Name the files that were not looked into, or that there was nothing to look into."""
        return tuple(
            name if (self.stored / name).is_file() else f"{name}, which is missing"
            for name in UNCOMPARED
        )

    def _lock(self) -> Iterator[Change]:
        """Compare a bundle's lock file: it follows from the versions that the report states."""
        place = self.stored / LOCK
        if not place.is_file():
            yield Change(LOCK, "missing", "in every bundle")
        elif place.read_bytes() != lock(self.report).encode():
            yield Change(LOCK, "other versions", "those that the report states")

    def _another(self, name: str) -> Change:
        told = "another page" if name in formats() else "another figure"
        if self.aged:
            return Change(name, f"{told}; other versions may lay it out otherwise")
        return Change(name, told, "what the inputs give")

    def _ledger(self, name: str) -> Iterator[Change]:
        """Compare a ledger, key by key, and count what was compared."""
        sizes = [(folder / name).stat().st_size for folder in (self.stored, self.fresh)]
        if sizes[0] > LONGER * sizes[1]:
            yield Change(name, f"{sizes[0]:,} bytes", f"{sizes[1]:,} bytes")
            return
        content = (self.stored / name).read_bytes()
        texts = content.decode("utf-8", "replace"), (self.fresh / name).read_text(encoding="utf-8")
        try:
            before, after = map(ledger.read, texts)
        except UserError:
            yield Change(name, "cannot be read", "numbers")
            return
        own = self._implementations(name)
        columns = ledger.stable_columns(one for one in after if one in own)
        found = [Change(f"{name}, SHA-256", *(ledger.digest(text, columns) for text in texts))]
        found = [one for one in found if one.stored != one.now]
        for witness in dict.fromkeys([*before, *after]):
            was, now = before.get(witness, {}), after.get(witness, {})
            (self.ours if witness in own else self.others).count(witness, was, now)
            found += _numbers(f"{name}, {witness}", was, now, exact=witness in own)
        # As gate would have written it, had it heard what others are stated to have said.
        heard = after | {one: before[one] for one in after if one in before and one not in own}
        if not found and content != encoded(ledger.render(heard, self.report.provenance.tolerance)):
            found.append(Change(name, "other columns, or written otherwise", "as gate writes it"))
        yield from found

    def _implementations(self, name: str) -> set[str]:
        """Name those who are ours in the system that a ledger belongs to."""
        folder = PurePosixPath(name).parent
        return {
            spoken.name
            for one in self.report.systems
            if one.ledger and PurePosixPath(one.ledger.path).parent == folder
            for spoken in one.witnesses
            if spoken.kind == "implementation"
        }


def _same_bytes(one: Path, other: Path) -> bool:
    # A file of another size need not be read to its end.
    return one.stat().st_size == other.stat().st_size and one.read_bytes() == other.read_bytes()


def _numbers(place: str, before: Values, after: Values, *, exact: bool) -> Iterator[Change]:
    for key in dict.fromkeys([*before, *after]):
        if (key in before) != (key in after):
            was, now = before.get(key, "absent"), after.get(key, "absent")
            yield Change(f"{place}, {key}", str(was), str(now))
    if exact:
        differing = [key for key in before if key in after and not _same(before[key], after[key])]
    else:
        judged = compare(("stored", "now"), before, after)
        differing = [one.key for one in judged.differences]
    for key in differing:
        yield Change(f"{place}, {key}", repr(before[key]), repr(after[key]))


def _same(was: float, now: float) -> bool:
    # To the bit: the shortest decimal tells floats, types and the sign of a zero apart.
    return repr(was) == repr(now)


def _strangers(folder: Path, written: Iterable[str], inputs: Iterable[File]) -> list[str]:
    """Name what nobody of ours has put into a folder; of a strange folder, itself alone."""
    listed = {(Path(one.path).name, one.sha256) for one in inputs}
    names = {name for name, _ in listed}
    added = (LOCK, SUMS) if (folder / SUMS).is_file() else ()
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    known = {*written, *added} | {
        name
        for name, path in found.items()
        if path.name in names and _plain(path) and (path.name, sha256(path)) in listed
    }
    known |= {str(above) for name in known for above in PurePosixPath(name).parents}
    strange = found.keys() - known
    return sorted(name for name in strange if str(PurePosixPath(name).parent) not in strange)


def _plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def lock(report: Report) -> str:
    """Write the versions that a report states so that pip can install them."""
    stated = {
        name: version
        for name, version in report.provenance.versions.items()
        if name != PYTHON and version[:1].isdigit() and version.isprintable()
    }
    python = report.provenance.versions.get(PYTHON, "not stated")
    lines = (f"{name}=={stated[name]}\n" for name in sorted(stated, key=str.lower))
    return harmless(f"# Python {python}\n{''.join(lines)}")


def files(folder: Path) -> list[Path]:
    """List the plain files of a folder, in order."""
    return sorted(path for path in folder.rglob("*") if _plain(path))


def verify(folder: Path, bundle: Path) -> None:
    """Hold every file of a bundle against SHA256SUMS; nothing may be missing, changed or added."""
    sums = folder / SUMS
    if not sums.is_file():
        raise UserError(f"{bundle}: has no {SUMS}, so it is no bundle of ours")
    admit(sums, "report")
    stated = sums.read_text(encoding="utf-8", errors="replace")
    found = [
        sum_of(path.relative_to(folder).as_posix(), sha256(path))
        for path in sorted(files(folder), key=lambda path: path == folder / LOCK)
        if path != sums
    ]
    wrong = sorted({line.partition("  ")[2] for line in set(stated.splitlines()) ^ set(found)})
    if wrong:
        raise UserError(f"{bundle}: {', '.join(wrong[:5])}: not what {SUMS} says; ask for it again")
    if sums.read_bytes() != "".join(f"{line}\n" for line in found).encode():
        raise UserError(f"{bundle}: {SUMS} is not written as bundles are; ask for it again")


def sum_of(name: str, digest: str) -> str:
    """Give a file's line of SHA256SUMS, as sha256sum writes it."""
    return f"{digest}  {name}"
