"""Mutants on trial: one pytest session is collected, then each mutant gets a fork of it.

In the fork the mutant's code is put into the living function, and the tests that reach the changed
line run, quickest first, until one fails. What the import itself runs (default values, functions
called at the top of a module) cannot be exchanged afterwards: those mutants are written to the file
and the whole selection runs in a fresh process.
"""

from __future__ import annotations

import ast
import functools
import gc
import importlib
import inspect
import itertools
import json
import os
import resource
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import FrameType

    from mutants import Mutant

KILLED, TIMEOUT, SURVIVED, UNCOVERED = "killed", "timeout", "survived", "uncovered"
IMPORTED = "imported"
"""No verdict yet: the mutant has to be written to its file."""
LATE = ("scipy", "threadpoolctl")
"""Imported where they are used, which is slow: here once, and not by every fork."""
MEMORY = 8 << 30
BROKEN = 70
OPTIONS = ["-q", "-p", "no:cacheprovider", "--capture=no", "--rootdir=.", "--basetemp=.tmp"]
# No report is read: spare the work of explaining a failure.
OPTIONS += ["--assert=plain", "--tb=native"]


class Examples:
    """A pytest plugin: Hypothesis tries the same examples for every mutant, and shrinks none."""

    def pytest_configure(self) -> None:
        """Choose a profile before any test module is imported."""
        from hypothesis import Phase, settings  # noqa: PLC0415 - pytest must import it first

        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("mutation", derandomize=True, database=None, phases=phases)
        settings.load_profile("mutation")


@dataclass
class Session:
    """A pytest plugin: in place of the run it puts the mutants on trial."""

    files: Sequence[str]
    mutants: Sequence[Mutant]
    say: Callable[[str], None]
    patience: float
    """A trial goes on until its tests have taken this long when they were surveyed."""
    until: float
    """When to stop, on the monotonic clock."""
    reached: dict[tuple[str, int], list[int]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    killers: dict[str, Counter[int]] = field(default_factory=dict)
    """How often each test killed a mutant of a function, and of a file."""
    lines: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    """By file and line the tests that reach it."""
    thorough: dict[str, Counter[int]] = field(default_factory=dict)
    """How many lines of a function each test reaches."""
    imported: set[tuple[str, str]] = field(default_factory=set)
    root: str = field(default_factory=lambda: str(Path.cwd()))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Find out which test reaches which line, then try the mutants one by one."""
        sys.setprofile(None)
        if session.testsfailed or not session.items:
            raise pytest.UsageError("the tests could not be collected")
        self._survey(session)
        gc.freeze()  # a fork's garbage collection need not touch, and so copy, what is here
        for mutant in self.mutants:
            if time.monotonic() > self.until:
                break
            self.say(self._try(session, mutant))
        return True

    def watch_import(self, frame: FrameType, event: str, _argument: object) -> None:
        """Note which functions run while modules are imported and tests collected."""
        if event == "call" and frame.f_code.co_filename.startswith(self.root):
            name = frame.f_code.co_qualname.partition(".<locals>")[0]
            self.imported.add((os.path.relpath(frame.f_code.co_filename), name))

    def _survey(self, session: pytest.Session) -> None:
        """Run every test once, in a fork, and take down the lines that it reaches.

        Each function is exchanged for itself before: were the exchange to break anything, no
        mutant's death would prove a thing.
        """
        functions = {mutant.name: mutant.unchanged() for mutant in self.mutants}

        def survey() -> dict[str, Any]:
            for function in functions.values():
                exchange(function)
            # By name: tests/bench has a coverage.py of its own, which is another thing.
            measuring = importlib.import_module("coverage")
            cover = measuring.Coverage(data_file=None, include=[*self.files], config_file=False)
            cover.start()
            seconds, failed = [], []
            for number, item in enumerate(session.items):
                cover.switch_context(str(number))
                started = time.process_time()
                _run(session, item, None)
                seconds.append(time.process_time() - started)
                if session.testsfailed:
                    failed.append(item.nodeid)
                    session.testsfailed = 0
            cover.stop()
            data = cover.get_data()
            lines = {
                os.path.relpath(file): {
                    line: [int(each) for each in contexts if each]
                    for line, contexts in data.contexts_by_lineno(file).items()
                }
                for file in data.measured_files()
            }
            late = [each for each in sys.modules if each.partition(".")[0] in LATE]
            return {"seconds": seconds, "failed": failed, "lines": lines, "late": late}

        status, answer = _forked(survey)
        if status or answer["failed"]:
            found = ", ".join(answer["failed"]) if answer else f"status {status}"
            raise pytest.UsageError(f"tests fail without any mutant: {found}")
        self.seconds, self.lines = answer["seconds"], answer["lines"]
        for name in answer["late"]:
            importlib.import_module(name)
        for file, lines in answer["lines"].items():
            for first, last, body in _statements(Path(file)):
                reach = {t for line in range(first, body + 1) for t in lines.get(str(line), ())}
                for line in range(first, last + 1):
                    self.reached[file, line] = sorted(reach, key=self.seconds.__getitem__)

    def _try(self, session: pytest.Session, mutant: Mutant) -> str:
        if mutant.in_header or (mutant.file, mutant.function) in self.imported:
            return IMPORTED
        tests = self.reached.get((mutant.file, mutant.line), [])
        if not tests:
            return UNCOVERED
        killers = [self.killers.setdefault(key, Counter()) for key in (mutant.name, mutant.file)]
        first = [*killers, self._thorough(mutant)]
        order = sorted(tests, key=lambda test: [-count[test] for count in first])
        spent = itertools.accumulate((self.seconds[test] for test in order), initial=0.0)
        order = [test for test, before in zip(order, spent) if before < self.patience]  # noqa: B905 - a sum more

        def attempt() -> dict[str, int] | None:
            exchange(mutant)
            for place, number in enumerate(order):
                following = order[place + 1] if place + 1 < len(order) else None
                _limit(self.seconds[number])
                after = None if following is None else session.items[following]
                _run(session, session.items[number], after)
                if session.testsfailed:
                    return {"killer": number}
            return None

        status, answer = _forked(attempt)
        for kills in killers if answer else ():
            kills[answer["killer"]] += 1
        return verdict(status, killed=bool(answer))

    def _thorough(self, mutant: Mutant) -> Counter[int]:
        if mutant.name not in self.thorough:
            lines = self.lines.get(mutant.file, {})
            reached = (lines.get(str(line), []) for line in range(mutant.first, mutant.last + 1))
            self.thorough[mutant.name] = Counter(itertools.chain.from_iterable(reached))
        return self.thorough[mutant.name]


def verdict(status: int, *, killed: bool) -> str:
    """Judge by how the fork ended; a crash is noticed too."""
    if os.WIFSIGNALED(status):
        stopped = os.WTERMSIG(status) in {signal.SIGVTALRM, signal.SIGALRM, signal.SIGXCPU}
        return TIMEOUT if stopped else KILLED
    if os.WEXITSTATUS(status) == BROKEN:
        raise RuntimeError("a trial itself failed; its error is above")
    return KILLED if killed else SURVIVED


def _run(session: pytest.Session, item: pytest.Item, following: pytest.Item | None) -> None:
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    if session.shouldstop:
        session.shouldstop = False


def _limit(seconds: float) -> None:
    """Stop an endless loop, and a test that waits forever; the machine may be busy."""
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_VIRTUAL, 3 + 4 * seconds)
    signal.setitimer(signal.ITIMER_REAL, 60 + 60 * seconds)


def _forked(work: Callable[[], Any]) -> tuple[int, Any]:
    """Run in a fork, without a voice; return its exit status and its answer."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        silence = os.open(os.devnull, os.O_RDWR)
        voice = os.dup(2)
        for stream in (0, 1, 2):
            os.dup2(silence, stream)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        try:
            answer = work()
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
            with os.fdopen(writer, "w") as pipe:
                json.dump(answer, pipe)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the parent must not go on as its own copy
            os.write(voice, f"{type(error).__name__}: {error}\n".encode())
            os._exit(BROKEN)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    return status, json.loads(said) if said else None


def _statements(path: Path) -> Iterable[tuple[int, int, int]]:
    """Yield first and last line of each statement, and how far to look for what reaches it.

    Of a compound statement only the head counts, of a function's head its whole body. Inner
    statements come later, and so win.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.stmt):
            continue
        last = node.end_lineno or node.lineno
        body: list[ast.stmt] = getattr(node, "body", [])
        head = max(node.lineno, body[0].lineno - 1) if body else last
        is_function = isinstance(node, ast.FunctionDef)
        yield node.lineno, head, last if is_function else head


def exchange(mutant: Mutant) -> None:
    """Put the mutant's code into the living function."""
    module = importlib.import_module(mutant.module_name)
    holder, _, name = mutant.function.rpartition(".")
    owner = vars(getattr(module, holder)) if holder else vars(module)
    found: Any = owner[name]
    if isinstance(found, property):
        found = found.fget
    elif isinstance(found, functools.cached_property):
        found = found.func
    elif isinstance(found, staticmethod | classmethod):
        found = found.__func__
    found = inspect.unwrap(found)
    filename = found.__code__.co_filename
    if not Path(filename).samefile(mutant.file):
        raise RuntimeError(f"{mutant.name} was imported from {filename}, not from the copy")
    found.__code__ = _code(mutant.compiled(filename), name)
    here = str(Path.cwd())
    for each in list(sys.modules.values()):
        if str(getattr(each, "__file__", "")).startswith(here):
            for value in vars(each).values():
                if isinstance(value, functools._lru_cache_wrapper):  # noqa: SLF001 - no public name
                    value.cache_clear()


def _code(compiled: CodeType, name: str) -> CodeType:
    inner = [each for each in compiled.co_consts if isinstance(each, CodeType)]
    for code in inner:
        if code.co_name == name:
            return code
    return _code(inner[0], name)


def try_all(plugin: Session, selection: Sequence[str]) -> int:
    """Collect the tests once and try every mutant; say each verdict. Return pytest's exit code."""
    sys.setprofile(plugin.watch_import)
    return int(pytest.main([*OPTIONS, *selection], plugins=[Examples(), plugin]))


def try_written(mutant: Mutant, selection: Sequence[str], seconds: float) -> str:
    """Write a mutant to its file, and run the whole selection in a fork that imports it anew."""
    path = Path(mutant.file)
    original = path.read_text(encoding="utf-8")

    def attempt() -> dict[str, int]:
        _limit(seconds)
        return {"code": int(pytest.main([*OPTIONS, "-x", *selection], plugins=[Examples()]))}

    path.write_text(mutant.whole_file(), encoding="utf-8")
    try:
        status, answer = _forked(attempt)
    finally:
        path.write_text(original, encoding="utf-8")
    return verdict(status, killed=bool(answer and answer["code"]))
