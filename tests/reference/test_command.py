"""`python -m reference`: nothing installed, nothing hidden."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import reference
from reference import ledger, magnify, values
from reference.__main__ import __doc__ as description
from reference.__main__ import arguments, main
from reference.reading import load

if TYPE_CHECKING:
    from collections.abc import Callable

    Jsonl = Callable[[list[dict[str, Any]]], Path]

ROOT = Path(__file__).parents[2]
SETTINGS = {"tau_neg": 0.2, "tau_pos": 0.6, "views": {"first": ["A"]}, "k": [3, 10]}


def study() -> list[dict[str, Any]]:
    """Return a small study with every column."""
    rows: list[dict[str, Any]] = []
    for number in range(4):
        for split in ("EVAL", "TUNE"):
            for place, criterion in enumerate("AB"):
                size = number + place + 1
                row = {
                    "post_id": f"{split}-{number}",
                    "criterion_id": criterion,
                    "fold": number % 2,
                    "split": split,
                    "candidates": [f"s{i}" for i in range(size)],
                    "scores": [1 + i // 2 for i in range(size)],
                    "node_probs": [(i % 3) / 4 for i in range(size)],
                    "selected": ["s0"] if number else [],
                    "gold": ["s0", "z"] if (number + place) % 2 else [],
                    "prob": (3 * number + place) / 10,
                }
                rows.append(row)
    return rows


@pytest.fixture
def folder(tmp_path: Path, jsonl: Jsonl) -> Path:
    jsonl(study())
    (tmp_path / "crosscheck.toml").write_text(
        'tau_neg = 0.2\ntau_pos = 0.6\nk = [3, 10]\nseed = 1\ncolour = "red"\n'
        '[views]\nfirst = ["A"]\n[profile]\nposts = 4\n',
        encoding="utf-8",
    )
    return tmp_path


def test_bare_python_prints_the_ledger_with_the_config_beside_the_data(folder: Path) -> None:
    command = [sys.executable, "-I", "-S", "-c", "import runpy, sys; sys.path.insert(0, '');"]
    command[-1] += "runpy.run_module('reference', run_name='__main__', alter_sys=True)"
    done = subprocess.run(
        [*command, str(folder / "data.jsonl")], cwd=ROOT, capture_output=True, text=True, check=True
    )
    expected = reference.evaluate(folder / "data.jsonl", SETTINGS)
    printed = json.loads(done.stdout)
    assert {k: float(v) for k, v in printed.items()} == expected
    assert done.stderr == f"{folder / 'crosscheck.toml'}: not read here: colour\n"


def test_bad_input_is_exit_code_2_and_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "none.csv")]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"{tmp_path / 'none.csv'}: cannot be read")


def test_the_config_beside_the_data_is_read(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(folder / "data.jsonl")]) == 0
    captured = capsys.readouterr()
    expected = reference.evaluate(folder / "data.jsonl", SETTINGS)
    assert {k: float(v) for k, v in json.loads(captured.out).items()} == expected
    assert captured.err == f"{folder / 'crosscheck.toml'}: not read here: colour\n"


def test_the_settings_of_a_system_are_taken(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (folder / "crosscheck.toml").open("a", encoding="utf-8") as config:
        config.write("[systems.strict]\nthreshold = 0.9\n")
    assert main([str(folder / "data.jsonl"), "--system", "strict"]) == 0
    captured = capsys.readouterr()
    expected = reference.evaluate(folder / "data.jsonl", {**SETTINGS, "threshold": 0.9})
    assert {k: float(v) for k, v in json.loads(captured.out).items()} == expected
    assert captured.err == f"{folder / 'crosscheck.toml'}: not read here: colour\n"


def test_the_ledger_is_json_for_people_with_inf_as_text(
    jsonl: Jsonl, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"post_id": "p", "criterion_id": "Ä", "prob": 0.5, "has_evidence": 0}]
    assert main([str(jsonl(rows))]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith('{\n "queries|all_queries|all|n": 1,\n')
    assert '\n "threshold@fpr=1%|all_queries|criterion=Ä|value": "inf",\n' in printed


def test_help_says_what_every_argument_is_for() -> None:
    shown = " ".join(arguments().format_help().split())
    assert shown.startswith("usage: python -m reference [-h] [--qrels QRELS]")
    assert str(description) in shown
    for said in (
        "data a .csv, .tsv, .jsonl, .ndjson, .json (also .gz, .zst) or .parquet or .arrow or",
        "or .feather file, a folder or a glob of them",
        "--qrels QRELS judgements, with --run instead of DATA",
        "--run RUN what was retrieved",
        "--config CONFIG TOML; crosscheck.toml beside the data if there is one",
        "--system NAME take what the config says of this system",
        "--key KEY show one key of the ledger with every count behind it",
        "--query ID [ID ...] show one query step by step",
    ):
        assert said in shown


def test_a_reader_that_has_seen_enough_is_no_error(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is still buffered goes to the null device, so that closing it raises nothing."""
    with (tmp_path / "out").open("w", encoding="utf-8") as stream:

        class Closed:
            def write(self, _text: str) -> None:
                raise BrokenPipeError

            def fileno(self) -> int:
                return stream.fileno()

        monkeypatch.setattr(sys, "stdout", Closed())
        assert main([str(folder / "data.jsonl")]) == 0
        assert os.fstat(stream.fileno()).st_rdev == Path(os.devnull).stat().st_rdev
        assert os.write(stream.fileno(), b"more") == 4


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "give DATA, or --qrels and --run\n"),
        (["data.csv", "--run", "r"], "give DATA, or --qrels and --run, not both\n"),
        (["data.csv", "--qrels", "q"], "give DATA, or --qrels and --run, not both\n"),
        (["--qrels", "q"], "give DATA, or --qrels and --run\n"),
        (["--run", "r"], "give DATA, or --qrels and --run\n"),
        (["nowhere/data.csv", "--system", "full"], "--system needs a config\n"),
    ],
)
def test_bad_usage_is_exit_code_2(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
    assert capsys.readouterr().err.endswith(f"error: {said}")


def test_unreadable_config(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.toml").write_text("k = ", encoding="utf-8")
    assert main([str(folder / "data.jsonl"), "--config", str(folder / "bad.toml")]) == 2
    assert "bad.toml: cannot be read" in capsys.readouterr().err


def test_trec_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q").write_text("1 0 d1 1\n", encoding="utf-8")
    (tmp_path / "r").write_text("1 Q0 d2 1 2 t\n1 Q0 d1 2 1 t\n", encoding="utf-8")
    assert main(["--qrels", str(tmp_path / "q"), "--run", str(tmp_path / "r")]) == 0
    assert json.loads(capsys.readouterr().out)["mrr@all|positives_only|all|mean"] == 0.5


def test_one_key_shows_fraction_decimal_and_counts(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = "auroc|all_queries|all|value"
    assert main([str(folder / "data.jsonl"), "--key", key]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "key": key,
        "value": 0.5,
        "fraction": "1/2",
        "decimal": "0.5",
        "counts": {
            "queries": 8,
            "positives": 4,
            "labelled_1": 4,
            "labelled_0": 4,
            "pairs_won": 8,
            "pairs_tied": 0,
        },
    }


def test_an_unknown_key_is_refused_with_a_suggestion(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(folder / "data.jsonl"), "--key", "auroc|all_queries|all|mean"]) == 2
    assert "Try auroc|all_queries|all|value" in capsys.readouterr().err


def test_every_key_of_the_ledger_can_be_shown(folder: Path) -> None:
    with values.high_precision():
        read = load(folder / "data.jsonl", {**SETTINGS, "k": [10]})
        whole = ledger.exact(read)
        one_of_a_kind = {(key.split("|")[0], key.split("|")[2]): key for key in whole}
        shown = [magnify.key_of(read, whole, key) for key in one_of_a_kind.values()]
    assert [each["key"] for each in shown] == list(one_of_a_kind.values())
    assert all(each.get("counts") or each.get("from") for each in shown)


def test_counts_of_a_tuned_key_are_those_at_the_tuned_threshold(folder: Path) -> None:
    with values.high_precision():
        read = load(folder / "data.jsonl", SETTINGS)
        shown = magnify.key(read, "tpr@fpr=10%/tuned|all_queries|fold=0|value")
    assert shown["counts"]["on_TUNE"]["chosen"] == {"threshold": "0.7", "tp": 1, "fp": 0}
    assert shown["counts"]["on_EVAL"] == {"tp": 1, "fp": 0, "tn": 2, "fn": 1}


def test_one_query_step_by_step(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder / "data.jsonl"), "--query", "EVAL-2", "B"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "query EVAL-2/B, fold 0 (row 10)"
    assert "     3  s0  score 1  GOLD  selected" in [line.replace("1.0", "1") for line in lines]
    assert "     –  z  GOLD, not among the candidates" in lines
    assert "    map@3 = 1/3 / 2 = 1/6" in lines
    assert "    evidence_recall = 1 / 2 = 1/2" in lines


def test_an_unknown_query_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder / "data.jsonl"), "--query", "EVAL-2"]) == 2
    assert "there is no EVAL query EVAL-2" in capsys.readouterr().err
