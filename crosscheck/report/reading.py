"""How the data were read, in sentences: what a reader would otherwise have to guess."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crosscheck.contract import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def reading(facts: Mapping[str, Any]) -> list[str]:
    """Say what was chosen or left out on the way from the file to the numbers."""
    said = load().words(facts)
    return [said.fit(one) for one in (*_columns(facts), *_counts(facts))]


def _columns(facts: Mapping[str, Any]) -> Iterator[str]:
    columns = facts.get("columns", {})
    if facts.get("key") == "rows":
        yield "The file has no key column; the number of the row stands for it."
    if "score" in columns and "prob" in columns:
        yield f"The column {columns['score']} is not read: there are probabilities."
    elif "score" in columns:
        yield (
            f"Curves are by the column {columns['score']}, taken for a score without a scale; if "
            f'it is a probability, say so: [columns] prob = "{columns["score"]}".'
        )
    read_as = [f"{ours} from {theirs}" for ours, theirs in columns.items() if ours != theirs]
    if read_as:
        yield f"Columns under other names: {', '.join(read_as)}."


def _counts(facts: Mapping[str, Any]) -> Iterator[str]:
    if facts.get("grade_max"):
        yield f"Grades count up to {facts['grade_max']} (grade_max)."
    for name, one, many in COUNTED:
        count = facts.get(name) or 0
        if count:
            yield f"{count:,} {one if count == 1 else many}."


COUNTED = (
    (
        "missing_topics",
        "judged query is not in the run; it counts with an empty ranking",
        "judged queries are not in the run; each counts with an empty ranking",
    ),
    (
        "dropped_queries",
        "query of the run is not judged, and is left out",
        "queries of the run are not judged, and are left out",
    ),
    (
        "float32_ties",
        "query has scores that differ only beyond 32 bits, where trec_eval sees a tie",
        "queries have scores that differ only beyond 32 bits, where trec_eval sees ties",
    ),
    (
        "duplicates_removed",
        "document stood in a ranking twice; its best place counts",
        "documents stood in a ranking twice; the best place of each counts",
    ),
    (
        "straddling",
        "row has a probability that stands on both sides of a cut of equal mass",
        "rows have a probability that stands on both sides of a cut of equal mass",
    ),
)
"""Fact → what is said of one, and of several."""
