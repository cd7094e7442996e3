"""Where rows come from: what each kind of file holds, and how a broken one is refused."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import reference
from reference.reading import load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Csv = Callable[[str], Path]

WHOLE = (
    "Give a whole .csv, .tsv, .jsonl, .ndjson, .json (also .gz, .zst) or .parquet or .arrow or "
    ".feather file"
)


def parquet(folder: Path, **columns: Any) -> Path:
    path = folder / "data.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def refused(data: object) -> reference.Problem:
    with pytest.raises(reference.InputError) as caught:
        reference.describe(data)
    (problem,) = caught.value.problems
    return problem


def test_a_line_break_inside_an_id_is_kept_as_it_is(csv_file: Csv) -> None:
    path = csv_file('query_id,pred\r\n"a\r\nb",1\r\n"c\rd",1\r\n')
    assert reference.per_query(path)["query_id"] == ["a\r\nb", "c\rd"]


@pytest.mark.parametrize(
    "ends",
    [
        ("\n", "\n", "\n"),
        ("\r", "\r", "\r"),
        ("\r\n", "\r\n", ""),
        ("\r\n", "\r", "\n"),
        ("\n", "\r", "\r\n"),
        ("\n\r", "\r\r\n", "\r\r"),
    ],
)
@pytest.mark.parametrize("name", ["data.csv", "data.tsv"])
def test_lines_of_text_end_in_lf_crlf_and_cr_alone(
    tmp_path: Path, name: str, ends: tuple[str, ...]
) -> None:
    rows = [["query_id", "pred"], ["a", "1"], ['"b\rc"', "0"]]
    separator = "," if name == "data.csv" else "\t"
    path = tmp_path / name
    text = "".join(separator.join(row) + end for row, end in zip(rows, ends, strict=True))
    path.write_bytes(text.encode())
    found = reference.per_query(path)
    assert (found["query_id"], found["pred"]) == (["a", "b\rc"], [1, 0])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query_id,pred\nq\r0,1\n", "has 1 fields where the header has 2"),
        ("query_id\r,pred\nq,1\n", "has 2 fields where the header has 1"),
        ('query_id,pred\n"q"0,1\n', "',' expected after"),
        ('query_id,"pred"\t\nq,1\n', "',' expected after"),
    ],
)
def test_a_line_ends_and_a_quote_closes_nowhere_else(csv_file: Csv, text: str, said: str) -> None:
    assert said in refused(csv_file(text)).what


def test_a_cr_within_a_line_of_json_is_white_space(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_bytes(
        b'\r{"query_id": "q", "candidates": ["a"\r], "gold": ["a"]}\r\n \r\t\n'
        b'{"query_id":\r"r", "candidates": ["b", "a"], "gold":["a"]}\r'
    )
    assert reference.per_query(path)["mrr@all"] == [1.0, 0.5]


@pytest.mark.parametrize(
    "text",
    [
        '{"query_id": "q"}\r{"query_id": "r"}\n',
        '{"query_id": "q"}\xa0\n',
        '\x1c\n{"query_id": "q"}',
    ],
)
def test_lines_of_json_end_in_lf_and_hold_no_other_white_space(tmp_path: Path, text: str) -> None:
    path = tmp_path / "data.jsonl"
    path.write_bytes(text.encode())
    problem = refused(path)
    assert problem.what.startswith("is not JSON: ")
    assert problem.row == 1


@pytest.mark.parametrize("name", ["data.ndjson", "data.jsonl", "DATA.JSONL"])
def test_json_lines_may_have_blank_lines(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text('\n{"query_id": "a", "pred": 1}\n \n{"query_id": "b"}\n', encoding="utf-8")
    assert "found None where a label is expected" in refused(path).what
    path.write_text('\n{"query_id": "a"}\n\n{"query_id": "b"}\n', encoding="utf-8")
    assert reference.per_query(path)["query_id"] == ["a", "b"]


def test_a_file_without_an_ending_is_not_known(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_text("query_id\nq\n", encoding="utf-8")
    problem = refused(path)
    assert problem.what == "files that end in nothing are not known"
    assert (problem.file, problem.remedy) == (str(path), WHOLE)


def test_a_torn_row_of_csv_is_named(csv_file: Csv) -> None:
    problem = refused(csv_file("query_id,pred\na,1\n\nb,0\nc\n"))
    assert problem.what == "has 1 fields where the header has 2"
    assert (problem.row, problem.remedy) == (3, WHOLE)


@pytest.mark.parametrize(
    ("line", "said"), [("[1]", "is not a JSON object"), ('{"query', "is not JSON: ")]
)
def test_a_bad_line_of_json_is_named(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(f'{{"query_id": "a"}}\n\n{{"query_id": "b"}}\n{line}\n', encoding="utf-8")
    problem = refused(path)
    assert problem.what.startswith(said)
    assert (problem.row, problem.remedy) == (3, WHOLE)


def test_without_pyarrow_parquet_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = parquet(tmp_path, query_id=["a"])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    problem = refused(path)
    assert problem.what == "needs pyarrow; install it or convert the file to CSV"
    assert problem.file == str(path)


def test_parquet_with_broken_pages_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    ids = [f"q{i}" for i in range(500)]
    pq.write_table(pa.table({"query_id": ids}), path, compression="gzip")
    raw = bytearray(path.read_bytes())
    raw[40:400] = bytes(360)
    path.write_bytes(raw)
    problem = refused(path)
    assert problem.what.startswith("cannot be read: ")
    assert problem.file == str(path)


def test_integers_that_are_ids_become_text_in_a_dictionary_too(tmp_path: Path) -> None:
    path = parquet(tmp_path, query_id=pa.array([7, 8]).dictionary_encode(), pred=[0, 1])
    assert reference.per_query(path)["query_id"] == ["7", "8"]


def test_integers_that_are_no_ids_stay_numbers(tmp_path: Path) -> None:
    path = parquet(tmp_path, query_id=["q"], candidates=[["a", "b"]], scores=[[1, 2]], gold=[["b"]])
    assert reference.per_query(path)["mrr@all"] == [1.0]


@pytest.mark.parametrize(
    ("column", "cells", "said"),
    [
        ("query_id", pa.array([1, None]), "found None where an id is expected"),
        ("prob", pa.array([1, None], pa.float32()), "found None where a finite number is expected"),
    ],
)
def test_a_null_is_no_id_and_no_number(tmp_path: Path, column: str, cells: Any, said: str) -> None:
    problem = refused(parquet(tmp_path, **{"query_id": ["a", "b"], column: cells}))
    assert (problem.what, problem.row) == (said, 2)


@pytest.mark.parametrize(
    ("kind", "number", "shown"),
    [
        (pa.float32(), 1e-45, 1e-45),  # as a float64 it would be 1.401298464324817e-45
        (pa.float16(), 65504.0, 65500.0),  # rounded to fewer digits it would be infinite
        (pa.float32(), 16777216.0, 16777216.0),
    ],
)
def test_a_short_float_means_its_own_shortest_form(
    tmp_path: Path, kind: Any, number: float, shown: float
) -> None:
    scores = pa.array([[number]], pa.list_(kind))
    path = parquet(tmp_path, query_id=["q"], candidates=[["a"]], scores=scores, gold=[["a"]])
    (query,) = load(path, None).queries
    assert query.scores == (shown,)
