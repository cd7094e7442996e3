"""Qrels and runs in every form that people hold them in (interface, Files)."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import reference

if TYPE_CHECKING:
    from pathlib import Path

JUDGED = [("q1", "d1", 2), ("q1", "d2", 0), ("q1", "d3", 1), ("q2", "d1", 1), ("q3", "d9", -1)]
RANKED = [("q1", "d2", 3.5), ("q1", "d1", 3.0), ("q1", "d3", -1.0), ("q2", "d5", 2.0)]
STRAY = [("q8", "d1", 1.0)]


def nested(told: list[tuple[str, str, Any]]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for query, document, value in told:
        found.setdefault(query, {})[document] = value
    return found


def frame(told: list[tuple[str, str, Any]], *names: str) -> list[dict[str, Any]]:
    return [dict(zip(names, row, strict=True)) for row in told]


def arrow(told: list[tuple[str, str, Any]], *names: str) -> pa.Table:
    return pa.table({name: [row[i] for row in told] for i, name in enumerate(names)})


def trec_lines(ranked: list[tuple[str, str, float]]) -> str:
    return "".join(f"{q} Q0 {d} 7 {score} tag more\n" for q, d, score in ranked)


QRELS = {
    "qrels.trec": "".join(f"{q} 0 {d} {v}\n" for q, d, v in JUDGED),
    "qrels": "# by hand\n\n" + "".join(f"{q}\t0\t{d}\t{v}\n" for q, d, v in JUDGED),
    "test.tsv": "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t{v}\n" for q, d, v in JUDGED),
    "headless.tsv": "".join(f"{q}\t0\t{d}\t{v}\n" for q, d, v in JUDGED),
    "qrels.csv": "QID,iteration,docno,Label\n" + "".join(f"{q},0,{d},{v}\n" for q, d, v in JUDGED),
    "qrels.txt": "topic\tdoc_id\trel\n" + "".join(f"{q}\t{d}\t{v}.0\n" for q, d, v in JUDGED),
    "qrels.json": json.dumps(nested(JUDGED)),
    "rows.json": json.dumps(frame(JUDGED, "query_id", "did", "relevance")),
    "rows.jsonl": "".join(f"{json.dumps(r)}\n" for r in frame(JUDGED, "qid", "pid", "grade")),
    "no_ending": json.dumps(nested(JUDGED), indent=1),
}
RUNS = {
    "run.trec": trec_lines(RANKED + STRAY),
    "run.json": json.dumps(nested(RANKED + STRAY)),
    "predictions.json": json.dumps(
        {
            "mteb_model_meta": {"name": "m", "revision": None},
            "default": {"test": nested(RANKED + STRAY)},
        }
    ),
    "run.csv": "qid,docno,score,rank\n" + "".join(f"{q},{d},{s},9\n" for q, d, s in RANKED + STRAY),
    "run.tsv": "qid\tdocid\tsim\n" + "".join(f"{q}\t{d}\t{s}\n" for q, d, s in RANKED + STRAY),
    "run.jsonl": "".join(
        f"{json.dumps(r)}\n" for r in frame(RANKED + STRAY, "query_id", "document_id", "score")
    ),
}


def data(folder: Path, qrels: Any, run: Any, names: tuple[str, str] = ("qrels", "run")) -> Any:
    for name, content in zip(names, (qrels, run), strict=True):
        (folder / name).write_text(content, encoding="utf-8")
    return {"qrels": folder / names[0], "run": folder / names[1]}


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    plain = data(tmp_path_factory.mktemp("w"), QRELS["qrels.trec"], RUNS["run.trec"])
    return reference.evaluate(plain), reference.describe(plain)


def test_the_plain_files_by_hand(wanted: tuple[Any, Any]) -> None:
    ledger, facts = wanted
    assert (facts["grade_max"], facts["missing_topics"], facts["dropped_queries"]) == (2, 1, 1)
    assert {"graded", "exponential", "judged"} <= set(facts["families"])
    # q1: gold at ranks 2 and 3 with one wrong above, of one wrong: 1 − 1/1 twice; q2: nothing.
    assert ledger["bpref|positives_only|all|mean"] == 0
    assert ledger["judged@1|all_queries|all|mean"] == pytest.approx(1 / 3)
    assert ledger["queries|all_queries|all|n"] == 3


@pytest.mark.parametrize("name", QRELS)
def test_qrels_in_every_form(tmp_path: Path, wanted: tuple[Any, Any], name: str) -> None:
    given = data(tmp_path, QRELS[name], RUNS["run.trec"], (name, "run"))
    assert (reference.evaluate(given), reference.describe(given)) == wanted


@pytest.mark.parametrize("name", RUNS)
def test_runs_in_every_form(tmp_path: Path, wanted: tuple[Any, Any], name: str) -> None:
    given = data(tmp_path, QRELS["qrels.trec"], RUNS[name], ("qrels", name))
    assert (reference.evaluate(given), reference.describe(given)) == wanted


def test_tables_in_columns_and_compressed(tmp_path: Path, wanted: tuple[Any, Any]) -> None:
    pq.write_table(arrow(JUDGED, "qid", "docno", "label"), tmp_path / "q.parquet")
    pyarrow.feather.write_feather(
        arrow(RANKED + STRAY, "qid", "docno", "score"), str(tmp_path / "r.feather")
    )
    columns = {"qrels": tmp_path / "q.parquet", "run": tmp_path / "r.feather"}
    assert reference.evaluate(columns) == wanted[0]
    (tmp_path / "q.tsv.gz").write_bytes(gzip.compress(QRELS["test.tsv"].encode()))
    packed = pa.compress(RUNS["run.json"].encode(), codec="zstd", asbytes=True)
    (tmp_path / "r.json.zst").write_bytes(packed)
    assert (
        reference.evaluate({"qrels": tmp_path / "q.tsv.gz", "run": tmp_path / "r.json.zst"})
        == (wanted[0])
    )


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("run", "q1\td2\t1\nq1\td1\t2\nq2\td1\t1\n"),
        ("run.tsv", "q1\td1\t2\nq1\td2\t1\nq2\td1\t1\n"),
        ("run.csv", "qid,docno,rank\nq1,d1,2\nq1,d2,1\nq2,d1,1\n"),
    ],
)
def test_of_a_rank_alone_the_score_is_its_negative(tmp_path: Path, name: str, run: str) -> None:
    given = data(tmp_path, "q1 0 d1 1\nq2 0 d1 1\n", run, ("qrels", name))
    study = reference.read(given)
    assert study.queries[0].ranking == ("d2", "d1")
    assert study.queries[0].scores == (-1.0, -2.0)
    assert reference.per_query(study)["mrr@all"] == [0.5, 1.0]


def test_one_of_several_runs_is_named(tmp_path: Path) -> None:
    runs = {"en": {"dev": {"q1": {"d1": 1}}, "test": {"q1": {"d2": 1, "d1": 0}}}, "x": {"n": 3}}
    given = data(tmp_path, "q1 0 d1 1\n", json.dumps(runs), ("qrels", "run.json"))
    with pytest.raises(reference.SettingsError, match="there is en/dev, en/test"):
        reference.evaluate(given)
    with pytest.raises(reference.SettingsError, match="holds no run 'de/test'"):
        reference.evaluate(given, {"run_path": "de/test"})
    assert reference.per_query(given, {"run_path": "en/dev"})["mrr@all"] == [1.0]
    assert reference.per_query(given, {"run_path": "en/test"})["mrr@all"] == [0.5]


def test_a_query_of_which_nothing_is_said_is_as_in_lines_not_there(tmp_path: Path) -> None:
    given = data(tmp_path, '{"q1": {"d": 1}, "q2": {}}', '{"q1": {}, "q3": {"d": 1}, "q4": {}}')
    facts = reference.describe(given)
    assert facts["queries"]["all_queries"] == 1
    assert (facts["missing_topics"], facts["dropped_queries"]) == (1, 1)
    with pytest.raises(reference.UnreadableError, match="is empty"):
        reference.evaluate(data(tmp_path, '{"q1": {}}', '{"q1": {"d": 1}}'))


def test_the_frames_of_pyterrier_name_documents_twice(tmp_path: Path) -> None:
    run = "qid,docid,docno,rank,score,query\nq,17,d1,0,2.5,what\nq,18,d2,1,3.5,what\n"
    given = data(tmp_path, "q 0 d1 1\n", run, ("qrels", "run.csv"))
    assert reference.read(given).queries[0].ranking == ("d2", "d1")


def test_whole_numbers_are_ids_of_queries_and_documents(tmp_path: Path) -> None:
    run = json.dumps([{"qid": 7, "docno": 1, "score": 1}])
    assert reference.per_query(data(tmp_path, "7 0 1 1\n", run))["hit@1"] == [1.0]


def test_32_bits_are_what_trec_eval_sees(tmp_path: Path) -> None:
    run = "q Q0 a 1 1.000000001 t\nq Q0 b 2 1.0 t\nq Q0 c 3 1e39 t\nq Q0 d 4 2e39 t\n"
    given = data(tmp_path, "q 0 a 1\n", run)
    rankings = {}
    for ties in ("order", "docid", "trec_eval"):
        study = reference.read(given, {"ties": ties})
        rankings[ties] = "".join(study.queries[0].ranking)
        assert reference.describe(study)["float32_ties"] == 1
        found = reference.exact(study)
        low, value, high = (
            found[f"mrr@all{end}|all_queries|all|mean"] for end in ("/tie_low", "", "/tie_high")
        )
        assert low <= value <= high
    assert rankings == {"order": "dcab", "docid": "dcab", "trec_eval": "dcba"}
    assert reference.describe(given)["queries_with_ties"] == 0
    assert reference.describe(given, {"ties": "trec_eval"})["queries_with_ties"] == 1


def test_of_a_document_twice_the_best_place_counts(tmp_path: Path) -> None:
    given = data(tmp_path, "q 0 a 1\n", "q Q0 a 1 1 t\nq Q0 b 2 2 t\nq Q0 a 3 3 t\n")
    with pytest.raises(reference.InputError, match="document a is there twice"):
        reference.evaluate(given)
    study = reference.read(given, {"dedupe": "first"})
    assert study.queries[0].ranking == ("a", "b")
    assert reference.describe(study)["duplicates_removed"] == 1
    twice = data(tmp_path, "q 0 a 1\nq 0 a 1\n", "q Q0 a 1 1 t\n")
    with pytest.raises(reference.InputError, match="document a is there twice"):
        reference.evaluate(twice, {"dedupe": "first"})


def test_grades_below_the_level_still_gain(tmp_path: Path) -> None:
    given = data(tmp_path, "q 0 a 1\nq 0 b 2\nr 0 a 1\n", "q Q0 a 1 2 t\nr Q0 a 1 2 t\n")
    found = reference.per_query(given, {"relevance_level": 2, "k": [1]})
    assert (found["ndcg@1/graded"], found["ndcg@1"]) == ([0.5, 1.0], [0.0, 0.0])
    means = reference.evaluate(given, {"relevance_level": 2, "k": [1]})
    assert means["ndcg@1/graded|positives_only|all|mean"] == 0.5
    assert means["ndcg@1/graded|all_queries|all|mean"] == 0.75
    assert means["judged@1|positives_only|all|mean"] == 1


@pytest.mark.parametrize("value", ["2147483647", "-2147483648", "1.0", "1e3", "+1"])
def test_a_relevance_may_be_any_whole_number_of_32_bits(tmp_path: Path, value: str) -> None:
    assert reference.describe(data(tmp_path, f"q 0 a {value}\n", "q Q0 a 1 2 t\n"))


@pytest.mark.parametrize(
    ("names", "qrels", "run", "said"),
    [
        (("q", "r"), "q 0 a 2147483648\n", "q Q0 a 1 2 t\n", "whole number of 32 bits"),
        (("q", "r"), f"q 0 a 1{'0' * 30}\n", "q Q0 a 1 2 t\n", "whole number of 32 bits"),
        (("q", "r"), "q 0 a 0.5\n", "q Q0 a 1 2 t\n", "whole number of 32 bits"),
        (("q", "r"), "q 0 a nan\n", "q Q0 a 1 2 t\n", "whole number of 32 bits"),
        (("q.json", "r"), '{"q": {"a": true}}', "q Q0 a 1 2 t\n", "whole number of 32 bits"),
        (("q.json", "r"), '{"q": {"a": "x"}}', "q Q0 a 1 2 t\n", "whole number of 32 bits"),
        (("q.json", "r"), '{"q": 3}', "q Q0 a 1 2 t\n", "where documents are expected"),
        (("q.json", "r"), '{"": {"a": 1}}', "q Q0 a 1 2 t\n", "the id is empty"),
        (("q.json", "r"), "{}", "q Q0 a 1 2 t\n", "is no JSON object by query and document"),
        (("q.json", "r"), "[3]", "q Q0 a 1 2 t\n", "is no JSON object by query and document"),
        (("q.json", "r"), '{"q": {"a": 1', "q Q0 a 1 2 t\n", "is not JSON"),
        (("q", "r"), "[q 0 a x\n", "q Q0 a 1 2 t\n", "is not JSON"),
        (("q", "r"), "[q 0 a\n", "q Q0 a 1 2 t\n", "is not JSON"),
        (("q", "r"), "q 0 a 1\n", "{'q': {'a': 1}}", "is not JSON"),
        (("q", "r"), "[q 0 a 1\nq 0 b\n", "q Q0 a 1 2 t\n", "has 3 fields where 4 are expected"),
        (("q.json", "r"), '{"q": {"a": 1, "a": 2}}', "q Q0 a 1 2 t\n", "a name appears twice"),
        (("q", "r.json"), "q 0 a 1\n", '{"q": {"a": NaN}}', "where a finite number is expected"),
        (("q", "r.json"), "q 0 a 1\n", '{"q": {"a": null}}', "where a finite number is expected"),
        (("q", "r.json"), "q 0 a 1\n", '{"q": {"": 1}}', "the id is empty"),
        (("q", "r"), "q 0 a 1\n", "q a 1\nq Q0 b 2 1 t\n", "has 6 fields where 3 are expected"),
        (("q", "r"), "q 0 a 1\n", "q a x\n", "where a finite number is expected"),
        (("q.csv", "r"), "q 0 a 1\n", "q Q0 a 1 2 t\n", "there is no column for the query"),
        (("q", "r"), "q 0 a 1\n", "q Q0 a 1 2\n", "has 5 fields where 6 are expected"),
        (("q.csv", "r"), "qid,rel\nq,1\n", "q Q0 a 1 2 t\n", "there is no column for the document"),
        (("q.csv", "r"), "qid,docno,rel\n", "q Q0 a 1 2 t\n", "has no data rows"),
        (("q.csv", "r"), "qid,docno,rel\n,a,1\n", "q Q0 a 1 2 t\n", "the id is empty"),
        (("q", "r.csv"), "q 0 a 1\n", "qid,docno\nq,a\n", "there is no column for the score"),
        (("q", "r.csv"), "q 0 a 1\n", "qid,docno,score\nq,a,inf\n", "a finite number is expected"),
        (("q", "r.csv"), "q 0 a 1\n", "qid,docno,score\nq\n", "has 1 fields where the header"),
    ],
)
def test_a_bad_file_is_named(
    tmp_path: Path, names: tuple[str, str], qrels: str, run: str, said: str
) -> None:
    with pytest.raises(reference.InputError) as caught:
        reference.evaluate(data(tmp_path, qrels, run, names))
    assert any(said in problem.what for problem in caught.value.problems), caught.value
    assert all(problem.file and problem.remedy for problem in caught.value.problems)


@pytest.mark.parametrize("bracket", ["[", "{", '["', "[1,", "[-"])
@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ("{0} 0 d1 1\n", "{0} Q0 d1 1 2.5 tag\n{0} Q0 d2 1 2 my tag\n"),
        ("{0}\t0\td1\t1\r{0}\t0\td2\t0\r", "{0}\td1\t1\r{0}\td2\t2\r"),
    ],
)
def test_an_id_may_begin_with_a_bracket(tmp_path: Path, bracket: str, qrels: str, run: str) -> None:
    name = f"{bracket}q1"
    given = data(tmp_path, qrels.replace("{0}", name), run.replace("{0}", name))
    found = reference.per_query(given)
    assert (found["query_id"], found["mrr@all"]) == ([name], [1.0])


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ('{"q1": { "d1" : 1\n}}', '{"q1": {"d1": 1,\n"d2": 0}}'),
        ('{ "q1" : {"d1": 1 ,\r\n"d2": 0}}', '{ "q1" : { "d1" : 1\r, "d2": 0}}'),
        (
            '[{"qid": "q1", "docno": "d1", "rel": 1}]',
            '[ {"qid" : "q1", "docno": "d1", "score" : 1}]',
        ),
        (
            '{"qid": "q1",\r"docno": "d1", "rel": 1}\r\n{"qid": "q1", "docno": "d2", "rel": 0}',
            '{"qid": "q1", "docno":\r"d1", "score": 1}\n{"qid": "q1", "docno": "d2", "score": 0}\r',
        ),
    ],
)
def test_json_is_told_by_its_first_line(tmp_path: Path, qrels: str, run: str) -> None:
    for name, text in (("qrels", qrels), ("run", run)):
        (tmp_path / name).write_bytes(text.encode())
    given = {"qrels": tmp_path / "qrels", "run": tmp_path / "run"}
    assert reference.per_query(given)["mrr@all"] == [1.0]


@pytest.mark.parametrize("end", ["\r", "\n\r", "\r\r\n", "\r\n"])
@pytest.mark.parametrize("name", ["run", "run.csv"])
def test_a_cr_ends_a_line_of_a_table(tmp_path: Path, name: str, end: str) -> None:
    (tmp_path / "qrels").write_bytes(f"qid\tdocno\trel{end}q1\td1\t1{end}".encode())
    (tmp_path / name).write_bytes(f"qid,docno,score{end}q1,d1,0.5{end}q1,d2,0.25\n".encode())
    given = {"qrels": tmp_path / "qrels", "run": tmp_path / name}
    assert reference.per_query(given)["mrr@all"] == [1.0]


def test_slices_need_a_table(tmp_path: Path) -> None:
    given = data(tmp_path, "q 0 a 1\n", "q Q0 a 1 2 t\n")
    with pytest.raises(reference.SettingsError, match="slices are declared, but qrels and a run"):
        reference.evaluate(given, {"slices": {"x": "y"}})
    with pytest.raises(reference.SettingsError, match="setting threshold is 3"):
        reference.evaluate(given, {"threshold": 3})


def test_the_command_reads_them_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from reference.__main__ import main  # noqa: PLC0415 - as the command does

    given = data(tmp_path, QRELS["test.tsv"], RUNS["predictions.json"], ("test.tsv", "p.json"))
    (tmp_path / "crosscheck.toml").write_text(
        'ties = "trec_eval"\nrun_path = "default/test"\ngrade_max = 4\nk = [3]\n', encoding="utf-8"
    )
    assert main(["--qrels", str(given["qrels"]), "--run", str(given["run"])]) == 0
    found = json.loads(capsys.readouterr().out)
    settings = {"ties": "trec_eval", "grade_max": 4, "k": [3]}
    assert found == reference.evaluate(given, settings)


def test_the_command_reads_slices_and_seeds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from reference.__main__ import main  # noqa: PLC0415 - as the command does

    rows = [
        {"y_true": i % 2, "y_prob": i / 10, "seed": i % 3, "site": "xy"[i % 2]} for i in range(9)
    ]
    (tmp_path / "a.json").write_text(json.dumps(rows), encoding="utf-8")
    (tmp_path / "crosscheck.toml").write_text('[slices]\nplace = "site"\n', encoding="utf-8")
    assert main([str(tmp_path / "*.json")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["auroc|all_queries|seeds|std"] >= 0
    assert found["accuracy|all_queries|place=y|value"] >= 0
