"""Which settings of a config weaken a run: each is one or the other, and only those are counted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from crosscheck.cli import run
from crosscheck.config import Config, from_table
from crosscheck.errors import FAILED, PASS
from crosscheck.policy.weakening import table, weakening

if TYPE_CHECKING:
    from typing import Any

DATA = "query_id,candidates,gold,dataset\nq1,a|b|c,b,x\nq2,a|b|c,a,y\nq3,a|b|c,c,y\n"


def test_every_setting_is_one_or_the_other() -> None:
    weak, harmless = table()["weakens"].keys(), table()["harmless"].keys()
    assert weak | harmless == set(Config.model_fields)
    assert not weak & harmless


@pytest.mark.parametrize(
    ("settings", "weak"),
    [
        ({}, []),
        ({"data": "a.csv", "claims": "c.json", "slices": {"d": "dataset"}, "k": [5]}, []),
        ({"systems": {"a": {"data": "a.csv"}}}, []),
        ({"systems": {"a": {"data": "a.csv", "relevance_level": 0}}}, ["relevance_level"]),
        ({"tolerance": 0.001, "ties": "docid"}, ["ties", "tolerance"]),
    ],
)
def test_only_what_weakens_is_counted(settings: dict[str, Any], weak: list[str]) -> None:
    assert weakening(from_table(settings)) == weak


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text(DATA)
    return tmp_path


def words(out: str = "r") -> list[str]:
    return ["gate", "data.csv", "--out", out, "-q", "--no-figures", "--witness", "primary"]


def test_a_config_that_only_asks_for_more_is_named_and_weakens_nothing(
    place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (place / "crosscheck.toml").write_text('[slices]\ndataset = "dataset"\n')
    assert run(words()) == PASS
    assert capfd.readouterr().out.endswith("; weakened by witnesses.\n")
    root = ET.parse(place / "r" / "junit.xml").getroot()  # noqa: S314 - our own
    told = {one.get("name"): one.get("value", "") for one in root.iter("property")}
    assert told["otherwise.config"] == "crosscheck.toml (found, not named) sets slices"
    assert told["weakens.witnesses"].startswith("not asked: ranx")
    first = root.find("testsuite")
    assert first is not None
    assert first.get("name") == "What weakens this run"
    text = first.findtext("testcase/system-out", "")
    assert text.startswith("witnesses: not asked: ranx")
    (place / "crosscheck.toml").write_text('relevance_level = 1\nties = "order"\n')
    assert run(words("s")) == PASS
    assert "weakened by config, witnesses." in capfd.readouterr().out


@pytest.fixture
def two(place: Path) -> Path:
    """Give two systems and a policy that asks for a thousand resamples and a witness."""
    (place / "other.csv").write_text(DATA.replace("a|b|c,b", "b|a|c,b"))
    (place / "lab.toml").write_text(
        'name = "lab"\nresamples = 50\nseed = 7\ndiscovery = false\n'
        '[witnesses]\nrequired = ["trec_eval"]\n[claims]\nleast = 5\n[allowed]\ncolumns = []\n'
    )
    return place


COMPARE = ["compare", "data.csv", "other.csv", "--metric", "mrr", "-q"]


@pytest.mark.usefixtures("two")
def test_a_comparison_is_held_to_the_policy_that_is_named(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert run([*COMPARE, "--resamples", "20", "--seed", "7"]) == PASS
    capfd.readouterr()
    assert run([*COMPARE, "--policy", "lab.toml", "--resamples", "20"]) == FAILED
    shown = capfd.readouterr().out
    assert "XC006 20 resamples; the policy asks for 50" in shown
    # The required witness is asked, the seed is the policy's, and a comparison owes no claims.
    assert not [rule for rule in ("XC005", "XC007", "XC010") if rule in shown]
    assert run([*COMPARE, "--policy", "lab.toml", "--resamples", "50", "--seed", "8"]) == FAILED
    assert "XC007 seed 8; the policy fixes 7" in capfd.readouterr().out
    assert run([*COMPARE, "--strict", "--policy", "lab.toml"]) == 2


@pytest.mark.usefixtures("two")
def test_its_config_is_not_found_where_the_policy_wants_it_named(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("crosscheck.toml").write_text('[columns]\ngold = "dataset"\n')
    monkeypatch.setenv("CROSSCHECK_POLICY", "lab.toml")
    assert run([*COMPARE, "--resamples", "50"]) == PASS
    capfd.readouterr()
    assert run([*COMPARE, "--resamples", "50", "--config", "crosscheck.toml"]) == FAILED
    shown = capfd.readouterr().out
    assert "XC008 columns: gold = 'dataset'; the policy allows none" in shown
