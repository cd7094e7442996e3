"""Rerun: whether a stored report still follows from its inputs.

The inputs are found and their hashes verified; what was asked is asked again; the new report is
compared with the stored one field by field (deepdiff), and the new ledgers with the stored ones key
by key. Our own numbers are the same on every machine, and are compared bit by bit. What others
compute may end in other digits on another machine or with other versions: it is compared within
what section 11.3 calls exact, and the rerun says how much was so.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck import gate
from crosscheck.data.hashes import sha256
from crosscheck.errors import UserError
from crosscheck.figures.studio import Studio
from crosscheck.gate.request import STUDY, prepare
from crosscheck.model.ledgers import compare
from crosscheck.report import json, ledger, publish
from crosscheck.report.formats import encoded, formats
from crosscheck.report.provenance import machine, read_machine
from crosscheck.system import scratch

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from crosscheck.gate import Request
    from crosscheck.report.gallery import Galleries
    from crosscheck.report.view import File, Report, SystemView
    from crosscheck.witnesses import Witness
    from crosscheck.witnesses.run import Progress

    Values = dict[str, int | float]

MOST = 40
INPUTS = "inputs"
"""Where a bundle keeps the inputs."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is not as it was."""

    where: str
    stored: str
    now: str

    def __str__(self) -> str:
        return f"{self.where}: {self.stored} → {self.now}"


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
        ours, others = Counted(), Counted()
        differences = [
            *_damaged(stored, file.parent),
            *_ledgers((stored, file.parent), (report, folder), ours, others),
            *_fields(stored, report),
        ]
    versions = tuple(_changes("versions.", stored.provenance.versions, report.provenance.versions))
    if not versions:  # others may lay a page out otherwise
        shown = report.model_copy(update={"selftest": stored.selftest})
        differences += _pages(shown, file.parent, galleries)
    moved = _changes("", read_machine(file.parent), machine())
    return Rerun(report, versions, tuple(moved), ours, others, tuple(differences))


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
    unknown = [path for path in options.files if path not in found]
    if unknown:
        raise UserError(_unlisted(unknown[0]))
    with prepare(options.placed(found.__getitem__), search=False) as request:
        _refuse_unlisted(request, stored, found)
        shown = request.shown | {place: name for name, place in found.items()}
        yield replace(request, shown=shown, options=options)


def _refuse_unlisted(request: Request, stored: Report, found: dict[str, str]) -> None:
    """Refuse a config that leads to other files than the report's inputs: they may be anybody's."""
    # The built-in study was written a moment ago, by us.
    verified = {Path(place).resolve() for place in (*found.values(), *request.shown)}
    hashes = {one.sha256 for one in stored.provenance.inputs}
    for source in (*request.sources, *request.rivals):
        for path in map(Path, (*source.files, *source.claims)):
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
    return any(one.figures for one in stored.systems)


def _changes(place: str, was: dict[str, str], now: dict[str, str]) -> Iterator[Change]:
    for key in dict.fromkeys([*was, *now]):
        if was.get(key) != now.get(key):
            before, after = (one.get(key, "not stated") for one in (was, now))
            yield Change(f"{place}{key}", before, after)


def _damaged(stored: Report, folder: Path) -> Iterator[Change]:
    """Find stored ledgers that are not the ones the stored report was written with."""
    for one in stored.systems:
        if one.ledger is None:
            continue
        text = _text(folder, one)
        now = "missing" if text is None else ledger.digest(text, one.ledger.columns)
        if now != one.ledger.sha256:
            yield Change(f"{one.ledger.path} on disk, SHA-256", one.ledger.sha256, now)
        # The hash leaves out what others computed, and with it how far apart anybody is.
        elif ledger.render(ledger.read(text or ""), stored.provenance.tolerance) != text:
            written = "its own columns give another relative_difference, or it is written otherwise"
            yield Change(f"{one.ledger.path} on disk", "as gate wrote it", written)


def _pages(report: Report, folder: Path, figures: Galleries) -> Iterator[Change]:
    """Find stored pages that are not what the new report is written as."""
    for name, render in formats().items():
        page = folder / name
        if not page.is_file():
            yield Change(name, "missing", "written with every report")
        elif name != json.NAME and page.read_bytes() != encoded(render(report, figures)):
            yield Change(f"{name} on disk", "another page", "what the inputs give")


def _text(folder: Path, system: SystemView) -> str | None:
    file = system.ledger
    if file is None or not (folder / file.path).is_file():
        return None
    return (folder / file.path).read_bytes().decode("utf-8", "replace")


def _ledgers(
    stored: tuple[Report, Path], fresh: tuple[Report, Path], ours: Counted, others: Counted
) -> Iterator[Change]:
    """Compare the stored ledgers with the new ones, key by key, and count what was compared."""
    now = {one.name: one for one in fresh[0].systems}
    for one in stored[0].systems:
        again = now.get(one.name, one)
        texts = _text(stored[1], one), _text(fresh[1], again)
        if texts[0] is None or texts[1] is None:
            continue
        try:
            before, after = ledger.read(texts[0]), ledger.read(texts[1])
        except ValueError as error:
            yield Change(f"ledger of {one.name}", f"cannot be read ({error})", "numbers")
            continue
        own = {spoken.name for spoken in again.witnesses if spoken.kind == "implementation"}
        for name in dict.fromkeys([*before, *after]):
            was, is_now = before.get(name, {}), after.get(name, {})
            (ours if name in own else others).count(name, was, is_now)
            place = f"ledger of {one.name}, {name}"
            yield from _ledger(place, was, is_now, exact=name in own)


def _ledger(place: str, before: Values, after: Values, *, exact: bool) -> Iterator[Change]:
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


def _fields(stored: Report, report: Report) -> Iterator[Change]:
    """Compare everything else in the two reports."""
    from deepdiff import DeepDiff  # noqa: PLC0415 - slow to import

    was, now = (_comparable(one) for one in (stored, report))
    if was == now:
        return
    tree = DeepDiff(was, now, view="tree")
    for levels in tree.values():
        for level in levels:
            where = ".".join(str(part) for part in level.path(output_format="list"))
            yield Change(where or "the report", _brief(level.t1), _brief(level.t2))


def _comparable(report: Report) -> dict[str, Any]:
    plain = report.model_dump(mode="json")
    del plain["selftest"]  # about the program, not about the inputs
    del plain["provenance"]["versions"]
    for one in plain["systems"]:
        for spoken in one["witnesses"]:
            spoken.pop("version")  # told by the provenance
    return plain


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= MOST * 3 else f"{text[: MOST * 3]} …"
