"""DuckDB: embedded, in this process, within a memory limit, spilling to a folder of its own."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from crosscheck import system
from crosscheck.engine.base import EngineError, Ordering
from crosscheck.engine.limits import MEMORY, SPILL, memory, spill
from crosscheck.engine.words import DuckDBWords

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.engine.words import Words

FILE = "crosscheck file"
"""The column that names a row's file: no table has one of that name."""


class DuckDB:
    """A session with DuckDB."""

    name = "duckdb"

    def __init__(self, ordering: Ordering | None = None) -> None:
        try:
            import duckdb  # noqa: PLC0415 - an extra
        except ImportError:
            raise EngineError(
                "the engine duckdb is not installed: pip install 'metric-crosscheck[engine]'"
            ) from None
        self.version = f"duckdb {duckdb.__version__}"
        self.words: Words = DuckDBWords()
        self.ordering = ordering or Ordering()
        self.file: str | None = self.words.name(FILE)
        self.place: str | None = "file_row_number"
        self._error = duckdb.Error
        self._leaving = ExitStack()
        folder = self._leaving.enter_context(system.scratch("engine", spill()))
        self._database = duckdb.connect(str(folder / "engine.duckdb"))
        self._leaving.callback(self._database.close)
        for setting in (
            f"memory_limit = '{memory()}'",
            f"threads = {system.cores()}",
            f"temp_directory = {self.words.quote(str(folder / 'spill'))}",
            "preserve_insertion_order = false",
            # Whole row groups, read ahead, would fill memory as large as the files' writer chose.
            "disable_parquet_prefetching = true",
            "enable_progress_bar = false",
            "autoinstall_known_extensions = false",
        ):
            self._database.execute(f"SET {setting}")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say in one sentence what broke off."""
        try:
            yield
        except (self._error, RuntimeError) as error:
            if "interrupted" in str(error).lower():
                # Control-C, in DuckDB's words.
                raise KeyboardInterrupt from None
            if not isinstance(error, self._error):
                raise
            raise EngineError(_sentence(type(error).__name__, str(error))) from None

    def read(self, files: Sequence[str]) -> None:
        """Make the view `source` of these Parquet files."""
        listed = ", ".join(map(self.words.quote, files))
        options = f"filename = '{FILE}', file_row_number = true, union_by_name = true"
        options += ", hive_partitioning = true, hive_types_autocast = false"
        self.define("source", f"SELECT * FROM read_parquet([{listed}], {options})")

    def schema(self) -> Any:  # noqa: ANN401 - a pyarrow schema
        """Give the columns of the view `source` and their types."""
        made = (FILE, "file_row_number")
        found = self.arrow("SELECT * FROM source LIMIT 0").schema
        for name in made:
            found = found.remove(found.get_field_index(name))
        return found

    def define(self, name: str, query: str) -> None:
        """Make a view."""
        with self._told():
            self._database.execute(f"CREATE OR REPLACE VIEW {name} AS {query}")

    def keep(self, name: str, query: str) -> None:
        """Make a table that holds what a query gives."""
        with self._told():
            self._database.execute(f"CREATE OR REPLACE TABLE {name} AS {query}")

    def drop(self, name: str) -> None:
        """Let a table go."""
        with self._told():
            self._database.execute(f"DROP TABLE IF EXISTS {name}")
            self._database.execute("CHECKPOINT")

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query."""
        with self._told():
            return self._database.execute(query).fetchall()

    def arrow(self, query: str) -> Any:  # noqa: ANN401 - a pyarrow table
        """Run a query whose answer is a table."""
        with self._told():
            return self._database.sql(query).to_arrow_table()

    def close(self) -> None:
        """End the session, and remove what it wrote."""
        self._leaving.close()


def _sentence(kind: str, text: str) -> str:
    first = text.strip().partition("\n")[0]
    if kind == "OutOfMemoryException":
        return (
            f"duckdb ran out of memory ({first}); allow it more with {MEMORY}=4GB, or give it a "
            f"larger disk to spill to with {SPILL}=FOLDER"
        )
    if "No space left" in text:
        return f"duckdb: the disk is full ({first}); name a folder with room: {SPILL}=FOLDER"
    return f"duckdb broke off: {first}"
