"""`crosscheck compare` from the command line."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck import cli

if TYPE_CHECKING:
    from pathlib import Path

FEW = ("--resamples", "20", "--metric", "ndcg@10", "--quiet")


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in the systems' folder, where their config lies."""
    monkeypatch.chdir(folder)
    return folder


def compare(*words: str) -> int:
    return cli.run(["compare", *words])


def printed(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


@pytest.mark.usefixtures("here")
def test_the_systems_of_the_config(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(*FEW, "--format", "json") == 0
    found = printed(capsys)
    assert found["verdict"] == "pass"
    assert found["comparison"]["systems"] == ["base", "better", "gated"]
    assert found["provenance"]["command"] == [
        *("crosscheck", "compare", "--metric", "ndcg@10", "--resamples", "20"),
    ]


@pytest.mark.usefixtures("here")
def test_some_systems_and_another_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare("base", "better", "--baseline", "better", *FEW, "--format", "json") == 0
    rows = printed(capsys)["comparison"]["rows"]
    assert [(row["system"], row["baseline"]) for row in rows] == [
        ("base", "better"),
        ("better", "better"),
    ]


def test_files_named_and_unnamed(
    here: Path, capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    away = tmp_path_factory.mktemp("away")
    for name in ("base", "better"):
        shutil.copy(here / f"{name}.csv", away)
    words = (str(away / "base.csv"), f"ours={away / 'better.csv'}")
    assert compare(*words, *FEW, "--format", "json") == 0
    assert printed(capsys)["comparison"]["systems"] == ["base", "ours"]


@pytest.mark.usefixtures("here")
def test_stored_reports(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("base", "better"):
        words = ("gate", f"{name}.csv", "--out", f"reports/{name}", "--no-figures", "--quiet")
        cli.run([*words, "--witness", "reference", "--no-intervals"])
    capsys.readouterr()
    assert compare("reports/base", "reports/better", *FEW, "--format", "json") == 0
    assert printed(capsys)["comparison"]["systems"] == ["base", "better"]


@pytest.mark.usefixtures("here")
def test_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare("base", "better", *FEW) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "nDCG@10: difference from base" in text
    assert "p corrected by Holm's method over the 1 test of the table." in text
    assert "recomputed exactly by the reference" in text
    assert "PASS: 2 systems, 1 test;" in text


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("form", "said"), [("markdown", "| System | nDCG@10 |"), ("latex", r"System & nDCG@10 \\")]
)
def test_for_the_paper(form: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare("base", "better", *FEW, "--format", form) == 0
    assert said in capsys.readouterr().out


def test_everything_in_a_folder(here: Path) -> None:
    assert compare(*FEW, "--out", "compared") == 0
    assert sorted(path.name for path in (here / "compared").iterdir()) == [
        "ablation.pdf",
        "ablation.svg",
        "comparison.json",
        "comparison.md",
        "comparison.tex",
    ]


@pytest.mark.usefixtures("here")
def test_the_same_bytes_each_time(capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for _ in range(2):
        compare("base", "better", *FEW, "--format", "json")
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]


def _lose_a_row(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(lines[:-2]) + "\n", encoding="utf-8")


def test_other_queries_are_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _lose_a_row(here / "better.csv")
    assert compare("base", "better", *FEW) == 2
    assert "better against base: " in capsys.readouterr().err


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("base",), "name at least two systems"),
        (("base", "bettr"), "“bettr” is neither a system of the config (base, better, gated)"),
        (("base", "base"), "two systems are called “base”"),
        (("base", "better", "--metric", "nonsense"), "metric “nonsense”"),
        (("base", "better", "--baseline", "x"), "no system “x” to compare with"),
    ],
)
def test_bad_usage(words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(*words, "--quiet") == 2
    assert said in capsys.readouterr().err


SEEDS = "query_id,seed,label,predicted\na,1,x,x\nb,1,y,{}\na,2,x,y\nb,2,y,y\n"


def test_several_seeds_are_compared_by_the_headline_numbers_of_their_kind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, said in (("first", "x"), ("second", "y")):
        (tmp_path / f"{name}.csv").write_text(SEEDS.format(said), encoding="utf-8")
    words = ("first.csv", "second.csv", "--resamples", "20", "--quiet", "--format", "json")
    assert compare(*words) == 0
    rows = printed(capsys)["comparison"]["rows"]
    found = {row["key"]: row["value"] for row in rows if row["system"] == "second"}
    assert found["accuracy|all_queries|all|value"] == 0.75
    assert compare(*words, "--slice", "seeds", "--metric", "accuracy") == 0
    rows = printed(capsys)["comparison"]["rows"]
    assert [row["key"] for row in rows][-1] == "accuracy|all_queries|seeds|mean"
