"""Cells of text: what is a list, what is none, and where a record of a CSV file ends."""

from __future__ import annotations

import json
import math
import time
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import primary
from primary.errors import Problems
from primary.reading.cells import empty_cells, number_lists, text_lists
from primary.reading.files import csv_file
from primary.reading.files.json_lines import fits

if TYPE_CHECKING:
    from pathlib import Path

BAD = None
"""What stands below for a cell that is no list."""

TEXT: dict[str | None, list[str] | None] = {
    None: [],
    "": [],
    "null": [],
    "[]": [],
    "[ ]": [],
    "a": ["a"],
    " a ": [" a "],
    "a|b": ["a", "b"],
    "a|": ["a", ""],
    "null|a": ["null", "a"],
    '["null"]': ["null"],
    '["a"]': ["a"],
    '[ "a" ,\t"b, c" ]': ["a", "b, c"],
    '["a"] ': ["a"],
    "['a', 'b']": ["a", "b"],
    """['it', "it's"]""": ["it", "it's"],
    """['say "x"']""": ['say "x"'],
    r"['it\'s']": ["it's"],
    r'["a\"b", "\u0041"]': ['a"b', "A"],
    r"['\x41']": ["A"],
    "['a' 'b']": BAD,
    '["a" "b"]': BAD,
    '["a", 1]': BAD,
    "[1]": BAD,
    "[a]": BAD,
    '["a"': BAD,
    "['a',]": ["a"],
    '[["a"]]': BAD,
    r'["\ud800"]': BAD,
    r"['\N{no such}']": BAD,
    "[" * 100_000: BAD,
    '{"a": 1}': ['{"a": 1}'],
    "['a'\r\n,\t'b' ]": ["a", "b"],
    "[np.str_('a')\r\n,\tnp.str_('b')\n,\r]": ["a", "b"],
    '["a"\r\n,\t"b" ]': ["a", "b"],
    "['a\x0cb', '\u00a0']": ["a\x0cb", "\u00a0"],
}
NUMBERS: dict[str | None, list[float] | None] = {
    None: [],
    "": [],
    "null": [],
    "[]": [],
    "[ \t]": [],
    "0.5": [0.5],
    "1|2.5": [1.0, 2.5],
    " 1 |\t2": [1.0, 2.0],
    "0.5\n|0.4": BAD,
    "\n0.5|0.4": BAD,
    "0.5|0.4\r": BAD,
    "[\n0.5\n,\r0.4]\n": [0.5, 0.4],
    "[1\x0c,]": BAD,
    "[1]": [1.0],
    "[ 1 ,\t2e-3,-4 ]": [1.0, 0.002, -4.0],
    "[inf]": [math.inf],
    "[": BAD,
    "[1": BAD,
    "[1,]": [1.0],
    "[1,,]": BAD,
    "[1., .5]\t": [1.0, 0.5],
    "[np.float64(0.9), np.int64(5),]": [0.9, 5.0],
    "[np.float64(0.9), 5]": BAD,
    "[np.float64(np.int64(5))]": BAD,
    "[np.float128(0.9)]": BAD,
    "[np.float64(0.9,0.8)]": BAD,
    "[np.float64()]": BAD,
    "[np.float64(0.9), np.float16(-1,)]": BAD,
    "[,]": BAD,
    "[a]": BAD,
    "1|x": BAD,
    "1,2": BAD,
    " [1]": BAD,
    "[1|2]": BAD,
    "[\u00a01]": BAD,
    "[X1]": BAD,
    "x": BAD,
}


@pytest.mark.parametrize(("cell", "items"), TEXT.items())
def test_a_cell_of_ids_is_a_list_or_none(cell: str | None, items: list[str] | None) -> None:
    lists = text_lists(pl.Series([cell], dtype=pl.String))
    assert (lists.to_list(), lists.dtype) == ([items], pl.List(pl.String))


@pytest.mark.parametrize("white", ["\x0b", "\x0c", "\x1c", "\x85", "\u00a0", "\u2003"])
@pytest.mark.parametrize("item", ["'{}'", '"{}"', "np.str_('{}')"])
def test_between_ids_stands_no_white_space_but_that_of_json(item: str, white: str) -> None:
    a, b = item.format("a"), item.format("b")
    gaps = [f"[{white}{a}, {b}]", f"[{a}{white}, {b}]", f"[{a},{white}{b}]", f"[{a}, {b}{white}]"]
    cells = [*gaps, f"[{a},{white}]", f"[{a}{white},]", f"[{white}]"]
    assert text_lists(pl.Series(cells)).to_list() == [BAD] * len(cells)
    assert not empty_cells(pl.Series(cells)).any()
    within = f"[{item.format(white)}, {b}]"
    assert text_lists(pl.Series([within])).to_list() == [[white, "b"]]


def test_cells_of_ids_of_every_kind_keep_their_rows() -> None:
    lists = text_lists(pl.Series(list(TEXT), dtype=pl.String))
    assert lists.to_list() == list(TEXT.values())


def test_cells_of_numbers_are_lists_or_none() -> None:
    lists = number_lists(pl.Series(list(NUMBERS), dtype=pl.String))
    assert dict(zip(NUMBERS, lists.to_list(), strict=True)) == NUMBERS


def test_a_cell_is_seen_to_be_empty_without_parsing() -> None:
    cells = {None: 1, "": 1, "null": 1, "[]": 1, "[ \t]  ": 1, "x": 0, "[x]": 0, "a[]": 0, " ": 0}
    found = empty_cells(pl.Series(list(cells), dtype=pl.String))
    assert found.cast(pl.Int64).to_list() == list(cells.values())


@pytest.mark.parametrize("block", [1, 2, 3, 5, 7, 100])
@pytest.mark.parametrize(
    ("text", "fields", "rows"),
    [
        ("a,b\nc,d\n", 2, 2),
        ("a,b\nc,d", 2, 2),
        ('a,"b,\n,c"\n"d",e\n', 2, 2),
        ('"a,b",c\nd,e\n', 2, 2),
        ('a,"b ""x"", c"\nd,e', 2, 2),
        ("a\nb\nc\n", 1, 3),
        ("a,b\nc\n", 2, None),
        ("a,b\nc,d,e\n", 2, None),
        ("a,b\nc", 2, None),
        ("a,b\nc,d,e", 2, None),
        ('a,b\nc,"d\n', 2, None),
        ("a,b\n\nc,d\n", 2, None),
    ],
)
def test_records_are_counted_block_by_block(
    text: str, fields: int, rows: int | None, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_file, "BLOCK", block)
    assert csv_file._regular_rows(text.encode(), fields) == rows  # noqa: SLF001 - what decides the fast way


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("a,b\nc,d\n", ["a", "b"]),
        ("a,b", ["a", "b"]),
        ("a,b\rc,d", ["a", "b"]),
        ("a, b\r\nc,d", ["a", "b"]),
        ('"a\nb",c\nd\n', ["a\nb", "c"]),
        ('"a\r\n""b",c"d"\nd\n', ['a\r\n"b', 'c"d"']),
        ("\na\n", []),
    ],
)
def test_the_header_ends_with_the_first_line_outside_quotes(
    text: str, header: list[str], tmp_path: Path
) -> None:
    opened = csv_file.opened(text.encode(), tmp_path, Problems(), ",")
    assert opened == (header, text.encode())


def test_a_quote_that_stays_open_is_told_at_once(tmp_path: Path) -> None:
    rows = b"".join(b"q%d,a|b,a\n" % number for number in range(80_000))
    path = tmp_path / "data.csv"
    path.write_bytes(b'"query_id,candidates,gold\n' + rows)
    begin = time.process_time()
    with pytest.raises(primary.InputError, match="in column 1 a quote is opened and never closed"):
        primary.read(path)
    path.write_bytes(b'query_id,candidates,gold\nq,a,a\n"q' + rows)
    with pytest.raises(primary.InputError, match=r"row 2, column query_id: .* never closed"):
        primary.read(path)
    # Where each line is looked at again with those before it, this takes twenty seconds.
    assert time.process_time() - begin < 3


@pytest.mark.parametrize("block", [1, 4, 9, 1 << 19])
@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('a,"b"c\n', None),
        ('a,b"c"\n', 1),
        ('a,["b" "c"]\n', 1),
        ('a,["b, "c"]\n', None),
        ('"b, "c\n', None),
        ('a,x"b\nc,d"y\n', None),
        ('a,""\n"",b\n', 2),
        ('a,""b\n', None),
        ('a,b""\n', 1),
        ('a,""""\n', 1),
        ('a,""",""\n"\n', 1),
        ('a,"b"""\r\nc,"\r"', 2),
        ("a,b\rc,d\n", None),
        ("a,b\r", None),
        ('a,x"\r"\n', None),
        ('"a"\r,b\n', None),
        ("\r\na,b\n", None),
    ],
)
def test_only_what_is_plain_is_counted(
    text: str, rows: int | None, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_file, "BLOCK", block)
    assert csv_file._regular_rows(text.encode(), 2) == rows  # noqa: SLF001 - what decides the fast way
    # Many bytes without a quote are looked through in another way.
    long = f"{'x' * 99},y\n" * 9
    found = csv_file._regular_rows((long + text).encode(), 2)  # noqa: SLF001 - what decides the fast way
    assert found == (None if rows is None else rows + 9)


@pytest.mark.parametrize("separator", [",", "\t"])
@pytest.mark.parametrize(
    ("cell", "items"),
    [('a"b', ['a"b']), ('a"b"', ['a"b"']), (' "a"', [' "a"']), ('["a"|""]', ['["a"', '""]'])],
)
def test_a_quote_within_a_cell_is_a_character(
    cell: str, items: list[str], separator: str, tmp_path: Path
) -> None:
    path = tmp_path / ("data.csv" if separator == "," else "data.tsv")
    cell = "x|" + cell
    for blank in ("", "\n"):
        lines = [["query_id", "candidates", "prob"], ["q", cell, "1"]]
        path.write_text("\n".join(map(separator.join, lines)) + "\n" + blank)
        assert primary.table(path)["candidates"].to_list() == [["x", *items]]


def test_a_line_may_end_in_a_carriage_return_beside_others(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(b'query_id,prob,x\n\ra,0.5,"\r"\rb,1,"\n\r"\r\n')
    assert primary.table(path)["query_id"].to_list() == ["a", "b"]


def test_a_carriage_return_in_json_lines_is_white_space(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_bytes(b'{"query_id": "q", "candidates": ["a"\r], "gold": ["a"]}\r\n')
    assert primary.table(path)["candidates"].to_list() == [["a"]]


@pytest.mark.parametrize(
    "text",
    [
        "query_id,prob,other\na,0.25,x\nb,0.75,y\n",
        "query_id,prob,other\r\na,0.25,x\r\nb,0.75,y\r\n",
        '"query_id",prob,"oth\ner"\n"a",0.25,"x\n,"\nb,0.75,y',
        '\ufeffquery_id,prob,other\na,0.25,x\nb,0.75,"y ""z"""\n',
        'query_id,prob,other\n\na,0.25,x"y\n\nb,0.75,z\n',
        "prob,query_id,other\n0.25,a,\n0.75,b,\n",
    ],
)
def test_a_csv_file_is_read_by_column_however_it_is_written(text: str, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(text.encode())
    table = primary.table(path)
    assert table["query_id"].to_list() == ["a", "b"]
    assert table["prob"].to_list() == [0.25, 0.75]


@pytest.mark.parametrize(
    "text", [b'prob,other,id\n0.5,"x,\n",007\n,y,NA\n', b'prob,id\n"0.5",007\n,NA\n']
)
def test_a_regular_file_is_split_by_polars_and_no_other_is(text: bytes) -> None:
    header = text.decode().partition("\n")[0].split(",")
    found = {"query_id": "id", "prob": "prob"}
    frame = csv_file._fast(text, header, found)  # noqa: SLF001 - either way gives the same
    assert frame is not None
    assert frame.to_dict(as_series=False) == {"query_id": ["007", "NA"], "prob": ["0.5", ""]}
    assert csv_file._fast(text + b"\n", header, found) is None  # noqa: SLF001 - either way gives the same


@pytest.mark.parametrize("blank", ["", "\r\n"])
def test_a_line_break_in_quotes_stays_as_it_is(blank: str, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(f'"my\r\nid",prob\r\n{blank}"a\r\nb",0.5\r\n'.encode())
    table = primary.table(path, {"columns": {"query_id": "my\r\nid"}})
    assert table["query_id"].to_list() == ["a\r\nb"]


def test_a_line_may_end_in_a_carriage_return_alone(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(b"query_id,prob\ra,0.5\rb,1\r")
    assert primary.table(path)["prob"].to_list() == [0.5, 1.0]


def test_a_field_may_be_longer_than_the_csv_modules_limit(tmp_path: Path) -> None:
    text = f'query_id,gold\n\na,"{"x" * 200_000}"\n'
    (tmp_path / "data.csv").write_text(text, encoding="utf-8")
    assert primary.table(tmp_path / "data.csv")["gold"].to_list() == [["x" * 200_000]]


def row_of(table: pl.DataFrame, query: str) -> dict[str, Any]:
    return table.filter(pl.col("query_id") == query).row(0, named=True)


def test_outside_eval_no_list_decision_or_state_is_read(tmp_path: Path) -> None:
    read = {"gold": ["x"], "candidates": ["x"], "scores": [1], "pred": True, "state": "POS"}
    unread = {"gold": [7, 7], "candidates": 3, "scores": ["x", {}], "pred": "no", "state": 5}
    rows: list[dict[str, Any]] = [
        {"query_id": "e", "prob": 0.5, "split": "TEST", "fold": 0} | read,
        {"query_id": "t", "prob": 0.25, "split": "DEV", "fold": 0} | unread,
        {"query_id": "u", "prob": 1, "split": "VAL", "fold": 0, "gold": []},
        {"query_id": "v", "prob": None, "split": "TRAIN", "fold": 1, "gold": "[x"},
        {"query_id": "w", "prob": None, "split": "TRAIN", "fold": 1, "gold": "[]"},
    ]
    lines = [json.dumps(row) for row in rows]
    (tmp_path / "data.jsonl").write_text("\n".join(lines), encoding="utf-8")
    table = primary.table(tmp_path / "data.jsonl")
    assert table["split"].to_list() == ["EVAL", "TUNE", "TUNE", "TRAIN", "TRAIN"]
    assert table["has_evidence"].to_list() == [1, 1, 0, 1, 0]
    assert table["prob"].to_list() == [0.5, 0.25, 1.0, None, None]
    assert table["fold"].to_list() == [0, 0, 0, 1, 1]
    assert row_of(table, "e")["gold"] == ["x"]
    assert row_of(table, "e")["state"] == "POS"
    assert [row_of(table, query)["gold"] for query in "tuv"] == [None, None, None]


def test_a_line_of_json_is_one_object(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text('{"query_id": "a"},{"query_id": "b"}\n{"query_id": "c", "gold": ["a"\n"b"]}\n')
    with pytest.raises(primary.InputError) as caught:
        primary.read(path)
    assert [problem.row for problem in caught.value.problems] == [1, 2, 3]
    path.write_text(r'{"query_id": "\u0000"}' + "\n" + r'{"query_id": "b"}' + "\n")
    assert primary.table(path, {"families": ["posts"]})["query_id"].to_list() == ["\0", "b"]


def test_json_lines_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_bytes('\ufeff{"query_id": "a", "prob": 1}\n'.encode())
    assert primary.table(path)["query_id"].to_list() == ["a"]


def test_json_lines_may_hold_lists_beside_lists_written_as_text(tmp_path: Path) -> None:
    path = tmp_path / "my.data.jsonl"
    lines = ['{"query_id": "a", "gold": ["x"]}', '{"query_id": "b", "gold": "y|z"}']
    path.write_text("\n".join(lines), encoding="utf-8")
    assert primary.table(path)["gold"].to_list() == [["x"], ["y", "z"]]


def test_json_lines_may_hold_every_list_as_text(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    line = '{"query_id": "a", "gold": "x|y", "candidates": "[\\"x\\"]", "scores": "[0.5]"}'
    path.write_text(line, encoding="utf-8")
    table = primary.table(path)
    assert [table[name].to_list() for name in ("gold", "candidates", "scores")] == [
        [["x", "y"]],
        [["x"]],
        [[0.5]],
    ]


def test_json_numbers_may_be_whole_in_one_row_and_not_in_the_next(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    rows = [
        {"query_id": "a", "prob": 1, "has_evidence": True, "candidates": ["x"], "scores": [3]},
        {"query_id": "b", "prob": 0.5, "has_evidence": 0, "candidates": ["x"], "scores": [0.5]},
        {"query_id": "c", "prob": 0, "has_evidence": 0, "candidates": ["x"], "scores": [10**50]},
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    table = primary.table(path)
    assert table["prob"].to_list() == [1.0, 0.5, 0.0]
    assert table["has_evidence"].to_list() == [1, 0, 0]
    assert table["scores"].to_list() == [[3.0], [0.5], [1e50]]


HELD: list[tuple[object, str]] = [
    ("a", "query_id"),
    (2**63 - 1, "fold"),
    (-(2**63), "fold"),
    (2**63, "prob"),
    (0.5, "prob"),
    (True, "pred"),
    (2**70, "label"),
    (None, "state"),
    ([1, 0.5], "scores"),
    ([], "node_probs"),
    (["a", "é"], "gold"),
]
NOT_HELD: list[tuple[object, str]] = [
    ("a\ud800", "query_id"),
    (2**63, "fold"),
    (-(2**63) - 1, "fold"),
    ([1, "2"], "scores"),
    ([True], "node_probs"),
    (["a", 1], "candidates"),
    (["a", "\udfff"], "gold"),
]


def test_a_json_value_fits_its_column_or_does_not() -> None:
    assert [one for one in HELD if not fits(*one)] == []
    assert [one for one in NOT_HELD if fits(*one)] == []
