"""What a run asks for, held against the policy: every breach in one sentence.

Nothing here looks at the data; what does is in `crosscheck.checks.policy`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from crosscheck.contract import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from crosscheck.config import Config, DeclaredProfile, SystemConfig, Waiver
    from crosscheck.policy import Policy

    Breach = tuple[str, str]
    """Rule, and what was done against it."""

ALWAYS = ("primary", "reference")
"""Who is asked whatever a policy says."""


@dataclass(frozen=True, slots=True)
class Terms:
    """A policy, and what a run asks for."""

    policy: Policy
    config: Config
    witnesses: tuple[str, ...]
    resamples: int
    seed: int
    claims: tuple[str, ...] = ()
    """Files that hold claims."""
    rankings: tuple[tuple[str, str], ...] = ()
    """Systems by name, and the column that each one's candidates are read from."""
    today: date | None = None
    """By which waivers expire; None: nothing depends on the day."""
    undrawn: str = ""
    """Why there are no figures; nothing where there are."""

    @property
    def tolerance(self) -> float:
        """The tolerance in force: the config's, or the policy's where that is smaller."""
        return min(self.config.tolerance, self.policy.tolerance)

    @property
    def profile(self) -> DeclaredProfile | None:
        """What is declared about the data: the policy's numbers over the config's."""
        required, own = self.policy.profile, self.config.profile
        if required is None or own is None:
            return required or own
        fixed = {name: getattr(required, name) for name in required.model_fields_set}
        return own.model_copy(update=fixed)

    @property
    def waivers(self) -> tuple[Waiver, ...]:
        """The config's waivers that the policy grants."""
        return tuple(one for one in self.config.waivers if not any(self.refused(one)))

    def too_short(self, reason: str) -> Iterator[str]:
        """Say that a reason is none."""
        least = self.policy.waivers.reason
        length = sum(letter.isalnum() for letter in reason)
        if length < least:
            letters = "letter or digit" if length == 1 else "letters and digits"
            yield f"its reason has {length} {letters}, at least {least} are asked for"

    def refused(self, waiver: Waiver) -> Iterator[str]:
        """Say why a waiver does not count."""
        terms = self.policy.waivers
        yield from self.too_short(waiver.reason)
        if terms.owner and not waiver.owner:
            yield "it names no owner"
        if terms.expiry and not waiver.expires:
            yield "it does not say when it expires"
        if terms.rules is not None and waiver.rule not in terms.rules:
            yield f"{waiver.rule} may not be waived"
        grant = (terms.rules or {}).get(waiver.rule)
        if grant and grant.owner and grant.owner != waiver.owner:
            yield f"{waiver.rule} may be waived by {grant.owner} alone"
        for until in (waiver.expires, grant.expires if grant else None):
            if until and self.today and until < self.today:
                yield f"it expired on {until}, and the run is judged as of {self.today}"


def breaches(terms: Terms) -> Iterator[Breach]:
    """Say everything that a run asks for and may not."""
    policy, config = terms.policy, terms.config
    if "tolerance" in config.model_fields_set and config.tolerance > policy.tolerance:
        told = f"tolerance = {config.tolerance:g}: values so far apart would pass as equal"
        yield "XC001", f"{told}; the policy “{policy.name}” allows {policy.tolerance:g} at most"
    for one in config.waivers:
        for why in terms.refused(one):
            yield "XC003", f"the waiver of {one.what} (“{one.reason}”) does not count: {why}"
    yield from _ignored(terms)
    yield from _witnesses(terms)
    yield from _resampling(terms)
    if policy.figures and terms.undrawn:
        yield "XC013", f"there are no figures ({terms.undrawn}), and the policy requires them"
    yield from _settings(policy, config)
    yield from _rankings(terms)
    yield from _level(policy, config)
    yield from _profile(policy, config)
    yield from _claims(terms)


def _ignored(terms: Terms) -> Iterator[Breach]:
    """Ask of a claim that is left out what is asked of a finding that is waived: a reason."""
    config = terms.config
    places = [
        ("", config.claims),
        *((f"systems.{name}.", one.claims) for name, one in config.systems.items()),
    ]
    for place, claims in places:
        for one in claims.ignore if claims else ():
            for why in terms.too_short(one.reason):
                named = f"{place}claims.ignore “{one.pattern}” (“{one.reason}”)"
                yield "XC003", f"{named} does not count as a reason: {why}"


def _witnesses(terms: Terms) -> Iterator[Breach]:
    asked = [name for name in terms.witnesses if name not in ALWAYS]
    allowed = terms.policy.witnesses.allowed
    for name in asked if allowed is not None else ():
        if name not in (allowed or ()):
            yield "XC004", f"the witness {name} was asked; the policy allows {_listed(allowed)}"
    for name in terms.policy.witnesses.required:
        if name not in terms.witnesses:
            yield "XC005", f"the witness {name} was not asked, and the policy requires it"


def _resampling(terms: Terms) -> Iterator[Breach]:
    policy = terms.policy
    if policy.intervals and not terms.resamples:
        yield "XC006", "no intervals were drawn, and the policy requires them"
    if 0 < terms.resamples < policy.resamples:
        yield "XC006", f"{terms.resamples:,} resamples; the policy asks for {policy.resamples:,}"
    if policy.seed is not None and terms.seed != policy.seed:
        yield "XC007", f"seed {terms.seed}; the policy fixes {policy.seed}"


def _settings(policy: Policy, config: Config) -> Iterator[Breach]:
    """Hold every setting that the policy lists against what it allows, in each system."""
    places = [("", config), *((f"systems.{name}.", one) for name, one in config.systems.items())]
    for setting, allowed in policy.allowed.items():
        for place, one in places:
            for what in _beyond(
                getattr(one, setting, None), allowed, default=_default(one, setting)
            ):
                named = f"{place}{setting}"
                yield "XC008", f"{named}: {what}; the policy allows {_listed(allowed)}"


def _rankings(terms: Terms) -> Iterator[Breach]:
    """Hold the columns of --ranking against those that may be mapped."""
    allowed = terms.policy.allowed.get("columns")
    for name, column in terms.rankings if allowed is not None else ():
        for what in _beyond({"candidates": column}, allowed, default=False):
            yield "XC008", f"--ranking {name}: {what}; the policy allows {_listed(allowed)}"


def _level(policy: Policy, config: Config) -> Iterator[Breach]:
    """Judgements that a lab holds say nothing, unless it is fixed from which grade one counts."""
    if not policy.held.qrels or "relevance_level" in policy.allowed:
        return
    usual = int(load().defaults["relevance_level"])
    for level in {one.relevance_level for one in (config, *config.systems.values())}:
        if level is not None and level != usual:
            told = f"relevance_level = {level}: other documents count as relevant than in the"
            more = "it may allow levels ([allowed] relevance_level)"
            yield "XC011", f"{told} judgements that the policy holds; {more}"


def _default(one: SystemConfig, setting: str) -> bool:
    return setting not in one.model_fields_set


def _beyond(held: Any, allowed: Any, *, default: bool) -> Iterator[str]:  # noqa: ANN401 - any setting's value
    """Name each part of a setting that is not among what is allowed."""
    if default or held is None:
        return
    if isinstance(held, dict) and isinstance(allowed, dict):
        for name, entry in held.items():
            if name not in allowed or entry not in allowed[name]:
                yield f"{name} = {entry!r}"
    elif isinstance(held, dict):
        # By fold a number, by name a column or a definition: either may be what is listed.
        yield from (
            f"{name} = {entry!r}"
            for name, entry in held.items()
            if name not in allowed and entry not in allowed
        )
    else:
        parts = held if isinstance(held, list | tuple) else [held]
        yield from (f"{part!r}" for part in parts if part not in allowed)


def _listed(allowed: Any) -> str:  # noqa: ANN401 - the same
    if isinstance(allowed, dict):
        return ", ".join(f"{name} = {_listed(some)}" for name, some in allowed.items()) or "none"
    return " or ".join(map(str, allowed)) or "none"


def _profile(policy: Policy, config: Config) -> Iterator[Breach]:
    """Let a config declare more than the policy, and nothing else than it."""
    if policy.profile is None or config.profile is None:
        return
    for name in sorted(policy.profile.model_fields_set & config.profile.model_fields_set):
        fixed, own = getattr(policy.profile, name), getattr(config.profile, name)
        if fixed != own:
            yield "XC009", f"profile.{name} = {own!r}; the policy fixes {fixed!r}"


def _claims(terms: Terms) -> Iterator[Breach]:
    names: Sequence[str] = [PurePosixPath(file.replace("\\", "/")).name for file in terms.claims]
    for file in terms.policy.claims.files:
        if PurePosixPath(file).name not in names:
            there = ", ".join(names) or "none"
            yield "XC010", f"{file} is not among the files of claims ({there})"


def looser(policy: Policy, standard: Policy) -> Iterator[str]:
    """Say in what a policy grants more than the standard one."""
    if policy.tolerance > standard.tolerance:
        yield f"a tolerance of {policy.tolerance:g} instead of {standard.tolerance:g}"
    if policy.unevaluated > standard.unevaluated:
        yield (
            f"{policy.unevaluated:.0%} of the rows evaluated nowhere instead of "
            f"{standard.unevaluated:.0%}"
        )
    if policy.waivers.reason < standard.waivers.reason:
        yield (
            f"waivers with reasons of {policy.waivers.reason} characters instead of "
            f"{standard.waivers.reason}"
        )
    lacking = [name for name in standard.truth if name not in policy.truth]
    if lacking:
        yield f"to map {', '.join(lacking)} away from columns of that name"
    mapped = policy.allowed.get("columns", {})
    named = [name for name in mapped if name in standard.truth] if isinstance(mapped, dict) else []
    if named:
        yield f"to read {', '.join(named)} from other columns"
