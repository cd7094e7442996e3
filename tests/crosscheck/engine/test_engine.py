"""The engine's ledger against the exact reference: integers equal, the rest within 1e-14."""

from __future__ import annotations

import random
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck import config, study
from crosscheck.config.systems import Source
from crosscheck.data.case import make_case
from crosscheck.engine.base import EngineError, Ordering
from crosscheck.engine.connect import connect, files_of
from crosscheck.engine.evaluate import evaluate
from crosscheck.witnesses.registry import choose

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Columns = dict[str, list[Any]]
    Write = Callable[..., str]
    Draw = Callable[..., Columns]
    Differing = Callable[..., list[tuple[str, object, object]]]

TAU = {"tau_neg": "0.2", "tau_pos": "0.7"}
FORCED = Ordering(round_rows=150, cells=5)


def asked(path: str, settings: dict[str, Any], ordering: Ordering | None = None) -> dict[str, Any]:
    with closing(connect("duckdb", ordering)) as engine:
        answer = evaluate(engine, [path], settings)
    assert answer.declined == {}
    return dict(answer.ledger)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    """Give the built-in study's full pipeline as Parquet, with its settings."""
    folder: Path = tmp_path_factory.mktemp("study")
    study.write(folder, systems=("full",), format="parquet")
    settings = config.read(folder / config.FILE).settings(None)
    return str(folder / "full.parquet"), settings


def test_the_study_is_the_references(
    full: tuple[str, dict[str, Any]], differing: Differing
) -> None:
    path, settings = full
    ledger = asked(path, settings, Ordering(round_rows=100_000, cells=5, key_rows=4_000))
    assert len(ledger) > 20_000
    assert differing(path, settings, ledger) == []


def hundred(drawn: Draw, below: Draw, count: int = 100) -> Columns:
    """Draw so many data sets, each a value of a declared slice."""
    draw = random.Random(20)
    found = []
    for number in range(count):
        one = drawn(draw, f"s{number}", 8)
        one["dataset"] = [f"d{number}"] * 8
        found.append(one)
    return below(*found)


def test_a_hundred_random_sets_are_the_references(
    written: Write, drawn: Draw, below: Draw, differing: Differing
) -> None:
    path = written(hundred(drawn, below))
    settings = {"slices": {"set": "dataset"}, "k": [3], "recall_levels": [0.5], **TAU}
    assert differing(path, settings, asked(path, settings, FORCED)) == []


def test_ranges_and_cells_change_no_bit(written: Write, drawn: Draw, below: Draw) -> None:
    path = written(hundred(drawn, below, 12))
    settings = {"slices": {"set": "dataset"}, "k": [3], "recall_levels": [0.5], **TAU}
    assert asked(path, settings) == asked(path, settings, FORCED)


SHAPES: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "everything": ((), {"threshold": {"0": 0.1, "3": 0.7}, "fpr": ["0.5", 33, 100]}),
    "without decisions": (("pred",), {"bins": [3, 7], **TAU}),
    "without scores": (("scores", "selected"), {"threshold": 0.3}),
    "labels from gold": (("has_evidence",), {}),
    "labels alone": (("gold", "selected", "candidates", "scores", "node_probs"), {}),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_folds_tuning_and_posts_are_the_references(
    shape: str, written: Write, drawn: Draw, below: Draw, differing: Differing
) -> None:
    draw = random.Random(shape)
    some = []
    for fold in (0, 3):
        for split in ("EVAL", "TUNE"):
            one = drawn(draw, f"{fold}{split}", 10, split=split)
            one["fold"] = [fold] * 10
            some.append(one)
    columns = below(*some)
    left_out, settings = SHAPES[shape]
    for name in left_out:
        del columns[name]
    views = {"one|two": ["A|1"], "nobody": ["zz"]}
    settings = {"views": views, "k": [1, 5], "recall_levels": [0, 0.3], **settings}
    path = written(columns)
    assert differing(path, settings, asked(path, settings, FORCED)) == []


def test_seeds_grades_and_uncalibrated_scores_are_the_references(
    written: Write, drawn: Draw, below: Draw, differing: Differing
) -> None:
    draw = random.Random(5)
    some = []
    for seed in ("a", "b%"):
        for split in ("EVAL", "TUNE"):
            one = drawn(draw, "same" + split, 12, split=split)
            one["seed"] = [seed] * 12
            one["fold"] = [at // 6 for at in range(12)]
            some.append(one)
    columns = below(*some)
    columns["grades"] = [[draw.randint(1, 4) for _ in gold] for gold in columns["gold"]]
    del columns["prob"], columns["selected"]
    columns["score"] = [draw.gauss(0, 3) for _ in columns["seed"]]
    path = written(columns)
    settings = {"k": [2, 5], "recall_levels": [0.5], "threshold": -1}
    assert differing(path, settings, asked(path, settings)) == []


def test_a_seed_may_lack_a_fold(
    written: Write, drawn: Draw, below: Draw, differing: Differing
) -> None:
    draw = random.Random(8)
    some = [
        drawn(draw, "same", 8) | {"seed": [seed] * 8, "fold": [fold] * 8}
        for seed, fold in (("a", 0), ("a", 1), ("b", 1))
    ]
    path = written(below(*some))
    settings: dict[str, Any] = {"k": [3], "recall_levels": [0.5]}
    assert differing(path, settings, asked(path, settings)) == []


def test_close_calls_of_the_sweep_go_by_decimals(
    written: Write, drawn: Draw, differing: Differing
) -> None:
    draw = random.Random(3)
    columns = drawn(draw, "close", 10)
    # Ten equal shares of 16 digits: the seventh reaches 0.7 exactly, which no sum of floats shows.
    columns["candidates"] = [[f"c{at}" for at in range(10)] for _ in range(10)]
    columns["scores"] = [[float(-at) for at in range(10)] for _ in range(10)]
    columns["node_probs"] = [[draw.random()] * 10 for _ in range(10)]
    columns["gold"] = [["c6"] for _ in range(10)]
    columns["has_evidence"] = [1] * 10
    columns["selected"] = [["c0"] for _ in range(10)]
    path = written(columns)
    settings: dict[str, Any] = {"k_max_ratio": 1, "k": [3], "recall_levels": [0.5]}
    assert differing(path, settings, asked(path, settings)) == []


def test_a_sample_is_the_references_sample(
    written: Write, drawn: Draw, differing: Differing
) -> None:
    path = written(drawn(random.Random(1), "sampled", 60))
    settings: dict[str, Any] = {"sample": 3, "k": [3], "recall_levels": [0.5]}
    assert differing(path, settings, asked(path, settings)) == []


def test_numbers_of_32_bits_are_their_own_shortest_decimals(
    tmp_path: Path, differing: Differing
) -> None:
    import pyarrow as pa  # noqa: PLC0415 - this test alone makes its own table
    from pyarrow import parquet  # noqa: PLC0415 - the same

    probs = pa.array([0.1, 0.3, 0.7, 0.30000001, 1.0, 0.6], pa.float32())
    table = pa.table({"query_id": [*"abcdef"], "has_evidence": [0, 1, 1, 0, 1, 0], "prob": probs})
    parquet.write_table(table, tmp_path / "single.parquet")
    path = str(tmp_path / "single.parquet")
    assert differing(path, {"threshold": 0.3}, asked(path, {"threshold": 0.3})) == []


def test_files_of_a_folder_are_one_table(
    written: Write, drawn: Draw, below: Draw, tmp_path: Path
) -> None:
    draw = random.Random(9)
    parts = [drawn(draw, f"p{at}", 10) for at in range(3)]
    (tmp_path / "parts").mkdir()
    for at, one in enumerate(parts):
        written(one, f"parts/{at}.parquet")
    whole = written(below(*parts), "whole.parquet")
    with closing(connect("duckdb")) as engine:
        found = evaluate(engine, files_of(tmp_path / "parts"), {"k": [3]}).ledger
    assert found == asked(whole, {"k": [3]})


def test_what_a_job_left_that_did_not_end_is_no_data(tmp_path: Path) -> None:
    names = ("a.parquet", "_temporary/0/b.parquet", ".ipynb_checkpoints/a.parquet", "._a.parquet")
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert files_of(tmp_path) == [str(tmp_path / "a.parquet")]


def test_files_in_folders_of_different_columns_are_refused(tmp_path: Path) -> None:
    for name in ("fold=0/a.parquet", "b.parquet"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    with pytest.raises(EngineError, match=r"the column fold, those of .*b\.parquet give none\. "):
        files_of(tmp_path)


def test_what_is_no_parquet_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    with pytest.raises(EngineError, match="there is no such file"):
        files_of(table)
    table.write_text("query_id\n")
    with pytest.raises(EngineError, match="reads Parquet; write the table so"):
        files_of(table)
    with pytest.raises(EngineError, match="qrels and runs are not that"):
        files_of({"qrels": "q", "run": "r"})
    with pytest.raises(EngineError, match="“hive” is no engine: expected duckdb"):
        connect("hive")


def judged(drawn: Draw) -> Columns:
    """Draw rows with judged ids: the gold, some of the other candidates, one that was not found."""
    draw = random.Random(6)
    columns = drawn(draw, "judged", 40)
    columns["judged"] = [
        [*gold, *(uid for uid in ids if uid not in gold and draw.random() < 0.5), *extra]
        for ids, gold in zip(columns["candidates"], columns["gold"], strict=True)
        for extra in [draw.choice([[], [f"lost-{draw.random()}"]])]
    ]
    # Scores that tie, whatever kind was drawn.
    columns["scores"] = [[draw.choice([1.0, 2.0]) for _ in one] for one in columns["scores"]]
    return columns


def test_judged_ids_are_the_references(written: Write, drawn: Draw, differing: Differing) -> None:
    path = written(judged(drawn))
    settings: dict[str, Any] = {"k": [3], "recall_levels": [0.5]}
    ledger = asked(path, settings)
    assert 0 < ledger["bpref|positives_only|all|mean"] < 1
    assert ledger["judged@3/tie_low|all_queries|all|mean"] < ledger["judged@3|all_queries|all|mean"]
    assert differing(path, settings, ledger) == []


def test_the_witness_testifies_when_called_by_name(
    full: tuple[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, settings = full
    monkeypatch.delenv("CROSSCHECK_ENGINE", raising=False)
    [_, _, witness] = choose(["sql"])
    source = Source("full", path, {**settings, "families": ["confusion"]})
    case = make_case(source, source.settings, wants_intervals=False)
    answer = witness.testify(case)
    assert set(answer.ledger) == set(case.owed)
    assert answer.declined == {}
    assert str(answer.note).startswith("by duckdb ")


def test_an_interrupted_query_is_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        """What DuckDB raises after Control-C."""

        def execute(self, query: str) -> None:
            raise RuntimeError("Query interrupted", query)

    with closing(connect("duckdb")) as engine:
        monkeypatch.setattr(engine, "_database", Interrupted())
        with pytest.raises(KeyboardInterrupt):
            engine.rows("SELECT 1")


def test_a_disk_that_is_full_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CROSSCHECK_MEMORY", "40MB")
    monkeypatch.setenv("CROSSCHECK_SPILL", str(tmp_path))
    with closing(connect("duckdb")) as engine:
        engine.rows("SET max_temp_directory_size = '1MB'")
        with pytest.raises(EngineError, match=r"duckdb ran out of memory .* CROSSCHECK_SPILL"):
            engine.rows("SELECT list(range) FROM range(8000000)")
    assert list(tmp_path.iterdir()) == []


def test_sizes_and_folders_that_are_none_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSCHECK_MEMORY", "lots")
    with pytest.raises(EngineError, match="CROSSCHECK_MEMORY=lots: expected a size such as 2GB"):
        connect("duckdb")
    monkeypatch.setenv("CROSSCHECK_MEMORY", "1GB")
    monkeypatch.setenv("CROSSCHECK_SPILL", "nowhere")
    with pytest.raises(EngineError, match="CROSSCHECK_SPILL=nowhere: is no folder"):
        connect("duckdb")
