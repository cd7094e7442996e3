"""From options to a request: find the config, choose systems and witnesses, write the study."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck import config as configs
from crosscheck import study
from crosscheck.ablation import Wanted
from crosscheck.config import systems
from crosscheck.errors import UserError
from crosscheck.gate import Request
from crosscheck.limits import refuse_resamples
from crosscheck.system import scratch
from crosscheck.witnesses.registry import choose

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from crosscheck.config import Config
    from crosscheck.model.options import Options

FULL = "full"
"""The built-in study's whole pipeline."""
LONGEST = 2_000_000
"""Seconds, 23 days: no system waits for an answer much longer than that."""
STUDY = "built-in study"
"""What the built-in study's files are called in a report; a leading folder that nobody has."""


@contextmanager
def prepare(
    options: Options,
    *,
    search: bool = True,
    settings: Mapping[str, Any] | None = None,
    allowed: Collection[str] = (),
) -> Iterator[Request]:
    """Make the request; a config that is not named is searched for, unless told not to.

    Keys of a config that are given as `settings` count instead of what the file says. A config that
    was found may be anybody's: code that it names is not run unless it is allowed.
    """
    source = options.source
    place = next((Path(path) for path in (options.data, options.qrels) if path), None)
    named = Path(options.config) if options.config else None
    found = named or (configs.find(place) if search else None)
    settings = {**(settings or {}), **options.settings}
    config = configs.read(found, settings)
    if found is not None and named is None and "witnesses" not in (settings or ()):
        _refuse_strangers(found, config, (*options.witnesses, *allowed))
    if source is None and config.data is None and not config.systems:
        # The steps towards the full pipeline are compared with it only where there are intervals.
        with _study((FULL,) if options.intervals is False else study.SYSTEM_NAMES) as folder:
            shown = {str(path): f"{STUDY}/{path.name}" for path in sorted(folder.iterdir())}
            asked = options.model_copy(update={"config": None})
            yield _request(asked, configs.read(folder / configs.FILE, settings), shown)
    else:
        asked = options.model_copy(update={"config": str(found) if found else None})
        yield _request(asked, config, {})


def _refuse_strangers(found: Path, config: Config, allowed: Collection[str]) -> None:
    strangers = [name for name in config.witnesses if name not in allowed]
    if strangers:
        options = " ".join(f"--allow-witness {name}" for name in strangers)
        raise UserError(
            f"{found} was found, not named, and names {', '.join(strangers)}, whose code would be "
            f"run; read it, and if you trust it, allow it: {options}, or --config {found}"
        )


def _request(options: Options, config: Config, shown: dict[str, str]) -> Request:
    # The built-in study shows everything; elsewhere intervals cost time that nobody asked for.
    asked = options.resamples is not None or "resamples" in config.model_fields_set
    wanted = bool(shown) or asked if options.intervals is None else options.intervals
    resamples = (options.resamples or config.resamples) if wanted else 0
    refuse_resamples(resamples)
    named = systems.choose(
        config, data=options.source, rankings=options.rankings, claims=options.claims
    )
    # Of the built-in study the full pipeline is gated, and compared with the steps towards it.
    gated = tuple(one for one in named if one.name == FULL) if shown else named
    compared = len(named) > 1 and bool(resamples or not shown)
    return Request(
        sources=gated,
        config=config,
        witnesses=choose(options.witnesses, config.witnesses),
        resamples=resamples,
        ablation=Wanted(named, tuple(config.metrics), resamples=resamples) if compared else None,
        seed=config.seed if options.seed is None else options.seed,
        timeout=min(options.timeout or config.timeout, LONGEST),
        options=options,
        shown=shown,
    )


@contextmanager
def _study(names: Sequence[str]) -> Iterator[Path]:
    """Write the built-in study to a folder of its own, for as long as the run takes."""
    with scratch("study") as folder:
        study.write(folder, systems=names)
        yield folder
