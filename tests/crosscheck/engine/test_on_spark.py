"""Spark itself: on this machine, and as a cluster that loses a worker; the same bits as DuckDB.

`.ci/run` installs Spark beside the environment where Java is; without both, these are skipped.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import reference
from crosscheck import contract
from crosscheck.engine.connect import connect
from crosscheck.engine.evaluate import evaluate
from crosscheck.witnesses import mllib

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Columns = dict[str, list[Any]]
    Write = Callable[..., str]
    Draw = Callable[..., Columns]

SPARK = Path(sys.prefix) / "spark"
PROGRAM = Path(__file__).with_name("on_spark.py")
MLLIB = Path(__file__).with_name("on_mllib.py")
# Few rows: to translate a plan to Java costs more than to run it.
MLLIB_FAMILIES = ["ranking", "ties", "curves", "pairs"]
QUICK = """
spark.sql.codegen.wholeStage false
spark.sql.codegen.factoryMode NO_CODEGEN
spark.sql.adaptive.enabled false
spark.sql.shuffle.partitions 2
spark.executor.memory 512m
"""


def lacking() -> str | None:
    """Say what these tests need that this machine lacks."""
    if not (SPARK / ".installed").is_file():
        return "Spark is not installed beside the environment (`make spark`, which .ci/run calls)"
    if shutil.which("java") is None:
        return "there is no Java on this machine"
    told = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False).stderr
    number = re.search(r'version "(\d+)', told)
    if number is None or int(number[1]) < 17:
        return f"Spark 4 needs Java 17 or newer; here it is {told.partition(chr(10))[0]}"
    return None


WHY_NOT = lacking()
pytestmark = [pytest.mark.spark, pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))]


@pytest.fixture
def surroundings(tmp_path: Path) -> dict[str, str]:
    """Give an environment in which Spark is found, on the loopback alone."""
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "spark-defaults.conf").write_text(QUICK)
    own = {
        "PYTHONPATH": os.pathsep.join([str(SPARK), os.environ.get("PYTHONPATH", "")]),
        "SPARK_CONF_DIR": str(tmp_path / "conf"),
        "SPARK_LOCAL_DIRS": str(tmp_path / "spill"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOG_DIR": str(tmp_path),
    }
    return {**os.environ, **own}


@pytest.fixture
def rows(written: Write, drawn: Draw, below: Draw) -> str:
    """Write a few rows with everything in them."""
    draw = random.Random(11)
    some = []
    for fold in range(2):
        for split in ("EVAL", "TUNE"):
            one = drawn(draw, f"s{fold}{split}", 8, split=split)
            one["fold"] = [fold] * 8
            some.append(one)
    return written(below(*some))


def by_duckdb(path: str, settings: dict[str, Any]) -> dict[str, Any]:
    with closing(connect("duckdb")) as engine:
        return dict(evaluate(engine, [path], settings).ledger)


def asking(address: str, settings: dict[str, Any], path: str) -> list[str]:
    return [sys.executable, str(PROGRAM), address, json.dumps(settings), path]


def test_spark_here_gives_the_bits_of_duckdb(rows: str, surroundings: dict[str, str]) -> None:
    settings = {"k": [3], "recall_levels": [0.5], "tau_neg": 0.2, "tau_pos": 0.7}
    words = asking("local[2]", settings, rows)
    told = subprocess.run(words, env=surroundings, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    answer = json.loads(told.stdout.splitlines()[-1])
    assert answer == {"ledger": by_duckdb(rows, settings), "declined": {}}


def test_mllib_gives_what_the_reference_gives(
    written: Write, drawn: Draw, below: Draw, surroundings: dict[str, str]
) -> None:
    settings = {"k": [1, 3, 10], "recall_levels": [0.5], "families": MLLIB_FAMILIES}
    draw = random.Random(7)
    paths = []
    for number in range(3):
        some = [drawn(draw, f"s{fold}", 8) for fold in range(2)]
        columns = below(*some)
        columns["fold"] = [0] * 8 + [1] * 8
        paths.append(written(columns, f"{number}.parquet"))
    words = [sys.executable, str(MLLIB), "local[2]", json.dumps(settings), *paths]
    told = subprocess.run(words, env=surroundings, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    answers = [json.loads(line) for line in told.stdout.splitlines() if line.startswith("{")]
    answered: set[str] = set()
    for path, answer in zip(paths, answers, strict=True):
        expected = reference.evaluate(path, settings)
        assert {**answer["ledger"], **answer["declined"]}.keys() == expected.keys()
        for key, value in answer["ledger"].items():
            assert value == pytest.approx(expected[key], rel=1e-12, abs=1e-15), key
        answered |= {key.partition("|")[0] for key in answer["ledger"]}
    measures = [one for one in contract.load().measures if one.library == mllib.NAME]
    shared = [name for one in measures if not one.differs for name in one.metrics]
    asked = {name.replace("@K", at) for name in shared for at in ("@1", "@3", "@10", "@all")}
    assert answered == asked - {"precision@all"}


class Cluster:
    """A standalone master with two workers, each in a group of processes of its own."""

    def __init__(self, leaving: ExitStack, folder: Path, surroundings: dict[str, str]) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"spark://127.0.0.1:{port}"
        self._leaving, self._folder, self._surroundings = leaving, folder, surroundings
        master = self._start("master.Master", "--host", "127.0.0.1", "--port", str(port))
        while not listens(port):
            assert master.poll() is None, "the master ended"
            time.sleep(0.1)
        limits = ["--host", "127.0.0.1", "--cores", "1", "--memory", "600m"]
        work = ("-d", str(folder / "work"))
        self.workers = [
            self._start("worker.Worker", *limits, *work, self.address) for _ in range(2)
        ]

    def _start(self, name: str, *words: str) -> subprocess.Popen[bytes]:
        program = SPARK / "pyspark" / "bin" / "spark-class"
        log = self._leaving.enter_context((self._folder / f"{name}.log").open("ab"))
        started = subprocess.Popen(
            [program, f"org.apache.spark.deploy.{name}", *words, "--webui-port", "0"],
            env=self._surroundings,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        self._leaving.callback(lose, started)
        return started


def listens(port: int) -> bool:
    """Whether somebody answers at a port here."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def lose(worker: subprocess.Popen[bytes]) -> None:
    """Kill a worker and what it runs, at once."""
    if worker.poll() is None:
        os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()


@pytest.fixture
def cluster(tmp_path: Path, surroundings: dict[str, str]) -> Iterator[Cluster]:
    with ExitStack() as leaving:
        yield Cluster(leaving, tmp_path, surroundings)


def test_a_cluster_that_loses_a_worker_gives_the_bits_of_duckdb(
    rows: str, cluster: Cluster, surroundings: dict[str, str]
) -> None:
    settings = {"families": ["ranking", "pairs"], "k": [3], "recall_levels": [0.5]}
    stages = []
    with subprocess.Popen(
        asking(cluster.address, settings, rows),
        env=surroundings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stdout is not None
        for line in run.stdout:
            stages.append(line)
            if line.startswith("rankings"):
                lose(cluster.workers[0])
        errors = run.stderr.read() if run.stderr else ""
    assert run.returncode == 0, errors
    assert json.loads(stages[-1]) == {"ledger": by_duckdb(rows, settings), "declined": {}}
    assert cluster.workers[0].poll() is not None
    assert cluster.workers[1].poll() is None
