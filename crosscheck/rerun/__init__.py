"""Rerun: whether a stored report still follows from its inputs.

The inputs are found and their hashes verified; what was asked is asked again; the new report is
compared with the stored one field by field, and every file of the new folder with the stored one.
Versions are the stored report's word: the new one is written with them where it prints them, so
that other versions alone change nothing. A sentence is no version.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crosscheck import extras
from crosscheck.errors import UserError
from crosscheck.figures.studio import EXTRA, Studio
from crosscheck.gate import job
from crosscheck.report import json, publish
from crosscheck.report.formats import encoded
from crosscheck.report.names import MACHINE
from crosscheck.report.provenance import machine, read_machine
from crosscheck.report.write import pages
from crosscheck.rerun.fields import changed
from crosscheck.rerun.folder import SUMS, Change, Counted, Folders, verify
from crosscheck.rerun.inputs import asked_again, locate
from crosscheck.system import one_line, scratch
from crosscheck.witnesses.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from crosscheck.gate import Request
    from crosscheck.report.view import Report, WitnessView
    from crosscheck.witnesses import Witness
    from crosscheck.witnesses.tasks import Progress

__all__ = ["Rerun", "asked_again", "locate", "rerun"]
PROGRAM = "metric-crosscheck"
VERSION = re.compile(r"\d[\w.+!-]{0,60}|not installed", re.ASCII)
BADGE = re.compile(r"(\d{1,6})/(\d{1,6})", re.ASCII)
LONGEST = 200
"""Characters of what a machine is said to be."""


@dataclass(frozen=True, slots=True)
class Rerun:
    """What a rerun found."""

    report: Report
    elsewhere: tuple[Change, ...]
    """Versions that differ: stated, not held against the report."""
    machine: tuple[Change, ...]
    """What is of another kind about this machine: the same."""
    ours: Counted
    """The implementations' numbers: compared bit by bit."""
    others: Counted
    """Everybody else's: compared within what the contract calls exact."""
    differences: tuple[Change, ...]
    uncompared: tuple[str, ...]
    """What was not looked into, and why."""

    @property
    def unproven(self) -> list[str]:
        """Name in a few words what was not proven."""
        told = (one_line(f"{one.where} {one.stored}") for one in self.elsewhere)
        return [*self.uncompared, *told]

    @property
    def same(self) -> bool:
        """Whether the stored report still holds."""
        return not self.differences


def rerun(
    path: Path,
    *,
    processes: bool = True,
    progress: Progress | None = None,
    allowed: Collection[str] = (),
    within: Collection[Path] = (),
) -> Rerun:
    """Verify a stored report: hashes, recomputation, difference.

    A witness of its authors' own is asked only if it is among the allowed: its code would be run.
    `within` are folders, besides the report's own, in which its inputs may lie.
    """
    file = path / json.NAME if path.is_dir() else path
    if path.is_dir() and file.is_symlink():
        raise UserError(f"{file}: is a link, which no report of ours holds; it was not followed")
    stored = json.read(file)
    if (file.parent / SUMS).is_file():
        verify(file.parent, file.parent)
    told = read_machine(file.parent)
    with (
        asked_again(stored, file.parent, within) as request,
        scratch("rerun") as folder,
        Workers() as workers,
    ):
        studio = Studio(workers, draws=_had_figures(stored, request), hidden=_undrawn(stored))
        _refuse_strangers(request.witnesses, allowed)
        witnesses = tuple(_as_there(stored, request.witnesses))
        again = replace(request, processes=processes, witnesses=witnesses, undrawn=studio.undrawn)
        outcome = job.run(again, progress=progress, onlooker=studio)
        galleries = studio.galleries(outcome.comparison)
        report = publish.write(outcome, folder, galleries)
        shown = _as_stored(report, stored)
        if shown != report:
            pages(shown, galleries, folder)
        was, now = stored.provenance.versions, report.provenance.versions
        versions = tuple(_changes("versions.", was, now, sorted(was.keys() & now.keys())))
        folders = Folders(file.parent, folder, shown, aged=bool(versions))
        differences = (*_fields(file, stored, shown), *folders.differences(), *_untold(told))
    moved = tuple(_changes("", told, machine(), told))
    uncompared = (*folders.uncompared(), *_other_record(stored, report))
    return Rerun(report, versions, moved, folders.ours, folders.others, differences, uncompared)


def _as_stored(report: Report, stored: Report) -> Report:
    """Put the stored versions where the report prints versions, and its badge if it is theirs."""
    was = stored.provenance.versions
    versions = {
        name: was[name] if VERSION.fullmatch(was.get(name, "")) else now
        for name, now in report.provenance.versions.items()
    }
    theirs = any(_other_record(stored, report)) and _is_badge(stored.selftest)
    systems = [
        one.model_copy(update={"witnesses": [_dated(each, versions) for each in one.witnesses]})
        for one in report.systems
    ]
    return report.model_copy(
        update={
            "systems": systems,
            "provenance": report.provenance.model_copy(update={"versions": versions}),
            "selftest": stored.selftest if theirs else report.selftest,
        }
    )


def _is_badge(text: str | None) -> bool:
    """Whether it is a count of a count, such as 83/83."""
    found = BADGE.fullmatch(text or "")
    return text is None or (found is not None and int(found[1]) <= int(found[2]))


def _untold(told: dict[str, str]) -> Iterator[Change]:
    """Say what a gate does not write of a machine: it is shown, and not compared."""
    for name, value in told.items():
        if name not in machine():
            yield Change(f"{MACHINE}, {name}", value, "nothing of the kind")
        elif len(value) > LONGEST or not value.isprintable():
            yield Change(f"{MACHINE}, {name}", value, "a few words")


def _dated(witness: WitnessView, versions: dict[str, str]) -> WitnessView:
    """Give a witness with these versions of its packages: “ranx 0.3.21, numba 0.68.1”."""
    if witness.kind not in ("implementation", "library"):
        return witness
    packages = (one.partition(" ") for one in witness.version.split(", "))
    told = ", ".join(f"{name} {versions.get(name, now)}" for name, _, now in packages)
    return witness.model_copy(update={"version": told})


def _other_record(stored: Report, report: Report) -> Iterator[str]:
    """Say that the self-test's badge is the record of another version of the program."""
    was, now = (one.provenance.versions.get(PROGRAM) for one in (stored, report))
    if was is not None and was != now:
        badge = one_line(str(stored.selftest))
        yield f"the self-test's badge, {badge}: it is the record of another version"


def _refuse_strangers(witnesses: Iterable[Witness], allowed: Collection[str]) -> None:
    """Refuse to run code that a report names, unless the person at the keyboard allows it."""
    strangers = [one.name for one in witnesses if one.kind == "user" and one.name not in allowed]
    if strangers:
        named = [one_line(name) for name in strangers]
        options = " ".join(f"--allow-witness {name}" for name in named)
        raise UserError(
            f"the report was made with a witness of its authors' own, {', '.join(named)}, "
            f"whose code would be run here; read it, and if you trust it, allow it: {options}"
        )


def _as_there(stored: Report, witnesses: Iterable[Witness]) -> Iterator[Witness]:
    """Hide who was not installed where the report was made; refuse where who was is not here."""
    heard = {one.name: one.status for system in stored.systems for one in system.witnesses}
    for one in witnesses:
        if one.extra and heard.get(one.name) == "not asked":
            yield replace(one, hidden=True)
        elif one.absent and one.name in heard:
            raise UserError(f"the report was made with {one.name}, which is here {one.absent}")
        else:
            yield one


def _undrawn(stored: Report) -> bool:
    """Whether nothing could be drawn where the report was made; refuse if nothing can be here."""
    drawn = any(one.figures for one in stored.systems)
    lacking = extras.lacking(EXTRA)
    if drawn and lacking:
        raise UserError(f"the report was made with figures, which are here {lacking}")
    whys = {why for one in stored.systems for why in one.not_drawn.values()}
    return not drawn and extras.told(EXTRA) in whys


def _had_figures(stored: Report, request: Request) -> bool:
    """Whether figures were asked for, even where none was due."""
    blamed = any(one.rule == UNDRAWN for one in stored.findings)
    there = any(one.figures or one.not_drawn for one in stored.systems)
    return there or (request.policy.figures and not blamed)


UNDRAWN = "XC013"
"""That a policy requires figures, and there are none."""


def _changes(
    place: str, was: dict[str, str], now: dict[str, str], names: Iterable[str]
) -> Iterator[Change]:
    for name in names:
        if was[name] != now.get(name):
            yield Change(f"{place}{name}", was[name], now.get(name, "not stated"))


def _fields(file: Path, stored: Report, report: Report) -> Iterator[Change]:
    """Compare the two reports field by field, and the stored one's bytes with what gate writes."""
    content = file.read_bytes()
    if content == encoded(json.render(report)):
        return
    was, now = (one.model_dump(mode="json") for one in (stored, report))
    found = list(changed(was, now))
    if not found or content != encoded(json.render(stored)):
        yield Change(file.name, "other bytes", "as gate writes them")
    yield from found
