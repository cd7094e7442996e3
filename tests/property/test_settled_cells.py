"""What docs/interface.md settles about cells, types and endings holds for each implementation."""

from __future__ import annotations

import gzip
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import primary
import reference

if TYPE_CHECKING:
    from pathlib import Path

PACKAGES = [primary, reference]


@pytest.fixture(params=PACKAGES, ids=lambda package: package.__name__)
def package(request: pytest.FixtureRequest) -> Any:
    return request.param


def csv(folder: Path, text: str) -> Path:
    path = folder / "data.csv"
    path.write_text(text, encoding="utf-8")
    return path


def jsonl(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "data.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def parquet(folder: Path, **columns: Any) -> Path:
    path = folder / "data.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def refusal(package: Any, path: Path, settings: dict[str, Any] | None = None) -> str:
    with pytest.raises(package.InputError) as caught:
        package.evaluate(path, settings)
    return str(caught.value)


FOLD = {"query_id": "q", "has_evidence": 1, "prob": 0.5}


@pytest.mark.parametrize("fold", ["3", "3.0", "3.", "+3", " 3\t", "03"])
def test_a_fold_is_a_whole_number_however_text_writes_it(
    package: Any, tmp_path: Path, fold: str
) -> None:
    path = csv(tmp_path, f"query_id,fold,has_evidence,prob\nq,{fold},1,0.5\n")
    assert package.describe(path)["folds"] == [3]


@pytest.mark.parametrize("fold", [3, 3.0, "3", "3.0"])
def test_a_fold_is_a_whole_number_however_json_writes_it(
    package: Any, tmp_path: Path, fold: object
) -> None:
    assert package.describe(jsonl(tmp_path, FOLD | {"fold": fold}))["folds"] == [3]


@pytest.mark.parametrize("fold", ["1e0", "0.5", True, 0.5, None, "", 2**63, 1e19, "0x1"])
def test_what_is_no_whole_number_is_no_fold(package: Any, tmp_path: Path, fold: object) -> None:
    assert "fold" in refusal(package, jsonl(tmp_path, FOLD | {"fold": fold}))


def test_a_float_column_of_parquet_holds_folds(package: Any, tmp_path: Path) -> None:
    path = parquet(tmp_path, query_id=["a", "b"], fold=[0.0, 1.0], y_true=[1, 0], y_prob=[0.5, 0.1])
    assert package.describe(path)["folds"] == [0, 1]


@pytest.mark.parametrize(
    "text",
    [
        "y_true,y_pred\n1.0,0\n0.0,1\n",
        "y_true, y_pred\n1, 0\n0, 1\n",
        "y_true,y_pred\nTRUE,0.0\nfalse,1.0\n",
        "label,predicted\n1.0,0.0\n\t0 ,1\n",
    ],
)
def test_ones_and_noughts_are_two_valued_however_they_are_written(
    package: Any, tmp_path: Path, text: str
) -> None:
    path = csv(tmp_path, text)
    ledger = package.evaluate(path)
    assert package.describe(path)["classes"] == []
    assert [ledger[f"{name}|all_queries|all|value"] for name in ("tp", "fp", "tn", "fn")] == [
        0, 1, 0, 1,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "columns",
    [
        {"y_true": [1.0, 0.0], "y_prob": [0.3, 0.4]},
        {"y_true": pa.array([Decimal("1.000"), Decimal("0.000")]), "y_prob": [0.3, 0.4]},
        {"y_true": pa.array([Decimal(1), Decimal(0)], pa.decimal128(38, 0)), "y_prob": [0.3, 0.4]},
        {"target": [True, False], "probability": pa.array([Decimal("0.3"), Decimal("0.4")])},
    ],
)
def test_labels_of_typed_columns_are_two_valued_by_their_value(
    package: Any, tmp_path: Path, columns: dict[str, Any]
) -> None:
    ledger = package.evaluate(parquet(tmp_path, query_id=["a", "b"], **columns))
    assert ledger["auroc|all_queries|all|value"] == 0.0
    assert ledger["brier|all_queries|all|value"] == pytest.approx((0.49 + 0.16) / 2, abs=1e-15)


@pytest.mark.parametrize("spelling", ["1.", "1.00", "1e0", "+1", "-0.0", "yes"])
def test_no_other_spelling_makes_labels_two_valued(
    package: Any, tmp_path: Path, spelling: str
) -> None:
    path = csv(tmp_path, f"y_true,y_pred\n{spelling},0\n0,1\n")
    assert package.describe(path)["classes"] == sorted([spelling, "0", "1"])


def test_stated_classes_stay_as_they_are_written(package: Any, tmp_path: Path) -> None:
    path = csv(tmp_path, "y_true,y_pred\n1.0,0.0\n0.0,1.0\n")
    assert package.describe(path, {"classes": ["0.0", "1.0"]})["classes"] == ["0.0", "1.0"]


@pytest.mark.parametrize("cell", ["1.0", " 1", "0.0"])
@pytest.mark.parametrize("column", ["has_evidence", "ne_pred"])
def test_the_columns_of_the_gate_hold_0_and_1_and_nothing_else(
    package: Any, tmp_path: Path, cell: str, column: str
) -> None:
    other = "pred" if column == "has_evidence" else "has_evidence"
    path = csv(tmp_path, f"query_id,{column},{other}\nq,{cell},1\n")
    assert column in refusal(package, path)


def test_names_of_classes_are_digits_of_any_size_and_floats_as_python_writes_them(
    package: Any, tmp_path: Path
) -> None:
    values = [10**30, 1.5, 1e20, True, "01"]
    rows = [{"id": f"q{n}", "label": v, "predicted": "a"} for n, v in enumerate(values)]
    named = ["01", "1.5", "1" + 30 * "0", "1e+20", "a", "true"]
    assert package.describe(jsonl(tmp_path, *rows))["classes"] == sorted(named)


def test_slices_of_floats_are_named_as_python_writes_them(package: Any, tmp_path: Path) -> None:
    columns = {"query_id": ["a", "b", "c"], "y_true": [1, 0, 1], "y_prob": [0.5, 0.1, 0.2]}
    wide = parquet(tmp_path, **columns, year=[2019.0, 1.5, None])
    settings = {"slices": {"year": "year"}}
    assert package.describe(wide, settings)["slices"] == {"year": ["", "1.5", "2019.0"]}
    short = parquet(tmp_path, **columns, year=pa.array([1.1, 2.0, 0.3], pa.float32()))
    assert package.describe(short, settings)["slices"] == {"year": ["0.3", "1.1", "2.0"]}
    strange = parquet(tmp_path, **columns, year=[1.5, float("nan"), 2.5])
    assert "year" in refusal(package, strange, settings)


def test_a_whole_number_is_a_key_in_json_and_no_uid(package: Any, tmp_path: Path) -> None:
    rows = [{"id": n, "retrieved": ["a"], "relevant": ["a"]} for n in (17, 10**25)]
    assert list(package.per_query(jsonl(tmp_path, *rows))["query_id"]) == ["17", str(10**25)]
    assert "retrieved" in refusal(package, jsonl(tmp_path, rows[0] | {"retrieved": [1]}))
    assert "id" in refusal(package, jsonl(tmp_path, rows[0] | {"id": True}))
    assert "17" in refusal(package, jsonl(tmp_path, rows[0], rows[0] | {"id": "17"}))


@pytest.mark.parametrize(
    "scores",
    [
        "[0.2, 0.9]", "[0.2, 0.9,]", "[.2, 9e-1 ]\t", "[0.2, 0.9] ",
        "[np.float64(0.2), np.float64(0.9)]", "[np.float32(0.2), np.float64(+.9),] ",
        "[np.int64(-2), np.int32(9)]",
    ],
)  # fmt: skip
def test_a_list_of_numbers_is_read_as_python_and_numpy_write_it(
    package: Any, tmp_path: Path, scores: str
) -> None:
    path = csv(tmp_path, f'query_id,candidates,scores,gold\nq,a|b,"{scores}",b\n')
    assert package.evaluate(path)["mrr@all|all_queries|all|mean"] == 1.0


@pytest.mark.parametrize(
    "scores",
    [
        "[0.2 0.9]", "[0.2, 0.9,,]", "[,]", "[0.2, np.float64(0.9)]", "[np.float64(nan), 1]",
        "[np.float64(0.2), np.float64(nan)]", "[np.int64(1.5), np.int64(1)]", "[np.bool(1), 2]",
        " [0.2, 0.9]", "[0.2, 0.9]x",
    ],
)  # fmt: skip
def test_no_other_list_of_numbers_is_read(package: Any, tmp_path: Path, scores: str) -> None:
    path = csv(tmp_path, f'query_id,candidates,scores,gold\nq,a|b,"{scores}",b\n')
    assert "scores" in refusal(package, path)


def test_a_list_of_strings_is_read_as_numpy_writes_it(package: Any, tmp_path: Path) -> None:
    cell = """[np.str_('x\\ty'), np.str_(""b""),] """
    path = csv(tmp_path, f'query_id,candidates,gold\nq,"{cell}",b\n')
    ledger = package.evaluate(path)
    assert ledger["mrr@all|all_queries|all|mean"] == 0.5
    mixed = csv(tmp_path, "query_id,candidates,gold\nq,\"['a', np.str_('b')]\",b\n")
    assert "candidates" in refusal(package, mixed)


def test_whole_decimals_of_a_warehouse_are_ids_and_classes(package: Any, tmp_path: Path) -> None:
    whole = pa.decimal128(38, 0)
    path = parquet(
        tmp_path,
        query_id=pa.array([Decimal(10**30), Decimal(7)], whole),
        fold=pa.array([Decimal(0), Decimal(1)], whole),
        label=pa.array([Decimal(3), Decimal(4)], whole),
        predicted=["3", "3"],
    )
    facts = package.describe(path)
    assert (facts["classes"], facts["folds"]) == (["3", "4"], [0, 1])


@pytest.mark.parametrize(
    "strange",
    [
        pa.array([["a"]], pa.list_view(pa.string())),
        pa.array([["a"]], pa.large_list_view(pa.string())),
        pa.array([Decimal("0.5")], pa.decimal256(50, 3)),
        pa.array([[{"x": Decimal(1)}]], pa.list_(pa.struct({"x": pa.decimal256(40, 0)}))),
    ],
    ids=lambda array: str(array.type),
)
@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
def test_types_that_few_programs_know_are_refused_with_the_column(
    package: Any, tmp_path: Path, strange: pa.Array, ending: str
) -> None:
    table = pa.table({"query_id": ["q"], "y_true": [1], "y_prob": [0.5], "odd one": strange})
    path = tmp_path / f"data{ending}"
    if ending == ".parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(str(path), table.schema) as writer:
            writer.write_table(table)
    assert "odd one" in refusal(package, path)


def test_capitals_in_the_end_of_a_name_do_not_matter(package: Any, tmp_path: Path) -> None:
    path = tmp_path / "DATA.CSV.GZ"
    path.write_bytes(gzip.compress(b"query_id,y_true,y_prob\nq,1,0.5\n"))
    assert package.describe(path)["rows"]["EVAL"] == 1


def test_two_names_of_one_format_are_one_kind(package: Any, tmp_path: Path) -> None:
    rows = [json.dumps({"id": name, "y_true": 1, "y_prob": 0.5}) for name in "ab"]
    (tmp_path / "a.jsonl").write_text(rows[0], encoding="utf-8")
    (tmp_path / "b.ndjson").write_text(rows[1], encoding="utf-8")
    assert package.describe(tmp_path)["rows"]["EVAL"] == 2


def test_an_empty_class_is_refused_where_classes_are_wanted_alone(
    package: Any, tmp_path: Path
) -> None:
    path = csv(tmp_path, "query_id,label,predicted\n1,a,b\n2,,b\n")
    assert "label" in refusal(package, path)
    assert package.describe(path, {"families": ["curves"]})["families"] == []


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ('query_id,label,class_probs\n1,a,"[0.5,0.4]"\n', "class_probs"),
        ('query_id,label,class_probs\n1,a,"[0.5,0.5,0]"\n', "class_probs"),
        ('query_id,class_probs\n1,"[0.5,0.4]"\n', "class_probs"),
        ("query_id,label\n1,c\n", "label"),
    ],
)
def test_each_column_of_classes_is_checked_though_another_is_missing(
    package: Any, tmp_path: Path, text: str, column: str
) -> None:
    settings = {"task": "multiclass", "classes": ["a", "b"]}
    assert column in refusal(package, csv(tmp_path, text), settings)


def test_one_class_alone_is_no_study_of_classes_whatever_is_wanted(
    package: Any, tmp_path: Path
) -> None:
    path = csv(tmp_path, "query_id,label,predicted\nq1,a,a\nq2,a,a\n")
    every, curves = (package.evaluate(path, s) for s in (None, {"families": ["curves"]}))
    assert every == curves
    assert curves["queries|positives_only|all|n"] == 0


def test_a_table_of_unknown_columns_is_refused_unless_one_is_declared(
    package: Any, tmp_path: Path
) -> None:
    path = csv(tmp_path, "foo;bar\n1;2\n")
    assert "foo;bar" in refusal(package, path)
    assert package.describe(path, {"slices": {"s": "foo;bar"}})["slices"] == {"s": ["1;2"]}


def raw(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def run_and_qrels(folder: Path, qrels: bytes, run: bytes, kind: str = "txt") -> dict[str, Path]:
    return {"qrels": raw(folder, "qrels.txt", qrels), "run": raw(folder, f"run.{kind}", run)}


MRR = "mrr@20|positives_only|all|mean"


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_line_of_a_table_ends_with_lf_crlf_or_cr(
    package: Any, tmp_path: Path, end: bytes
) -> None:
    lines = [b"query_id,candidates,gold", b"q,a|b,b", b"r,a|b,a", b""]
    assert package.evaluate(raw(tmp_path, "data.csv", end.join(lines)))[MRR] == 0.75


def test_a_cr_in_the_middle_of_a_line_ends_it(package: Any, tmp_path: Path) -> None:
    path = raw(tmp_path, "data.csv", b"query_id,candidates,gold\nq\r0,a|b,a\n")
    assert refusal(package, path)


def test_an_empty_line_that_a_cr_ends_is_no_query(package: Any, tmp_path: Path) -> None:
    data = run_and_qrels(tmp_path, b"q1 0 d1 1\n", b"qid,docno,score\n\rq1,d1,0.5\n", "csv")
    assert package.evaluate(data, None)[MRR] == 1.0


def test_a_cr_within_a_line_of_json_is_white_space(package: Any, tmp_path: Path) -> None:
    line = b'{"query_id": "q", "candidates": ["a"\r], "gold": ["a"]}\n'
    assert package.evaluate(raw(tmp_path, "data.jsonl", line))[MRR] == 1.0


@pytest.mark.parametrize(
    "table",
    [
        b'query_id,candidates,gold\nq0,"a"b"|c",a\n',
        b'query_id,candidates,gold\nq0,"a"b,a\n',
        b'"query_id"x,candidates,gold\nq0,a|b,a\n',
    ],
)
def test_nothing_but_a_separator_or_an_end_follows_a_closing_quote(
    package: Any, tmp_path: Path, table: bytes
) -> None:
    assert refusal(package, raw(tmp_path, "data.csv", table))


@pytest.mark.parametrize("score", [b" 0.5", b"0.5\t", b" 0.5 "])
def test_blanks_round_a_score_of_a_table_are_not_part_of_it(
    package: Any, tmp_path: Path, score: bytes
) -> None:
    run = b"qid,docno,score\nq1,d1," + score + b"\nq1,d2,0.1\n"
    assert package.evaluate(run_and_qrels(tmp_path, b"q1 0 d1 1\n", run, "csv"), None)[MRR] == 1.0


@pytest.mark.parametrize("scores", ['"0.5\n|0.4"', '"\n0.5|0.4"', '"0.5|0.4\n"'])
def test_a_line_break_is_no_part_of_a_number_and_not_left_out(
    package: Any, tmp_path: Path, scores: str
) -> None:
    path = csv(tmp_path, f"query_id,candidates,scores,gold\nq,a|b,{scores},a\n")
    assert refusal(package, path)


ODD = ["\x0b", "\x0c", "\x1c", "\xa0", "\u2003"]
"""White space that is neither a blank, a tab nor an end of a line."""


@pytest.mark.parametrize("space", ODD)
@pytest.mark.parametrize("ids", ['"[""a"",{}""b""]"', "\"['a',{}'b']\"", "\"[{}'a','b']\""])
def test_between_the_items_of_a_list_stand_blanks_tabs_and_ends_of_lines_alone(
    package: Any, tmp_path: Path, ids: str, space: str
) -> None:
    table = f"query_id,candidates,gold\nq,{ids.format(space)},a\n"
    assert refusal(package, csv(tmp_path, table))


@pytest.mark.parametrize("space", ODD)
@pytest.mark.parametrize("lines", ["{row}\n{space}\n", "{row}{space}\n", "{space}{row}\n"])
def test_a_line_of_json_holds_no_white_space_but_that_of_json(
    package: Any, tmp_path: Path, lines: str, space: str
) -> None:
    row = '{"query_id": "q", "candidates": ["a", "b"], "gold": ["a"]}'
    table = lines.format(row=row, space=space).encode()
    assert "JSON" in refusal(package, raw(tmp_path, "data.jsonl", table))


@pytest.mark.parametrize("line", [b"", b" ", b"\t", b"\r"])
def test_an_empty_line_among_json_is_no_row(package: Any, tmp_path: Path, line: bytes) -> None:
    row = b'{"query_id": "q", "candidates": ["a", "b"], "gold": ["a"]}\n'
    assert package.evaluate(raw(tmp_path, "data.jsonl", row + line + b"\n"))[MRR] == 1.0


@pytest.mark.parametrize("rank", ["{}", "{}.0", " {}"])
@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_a_smaller_rank_is_better_however_it_is_written(
    package: Any, tmp_path: Path, kind: str, rank: str
) -> None:
    first, second = rank.format(1), rank.format(2)
    lines = {
        "csv": f"qid,docno,rank\nq1,d1,{first}\nq1,d2,{second}\n",
        "tsv": f"q1\td1\t{first}\nq1\td2\t{second}\n",
    }
    data = run_and_qrels(tmp_path, b"q1 0 d1 1\n", lines[kind].encode(), kind)
    assert package.evaluate(data, None)[MRR] == 1.0


def test_scores_of_no_candidates_tell_of_no_ties(package: Any, tmp_path: Path) -> None:
    facts = package.describe(
        csv(tmp_path, "query_id,scores,gold,has_evidence,prob\nq,1|1,a,1,0.5\n")
    )
    assert facts["queries_with_ties"] is None
    assert facts["float32_ties"] is None


def test_a_sample_tells_of_the_topics_that_it_keeps(package: Any, tmp_path: Path) -> None:
    qrels = b"q3 0 d3 0\nq1 0 d2 2\nq2 0 d2 1\n"
    data = run_and_qrels(tmp_path, qrels, b"zz Q0 d2 1 1 t\nq2 Q0 d2 1 1 t\n")
    facts = package.describe(data, {"sample": 2})
    assert (facts["dropped_queries"], facts["missing_topics"]) == (0, 1)


def test_rows_to_tune_on_are_asked_for_where_something_is_tuned(
    package: Any, tmp_path: Path
) -> None:
    table = "query_id,fold,split,candidates,gold\nq0,0,EVAL,a,a\nq1,1,TUNE,a,a\n"
    assert package.evaluate(csv(tmp_path, table), {"families": ["ranking"]})[MRR] == 1.0


@pytest.mark.parametrize("settings", [{}, {"families": ["curves"]}])
def test_a_probability_of_any_split_is_checked(
    package: Any, tmp_path: Path, settings: dict[str, Any]
) -> None:
    table = "query_id,split,prob,has_evidence\nq0,EVAL,0.5,1\nq1,TUNE,TRUE,0\nq2,EVAL,0.25,0\n"
    assert "prob" in refusal(package, csv(tmp_path, table), settings)


def test_an_open_quote_in_a_long_file_is_found_at_once(package: Any, tmp_path: Path) -> None:
    rows = b"".join(b"q%d,a|b,a\n" % number for number in range(100_000))
    table = raw(tmp_path, "data.csv", b'"query_id,candidates,gold\n' + rows)
    assert "quot" in refusal(package, table)
