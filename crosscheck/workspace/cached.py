"""Reports that were made before: what has not changed is not computed again (docs/cache.md).

An entry is known by everything that decides a report without opening a file: options, folder,
environment, every file of this program, Python, the packages' versions, the machine. It holds the
hashes of the inputs it was made from and of its own files; all of them are looked at again before
it is used. In doubt there is no entry: a report from here has the bytes of one computed anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import stat
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck import system
from crosscheck.data.hashes import sha256
from crosscheck.report.names import REPORT as NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import date

    from crosscheck.gate import Outcome, Request

    Asked = Mapping[str, Any]
    """The options as the command line has them, by the names of `Options`: plain values."""

TOLD = "cached: nothing has changed since this was computed (--no-cache: anew)"
"""What is said of a report that was made before."""
FOLDER = "runs"
ENTRY = "entry.json"
REPORT = "report"
LAYOUT = 2
"""How an entry is laid out; another one is none."""
MOST = 24
"""Entries that are kept; the oldest go first."""
MOST_BYTES = 512 * 2**20
LONGEST = 2**22
"""Bytes of an entry's own record."""
PACKAGES = ("crosscheck", "primary", "reference")
ENGINES = ("perl",)
"""Programs that a witness may ask."""
OF_THE_SCREEN = {"COLORTERM", "COLUMNS", "LINES", "NO_COLOR", "TERM"}
"""Variables that say how things look."""
OF_THE_TERMINAL = OF_THE_SCREEN | {"_", "OLDPWD", "PWD", "SHLVL"}
"""Those, and where one came from; any other one may matter."""


@dataclass(frozen=True)
class Cache:
    """What is kept of one request, if anything is."""

    place: Path
    """Of the entry."""
    asked: Asked

    @classmethod
    def of(cls, asked: Asked, *words: str) -> Cache:
        """Find the place of a request; `words` are what decides a report besides its options."""
        settled = [LAYOUT, asked, words, str(Path.cwd()), _surroundings()]
        key = hashlib.sha256(json.dumps(settled, sort_keys=True).encode()).hexdigest()
        return cls(system.cache_folder() / FOLDER / key, asked)

    def find(self) -> Kept | None:
        """Give the report that was made before; None where there is none."""
        try:
            return self._fresh()
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def used(self) -> None:
        """Take down that it was: the oldest go first."""
        with suppress(OSError):
            os.utime(self.place)

    def _fresh(self) -> Kept | None:
        """Read the files of the entry, if it is whole, ours, and of what lies there now."""
        _own(self.place)
        told = json.loads(_content(self.place / ENTRY, LONGEST))
        stale = (
            told["key"] != self.place.name
            or told["day"] not in {None, _today()}
            or told["found"] != _found(self.asked)
            or told["inputs"] != _hashed(told["inputs"])
            or any(Path(path).exists() for path in told["absent"])
            or told["members"] != _members(told["members"])
        )
        if stale:
            return None
        names = sorted(_below(self.place / REPORT))
        files = {name: _content(self.place / REPORT / name, MOST_BYTES) for name in names}
        same = {name: hashlib.sha256(one).hexdigest() for name, one in files.items()}
        if not files or same != told["files"]:
            return None
        shown = told["shown"] if told["screen"] == _screen() else ""
        return Kept(files, json.loads(files[NAME]), str(shown))

    def keep(self, outcome: Outcome, before: Seen, folder: Path, shown: str) -> None:
        """Keep a report for the next time, if it would be the same then; never a reason to fail.

        `shown` is what was printed of it, if anything: the next time is asked on the same screen.
        """
        request = outcome.request
        taken = [path for one in outcome.stated for path in one.taken]
        if not _repeatable(outcome) or not before.holds(request, taken):
            return
        inputs = {path: sha256(Path(path)) for path in (*before.files, *taken)}
        names = sorted(_below(folder))
        told = {
            "key": self.place.name,
            "day": _day(request.today, self.asked),
            "found": _found(self.asked),
            "inputs": inputs,
            "absent": [path for one in outcome.stated for path in one.absent],
            "members": _members(_places(request)),
            "files": {name: sha256(folder / name) for name in names},
            "shown": shown,
            "screen": _screen(),
        }
        with suppress(OSError):
            self._write(told, folder)
            _tidy(self.place.parent)

    def _write(self, told: dict[str, Any], folder: Path) -> None:
        home = self.place.parent
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Written aside: nobody finds half an entry.
        aside = Path(tempfile.mkdtemp(prefix=".", dir=home))
        try:
            shutil.copytree(folder, aside / REPORT)
            (aside / ENTRY).write_text(json.dumps(told), encoding="utf-8")
            shutil.rmtree(self.place, ignore_errors=True)
            aside.rename(self.place)
        finally:
            shutil.rmtree(aside, ignore_errors=True)


@dataclass(frozen=True)
class Kept:
    """A report that was made before."""

    files: dict[str, bytes]
    told: dict[str, Any]
    """What `report.json` says."""
    shown: str
    """What was printed of it on a screen like this one; empty where nothing was."""

    def put(self, folder: Path) -> None:
        """Write its files into a folder."""
        for name, content in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)


@dataclass(frozen=True)
class Seen:
    """The input files of a request as they lay there when it began."""

    files: dict[str, tuple[int, int, int]]
    began: int
    """When the first of them may have been read, in nanoseconds."""

    def holds(self, request: Request, taken: Iterable[str]) -> bool:
        """Whether they still lie there so, and nothing was written or linked anew since."""
        since = any(_changed(Path(path)) >= self.began - COARSE for path in (*self.files, *taken))
        return not since and Seen.of(request, self.began).files == self.files

    @classmethod
    def of(cls, request: Request, began: int) -> Seen:
        """Look at them; those of the built-in study are made by the program itself."""
        named = [str(one) for one in (request.config.file, request.policy.file) if one]
        named += [str(one) for place in _places(request) for one in _listed(place)]
        named += [file for one in _sources(request) for file in one.claims]
        found = {}
        for path in named:
            if path not in request.shown:
                with suppress(OSError):  # whoever reads it says so
                    about = Path(path).stat()
                    found[path] = (about.st_mtime_ns, about.st_size, about.st_ino)
        return cls(found, began)


COARSE = 50_000_000
"""Nanoseconds by which the clock of a file system may be behind."""


def _changed(path: Path) -> int:
    """Say when a file, or the link to it, was last written, moved or made."""
    return max(path.stat().st_ctime_ns, path.lstat().st_ctime_ns)


def _sources(request: Request) -> list[Any]:
    return [*request.sources, *request.rivals]


def _places(request: Request) -> list[str]:
    """Name the data as they were named: a file, a folder, a glob."""
    data = [one.data for one in _sources(request)]
    named = [path for one in data for path in (one.values() if isinstance(one, dict) else [one])]
    return [str(path) for path in named if str(path) not in request.shown]


def _repeatable(outcome: Outcome) -> bool:
    """Whether asking again gives the same: code of ours alone, and everybody answered."""
    from crosscheck.witnesses import Silence  # noqa: PLC0415 - only after a run

    request = outcome.request
    if any(one.apart for one in request.witnesses) or (request.options and request.options.engine):
        return False
    heard = [one.answer for each in outcome.evidence for one in each.statements]
    heard += [each.intervals for each in outcome.evidence]  # type: ignore[misc]
    silent = any(isinstance(one, Silence) for one in heard)
    return not silent and not any(one.rule == INTERRUPTED for one in outcome.findings)


INTERRUPTED = "XC991"
"""What was to be computed and was not: it may be next time."""


@cache
def _surroundings() -> list[Any]:
    """Say everything around a run that may show in its report."""
    kept = {name: held for name, held in os.environ.items() if name not in OF_THE_TERMINAL}
    with suppress(OSError):
        described = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        kept["cpu"] = "\n".join(sorted({one for one in described.splitlines() if "flags" in one}))
    return [
        sorted(kept.items()),
        list(_code()),
        [sys.version, sys.executable, sys.flags.optimize, *_system()],
        system.cores(),
        list(_installed()),
        [shutil.which(name) for name in ENGINES],
    ]


def _system() -> Iterable[str]:
    """Name the machine and what runs on it."""
    # `platform` asks another program, which takes longer than all of this.
    return os.uname() if hasattr(os, "uname") else platform.uname()


def _code() -> Iterator[tuple[str, str]]:
    """Hash every file of the program."""
    root = Path(__file__).resolve().parents[2]
    for package in PACKAGES:
        for name in sorted(_below(root / package)):
            if "__pycache__" not in name:
                yield f"{package}/{name}", sha256(root / package / name)


def _installed() -> Iterator[str]:
    """Name every package with its version, as the names of its records have them."""
    for place in sys.path:
        with suppress(OSError):
            for name in sorted(os.listdir(place)):  # noqa: PTH208 - names alone
                if name.endswith((".dist-info", ".egg-info")):
                    yield f"{place}/{name}"


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _day(today: date | None, asked: Asked) -> str | None:
    """Give the day on which the report holds alone; None where it holds on every one."""
    return today.isoformat() if today and not asked.get("today") else None


def _screen() -> list[Any]:
    """Say what decides how a text looks where it is printed, the words aside."""
    sizes: list[list[int] | None] = []
    for stream in (0, 1, 2):
        try:
            sizes.append(list(os.get_terminal_size(stream)))
        except OSError:
            sizes.append(None)
    variables = [os.environ.get(name) for name in sorted(OF_THE_SCREEN)]
    return [sizes, sys.stdout.isatty(), getattr(sys.stdout, "encoding", None), variables]


def _found(asked: Asked) -> list[str] | None:
    """Give the config that would be found, and its content, where none is named."""
    if asked.get("config"):
        return None
    from crosscheck import config  # noqa: PLC0415 - not needed where one is named

    place = next((Path(path) for path in map(asked.get, ("data", "qrels")) if path), None)
    found = config.find(place)
    return [str(found), sha256(found)] if found else None


def _hashed(paths: Iterable[str]) -> dict[str, str]:
    return {path: sha256(_regular(Path(path))) for path in paths}


def _regular(path: Path) -> Path:
    """Give a path that is a file's; what is none may never end."""
    if not path.is_file():
        raise ValueError(f"{path}: is no file any more")
    return path


def _members(places: Iterable[str]) -> dict[str, list[str]]:
    return {place: [str(one) for one in _listed(place)] for place in places}


def _listed(place: str) -> list[Path]:
    from crosscheck.config.places import members  # noqa: PLC0415 - with the config

    return members(place)


def _below(folder: Path) -> Iterator[str]:
    """Name every file below a folder."""
    for at, _, names in os.walk(folder):
        yield from ((Path(at) / name).relative_to(folder).as_posix() for name in names)


def _own(place: Path) -> None:
    """Refuse what another user made, or could have changed."""
    for one in (place, place.parent):
        about = one.lstat()
        mine = not hasattr(os, "getuid") or about.st_uid == os.getuid()
        shared = os.name == "posix" and about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if not stat.S_ISDIR(about.st_mode) or not mine or shared:
            raise PermissionError(f"{one}: is not this user's alone")


def _content(path: Path, most: int) -> bytes:
    """Read a file that is one, no link, and not too large."""
    about = path.lstat()
    if not stat.S_ISREG(about.st_mode) or about.st_size > most:
        raise ValueError(f"{path}: is no file of ours")
    return path.read_bytes()


def _tidy(home: Path) -> None:
    """Let the oldest entries go where there are too many, or they take too much room."""
    entries = sorted(home.iterdir(), key=lambda one: one.lstat().st_mtime_ns, reverse=True)
    room = MOST_BYTES
    for place, one in enumerate(entries):
        room -= sum((one / name).lstat().st_size for name in _below(one))
        if place >= MOST or room < 0:
            shutil.rmtree(one, ignore_errors=True)
