"""TREC files: any white space, any order, both ways to break ties."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import pytest

import primary
from primary.reading import trec
from primary.reading.files import blocks, lines

if TYPE_CHECKING:
    from pathlib import Path

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 2\nq3 0 d -1\n"
RUN = "q1 Q0 b 1 2.0 x\nq1 Q0 a 2 1.0 x\nq2 Q0 c 1 0.5 x\nq2 Q0 a 2 0.25 x\n"


def placed(folder: Path, qrels: str = QRELS, run: str = RUN) -> dict[str, Any]:
    (folder / "qrels").write_text(qrels, encoding="utf-8")
    (folder / "run").write_text(run, encoding="utf-8")
    return {"qrels": folder / "qrels", "run": folder / "run"}


def ranks(data: dict[str, Any], settings: dict[str, Any] | None = None) -> dict[str, float]:
    frame = primary.per_query(data, settings)
    return dict(zip(frame["query_id"], frame["mrr@all"], strict=True))


def test_queries_come_in_the_order_of_the_qrels(tmp_path: Path) -> None:
    assert list(ranks(placed(tmp_path)).items()) == [("q1", 0.5), ("q2", 1.0), ("q3", 0.0)]


def test_lines_of_one_query_need_not_stand_together(tmp_path: Path) -> None:
    lines = RUN.splitlines()
    mixed = "\n".join([lines[2], lines[1], lines[3], lines[0]]) + "\n"
    judged = "\n".join(reversed(QRELS.splitlines()))
    assert ranks(placed(tmp_path, judged, mixed)) == {"q1": 0.5, "q2": 1.0, "q3": 0.0}


@pytest.mark.parametrize("gap", ["\t", "   ", " \t"])
def test_any_white_space_stands_between_fields(gap: str, tmp_path: Path) -> None:
    data = placed(tmp_path, QRELS.replace(" ", gap), RUN.replace(" ", gap))
    assert ranks(data) == {"q1": 0.5, "q2": 1.0, "q3": 0.0}


@pytest.mark.parametrize("gap", ["\t", "\x1f", "\u00a0", "\u2003", "  "])
@pytest.mark.parametrize("line", range(4))
def test_one_other_white_space_parts_fields_as_well(gap: str, line: int, tmp_path: Path) -> None:
    lines = RUN.splitlines()
    lines[line] = lines[line].replace(" ", gap, 1)
    data = placed(tmp_path, QRELS, "\n".join(lines))
    assert ranks(data) == {"q1": 0.5, "q2": 1.0, "q3": 0.0}


@pytest.mark.parametrize("comment", ["", "# judged by hand\n"])
def test_a_byte_order_mark_belongs_to_no_line(comment: str, tmp_path: Path) -> None:
    data = placed(tmp_path, f"\ufeff{comment}{QRELS}", f"\ufeff{RUN}")
    assert ranks(data) == {"q1": 0.5, "q2": 1.0, "q3": 0.0}


@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        ("q1 0 a 1\nq2 0 b 2", lines.QRELS, [(1, "q1", "0", "a", "1"), (2, "q2", "0", "b", "2")]),
        ('q1 Q0 "ä 1 2.0 x\n', lines.RUN, [(1, "q1", "Q0", '"ä', "1", "2.0", "x")]),
        ("#1 0 a 1\n", lines.QRELS, None),
        ("q1 0 a\n", lines.QRELS, None),
        ("q1 0 a 1\nq1 0 b\n", lines.QRELS, None),
        ("q1 0 a 1\n\n", lines.QRELS, None),
        ("q1 0 a 1 x\nq2\t0 b 1 2\n", lines.QRELS, None),
        ("q1 0 a 1 x\nq2\u00a00 b 1 2\n", lines.QRELS, None),
        ("", lines.QRELS, None),
    ],
)
def test_only_fields_with_one_space_between_are_read_at_once(
    text: str, names: tuple[str, ...], rows: list[tuple[Any, ...]] | None
) -> None:
    frame = lines.at_single_spaces(text.encode(), names)
    assert (None if frame is None else frame.rows()) == rows


@pytest.mark.parametrize("block", [1, 3, 1 << 20])
@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("q Q0 a 1 2 x\nq Q0 b 2 1 x", [(1, "q", "a", 2.0, "x"), (2, "q", "b", 1.0, "x")]),
        ("q Q0 a 1 2 x\nq Q0 b 2 1 x y\n", [(1, "q", "a", 2.0, "x"), (2, "q", "b", 1.0, "x")]),
        ("q Q0 a 1 2 x \n", [(1, "q", "a", 2.0, "x")]),
        ("q Q0 a 1 two x\n", [(1, "q", "a", "two", "x")]),
        ("q Q0 a 1 nan x\n", [(1, "q", "a", "nan", "x")]),
        ("q  a 1 2 x\n", None),
        ("q Q0 a  2 x\n", None),
        ("q Q0 a 1 2 x\n Q0 b 2 1 x\n", None),
        ("q Q0 a 1 2 x\nq Q0 b 2 1\n", None),
        ("q Q0 a 1 2 x\nq Q0 b 2 1 \n", None),
        ("q Q0 a 1 2 x\r\n", None),
        ("q Q0 a 1 2 x\x0by\n", None),
    ],
)
def test_of_a_run_what_is_needed_is_read_where_no_field_is_empty(
    text: str, rows: list[tuple[Any, ...]] | None, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "BLOCK", block)
    frame = lines.at_single_spaces(text.encode(), lines.RUN)
    assert (None if frame is None else frame.rows()) == rows


@pytest.mark.parametrize("block", [20, 1 << 20])
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("q Q0 a 1 2 x\nq Q0 b 2 1.5 x y\np Q0 a 1 -1e3 x", lines.RUN),
        ("q 0 a 1\n" * 9 + "p 0 c 2\n", lines.QRELS),
    ],
)
def test_a_plain_file_is_the_same_read_block_by_block(
    text: str,
    names: tuple[str, ...],
    block: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", block)
    path = tmp_path / "plain"
    path.write_text(text, encoding="utf-8")
    frame = blocks.in_blocks(path, text.splitlines()[0].encode(), names)
    whole = lines.at_single_spaces(text.encode(), names)
    assert frame is not None
    assert whole is not None
    assert frame.equals(whole)


@pytest.mark.parametrize(
    "line",
    [
        *("q Q0 b 2 1", "q Q0  2 1 x", "q Q0 b 2 one x", "q Q0 b 2 inf x", "#q Q0 b 2 1 x"),
        *("q Q0 b 2 1 x\r", "q Q0 \u00e4 2 1 x", ""),
    ],
)
def test_what_is_not_plain_in_any_block_is_read_as_a_whole(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 20)
    first = "q Q0 a 1 2 x\n"
    path = tmp_path / "run"
    path.write_bytes(f"{first * 3}{line}\n{first * 3}".encode())
    assert blocks.in_blocks(path, first.encode(), lines.RUN) is None


def test_a_field_too_few_in_one_line_and_too_many_in_another_is_refused(tmp_path: Path) -> None:
    qrels = "q1 0 a 1\nq1 0 b\nq1 0 c 1 1\n"
    with pytest.raises(primary.InputError, match=r"found 3 fields(.|\n)*found 5 fields"):
        primary.evaluate(placed(tmp_path, qrels, RUN))


def test_lines_of_a_query_keep_their_order_wherever_they_stand(tmp_path: Path) -> None:
    docs = [f"d{number * 7 % 60}" for number in range(60)]
    qrels = "".join(f"q{number % 2} 0 {doc} 1\n" for number, doc in enumerate(docs))
    run = "".join(f"q{number % 2} Q0 {doc} 1 1.0 x\n" for number, doc in enumerate(docs))
    data = trec.load(placed(tmp_path, qrels, run), primary.settings())
    assert data.gold is not None
    assert data.candidates is not None
    assert data.gold.series().to_list() == [docs[::2], docs[1::2]]
    assert data.candidates.series().to_list() == [docs[::2], docs[1::2]]
    assert data.place.tolist() == [0, 1]


def test_a_document_of_two_queries_is_not_there_twice(tmp_path: Path) -> None:
    run = "q1 Q0 a 1 2 x\nq2 Q0 a 1 2 x\nq1 Q0 a 1 2 x\n"
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(placed(tmp_path, QRELS, run))
    assert [problem.row for problem in caught.value.problems] == [3]
    assert caught.value.count == 1


def test_windows_line_ends_and_no_last_newline(tmp_path: Path) -> None:
    data = placed(tmp_path, QRELS.replace("\n", "\r\n"), RUN.rstrip("\n"))
    assert ranks(data) == {"q1": 0.5, "q2": 1.0, "q3": 0.0}


def test_lines_may_carry_more_fields_and_quotes(tmp_path: Path) -> None:
    run = RUN.replace("q1 Q0 a 2 1.0 x", 'q1 Q0 a 2 1.0 x and "more').replace(" b ", ' "b ')
    assert ranks(placed(tmp_path, QRELS, run)) == {"q1": 0.5, "q2": 1.0, "q3": 0.0}


def test_gzipped_files(tmp_path: Path) -> None:
    data = placed(tmp_path)
    for name in ("qrels", "run"):
        path = tmp_path / f"{name}.gz"
        path.write_bytes(gzip.compress(data[name].read_bytes()))
        data[name] = path
    assert ranks(data) == {"q1": 0.5, "q2": 1.0, "q3": 0.0}


def test_ties_keep_the_files_order_or_stand_by_document_descending(tmp_path: Path) -> None:
    run = "q1 Q0 a 1 1.0 x\nq1 Q0 b 2 1.0 x\nq1 Q0 c 3 1.0 x\n"
    data = placed(tmp_path, "q1 0 a 1\n", run)
    assert ranks(data) == {"q1": 1.0}
    assert ranks(data, {"ties": "docid"}) == {"q1": pytest.approx(1 / 3)}


def test_qrels_and_run_may_be_named_as_arguments(tmp_path: Path) -> None:
    data = placed(tmp_path)
    assert primary.evaluate(qrels=str(data["qrels"]), run=data["run"]) == primary.evaluate(data)


@pytest.mark.parametrize(
    ("qrels", "run", "words"),
    [
        (QRELS + "q9 0 x\n", RUN, ["qrels", "row 5", "query q9", "found 3 fields, expected 4"]),
        (QRELS + "q1 0 a 1\n", RUN, ["qrels", "row 5", "query q1", "'a' is there twice"]),
        (QRELS + "q9 0 x yes\n", RUN, ["qrels", "row 5", "query q9", "'yes' as relevance"]),
        (QRELS, RUN + "q1 Q0 a 3 0.5 x\n", ["run", "row 5", "'a' is there twice"]),
        (QRELS, RUN + "q1 Q0 z 3 nan x\n", ["run", "row 5", "'nan' as score"]),
        (QRELS, RUN + "q1 Q0 z 3 high x\n", ["run", "row 5", "'high' as score"]),
        ("", RUN, ["qrels", "no rows"]),
    ],
)
def test_bad_lines_are_refused_at_their_place(
    qrels: str, run: str, words: list[str], tmp_path: Path
) -> None:
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(placed(tmp_path, qrels, run))
    assert [word for word in words if word not in str(caught.value)] == []


def test_problems_of_both_files_are_told_together(tmp_path: Path) -> None:
    data = placed(tmp_path, QRELS + "q9 0 x yes\n", RUN + "q1 Q0 z 3 high x\n")
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(data)
    assert len(caught.value.problems) == 2


def test_a_mapping_without_both_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(primary.InputError, match="qrels and run"):
        primary.evaluate({"qrels": tmp_path})
    with pytest.raises(primary.InputError, match="both qrels and run"):
        primary.evaluate(qrels=tmp_path)


FIELDS = "(query iteration doc relevance)"
WHOLE = "Expected a whole number from -2147483648 to 2147483647."
LINE = "The line may be truncated, or two may have run together."


def told(data: dict[str, Any]) -> list[str]:
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(data)
    return str(caught.value).split("\n")


@pytest.mark.parametrize(
    ("qrels", "run", "file", "lines"),
    [
        (
            "q1 0 a 1\n\n# no judgement\nq1 0\n",
            RUN,
            "qrels",
            [f"row 4, query q1: found 2 fields, expected 4 {FIELDS}. {LINE}"],
        ),
        (
            "q1 0 a 1 2\nq2 0 c 1 2\n",
            RUN,
            "qrels",
            [
                f"row 1, query q1: found 5 fields, expected 4 {FIELDS}. {LINE}",
                f"row 2, query q2: found 5 fields, expected 4 {FIELDS}. {LINE}",
            ],
        ),
        (
            "q1 0 a 1\nq1 0 b 1.0\nq1 0 c x\nq1 0 d 1.5\nq1 0 e 2147483648\n",
            RUN,
            "qrels",
            [
                f"row 3, query q1, column relevance: found 'x' as relevance. {WHOLE}",
                f"row 4, query q1, column relevance: found '1.5' as relevance. {WHOLE}",
                f"row 5, query q1, column relevance: found '2147483648' as relevance. {WHOLE}",
            ],
        ),
        (
            QRELS,
            "q1 Q0 a 1 inf x\nq1 Q0 b 1 2 x\nq1 Q0 a 1 2 x\nq1 Q0 a 1 2 x\n",
            "run",
            [
                "row 1, query q1, column score: found 'inf' as score. Expected a finite number.",
                "row 3, query q1, column doc: the document 'a' is there twice. Keep one.",
                "row 4, query q1, column doc: the document 'a' is there twice. Keep one.",
            ],
        ),
        ("# only this\n", RUN, "qrels", ["the file holds no rows. Give at least one row of data."]),
        (QRELS, "", "run", ["the file holds no rows. Give at least one row of data."]),
    ],
)
def test_bad_lines_are_refused_word_for_word(
    qrels: str, run: str, file: str, lines: list[str], tmp_path: Path
) -> None:
    data = placed(tmp_path, qrels, run)
    assert told(data) == [f"{data[file]}:", *(f"  {line}" for line in lines)]


@pytest.mark.parametrize(
    ("run", "byte", "line"), [(b"q1 Q0 \xff 1 2.0 x\n", 6, 1), (b"\n# no run\n\xff", 10, 3)]
)
def test_a_file_that_is_not_utf_8_is_told_the_line(
    run: bytes, byte: int, line: int, tmp_path: Path
) -> None:
    data = placed(tmp_path)
    data["run"].write_bytes(run)
    assert told(data) == [
        f"{data['run']}:",
        f"  byte {byte} (line {line}) is not UTF-8. Save it as UTF-8.",
    ]


@pytest.mark.parametrize(
    ("keys", "found"), [((), "none"), (("run",), "run"), (("qrels", "run", "x"), "qrels, run, x")]
)
def test_the_keys_of_a_mapping_are_told(keys: tuple[str, ...], found: str, tmp_path: Path) -> None:
    assert told(dict.fromkeys(keys, tmp_path)) == [
        f"found the keys {found}. TREC data is a mapping with the keys qrels and run."
    ]


def test_bad_lines_beyond_a_thousand_are_counted(tmp_path: Path) -> None:
    qrels = "".join(f"q1 0 d{number} x\n" for number in range(1001))
    run = "q1 Q0 a 1 2.0 x\n" * 1002
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(placed(tmp_path, qrels, run))
    assert (len(caught.value.problems), caught.value.count) == (2000, 2002)


@pytest.mark.parametrize(
    "line",
    ["#q1 Q0 z 1 9.0 x", " # q1 Q0 z 1 9.0 x", "", "  ", "q8 Q0 z 1 9.0 x", "q8\tQ0 z 1 9.0 x"],
)
def test_comments_blank_lines_and_queries_without_judgement_change_no_rank(
    line: str, tmp_path: Path
) -> None:
    data = placed(tmp_path, QRELS, f"{line}\n{RUN}")
    assert ranks(data) == {"q1": 0.5, "q2": 1.0, "q3": 0.0}
    assert primary.describe(data)["dropped_queries"] == line.startswith("q8")


def test_the_facts_of_trec_files(tmp_path: Path) -> None:
    facts = primary.describe(placed(tmp_path))
    assert facts["rows"] == {"EVAL": 3, "TUNE": 0, "TRAIN": 0}
    assert facts["columns"] == {}
    assert facts["dropped_queries"] == 0
    assert facts["gold_not_in_candidates"] == 0
    assert facts["queries"]["positives_only"] == 2


@pytest.mark.parametrize(
    "run",
    [
        "q1\ta\t1.0\nq1\tb\t2.0\n",
        "q1\ta\t1\nq1\tb\t2.5\n",
        "q1\ta\t1\rq1\tb\t2\r",
        "# ranks\rq1\ta\t1\r\nq1\tb\t2",
        "qid,docno,rank\nq1,b,2.0\nq1,a,1e0\n",
    ],
)
def test_the_smaller_rank_is_the_better_one_however_it_is_written(run: str, tmp_path: Path) -> None:
    assert ranks(placed(tmp_path, "q1 0 a 1\n", run)) == {"q1": 1.0}


@pytest.mark.parametrize("rank", ["x", "nan", "inf", "1 0"])
def test_a_rank_that_is_no_number_is_told_as_it_stands(rank: str, tmp_path: Path) -> None:
    data = placed(tmp_path, "q1 0 a 1\n", f"qid,docno,rank\nq1,a,1\nq1,b,{rank}\n")
    with pytest.raises(primary.InputError, match=f"row 2, query q1, .* found '{rank}' as score"):
        primary.read(data)


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_lines_may_end_as_on_other_systems(end: str, tmp_path: Path) -> None:
    data = placed(tmp_path, QRELS.replace("\n", end), RUN.replace("\n", end))
    assert ranks(data) == {"q1": 0.5, "q2": 1.0, "q3": 0.0}


@pytest.mark.parametrize(("level", "positives"), [(-1, 2), (0, 2), (1, 2), (2, 1), (3, 0)])
def test_gold_is_judged_at_or_above_the_level(level: int, positives: int, tmp_path: Path) -> None:
    facts = primary.describe(placed(tmp_path), {"relevance_level": level})
    assert facts["queries"]["positives_only"] == positives


def test_table_of_trec_files_in_the_order_of_the_qrels(tmp_path: Path) -> None:
    run = "q2 Q0 c 1 1 x\nq9 Q0 c 1 1 x\nq1 Q0 a 1 1 x\nq2 Q0 a 1 2 x\nq1 Q0 b 1 1 x\n"
    data = placed(tmp_path, "q2 0 c 1\nq1 0 b 1\nq2 0 a 1\n", run)
    table = primary.table(data)
    assert table["query_id"].to_list() == ["q2", "q1"]
    assert table["candidates"].to_list() == [["a", "c"], ["a", "b"]]
    assert table["scores"].to_list() == [[2.0, 1.0], [1.0, 1.0]]
    assert table["gold"].to_list() == [["c", "a"], ["b"]]
    by_id = primary.table(data, {"ties": "docid"})
    assert by_id["candidates"].to_list() == [["a", "c"], ["b", "a"]]


def test_a_run_that_no_wanted_family_needs_counts_as_absent(tmp_path: Path) -> None:
    files = placed(tmp_path, run=f"{RUN}q9 Q0 a 1 1.0 x\n")
    alone, ranked = (
        primary.describe(files, {"families": [family]}) for family in ("posts", "ranking")
    )
    assert [one["queries_with_ties"] for one in (alone, ranked)] == [None, 0]
    assert alone["dropped_queries"] == ranked["dropped_queries"] == 1
    assert alone["queries"] == ranked["queries"]


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ('{"q1": {"\\ud800": 1}}', r'the id "\\ud800" holds half of a surrogate pair'),
        ('{"\\ud800": {"a": 1}}', r'the id "\\ud800" holds half of a surrogate pair'),
        ('[{"qid": 1.0, "docno": "a", "score": 1}]', "found 1.0 as an id"),
        ('[{"qid": "q1", "docno": true, "score": 1}]', "found true as an id"),
        (f'{{"q1": {{"a": 1{"0" * 400}}}}}', "as score. Expected a finite number"),
    ],
)
def test_a_run_in_json_that_cannot_be_is_refused(run: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(primary.InputError, match=words):
        primary.evaluate(placed(tmp_path, "q1 0 a 1\n", run))


def test_a_score_of_many_digits_keeps_them_all(tmp_path: Path) -> None:
    run = f'{{"q1": {{"a": 1{"0" * 60}, "b": 2{"0" * 45}}}}}'
    data = trec.load(placed(tmp_path, "q1 0 a 1\n", run), primary.settings())
    assert data.scores is not None
    assert data.scores.tolist() == [1e60, 2e45]


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ("q1 0 a 1\nq1 0 b 0\n", "qid,docno,score\nq1,b,\t2.0\nq1,a, 0.5 \n"),
        ("query-id\tcorpus-id\tscore\nq1\ta\t 1\nq1\tb\t0 \n", "q1\tb\t1\nq1\ta\t2\n"),
        ('qid,docno,rel\nq1,a,"\t1"\nq1,b,0\n', "qid,docno,rank\nq1,b, 1\nq1,a,2 \n"),
        ('{"q1": {"a": " 1", "b": 0}}', '{"q1": {"b": 2, "a": " 1"}}'),
    ],
)
def test_blanks_round_a_number_are_no_part_of_it(qrels: str, run: str, tmp_path: Path) -> None:
    data = placed(tmp_path, qrels, run)
    scores = primary.table(data)["scores"].to_list()[0]
    assert ranks(data) == {"q1": 0.5}
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("score", ["0. 5", "\u00a00.5", '"0.5\n"', " ", '"0.5"x'])
def test_other_white_space_round_a_number_is_refused(score: str, tmp_path: Path) -> None:
    with pytest.raises(primary.InputError):
        primary.read(placed(tmp_path, QRELS, f"qid,docno,score\nq1,a,{score}\n"))


@pytest.mark.parametrize("run", ["qid,docno,score\n\rq1,a,0.5\n", "qid,docno\rq1,a\r"])
def test_a_carriage_return_ends_a_line_of_a_table(run: str, tmp_path: Path) -> None:
    run = run if "score" in run else run.replace("docno", "score,docno").replace("q1", "q1,1")
    assert ranks(placed(tmp_path, "q1 0 a 1\n", run)) == {"q1": 1.0}


def test_of_a_sample_only_its_own_queries_are_counted(tmp_path: Path) -> None:
    qrels, run = "q3 0 d3 0\nq1 0 d2 2\nq2 0 d2 1\n", "zz Q0 d2 1 1 t\nq2 Q0 d2 1 1 t\n"
    data = placed(tmp_path, qrels, run)
    counts = {}
    for sample in (1, 2):
        facts = primary.describe(data, {"sample": sample})
        counts[sample] = (facts["rows"]["EVAL"], facts["dropped_queries"], facts["missing_topics"])
    # Of q1, q2, q3 and zz the sample keeps q1 alone, by the first bytes of SHA-256; q9 too.
    assert counts == {1: (3, 1, 2), 2: (1, 0, 1)}
    data = placed(tmp_path, qrels, run.replace("q2", "q1") + "q9 Q0 d 1 1 t\n")
    facts = primary.describe(data, {"sample": 2})
    assert (facts["dropped_queries"], facts["missing_topics"]) == (1, 0)
