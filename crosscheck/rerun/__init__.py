"""Rerun: whether a stored report still follows from its inputs.

The inputs are found and their hashes verified; what was asked is asked again; the new report is
compared with the stored one field by field (deepdiff), and every file of the new folder with the
stored one. Versions are the stored report's word: the new one is written with them where it prints
them, so that other versions alone change nothing.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck import gate
from crosscheck.config.places import members
from crosscheck.data.hashes import sha256
from crosscheck.errors import UserError
from crosscheck.figures.studio import Studio
from crosscheck.gate.request import STUDY, prepare
from crosscheck.report import json, publish
from crosscheck.report.formats import encoded
from crosscheck.report.provenance import machine, read_machine
from crosscheck.report.write import pages
from crosscheck.rerun.folder import INPUTS, SUMS, Change, Counted, Folders, verify
from crosscheck.system import scratch

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from crosscheck.gate import Request
    from crosscheck.report.view import File, Report, WitnessView
    from crosscheck.witnesses import Witness
    from crosscheck.witnesses.run import Progress

MOST = 40
PROGRAM = "metric-crosscheck"


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
    def same(self) -> bool:
        """Whether the stored report still holds."""
        return not self.differences


def rerun(
    path: Path,
    *,
    processes: bool = True,
    progress: Progress | None = None,
    allowed: Collection[str] = (),
) -> Rerun:
    """Verify a stored report: hashes, recomputation, difference.

    A witness of its authors' own is asked only if it is among the allowed: its code would be run.
    """
    file = path / json.NAME if path.is_dir() else path
    stored = json.read(file)
    if (file.parent / SUMS).is_file():
        verify(file.parent, file.parent)
    told = read_machine(file.parent)
    with (
        asked_again(stored, file.parent) as request,
        scratch("rerun") as folder,
        Studio() as studio,
    ):
        _refuse_strangers(request.witnesses, allowed)
        again = replace(request, processes=processes)
        onlooker = studio if _had_figures(stored) else None
        outcome = gate.run(again, progress=progress, onlooker=onlooker)
        galleries = studio.galleries(outcome.comparison)
        report = publish.write(outcome, folder, galleries)
        shown = _as_stored(report, stored)
        if shown != report:
            pages(shown, galleries, folder)
        was, now = stored.provenance.versions, report.provenance.versions
        versions = tuple(_changes("versions.", was, now, sorted(was.keys() & now.keys())))
        folders = Folders(file.parent, folder, shown, aged=bool(versions))
        differences = (*_fields(file, stored, shown), *folders.differences())
    moved = tuple(_changes("", told, machine(), told))
    uncompared = (*folders.uncompared(), *_other_record(stored, report))
    return Rerun(report, versions, moved, folders.ours, folders.others, differences, uncompared)


def _as_stored(report: Report, stored: Report) -> Report:
    """Put the stored versions where the report prints versions, and its badge if it is theirs."""
    was = stored.provenance.versions
    versions = {name: was.get(name, now) for name, now in report.provenance.versions.items()}
    systems = [
        one.model_copy(update={"witnesses": [_dated(each, versions) for each in one.witnesses]})
        for one in report.systems
    ]
    return report.model_copy(
        update={
            "systems": systems,
            "provenance": report.provenance.model_copy(update={"versions": versions}),
            "selftest": stored.selftest if any(_other_record(stored, report)) else report.selftest,
        }
    )


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
        yield f"the self-test's badge, {stored.selftest}: it is the record of another version"


def locate(stored: Report, folder: Path) -> dict[str, str]:
    """Find every input by its stored path, from here or from the report, and verify its hash."""
    found: dict[str, str] = {}
    problems = []
    for one in stored.provenance.inputs:
        if one.path.startswith(f"{STUDY}/"):
            continue  # written again from its seed, and hashed when it is
        places = [place for place in _places(one, folder) if _is_file(place)]
        same = next((place for place in places if sha256(place) == one.sha256), None)
        if same is not None:
            found[one.path] = str(same)
        elif places:
            # Not a word of what it is: the report may name anybody's file.
            problems.append(f"{places[0]}: is not the file that was gated")
        else:
            problems.append(f"{one.path}: not found, neither from here nor beside the report")
    if problems:
        head = "the inputs of the report are not as they were; restore them, or gate them again:"
        raise UserError("\n".join([head, *problems]))
    return found


def _places(one: File, folder: Path) -> Iterator[Path]:
    """List where an input may lie: in a bundle, where it was, beside the report."""
    name = Path(one.path).name
    yield from sorted(place for place in (folder / INPUTS).rglob("*") if place.name == name)
    yield Path(one.path)
    yield from (parent / one.path for parent in [folder, *folder.resolve().parents[:3]])
    yield folder / name


def _is_file(place: Path) -> bool:
    try:
        return place.is_file()
    except OSError:  # a name that no file can have
        return False


@contextmanager
def asked_again(stored: Report, folder: Path) -> Iterator[Request]:
    """Make the stored request again, with each input where it lies now, by its stored name."""
    options, found = stored.provenance.request, locate(stored, folder)
    if options is None:
        raise UserError("the report does not say what was asked for; gate the data again")
    with prepare(options.placed(partial(_placed, found)), search=False) as request:
        _refuse_unlisted(request, stored, found)
        shown = request.shown | {place: name for name, place in found.items()}
        yield replace(request, shown=shown, options=options)


def _placed(found: dict[str, str], path: str) -> str:
    """Say where a file lies now; a folder or a glob, where all its files lie, and no other."""
    if path in found:
        return found[path]
    folder, last = Path(path), ""
    if has_magic(folder.name):
        folder, last = folder.parent, folder.name
    inside = {place for name, place in found.items() if Path(name).parent == folder}
    parents = {Path(place).parent for place in inside}
    for moved in (path, *(str(parent / last) for parent in parents)):
        there = {str(one) for one in members(moved)} if len(parents) == 1 else set()
        if there and there <= inside:
            return moved
    raise UserError(_unlisted(path))


def _refuse_unlisted(request: Request, stored: Report, found: dict[str, str]) -> None:
    """Refuse a config that leads to other files than the report's inputs: they may be anybody's."""
    # The built-in study was written a moment ago, by us.
    verified = {Path(place).resolve() for place in (*found.values(), *request.shown)}
    hashes = {one.sha256 for one in stored.provenance.inputs}
    for source in (*request.sources, *request.rivals):
        files = [one for place in source.files for one in members(place)]
        for path in (*files, *map(Path, source.claims)):
            if path.resolve() not in verified and path.is_file() and sha256(path) not in hashes:
                raise UserError(_unlisted(str(path)))


def _unlisted(path: str) -> str:
    return (
        f"the report was made with “{path}”, which it does not list among its inputs, so it cannot "
        "be verified and was not read; gate the data again"
    )


def _refuse_strangers(witnesses: Iterable[Witness], allowed: Collection[str]) -> None:
    """Refuse to run code that a report names, unless the person at the keyboard allows it."""
    strangers = [one.name for one in witnesses if one.kind == "user" and one.name not in allowed]
    if strangers:
        options = " ".join(f"--allow-witness {name}" for name in strangers)
        raise UserError(
            f"the report was made with a witness of its authors' own, {', '.join(strangers)}, "
            f"whose code would be run here; read it, and if you trust it, allow it: {options}"
        )


def _had_figures(stored: Report) -> bool:
    return any(one.figures or one.not_drawn for one in stored.systems)


def _changes(
    place: str, was: dict[str, str], now: dict[str, str], names: Iterable[str]
) -> Iterator[Change]:
    for name in names:
        if was[name] != now.get(name):
            yield Change(f"{place}{name}", was[name], now.get(name, "not stated"))


def _fields(file: Path, stored: Report, report: Report) -> Iterator[Change]:
    """Compare the two reports field by field, and the stored one's bytes with what gate writes."""
    from deepdiff import DeepDiff  # noqa: PLC0415 - slow to import

    content = file.read_bytes()
    if content == encoded(json.render(report)):
        return
    was, now = (one.model_dump(mode="json") for one in (stored, report))
    tree = DeepDiff(was, now, view="tree")
    levels = [level for found in tree.values() for level in found]
    if not levels or content != encoded(json.render(stored)):
        yield Change(file.name, "other bytes", "as gate writes them")
    for level in levels:
        where = ".".join(str(part) for part in level.path(output_format="list"))
        yield Change(where or "the report", _brief(level.t1), _brief(level.t2))


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= MOST * 3 else f"{text[: MOST * 3]} …"
