"""Spark: a cluster, this machine, or any server that speaks Spark Connect, such as Sail."""

from __future__ import annotations

import os
import re
import socket
import sys
from contextlib import contextmanager, suppress
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck import system
from crosscheck.engine.base import EngineError, Ordering
from crosscheck.engine.limits import memory, spill
from crosscheck.engine.words import Words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CELLS = 64
"""Cells of scores that are put in order side by side."""
CELL_ROWS = 500_000
"""Rows that are worth a cell of their own: cells cost a second look at the rows, and a join."""
EVERYTHING = 1 << 62
"""Rows in one range: a cluster needs no ranges, its cells are spread over it."""
PORT = "15002"
"""Where a server of Spark Connect listens unless it is told otherwise."""
PATIENCE = 10.0
"""Seconds in which a server has to take a call."""
TRIES = 5
"""How often a call is made again that a server did not take: within some twenty seconds."""
LEAST = (4, 0)
"""The oldest version that speaks this SQL."""
REMOTE = "SPARK_CONNECT_MODE_ENABLED"
"""What the client of Spark Connect sets in the environment, and leaves there."""
SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    # Columns `prob` and `PROB` are two.
    "spark.sql.caseSensitive": "true",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
}


class Spark:
    """A session with Spark."""

    def __init__(self, address: str, ordering: Ordering | None = None) -> None:
        self.name = address
        self.words: Words = Words()
        self.ordering = ordering or Ordering(EVERYTHING, CELLS, EVERYTHING, CELL_ROWS)
        self.file: str | None = None
        self.place: str | None = None
        self._kept: set[str] = set()
        _knock(address)
        with self._told():
            self._session = _open(address)
            self.version = f"spark {self._session.version}"
            if _numbers(self._session.version) < LEAST:
                raise EngineError(
                    f"{address} is Spark {self._session.version}; this SQL needs Spark 4 or newer"
                )
            for name, value in SETTINGS.items():
                with suppress(Exception):  # a server that lacks a setting keeps its own
                    self._session.conf.set(name, value)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say in one sentence what broke off."""
        try:
            yield
        except EngineError:
            raise
        except Exception as error:  # noqa: BLE001 - the client, the server and the JVM each have their own
            raise EngineError(sentence(self.name, error)) from None

    def read(self, files: Sequence[str]) -> None:
        """Make the view `source` of these Parquet files."""
        paths = [one if "://" in one else str(Path(one).resolve()) for one in files]
        with self._told():
            frame = self._session.read.option("mergeSchema", "true").parquet(*paths)
            try:
                placed = frame.selectExpr(
                    "*", "_metadata.file_path AS at_file", "_metadata.row_index AS at_row"
                )
                # These columns alone: a row of lists would have a whole row group read.
                placed.select("at_file", "at_row").limit(1).collect()
            except Exception:  # noqa: BLE001 - a server without such columns says so in its own way
                self.file = self.place = None
            else:
                frame, self.file, self.place = placed, "at_file", "at_row"
            frame.createOrReplaceTempView("source")

    def schema(self) -> Any:  # noqa: ANN401 - a pyarrow schema
        """Give the columns of the view `source` and their types."""
        found = self.arrow("SELECT * FROM source LIMIT 0").schema
        for name in filter(None, (self.file, self.place)):
            found = found.remove(found.get_field_index(name))
        return found

    def define(self, name: str, query: str) -> None:
        """Make a view."""
        with self._told():
            self._session.sql(query).createOrReplaceTempView(name)

    def keep(self, name: str, query: str) -> None:
        """Make a view, held in the cluster's memory and on its disks where it can."""
        self.define(name, query)
        with suppress(Exception):  # a server without a cache computes it again
            self._session.catalog.cacheTable(name)
            self._kept.add(name)

    def drop(self, name: str) -> None:
        """Let what was kept go."""
        with suppress(Exception):  # it goes with the session anyway
            if name in self._kept:
                self._kept.discard(name)
                self._session.catalog.uncacheTable(name)
            self._session.catalog.dropTempView(name)

    def frame(self, query: str) -> Any:  # noqa: ANN401 - a frame of pyspark
        """Give a query as Spark's own programs take it."""
        with self._told():
            return self._session.sql(query)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query; wide whole numbers arrive as decimals."""
        found = self.arrow(query)
        columns = [[_plain(one) for one in column.to_pylist()] for column in found.columns]
        return list(zip(*columns, strict=True))

    def arrow(self, query: str) -> Any:  # noqa: ANN401 - a pyarrow table
        """Run a query whose answer is a table."""
        with self._told():
            return self._session.sql(query).toArrow()

    def close(self) -> None:
        """End the session."""
        for name in list(self._kept):
            self.drop(name)
        with suppress(Exception):  # a server that is gone needs no farewell
            self._session.stop()
        # Its client leaves word that every session is a remote one: not so of the next.
        os.environ.pop(REMOTE, None)


def _plain(value: object) -> object:
    return int(value) if isinstance(value, Decimal) else value


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(one) for one in re.findall(r"\d+", version)[:2])


def _knock(address: str) -> None:
    """Refuse a server that nobody answers at: Spark's own client would try for many minutes."""
    scheme, _, rest = address.partition("://")
    hosts = [one for one in rest.partition("/")[0].split(",") if one]
    for one in hosts:
        host, _, port = one.rpartition(":") if ":" in one else (one, "", PORT)
        try:
            socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
        except (OSError, ValueError):
            continue
        return
    if hosts and scheme in {"sc", "spark"}:
        raise EngineError(unreachable(address))


def _greet(address: str) -> None:
    """Refuse a server that takes the call and says nothing: the client would wait as long."""
    import grpc  # type: ignore[import-untyped]  # noqa: PLC0415 - comes with the client

    place, _, options = address.removeprefix("sc://").partition("/")
    if "use_ssl" in options or "token" in options:
        return  # what is said there first is the client's to know
    with grpc.insecure_channel(place if ":" in place else f"{place}:{PORT}") as channel:
        try:
            grpc.channel_ready_future(channel).result(timeout=PATIENCE)
        except grpc.FutureTimeoutError:
            raise EngineError(
                f"{address}: takes calls and does not answer; is it a server of Spark Connect, and "
                "is it well?"
            ) from None


def _soon_tired(session: Any) -> Any:  # noqa: ANN401 - a session of pyspark
    """Let a lost server be lost after seconds: left alone, the client tries for ten minutes."""
    from pyspark.sql.connect.client.retries import DefaultPolicy  # noqa: PLC0415 - an extra

    session.client.set_retry_policies([DefaultPolicy(max_retries=TRIES)])
    return session


@contextmanager
def a_program() -> Iterator[None]:
    """Name the program's file: Spark's client takes one without a name for its own doctests."""
    main = sys.modules["__main__"]
    if main.__spec__ is not None or hasattr(main, "__file__"):
        yield
        return
    main.__file__ = "-c"
    try:
        yield
    finally:
        del main.__file__


def _open(address: str) -> Any:  # noqa: ANN401 - a session of pyspark
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra
    except ImportError:
        raise EngineError(
            f"the engine {address} needs pyspark: pip install 'metric-crosscheck[spark]'"
        ) from None
    if address.startswith("sc://"):
        _greet(address)
        with a_program():
            return _soon_tired(SparkSession.builder.remote(address).create())
    try:
        import py4j  # noqa: F401, PLC0415 - comes with the whole of Spark alone
    except ImportError:
        raise EngineError(
            f"the engine {address} needs the whole of Spark, and Java 17: pip install pyspark"
        ) from None
    builder = SparkSession.builder.master(address).appName("crosscheck")
    for name, value in _own_settings(address).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def _own_settings(address: str) -> dict[str, str]:
    """Give the settings of a Spark that is started here; a cluster has its own for the rest."""
    found = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    found["spark.log.level"] = "ERROR"
    if address.startswith("local"):
        # One machine: its memory is the driver's, and it has a few cores to divide work among.
        found["spark.driver.memory"] = re.sub("[iI]?[bB]$", "", memory()).lower()
        found["spark.sql.shuffle.partitions"] = str(4 * system.cores())
        found["spark.driver.bindAddress"] = found["spark.driver.host"] = "127.0.0.1"
        folder = spill()
        found |= {"spark.local.dir": folder} if folder else {}
    return found


def unreachable(address: str) -> str:
    """Say that nobody answers."""
    return f"{address}: cannot be reached; is the server running, and is the address right?"


def sentence(address: str, error: BaseException) -> str:
    """Say in one sentence what broke off."""
    text = " ".join(str(error).split())
    if "UNAVAILABLE" in text or "Connection refused" in text or "failed to connect" in text:
        return unreachable(address)
    if "No space left" in text:
        return f"{address}: a disk of the engine is full; give it room (spark.local.dir)"
    if "OutOfMemory" in text or "Java heap space" in text:
        return f"{address}: ran out of memory; give its executors more (spark.executor.memory)"
    if "cancelled" in text.lower():
        return f"{address}: the job was cancelled ({text[:200]})"
    return f"{address} broke off: {text[:400]}"
