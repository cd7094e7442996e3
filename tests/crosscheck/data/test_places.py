"""Which files a path means, and what their own columns are, whatever they are written in."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import polars as pl
import pyarrow as pa
import pytest

from crosscheck.config.places import called, members
from crosscheck.config.systems import Source, refuse_missing
from crosscheck.data import raw
from crosscheck.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROWS = [{"q": "1", "extra": "x"}, {"q": "2", "extra": "y\u2028z"}]
TEXT = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in ROWS)


def _stream(path: Path) -> None:
    table = pl.DataFrame(ROWS).to_arrow()
    with pa.ipc.new_stream(str(path), table.schema) as writer:
        writer.write_table(table)


def _packed(path: Path) -> None:
    with pa.output_stream(str(path), compression="zstd") as file:
        file.write(TEXT.encode())


WRITERS: dict[str, Callable[[Path], object]] = {
    "a.csv": lambda path: pl.DataFrame(ROWS).write_csv(path),
    "a.tsv": lambda path: pl.DataFrame(ROWS).write_csv(path, separator="\t"),
    "a.json": lambda path: path.write_text(json.dumps({"n": 2, "rows": ROWS}), encoding="utf-8"),
    "a.jsonl": lambda path: path.write_text(TEXT, encoding="utf-8"),
    "a.ndjson.gz": lambda path: path.write_bytes(gzip.compress(TEXT.encode())),
    "a.jsonl.zst": _packed,
    "a.parquet": lambda path: pl.DataFrame(ROWS).write_parquet(path),
    "a.feather": lambda path: pl.DataFrame(ROWS).write_ipc(path),
    "a.arrow": _stream,
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_columns_of_every_kind_of_file_are_read(tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path / name)
    table = pl.DataFrame({"split": ["EVAL", "TUNE"]})
    found = raw.evaluated(str(tmp_path / name), table, lambda column: column == "extra")
    assert found is not None
    assert found.to_dict(as_series=False) == {"extra": ["x"]}


def test_the_files_of_a_folder_are_one_table_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name, rows in (("b.csv", ROWS[:1]), ("a.csv", ROWS[1:])):
        pl.DataFrame(rows).write_csv(tmp_path / name)
    for other in (".c.csv", "crosscheck.toml", "README.md"):
        (tmp_path / other).write_text("")
    table = pl.DataFrame({"split": ["EVAL", "EVAL"]})
    for place in (tmp_path, tmp_path / "*.csv"):
        assert members(str(place)) == [tmp_path / "a.csv", tmp_path / "b.csv"]
        found = raw.evaluated(str(place), table, lambda column: column == "q")
        assert found is not None
        assert found["q"].to_list() == ["2", "1"]


def test_a_data_set_of_hugging_face_is_read_in_the_order_that_it_states(tmp_path: Path) -> None:
    names = ["data-2.arrow", "data-1.arrow"]
    for name in names:
        (tmp_path / name).touch()
    state = {"_data_files": [{"filename": name} for name in names]}
    (tmp_path / "state.json").write_text(json.dumps(state))
    assert [path.name for path in members(str(tmp_path))] == ["state.json", *names]


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("run.test.json.zst", "run.test"),
        ("out/*.csv", "out"),
        ("run-*.csv", "run-"),
        ("*", "system"),
        ("plain", "plain"),
    ],
)
def test_a_system_is_called_after_its_file(place: str, name: str) -> None:
    assert called(place) == name


def test_what_is_not_there_is_refused_all_at_once(tmp_path: Path) -> None:
    places = [tmp_path / "no.csv", tmp_path / "*.csv", tmp_path]
    sources = [Source("s", str(place), {}) for place in places]
    with pytest.raises(UserError) as error:
        refuse_missing(sources)
    told = ["no such file", "no file has such a name", "is a folder without tables"]
    for place, what, line in zip(places, told, str(error.value).splitlines(), strict=True):
        assert line.startswith(f"{place}: {what}")


def test_a_partitioned_set_is_not_read_in_part(tmp_path: Path) -> None:
    pl.DataFrame(ROWS).write_parquet(tmp_path / "b.parquet")
    (tmp_path / "fold=0").mkdir()
    pl.DataFrame(ROWS).write_parquet(tmp_path / "fold=0" / "a.parquet")
    with pytest.raises(UserError, match="a set in folders such as fold=0, which an engine reads"):
        refuse_missing([Source("s", str(tmp_path), {})])
