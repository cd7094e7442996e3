"""What to try about a refused input, where a look at the files tells: each hint is one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck.config.places import members
from crosscheck.data.class_lists import advice
from crosscheck.data.looks import LARGEST, ROWS, columns_of, is_judgements, is_run
from crosscheck.data.pairs import told_pairs
from crosscheck.data.raw import content

if TYPE_CHECKING:
    from collections.abc import Iterator

KEYS = ("query_id", "qid", "question_id", "id")
FIELDS = 3
"""Of a line of BEIR's judgements."""
MOST_SEEDS = 100
"""Values of a column that can be repetitions."""
LINES = 20


def hints(error: Any, data: str | dict[str, str]) -> Iterator[str]:  # noqa: ANN401 - an InputError
    """Give what is worth trying."""
    if isinstance(data, dict):
        if any("twice" in (one.what or "") for one in error.problems):
            yield "To keep the best place of a document that is listed twice: --dedupe first."
        yield from _pair(data)
        return
    if told := advice(data):
        yield told
    yield from _repeated(data)


def _pair(data: dict[str, str]) -> Iterator[str]:
    """Look whether the two files were exchanged, or the judgements lack their header."""
    qrels, run = (_lines(data.get(name, "")) for name in ("qrels", "run"))
    if qrels and run and all(map(is_run, qrels)) and all(map(is_judgements, run)):
        yield "The two files look exchanged: --qrels names a run, and --run names judgements."
    elif qrels and all(len(one) == FIELDS and one[2].isdecimal() for one in qrels):
        yield (
            f"{Path(data['qrels']).name} looks like BEIR's judgements without their first line: "
            "write query-id, corpus-id and score there, with tabs between them."
        )
    for path in map(Path, dict.fromkeys(data.values())):
        if named := told_pairs(columns_of(path, ROWS)):
            yield f"{path.name}: {named}"


def _lines(place: str) -> list[list[str]]:
    """Give the fields of a file's first lines; none where it is no text."""
    try:
        if Path(place).stat().st_size > LARGEST:
            return []
        text = content(Path(place)).decode("utf-8-sig")
    except (OSError, ValueError):
        return []
    return [line.split() for line in text.split("\n")[:LINES] if line.strip()]


def _repeated(data: str) -> Iterator[str]:
    """Name a column that tells rows of the same query apart: it may be the seed."""
    files = [path for path in members(data) if path.is_file()]
    columns = columns_of(Path(files[0])) if len(files) == 1 else {}
    key = next((columns[name] for name in KEYS if name in columns), [])
    if "seed" in columns or len({*map(str, key)}) == len(key):
        return
    for name, held in columns.items():
        both = {*zip(map(str, key), map(str, held), strict=False)}
        few = len({*map(str, held)}) <= min(MOST_SEEDS, len(key) // 2)
        if name not in KEYS and len(both) == len(key) and few:
            yield (
                f"Rows of one query differ by {name}. If that is a repetition, as another seed is, "
                f'put into crosscheck.toml: [columns] seed = "{name}".'
            )
            return
