"""From options to a request: find the config, choose systems and witnesses, write the study."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck import config as configs
from crosscheck import study, systems
from crosscheck.gate import Request
from crosscheck.witnesses.catalogue import choose

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.config import Config

STUDY = "built-in study"
"""What the built-in study's files are called in a report; a leading folder that nobody has."""


@contextmanager
def prepare(
    *,
    data: str | None = None,
    claims: Sequence[str] = (),
    config: Path | None = None,
    rankings: Sequence[tuple[str, str]] = (),
    qrels: str | None = None,
    run: str | None = None,
    witnesses: Sequence[str] = (),
    intervals: bool | None = None,
    resamples: int | None = None,
    seed: int | None = None,
) -> Iterator[Request]:
    """Make the request that the options describe."""
    source = {"qrels": qrels, "run": run} if qrels and run else data
    place = Path(data) if data else Path(qrels) if qrels else None
    settled = configs.read(config or configs.find(place))
    built_in = source is None and settled.data is None and not settled.systems
    command = _command(locals())
    with _study() if built_in else _nothing() as folder:
        if folder is not None:
            settled = configs.read(folder / configs.FILE)
        wants = built_in or "resamples" in settled.model_fields_set or resamples is not None
        chosen = systems.choose(settled, data=source, rankings=rankings, claims=claims)
        yield Request(
            sources=chosen,
            config=settled,
            witnesses=choose(witnesses, settled.witnesses),
            resamples=_resamples(settled, resamples, wants if intervals is None else intervals),
            seed=settled.seed if seed is None else seed,
            command=command,
            shown=_shown(folder),
        )


def _resamples(config: Config, asked: int | None, wanted: bool) -> int:
    if not wanted:
        return 0
    return asked or config.resamples


@contextmanager
def _nothing() -> Iterator[None]:
    yield None


@contextmanager
def _study() -> Iterator[Path]:
    """Write the built-in study to a folder of its own, for as long as the run takes."""
    folder = Path(tempfile.mkdtemp(prefix="crosscheck-study-"))
    try:
        study.write(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _shown(folder: Path | None) -> dict[str, str]:
    if folder is None:
        return {}
    return {str(path): f"{STUDY}/{path.name}" for path in sorted(folder.iterdir())}


def _command(asked: dict[str, object]) -> tuple[str, ...]:
    """Write the command that gives the same result, in one order whatever the user typed."""
    words = ["crosscheck", "gate"]
    if asked["data"]:
        words.append(str(asked["data"]))
    for name in ("qrels", "run", "config"):
        if asked[name]:
            words += [f"--{name}", str(asked[name])]
    for file in asked["claims"]:  # type: ignore[attr-defined]
        words += ["--claims", str(file)]
    for name, column in asked["rankings"]:  # type: ignore[attr-defined]
        words += ["--ranking", f"{name}={column}"]
    for name in asked["witnesses"]:  # type: ignore[attr-defined]
        words += ["--witness", str(name)]
    if asked["intervals"] is not None:
        words.append("--intervals" if asked["intervals"] else "--no-intervals")
    for name in ("resamples", "seed"):
        if asked[name] is not None:
            words += [f"--{name}", str(asked[name])]
    return tuple(words)
