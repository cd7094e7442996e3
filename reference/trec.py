"""TREC's qrels and run files (section 1, TREC)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from reference import cells
from reference.errors import DataError, Problem, SettingsError, UnreadableError
from reference.files import opened
from reference.settings import fold_problems, in_sample
from reference.study import Query, Study, columns_for, met

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from reference.settings import Settings

QRELS = "query iteration document relevance"
COLUMNS = {"query_id", "candidates", "gold", "scores"}
RUN = "query Q0 document rank score tag"


def read(data: Mapping[str, Any], settings: Settings) -> Study:
    """Read judgements and a run; queries come in the order of the judgements."""
    if data.keys() != {"qrels", "run"}:
        what = f"data is a mapping with {', '.join(map(str, data)) or 'nothing'}"
        raise SettingsError([Problem(what, "Give the two paths qrels and run")])
    qrels, run = Path(data["qrels"]), Path(data["run"])
    problems: list[Problem] = []
    judged = _judgements(qrels, settings.relevance_level, problems)
    retrieved = _retrieved(run, problems)
    problems.extend(fold_problems(settings, [], str(qrels)))
    if problems:
        raise DataError(problems)
    queries = [
        _query(name, gold, retrieved.get(name, {}), settings.ties)
        for name, gold in judged.items()
        if in_sample(name, settings.sample)
    ]
    if not queries:
        raise DataError([Problem("no query is in the sample", "Take a larger one", str(qrels))])
    return Study(
        settings,
        tuple(queries),
        known=met(COLUMNS & columns_for(settings.families), settings),
        rows={"EVAL": len(queries)},
        dropped=sum(name not in judged and in_sample(name, settings.sample) for name in retrieved),
    )


def _query(name: str, gold: set[str], scores: dict[str, float], ties: str) -> Query:
    ranking = sorted(scores, reverse=True) if ties == "docid" else list(scores)
    ranking.sort(key=scores.__getitem__, reverse=True)
    return Query(
        row=0,
        name=name,
        label=int(bool(gold)),
        gold=frozenset(gold),
        ranking=tuple(ranking),
        scores=tuple([scores[uid] for uid in ranking]),
        hits=tuple([rank for rank, uid in enumerate(ranking, 1) if uid in gold]),
    )


def _judgements(path: Path, level: int, problems: list[Problem]) -> dict[str, set[str]]:
    gold: dict[str, set[str]] = {}
    seen = set()
    for row, (name, _, uid, relevance) in _lines(path, QRELS, problems):
        if (name, uid) in seen:
            problems.append(_twice(path, row, name, uid))
        seen.add((name, uid))
        members = gold.setdefault(name, set())
        if not cells.INTEGER.fullmatch(relevance):
            what = f"found {relevance!r} where a relevance is expected"
            problems.append(Problem(what, "Give an integer", str(path), row, name, "relevance"))
        elif int(relevance) >= level and int(relevance) >= 0:
            members.add(uid)
    return gold


def _retrieved(path: Path, problems: list[Problem]) -> dict[str, dict[str, float]]:
    scores: dict[str, dict[str, float]] = {}
    for row, (name, _, uid, _, score, *_) in _lines(path, RUN, problems):
        ranked = scores.setdefault(name, {})
        if uid in ranked:
            problems.append(_twice(path, row, name, uid))
        try:
            ranked[uid] = cells.number(score)
        except cells.BadCell as bad:
            problems.append(Problem(bad.what, bad.remedy, str(path), row, name, "score"))
    return scores


def _twice(path: Path, row: int, name: str, uid: str) -> Problem:
    return Problem(f"document {uid} is there twice", "Keep one", str(path), row, name, "document")


def _lines(path: Path, fields: str, problems: list[Problem]) -> Iterator[tuple[int, list[str]]]:
    """Yield number and fields of each line; one whose first field begins with # is a comment."""
    count = len(fields.split())
    empty = True
    with opened(path) as stream:
        for number, line in enumerate(stream, 1):
            parts = line.split()
            if not parts or parts[0].startswith("#"):
                continue
            empty = False
            if len(parts) < count or (fields == QRELS and len(parts) > count):
                what = f"has {len(parts)} fields where {count} are expected"
                problems.append(Problem(what, f"Write: {fields}", str(path), number))
            else:
                yield number, parts
    if empty:
        raise UnreadableError([Problem("is empty", f"Write: {fields}", file=str(path))])
