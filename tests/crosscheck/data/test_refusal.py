"""What a refused input is told: each problem once, and what the file looks like."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl
import pytest

from crosscheck.data.looks import looks_like
from crosscheck.data.refusal import told

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class Problem:
    row: int | None
    what: str
    file: str = "a.csv"
    query: str | None = None
    column: str | None = "gold"
    remedy: str | None = "Mend it."


@dataclass
class Refused:
    problems: list[Problem] = field(default_factory=list)

    def __str__(self) -> str:
        return "as the package says it"


def test_a_problem_of_many_rows_is_told_once_with_a_count() -> None:
    many = [Problem(row, f"the uid 'u{row}' is there {row + 1} times") for row in range(1, 6)]
    other = Problem(9, "is empty", column="prob")
    assert told(Refused([*many, other]), "a.csv").splitlines() == [
        "a.csv:",
        "  row 1, column gold: the uid 'u1' is there 2 times. Mend it.",
        "  … and 4 more of the same, up to row 5, column gold",
        "  row 9, column prob: is empty. Mend it.",
    ]


def test_few_problems_are_told_as_the_package_tells_them() -> None:
    assert told(Refused([Problem(1, "is empty")]), "a.csv") == "as the package says it"


def look(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    found = looks_like(path, alone=True)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1 Q0 d1 1 0.5 me\n", "a TREC run"),
        ("1 0 d1 -1\n2 0 d2 2\n", "TREC qrels"),
        ("map all 0.2345\nP_10 all 0.1\n", "what trec_eval prints"),
        ("7\td1\t1\n7\td2\t2\n", "a run of MS MARCO"),
    ],
)
def test_lines_are_told_by_their_fields(tmp_path: Path, text: str, kind: str) -> None:
    assert f"looks like {kind}. " in look(tmp_path / "file.txt", text)


def test_a_run_as_json_is_asked_to_come_with_its_judgements(tmp_path: Path) -> None:
    told = look(tmp_path / "run.json", json.dumps({"q1": {"d1": 0.5}, "q2": {}}))
    assert told.endswith(f"crosscheck gate --qrels QRELS --run {tmp_path / 'run.json'}")


def test_an_unknown_table_gets_the_lines_that_would_map_it(tmp_path: Path) -> None:
    told = look(tmp_path / "a.csv", "frage,antworten,wahr,p\nf1,a|b|c,a,0.5\nf2,c,d|e,0.7\n")
    assert told.splitlines()[1:] == [
        "  [columns]",
        '  query_id = "frage"',
        '  candidates = "antworten"',
        '  gold = "wahr"',
        '  prob = "p"',
    ]
    assert "with the columns frage, antworten, wahr, p" in told


def test_a_parquet_file_is_looked_into_too(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"frage": ["f1", "f2"], "richtig": [1, 0]}).write_parquet(path)
    told = looks_like(path, alone=True)
    assert told is not None
    assert told.splitlines()[2:] == ['  query_id = "frage"', '  has_evidence = "richtig"']


def test_semicolons_are_named(tmp_path: Path) -> None:
    assert "semicolons" in look(tmp_path / "a.csv", "a;b\n1;2\n")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"hello\n", b"{", b"PAR1"])
def test_of_what_looks_like_nothing_nothing_is_said(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    assert looks_like(tmp_path / "a", alone=True) is None


def test_columns_of_classes_are_known_and_not_guessed_about(tmp_path: Path) -> None:
    text = 'label,class_probs,y_pred\na,"[0.7,0.3]",0.0\nb,"[0.4,0.6]",1.0\n'
    assert look(tmp_path / "a.csv", text).endswith(
        "See docs/data.md for what each kind of number needs."
    )


RECORDS = "to_json('records.json', orient='records')"


@pytest.mark.parametrize(
    ("text", "shown", "read"),
    [
        (
            '{"y_true": {"0": 1, "1": 0}, "y_prob": {"0": 0.9, "1": 0.2}}',
            "by column, as pandas' to_json() does",
            "pd.read_json('a.json')",
        ),
        (
            '{"retrieved": {"q1": ["a"], "q2": ["b"]}, "relevant": {"q1": ["a"], "q2": []}}',
            "by column, as pandas' to_json() does",
            "pd.read_json('a.json').reset_index(names='query_id')",
        ),
        (
            '{"0": {"y_true": 1, "y_prob": 0.9}, "1": {"y_true": 0, "y_prob": 0.2}}',
            "by row (orient='index')",
            "pd.read_json('a.json', orient='index')",
        ),
        (
            '{"columns": ["y_true", "y_prob"], "index": [0], "data": [[1, 0.9]]}',
            "in parts (orient='split')",
            "pd.read_json('a.json', orient='split')",
        ),
        (
            '{"y_true": [1, 0], "y_prob": [0.9, 0.2]}',
            "with a list for each column",
            "pd.read_json('a.json')",
        ),
    ],
)
def test_a_frame_that_is_not_written_as_records_gets_the_line_that_does(
    tmp_path: Path, text: str, shown: str, read: str
) -> None:
    assert look(tmp_path / "a.json", text) == (
        f"a.json looks like a table that is written {shown}. "
        f"Write one object for each row: {read}.{RECORDS}."
    )


def test_a_frame_by_column_with_other_names_gets_their_mapping_too(tmp_path: Path) -> None:
    text = '{"frage": {"0": "f1", "1": "f2"}, "p": {"0": 0.5, "1": 0.25}}'
    assert look(tmp_path / "a.json", text).splitlines()[1:] == [
        "  [columns]",
        '  query_id = "frage"',
        '  prob = "p"',
    ]


@pytest.mark.parametrize(
    "text",
    ['{"q1": {"0": 1, "1": 2}, "q2": {"0": 3, "1": 1}}', '{"0": {"d1": 1}, "1": {"d1": 2}}'],
)
def test_numbered_documents_or_queries_do_not_make_a_run_a_table(tmp_path: Path, text: str) -> None:
    assert "looks like qrels or a run as JSON" in look(tmp_path / "run.json", text)


def test_ratings_are_told_how_a_pair_of_files_calls_them(tmp_path: Path) -> None:
    told = look(tmp_path / "a.csv", "userId,movieId,rating\n1,10,4\n1,11,2\n2,10,5\n")
    assert "it holds judgements" in told
    assert "{'userId': 'qid', 'movieId': 'docno', 'rating': 'relevance'}" in told
    assert "--relevance-level" in told


def test_half_ratings_are_no_grades(tmp_path: Path) -> None:
    told = look(tmp_path / "a.csv", "user,item,rating,prediction\n1,10,4.0,3.9\n1,11,3.5,2.5\n")
    assert "rating holds 3.5: a grade is a whole number" in told
    assert "--qrels FILE --run FILE" in told


def test_a_folder_of_splits_names_them(tmp_path: Path) -> None:
    (tmp_path / "dataset_dict.json").write_text('{"splits": ["train", "test"]}', encoding="utf-8")
    assert told(Refused(), str(tmp_path)).endswith(
        f"{tmp_path.name} holds the splits train, test: give {tmp_path / 'test'}"
    )
