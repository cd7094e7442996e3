"""Whose number a claim is: which system of the run, which data set, which split.

A claim is verified against a system's ledger only where nothing that its labels say is left
unexplained. What is left is told, with the line of the config that would explain it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crosscheck.model.key import unescape
from crosscheck.notation.metric_names import folded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crosscheck.notation.claim import Claim

    Ledger = Mapping[str, int | float]

EVAL = "EVAL"


@dataclass(frozen=True)
class File:
    """What the claims that are read together name: one of a kind says nothing, two do."""

    systems: frozenset[str]
    datasets: frozenset[str]
    splits: frozenset[str]
    seeds: frozenset[str] = frozenset()
    """The slices of single seeds, as keys write them."""

    @classmethod
    def of(cls, claims: Sequence[Claim]) -> File:
        """Gather the names of all claims."""
        return cls(
            frozenset(folded(one.system) for one in claims if one.system),
            frozenset(folded(one.dataset) for one in claims if one.dataset and one.key),
            frozenset(one.split for one in claims if one.split and one.role != "setting"),
            frozenset(
                where
                for one in claims
                if one.key and "|" in one.key and (where := one.key.split("|")[2])[:5] == "seed="
            ),
        )


@dataclass(frozen=True, slots=True)
class Owner:
    """The system a claim belongs to; None: to any. `why` where it belongs to none of the run."""

    system: str | None = None
    why: str = ""


def spoken(claim: Claim, known: Sequence[str]) -> Claim:
    """Give a claim of running text the systems that its sentence names, in their order."""
    if not claim.prose or claim.system:
        return claim
    text = claim.title.lower()
    places = {name: _place(text, name.lower()) for name in known}
    named = sorted((name for name in known if places[name] >= 0), key=lambda name: places[name])
    against = named[1] if len(named) == 2 and claim.role != "value" else None  # noqa: PLR2004 - a pair
    if len(named) == 1 or against:
        return replace(claim, system=named[0], against=claim.against or against)
    return claim


def unknown(claim: Claim) -> Claim:
    """Take the last label of a number that names no metric for a metric, not for a system."""
    parts = (claim.system or "").split(" / ")
    if claim.key is not None or claim.candidates or claim.role != "unknown":
        return claim
    if not claim.label or folded(parts[-1]) != folded(claim.label):
        return claim
    why = f"“{claim.label}” is no metric that the contract knows"
    return replace(claim, system=" / ".join(parts[:-1]) or None, problem=why)


def _place(text: str, name: str) -> int:
    """Say where a name stands in a text as a word of its own; -1: nowhere."""
    at = text.find(name)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(name) : at + len(name) + 1]
        if not (before.isalnum() or after.isalnum()):
            return at
        at = text.find(name, at + 1)
    return -1


def owner(claim: Claim, known: Sequence[str], file: File) -> Owner:
    """Say to which ranking of the run a claim belongs."""
    parts = [part for part in (claim.system or "").split(" / ") if part]
    rankings = {folded(name): name for name in known}
    if claim.system and folded(claim.system) in rankings:
        return Owner(rankings[folded(claim.system)])
    mine = [rankings[folded(part)] for part in parts if folded(part) in rankings]
    strange = [part for part in parts if folded(part) not in rankings]
    if claim.dataset and folded(claim.dataset) in rankings and not mine:
        mine.append(rankings[folded(claim.dataset)])
    if len(set(mine)) == 1 and not strange:
        return Owner(mine[0])
    if not parts and not mine:
        open_ = claim.prose and len(known) > 1
        return Owner(why="which system the sentence is about is not said" if open_ else "")
    # One system in the file and one in the run: they are each other's.
    if len(file.systems) == 1 and len(known) <= 1 and not mine:
        return Owner()
    names = ", ".join(known) or "none is named"
    return Owner(
        why=f"belongs to “{claim.system}”, which is no ranking of this run ({names}); "
        "name it with --ranking, under [systems] or under [claims.systems]"
    )


def located(claim: Claim, ledger: Ledger, file: File, known: Sequence[str]) -> tuple[Claim, str]:
    """Give a claim the slice that its data set and condition mean, or say what stays open."""
    if claim.key is None:
        return claim, ""
    for part in filter(None, claim.condition.split(" / ")):
        found = _slice(claim.key or "", part, ledger)
        if found is None:
            return claim, f"what “{part}” says about it is not known"
        claim = replace(claim, key=found, condition="")
    dataset = claim.dataset
    if dataset and folded(dataset) not in {folded(name) for name in known}:
        found = _slice(claim.key or "", dataset, ledger)
        if found is not None:
            return replace(claim, key=found), ""
        if len(file.datasets) > 1:
            return claim, f"it is about the data set “{dataset}”, one of several in the file"
    return claim, ""


def _slice(key: str, value: str, ledger: Ledger) -> str | None:
    """Find the key of a slice `NAME=value` that the ledger has for a number over all rows."""
    metric, population, where, statistic = key.split("|")
    if where != "all":
        return None
    start = f"{metric}|{population}|"
    for other in ledger:
        if not other.startswith(start) or not other.endswith(f"|{statistic}"):
            continue
        name, mark, held = other.split("|")[2].partition("=")
        if mark and name not in {"fold", "seed"} and folded(unescape(held)) == folded(value):
            return other
    return None


def split_of(claim: Claim, file: File, *, has_splits: bool) -> tuple[str, str]:
    """Say why a claim's split keeps it from being verified, and what is worth knowing if not."""
    if claim.split in {None, EVAL}:
        return "", ""
    if has_splits:
        return f"it is said to be over the {claim.split} rows; every number here is over EVAL", ""
    if file.splits - {claim.split}:
        return (
            f"it is said to be over the {claim.split} rows, one of several splits in the file",
            "",
        )
    return "", (
        f"the numbers are said to be over {claim.split}; the data have no split column, so that "
        "their rows are taken for those"
    )
