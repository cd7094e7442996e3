"""Every kind of table holds the same study; a broken one is refused by name (interface, Files)."""

from __future__ import annotations

import gzip
import json
import os
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import reference

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROWS = [
    {"query_id": "007", "candidates": ["a", "b"], "gold": ["b"], "prob": 0.3, "site": "x"},
    {"query_id": "NA", "candidates": ["c"], "gold": [], "prob": 0.7, "site": "y"},
    {"query_id": "é", "candidates": ["d", "e", "f"], "gold": ["f", "z"], "prob": 1, "site": "x"},
]
SETTINGS = {"slices": {"place": "site"}}


def text(rows: list[dict[str, Any]], delimiter: str) -> bytes:
    lines = [delimiter.join(rows[0])]
    for row in rows:
        cells = ["|".join(c) if isinstance(c, list) else str(c) for c in row.values()]
        lines.append(delimiter.join(cells))
    return "".join(f"{line}\n" for line in lines).encode()


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.table({name: [row[name] for row in rows] for name in rows[0]})


def stream(rows: list[dict[str, Any]], path: Path) -> None:
    whole = table(rows)
    with pa.ipc.new_stream(str(path), whole.schema) as writer:
        for batch in whole.to_batches(max_chunksize=2):
            writer.write_batch(batch)


def file(rows: list[dict[str, Any]], path: Path) -> None:
    whole = table(rows)
    with pa.ipc.new_file(str(path), whole.schema) as writer:
        writer.write_table(whole, max_chunksize=2)


def written(folder: Path, name: str, rows: list[dict[str, Any]] = ROWS) -> Path:
    """Write rows as a file of the kind that its name says."""
    path = folder / name
    kind = name.removesuffix(".gz").removesuffix(".zst").rpartition(".")[2]
    if name == "stream.arrow":
        stream(rows, path)
    elif kind == "arrow":
        file(rows, path)
    elif kind == "feather":
        pyarrow.feather.write_feather(table(rows), str(path), compression="lz4")
    elif kind == "parquet":
        pq.write_table(table(rows), path)
    else:
        raw = {
            "csv": text(rows, ","),
            "tsv": text(rows, "\t"),
            "jsonl": lines(rows),
            "ndjson": lines(rows),
            "json": json.dumps(
                {"name": "run 1", "metrics": {"a": 1}, "results": rows, "tags": ["x"]}
                if "held" in name
                else rows
            ).encode(),
        }[kind]
        if name.endswith(".gz"):
            raw = gzip.compress(raw)
        if name.endswith(".zst"):
            raw = pa.compress(raw, codec="zstd", asbytes=True)
        path.write_bytes(raw)
    return path


KINDS = [
    "a.csv", "a.tsv", "a.jsonl", "a.ndjson", "a.json", "held.json", "a.arrow", "stream.arrow",
    "a.feather", "a.parquet", "a.csv.gz", "a.tsv.zst", "a.jsonl.zst", "a.json.gz", "A.JSON",
]  # fmt: skip


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int | float]:
    return reference.evaluate(written(tmp_path_factory.mktemp("w"), "a.jsonl"), SETTINGS)


@pytest.mark.parametrize("name", KINDS)
def test_the_same_study_in_every_kind(
    tmp_path: Path, wanted: dict[str, int | float], name: str
) -> None:
    path = written(tmp_path, name if name != "A.JSON" else "a.json").rename(tmp_path / name)
    assert reference.evaluate(path, SETTINGS) == wanted
    assert reference.evaluate(str(path), SETTINGS) == wanted


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "json", "parquet", "arrow", "csv.gz"])
def test_several_files_are_one_study_in_the_order_of_their_names(
    tmp_path: Path, wanted: dict[str, int | float], kind: str
) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    for name, part in (("b", ROWS[:1]), ("a10", ROWS[1:2]), ("a2", ROWS[2:])):
        written(folder, f"{name}.{kind}", part)
    (folder / "README.md").write_text("no table", encoding="utf-8")
    (folder / ".hidden.csv").write_text("neither", encoding="utf-8")
    assert reference.per_query(folder)["query_id"] == ["NA", "é", "007"]
    assert reference.evaluate(folder, SETTINGS) == wanted
    for pattern in (f"parts/*.{kind}", f"parts/[ab]*.{kind}", "part?/[ab]*"):
        assert reference.per_query(tmp_path / pattern)["query_id"] == ["NA", "é", "007"]
    assert reference.per_query(folder / f"a?.{kind}")["query_id"] == ["é"]


def test_a_problem_names_the_file_and_its_own_row(tmp_path: Path) -> None:
    for name, part in (("a", ROWS[:2]), ("b", [ROWS[2], {**ROWS[0], "prob": 7}])):
        written(tmp_path, f"{name}.jsonl", part)
    with pytest.raises(reference.InputError) as caught:
        reference.evaluate(tmp_path)
    assert [(p.file, p.row, p.column) for p in caught.value.problems] == [
        (str(tmp_path / "b.jsonl"), 2, "query_id"),
        (str(tmp_path / "b.jsonl"), 2, "prob"),
    ]


def test_row_numbers_go_on_from_file_to_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y_true,y_prob\n1,0.5\n0,0.1\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("y_prob,y_true\n0.5,1\n", encoding="utf-8")
    found = reference.per_query(tmp_path)
    assert (found["query_id"], found["has_evidence"]) == (["1", "2", "3"], [1, 0, 1])


def test_files_may_differ_in_columns_that_nobody_reads(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query_id,prob,note\nq,0.5,x\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("query_id,prob\nr,0.5\n", encoding="utf-8")
    (tmp_path / "c.csv").write_text("query_id,prob\n", encoding="utf-8")
    assert reference.per_query(tmp_path)["query_id"] == ["q", "r"]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "holds no table"),
        ({"a.txt": "x"}, "holds no table"),
        ({"a.csv": "query_id\nq\n", "b.tsv": "query_id\nr\n"}, "tables of several kinds"),
        ({"a.csv": "query_id,prob\nq,1\n", "b.csv": "query_id\nr\n"}, "has no column 'prob'"),
        ({"a.csv": "query_id\nq\n", "b.csv": "query_id,prob\nr,1\n"}, "has no column 'prob'"),
        ({"a.csv": "query_id\nq\n", "b.csv": "query_id,x,x\nr,1,1\n"}, "two columns are called"),
        ({"a.csv": "query_id\nq\n", "b.csv": ""}, "is empty"),
        ({"state.json": "{"}, "does not state the files"),
        ({"state.json": '{"_data_files": []}'}, "does not state the files"),
        ({"state.json": '{"_data_files": [{"filename": "../x.arrow"}]}'}, "does not state"),
        ({"state.json": '{"_data_files": [{"filename": "x.arrow"}]}'}, "No such file"),
        ({"state.json": "[[[[1]]]]"}, "does not state the files"),
    ],
)
def test_a_bad_folder(tmp_path: Path, files: dict[str, str], said: str) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(reference.UnreadableError, match=said):
        reference.evaluate(tmp_path)


def test_a_glob_that_fits_nothing(tmp_path: Path) -> None:
    with pytest.raises(reference.UnreadableError, match="no file has such a name"):
        reference.evaluate(tmp_path / "*.csv")


def test_a_file_whose_name_looks_like_a_glob_is_that_file(tmp_path: Path) -> None:
    assert reference.per_query(written(tmp_path, "a[1].csv"))["query_id"] == ["007", "NA", "é"]


def test_a_data_set_on_disk_is_read_in_the_order_that_it_states(tmp_path: Path) -> None:
    stream(ROWS[:1], tmp_path / "data-00000-of-00002.arrow")
    stream(ROWS[1:], tmp_path / "data-00001-of-00002.arrow")
    names = ["data-00001-of-00002.arrow", "data-00000-of-00002.arrow"]
    state = {"_data_files": [{"filename": name} for name in names], "_split": None}
    (tmp_path / "state.json").write_text(json.dumps(state), encoding="utf-8")
    (tmp_path / "dataset_info.json").write_text("{}", encoding="utf-8")
    assert reference.per_query(tmp_path)["query_id"] == ["NA", "é", "007"]


def test_a_folder_of_data_sets_names_them(tmp_path: Path) -> None:
    for split in ("test", "train"):
        (tmp_path / split).mkdir()
        (tmp_path / split / "state.json").write_text("{}", encoding="utf-8")
    with pytest.raises(reference.UnreadableError, match="it holds the data sets test, train"):
        reference.evaluate(tmp_path)


def test_blanks_around_a_name_are_no_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("query_id , prob\nq,0.5\n", encoding="utf-8")
    assert reference.describe(path)["columns"] == {"query_id": "query_id", "prob": "prob"}


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("query_id,prob,", "column 3 has no name"),
        (",query_id,,prob", "column 3 has no name"),
        ("query_id,prob, prob", "two columns are called 'prob'"),
        ("query_id,x,x", "two columns are called 'x'"),
    ],
)
def test_a_bad_header(tmp_path: Path, header: str, said: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{header}\n{','.join('0' * len(header.split(',')))}\n", encoding="utf-8")
    with pytest.raises(reference.InputError, match=said):
        reference.evaluate(path)


@pytest.mark.parametrize(
    ("name", "raw", "said"),
    [
        ("a.json", b"", "is empty"),
        ("a.json", b"  \n", "is empty"),
        ("a.json", b"[]", "is empty"),
        ("a.json", b"{}", "is neither an array of objects"),
        ("a.json", b"3", "is neither an array of objects"),
        ("a.json", b'[{"query_id": "q"}, 3]', "is not a JSON object"),
        ("a.json", b'{"a": [{"q": 1}], "b": [{"q": 1}]}', "is neither an array"),
        ("a.json", b'{"q1": {"d1": 1}}', "is neither an array"),
        ("a.json", b'[{"query_id": "q", "query_id": "r"}]', "a name appears twice"),
        ("a.json", b'[{"query_id": "q"', "is not JSON"),
        ("a.json", b"[" * 100_000, "is not JSON"),
        ("a.json", b'["\xff"]', "cannot be read"),
        ("a.arrow", b"", "cannot be read"),
        ("a.arrow", b"ARROW1\x00\x00rubbish", "cannot be read"),
        ("a.arrow", b"rubbish" * 9, "cannot be read"),
        ("a.feather", b"FEA1rubbish", "cannot be read"),
        ("a.csv.zst", b"query_id\nq\n", "cannot be read"),
        ("a.csv.zst", pa.compress(b"query_id\nq\n" * 99, "zstd", asbytes=True)[:20], "cannot be"),
        ("a.tsv", b'query_id\tprob\n"q\t1\n', "unexpected end of data"),
        ("a.tsv", b"query_id\tprob\nq\n", "has 1 fields where the header has 2"),
    ],
)
def test_a_broken_file(tmp_path: Path, name: str, raw: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(raw)
    with pytest.raises(reference.UnreadableError) as caught:
        reference.evaluate(path)
    (problem,) = caught.value.problems
    assert said in problem.what
    assert problem.file == str(path)


@pytest.mark.parametrize("name", ["a.arrow", "stream.arrow", "a.feather", "a.parquet"])
def test_a_torn_file_is_refused_wherever_it_is_torn(tmp_path: Path, name: str) -> None:
    whole = written(tmp_path, name).read_bytes()
    torn = tmp_path / f"torn.{name.rpartition('.')[2]}"
    for length in range(0, len(whole) - 8, max(len(whole) // 40, 1)):
        torn.write_bytes(whole[:length])
        with pytest.raises(reference.InputError):
            reference.evaluate(torn)


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    os.mkfifo(path)
    with pytest.raises(reference.UnreadableError, match="is no regular file"):
        reference.evaluate(path)
    with pytest.raises(reference.UnreadableError, match="is no regular file"):
        reference.evaluate({"qrels": path.rename(tmp_path / "q"), "run": tmp_path / "q"})


@pytest.mark.parametrize("name", ["retrieved", "contexts", "retrieved_contexts", "ranking"])
@pytest.mark.parametrize("gold", ["relevant", "relevant_ids", "ground_truth_ids"])
@pytest.mark.parametrize("key", ["qid", "question_id", "id"])
def test_names_that_others_use(
    jsonl: Callable[[list[dict[str, Any]]], Path], name: str, gold: str, key: str
) -> None:
    path = jsonl([{key: "q", name: ["a", "b"], gold: ["b"]}])
    assert reference.per_query(path)["mrr@all"] == [0.5]
    assert reference.describe(path)["columns"] == {
        "query_id": key,
        "candidates": name,
        "gold": gold,
    }


def test_retrieved_ids_are_candidates_where_nothing_else_is(
    jsonl: Callable[[list[dict[str, Any]]], Path],
) -> None:
    row = {"query_id": "q", "retrieved_ids": ["a"], "gold": ["a"], "pred": 1}
    assert reference.describe(jsonl([row]))["columns"]["candidates"] == "retrieved_ids"
    both = jsonl([{**row, "candidates": ["b", "a"]}])
    assert reference.describe(both)["columns"]["selected"] == "retrieved_ids"
    only = reference.describe(both, {"families": ["dynamic_k"]})["columns"]
    assert (only["selected"], "candidates" in only) == ("retrieved_ids", False)
    mapped = reference.describe(jsonl([row]), {"columns": {"selected": "retrieved_ids"}})
    assert "candidates" not in mapped["columns"]


def test_other_keys_stand_behind_the_contracts_own(
    jsonl: Callable[[list[dict[str, Any]]], Path],
) -> None:
    assert reference.describe(jsonl([{"id": "x", "query_id": "q", "pred": 1}]))["columns"] == {
        "query_id": "query_id",
        "pred": "pred",
    }
    with pytest.raises(reference.InputError, match="columns qid and id could both be query_id"):
        reference.describe(jsonl([{"id": "x", "qid": "q"}]))
    with pytest.raises(reference.InputError, match="the key column criterion_id is missing"):
        reference.describe(jsonl([{"id": "x", "post_id": "p"}]))


@pytest.mark.parametrize("cell", ["a||b", '[""]', "|a", "['a','']"])
def test_an_empty_uid_is_refused(csv_file: Callable[[str], Path], cell: str) -> None:
    quoted = cell.replace('"', '""')
    with pytest.raises(reference.InputError, match="a uid is empty"):
        reference.evaluate(csv_file(f'query_id,candidates,gold\nq,"{quoted}",a\n'))


def test_a_trailing_comma_is_python(csv_file: Callable[[str], Path]) -> None:
    path = csv_file("query_id,candidates,gold\nq,\"['a',]\",a\n")
    assert reference.per_query(path)["hit@1"] == [1.0]


def test_gold_that_only_looks_like_a_candidate_is_counted(
    jsonl: Callable[[list[dict[str, Any]]], Path],
) -> None:
    row = {
        "query_id": "q",
        "candidates": ["D1", "caf\u00e9", "c "],
        "gold": ["d1", "cafe\u0301", " C", "x", "D1"],
    }
    facts = reference.describe(jsonl([row]))
    assert (facts["gold_not_in_candidates"], facts["lookalikes"]) == (4, 3)


def test_of_a_uid_twice_the_best_place_counts(
    jsonl: Callable[[list[dict[str, Any]]], Path],
) -> None:
    row = {
        "query_id": "q",
        "candidates": ["x", "a", "a", "y", "x"],
        "scores": [1, 2, 5, 4, 3],
        "gold": ["x"],
    }
    with pytest.raises(reference.InputError, match="uid 'x' is in the list twice"):
        reference.evaluate(jsonl([row]))
    study = reference.read(jsonl([row]), {"dedupe": "first"})
    assert study.queries[0].ranking == ("a", "y", "x")
    assert study.queries[0].scores == (5.0, 4.0, 3.0)
    assert reference.describe(study)["duplicates_removed"] == 2
    assert reference.describe(study)["float32_ties"] == 0
    close = {**row, "scores": [1, 2, 5, 4, 1.00000001]}
    assert reference.describe(jsonl([close]), {"dedupe": "first"})["float32_ties"] == 1
    with pytest.raises(reference.InputError, match="is in the list twice"):
        reference.evaluate(jsonl([{**row, "gold": ["x", "x"]}]), {"dedupe": "first"})
