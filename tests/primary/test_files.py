"""Every kind of file of docs/interface.md gives the same ledger; what is broken is told."""

from __future__ import annotations

import gzip
import json
import os
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import primary

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    {"query_id": "007", "candidates": ["a", "b"], "gold": ["b"], "prob": 0.5},
    {"query_id": "NA", "candidates": ["c"], "gold": [], "prob": 0.25},
    {"query_id": "x y", "candidates": ["d", "e"], "gold": ["d", "e"], "prob": 1.0},
]


def cells(row: dict[str, Any], separator: str) -> str:
    values = [json.dumps(one) if isinstance(one, list) else str(one) for one in row.values()]
    return separator.join(f'"{one.replace(chr(34), chr(34) * 2)}"' for one in values)


def text(rows: list[dict[str, Any]], separator: str) -> bytes:
    lines = [separator.join(rows[0]), *(cells(row, separator) for row in rows)]
    return ("\n".join(lines) + "\n").encode()


def zstandard(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


def arrow(rows: list[dict[str, Any]], *, stream: bool) -> bytes:
    table = pa.Table.from_pylist(rows)
    sink = pa.BufferOutputStream()
    opened = pa.ipc.new_stream if stream else pa.ipc.new_file
    with opened(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


KINDS: dict[str, bytes] = {
    "data.csv": text(ROWS, ","),
    "data.tsv": text(ROWS, "\t"),
    "data.tsv.gz": gzip.compress(text(ROWS, "\t")),
    "data.csv.zst": zstandard(text(ROWS, ",")),
    "data.jsonl": lines(ROWS),
    "data.ndjson.zst": zstandard(lines(ROWS)),
    "data.json": json.dumps(ROWS).encode(),
    "member.json": json.dumps({"version": 1, "tags": ["x"], "rows": ROWS}).encode(),
    "data.json.gz": gzip.compress(json.dumps(ROWS).encode()),
    "data.arrow": arrow(ROWS, stream=False),
    "stream.arrow": arrow(ROWS, stream=True),
    "data.feather": arrow(ROWS, stream=False),
}


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_table_gives_the_same_ledger(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(KINDS[name])
    assert primary.evaluate(path) == primary.evaluate(pl.DataFrame(ROWS))


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("left", [0.0, 0.5, 0.95])
def test_every_kind_of_table_is_refused_when_truncated(
    name: str, left: float, tmp_path: Path
) -> None:
    path = tmp_path / name
    content = KINDS[name]
    path.write_bytes(content[: int(len(content) * left)])
    if name in ("data.csv", "data.tsv", "data.jsonl", "stream.arrow") and left == 0.5:
        return  # what is left of these may end with a whole row
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("name", [name for name in KINDS if not name.startswith("member")])
def test_bytes_of_another_kind_are_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("d.json", '{"a": [{"x": 1}], "b": [{"y": 1}]}', "found several arrays of objects, a, b"),
        ("d.json", '{"a": 1}', "found none in the file"),
        ("d.json", "[]", "the file holds no rows"),
        ("d.json", '[{"query_id": "a"}, 3]', "row 2: found 3, expected an object"),
        ("d.json", '[{"query_id": "a", "query_id": "b"}]', "the name query_id stands twice"),
        ("d.csv", "query_id,prob,prob\na,1,1\n", "the column prob is there twice"),
        ("d.csv", "query_id,x,x\na,1,1\n", "the column x is there twice"),
        ("d.csv", "query_id,,prob\na,1,1\n", "column 2 has no name"),
        ("d.csv", "query_id,prob, \na,1,1\n", "column 3 has no name"),
        ("d.csv", "query_id,gold\na,x||y\n", "the list holds an empty id"),
        ("d.jsonl", '{"query_id": "a", "gold": [""]}\n', "the list holds an empty id"),
    ],
)
def test_what_a_table_may_not_hold_is_refused(
    name: str, content: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(tmp_path / name)
    assert words in str(caught.value)


def test_names_lose_their_blanks_and_an_index_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text(",query_id , prob,has_evidence\n0,a,0.5,1\n1,b,0.25,0\n")
    facts = primary.describe(path)
    assert facts["columns"] == {
        "query_id": "query_id",
        "has_evidence": "has_evidence",
        "prob": "prob",
    }
    assert facts["rows"]["EVAL"] == 2


def test_labels_of_json_may_be_text_numbers_or_truth(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    rows = [("a", "1"), ("b", 1), ("c", True), ("d", "FALSE"), ("e", 0)]
    path.write_text("".join(json.dumps({"query_id": q, "has_evidence": y}) + "\n" for q, y in rows))
    assert primary.table(path)["has_evidence"].to_list() == [1, 1, 1, 0, 0]


# --- several files ------------------------------------------------------------------------------


def shards(folder: Path, ending: str = "csv") -> None:
    for number, row in enumerate(ROWS):
        content = text([row], ",") if ending == "csv" else lines([row])
        (folder / f"part-{number}.{ending}").write_bytes(content)


def test_a_folder_and_a_glob_are_one_table_in_the_order_of_names(tmp_path: Path) -> None:
    shards(tmp_path)
    (tmp_path / "README.md").write_text("not a table")
    whole = primary.evaluate(pl.DataFrame(ROWS))
    assert primary.evaluate(tmp_path) == whole
    assert primary.evaluate(str(tmp_path / "part-*.csv")) == whole
    assert primary.table(tmp_path)["query_id"].to_list() == ["007", "NA", "x y"]
    assert primary.describe(tmp_path / "part-[01].csv")["rows"]["EVAL"] == 2


def test_a_problem_of_several_files_names_its_file_and_row(tmp_path: Path) -> None:
    shards(tmp_path)
    wrong = text([{**ROWS[0], "query_id": "1"}, {**ROWS[1], "prob": 7}], ",")
    (tmp_path / "part-1.csv").write_bytes(wrong)
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(tmp_path)
    (problem,) = caught.value.problems
    assert (problem.file, problem.row, problem.query) == (str(tmp_path / "part-1.csv"), 2, "NA")


def test_folders_that_are_no_table_are_refused(tmp_path: Path) -> None:
    with pytest.raises(primary.InputError, match="the folder holds no tables"):
        primary.evaluate(tmp_path)
    with pytest.raises(primary.InputError, match="no file matches"):
        primary.evaluate(str(tmp_path / "*.csv"))
    shards(tmp_path)
    (tmp_path / "z.jsonl").write_bytes(lines(ROWS))
    with pytest.raises(primary.InputError, match=r"the files are of several kinds: \.csv, \.jsonl"):
        primary.evaluate(tmp_path)
    (tmp_path / "z.jsonl").unlink()
    (tmp_path / "part-2.csv").write_text("query_id,gold\nq,a\n")
    with pytest.raises(primary.InputError, match=r"is not in both this file and part-0\.csv"):
        primary.evaluate(tmp_path)


def test_two_names_of_one_kind_are_one_table(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(lines(ROWS[:1]))
    (tmp_path / "b.ndjson").write_bytes(lines(ROWS[1:]))
    assert primary.table(tmp_path)["query_id"].to_list() == ["007", "NA", "x y"]
    other = tmp_path / "columns"
    other.mkdir()
    (other / "a.arrow").write_bytes(arrow(ROWS[:1], stream=True))
    (other / "b.feather").write_bytes(arrow(ROWS[1:], stream=False))
    assert primary.table(other)["query_id"].to_list() == ["007", "NA", "x y"]


def test_a_json_number_of_any_size_is_the_name_of_a_class(tmp_path: Path) -> None:
    big = 2**70
    rows = [{"label": big, "predicted": 3}, {"label": 3, "predicted": 3}]
    (tmp_path / "a.jsonl").write_bytes(lines(rows))
    assert primary.describe(tmp_path / "a.jsonl")["classes"] == [str(big), "3"]


def test_a_folder_of_datasets_is_read_in_the_order_that_it_states(tmp_path: Path) -> None:
    names = ["data-00001.arrow", "data-00000.arrow"]
    for name, rows in zip(names, (ROWS[:1], ROWS[1:]), strict=True):
        (tmp_path / name).write_bytes(arrow(rows, stream=True))
    state = {"_data_files": [{"filename": name} for name in names]}
    (tmp_path / "state.json").write_text(json.dumps(state))
    (tmp_path / "dataset_info.json").write_text("{}")
    assert primary.table(tmp_path)["query_id"].to_list() == ["007", "NA", "x y"]
    for broken in ("{", "{}", '{"_data_files": [{"filename": "../x"}]}', "[]"):
        (tmp_path / "state.json").write_text(broken)
        with pytest.raises(primary.InputError, match="does not say which files"):
            primary.evaluate(tmp_path)
    (tmp_path / "state.json").unlink()
    (tmp_path / "dataset_dict.json").write_text("{}")
    with pytest.raises(primary.InputError, match="holds several splits"):
        primary.evaluate(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes")
def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "d.csv")
    with pytest.raises(primary.InputError, match="this is no regular file"):
        primary.evaluate(tmp_path / "d.csv")


# --- qrels and runs -----------------------------------------------------------------------------

JUDGED = {"q1": {"a": 2, "b": 0}, "q2": {"c": 1}}
RANKED = {"q1": {"b": 2.5, "a": 1.0}, "q2": {"c": 0.5}}


def flat(nested: dict[str, dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    return [
        dict(zip(names, (query, doc, value), strict=True))
        for query, docs in nested.items()
        for doc, value in docs.items()
    ]


def table_text(rows: list[dict[str, Any]], separator: str) -> bytes:
    body = [separator.join(map(str, row.values())) for row in rows]
    return ("\n".join([separator.join(rows[0]), *body]) + "\n").encode()


QRELS = {
    "qrels.trec": b"q1 0 a 2\nq1 0 b 0\nq2 0 c 1\n",
    "qrels.tabs": b"q1\t0\ta\t2\nq1\t0\tb\t0\nq2\t0\tc\t1\n",
    "test.tsv": table_text(flat(JUDGED, "query-id", "corpus-id", "score"), "\t"),
    "headless.tsv": b"q1\t0\ta\t2\nq1\t0\tb\t0\nq2\t0\tc\t1\n",
    "qrels.csv": table_text(flat(JUDGED, "Query_ID", "DocNo", "Label"), ","),
    "qrels.json": json.dumps(JUDGED).encode(),
    "rows.json": json.dumps(flat(JUDGED, "qid", "did", "rel")).encode(),
    "qrels.jsonl": lines(flat(JUDGED, "topic", "pid", "grade")),
    "qrels.arrow": arrow(flat(JUDGED, "qid", "docid", "qrel"), stream=False),
    "qrels.gz": gzip.compress(b"q1 0 a 2\nq1 0 b 0\nq2 0 c 1.0\n"),
    "qrels.zst": zstandard(b"q1 0 a 2\nq1 0 b 0\nq2 0 c 1\n"),
}
RUNS = {
    "run.trec": b"q1 Q0 b 1 2.5 x\nq1 Q0 a 2 1.0 x\nq2 Q0 c 1 0.5 x further\n",
    "run.marco": b"q1\tb\t1\nq1\ta\t2\nq2\tc\t1\n",
    "run.json": json.dumps(RANKED).encode(),
    "nested.json": json.dumps({"default": {"test": RANKED}, "meta": {"model": "x"}}).encode(),
    "run.csv": table_text(flat(RANKED, "qid", "docno", "score"), ","),
    "sim.tsv": table_text(flat(RANKED, "qid", "docno", "Sim"), "\t"),
    "rank.jsonl": lines(
        [
            {"qid": q, "docno": d, "rank": r}
            for q, d, r in (("q1", "b", 1), ("q1", "a", 2), ("q2", "c", 1))
        ]
    ),
    "terrier.arrow": arrow(
        [
            {"qid": q, "docid": 7, "docno": d, "rank": 9, "score": s, "query": "text"}
            for q, docs in RANKED.items()
            for d, s in docs.items()
        ],
        stream=True,
    ),
}


def put(folder: Path, files: dict[str, bytes], name: str) -> Path:
    path = folder / name
    path.write_bytes(files[name])
    return path


def pairs_ledger(folder: Path, qrels: str, run: str) -> dict[str, Any]:
    data = {"qrels": put(folder, QRELS, qrels), "run": put(folder, RUNS, run)}
    ledger = primary.evaluate(data)
    # Where a run has only ranks, its scores are others: what compares them across queries differs.
    return {key: value for key, value in ledger.items() if "|pairs|" not in key}


@pytest.mark.parametrize("name", QRELS)
def test_every_kind_of_qrels_gives_the_same_ledger(name: str, tmp_path: Path) -> None:
    expected = pairs_ledger(tmp_path, "qrels.trec", "run.trec")
    assert pairs_ledger(tmp_path, name, "run.trec") == expected
    assert expected["ndcg@1/graded|positives_only|all|mean"] == 0.5


@pytest.mark.parametrize("name", RUNS)
def test_every_kind_of_run_gives_the_same_ledger(name: str, tmp_path: Path) -> None:
    expected = pairs_ledger(tmp_path, "qrels.trec", "run.trec")
    assert pairs_ledger(tmp_path, "qrels.trec", name) == expected


def test_a_file_of_several_runs_needs_a_path(tmp_path: Path) -> None:
    other = {"q1": {"a": 2.0}, "q2": {}}
    (tmp_path / "run.json").write_text(json.dumps({"en": {"test": RANKED, "dev": other}}))
    data = {"qrels": put(tmp_path, QRELS, "qrels.json"), "run": tmp_path / "run.json"}
    with pytest.raises(primary.InputError, match="the file holds 2 runs: 'en/test', 'en/dev'"):
        primary.evaluate(data)
    first = primary.evaluate(data, {"run_path": "en/dev"})
    assert first["mrr@all|positives_only|all|mean"] == 0.5
    with pytest.raises(primary.InputError, match="holds no run 'fr'; its runs are"):
        primary.evaluate(data, {"run_path": "fr"})


@pytest.mark.parametrize(
    ("kind", "name", "content", "words"),
    [
        ("run", "r", "q1 Q0 a 1 2.0\n", "found 5 fields, expected 6"),
        ("run", "r", "q1\ta\t1\nq1\tb\n", "found 2 fields, expected 3"),
        ("run", "r", "q1 a 1\nq1 Q0 b 2 1.0 x\n", "found 6 fields, expected 3"),
        ("run", "r", "q1\ta\tx\n", "found 'x' as score"),
        ("run", "r.json", '{"q1": {"a": "x"}}', "query q1, column score: found 'x' as score"),
        ("run", "r.json", '{"q1": {"a": true}}', "found 'true' as score"),
        ("run", "r.json", '{"q1": {"a": 1, "a": 2}}', "the name a stands twice"),
        ("run", "r.json", '{"q1": {"a": NaN}}', "query q1, column score: found 'NaN' as score"),
        ("run", "r.json", '{"q1": {"a": 1}', "the file is not JSON"),
        ("run", "r.json", '{"q1": 3}', "the file is JSON, but no run"),
        ("run", "r.json", '{"": {}, "q1": {"a": 1}}', "column query: the id is empty"),
        ("run", "r.json", '{"x": {"q1": {"": 1}}}', "query q1, column doc: the id is empty"),
        ("run", "r.json", '[{"qid": "q1", "docno": NaN, "score": 1}]', "docno: found NaN as an id"),
        ("qrels", "q.json", '{"": {"a": 1}}', "column query: the id is empty"),
        ("qrels", "q.json", '{"q1": {"a": NaN}}', "found 'NaN' as relevance"),
        ("run", "r.json", "{}", "the file is JSON, but no run"),
        ("run", "r.csv", "qid,docno\nq1,a\n", "no column is the rank"),
        ("run", "r.csv", "qid,docno,score\nq1,,1\n", "row 1, column docno: the id is empty"),
        ("run", "r.csv", "qid,docno,score\n", "the file holds no rows"),
        ("run", "r.parquet", "PAR1 and nothing", "cannot be read as Parquet"),
        ("run", "r.arrow", "ARROW1 and nothing", "cannot be read as Arrow"),
        ("run", "r", "", "the file holds no rows"),
        ("qrels", "q", f"q1 0 a {10**30}\n", "found '1" + "0" * 30 + "' as relevance"),
        ("qrels", "q.json", '{"q1": {"a": 1.5}}', "found '1.5' as relevance"),
        ("qrels", "q.json", '{"x": {"q1": {"a": 1}}}', "the file is JSON, but no judgements"),
        ("qrels", "q.csv", "qid,docno,text\nq1,a,b\n", "no column is the relevance"),
        ("qrels", "q", "q1 a 1\n", "found 3 fields, expected 4"),
        ("qrels", "q", "\x00\x01\x02", "found 1 fields, expected 4"),
    ],
)
def test_broken_qrels_and_runs_are_refused(
    kind: str, name: str, content: str, words: str, tmp_path: Path
) -> None:
    data = {"qrels": put(tmp_path, QRELS, "qrels.trec"), "run": put(tmp_path, RUNS, "run.trec")}
    (tmp_path / name).write_text(content)
    data[kind] = tmp_path / name
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(data)
    assert words in str(caught.value)
    assert str(tmp_path / name) in str(caught.value)


def parquet(folder: Path, **columns: Any) -> Path:
    path = folder / "data.parquet"
    pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize(
    ("column", "name"),
    [
        (pa.array([["a"]], pa.list_view(pa.string())), "list_view"),
        (pa.array([["a"]], pa.large_list_view(pa.string())), "large_list_view"),
        (pa.array([Decimal(1)], pa.decimal256(50, 2)), "decimal256"),
        (pa.array([{"a": [1]}], pa.struct([("a", pa.list_view(pa.int8()))])), "list_view"),
    ],
)
def test_a_type_that_nobody_reads_is_refused_by_its_column(
    column: pa.Array, name: str, tmp_path: Path
) -> None:
    columns = {"query_id": ["q"], "has_evidence": [1], "prob": [0.5], "x": column}
    with pytest.raises(primary.InputError, match=rf"the column x is of type .*\b{name}\b"):
        primary.evaluate(parquet(tmp_path, **columns))
    with pytest.raises(primary.InputError, match=rf"the column x is of type .*\b{name}\b"):
        primary.evaluate(pa.table(columns))


def test_decimals_are_whole_numbers_or_the_nearest_floats(tmp_path: Path) -> None:
    big = 10**37 + 1
    path = parquet(
        tmp_path,
        query_id=pa.array([Decimal(big), Decimal(2)], pa.decimal128(38, 0)),
        y_true=pa.array([Decimal(1), Decimal(0)], pa.decimal128(10, 3)),
        score=pa.array([Decimal("0.1"), Decimal("123456789012345678.9")], pa.decimal128(38, 4)),
    )
    rows = primary.table(path)
    assert rows["query_id"].to_list() == [str(big), "2"]
    assert rows["has_evidence"].to_list() == [1, 0]
    assert rows["score"].to_list() == [0.1, 123456789012345678.9]


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (pa.array([1.5, 2.0, -0.0, 1e20, None]), ["1.5", "2.0", "-0.0", "1e+20", ""]),
        (pa.array([1.1, 2.0, 0.0, 1e-5, None], pa.float32()), ["1.1", "2.0", "0.0", "1e-05", ""]),
        (pa.array([True, False, True, False, None]), ["true", "false", "true", "false", ""]),
    ],
)
def test_a_slice_of_numbers_is_called_as_python_writes_them(
    values: pa.Array, names: list[str], tmp_path: Path
) -> None:
    path = parquet(tmp_path, query_id=list("abcde"), has_evidence=[1] * 5, s=values)
    assert primary.table(path, {"slices": {"S": "s"}})["slices.S"].to_list() == names


def test_labels_that_pandas_wrote_as_floats_are_two_valued(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("y_true,y_pred\n1.0, 1\n0.0,TRUE\n1,0\t\n")
    rows = primary.table(path)
    assert (rows["has_evidence"].to_list(), rows["pred"].to_list()) == ([1, 0, 1], [1, 1, 0])
    path.write_text("y_true,y_pred\n1.00,1\n0,1\n")
    assert primary.describe(path)["classes"] == ["0", "1", "1.00"]


def test_rows_of_which_nothing_is_read_are_counted(tmp_path: Path) -> None:
    settings = {"families": ["curves"]}
    counted = {"queries|all_queries|all|n": 2, "queries|positives_only|all|n": 0}
    (tmp_path / "a.csv").write_text("candidates,foo\na|b,1\nc,2\n")
    (tmp_path / "a.jsonl").write_text('{"candidates": ["a"]}\n{"candidates": ["b"]}\n')
    parquet(tmp_path, candidates=[["a"], ["b"]])
    for name in ("a.csv", "a.jsonl", "data.parquet"):
        assert primary.evaluate(tmp_path / name, settings) == counted


def test_capitals_in_the_end_of_a_name_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "A.CSV.GZ"
    path.write_bytes(gzip.compress(b"query_id,prob\nq,0.5\n"))
    assert primary.describe(path)["rows"]["EVAL"] == 1
