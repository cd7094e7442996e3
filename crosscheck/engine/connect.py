"""From an address to an engine: duckdb, local[2], spark://…, sc://…; from a path to its files."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck.config.places import members
from crosscheck.engine.base import EngineError, Ordering

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def is_spark(found: str) -> bool:
    """Whether an address is that of Spark, or of a server that speaks Spark Connect."""
    return found != USUAL


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
    found = _below(Path(place)) if Path(place).is_dir() else members(place)
    if not found:
        raise EngineError(f"{place}: names no Parquet files; check the path, and quote a glob")
    for path in found:
        if not path.is_file():
            raise EngineError(f"{path}: {_lacking(path)}")
        if path.suffix != ".parquet":
            raise EngineError(
                f"{path}: an engine reads Parquet; write the table so, for example with "
                "polars: pl.read_csv(FILE).write_parquet(FILE)"
            )
    _refuse_mixed(found)
    return [str(path) for path in found]


def _below(folder: Path) -> list[Path]:
    """Find the Parquet files in and below a folder, less what a job left that did not end.

    As Spark has it: names that begin with `.` or `_` are no data, unless they name a partition.
    A folder of such a name holds data, and is none.
    """
    tables = sorted(path for path in folder.rglob("*.parquet") if not path.is_dir())
    return [one for one in tables if not any(map(_passed_over, one.relative_to(folder).parts))]


def _lacking(path: Path) -> str:
    """Say why a path is not that of a file."""
    if path.is_symlink():
        return "is a link that leads nowhere; take it away, or mend it"
    if path.exists():
        return "is no regular file; take it away"
    return "there is no such file"


def _refuse_mixed(found: list[Path]) -> None:
    """Refuse files whose folders are not columns of the same names."""
    by = {tuple(_partitions(one)): one for one in reversed(found)}
    if len(by) > 1:
        (columns, path), (others, beside), *_ = sorted(by.items(), reverse=True)
        raise EngineError(
            f"{path}: its folders give the column {' and '.join(columns)}, those of {beside} "
            f"{'give ' + ' and '.join(others) if others else 'give none'}. Files of one set lie in "
            "folders of the same columns: move them, or name some of them by a glob."
        )


def _passed_over(name: str) -> bool:
    return name.startswith((".", "_")) and "=" not in name


def _partitions(path: Path) -> Iterator[str]:
    for one in path.parent.parts:
        name, given, _ = one.partition("=")
        if given:
            yield name
