"""What a refused input is told to try, where a look at the files tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crosscheck.config.systems import Source
from crosscheck.data.case import make_case
from crosscheck.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path

QRELS = "q 0 a 1\n"
RUN = "q Q0 a 1 2.0 r\nq Q0 b 2 1.0 r\n"


def refused(data: str | dict[str, str]) -> str:
    with pytest.raises(UserError) as told:
        make_case(Source("s", data, {}), {}, wants_intervals=False)
    return str(told.value)


@pytest.mark.parametrize(
    ("qrels", "run", "hint"),
    [
        (RUN, QRELS, "The two files look exchanged"),
        (QRELS, f"{RUN}q Q0 a 3 0.5 r\n", "--dedupe first"),
        ("q\ta\t1\n", RUN, "looks like BEIR's judgements without their first line"),
        ("user_id,item_id,rating\nq,a,1\n", RUN, "{'user_id': 'qid', 'item_id': 'docno', "),
    ],
)
def test_a_pair_of_files(tmp_path: Path, qrels: str, run: str, hint: str) -> None:
    paths = {"qrels": tmp_path / "qrels.txt", "run": tmp_path / "run.txt"}
    for name, text in (("qrels", qrels), ("run", run)):
        paths[name].write_text(text, encoding="utf-8")
    assert hint in refused({name: str(path) for name, path in paths.items()})


@pytest.mark.parametrize(
    ("name", "text", "hint"),
    [
        (
            "a.csv",
            "query_id,run,y_true,y_prob\na,1,1,0.9\na,2,1,0.8\nb,1,0,0.1\nb,2,0,0.2\n",
            '[columns] seed = "run"',
        ),
        (
            "a.json",
            '{"q1": {"retrieved": ["a"], "relevant": ["a"]}}',
            "looks like an object with an object for each query",
        ),
        (
            "a.jsonl",
            '{"ID": "q1", "Retrieved": ["a", "b"], "Relevant": ["a"]}\n',
            'candidates = "Retrieved"',
        ),
        (
            "a.json",
            '{"y_true": {"0": 1, "1": 0}, "y_prob": {"0": 0.9, "1": 0.2}}',
            "written by column",
        ),
    ],
)
def test_a_table(tmp_path: Path, name: str, text: str, hint: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert hint in refused(str(path))
