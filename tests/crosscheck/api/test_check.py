"""`crosscheck.check`: what it takes, what it gives, and where it may be called from."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import crosscheck
from crosscheck import gate
from crosscheck.api.arrays import table_of
from crosscheck.api.memory import placed, placed_claims

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COLUMNS = {
    "query_id": ["q1", "q2", "q3"],
    "candidates": [["a", "b"], ["c", "d"], ["e", "f"]],
    "gold": [["a"], ["d"], []],
}
MRR = "mrr@all|positives_only|all|mean"


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Callable[..., crosscheck.Result]:
    """Give `check` with the two implementations alone, in this process."""
    real = gate.run
    monkeypatch.setattr(
        gate,
        "run",
        lambda request: real(replace(request, processes=False, witnesses=request.witnesses[:2])),
    )
    return crosscheck.check


@pytest.mark.parametrize(
    "data",
    [
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS).set_index("query_id"),
        pl.DataFrame(COLUMNS),
        pa.table(COLUMNS),
    ],
    ids=["pandas", "named index", "polars", "arrow"],
)
def test_every_kind_of_table_gives_the_same_ledger(
    check: Callable[..., crosscheck.Result], data: Any
) -> None:
    result = check(data, claims={"MRR": 0.75})
    assert result.passed
    assert result.ledger.loc[MRR, "primary"] == 0.75
    assert result.ledger.loc[MRR, "verdict"] == "exact"


def test_a_path_is_read_where_it_lies_with_the_config_beside_it(
    check: Callable[..., crosscheck.Result], tmp_path: Path
) -> None:
    path = tmp_path / "answers.parquet"
    pl.DataFrame(COLUMNS).write_parquet(path)
    (tmp_path / "crosscheck.toml").write_text("k = [2]\n")
    found = check(path)
    assert "recall@2|positives_only|all|mean" in found.ledger.index
    assert found.report.provenance.request is not None
    assert found.report.provenance.inputs[0].path == str(tmp_path / "crosscheck.toml")


def test_settings_count_instead_of_what_the_config_says(
    check: Callable[..., crosscheck.Result], tmp_path: Path
) -> None:
    (tmp_path / "own.toml").write_text("k = [2]\n")
    found = check(pd.DataFrame(COLUMNS), config=tmp_path / "own.toml", k=np.array([1]))
    assert "recall@1|positives_only|all|mean" in found.ledger.index
    assert "recall@2|positives_only|all|mean" not in found.ledger.index


def test_a_wrong_claim_fails_and_is_explained(check: Callable[..., crosscheck.Result]) -> None:
    result = check(pd.DataFrame(COLUMNS), claims={"MRR": 0.5})
    assert not result
    assert [one.rule for one in result.findings if one.severity == "error"] == ["XC901"]
    told = result.explain("MRR=0.5")
    assert "0.5" in str(told)
    assert "one over the rank" in str(told)
    assert "<table>" in told._repr_html_()
    shown = result._repr_html_()
    assert "FAIL" in shown
    assert "XC901" in shown
    assert "<script" not in shown


def test_a_report_of_data_in_memory_names_them_and_cannot_be_rerun(
    check: Callable[..., crosscheck.Result], tmp_path: Path
) -> None:
    result = check(pd.DataFrame(COLUMNS), k=[1], out=tmp_path / "out")
    assert (tmp_path / "out" / "report.html").is_file()
    [data] = result.report.provenance.inputs
    assert data.path == "in memory/data.parquet"
    assert result.report.provenance.request is None
    assert result.report.provenance.command == ["crosscheck.check(data, k=…)"]


def test_bad_data_raise_one_error_without_the_private_folder(
    check: Callable[..., crosscheck.Result],
) -> None:
    with pytest.raises(crosscheck.UserError) as error:
        check(pd.DataFrame(COLUMNS).assign(gold=[["a", "a"], [], []]))
    assert str(error.value).startswith("data.parquet")


def test_a_setting_that_is_unknown_is_refused(check: Callable[..., crosscheck.Result]) -> None:
    with pytest.raises(crosscheck.UserError, match="treshold: unknown key; did you mean threshold"):
        check(pd.DataFrame(COLUMNS), treshold=0.4)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"q1": {"d1": 1}}, "give \\(qrels, run\\)"),
        (7, "a int cannot be read"),
        ([], "a list cannot be read"),
        (pd.DataFrame({"x": [1, "a", [2]]}), "cannot be read as a table"),
    ],
)
def test_what_is_no_data_is_refused(tmp_path: Path, data: Any, told: str) -> None:
    with pytest.raises(crosscheck.UserError, match=told):
        placed(data, tmp_path)


def test_a_pair_of_dictionaries_is_written_as_json(tmp_path: Path) -> None:
    files = placed(({"q": {"d": np.int64(2)}}, {"q": {"d": np.float64(0.5)}}), tmp_path)
    assert (tmp_path / "qrels.json").read_text() == '{"q": {"d": 2}}'
    assert (tmp_path / "run.json").read_text() == '{"q": {"d": 0.5}}'
    assert files == {name: str(tmp_path / f"{name}.json") for name in ("qrels", "run")}


def test_categories_are_written_as_what_they_stand_for(tmp_path: Path) -> None:
    frame = pd.DataFrame({"label": pd.Categorical(["x", "y", "x"])})
    placed(frame, tmp_path)
    assert pl.read_parquet(tmp_path / "data.parquet").schema == {"label": pl.String}


def test_claims_may_be_paths_mappings_and_frames(tmp_path: Path) -> None:
    files = placed_claims(["a.json", {"MRR": 0.5}, pd.DataFrame({"MRR": [0.5]})], tmp_path)
    assert files == ("a.json", str(tmp_path / "claims.json"), str(tmp_path / "claims.csv"))
    assert (tmp_path / "claims.csv").read_text() == "MRR\n0.5\n"
    with pytest.raises(crosscheck.UserError, match="claims: a int"):
        placed_claims(7, tmp_path)


def test_binary_arrays_stay_numbers_and_take_the_second_column() -> None:
    table = table_of({"y_true": [1.0, 0.0], "y_prob": [[0.3, 0.7], [0.9, 0.1]]}, {})
    assert table.to_pydict() == {"y_true": [1, 0], "y_prob": [0.7, 0.1]}


def test_classes_become_text_and_their_probabilities_lists() -> None:
    settings = {"classes": [0.0, 1.0, 2.0]}
    table = table_of({"y_true": [2, 0], "y_prob": [[0.1, 0.2, 0.7], [1, 0, 0]]}, settings)
    assert table.to_pydict() == {
        "y_true": ["2", "0"],
        "class_probs": [[0.1, 0.2, 0.7], [1.0, 0.0, 0.0]],
    }
    assert settings == {"classes": ["0", "1", "2"]}


@pytest.mark.parametrize(
    ("arrays", "told"),
    [
        ({"y_prob": [0.5]}, "without y_true"),
        ({"y_true": [1]}, "y_true alone"),
        ({"y_true": [1, 0], "y_prob": [0.5]}, "y_true has 2, y_prob has 1"),
        ({"y_true": [[1]], "y_prob": [0.5]}, "y_true: is 1 × 1"),
        ({"y_true": ["a", "b"], "y_prob": [[0.5, 0.5], [1, 0]]}, "which classes are they"),
        ({"y_true": ["a"], "y_score": [[0.5, 0.5]]}, "y_score: has 2 columns"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(arrays: dict[str, Any], told: str) -> None:
    with pytest.raises(crosscheck.UserError, match=told):
        table_of(arrays, {})


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = "{'numpy', 'pandas', 'polars', 'pyarrow', 'pydantic', 'crosscheck.api'}"
    code = f"import crosscheck, sys; assert not {heavy} & set(sys.modules); crosscheck.UserError"
    subprocess.run([sys.executable, "-c", code], check=True)


SCRIPT = """
import crosscheck
print("once")
data = [{"query_id": "q1", "candidates": ["a", "b"], "gold": ["b"]}]
import polars
result = crosscheck.check(polars.DataFrame(data), claims={"MRR": 0.5}, witnesses=["trec_eval"])
print(result)
"""


@pytest.mark.slow
@pytest.mark.parametrize("by", ["script", "-c"])
def test_a_plain_script_is_run_once(tmp_path: Path, by: str) -> None:
    (tmp_path / "plain.py").write_text(SCRIPT)
    words = ["plain.py"] if by == "script" else ["-c", SCRIPT]
    ran = subprocess.run(
        [sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    first, told = ran.stdout.splitlines()
    assert first == "once"
    assert told.startswith("<PASS: ")
    assert "3 witnesses; claims: 1 verified, 0 wrong, 0 unverified, 0 ignored" in told
