"""The declared profile (contract, section 1): numbers that a study states about its own data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.checks import Evidence, Result, result
from crosscheck.checks.splits import differing_candidate_sets
from crosscheck.model.findings import finding
from crosscheck.model.key import escape

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from crosscheck.model.findings import Finding

    Assertion = tuple[str, str, object, object]
    """Rule, what is declared, declared, found."""


def check(evidence: Evidence) -> Result:
    """Compare every declared number with the data."""
    assertions = list(_assertions(evidence))
    findings = [
        finding(
            rule,
            f"{what}: the profile declares {_shown(declared)}, the data have {_shown(found)}",
            system=evidence.system,
        )
        for rule, what, declared, found in assertions
        if declared != found
    ]
    extra = [*_mean_candidates(evidence), *_shared(evidence)]
    findings += [found for found in extra if found is not None]
    silent = "the profile declares no numbers" if evidence.profile else "no profile is declared"
    return result(len(assertions) + len(extra), findings, silent)


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def _assertions(evidence: Evidence) -> Iterator[Assertion]:
    profile = evidence.profile
    if profile is None:
        return
    facts, queries = evidence.facts, evidence.facts["queries"]
    folds = _folds(evidence)
    without = None
    if queries["has_evidence"] is not None:
        without = queries["all_queries"] - queries["has_evidence"]
    declared = [
        ("XC201", "posts", profile.posts, facts["posts"]),
        ("XC203", "queries", profile.queries, queries["all_queries"]),
        ("XC204", "queries with evidence", profile.with_evidence, queries["has_evidence"]),
        ("XC204", "queries without evidence", profile.without_evidence, without),
        ("XC202", "criteria", _sorted(profile.criteria), _sorted(facts["criteria"])),
        ("XC205", "posts per fold", _list(profile.posts_per_fold), _posts(folds)),
        ("XC205", "queries per fold", _list(profile.queries_per_fold), [len(f) for f in folds]),
    ]
    yield from (one for one in declared if one[2] is not None)
    for view, count in (profile.view_queries or {}).items():
        found = evidence.ledger.get(f"queries|all_queries|view={escape(view)}|n")
        yield "XC207", f"queries of view {view}", count, found


def _sorted(values: object) -> list[str] | None:
    return None if values is None else sorted(map(str, values))  # type: ignore[call-overload]


def _list(values: object) -> list[int] | None:
    return None if values is None else list(values)  # type: ignore[call-overload]


def _folds(evidence: Evidence) -> list[pl.DataFrame]:
    """Give the EVAL rows of each fold, in the folds' order."""
    rows = evidence.rows
    return [rows.frame.filter(rows.within(f"fold={fold}")) for fold in evidence.facts["folds"]]


def _posts(folds: list[pl.DataFrame]) -> list[int]:
    return [fold["post_id"].n_unique() for fold in folds if "post_id" in fold.columns]


def _mean_candidates(evidence: Evidence) -> Iterator[Finding | None]:
    profile = evidence.profile
    if profile is None or profile.mean_candidates is None:
        return
    low, high = profile.mean_candidates
    found = "the data have no candidates"
    if evidence.rows.has("candidates"):
        candidates = evidence.rows.frame["candidates"]
        mean = int(candidates.list.len().sum() or 0) / len(candidates)
        if low <= mean <= high:
            yield None
            return
        found = f"a query has {mean:.2f} candidates on average"
    yield finding("XC206", f"{found}; the profile declares {low} to {high}", system=evidence.system)


def _shared(evidence: Evidence) -> Iterator[Finding | None]:
    profile = evidence.profile
    if profile is None or not profile.shared_candidates:
        return
    posts, different = differing_candidate_sets(evidence)
    if not posts:
        yield finding(
            "XC208",
            "the data have no candidates by post and criterion; the profile declares that the "
            "criteria of a post share theirs",
            system=evidence.system,
        )
    elif different:
        yield finding(
            "XC208",
            f"{len(different):,} of {posts:,} posts have criteria with different candidates, "
            f"first {different[0]}",
            system=evidence.system,
            place=different[0],
        )
    else:
        yield None
