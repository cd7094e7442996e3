"""From an address to an engine: duckdb, local[2], spark://…, sc://…; from a path to its files."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck.config.places import members
from crosscheck.engine.base import EngineError, Ordering

if TYPE_CHECKING:
    from crosscheck.engine.base import Engine

ENGINE = "CROSSCHECK_ENGINE"
USUAL = "duckdb"
SPARK = re.compile(r"local(\[(\d+|\*)\])?|spark://.+|sc://.+")
REMOTE = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def address(stated: str | None = None) -> str:
    """Give the engine's address: the one stated, else that of the environment, else DuckDB."""
    found = stated or os.environ.get(ENGINE, "").strip() or USUAL
    if found != USUAL and not SPARK.fullmatch(found):
        raise EngineError(
            f"“{found}” is no engine: expected duckdb, local[2], spark://HOST:PORT or sc://HOST:PORT"
        )
    return found


def connect(stated: str | None = None, ordering: Ordering | None = None) -> Engine:
    """Open a session with an engine; whoever opens it closes it."""
    found = address(stated)
    if found == USUAL:
        from crosscheck.engine.duck import DuckDB  # noqa: PLC0415 - only the engine that is used

        return DuckDB(ordering)
    from crosscheck.engine.spark import Spark  # noqa: PLC0415 - the same

    return Spark(found, ordering)


def files_of(data: object) -> list[str]:
    """Name the Parquet files of a path, a folder, a partitioned set or a glob."""
    if not isinstance(data, str | Path):
        raise EngineError("an engine reads Parquet, one row per query; qrels and runs are not that")
    place = str(data)
    if REMOTE.match(place):
        return [place]
    if Path(place).is_dir():
        found = sorted(path for path in Path(place).rglob("*.parquet") if path.is_file())
    else:
        found = members(place)
    if not found:
        raise EngineError(f"{place}: names no Parquet files")
    for path in found:
        if path.suffix != ".parquet":
            raise EngineError(
                f"{path}: an engine reads Parquet; write the table so, for example with "
                "polars: pl.read_csv(FILE).write_parquet(FILE)"
            )
        if not path.is_file():
            raise EngineError(f"{path}: there is no such file")
    return [str(path) for path in found]
