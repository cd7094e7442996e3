"""What the authors say about their own file: names, systems, tables, what is quoted or left out.

All of it comes from `[claims]` and `[definitions]` of the config, and each thing that it lets pass
is shown in the report. Patterns hold `*` for anything and nothing else, so that matching is linear.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from crosscheck.contract import load
from crosscheck.errors import UserError
from crosscheck.notation import labels
from crosscheck.notation.compose import compose
from crosscheck.notation.metric_names import folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from crosscheck.config import Claims, Config
    from crosscheck.notation.claim import Claim
    from crosscheck.notation.labels import Label


@dataclass(frozen=True, slots=True)
class Help:
    """The authors' help, as the config gives it."""

    names: Mapping[str, str] = field(default_factory=dict)
    systems: Mapping[str, str] = field(default_factory=dict)
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    ignore: tuple[tuple[str, str], ...] = ()
    """Patterns, each with its reason."""
    definitions: Mapping[str, str] = field(default_factory=dict)


NONE = Help()


def refuse(given: Help, systems: Iterable[str], where: object) -> None:
    """Refuse help that makes a known metric or a system of the run another one."""
    known = {folded(one): one for one in systems}
    wrong = [
        f"claims.names: {told}"
        for name, target in given.names.items()
        if (told := _redefined(name, target) or _redefined(folded(name), target))
    ]
    wrong += [
        f"claims.systems: “{label}” is itself a system of the run and cannot stand for “{system}”; "
        "only a label that is no system may be mapped"
        for label, system in given.systems.items()
        if folded(label) in known and folded(label) != folded(system)
    ]
    if wrong:
        raise UserError("\n".join(f"{where}: {one}" for one in wrong))


def _redefined(name: str, target: str) -> str:
    """Say what is wrong where a name that means one metric is said to mean another; else empty."""
    read, wanted = labels.read(name), target.partition("|")[0]
    found = load().find(wanted)
    meant = found.text if found else wanted
    if read.metric is None or read.condition or read.other or read.metric == meant:
        return ""
    return (
        f"“{name}” means {read.metric} by the contract and cannot mean {meant}; to declare another "
        "variant of a metric, write it under [definitions]"
    )


def helped(claims: Sequence[Claim], given: Help) -> list[Claim]:
    """Apply the authors' help; what it lets pass keeps its reason in `passed`."""
    return [_helped(claim, given) for claim in claims]


def _helped(claim: Claim, given: Help) -> Claim:
    claim = _defined(_named(claim, given.names), given.definitions)
    reason = _reason(claim, given)
    claim = _owned(claim, given.systems)
    return replace(claim, passed=reason) if reason else claim


def matches(pattern: str, text: str) -> bool:
    """Whether a text is what a pattern says; `*` stands for anything, the case for nothing."""
    parts = " ".join(pattern.split()).lower().split("*")
    plain = " ".join(text.split()).lower()
    if len(parts) == 1:
        return plain == parts[0]
    if not plain.startswith(parts[0]) or not plain.endswith(parts[-1]):
        return False
    at = len(parts[0])
    for part in parts[1:-1]:
        found = plain.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return at <= len(plain) - len(parts[-1])


def _named(claim: Claim, names: Mapping[str, str]) -> Claim:
    """Give a claim the key that its label is said to mean."""
    target = next((key for name, key in names.items() if folded(name) == folded(claim.name)), None)
    if target is None or claim.said is None or not claim.name:
        return claim
    told = _redefined(claim.name, target)
    if told:
        raise UserError(f"claims.names: {told}")
    other = tuple(one for one in claim.said.other if folded(one) != folded(claim.name))
    bare = replace(claim.said, metric=None, template=None, candidates=(), condition=(), other=other)
    label = replace(bare, problem=None, suggestions=()).plus(labels.read(target))
    key = compose(label, folds=claim.over_folds, over=claim.over).key
    if key is None:
        return claim
    if claim.said.change:
        key = f"{key.rpartition('|')[0]}|improvement"
        return replace(claim, key=key, role="improvement", condition="", problem=None, said=label)
    role = "value" if claim.role == "unknown" and claim.number is not None else claim.role
    system = " / ".join(other) or None
    return replace(claim, key=key, role=role, system=system, condition="", problem=None, said=label)


def _owned(claim: Claim, systems: Mapping[str, str]) -> Claim:
    """Give a claim to the system that its row is said to be about."""
    called = {
        folded(one) for one in (claim.subject, claim.system or "", claim.dataset or "") if one
    }
    for label, system in systems.items():
        if folded(label) in called:
            whole = folded(label) != folded(claim.system or "") and not claim.condition
            dataset = (
                None if whole or folded(label) == folded(claim.dataset or "") else claim.dataset
            )
            return replace(claim, system=system, dataset=dataset)
    return claim


def _reason(claim: Claim, given: Help) -> str:
    """Say why a claim is let pass by the authors' wish; empty where it is not."""
    for pattern, reason in given.ignore:
        if any(matches(pattern, text) for text in _texts(claim)):
            return f"ignored by the config ({pattern}): {reason}"
    called = (claim.system or "", claim.subject, claim.dataset or "")
    for pattern in given.quoted:
        if any(text and matches(pattern, text) for text in called):
            return f"quoted from others by the config ({pattern}): listed, not verified"
    if not claim.table:
        return ""
    if given.include and not any(_is_table(one, claim) for one in given.include):
        return "its table is not among those that the config includes"
    out = next((one for one in given.exclude if _is_table(one, claim)), None)
    return f"its table is left out by the config ({out})" if out else ""


def _texts(claim: Claim) -> Iterable[str]:
    return (claim.name, claim.label, claim.place, claim.printed, claim.subject)


def _is_table(pattern: str, claim: Claim) -> bool:
    """Whether a pattern means a claim's table: by number, caption or label."""
    number = claim.table.rpartition(" ")[2]
    texts = (number, claim.table, claim.title, claim.reference)
    return any(text and matches(pattern, text) for text in texts)


def _defined(claim: Claim, definitions: Mapping[str, str]) -> Claim:
    """Let a bare name mean what the study declares (contract, section 19)."""
    said = claim.said
    if said is None or claim.key is None or not definitions:
        return claim
    metric, population, where, statistic = claim.key.split("|")
    meant = _variant(metric, said, definitions)
    over = definitions.get("ranking_population")
    if over and said.population is None and _ranks(metric):
        population = over
    if statistic == "std" and definitions.get("std") == "population":
        statistic = "std/population"
    key = f"{meant}|{population}|{where}|{statistic}"
    return claim if key == claim.key else replace(claim, key=key, undeclared=claim.key)


def _variant(metric: str, said: Label, definitions: Mapping[str, str]) -> str:
    name = metric.partition("/")[0].partition("@")[0]
    declared = definitions.get(name)
    if declared is None or "/" in metric:
        return metric
    if load().find(declared):
        bare = said.template is not None and said.parameter is None
        return declared if bare or "@" not in metric else metric
    variant = f"{metric}/{declared}"
    return variant if load().find(variant) else metric


def _ranks(metric: str) -> bool:
    found = load().find(metric)
    return found is not None and found.metric.population == "positives_only"


def help_of(config: Config, system: str = "", known: Sequence[str] = ()) -> Help:
    """Gather what the config says for all claims, and for those of one system.

    Help that would redefine a metric, or one of the systems that are known, is refused.
    """
    own = config.systems[system].claims if system in config.systems else None
    some = [one for one in (config.claims, own) if one is not None]

    def merged(name: str) -> dict[str, str]:
        return {key: held for one in some for key, held in getattr(one, name).items()}

    given = Help(
        names=merged("names"),
        systems=merged("systems"),
        include=_each(one.tables.include for one in some),
        exclude=_each(one.tables.exclude for one in some),
        quoted=_each(one.quoted for one in some),
        ignore=_ignored(some),
        definitions=config.definitions,
    )
    refuse(given, [*config.systems, *known], config.file or "the config")
    return given


def _each(some: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(text for one in some for text in one)


def _ignored(some: Iterable[Claims]) -> tuple[tuple[str, str], ...]:
    return tuple((each.pattern, each.reason) for one in some for each in one.ignore)
