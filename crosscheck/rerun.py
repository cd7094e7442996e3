"""Rerun: whether a stored report still follows from its inputs.

The inputs are found and their hashes verified; everything is computed again, by the stored command;
the new report is compared with the stored one field by field (deepdiff), and the new ledgers with
the stored ones key by key. On another platform or with other versions the last digits of a float
may differ; then, and only then, ledgers may differ within what section 11.3 calls exact.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck import gate, publish
from crosscheck.compare import compare
from crosscheck.errors import UserError
from crosscheck.provenance import sha256
from crosscheck.report import json, ledger
from crosscheck.request import STUDY, Options, prepare
from crosscheck.system import scratch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.gate import Request
    from crosscheck.report.model import File, Report
    from crosscheck.witnesses.run import Progress

PLATFORM = ("platform", "versions")
"""Fields of the provenance that say where it ran, not what it found."""
MOST = 40
INPUTS = "inputs"
"""Where a bundle keeps the inputs."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as it was."""

    where: str
    stored: str
    now: str

    def __str__(self) -> str:
        return f"{self.where}: {self.stored} → {self.now}"


@dataclass(frozen=True, slots=True)
class Rerun:
    """What a rerun found."""

    report: Report
    elsewhere: tuple[Difference, ...]
    """Platform and versions that differ: stated, not held against the report."""
    differences: tuple[Difference, ...]

    @property
    def same(self) -> bool:
        """Whether the stored report still holds."""
        return not self.differences


def rerun(path: Path, *, processes: bool = True, progress: Progress | None = None) -> Rerun:
    """Verify a stored report: hashes, recomputation, difference."""
    file = path / json.NAME if path.is_dir() else path
    stored = json.read(file)
    found = locate(stored, file.parent)
    options = parse(stored, found)
    with (
        prepare(options, search=False) as request,
        scratch("rerun") as folder,
        publish.Studio() as studio,
    ):
        again = replace(_same_names(request, stored, found), processes=processes)
        onlooker = studio if _had_figures(stored) else None
        outcome = gate.run(again, progress=progress, onlooker=onlooker)
        report = publish.write(outcome, folder, studio.galleries(outcome.report))
        elsewhere = tuple(_elsewhere(stored, report))
        differences = [
            *_damaged(stored, file.parent),
            *_ledgers(stored, file.parent, report, folder, exact=not elsewhere),
            *_fields(stored, report, exact=not elsewhere),
        ]
    return Rerun(report, elsewhere, tuple(differences))


def locate(stored: Report, folder: Path) -> dict[str, str]:
    """Find every input by its stored path, from here or from the report, and verify its hash."""
    found: dict[str, str] = {}
    problems = []
    for one in stored.provenance.inputs:
        if one.path.startswith(f"{STUDY}/"):
            continue  # written again from its seed, and hashed when it is
        places = [place for place in _places(one, folder) if place.is_file()]
        same = next((place for place in places if sha256(place) == one.sha256), None)
        if same is not None:
            found[one.path] = str(same)
        elif places:
            problems.append(
                f"{places[0]}: is not the file that was gated; SHA-256 {sha256(places[0])}, "
                f"the report says {one.sha256}"
            )
        else:
            problems.append(f"{one.path}: not found, neither from here nor beside the report")
    if problems:
        head = "the inputs of the report are not as they were; restore them, or gate them again:"
        raise UserError("\n".join([head, *problems]))
    return found


def _places(one: File, folder: Path) -> Iterator[Path]:
    """List where an input may lie: in a bundle, where it was, beside the report."""
    name = Path(one.path).name
    yield from sorted((folder / INPUTS).rglob(name)) if (folder / INPUTS).is_dir() else ()
    yield Path(one.path)
    yield from (parent / one.path for parent in [folder, *folder.resolve().parents[:3]])
    yield folder / name


def parse(stored: Report, found: dict[str, str]) -> Options:
    """Read the stored command again, with each input where it lies now."""
    from crosscheck.commands.gate import command  # noqa: PLC0415 - click's own parser

    words = [found.get(Path(word).as_posix(), word) for word in stored.provenance.command[2:]]
    if stored.provenance.command[:2] != ["crosscheck", "gate"]:
        raise UserError("the report does not say by which command it was made; gate the data again")
    context = command.make_context("gate", words, resilient_parsing=False)
    left_out = {"out", "figures", "quiet", "as_json"}
    asked = {name: value for name, value in context.params.items() if name not in left_out}
    # A config that was not named, but lay beside the data, is an input all the same.
    configs = [one.path for one in stored.provenance.inputs if one.role == "config"]
    if configs and configs[0] in found:
        asked["config"] = Path(found[configs[0]])
    return Options(**asked)


def _same_names(request: Request, stored: Report, found: dict[str, str]) -> Request:
    """Let inputs that were found elsewhere go by their stored names."""
    shown = request.shown | {place: name for name, place in found.items()}
    return replace(request, shown=shown, command=tuple(stored.provenance.command))


def _had_figures(stored: Report) -> bool:
    return any(one.figures for one in stored.systems)


def _elsewhere(stored: Report, report: Report) -> Iterator[Difference]:
    for name in PLATFORM:
        was, now = getattr(stored.provenance, name), getattr(report.provenance, name)
        for key in dict.fromkeys([*was, *now]):
            if was.get(key) != now.get(key):
                yield Difference(f"{name}.{key}", str(was.get(key)), str(now.get(key)))


def _damaged(stored: Report, folder: Path) -> Iterator[Difference]:
    """Find stored ledgers that are not the ones the stored report was written with."""
    for one in stored.systems:
        if one.ledger is None:
            continue
        path = folder / one.ledger.path
        now = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "missing"
        if now != one.ledger.sha256:
            yield Difference(f"{one.ledger.path} on disk, SHA-256", one.ledger.sha256, now)


def _ledgers(
    stored: Report, folder: Path, report: Report, fresh: Path, *, exact: bool
) -> Iterator[Difference]:
    """Compare the stored ledgers with the new ones, key by key."""
    now = {one.name: one.ledger for one in report.systems}
    for one in stored.systems:
        file, new = one.ledger, now.get(one.name)
        if file is None or new is None or not (folder / file.path).is_file():
            continue
        before = ledger.read((folder / file.path).read_text(encoding="utf-8"))
        after = ledger.read((fresh / new.path).read_text(encoding="utf-8"))
        for name in dict.fromkeys([*before, *after]):
            yield from _ledger(
                one.name, name, before.get(name, {}), after.get(name, {}), exact=exact
            )


def _ledger(
    system: str, witness: str, before: dict[str, Any], after: dict[str, Any], *, exact: bool
) -> Iterator[Difference]:
    place = f"ledger of {system}, {witness}"
    for key in dict.fromkeys([*before, *after]):
        if (key in before) != (key in after):
            was, now = before.get(key, "absent"), after.get(key, "absent")
            yield Difference(f"{place}, {key}", str(was), str(now))
    if exact:
        differing = [key for key in before if key in after and before[key] != after[key]]
    else:
        judged = compare(("stored", "now"), before, after)
        differing = [one.key for one in judged.differences]
    for key in differing:
        yield Difference(f"{place}, {key}", repr(before[key]), repr(after[key]))


def _fields(stored: Report, report: Report, *, exact: bool) -> Iterator[Difference]:
    """Compare everything else in the two reports."""
    from deepdiff import DeepDiff  # noqa: PLC0415 - slow to import

    was, now = (_comparable(one, exact=exact) for one in (stored, report))
    if was == now:
        return
    # Elsewhere, the last digits of a float may differ; the ledgers were judged key by key.
    tree = DeepDiff(was, now, view="tree", significant_digits=None if exact else 9)
    for levels in tree.values():
        for level in levels:
            where = ".".join(str(part) for part in level.path(output_format="list"))
            yield Difference(where or "the report", _brief(level.t1), _brief(level.t2))


def _comparable(report: Report, *, exact: bool) -> dict[str, Any]:
    plain = report.model_dump(mode="json")
    del plain["selftest"]  # about the program, not about the inputs
    for name in PLATFORM:
        del plain["provenance"][name]
    for one in plain["systems"]:
        for spoken in one["witnesses"]:
            spoken.pop("version")  # told by the provenance
        if not exact:
            one["ledger"] = one["pairs"] = None
    return plain


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= MOST * 3 else f"{text[: MOST * 3]} …"
