"""From options to a request: find the config, choose systems and witnesses, write the study."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck import config as configs
from crosscheck import policy as policies
from crosscheck import study
from crosscheck.ablation import Wanted
from crosscheck.config import systems
from crosscheck.errors import UserError
from crosscheck.extras import lacking
from crosscheck.gate import Request
from crosscheck.limits import admit_data, refuse_resamples
from crosscheck.system import scratch
from crosscheck.witnesses.registry import choose

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from crosscheck.config import Config
    from crosscheck.config.systems import Source
    from crosscheck.model.options import Options
    from crosscheck.policy import Policy

    Vet = Callable[[Sequence[Source], Mapping[str, str]], None]
    """Shown the systems of a run, and the names that files of ours go by."""

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
    vet: Vet | None = None,
) -> Iterator[Request]:
    """Make the request; a config that is not named is searched for, unless told not to.

    Keys of a config that are given as `settings` count instead of what the file says. A config that
    was found may be anybody's: code that it names is not run unless it is allowed. `vet` is shown
    the systems before any file of theirs is looked at, and may refuse them.
    """
    source = options.source
    policy = policies.choose(options.policy, strict=options.strict)
    settings = {**(settings or {}), **options.settings}
    if search and not options.config:
        options = _discovered(options, policy)
    config = configs.read(Path(options.config) if options.config else None, settings)
    if search and options.found and "witnesses" not in settings:
        _refuse_strangers(options.config, config, (*options.witnesses, *allowed))
    if source is None and config.data is None and not config.systems:
        # The steps towards the full pipeline are compared with it only where there are intervals.
        with _study((FULL,) if options.intervals is False else study.SYSTEM_NAMES) as folder:
            shown = {str(path): f"{STUDY}/{path.name}" for path in sorted(folder.iterdir())}
            asked = options.model_copy(update={"config": None, "found": False})
            settled = configs.read(folder / configs.FILE, settings)
            yield _request(asked, settled, policy, shown, vet)
    else:
        yield _request(options, config, policy, {}, vet)


def _refuse_strangers(found: str | None, config: Config, allowed: Collection[str]) -> None:
    strangers = [name for name in config.witnesses if name not in allowed]
    if strangers:
        options = " ".join(f"--allow-witness {name}" for name in strangers)
        raise UserError(
            f"{found} was found, not named, and names {', '.join(strangers)}, whose code would be "
            f"run; read it, and if you trust it, allow it: {options}, or --config {found}"
        )


def _discovered(options: Options, policy: Policy) -> Options:
    """Name the config that is found, unless the policy wants every config to be named."""
    place = next((Path(path) for path in (options.data, options.qrels) if path), None)
    found = configs.find(place)
    if found is None:
        return options
    if policy.discovery:
        return options.model_copy(update={"config": str(found), "found": True})
    if options.source is None:
        raise UserError(
            f"{found} was found and not read: the policy “{policy.name}” wants a config to be "
            f"named. Say --config {found}, or name the data"
        )
    return options


def day(options: Options, config: Config, policy: Policy) -> date | None:
    """Give the day by which waivers expire: the one stated, else this one, where any does."""
    if options.today is not None:
        try:
            return date.fromisoformat(options.today)
        except ValueError:
            raise UserError(f"--today {options.today}: there is no such day") from None
    expiring = policy.expires or any(one.expires for one in config.waivers)
    return datetime.now(UTC).date() if expiring else None


def _request(
    options: Options, config: Config, policy: Policy, shown: dict[str, str], vet: Vet | None
) -> Request:
    resamples, seed = draws(options, config, policy, study=bool(shown))
    refuse_resamples(resamples)
    today = day(options, config, policy)
    named = systems.choose(
        config, data=options.source, rankings=options.rankings, claims=options.claims
    )
    if vet is not None:
        vet(named, shown)
    for file in dict.fromkeys(file for one in named for file in one.files):
        admit_data(file)
    # Of the built-in study the full pipeline is gated, and compared with the steps towards it.
    gated = tuple(one for one in named if one.name == FULL) if shown else named
    compared = len(named) > 1 and bool(resamples or not shown)
    return Request(
        sources=gated,
        config=config,
        witnesses=choose(options.witnesses, config.witnesses),
        resamples=resamples,
        ablation=Wanted(named, tuple(config.metrics), resamples=resamples) if compared else None,
        seed=seed,
        timeout=min(options.timeout or config.timeout, LONGEST),
        options=options.model_copy(update={"today": today.isoformat()}) if today else options,
        policy=policy,
        today=today,
        shown=shown,
        undrawn=lacking("figures"),
    )


def draws(options: Options, config: Config, policy: Policy, *, study: bool) -> tuple[int, int]:
    """Say how many resamples are drawn, and by which seed: as asked, else as the policy has it."""
    said = config.model_fields_set
    # The built-in study shows everything; elsewhere intervals cost time that nobody asked for.
    usual = study or options.resamples is not None or "resamples" in said or policy.intervals
    wanted = usual if options.intervals is None else options.intervals
    least = 0 if "resamples" in said else policy.resamples
    resamples = options.resamples or max(config.resamples, least)
    fixed = config.seed if "seed" in said or policy.seed is None else policy.seed
    return resamples if wanted else 0, fixed if options.seed is None else options.seed


@contextmanager
def _study(names: Sequence[str]) -> Iterator[Path]:
    """Write the built-in study to a folder of its own, for as long as the run takes."""
    with scratch("study") as folder:
        study.write(folder, systems=names)
        yield folder
