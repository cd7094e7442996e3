"""A stored report's inputs: found, held against their hashes, and never sought anywhere else.

The report may be a stranger's, and name anybody's file. So a bundle is read from itself alone, and
another report from its own folder, the one around it and the one that the person stands in; every
other folder has to be named by that person. No link leads out of them.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck.config.places import is_pattern, members
from crosscheck.data.hashes import sha256
from crosscheck.errors import UserError
from crosscheck.gate.request import STUDY, prepare
from crosscheck.rerun.folder import INPUTS, SUMS
from crosscheck.system import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from crosscheck.config.systems import Source
    from crosscheck.gate import Request
    from crosscheck.report.view import File, Report


def reach(folder: Path, within: Collection[Path] = ()) -> list[Path]:
    """Name the folders that the inputs of a report may lie in."""
    around = [] if (folder / SUMS).is_file() else [folder.resolve().parent, Path.cwd()]
    # Nobody means the whole machine who only happens to stand at its root.
    near = [one for one in (folder, *around) if one.resolve().parent != one.resolve()]
    return list(dict.fromkeys(one.resolve() for one in (*near, *within)))


def locate(stored: Report, folder: Path, within: Collection[Path] = ()) -> dict[str, str]:
    """Find every input by its stored path, inside the reach of the report; verify its hash."""
    reached = reach(folder, within)
    found: dict[str, str] = {}
    problems = []
    for one in stored.provenance.inputs:
        if one.path.startswith(f"{STUDY}/"):
            continue  # written again from its seed, and hashed when it is
        places = list(dict.fromkeys(_places(one, folder, reached)))
        same = next((place for place in places if _is_the_same(place, one)), None)
        if same is not None:
            found[one.path] = str(same)
        elif places:
            # Not a word of what it is: the report may name anybody's file.
            problems.append(f"{one_line(str(places[0]))}: is not the file that was gated")
        else:
            sought = ", ".join(map(str, reached))
            problems.append(f"{one_line(one.path)}: not found in {sought}")
    if problems:
        head = (
            "the inputs of the report are not as they were; restore them, name the folder that "
            "they lie in (--inputs FOLDER), or gate them again:"
        )
        raise UserError("\n".join([head, *problems]))
    return found


def _places(one: File, folder: Path, reached: Sequence[Path]) -> Iterator[Path]:
    """List the files that may be an input: by its name in a bundle, by its path or the end of it.

    The longest end first, so that of two files of one name each finds its own.
    """
    stated = Path(one.path)
    packed = sorted(place for place in (folder / INPUTS).rglob("*") if place.name == stated.name)
    parts = [part for part in stated.parts if part != stated.anchor]
    ends = [
        root.joinpath(*parts[start:])
        for start in range(len(parts))
        if ".." not in parts[start:]
        for root in reached
    ]
    asked = [stated] if stated.is_absolute() else []
    for place in (*packed, *asked, *ends):
        if _is_inside(place, reached):
            yield place


def _is_inside(place: Path, reached: Sequence[Path]) -> bool:
    """Whether it is a regular file that lies, links followed, in one of the folders."""
    try:
        real = place.resolve()
        return any(real.is_relative_to(root) for root in reached) and real.is_file()
    except (OSError, ValueError, RuntimeError):  # a name that no file can have, a link to itself
        return False


def _is_the_same(place: Path, one: File) -> bool:
    # A file of another size need not be read to its end.
    return place.stat().st_size == one.bytes and sha256(place) == one.sha256


@contextmanager
def asked_again(stored: Report, folder: Path, within: Collection[Path] = ()) -> Iterator[Request]:
    """Make the stored request again, with each input where it lies now, by its stored name."""
    options, found = stored.provenance.request, locate(stored, folder, within)
    if options is None:
        raise UserError("the report does not say what was asked for; gate the data again")
    vet = partial(_refuse_unlisted, stored, found, reach(folder, within))
    with prepare(options.placed(partial(_placed, found)), search=False, vet=vet) as request:
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
    if len(parents) != 1 or has_magic(str(folder)):
        raise UserError(_unlisted(path))
    # Only where its files were found is anything listed: the path may lead anywhere.
    moved = str(parents.pop() / last)
    there = {str(one) for one in members(moved)}
    if not there or not there <= inside:
        raise UserError(_unlisted(path))
    return moved


def _refuse_unlisted(
    stored: Report,
    found: dict[str, str],
    reached: Sequence[Path],
    sources: Sequence[Source],
    shown: Mapping[str, str],
) -> None:
    """Refuse a config that leads to other files than the report's inputs: they may be anybody's."""
    # The built-in study was written a moment ago, by us.
    verified = {Path(place).resolve() for place in (*found.values(), *shown)}
    hashes = {one.sha256 for one in stored.provenance.inputs}
    for source in sources:
        files = [one for place in source.files for one in _listed(place, reached, verified)]
        for path in (*files, *map(Path, source.claims)):
            if path.resolve() in verified or not path.exists():
                continue
            if not _is_inside(path, reached) or sha256(path) not in hashes:
                raise UserError(_unlisted(str(path)))


def _listed(place: str, reached: Sequence[Path], verified: Collection[Path]) -> list[Path]:
    """Give the files that a path means; no folder is looked into that is out of reach."""
    pattern = is_pattern(place)
    at = Path(place).parent if pattern else Path(place)
    real = at.resolve()
    inside = real in verified or any(real.is_relative_to(root) for root in reached)
    if not inside or (pattern and has_magic(str(at))):
        raise UserError(_unlisted(place))
    return members(place)


def _unlisted(path: str) -> str:
    return (
        f"the report was made with “{one_line(path)}”, which it does not list among its inputs, so "
        "it cannot be verified and was not read; gate the data again"
    )
