"""Which column of the file holds what: the settings' mapping first, then the known names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from primary.settings import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from primary.errors import Problems

ALIASES: dict[str, tuple[str, ...]] = {
    "gold": (
        *("gold_ids", "gold_evidence_ids", "gold_sent_uids"),
        *("relevant", "relevant_ids", "ground_truth_ids", "reference_contexts"),
    ),
    "candidates": (
        *("candidate_ids", "ranked_ids", "reranked_topk"),
        *("retrieved", "contexts", "retrieved_contexts", "ranking"),
    ),
    "scores": ("reranker_scores", "refined_scores"),
    "has_evidence": ("gt_has_evidence", "has_evidence_gold"),
    "prob": ("ne_prob", "y_prob", "probability"),
    "pred": ("ne_pred",),
    "selected": ("retrieved_ids",),
    "fold": ("fold_id",),
    "grades": ("relevance_grades",),
    "score": ("y_score", "decision_function", "logit"),
    "label": ("y_true", "target"),
    "predicted": ("y_pred",),
}
"""Names that files use (contract, sections 1 and 14, and docs/interface.md, Files)."""

KEYS = ("qid", "question_id", "id")
"""Names of the key where neither query_id nor post_id is there."""

EITHER = "retrieved_ids"
"""The ranking where no other column is, else what was selected from it."""

SLICE = "slices."
"""How the names of declared slices begin, so that they are no names of the contract."""


def resolve(
    present: Sequence[str],
    mapped: Mapping[str, str],
    wanted: Collection[str],
    problems: Problems,
) -> dict[str, str]:
    """Give the file's column for every wanted contract name and slice that the file has.

    A column that the settings map is no longer known by its alias. Without any key column the
    answer has none: the row number stands for it.
    """
    found: dict[str, str] = {}
    for name in (name for name in dict.fromkeys((*COLUMNS, *mapped)) if name in wanted):
        if name not in mapped:
            named = _named(name, present, mapped)
            if len(named) > 1:
                _told_twice(named, name, problems)
            if named:
                found[name] = named[0]
        elif mapped[name] in present:
            found[name] = mapped[name]
        else:
            what = f"the slice {name.removeprefix(SLICE)}" if name.startswith(SLICE) else name
            problems.add(
                f"the settings map {what} to {mapped[name]!r}, which the file does not have",
                f"Its columns are {', '.join(present)}.",
                column=mapped[name],
            )
    if "prob" in found:
        found.pop("score", None)
    _check_key(present, found, problems)
    return found


def _named(name: str, present: Sequence[str], mapped: Mapping[str, str]) -> list[str]:
    """Name the columns that could be meant, none of which the settings map to something else."""
    known = {name, *ALIASES.get(name, ())}
    if name == "selected" and not _ranked(present, mapped):
        known.remove(EITHER)
    if name == "candidates" and not _ranked(present, mapped):
        known.add(EITHER)
    if name == "query_id" and not {"query_id", "post_id"} & {*present, *mapped}:
        known.update(KEYS)
    taken = {source for one, source in mapped.items() if not one.startswith(SLICE)}
    return [one for one in present if one in known - (taken - {name})]


def _ranked(present: Sequence[str], mapped: Mapping[str, str]) -> bool:
    """Say whether a column other than `retrieved_ids` is the ranking."""
    if "candidates" in mapped:
        return True
    taken = {source for one, source in mapped.items() if not one.startswith(SLICE)}
    return any(
        one in present and one not in taken for one in ("candidates", *ALIASES["candidates"])
    )


def _told_twice(named: Sequence[str], name: str, problems: Problems) -> None:
    problems.add(
        f"{' and '.join(named)} could each be {name}",
        f'Say which one under columns in the config, as {name} = "{named[0]}".'
        if len(set(named)) > 1
        else "Rename or remove one.",
        column=named[0],
    )


def _check_key(present: Sequence[str], found: Mapping[str, str], problems: Problems) -> None:
    """Refuse half a key; without any the row number is one."""
    halves = [name for name in ("post_id", "criterion_id") if name in found]
    if "query_id" in found or len(halves) != 1:
        return
    lacking = next(name for name in ("post_id", "criterion_id") if name not in found)
    problems.add(
        f"the key column {lacking} is missing; found {', '.join(present)}",
        "A query needs post_id and criterion_id, or query_id; `columns` maps other names.",
        column=lacking,
    )


def key_columns(found: Mapping[str, str]) -> tuple[str, ...]:
    """Give the contract names that identify a query within its fold and split; none: its row."""
    if {"post_id", "criterion_id"} <= found.keys():
        return ("post_id", "criterion_id")
    return ("query_id",) if "query_id" in found else ()
