"""Every way in gives the same data, verbatim; every bad cell is refused at its place."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pytest

import primary
from primary.reading.load import load
from primary.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from primary.data.rows import Data

LISTS = ("candidates", "scores", "gold", "selected", "node_probs")
ODD = [
    "007",
    "7",
    "NA",
    "null",
    "1e5",
    "100000",
    "#x",
    'q"x',
    "it's",
    "a,b",
    "a|b",
    "x\ny",
    "日本",
    " ",
    "[",
    "\\",
]


def as_cells(frame: pl.DataFrame, write: Any) -> pl.DataFrame:
    return frame.with_columns(
        pl.Series(name, [write(cell or []) for cell in frame[name].to_list()])
        for name in LISTS
        if name in frame.columns
    )


def odd_rows() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "query_id": ODD,
            "candidates": [[*ODD[i:], *ODD[:i]] for i in range(len(ODD))],
            "gold": [[one] for one in ODD],
        }
    )


@pytest.fixture(scope="module")
def expected(small_study: pl.DataFrame, small_settings: dict[str, Any]) -> dict[str, Any]:
    return primary.evaluate(small_study, small_settings)


def test_one_reading_serves_every_question(
    small_study: pl.DataFrame, small_settings: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "study.parquet"
    small_study.write_parquet(path)
    once = primary.read(path, small_settings)
    path.unlink()
    given = small_study, small_settings
    assert primary.describe(once) == primary.describe(*given)
    assert primary.evaluate(once) == primary.evaluate(*given)
    assert primary.per_query(once).equals(primary.per_query(*given))
    assert primary.table(once).equals(primary.table(*given))
    assert set(primary.compare((once, None), given).ledger.values()) == {0.0}


def test_csv_with_json_lists(
    small_study: pl.DataFrame, small_settings: dict[str, Any], expected: Any, tmp_path: Path
) -> None:
    as_cells(small_study, json.dumps).write_csv(tmp_path / "data.csv")
    assert primary.evaluate(tmp_path / "data.csv", small_settings) == expected


def test_csv_with_python_lists_gzipped(
    small_study: pl.DataFrame, small_settings: dict[str, Any], expected: Any, tmp_path: Path
) -> None:
    text = as_cells(small_study, repr).write_csv()
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(text.encode()))
    assert primary.evaluate(str(tmp_path / "data.csv.gz"), small_settings) == expected


def test_csv_with_joined_ids(
    small_study: pl.DataFrame, small_settings: dict[str, Any], expected: Any, tmp_path: Path
) -> None:
    as_cells(small_study, lambda cell: "|".join(map(str, cell))).write_csv(tmp_path / "data.csv")
    assert primary.evaluate(tmp_path / "data.csv", small_settings) == expected


def test_json_lines(
    small_study: pl.DataFrame, small_settings: dict[str, Any], expected: Any, tmp_path: Path
) -> None:
    small_study.write_ndjson(tmp_path / "data.jsonl")
    assert primary.evaluate(tmp_path / "data.jsonl", small_settings) == expected


def test_the_end_of_its_name_says_what_a_file_is(tmp_path: Path) -> None:
    rows = pl.DataFrame({"query_id": ["a"], "pred": [1]})
    rows.write_csv(tmp_path / "rows.CSV")
    rows.write_ndjson(tmp_path / "rows.jsonl")
    rows.write_parquet(tmp_path / "rows.Parquet")
    for path in sorted(tmp_path.iterdir()):
        assert primary.per_query(path)["query_id"].tolist() == ["a"]
    with pytest.raises(primary.InputError, match="no known kind"):
        primary.evaluate(tmp_path / "rows.txt")


def test_parquet(
    small_study: pl.DataFrame, small_settings: dict[str, Any], expected: Any, tmp_path: Path
) -> None:
    small_study.write_parquet(tmp_path / "data.parquet")
    assert primary.evaluate(tmp_path / "data.parquet", small_settings) == expected


def test_arrow_table_and_pandas_frame(
    small_study: pl.DataFrame, small_settings: dict[str, Any], expected: Any
) -> None:
    assert primary.evaluate(small_study.to_arrow(), small_settings) == expected
    assert primary.evaluate(small_study.to_pandas(), small_settings) == expected


def test_rows_in_any_order_give_the_same_ledger(
    small_study: pl.DataFrame, small_settings: dict[str, Any], expected: Any
) -> None:
    shuffled = primary.evaluate(
        small_study.sample(fraction=1, shuffle=True, seed=4), small_settings
    )
    # Among equal probabilities the file's order decides which bin of equal mass a row is in.
    by_order = {key for key in expected if key.startswith("ece@10/equal_mass|")}
    assert shuffled.keys() == expected.keys()
    assert {key: shuffled[key] for key in shuffled.keys() - by_order} == pytest.approx(
        {key: expected[key] for key in expected.keys() - by_order}, abs=1e-12
    )


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_odd_ids_stay_verbatim(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"data.{suffix}"
    if suffix == "csv":
        as_cells(odd_rows(), json.dumps).write_csv(path)
    else:
        getattr(odd_rows(), {"jsonl": "write_ndjson", "parquet": "write_parquet"}[suffix])(path)
    frame = primary.per_query(path)
    assert frame["query_id"].tolist() == ODD
    assert frame["mrr@all"].tolist() == [1.0] * len(ODD)


def test_python_lists_of_odd_ids(tmp_path: Path) -> None:
    as_cells(odd_rows(), repr).write_csv(tmp_path / "data.csv")
    assert primary.per_query(tmp_path / "data.csv")["mrr@all"].tolist() == [1.0] * len(ODD)


def test_table_shows_what_the_contract_sees(
    small_study: pl.DataFrame, small_settings: dict[str, Any]
) -> None:
    table = primary.table(small_study, small_settings)
    assert table.height == small_study.height
    assert table["post_id"].to_list() == small_study["post_id"].to_list()
    for scores in table.filter(pl.col("split") == "EVAL")["scores"]:
        assert scores.to_list() == sorted(scores, reverse=True)
    assert table["state"].drop_nulls().unique().sort().to_list() == ["NEG", "POS", "UNCERTAIN"]
    assert table.filter(pl.col("split") == "TUNE")["candidates"].null_count() == 30


def test_per_query_values_average_to_the_ledger(
    small_study: pl.DataFrame, small_settings: dict[str, Any], expected: Any
) -> None:
    frame = primary.per_query(small_study, small_settings)
    assert isinstance(frame, pd.DataFrame)
    positives = frame[
        frame["evidence_recall"].notna()
        & (small_study.filter(pl.col("split") == "EVAL")["gold"].list.len().to_numpy() > 0)
    ]
    for metric in ("ndcg@10", "map@3/by_hits", "precision@all", "evidence_recall"):
        assert positives[metric].mean() == pytest.approx(
            expected[f"{metric}|positives_only|all|mean"], abs=1e-12
        )


@pytest.mark.parametrize("family", ["ranking", "pairs", "gamma", "dynamic_k", "curves", "grid"])
def test_a_familys_keys_are_those_of_the_whole_ledger(
    family: str, small_study: pl.DataFrame, small_settings: dict[str, Any], expected: Any
) -> None:
    ledger = primary.evaluate(small_study, small_settings, families=[family])
    assert ledger == {key: expected[key] for key in ledger}
    assert len(ledger) < len(expected)


@pytest.mark.parametrize(
    ("family", "key"),
    [
        ("ranking", "mrr@all|positives_only|all|mean"),
        ("ties", "mrr@all/tie_low|positives_only|all|mean"),
        ("pairs", "auroc|pairs|all|value"),
        ("gamma", "k@gamma=0.9|all_queries|all|mean"),
        ("dynamic_k", "avg_k|all_queries|all|mean"),
        ("deployment", "deployment_tp|all_queries|all|value"),
        ("k_bounds", "k_below_min|all_queries|all|value"),
        ("curves", "auroc|all_queries|all|value"),
        ("confusion", "tp|all_queries|all|value"),
        ("tuned", "mcc@fpr=5%/tuned|all_queries|fold=0|value"),
        ("states", "n_neg|all_queries|all|value"),
        ("grid", "neg_rate@tau=0.1,0.8|tune_queries|fold=0|value"),
        ("per_post", "exact_match|posts|all|value"),
        ("per_criterion", "n_queries|all_queries|criterion=A.1|value"),
    ],
)
def test_a_family_asked_for_alone_is_computed_alone(
    family: str, key: str, small_study: pl.DataFrame, small_settings: dict[str, Any], expected: Any
) -> None:
    ledger = primary.evaluate(small_study, small_settings, families=[family])
    assert ledger[key] == expected[key]
    others = {"mrr@all", "auroc", "tp", "avg_k", "n_neg", "exact_match", "n_queries"}
    assert {one.partition("|")[0] for one in ledger} & others <= {key.partition("|")[0]}


def test_only_the_named_families_are_computed(small_study: pl.DataFrame) -> None:
    ledger = primary.evaluate(small_study, families=["calibration"])
    assert {key.partition("@")[0].partition("|")[0] for key in ledger} == {
        *("queries", "brier", "brier/skill", "ece", "mce", "log_loss", "reliability"),
    }


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (
            "data.csv",
            b"query_id,prob,has_evidence\na,0.5\n",
            ["row 1", "found 2 fields, expected 3"],
        ),
        ("data.csv", b'query_id,prob\na,"0.5\n', ["row 1", "quote"]),
        ("data.csv", b"query_id,prob\n\xff,0.5\n", ["line 2", "UTF-8"]),
        ("data.csv", b"query_id,prob\n", ["no rows"]),
        ("data.csv", b"query_id,prob,fold\na,0.5,x\n", ["column fold", "'x'"]),
        ("data.csv", b"query_id,prob,split\na,0.5,test\n", ["column split", "'test'"]),
        ("data.csv", b"query_id,prob,split\na,0.5,TUNE\n", ["EVAL"]),
        ("data.csv", b"query_id,prob\n,0.5\n", ["row 1", "id is empty"]),
        ("data.csv.gz", b"no gzip", ["truncated or damaged"]),
        ("data.parquet", b"no parquet", ["Parquet"]),
        ("data.jsonl", b'{"query_id": true, "prob": 0.5}\n', ["row 1", "query_id", "found true"]),
        ("data.csv", b"foo,bar\n1,2\n", ["no column is known; found foo, bar"]),
        ("data.jsonl", b'{"query_id": "q", "prob": NaN}\n', ["row 1", "column prob: found nan"]),
        ("data.txt", b"", [".csv"]),
    ],
)
def test_bad_files_are_refused_with_their_place(
    name: str, content: bytes, words: list[str], tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(tmp_path / name)
    assert [word for word in (name, *words) if word not in str(caught.value)] == []


def test_an_absent_file_is_refused(tmp_path: Path) -> None:
    for name in ("none.csv", "none.parquet"):
        with pytest.raises(primary.InputError, match="no such file"):
            primary.evaluate(tmp_path / name)


def test_twenty_problems_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    rows = "".join(f"q{row},2\n" for row in range(2500))
    (tmp_path / "data.csv").write_text(f"query_id,prob\n{rows}", encoding="utf-8")
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(tmp_path / "data.csv")
    assert str(caught.value).count("found '2'") == 20
    assert str(caught.value).endswith("… and 2480 more problems")
    assert caught.value.count == 2500


@pytest.mark.parametrize("text", ["query_id,prob\na,0.5\n\nb,0.25\n", "query_id\na\n\nb\n"])
def test_a_blank_line_in_a_csv_is_no_row(text: str, tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text(text, encoding="utf-8")
    assert primary.describe(tmp_path / "data.csv")["rows"]["EVAL"] == 2


def test_train_rows_may_lack_a_probability(tmp_path: Path) -> None:
    text = "query_id,split,has_evidence,prob\na,EVAL,1,0.5\nb,TRAIN,0,\n"
    (tmp_path / "data.csv").write_text(text, encoding="utf-8")
    assert primary.describe(tmp_path / "data.csv")["rows"] == {"EVAL": 1, "TUNE": 0, "TRAIN": 1}


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"treshold": 0.5}, "treshold"),
        ({"threshold": 1.5}, "1.5"),
        ({"threshold": {"0": 0.5}}, "no number for fold 1"),
        ({"tau_neg": 0.5}, "alone"),
        ({"tau_neg": 0.5, "tau_pos": 0.4}, "above"),
        ({"k": [0]}, "at least 1"),
        ({"k": 5}, "expected a list"),
        ({"gamma": [1.5]}, "1.5"),
        ({"ties": "random"}, "random"),
        ({"columns": {"labels": "x"}}, "labels"),
        ({"columns": {"prob": "nowhere"}}, "nowhere"),
        ({"grid": {"tau": [1]}}, "tau"),
        ({"sample": "x"}, "not a number"),
    ],
)
def test_bad_settings_are_refused(
    settings: dict[str, Any], word: str, small_study: pl.DataFrame
) -> None:
    with pytest.raises(primary.InputError, match=word):
        primary.evaluate(small_study, settings)


def test_problems_of_every_kind_are_told_together(tmp_path: Path) -> None:
    rows = [
        {"query_id": "a", "fold": "x", "prob": 0.5, "candidates": ["s"], "scores": [1.0]},
        {"query_id": "b", "fold": 0, "prob": 2, "candidates": ["s"], "scores": [1.0]},
        {"query_id": "c", "fold": 0, "prob": 0.5, "candidates": ["s", 1], "scores": [1.0, 2.0]},
        {"query_id": "d", "fold": 0, "prob": 0.5, "candidates": ["s", "s"], "scores": [1.0]},
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "data.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(primary.InputError) as caught:
        primary.evaluate(tmp_path / "data.jsonl")
    found = [(problem.row, problem.column) for problem in caught.value.problems]
    assert found == [(1, "fold"), (2, "prob"), (3, "candidates"), (4, "scores"), (4, "candidates")]


def whole(**columns: Any) -> pl.DataFrame:
    """Two EVAL rows and a TUNE row with every column, some of them as given."""
    rows: dict[str, Any] = {
        "post_id": ["p", "r", "t"],
        "criterion_id": ["A", "A", "A"],
        "fold": [0, 0, 0],
        "split": ["EVAL", "EVAL", "TUNE"],
        "candidates": [["s", "t"], ["u"], None],
        "scores": [[0.5, 1.5], [2.0], None],
        "gold": [["t"], [], ["x"]],
        "has_evidence": [1, 0, 1],
        "prob": [0.75, 0.25, 0.5],
        "pred": [1, 0, None],
        "state": ["POS", "NEG", None],
        "selected": [["t"], [], None],
        "node_probs": [[0.5, 0.5], [1.0], None],
    }
    return pl.DataFrame(rows | columns, strict=False)


def told(**columns: Any) -> list[tuple[int | None, str | None]]:
    """Say of which rows and columns something is told."""
    with pytest.raises(primary.InputError) as caught:
        load(whole(**columns), Settings())
    return [(problem.row, problem.column) for problem in caught.value.problems]


def test_the_columns_of_a_table_are_read_each_in_its_type() -> None:
    data = load(whole(), Settings())
    assert data.rows == {"EVAL": 2, "TUNE": 1, "TRAIN": 0}
    assert data.candidates is not None
    assert data.candidates.series().to_list() == [["s", "t"], ["u"]]
    assert [getattr(data, name).tolist() for name in ("scores", "node_probs", "has_evidence")] == [
        [0.5, 1.5, 2.0],
        [0.5, 0.5, 1.0],
        [1, 0],
    ]
    assert [getattr(data, name).tolist() for name in ("pred", "state", "prob", "fold")] == [
        [1, 0],
        [2, 0],
        [0.75, 0.25],
        [0, 0],
    ]


@pytest.mark.parametrize(
    ("columns", "places"),
    [
        ({"post_id": ["p", "p", "t"]}, [(2, None)]),
        ({"post_id": ["", "r", "t"]}, [(1, "post_id")]),
        ({"criterion_id": ["A", None, "A"]}, [(2, "criterion_id")]),
        ({"fold": ["0", "x", "0"]}, [(2, "fold")]),
        ({"fold": ["0", "1", "0"]}, [(None, "fold")]),
        ({"split": ["EVAL", "x", "TUNE"]}, [(2, "split")]),
        ({"candidates": [["s", "t"], [None, None], None]}, [(2, "candidates")]),
        ({"candidates": [["s", "t", "s"], ["u"], None]}, [(1, "scores"), (1, "candidates")]),
        ({"candidates": [1, 2, 3]}, [(None, "candidates")]),
        ({"gold": [["x", "x"], [], None]}, [(1, "gold")]),
        ({"selected": [["w"], [], None]}, [(1, "selected")]),
        ({"scores": [[0.5, 1.5], [None], None]}, [(2, "scores")]),
        ({"scores": ["a", "b", "c"]}, [(1, "scores"), (2, "scores")]),
        ({"node_probs": [[0.5, 2.0], [1.0], None]}, [(1, "node_probs")]),
        ({"pred": [1, None, None]}, [(2, "pred")]),
        ({"state": ["no", "NEG", None]}, [(1, "state")]),
        ({"has_evidence": [1, 0, 2]}, [(3, "has_evidence")]),
        ({"prob": [0.75, 0.25, None]}, [(3, "prob")]),
        ({"criterion_id": ["A", "B", "A"]}, [(1, "criterion_id"), (2, "criterion_id")]),
    ],
)
def test_what_is_wrong_with_one_column_is_told_of_it_alone(
    columns: dict[str, Any], places: list[tuple[int | None, str | None]]
) -> None:
    load(whole(), Settings())
    assert told(**columns) == places


def test_a_table_is_refused_for_its_keys_and_for_want_of_rows(tmp_path: Path) -> None:
    assert load(whole().drop("prob"), Settings()).prob is None
    assert told(fold=["0", "1", "0"]) == [(None, "fold")]
    assert told(post_id=["p", "p", "t"]) == [(2, None)]
    assert told(post_id=["p", "", "t"]) == [(2, "post_id")]
    assert told(split=["TUNE", "TUNE", "TRAIN"]) == [(None, None)]
    path = tmp_path / "data.parquet"
    whole(post_id=["p", "p", "t"]).write_parquet(path)
    with pytest.raises(primary.InputError) as caught:
        load(path, Settings())
    assert [problem.file for problem in caught.value.problems] == [str(path)]


def test_a_column_that_the_input_lacks_is_none() -> None:
    data = load(whole().drop("has_evidence"), Settings())
    assert data.has_evidence is None
    assert data.label is not None
    assert data.label.tolist() == [1, 0]


@pytest.mark.parametrize("lacking", [["fold"], ["has_evidence", "gold"], ["prob"]])
def test_without_fold_label_or_probability_no_threshold_is_tuned(lacking: list[str]) -> None:
    assert load(whole(), Settings()).tune is not None
    assert load(whole().drop(lacking), Settings()).tune is None


@pytest.mark.parametrize(("width", "label"), [(1, 1), (0, 0)])
def test_gold_in_lists_of_a_fixed_length_makes_the_label(width: int, label: int) -> None:
    gold = pl.Series([["x"] * width] * 3, dtype=pl.Array(pl.String, width))
    data = load(whole(gold=gold).drop("has_evidence"), Settings())
    assert data.tune is not None
    assert data.tune.label.tolist() == [label]


# The hashes of q1 and q9 are even, that of q0 is odd.
SPLITS = {"q1": "EVAL", "q9": "EVAL", "q0": "EVAL"}


def sampled(split: dict[str, str]) -> Data:
    rows = {"query_id": list(split), "split": list(split.values()), "fold": 0, "has_evidence": 1}
    return load(pl.DataFrame(rows | {"prob": 0.5}), Settings(sample=2))


@pytest.mark.parametrize(
    ("splits", "rows"),
    [
        ({}, {"EVAL": 2, "TUNE": 0, "TRAIN": 0}),
        ({"q9": "TUNE"}, {"EVAL": 1, "TUNE": 1, "TRAIN": 0}),
        ({"q9": "TRAIN"}, {"EVAL": 1, "TUNE": 0, "TRAIN": 1}),
        ({"q0": "TUNE"}, {"EVAL": 2, "TUNE": 0, "TRAIN": 0}),
        ({"q9": "TUNE", "q0": "TUNE"}, {"EVAL": 1, "TUNE": 1, "TRAIN": 0}),
    ],
)
def test_the_sampled_rows_of_each_split_are_counted(
    splits: dict[str, str], rows: dict[str, int]
) -> None:
    data = sampled(SPLITS | splits)
    assert data.rows == rows
    assert data.others.height == rows["TUNE"] + rows["TRAIN"]
    if "TUNE" in splits.values():
        assert data.tune is not None
        assert len(data.tune.fold) == len(data.tune.label) == len(data.tune.score) == rows["TUNE"]


def test_trec_queries_are_sampled(tmp_path: Path) -> None:
    paths = {"qrels": tmp_path / "qrels", "run": tmp_path / "run"}
    paths["qrels"].write_text("".join(f"{one} 0 a 1\n" for one in SPLITS), encoding="utf-8")
    paths["run"].write_text("q1 Q0 a 1 1 s\nq0 Q0 b 1 1 s\n", encoding="utf-8")
    data = load(paths, Settings(sample=2))
    assert data.query is not None
    assert data.query.to_list() == ["q1", "q9"]
    assert data.rows == {"EVAL": 2, "TUNE": 0, "TRAIN": 0}
    assert primary.read(**paths).data.size == 3


def test_a_lazy_frame_is_a_table_too() -> None:
    assert primary.evaluate(whole().lazy()) == primary.evaluate(whole())


def test_a_name_of_a_parquet_file_is_no_pattern(tmp_path: Path) -> None:
    whole().write_parquet(tmp_path / "data[1]*.parquet")
    whole().head(1).write_parquet(tmp_path / "data[1]2.parquet")
    whole().head(1).write_parquet(tmp_path / "data1.parquet")
    assert primary.describe(tmp_path / "data[1]*.parquet")["rows"]["EVAL"] == 2


def test_json_lines_may_be_called_ndjson(tmp_path: Path) -> None:
    line = b'{"query_id": "q", "prob": 0.5, "has_evidence": 1}\n'
    (tmp_path / "data.ndjson").write_bytes(line)
    (tmp_path / "data.ndjson.gz").write_bytes(gzip.compress(line))
    for name in ("data.ndjson", "data.ndjson.gz"):
        assert primary.evaluate(tmp_path / name)["brier|all_queries|all|value"] == 0.25


def test_a_column_that_is_mapped_is_no_longer_known_by_its_alias() -> None:
    rows = pl.DataFrame(
        {
            "query_id": ["q"],
            "retrieved_ids": [["a", "b"]],
            "ranked_ids": [["b", "a"]],
            "gold": [["a"]],
        }
    )
    given = {"columns": {"candidates": "retrieved_ids"}}
    assert primary.describe(rows, given)["columns"] == {
        "query_id": "query_id",
        "candidates": "retrieved_ids",
        "gold": "gold",
    }
    assert primary.evaluate(rows, given)["mrr@all|positives_only|all|mean"] == 1.0
    both = {"columns": {"candidates": "ranked_ids", "selected": "retrieved_ids"}}
    assert primary.describe(rows, both)["columns"]["selected"] == "retrieved_ids"


def test_a_column_of_the_contracts_name_is_read_even_if_it_is_mapped() -> None:
    rows = pl.DataFrame({"query_id": ["q"], "selected": [["a"]], "gold": [["a"]]})
    columns = primary.describe(rows, {"columns": {"candidates": "selected"}})["columns"]
    assert (columns["candidates"], columns["selected"]) == ("selected", "selected")


def test_a_family_is_computed_alone_from_a_reading_too() -> None:
    rows = pl.DataFrame({"query_id": ["a"], "prob": [0.5], "has_evidence": [1]})
    for data in (rows, primary.read(rows)):
        ledger = primary.evaluate(data, families=["calibration"])
        assert ledger["brier|all_queries|all|value"] == 0.25
        assert "auroc|all_queries|all|value" not in ledger
