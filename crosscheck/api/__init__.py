"""From Python: `check` gates a path, a frame, dictionaries or arrays, and gives a `Result`."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck import gate, system
from crosscheck.api.arrays import table_of
from crosscheck.api.memory import placed, placed_claims, plain
from crosscheck.api.result import Result
from crosscheck.errors import UserError
from crosscheck.gate.request import prepare
from crosscheck.model.options import Options
from crosscheck.report import publish

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Result", "check"]
ARRAYS = ("y_true", "y_prob", "y_pred", "y_score")
OPTIONS = ("intervals", "resamples", "seed", "timeout", "policy", "strict", "today")


def check(
    data: Any = None,  # noqa: ANN401 - a path, a frame, an Arrow table, dictionaries
    *,
    claims: Any = (),  # noqa: ANN401 - a path, several, or a mapping
    config: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    witnesses: Sequence[str] = (),
    rankings: dict[str, str] | None = None,
    **settings: Any,  # noqa: ANN401 - arrays, options, and keys of a config
) -> Result:
    """Recompute every number twice, compare, check; the result says whether it passed.

    `data` is a path (a table, a folder, a glob), a pandas or polars frame, an Arrow table, a list
    of objects, or a pair `(qrels, run)` of paths, dictionaries or frames. Instead of it there may
    be arrays: `y_true`, and `y_prob`, `y_pred` or `y_score`. `claims` is a path, a list of paths,
    or a mapping from the name of a metric to what is claimed. `rankings` names columns as systems.

    Every other name is an option of `crosscheck gate` (`intervals`, `resamples`, `seed`,
    `timeout`, `policy`, `strict`, `today`) or a key of the config (`threshold`, `k`, `classes`, …).
    With `out` the whole report is written to that folder. Bad input raises `crosscheck.UserError`.
    """
    arrays = {name: settings.pop(name) for name in ARRAYS if name in settings}
    options = {name: plain(settings.pop(name)) for name in OPTIONS if name in settings}
    stated = {name: plain(value) for name, value in settings.items()}
    if arrays:
        if data is not None:
            raise UserError("data and arrays exclude each other: give one or the other")
        data = table_of(arrays, stated)
    options["rankings"] = tuple((rankings or {}).items())
    options["witnesses"] = tuple(witnesses)
    with ExitStack() as stack, _caches(), publish.aside(Path(out)) if out else nullcontext() as aim:
        folder = stack.enter_context(system.scratch("data"))
        with _told_without(folder):
            place = placed(data, folder)
            options |= place | {"claims": placed_claims(claims, folder)}
            asked = Options(config=os.fspath(config) if config else None, **options)
            search = not any(map(folder.__eq__, map(_parent, place.values())))
            request = stack.enter_context(prepare(asked, search=search, settings=stated))
            if stated or any(map(folder.__eq__, map(_parent, asked.files))):
                request = _not_to_be_rerun(request, folder, stated)
            result = Result(gate.run(request), stack.pop_all())
        if aim is not None:
            result.publish(aim)
    return result


def _parent(path: str) -> Path:
    return Path(path).parent


def _not_to_be_rerun(request: gate.Request, folder: Path, stated: Iterable[str]) -> gate.Request:
    """Say in the report what was called: no command line gives the same again."""
    shown = {str(path): f"in memory/{path.name}" for path in sorted(folder.iterdir())}
    words = ", ".join(["data", *(f"{name}=…" for name in stated)])
    command = (f"crosscheck.check({words})",)
    return replace(request, options=None, command=command, shown={**request.shown, **shown})


@contextmanager
def _told_without(folder: Path) -> Iterator[None]:
    """Leave the private folder's name out of messages: it is gone by the time they are read."""
    try:
        yield
    except UserError as error:
        raise UserError(str(error).replace(f"{folder}{os.sep}", "")) from None


@contextmanager
def _caches() -> Iterator[None]:
    """Keep the libraries' caches in our place, for as long as we work."""
    before = {name: os.environ.get(name) for name in system.CACHES}
    system.keep_caches()
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
