"""Each refusal, word for word: file, row, query, column, what was found, what to do."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pytest

import primary
from primary.errors import Problem, Problems
from primary.reading.files.raw import chosen

if TYPE_CHECKING:
    from pathlib import Path


def told(data: Any, settings: dict[str, Any] | None = None) -> list[str]:
    """Give the lines of the message."""
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(data, settings)
    return str(caught.value).split("\n")


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


PROBABILITY = "A probability is a number from 0 to 1."
FOLD = "A fold is a whole number; without folds leave the column out."
SPLIT = "A split is one of EVAL, TEST, TUNE, VAL, DEV, TRAIN."
LABEL = "A label is 0, 1, true or false."
STATE = "A state is one of NEG, UNCERTAIN, POS."
KEY = "Every row needs its key."
ONCE = "A query stands once in each fold and split."
SCORE = "Each item is a finite score."
NODE = "Each item is a probability from 0 to 1."
EACH = "Give one for each candidate, in the same order."
TWICE = "Each uid may stand in a list once."
AMONG = "is no candidate of its query. What is selected must be among the candidates."
LACKS = "column criterion_id: the post lacks the criterion"
WHOLE = "Per-post metrics need every criterion of every post; add the rows."
TUNE = "Give TUNE rows for every fold, or for none."
NEEDS = (
    "is missing; found {}. A query needs post_id and criterion_id, or query_id; `columns` maps "
    "other names."
)
WHICH = 'Say which one under columns in the config, as gold = "gold".'
COMMAS = "Separate columns by commas, not by semicolons or tabs."
FIELDS = "The row may be truncated, or hold an unquoted comma or newline."
QUOTE = "The file may be truncated, or a quote not closed; inside quotes each is doubled."
OPEN = "a quote is opened and never closed"
BEHIND = "follows the closing quote"
QUOTES = "Write ids as text in quotes and numbers without."
IDS = f"expected a list of text. {QUOTES}"
BITS = f"expected a whole number of 64 bits. {QUOTES}"
VALUE = "Every item of a list needs a value."
LIST = 'which is no list of ids. Write a JSON array of text, ["a", "b"], or ids joined by |.'
NUMBERS = "which is no list of numbers. Write a JSON array of numbers, [0.5, 0.25]."


def test_a_reading_has_its_settings_already() -> None:
    once = primary.read(pl.DataFrame({"query_id": ["a"], "pred": [1]}), {"k": [1]})
    [line] = told(once, {})
    assert line == (
        "the data were read under settings of their own. "
        "Give no settings with them, or read the data again under these."
    )


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "query_id,prob\na,0.5\nb,2\n",
            [f"row 2, query b, column prob: found '2' as a probability. {PROBABILITY}"],
        ),
        (
            "query_id,ne_prob\na,0.5\nb,\n",
            [f"row 2, query b, column ne_prob: found '' as a probability. {PROBABILITY}"],
        ),
        (
            "query_id,prob,fold\na,0.5,1.5\nb,0.5,+7\nc,0.5,+-7\n",
            [
                f"row 1, query a, column fold: found '1.5' as a fold. {FOLD}",
                f"row 3, query c, column fold: found '+-7' as a fold. {FOLD}",
            ],
        ),
        (
            "query_id,split\na,EVAL\nb,eval\n",
            [f"row 2, query b, column split: found 'eval' as a split. {SPLIT}"],
        ),
        (
            "query_id,has_evidence\na,TRUE\nb,yes\n",
            [f"row 2, query b, column has_evidence: found 'yes' as a label. {LABEL}"],
        ),
        (
            "query_id,split,pred\nt,TUNE,\na,EVAL,\n",
            [f"row 2, query a, column pred: found '' as a label. {LABEL}"],
        ),
        (
            "query_id,split,state\nt,TUNE,\na,EVAL,neg\n",
            [f"row 2, query a, column state: found 'neg' as a state. {STATE}"],
        ),
        (
            "post_id,criterion_id\np,\n,A\n",
            [
                f"row 1, query p / , column criterion_id: the id is empty. {KEY}",
                f"row 2, query  / A, column post_id: the id is empty. {KEY}",
            ],
        ),
        (
            "query_id,gold\na,x\nb,y\na,z\na,w\n",
            [
                f"row 3, query a: the key is already in row 1. {ONCE}",
                f"row 4, query a: the key is already in row 1. {ONCE}",
            ],
        ),
        (
            "query_id,gold_ids\na,['x' 'y']\n",
            [f"row 1, query a, column gold_ids: found \"['x' 'y']\", {LIST}"],
        ),
        (
            f"query_id,candidates\na,[{'x' * 80}\n",
            [f"row 1, query a, column candidates: found '[{'x' * 55}…, {LIST}"],
        ),
        (
            f"query_id,candidates\na,[{'x' * 57}\nb,[{'x' * 58}\n",
            [
                f"row 1, query a, column candidates: found '[{'x' * 57}', {LIST}",
                f"row 2, query b, column candidates: found '[{'x' * 55}…, {LIST}",
            ],
        ),
        (
            "query_id,candidates,scores\na,x|y,1|b\n",
            [f"row 1, query a, column scores: found '1|b', {NUMBERS}"],
        ),
        (
            "query_id,candidates,scores\na,x|y,1|inf\nb,x,nan\n",
            [
                f"row 1, query a, column scores: found inf in the list. {SCORE}",
                f"row 2, query b, column scores: found nan in the list. {SCORE}",
            ],
        ),
        (
            "query_id,candidates,node_probs\na,x|y|z,1|-0.5|2\n",
            [f"row 1, query a, column node_probs: found -0.5 in the list. {NODE}"],
        ),
        (
            "query_id,candidates,scores\na,x|y,1|2\nb,x|y|z,1|2\n",
            [f"row 2, query b, column scores: found 2 numbers for 3 candidates. {EACH}"],
        ),
        (
            "query_id,gold\na,x|y\nb,x|y|y\n",
            [f"row 2, query b, column gold: the uid 'y' is in the list twice. {TWICE}"],
        ),
        (
            "query_id,candidates,selected\na,x|y,y\nb,x|y,y|w|v\n",
            [f"row 2, query b, column selected: the uid 'w' {AMONG}"],
        ),
        (
            "post_id,criterion_id,has_evidence,pred\np,A,1,1\np,B,0,0\nr,C,1,1\n",
            [
                f"row 1, query p / A, {LACKS} C. {WHOLE}",
                f"row 3, query r / C, {LACKS} A, B. {WHOLE}",
            ],
        ),
        (
            "post_id,criterion_id,fold,has_evidence,pred\np,A,0,1,1\np,B,0,1,1\np,A,1,1,1\n",
            [f"row 3, query p / A, {LACKS} B. {WHOLE}"],
        ),
        (
            "query_id,fold_id,split,gold,prob\na,0,,x,1\nb,1,,x,1\nc,1,TUNE,x,1\nd,3,,x,1\n",
            [
                f"column fold_id: fold 0 has no TUNE rows, other folds have. {TUNE}",
                f"column fold_id: fold 3 has no TUNE rows, other folds have. {TUNE}",
            ],
        ),
        (
            "query_id,split\na,TUNE\n",
            ["no row is an EVAL row. Every number is over EVAL rows: give some."],
        ),
        (
            "post_id,prob\na,1\n",
            ["column criterion_id: the key column criterion_id " + NEEDS.format("post_id, prob")],
        ),
        (
            "query_id;prob\na;1\n",
            [f"the header is one column, 'query_id;prob'. {COMMAS}"],
        ),
        (
            "query_id\tprob\na\t1\n",
            [f"the header is one column, 'query_id\\tprob'. {COMMAS}"],
        ),
        (
            "query_id,gold,gold_ids\na,x,y\n",
            [f"column gold: gold and gold_ids could each be gold. {WHICH}"],
        ),
        (
            "query_id,gold,gold\na,x,y\n",
            ["column gold: the column gold is there twice. Rename or remove one."],
        ),
        (
            "query_id,prob\na,0.5,1\nb\nc,1\n",
            [
                f"row 1: found 3 fields, expected 2 as in the header. {FIELDS}",
                f"row 2: found 1 fields, expected 2 as in the header. {FIELDS}",
            ],
        ),
        (
            'query_id,prob\na,1\nb,"0.5\n',
            [f"row 2, column prob: the record cannot be read: {OPEN}. {QUOTE}"],
        ),
        (
            'query_id,candidates,gold\nq0,"a"b"|c",a\n',
            [
                (
                    "row 1, column candidates: the record cannot be read: 'b\"|c\",a\\n' "
                    f"{BEHIND}. {QUOTE}"
                )
            ],
        ),
        (
            'query_id,candidates,gold\n\nq0,a,"b"c\n',
            [f"row 1, column gold: the record cannot be read: 'c\\n' {BEHIND}. {QUOTE}"],
        ),
        (
            '"query_id"x,candidates,gold\nq0,a|b,a\n',
            [
                (
                    "the first line cannot be read: in column 1 'x,candidates,gold\\n' "
                    f"{BEHIND}. {QUOTE}"
                )
            ],
        ),
        (
            'query_id,"candidates,gold\nq0,a|b,a\n',
            [f"the first line cannot be read: in column 2 {OPEN}. {QUOTE}"],
        ),
        (
            "query_id,candidates,gold\nq\r0,a|b,a\n",
            [f"row 1: found 1 fields, expected 3 as in the header. {FIELDS}"],
        ),
        ("query_id,prob\n", ["the file holds no rows. Give at least one row of data."]),
        (" \n\n", ["the file holds no rows. Give at least one row of data."]),
    ],
)
def test_a_csv_is_refused_word_for_word(text: str, lines: list[str], tmp_path: Path) -> None:
    path = written(tmp_path, "data.csv", text)
    assert told(path) == [f"{path}:", *(f"  {line}" for line in lines)]


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        (
            [{"query_id": "a", "prob": 1}, {"query_id": 7.5, "prob": "x"}],
            [
                f"row 2, query 7.5, column query_id: found 7.5, expected text. {QUOTES}",
                f'row 2, query 7.5, column prob: found "x", expected a number. {QUOTES}',
            ],
        ),
        (
            [{"query_id": "a", "fold_id": None}],
            [f"row 1, query a, column fold_id: found null, {BITS}"],
        ),
        (
            [
                {"query_id": "a", "fold": 2**63 - 1, "pred": 1},
                {"query_id": "b", "fold": 2**63, "pred": 1},
                {"query_id": "c", "fold": -(2**63), "pred": 2**63},
                {"query_id": "d", "fold": -(2**63) - 1, "pred": 1},
            ],
            [
                f"row 2, query b, column fold: found {2**63}, {BITS}",
                f"row 3, query c, column pred: found '{2**63}' as a label. {LABEL}",
                f"row 4, query d, column fold: found {-(2**63) - 1}, {BITS}",
            ],
        ),
        (
            [{"query_id": "a", "prob": 2**63, "has_evidence": 1}],
            [f"row 1, query a, column prob: found {float(2**63)} as a probability. {PROBABILITY}"],
        ),
        (
            [{"query_id": "a", "gold": ["x", 1]}, {"query_id": "b", "scores": ["x"]}],
            [
                f'row 1, query a, column gold: found ["x", 1], expected a list of text. {QUOTES}',
                f'row 2, query b, column scores: found ["x"], expected a list of numbers. {QUOTES}',
            ],
        ),
        (
            [{"query_id": "a", "has_evidence": 0.0, "state": 1, "split": 2, "gold": {}}],
            [
                f"row 1, query a, column split: found 2, expected text. {QUOTES}",
                f"row 1, query a, column gold: found {{}}, expected a list of text. {QUOTES}",
                f"row 1, query a, column state: found 1, expected text. {QUOTES}",
                f"row 1, query a, column has_evidence: found '0.0' as a label. {LABEL}",
            ],
        ),
        (
            [{"query_id": "a", "prob": "x" * 80}],
            [f'row 1, query a, column prob: found "{"x" * 59}, expected a number. {QUOTES}'],
        ),
        (
            [{"query_id": "a", "prob": 1}, {"prob": 1}],
            [f"row 2, query , column query_id: found null, expected text. {QUOTES}"],
        ),
        (
            [[1, 2]],
            ["row 1: found [1, 2], expected an object. Write {…}."],
        ),
        (
            ["x" * 80],
            [f'row 1: found "{"x" * 39}, expected an object. Write {{…}}.'],
        ),
        (
            [{"query_id": "a\ud800", "gold": ["x", "\udfff"]}, {"query_id": "b", "gold": "\ud800"}],
            [
                rf'row 1, query a\ud800, column query_id: found "a\ud800", expected text. {QUOTES}',
                rf'row 1, query a\ud800, column gold: found ["x", "\udfff"], {IDS}',
                rf'row 2, query b, column gold: found "\ud800", {IDS}',
            ],
        ),
    ],
)
def test_json_lines_are_refused_word_for_word(
    rows: list[Any], lines: list[str], tmp_path: Path
) -> None:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path = written(tmp_path, "data.jsonl", text)
    assert told(path) == [f"{path}:", *(f"  {line}" for line in lines)]


def test_every_bad_line_of_json_lines_is_told(tmp_path: Path) -> None:
    good = written(tmp_path, "good.jsonl", '{"query_id": "a"}\n{"query_id": "b"}')
    assert primary.table(good)["query_id"].to_list() == ["a", "b"]
    text = '{"query_id": "a"}\n{"query_id": "b"\n\n"c"\n{"query_id": infinity}\n'
    path = written(tmp_path, "data.jsonl", text)
    first, second, third, fourth = told(path)
    assert first == f"{path}:"
    assert second.startswith("  row 2: the line is not JSON (Expecting ',' delimiter")
    assert second.endswith(". The file may be truncated.")
    assert third == '  row 3: found "c", expected an object. Write {…}.'
    assert fourth.startswith("  row 4: the line is not JSON (Expecting value")


WHITE = ["\x0b", "\x0c", "\x1c", "\x85", "\u00a0", "\u2003"]
"""White space that is not JSON's."""


@pytest.mark.parametrize("white", WHITE)
def test_a_line_of_white_space_that_is_not_of_json_is_told(white: str, tmp_path: Path) -> None:
    good = written(tmp_path, "good.jsonl", ' \t\r\n{"query_id": "a"}\n\t \n\r\n{"query_id": "b"}\r')
    assert primary.table(good)["query_id"].to_list() == ["a", "b"]
    text = f'{white}\n{{"query_id": "a"}}\n \t\r\n {white}\n{{"query_id": "b"}}\n{white}'
    lines = told(written(tmp_path, "data.jsonl", text))[1:]
    begin = "the line is not JSON (Expecting value"
    assert [line.split(":")[0] for line in lines] == ["  row 1", "  row 3", "  row 5"]
    assert all(begin in line for line in lines)


@pytest.mark.parametrize("white", WHITE)
@pytest.mark.parametrize("kind", ["qrels", "run"])
def test_such_a_line_of_qrels_and_runs_is_told(kind: str, white: str, tmp_path: Path) -> None:
    rows = ['{"qid": "q", "docno": "a", "score": 1}', '{"qid": "q", "docno": "b", "score": 0}']
    plain = {"qrels": "q 0 a 1\nq 0 b 0\n", "run": "q Q0 a 1 1.0 x\nq Q0 b 2 0.5 x\n"}
    data = {name: written(tmp_path, name, text) for name, text in plain.items()}
    data[kind] = written(tmp_path, "lines.jsonl", "\t\n" + " \r\n".join(rows) + "\r\n \t\r")
    assert primary.evaluate(data)["mrr@all|positives_only|all|mean"] == 1.0
    for place, held in enumerate(([white, *rows], [rows[0], white, rows[1]], [*rows, white]), 1):
        data[kind] = written(tmp_path, "lines.jsonl", "\n".join(held))
        _, line = told(data)
        assert line.startswith(f"  row {place}: the line is not JSON (Expecting value")
    data[kind] = written(tmp_path, "lines.jsonl", f"{rows[0]}\n{white}\n")
    assert told(data)[1].startswith("  row 2: the line is not JSON (Expecting value")


def test_numbers_that_are_none_are_told_where_they_are_read(tmp_path: Path) -> None:
    row = '{"query_id": "a", "label": %s, "predicted": "x", "fold": %s, "seed": 1, "note": %s}'
    good = written(tmp_path, "good.jsonl", row % ('"y"', 0, "NaN"))
    assert primary.describe(good)["classes"] == ["x", "y"]
    path = written(tmp_path, "data.jsonl", row % ("NaN", "Infinity", "-Infinity"))
    told_of = [line.split(".")[0] for line in told(path)[1:]]
    assert told_of == [
        "  row 1, query a, column fold: found Infinity, expected a whole number of 64 bits",
        "  row 1, query a, column label: found NaN, expected a class",
    ]


@pytest.mark.parametrize(
    ("name", "good"),
    [("data.csv", b"query_id\na\n"), ("data.jsonl", b'\n{"query_id": "a"}\n')],
)
def test_a_file_is_read_but_for_a_byte_that_is_not_utf_8(
    name: str, good: bytes, tmp_path: Path
) -> None:
    assert primary.table(written(tmp_path, name, good))["query_id"].to_list() == ["a"]
    path = written(tmp_path, name, good + b"\xff\n")
    words = f"byte {len(good)} (line 3) is not UTF-8. Save the file as UTF-8."
    assert told(path) == [f"{path}:", f"  {words}"]


@pytest.mark.parametrize("name", ["none.csv", "none.jsonl.gz", "none.parquet"])
def test_a_file_that_is_not_there_is_told_so(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    assert told(path) == [f"{path}:", "  there is no such file. Check the path."]


@pytest.mark.parametrize("content", [b"no gzip", gzip.compress(b"query_id\na\n", mtime=0)[:-9]])
def test_a_damaged_gzip_file_is_refused(content: bytes, tmp_path: Path) -> None:
    path = written(tmp_path, "data.csv.gz", content)
    first, second = told(path)
    assert first == f"{path}:"
    assert second.startswith("  the file cannot be read (")
    assert second.endswith("). It may be truncated or damaged; write it again.")


def test_a_damaged_parquet_file_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "data.parquet", b"PAR1")
    message = "\n".join(told(path))
    assert message.startswith(f"{path}:\n  the file cannot be read as Parquet (")
    assert message.endswith("). It may be truncated or damaged; write it again.")


def test_a_parquet_file_without_rows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pl.DataFrame({"query_id": []}, schema={"query_id": pl.String}).write_parquet(path)
    assert told(path) == [f"{path}:", "  the file holds no rows. Give at least one row of data."]


def test_a_lone_column_that_is_mapped_may_have_any_name(tmp_path: Path) -> None:
    path = written(tmp_path, "data.csv", "id;text\na\n")
    table = primary.table(path, {"columns": {"query_id": "id;text"}})
    assert table["query_id"].to_list() == ["a"]


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.xlsx"
    assert "\n".join(told(path)) == (
        f"{path}:\n  a file called 'data.xlsx' is of no known kind. Give a .csv, .tsv, .jsonl, "
        ".ndjson, .json file (each also with .gz or .zst), .parquet, .arrow, .feather, or a folder "
        "of such files; TREC files are given as qrels and run, on the command line with --qrels "
        "and --run."
    )


def test_data_of_another_kind_is_refused() -> None:
    assert "\n".join(told(3)) == (
        "data of type int cannot be read. Give a path, a pandas or polars DataFrame, a pyarrow "
        "table, or a mapping with qrels and run."
    )


NOT_SAMPLED = (
    "no EVAL row is in the sample. Every number is over EVAL rows: give a smaller `sample`."
)


def test_a_sample_without_eval_rows_is_refused(tmp_path: Path) -> None:
    # The hash of q0 is odd, that of q1 even.
    path = written(tmp_path, "data.csv", "query_id,split\nq0,EVAL\nq1,TUNE\n")
    assert told(path, {"sample": 2}) == [f"{path}:", f"  {NOT_SAMPLED}"]
    assert told(pl.DataFrame({"query_id": ["q0"]}), {"sample": 2}) == [NOT_SAMPLED]


def test_a_sample_without_a_judged_query_is_refused(tmp_path: Path) -> None:
    qrels = written(tmp_path, "qrels", "q0 0 a 1\n")
    run = written(tmp_path, "run", "q0 Q0 a 1 1 s\nq1 Q0 a 1 1 s\n")
    assert told({"qrels": qrels, "run": run}, {"sample": 2}) == [f"{qrels}:", f"  {NOT_SAMPLED}"]


def test_a_table_without_rows_is_refused() -> None:
    assert told(pl.DataFrame({"query_id": []})) == [
        "the file holds no rows. Give at least one row of data."
    ]


def test_data_is_given_once(tmp_path: Path) -> None:
    sentence = "the data is not given once. Give data, or both qrels and run."
    for given in ({}, {"qrels": tmp_path}, {"run": tmp_path}, {"data": 1, "qrels": tmp_path}):
        with pytest.raises(primary.InputError) as caught:
            primary.evaluate(**given)
        assert str(caught.value) == sentence


def test_an_unknown_family_is_refused() -> None:
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(pl.DataFrame({"query_id": ["q"]}), families=["tie", "ranking", "pair"])
    assert str(caught.value).startswith(
        "setting 'families': there is no family pair, tie; known are ranking, ties, pairs, "
    )


def test_a_pandas_column_of_mixed_types_is_refused() -> None:
    rows = pd.DataFrame({"query_id": ["a", "b"], "p": [object(), 1], "q": [{1}, object()]})
    lines = told(rows, {"columns": {"prob": "p", "pred": "q"}})
    assert [line.partition(" (")[0] for line in lines[:1]] == ["column p: the column mixes types"]
    assert all(line.endswith("). Give every row the same type.") for line in lines)


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (
            {"query_id": [1.5]},
            "column query_id: the ids are of type Float64. Store ids as text.",
        ),
        (
            {"query_id": ["a"], "gold": [[1.5]]},
            "column gold: the column is of type List(Float64). Store lists of text.",
        ),
        (
            {"query_id": ["a"], "gold": [1]},
            "column gold: the column is of type Int64. Store lists of text.",
        ),
        (
            {"query_id": ["a"], "scores": [["x"]]},
            "column scores: the column is of type List(String). Store lists of numbers.",
        ),
        (
            {"query_id": ["a"], "node_probs": [0.5]},
            "column node_probs: the column is of type Float64. Store lists of numbers.",
        ),
        (
            {"query_id": ["a"], "gold": [["x", None]]},
            f"row 1, query a, column gold: the list holds a null. {VALUE}",
        ),
        (
            {"query_id": ["a"], "candidates": [["x", "y"]], "scores": [[1.0, None]]},
            f"row 1, query a, column scores: the list holds a null. {VALUE}",
        ),
        (
            {"query_id": ["a"], "fold": [0.5]},
            f"row 1, query a, column fold: found 0.5 as a fold. {FOLD}",
        ),
        (
            {"query_id": ["a"], "has_evidence": [1.0]},
            f"row 1, query a, column has_evidence: found 1.0 as a label. {LABEL}",
        ),
        (
            {"query_id": ["a"], "prob": [[0.5]]},
            f"row 1, query a, column prob: found [0.5] as a probability. {PROBABILITY}",
        ),
        (
            {"query_id": ["a"], "candidates": [[0.5]], "scores": [[1]], "selected": [["x"]]},
            "column candidates: the column is of type List(Float64). Store lists of text.",
        ),
        (
            {"query_id": ["a"], "prob": [True]},
            f"row 1, query a, column prob: found True as a probability. {PROBABILITY}",
        ),
        (
            {"query_id": ["a"], "prob": [float("nan")]},
            f"row 1, query a, column prob: found nan as a probability. {PROBABILITY}",
        ),
    ],
)
def test_a_table_in_memory_is_refused_word_for_word(columns: dict[str, Any], line: str) -> None:
    assert told(pl.DataFrame(columns, strict=False)) == [line]


def test_problems_beyond_a_thousand_of_a_kind_are_counted(tmp_path: Path) -> None:
    rows = "".join(f"q{row},2,x\n" for row in range(1001))
    path = written(tmp_path, "data.csv", f"query_id,prob,has_evidence\n{rows}")
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(path)
    assert (len(caught.value.problems), caught.value.count) == (2000, 2002)


def test_bad_json_values_beyond_a_thousand_are_counted(tmp_path: Path) -> None:
    rows = "".join(f'{{"query_id": "q{row}", "prob": "x"}}\n' for row in range(1001))
    path = written(tmp_path, "data.jsonl", rows)
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(path)
    assert (len(caught.value.problems), caught.value.count) == (1000, 1001)
    assert str(caught.value).endswith("\n… and 981 more problems")


def test_json_lines_without_rows_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "data.jsonl", "\n \n")
    assert told(path) == [f"{path}:", "  the file holds no rows. Give at least one row of data."]


def test_a_mapped_column_that_is_not_there_is_told_with_those_that_are() -> None:
    rows = pl.DataFrame({"query_id": ["q"], "p": [0.5]})
    (line,) = told(rows, {"columns": {"prob": "nowhere"}})
    assert line == (
        "column nowhere: the settings map prob to 'nowhere', which the file does not have. "
        "Its columns are query_id, p."
    )


def test_a_gap_in_a_key_is_told_as_a_gap() -> None:
    rows = pl.DataFrame({"post_id": [None, "p"], "criterion_id": ["A", "A"]})
    assert told(rows) == [f"row 1, query  / A, column post_id: the id is empty. {KEY}"]


def problem(file: str | None, row: int | None) -> Problem:
    return Problem(file, row, None, None, "it is wrong", "Mend it")


def test_problems_are_told_file_by_file_and_row_by_row() -> None:
    found = [problem("B", 1), problem("A", 2), problem("B", None), problem("A", 1)]
    assert [(one.file, one.row) for one in primary.InputError(found).problems] == [
        ("A", 1),
        ("A", 2),
        ("B", None),
        ("B", 1),
    ]


def test_a_problem_of_no_file_is_told_before_those_of_a_file() -> None:
    found = [problem("A", None), problem(None, 3)]
    assert [one.file for one in primary.InputError(found).problems] == [None, "A"]


def test_only_problems_beyond_twenty_are_counted_instead_of_told() -> None:
    message = str(primary.InputError([problem(None, row) for row in range(20)]))
    assert message.endswith("row 19: it is wrong. Mend it")


def test_further_problems_add_to_the_count() -> None:
    problems = Problems()
    problems.add("it is wrong", "Mend it.")
    problems.more(3)
    problems.more(2)
    assert (len(problems.found), problems.count) == (1, 6)


def test_the_wanted_columns_are_chosen_unless_something_is_wrong_with_one() -> None:
    present, problems = ["query_id", "gold_ids", "p"], Problems()
    assert chosen(present, {}, {"query_id", "gold"}, problems) == {
        "query_id": "query_id",
        "gold": "gold_ids",
    }
    assert list(chosen(present, {"prob": "q"}, {"query_id"}, problems)) == ["query_id"]
    with pytest.raises(primary.InputError, match="the settings map prob to 'q'"):
        chosen(present, {"prob": "q"}, {"query_id", "prob"}, problems)
