"""A file's own columns, in every format."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

from crosscheck.data.raw import evaluated
from crosscheck.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TABLE = pl.DataFrame({"split": ["EVAL", "TUNE", "EVAL"]})
FRAME = {"id": ["007", "NA"], "x": ["1.50", None]}


def text(kind: str) -> str:
    if kind == "csv":
        return "id,x,list\n007,1.50,a\n\n-,-,-\nNA,,b\n"
    rows = [{"id": "007", "list": ["a"], "x": "1.50"}, {"id": "-"}, {"id": "NA", "map": {}}]
    return "\n\n".join(map(json.dumps, rows))


def read(path: Path, wanted: Callable[[str], bool]) -> dict[str, list[object]] | None:
    found = evaluated(str(path), TABLE, wanted)
    return None if found is None else found.to_dict(as_series=False)


@pytest.mark.parametrize(
    "name", ["d.v2.csv", "d.CSV", "d.csv.gz", "d.jsonl", "d.jsonl.GZ", "d.ndjson"]
)
def test_columns_are_read_as_text_where_the_file_has_no_types(tmp_path: Path, name: str) -> None:
    written = text("csv" if "csv" in name.lower() else "jsonl").encode()
    packed = gzip.compress(written) if name.lower().endswith(".gz") else written
    (tmp_path / name).write_bytes(packed)
    assert read(tmp_path / name, lambda column: column in {"id", "x"}) == FRAME


def test_a_byte_order_mark_is_no_part_of_a_json_line(tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_bytes(b"\xef\xbb\xbf" + b'{"x": "\xc3\xa9"}\n' * 3)
    assert read(tmp_path / "d.jsonl", lambda _: True) == {"x": ["é", "é"]}


def test_numbers_of_json_lines_become_text_and_lists_are_left_out(tmp_path: Path) -> None:
    lines = [{"n": 1.5, "list": ["a"], "map": {}}, {}, {"n": 2, "list": None, "map": None}]
    (tmp_path / "d.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert read(tmp_path / "d.jsonl", lambda _: True) == {"n": ["1.5", "2"]}


def test_parquet_keeps_its_types_and_lists_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    pl.DataFrame({"x": [1.5, 0, None], "y": [1, 0, 2], "list": [["a"], [], []]}).write_parquet(path)
    assert read(path, lambda column: column != "y") == {"x": [1.5, None]}
    assert read(path, lambda column: column == "y") == {"y": [1, 2]}


@pytest.mark.parametrize("name", ["d.csv", "d.parquet", "d.jsonl"])
def test_no_column_wanted_is_no_frame(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "d.parquet":
        pl.DataFrame({"x": [1, 2, 3]}).write_parquet(path)
    else:
        path.write_text(text(name.partition(".")[2]))
    assert read(path, lambda _: False) is None


def test_two_files_of_a_run_have_no_columns() -> None:
    assert evaluated({"qrels": "q", "run": "r"}, TABLE, lambda _: True) is None


def test_a_format_that_is_not_registered_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"ends in \.psv; known are \.csv, \.tsv, "):
        read(tmp_path / "d.psv", lambda _: True)
