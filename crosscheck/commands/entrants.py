"""Who takes part: systems of the config, data files, stored reports, or the built-in study.

A report takes part with the inputs that it was made from, found and held against their hashes;
paired intervals need the predictions, two reports' numbers would not do.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck import config as configs
from crosscheck import rerun, study
from crosscheck.config import systems
from crosscheck.config.systems import Source
from crosscheck.errors import UserError
from crosscheck.gate.request import STUDY
from crosscheck.report import json
from crosscheck.rerun.bundle import opened
from crosscheck.system import scratch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.config import Config

REPORTS = (".json", ".zip")


@dataclass(frozen=True, slots=True)
class Entrants:
    """The systems of a comparison, and the config that says what else holds."""

    config: Config
    sources: tuple[Source, ...]
    shown: dict[str, str]
    """Path → the name it goes by in what is written, where that is not the path."""
    discovered: Path | None = None
    """The config, where it was found and not named."""


@contextmanager
def entrants(
    words: Sequence[str], config: Path | None, *, search: bool = True
) -> Iterator[Entrants]:
    """Find everybody named; without names, the config's systems, else the built-in study's."""
    discovered = configs.find(_place(words)) if config is None and search else None
    settled = configs.read(config or discovered)
    with ExitStack() as stack:
        if not words and not settled.systems:
            folder = stack.enter_context(scratch("study"))
            yield _built_in(folder)
            return
        named = words or list(settled.systems)
        found = [one for word in named for one in _read(word, settled, stack)]
        sources = tuple(_told_apart(found))
        yield Entrants(settled, sources, {}, discovered)


def _place(words: Sequence[str]) -> Path | None:
    """Give the first data file named: a config may lie beside it."""
    files = (Path(word.rpartition("=")[2]) for word in words)
    return next((file for file in files if file.is_file() and file.suffix not in REPORTS), None)


def _built_in(folder: Path) -> Entrants:
    study.write(folder, systems=study.SYSTEM_NAMES)
    config = configs.read(folder / configs.FILE)
    shown = {str(path): f"{STUDY}/{path.name}" for path in sorted(folder.iterdir())}
    return Entrants(config, systems.choose(config), shown)


def _read(word: str, config: Config, stack: ExitStack) -> list[Source]:
    """Read one word of the command line: a system's name, NAME=FILE, a file, or a report."""
    if word in config.systems:
        return [one for one in systems.choose(config) if one.name == word]
    name, mark, file = word.rpartition("=")
    path = Path(file)
    if not path.exists():
        there = ", ".join(config.systems) or "none"
        raise UserError(
            f"“{word}” is neither a system of the config ({there}), nor a data file, nor a "
            "report's folder; check the name and the path"
        )
    if path.is_dir() or path.suffix.lower() in REPORTS:
        return _of_report(path, name if mark else "", stack)
    return [Source(name if mark else path.name.partition(".")[0], str(path), config.settings())]


def _of_report(path: Path, name: str, stack: ExitStack) -> list[Source]:
    """Take the systems of a stored report, with its inputs where they lie now."""
    folder = stack.enter_context(opened(path))
    file = folder / json.NAME if folder.is_dir() else folder
    stored = json.read(file)
    sources = stack.enter_context(rerun.asked_again(stored, file.parent)).sources
    label = name or (path if path.is_dir() else path.with_suffix("")).resolve().name
    if len(sources) == 1:
        return [replace(sources[0], name=label)]
    return [replace(one, name=f"{label}/{one.name}") for one in sources]


def _told_apart(sources: Sequence[Source]) -> Iterator[Source]:
    """Refuse two systems of one name: the table could not tell them apart."""
    seen: dict[str, Source] = {}
    for one in sources:
        if one.name in seen:
            files = " and ".join((seen[one.name].files[0], one.files[0]))
            raise UserError(f"two systems are called “{one.name}” ({files}); name them: NAME=FILE")
        seen[one.name] = one
        yield replace(one, claims=())
