"""Files as strangers leave them: lost, doubled, damaged, linked, or written anew while counted."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from crosscheck.engine.base import EngineError
from crosscheck.engine.connect import connect, files_of
from crosscheck.engine.evaluate import evaluate
from crosscheck.engine.steady import steady

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Differing = Callable[..., list[tuple[str, object, object]]]

SETTINGS: dict[str, Any] = {"k": [3], "recall_levels": [0.5]}


def rows(first: int = 0, count: int = 4) -> pa.Table:
    numbers = range(first, first + count)
    return pa.table(
        {
            "query_id": [f"q{one}" for one in numbers],
            "candidates": pa.array([["x", "y"] for _ in numbers], pa.list_(pa.string())),
            "gold": pa.array([["x"] * (one % 2) for one in numbers], pa.list_(pa.string())),
            "prob": pa.array([one % 10 / 10 for one in numbers], pa.float64()),
        }
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder with one file in it."""
    (tmp_path / "rows").mkdir()
    parquet.write_table(rows(), tmp_path / "rows" / "one.parquet")
    return tmp_path / "rows"


def counted(place: Path) -> int:
    with closing(connect("duckdb")) as engine:
        return int(evaluate(engine, files_of(str(place)), SETTINGS).facts["rows"]["EVAL"])


def refused(place: Path) -> str:
    with pytest.raises(EngineError) as caught:
        counted(place)
    return str(caught.value)


def test_what_a_job_leaves_beside_its_files_is_no_data(folder: Path) -> None:
    (folder / "_SUCCESS").touch()
    (folder / ".one.parquet.crc").write_bytes(b"x")
    (folder / "_temporary").mkdir()
    parquet.write_table(rows(), folder / "_temporary" / "two.parquet")
    (folder / "written.parquet").mkdir()  # as Spark writes a table
    parquet.write_table(rows(4), folder / "written.parquet" / "part.parquet")
    assert counted(folder) == 8


def test_a_file_without_rows_adds_none(folder: Path) -> None:
    parquet.write_table(rows(count=0), folder / "none.parquet")
    parquet.ParquetWriter(folder / "no groups.parquet", rows().schema).close()
    assert counted(folder) == 4
    (folder / "one.parquet").unlink()
    assert refused(folder) == "the files hold no rows."


def test_many_small_files_are_one_table(folder: Path) -> None:
    for at in range(1, 300):
        parquet.write_table(rows(4 * at), folder / f"{at}.parquet")
    assert counted(folder) == 1200


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no links and pipes")
def test_what_is_no_file_is_refused_by_name(folder: Path) -> None:
    (folder / "two.parquet").symlink_to(folder / "nowhere")
    assert "two.parquet: is a link that leads nowhere" in refused(folder)
    (folder / "two.parquet").unlink()
    os.mkfifo(folder / "pipe.parquet")
    assert "pipe.parquet: is no regular file" in refused(folder)
    (folder / "pipe.parquet").unlink()
    (folder / "again.parquet").symlink_to(folder / "one.parquet")
    assert "query q0, column query_id: the key stands 2 times (also in " in refused(folder)


def test_what_is_not_there_is_said_to_be_so(folder: Path) -> None:
    assert refused(folder / "two.parquet").endswith("two.parquet: there is no such file")
    assert refused(folder / "two").endswith("two: there is no such file")
    assert "names no Parquet files; check the path, and quote a glob" in refused(folder / "t*")
    (folder / "one.csv").write_text("query_id\n")
    assert "an engine reads Parquet" in refused(folder / "one.csv")


def test_damaged_files_are_refused(folder: Path) -> None:
    whole = (folder / "one.parquet").read_bytes()
    for name, left in {"empty": b"", "half": whole[: len(whole) // 2], "ends": b"PAR1PAR1"}.items():
        (folder / "two.parquet").write_bytes(left)
        assert "two.parquet: cannot be read: " in refused(folder), name
    (folder / "two.parquet").unlink()
    inside = bytes(one ^ 0xFF for one in whole[20:200])
    (folder / "one.parquet").write_bytes(whole[:20] + inside + whole[200:])
    assert refused(folder).startswith("duckdb broke off: ")


def test_two_columns_of_one_name_are_refused(folder: Path) -> None:
    table = rows()
    parquet.write_table(table.append_column("prob", table["prob"]), folder / "one.parquet")
    assert "one.parquet: 2 columns are called prob; rename all but one" in refused(folder)


def test_a_column_of_nulls_is_of_empty_lists(folder: Path, differing: Differing) -> None:
    path = str(folder / "one.parquet")
    parquet.write_table(rows().set_column(2, "gold", [pa.nulls(4)]), path)
    with closing(connect("duckdb")) as engine:
        assert differing(path, SETTINGS, evaluate(engine, [path], SETTINGS).ledger) == []


def rewrite(file: Path) -> None:
    parquet.write_table(rows(count=7), file)


def lose(file: Path) -> None:
    file.unlink()
    raise EngineError("an engine says something else of it")


@pytest.mark.parametrize(("change", "told"), [(rewrite, "has changed"), (lose, "is gone")])
def test_a_file_that_is_written_anew_while_it_is_counted_is_refused(
    change: Callable[[Path], None], told: str, folder: Path
) -> None:
    file = folder / "one.parquet"
    with pytest.raises(EngineError, match=rf"one\.parquet: {told} since"), steady([str(file)]):
        change(file)


def test_files_elsewhere_are_left_to_the_engine() -> None:
    with steady(["s3://elsewhere/one.parquet"]):
        pass
