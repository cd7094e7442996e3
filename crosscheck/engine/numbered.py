"""Rows without a key column (section 14): the row number is the key, from 1, over all files.

The files come in the order of their names. An engine that does not say where a row stands in its
file cannot number it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from crosscheck.engine.base import EngineError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.engine.base import Engine


def row_number(engine: Engine, files: Sequence[str]) -> str:
    """Write a row's number, as text."""
    if engine.file is None or engine.place is None:
        raise EngineError(
            "no key column, and this engine does not say in which order its files have their rows: "
            "give query_id, or post_id and criterion_id"
        )
    words = engine.words
    before = ["CAST(1 AS BIGINT)"]
    rows = engine.rows(f"SELECT {engine.file}, count(*) FROM source GROUP BY {engine.file}")
    # Spark names a file by its address, in which some characters are escaped.
    stated = {name: at for at, name in enumerate(files)}
    done, cases = 0, []
    for name, count in sorted(rows, key=lambda row: (stated.get(row[0], 0), unquote(row[0]))):
        cases.append(f"WHEN {words.quote(name)} THEN {done}")
        done += int(count)
    if len(cases) > 1:
        before.append(f"CAST(CASE {engine.file} {' '.join(cases)} END AS BIGINT)")
    return f"CAST({engine.place} + {' + '.join(before)} AS {words.text})"
