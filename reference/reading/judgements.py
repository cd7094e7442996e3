"""Qrels and a run, as a study (sections 1, TREC, and 14)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reference.errors import DataError, Problem, SettingsError
from reference.graded import EXPONENTIAL_MAX
from reference.reading import ranked
from reference.reading.pairs import qrels_of, run_of
from reference.settings import fold_problems, in_sample
from reference.study import SMALL_GRADES, Query, Study, columns_for, met

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reference.settings import Settings

COLUMNS = {"query_id", "candidates", "gold", "scores", "judged"}
Scored = list[tuple[str, float]]


@dataclass
class Topic:
    """What assessors said about one query: the gold, the grades from 1 on, all that was judged."""

    gold: set[str] = field(default_factory=set)
    grades: dict[str, int] = field(default_factory=dict)
    judged: set[str] = field(default_factory=set)


def read(data: Mapping[str, Any], settings: Settings) -> Study:
    """Read judgements and a run; queries come in the order of the judgements."""
    if data.keys() != {"qrels", "run"}:
        what = f"data is a mapping with {', '.join(map(str, data)) or 'nothing'}"
        raise SettingsError([Problem(what, "Give the two paths qrels and run")])
    if settings.slices:
        what = "slices are declared, but qrels and a run have no further columns"
        raise SettingsError([Problem(what, "Leave the slices out, or give a table")])
    if settings.positive is not None:
        what = "positive is set, but qrels and a run have no label"
        raise SettingsError([Problem(what, "Leave it out, or give a table")])
    qrels, run = Path(data["qrels"]), Path(data["run"])
    problems: list[Problem] = []
    topics = _topics(qrels, settings, problems)
    retrieved = _retrieved(run, settings, problems)
    problems.extend(fold_problems(settings, [], str(qrels)))
    if problems:
        raise DataError(problems)
    kept = {name: topic for name, topic in topics.items() if in_sample(name, settings.sample)}
    if not kept:
        raise DataError([Problem("no query is in the sample", "Take a larger one", str(qrels))])
    rankings = {name: _ranking(retrieved.get(name, ()), settings.ties) for name in kept}
    removed = sum(map(ranked.once, rankings.values()))
    queries = [_query(name, topic, rankings[name]) for name, topic in kept.items()]
    largest = max((grade for topic in kept.values() for grade in topic.grades.values()), default=1)
    grade_max = settings.grade_max or largest
    graded = any(grade > 1 for topic in topics.values() for grade in topic.grades.values())
    columns = COLUMNS | ({"grades"} if graded else set())
    known = columns & columns_for(settings.families)
    return Study(
        settings,
        tuple(queries),
        known=met(known, settings, **{SMALL_GRADES: grade_max <= EXPONENTIAL_MAX}),
        rows={"EVAL": len(queries)},
        grade_max=grade_max,
        counted={
            "dropped_queries": sum(
                name not in topics and in_sample(name, settings.sample) for name in retrieved
            ),
            "missing_topics": sum(name not in retrieved for name in kept),
            "duplicates_removed": removed,
            "float32_ties": sum(_tied32(retrieved.get(name, ())) for name in kept)
            if "scores" in known
            else None,
            "key": "columns",
            "contradictions": {"has_evidence": 0, "state": 0, "pred": 0},
        },
    )


def _tied32(scored: Sequence[tuple[str, float]]) -> bool:
    return ranked.float32_tied(sorted((score for _, score in scored), reverse=True))


def _ranking(scored: Sequence[tuple[str, float]], ties: str) -> dict[str, Any]:
    """Order what was retrieved; under `trec_eval` a score is what 32 bits hold of it."""
    ordered = list(scored)
    if ties == "trec_eval":
        ordered = [(uid, ranked.float32(score)) for uid, score in ordered]
    if ties != "order":
        ordered.sort(key=lambda pair: pair[0], reverse=True)
    uids, scores = [uid for uid, _ in ordered], [score for _, score in ordered]
    return ranked.in_order(uids, scores, None)


def _query(name: str, topic: Topic, ranking: dict[str, Any]) -> Query:
    gold = frozenset(topic.gold)
    return Query(
        row=0,
        name=name,
        label=int(bool(gold)),
        gold=gold,
        **ranking,
        **ranked.marks(ranking["ranking"], gold, topic.grades, topic.judged),
    )


def _topics(path: Path, settings: Settings, problems: list[Problem]) -> dict[str, Topic]:
    """Sort the judgements: below 0 is not judged, from `relevance_level` on is gold."""
    topics: dict[str, Topic] = {}
    seen = set()
    for row, name, uid, value in qrels_of(path, problems):
        topic = topics.setdefault(name, Topic())
        if (name, uid) in seen:
            problems.append(_twice(path, row, name, uid))
        seen.add((name, uid))
        if value < 0:
            continue
        topic.judged.add(uid)
        if value >= settings.relevance_level:
            topic.gold.add(uid)
        if value >= 1:
            topic.grades[uid] = value
        if settings.grade_max is not None and value > settings.grade_max:
            what = f"found the relevance {value}, above grade_max {settings.grade_max}"
            remedy = "Correct it, or raise grade_max"
            problems.append(Problem(what, remedy, str(path), row, name, "relevance"))
    return topics


def _retrieved(path: Path, settings: Settings, problems: list[Problem]) -> dict[str, Scored]:
    """Gather what was retrieved for each query, in the order of the file."""
    found: dict[str, Scored] = {}
    seen = set()
    for row, name, uid, score in run_of(path, settings.run_path, problems):
        scored = found.setdefault(name, [])
        scored.append((uid, score))
        if (name, uid) in seen and not settings.dedupe:
            problems.append(_twice(path, row, name, uid))
        seen.add((name, uid))
    return found


def _twice(path: Path, row: int | None, name: str, uid: str) -> Problem:
    return Problem(f"document {uid} is there twice", "Keep one", str(path), row, name, "document")
