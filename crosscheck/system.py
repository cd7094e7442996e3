"""What differs between machines and operating systems, so that nothing else has to ask.

Where libraries keep their caches, how many cores there are, what a process died of, how a report
reaches the disk, what a terminal may be shown. The rest of the program reads the same everywhere.
"""

from __future__ import annotations

import atexit
import ctypes
import errno
import os
import re
import shutil
import signal
import sys
import tempfile
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck import extras
from crosscheck.errors import BAD_INPUT, OUR_ERROR, UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.limits import Limits

CACHES = {
    "NUMBA_CACHE_DIR": "numba",
    "MPLCONFIGDIR": "matplotlib",
    "IR_DATASETS_HOME": "ir_datasets",
}
"""Variable → folder, of libraries that write into the user's home or beside their own files."""

CONTROLS = {
    *({*range(0x20), *range(0x7F, 0xA0)} - {ord("\n"), ord("\t")}),
    *(0x061C, 0x200E, 0x200F, 0x2028, 0x2029),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
    *(0x00AD, 0x180E, 0x200B, 0xFEFF),
    *range(0x2060, 0x2065),
    *range(0xFFF9, 0xFFFC),
    *range(0xE0000, 0xE0080),
}
"""What a terminal obeys, what turns text round or breaks a line where none is seen, and what no
eye can see at all: two ids that differ in it alone would look the same."""
LONGEST = 300
"""Characters of a stranger's that one line shows."""
_PROJECT = Path(__file__).parents[1]


def keep_caches() -> None:
    """Give the libraries one place to keep what they compile; to be called before their import.

    The set-up, `make` and a bare command then share it. A variable that the user has set stays.
    """
    for variable, name in CACHES.items():
        if not os.environ.get(variable):
            os.environ[variable] = str(cache_folder() / name)


def let_threads_sleep() -> None:
    """Let the threads of BLAS sleep when they have nothing to do; to be called before its import.

    By themselves they spin for tens of milliseconds, from the moment that numpy or scipy is loaded
    in any process: on cores that others could use. A variable that the user has set stays.
    """
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # 2⁴ ticks, the fewest that it knows


def open_no_windows() -> None:
    """Let matplotlib draw into files; to be called before its import.

    A notebook names a backend to the programs that it starts, which theirs may not have.
    """
    os.environ["MPLBACKEND"] = "agg"


@cache
def cache_folder() -> Path:
    """Give the checkout's own folder, else the user's, else one that ends with this process."""
    for folder in (_checkout_cache(), _user_cache()):
        if folder is not None and _writable(folder):
            return folder
    # Never a name that others can guess: numba runs what it finds there.
    folder = Path(tempfile.mkdtemp(prefix="crosscheck-cache-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _checkout_cache() -> Path | None:
    return _PROJECT / ".cache" if (_PROJECT / "pyproject.toml").is_file() else None


def _user_cache() -> Path | None:
    """Name the folder for caches by the system's convention; none for a user without a home."""
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    if Path(named).is_absolute():
        return Path(named) / "metric-crosscheck"
    inside = {"win32": "AppData/Local", "darwin": "Library/Caches"}.get(sys.platform, ".cache")
    try:
        return Path.home() / inside / "metric-crosscheck"
    except RuntimeError:
        return None


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@contextmanager
def scratch(purpose: str, within: str | None = None) -> Iterator[Path]:
    """Give an empty folder for as long as it is needed, in the usual place or within a folder.

    Windows keeps a file that a library still maps into memory; that is no reason to fail.
    """
    with tempfile.TemporaryDirectory(
        prefix=f"crosscheck-{purpose}-", ignore_cleanup_errors=True, dir=within
    ) as folder:
        yield Path(folder)


@contextmanager
def no_panic(what: str) -> Iterator[None]:
    """Let a library that breaks off over a damaged file be bad input, and say so once.

    A panic of polars is no `Exception`, and it is told on the stream of errors by itself; so what
    is written there meanwhile is kept back, and shown unless that was all.
    """
    with tempfile.TemporaryFile() as kept:
        before = os.dup(STDERR)
        os.dup2(kept.fileno(), STDERR)
        broken = False
        try:
            yield
        except MemoryError as error:
            broken = True
            raise UserError(short_of_memory(what, error)) from None
        except BaseException as error:
            broken = is_panic(error)
            if not broken:
                raise
            if SHORTAGE.search(str(error)):
                raise UserError(_short_of_room(what, error)) from None
            raise UserError(
                f"{what}: cannot be read: it is damaged, and a library broke off over it "
                f"({str(error).partition(chr(10))[0][:200]}); write it again"
            ) from None
        finally:
            os.dup2(before, STDERR)
            os.close(before)
            kept.seek(0)
            said = kept.read()
            if said and not broken:
                with suppress(OSError):
                    os.write(STDERR, said)


STDERR = 2
SHORTAGE = re.compile(
    r"TooManyOpenFiles|Too many open files|WouldBlock|Resource temporarily unavailable"
    r"|Cannot allocate memory|OutOfMemory|ThreadPoolBuildError"
)
"""What a library says where the system allows it no more files, threads or memory."""
SCARCE = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)


def _short_of_room(what: str, error: BaseException) -> str:
    told = str(error).partition("\n")[0][:200]
    return (
        f"{what}: cannot be done with the files, threads and memory that this process may use "
        f"({told}); nothing says that the data are wrong: allow more (`ulimit -a` tells the limits)"
    )


def is_panic(error: BaseException) -> bool:
    """Whether a library broke off over data: by a panic of Rust, or by an error of its own.

    Text that is none counts as such; what the memory cannot hold does not, it may be whole.
    """
    kind = type(error)
    libraries = ("polars", "pyarrow", "pyo3_runtime")
    if isinstance(error, MemoryError):  # pyarrow has one of its own
        return False
    return kind.__module__.partition(".")[0] in libraries or isinstance(error, UnicodeDecodeError)


def short_of_memory(what: str, error: BaseException) -> str:
    """Say that work needs more memory than there is: nothing is wrong with the data."""
    told = str(error).partition("\n")[0][:200]
    there = allowed_memory()
    than = f"the {there / 2**30:.1f} GB that this process may use" if there else "there is here"
    return (
        f"{what}: needs more memory than {than}{f' ({told})' if told else ''}; nothing says that "
        "the data are wrong: ask for less (fewer resamples, slices, points), gate a part, or use a "
        "larger machine"
    )


def trouble(error: BaseException) -> tuple[int, str]:
    """Say what ended a run, whoever's fault it was: the exit code, and the words."""
    if isinstance(error, UserError) or type(error).__name__ == "InputError":
        return BAD_INPUT, harmless(str(error))
    if isinstance(error, ImportError) and extras.lacks(error):
        return BAD_INPUT, extras.lacks(error)
    if isinstance(error, MemoryError):
        return BAD_INPUT, short_of_memory("the run", error)
    if isinstance(error, OSError) and error.errno in SCARCE:
        return BAD_INPUT, _short_of_room("the run", error)
    told = harmless(f"{type(error).__name__}: {error}")
    if is_panic(error):
        return BAD_INPUT, f"a library broke off over the input ({told}); mend it"
    return OUR_ERROR, f"an error of ours, not of your data: {told}"


def allowed_memory() -> int:
    """Give the bytes that this process may use: the machine's, or its limit; 0: unknown."""
    bounds = [_memory()]
    with suppress(ImportError, AttributeError, ValueError, OSError):
        import resource  # noqa: PLC0415 - not on Windows

        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        bounds += [soft] if soft != resource.RLIM_INFINITY else []
    for place in CONTAINER:
        with suppress(OSError, ValueError):
            bounds.append(int(Path(place).read_text(encoding="ascii")))
    return min((one for one in bounds if one > 0), default=0)


CONTAINER = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Where Linux says what a container may use; “max” is no number."""


def sync(folder: Path) -> None:
    """Make sure that what a folder holds is on the disk."""
    for path in [*folder.rglob("*"), folder]:
        if path.is_dir():
            _sync_folder(path)
        else:
            _sync(path, os.O_RDWR)  # Windows flushes only what is open for writing


def _sync_folder(folder: Path) -> None:
    """Write a folder's list of names to the disk, where a system lets one ask for that."""
    try:
        _sync(folder, os.O_RDONLY)
    except OSError as error:
        # Windows opens no folder; some file systems of the network flush none.
        if error.errno not in {errno.EACCES, errno.EPERM, errno.EINVAL, errno.ENOTSUP}:
            raise


def _sync(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def bound(limits: Limits, seconds: int) -> None:
    """Bound what this process may use, where the system has such bounds."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    memory = limits.memory or max(4 * 2**30, _memory())
    for name, wanted in (
        ("RLIMIT_AS", memory),
        ("RLIMIT_CPU", seconds),
        ("RLIMIT_NOFILE", limits.opened),
        ("RLIMIT_FSIZE", limits.written),
        ("RLIMIT_CORE", 0),
    ):
        kind = getattr(resource, name, None)
        if kind is None:
            continue
        _, hard = resource.getrlimit(kind)
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(ValueError, OSError):  # macOS knows some by name alone
            resource.setrlimit(kind, (most, most))


def _memory() -> int:
    with suppress(AttributeError, ValueError, OSError):  # Windows, and whoever does not say
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return 0


def group_memory(leader: int) -> int:
    """Count the bytes that a group of processes holds in memory; 0 where no system says."""
    held = 0
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            fields = place.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(fields[_GROUP]) == leader:
                held += int(fields[_RESIDENT]) * os.sysconf("SC_PAGE_SIZE")
    return held


_GROUP, _RESIDENT = 2, 21
"""Fields of a process's line in Linux, counted behind its name."""


def exchange(one: Path, other: Path) -> bool:
    """Let two folders change names in one step; False where the system does not know how."""
    if sys.platform != "linux":
        return False
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:  # a C library of before 2018
        return False
    paths = os.fsencode(one), os.fsencode(other)
    if call(AT_FDCWD, paths[0], AT_FDCWD, paths[1], RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP}:  # a kernel, or a file system, without
        return False
    raise OSError(number, os.strerror(number), str(other))


AT_FDCWD = -100
RENAME_EXCHANGE = 2


def cores() -> int:
    """Count the cores that this process may use, which are fewer than all in a container."""
    if sys.platform == "win32":
        return min(os.cpu_count() or 1, 61)  # it waits for no more processes than that
    with suppress(AttributeError):  # macOS has no such question
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def ended(code: int | None) -> str:
    """Say how a process ended."""
    if code is None or code >= 0:
        return f"ended with code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:  # a real-time signal has no name of its own
        return f"was ended by signal {-code}"


def slashed(word: str) -> str:
    """Write a path as every system reads it; elsewhere than on Windows, it is that already."""
    return word.replace(os.sep, "/")


def harmless(text: str) -> str:
    """Show what a terminal would obey as an escape: names in a stranger's file may hold it.

    JSON, which may hold some of it, stays JSON that says the same.
    """
    return text.translate(SHOWN)


def say(text: str, *, nl: bool = True, err: bool = False) -> None:
    """Print what may hold a stranger's words."""
    import click  # noqa: PLC0415 - processes that only compute do without

    click.echo(no_command(harmless(text)), nl=nl, err=err)


def no_command(text: str) -> str:
    """Write lines that GitHub would obey, in a job of its, as lines that say the same to people.

    It obeys what a line begins with after spaces, and the older form anywhere in a line.
    """
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return text
    return _OBEYED.sub(lambda found: f"{found[1]}{_escape(ord(found[2]))}", text)


def one_line(text: str, most: int = LONGEST) -> str:
    """Show a stranger's words so that they cannot pass for a line of ours, or bury it."""
    brief = text if len(text) <= most else f"{text[:most]} …"
    return harmless(brief).replace("\n", "\\n").replace("\t", "\\t")


def _escape(code: int) -> str:
    """Write a character as JSON and Python do; one beyond 16 bits is two escapes in JSON."""
    units = chr(code).encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


SHOWN = {code: _escape(code) for code in CONTROLS}
_OBEYED = re.compile(r"(?m)(^(?:[^\S\n]|\x1b\[[\d;]*m)*|(?=##\[))(:(?=:)|#(?=#\[))")


def trust_no_folder() -> None:
    """Let no process that works for this one import from the folder that one stands in.

    Python looks there first in a process that it starts by a line of code, as those are.
    """
    os.environ[SAFE_PATH] = "1"


SAFE_PATH = "PYTHONSAFEPATH"
