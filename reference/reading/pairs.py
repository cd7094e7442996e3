"""Files that say one thing about one query and one document: qrels and runs (docs/interface.md).

What a file is, is told by its content: lines of TREC or MS MARCO, JSON, or a table. Each reader
yields the row (in JSON none), the query, the document, and the relevance or the score.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reference import files
from reference.errors import DataError, Problem, SettingsError, UnreadableError
from reference.files import FORMATS, kind_of, opened, rows_of, unreadable, whole_json
from reference.reading import cells

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    Found = Iterator[tuple[int | None, str, str, Any]]

QRELS = "query iteration document relevance"
RUN = "query Q0 document rank score tag"
MARCO = "query document rank"
# Where in such lines the document stands, and what is said of it.
PLACES = {QRELS: (2, 3), RUN: (2, 4), MARCO: (1, 2)}
# How many fields they have; the tag of a run may hold blanks.
LENGTHS = {QRELS: range(4, 5), RUN: range(6, sys.maxsize), MARCO: range(3, 4)}
BRACKETS = ("{", "[")
QUERY = ("qid", "query_id", "query-id", "topic")
DOCUMENT = ("docno", "docid", "doc_id", "did", "document_id", "corpus-id", "pid")
MOST_SHOWN = 10


@dataclass(frozen=True)
class Side:
    """What is read, of qrels or of a run; `names` are the columns of a table that may hold it."""

    fields: str
    value: str
    read: Callable[[object], Any]
    names: tuple[str, ...]


RELEVANCE = Side(
    QRELS, "relevance", cells.whole, ("label", "relevance", "rel", "qrel", "grade", "score")
)
SCORE = Side(RUN, "score", cells.number, ("score", "sim"))
RANK = Side(MARCO, "rank", lambda cell: -cells.number(cell), ("rank",))


def qrels_of(path: Path, problems: list[Problem]) -> Found:
    """Return the judgements of a file."""
    return _told(path, RELEVANCE, None, problems)


def run_of(path: Path, run_path: str | None, problems: list[Problem]) -> Found:
    """Return what a run retrieved, with its scores; of a rank alone, the score is −rank."""
    return _told(path, SCORE, run_path, problems)


def _told(path: Path, side: Side, run_path: str | None, problems: list[Problem]) -> Found:
    """Find out what the file is, and read it."""
    kind = kind_of(path)
    if kind in FORMATS and not FORMATS[kind].is_text:
        return _table(path, files.source(path), side, problems)
    first = _first_line(path, side)
    if first.startswith(BRACKETS) and not _is_line(first, side):
        # A CR ends a line of fields, but is white space within a line of JSON.
        if _is_row(_first_line(path, side, ends="\n")):
            return _table(path, files.json_lines(path), side, problems)
        return _json(path, side, run_path, problems)
    for delimiter in ("\t", ","):
        names = [name.strip('" ') for name in first.split(delimiter)]
        if _columns(names, QUERY) and _columns(names, DOCUMENT):
            return _table(path, files.parted(path, delimiter), side, problems)
    if kind == ".csv":
        return _table(path, files.source(path), side, problems)
    return _lines(path, _side_of(first, side), problems)


def _comment(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _first_line(path: Path, side: Side, ends: str = "") -> str:
    """Return the first line that says anything."""
    with opened(path, ends) as stream:
        for line in stream:
            if not _comment(line):
                return line.strip()
    raise UnreadableError([Problem("is empty", f"Write: {side.fields}", file=str(path))])


def _side_of(line: str, side: Side) -> Side:
    """Tell a run of MS MARCO by its first line."""
    return RANK if side is SCORE and len(line.split(None, 3)) in LENGTHS[MARCO] else side


def _is_line(line: str, side: Side) -> bool:
    """Whether a line that begins with a bracket, as JSON does, is one of fields all the same."""
    side = _side_of(line, side)
    parts = line.split(None, len(RUN.split()))  # all of JSON may stand in one line
    if len(parts) not in LENGTHS[side.fields]:
        return False
    try:
        side.read(parts[PLACES[side.fields][1]])
        json.loads(line)
    except json.JSONDecodeError as error:
        return error.pos < len(line)  # else it is JSON that goes on in the next line
    except (ValueError, RecursionError):
        return False
    return False


def _is_row(line: str) -> bool:
    """Whether a line is one JSON object about a query and a document."""
    try:
        found = json.loads(line) if line.startswith("{") else None
    except (ValueError, RecursionError):
        return False
    names = list(found) if isinstance(found, dict) else []
    return bool(_columns(names, QUERY) and _columns(names, DOCUMENT))


def _lines(path: Path, side: Side, problems: list[Problem]) -> Found:
    """Read fields between blanks; a line whose first field begins with # is a comment."""
    lengths, (document, said) = LENGTHS[side.fields], PLACES[side.fields]
    with opened(path) as stream:
        for number, line in enumerate(stream, 1):
            if _comment(line):
                continue
            parts = line.split()
            if len(parts) not in lengths:
                what = f"has {len(parts)} fields where {len(side.fields.split())} are expected"
                problems.append(Problem(what, f"Write: {side.fields}", str(path), number))
                continue
            try:
                yield number, parts[0], parts[document], side.read(parts[said])
            except cells.BadCell as bad:
                problems.append(_bad(bad, path, number, parts[0], side.value))


def _bad(
    bad: cells.BadCell, path: Path, row: int | None, query: str | None, column: str
) -> Problem:
    return Problem(bad.what, bad.remedy, str(path), row, query, column)


def _table(path: Path, table: files.Source, side: Side, problems: list[Problem]) -> Found:
    """Read a table with a column each for query, document, and relevance or score.

    Of several that could be meant the first in the order of the lists counts: the frames of
    PyTerrier have docid beside docno.
    """
    if side is SCORE and not _columns(table.header, SCORE.names):
        side = RANK if _columns(table.header, RANK.names) else SCORE
    wanted = {"query": QUERY, "document": DOCUMENT, side.value: side.names}
    there = {what: _columns(table.header, names) for what, names in wanted.items()}
    header = ", ".join(table.header)
    missing = [
        Problem(
            f"there is no column for the {what}",
            f"Name one of them {wanted[what][0]}; the columns are {header}",
            str(path),
            column=what,
        )
        for what, found in there.items()
        if not found
    ]
    if missing:
        raise DataError(missing)
    chosen = [found[0] for found in there.values()]
    row = 0
    for row, (query, document, value) in enumerate(table.rows(chosen, chosen[:2]), 1):
        name, column = None, chosen[0]
        try:
            name = cells.identifier(query)
            column = chosen[1]
            uid = cells.identifier(document)
            column = chosen[2]
            yield row, name, uid, side.read(value)
        except cells.BadCell as bad:
            problems.append(_bad(bad, path, row, name, column))
    if not row:
        raise unreadable(path, "has no data rows")


def _columns(header: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the columns of these names, in the order of the names."""
    found = {column.strip().lower(): column for column in reversed(header)}
    return [found[name] for name in names if name in found]


def _json(path: Path, side: Side, run_path: str | None, problems: list[Problem]) -> Found:
    """Read objects in objects, by query and document; or an array of objects, as a table."""
    value = whole_json(path)
    rows = rows_of(value)
    if rows is not None:
        yield from _table(path, files.objects(path, lambda: rows), side, problems)
        return
    if not isinstance(value, dict) or not value:
        raise unreadable(path, "is no JSON object by query and document")
    inside = _only_run(path, value, run_path) if side is SCORE else value
    if not any(inside.values()):
        raise unreadable(path, "is empty")
    for query, members in inside.items():  # one without members is as if it were not there
        try:
            cells.identifier(query)
        except cells.BadCell as bad:
            problems.append(_bad(bad, path, None, query, "query"))
        if not isinstance(members, dict):
            what = f"found {cells.shown(members)} where documents are expected"
            remedy = f"Write: {{query: {{document: {side.value}}}}}"
            problems.append(Problem(what, remedy, str(path), None, query))
            continue
        for document, said in members.items():
            try:
                yield None, query, cells.identifier(document), side.read(said)
            except cells.BadCell as bad:
                problems.append(_bad(bad, path, None, query, side.value))


def _only_run(path: Path, value: dict[str, Any], run_path: str | None) -> dict[str, Any]:
    """Find the run that is meant among those under names of their own."""
    runs = dict(_runs(value, ()))
    if run_path is None and len(runs) <= 1:
        return next(iter(runs.values()), value)
    if run_path in runs:
        return runs[run_path]
    there = ", ".join(list(runs)[:MOST_SHOWN]) or "none"
    what = "holds several runs" if run_path is None else f"holds no run {run_path!r}"
    remedy = f'Say which one: run_path = "…"; there is {there}'
    raise SettingsError([Problem(what, remedy, file=str(path))])


def _runs(node: object, names: tuple[str, ...]) -> Iterator[tuple[str, dict[str, Any]]]:
    if not isinstance(node, dict) or not node:
        return
    if all(isinstance(each, dict) and _are_numbers(each) for each in node.values()):
        yield "/".join(names), node
        return
    for name, inside in node.items():
        yield from _runs(inside, (*names, name))


def _are_numbers(scores: dict[str, Any]) -> bool:
    return {*map(type, scores.values())} <= {int, float}
