"""Which column of the file holds what: the settings' mapping first, then the known names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from primary.settings import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from primary.errors import Problems

ALIASES: dict[str, tuple[str, ...]] = {
    "gold": ("gold_ids", "gold_evidence_ids", "gold_sent_uids"),
    "candidates": ("candidate_ids", "ranked_ids", "reranked_topk"),
    "scores": ("reranker_scores", "refined_scores"),
    "has_evidence": ("gt_has_evidence", "has_evidence_gold"),
    "prob": ("ne_prob",),
    "pred": ("ne_pred",),
    "selected": ("retrieved_ids",),
    "fold": ("fold_id",),
}
"""Names that the study's own files use (contract, section 1)."""


def resolve(
    present: Sequence[str],
    mapped: Mapping[str, str],
    wanted: Collection[str],
    problems: Problems,
) -> dict[str, str]:
    """Give the file's column for every wanted contract name that the file has.

    A column that the settings map is no longer known by its alias.
    """
    found: dict[str, str] = {}
    taken = set(mapped.values())
    for name in (name for name in COLUMNS if name in wanted):
        if name in mapped:
            if mapped[name] in present:
                found[name] = mapped[name]
            else:
                problems.add(
                    f"the settings map {name} to {mapped[name]!r}, which the file does not have",
                    f"Its columns are {', '.join(present)}.",
                    column=mapped[name],
                )
            continue
        known = {name, *ALIASES.get(name, ())} - (taken - {name})
        named = [one for one in present if one in known]
        if len(named) > 1:
            problems.add(
                f"{' and '.join(named)} could each be {name}",
                f'Say which one under columns in the config, as {name} = "{named[0]}".'
                if len(set(named)) > 1
                else "Rename or remove one.",
                column=named[0],
            )
        if named:
            found[name] = named[0]
    _check_key(present, found, problems)
    return found


def _check_key(present: Sequence[str], found: Mapping[str, str], problems: Problems) -> None:
    if "query_id" in found or {"post_id", "criterion_id"} <= found.keys():
        return
    lacking = [name for name in ("post_id", "criterion_id") if name not in found]
    problems.add(
        f"the key column {' and '.join(lacking)} is missing; found {', '.join(present)}",
        "A query needs post_id and criterion_id, or query_id; `columns` maps other names.",
        column=lacking[0],
    )


def key_columns(found: Mapping[str, str]) -> tuple[str, ...]:
    """Give the contract names that identify a query within its fold and split."""
    if {"post_id", "criterion_id"} <= found.keys():
        return ("post_id", "criterion_id")
    return ("query_id",)
