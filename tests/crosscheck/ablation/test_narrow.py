"""A file cut down to what a comparison needs says the same about it."""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import primary
from crosscheck.ablation.narrow import cut, narrowed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NDCG = "ndcg@10|positives_only|all|mean"
AUROC = "auroc|all_queries|all|value"
RECALL = "evidence_recall|positives_only|all|mean"
KEYS = ["post_id", "criterion_id", "fold", "split"]


@pytest.fixture
def spare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("spare")


def header(path: str) -> list[str]:
    with open(path, encoding="utf-8", newline="") as file:  # noqa: PTH123 - a case's data is text
        return next(csv.reader(file))


@pytest.mark.parametrize(
    ("key", "kept"),
    [
        (NDCG, ["candidates", "gold", "scores"]),
        (AUROC, ["prob", "has_evidence"]),
        (RECALL, ["selected", "gold", "prob"]),
        ("alert_precision|all_queries|all|value", ["prob"]),
        ("exact_match|posts|all|value", ["prob", "has_evidence"]),
    ],
)
def test_only_what_a_number_needs_is_kept(
    key: str, kept: list[str], cases: Any, spare: Path
) -> None:
    small = cut(cases[2], [key], spare)
    assert header(small.data) == KEYS + kept


def test_two_systems_keep_what_both_have(
    cases: Any, tmp_path: Path, contestants: Any, save: Callable[..., Path]
) -> None:
    """A decision in both, a probability in one: the probability is left out."""
    passed = [row | {"pred": 1} for row in contestants["gated"]]
    without = [{k: v for k, v in row.items() if k != "prob"} for row in passed]
    pair = []
    for place, rows in enumerate((passed, without)):
        data = save(rows, tmp_path / f"side{place}.csv")
        facts = primary.describe(data, {})
        pair.append(replace(cases[0], data=str(data), facts=facts, settings={}))
    (first, second), columns = narrowed(pair[0], pair[1], [RECALL], tmp_path)
    assert header(first.data) == header(second.data) == [*KEYS, "selected", "gold", "pred"]
    assert columns == "post_id, criterion_id, fold, split, selected, gold, pred"


@pytest.mark.parametrize("key", [NDCG, AUROC, RECALL])
def test_the_number_is_the_same(key: str, cases: Any, spare: Path) -> None:
    case = cases[2]
    small = cut(case, [key], spare)
    whole = primary.evaluate(case.data, case.settings)[key]
    assert primary.evaluate(small.data, small.settings)[key] == whole


def test_rows_of_other_splits_are_left_out_unless_they_are_asked_about(
    cases: Any, rows: list[Any], tmp_path: Path, spare: Path, save: Callable[..., Path]
) -> None:
    data = save(rows, tmp_path / "all.csv")
    case = replace(cases[0], data=str(data), facts=primary.describe(data, {}), settings={})
    kept = []
    for key in (AUROC, "tpr@fpr=5%/tuned|all_queries|fold=0|value"):
        place = spare / key[0]
        place.mkdir()
        lines = _lines(cut(case, [key], place).data)
        kept.append({row["split"] for row in csv.DictReader(lines)})
    assert kept == [{"EVAL"}, {"EVAL", "TUNE"}]


def test_a_file_that_is_there_is_never_written_over(cases: Any, folder: Path) -> None:
    before = (folder / "base.csv").read_bytes()
    with pytest.raises(FileExistsError):
        cut(cases[0], [NDCG], folder)
    assert (folder / "base.csv").read_bytes() == before


def _lines(path: str) -> list[str]:
    with open(path, encoding="utf-8", newline="") as file:  # noqa: PTH123 - a case's data is text
        return list(file)


def test_cells_are_copied_as_they_are(cases: Any, tmp_path: Path, spare: Path) -> None:
    text = 'post_id,criterion_id,gold,candidates,note\nNA,"a,b",\'x\'|y,"[""x"", ""y""]",-\n'
    data = tmp_path / "awkward.csv"
    data.write_text(text, encoding="utf-8")
    facts = primary.describe(data, {})
    case = replace(cases[0], data=str(data), facts=facts, settings={})
    (row,) = csv.DictReader(_lines(cut(case, [NDCG], spare).data))
    assert row == {
        "post_id": "NA",
        "criterion_id": "a,b",
        "candidates": '["x", "y"]',
        "gold": "'x'|y",
    }


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "jsonl.gz"])
def test_every_format_can_be_cut(
    kind: str, cases: Any, contestants: Any, tmp_path: Path, spare: Path
) -> None:
    data = tmp_path / f"other.{kind}"
    rows = contestants["gated"]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), data)
    elif kind == "jsonl":
        data.write_text(lines, encoding="utf-8")
    else:
        data.write_bytes(gzip.compress(lines.encode()))
    case = replace(cases[2], data=str(data), facts=primary.describe(data, cases[2].settings))
    small = cut(case, [AUROC], spare)
    whole = primary.evaluate(data, case.settings)[AUROC]
    assert primary.evaluate(small.data, small.settings)[AUROC] == whole
    assert set(primary.describe(small.data, small.settings)["columns"]) == {
        *KEYS,
        "prob",
        "has_evidence",
    }


def test_a_column_of_another_name_is_found(
    cases: Any, contestants: Any, tmp_path: Path, spare: Path, save: Callable[..., Path]
) -> None:
    rows = [
        {("mine" if k == "candidates" else k): v for k, v in r.items()} for r in contestants["base"]
    ]
    data = save(rows, tmp_path / "named.csv")
    settings = {"columns": {"candidates": "mine"}}
    case = replace(
        cases[0], data=str(data), settings=settings, facts=primary.describe(data, settings)
    )
    small = cut(case, [NDCG], spare)
    whole = primary.evaluate(data, settings)[NDCG]
    assert primary.evaluate(small.data, small.settings)[NDCG] == whole


def test_trec_files_stay_as_they_are(cases: Any, tmp_path: Path) -> None:
    files = {"qrels": "a.qrels", "run": "a.run"}
    case = replace(cases[0], data=files)
    (first, second), columns = narrowed(case, case, [NDCG], tmp_path)
    assert first.data == second.data == files
    assert columns == "all columns"
