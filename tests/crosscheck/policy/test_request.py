"""From the command line to the policy in force: files, the variable, found configs, the day."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from crosscheck import gate
from crosscheck.api import check
from crosscheck.cli import run
from crosscheck.errors import BAD_INPUT, FAILED, PASS, UserError
from crosscheck.gate.request import prepare
from crosscheck.model.options import Options
from crosscheck.report.assemble import report_of
from crosscheck.rerun import rerun

if TYPE_CHECKING:
    from pathlib import Path

DATA = "query_id,candidates,gold\nq1,a|b,a\nq2,c|d,d\n"
WAIVED = '[waivers]\nXC107 = { reason = "known since March", expires = 2027-01-31 }\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "answers.csv").write_text(DATA)
    (tmp_path / "policy.toml").write_text('name = "lab"\ndiscovery = false\nseed = 3\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CROSSCHECK_POLICY", raising=False)
    return tmp_path


def config(folder: Path, text: str) -> None:
    (folder / "data" / "crosscheck.toml").write_text(text)


def test_a_found_config_is_named_as_found(folder: Path) -> None:
    config(folder, "k = [1]\n")
    with prepare(Options(data="data/answers.csv", witnesses=("primary",))) as request:
        assert request.options is not None
        assert (request.options.config, request.options.found) == ("data/crosscheck.toml", True)
        report = report_of(gate.run(replace(request, processes=False)))
    assert "data/crosscheck.toml (found, not named) sets k" in [
        one.text for one in report.circumstances
    ]
    with prepare(Options(data="data/answers.csv", config="data/crosscheck.toml")) as request:
        assert request.options is not None
        assert not request.options.found


def test_a_policy_may_want_configs_to_be_named(folder: Path) -> None:
    config(folder, "k = [1]\n")
    with prepare(Options(data="data/answers.csv", policy="policy.toml")) as request:
        assert request.config.file is None
    named = Options(data="data/answers.csv", policy="policy.toml", config="data/crosscheck.toml")
    with prepare(named) as request:
        assert request.config.file is not None


def test_without_data_a_config_that_is_not_read_is_no_silent_study(folder: Path) -> None:
    (folder / "crosscheck.toml").write_text('data = "data/answers.csv"\n')
    with (
        pytest.raises(UserError, match=r"crosscheck\.toml was found and not read"),
        prepare(Options(strict=True)),
    ):
        pass


def test_what_nobody_says_is_as_the_policy_has_it(folder: Path) -> None:
    text = 'name = "lab"\nseed = 3\nintervals = true\nresamples = 20000\ntolerance = 0.001\n'
    (folder / "policy.toml").write_text(text)
    with prepare(Options(data="data/answers.csv", policy="policy.toml")) as request:
        assert (request.seed, request.resamples) == (3, 20000)
        assert request.terms.tolerance == 0.001
    asked = Options(data="data/answers.csv", policy="policy.toml", seed=4, resamples=9)
    with prepare(asked) as request:
        assert (request.seed, request.resamples) == (4, 9)


def test_the_day_is_asked_for_only_where_a_waiver_expires(folder: Path) -> None:
    with prepare(Options(data="data/answers.csv")) as request:
        assert request.options is not None
        assert request.options.today is None
    config(folder, WAIVED)
    with prepare(Options(data="data/answers.csv", today="2027-01-31")) as request:
        assert len(request.terms.waivers) == 1
    with prepare(Options(data="data/answers.csv", today="2027-02-01")) as request:
        assert request.terms.waivers == ()
        assert request.options is not None
        assert request.options.today == "2027-02-01"
    with prepare(Options(data="data/answers.csv")) as request:
        assert request.options is not None
        assert request.options.today == str(request.today)


@pytest.mark.parametrize("day", ["2027-02-30", "tomorrow"])
def test_a_day_that_is_none_is_refused(
    folder: Path, day: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["gate", "data/answers.csv", "--today", day]) == BAD_INPUT
    assert "--today" in capsys.readouterr().err
    assert not (folder / "reports").exists()


def test_a_recorded_day_that_is_none_is_refused(folder: Path) -> None:
    del folder
    asked = Options(data="data/answers.csv", today="2027-02-30")
    with pytest.raises(UserError, match="there is no such day"), prepare(asked):
        pass


def test_the_variable_names_the_policy_and_the_command_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    del folder
    monkeypatch.setenv("CROSSCHECK_POLICY", "policy.toml")
    assert run(["policy"]) == PASS
    said = capsys.readouterr().out
    assert "Policy “lab” (policy.toml), SHA-256 " in said
    assert "by seed 3 (XC007)" in said
    assert run(["policy", "--strict"]) == BAD_INPUT


def test_the_standard_and_the_strict_policy_are_explained(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del folder
    assert run(["policy", "--strict"]) == PASS
    assert "waivers     none (XC003)" in capsys.readouterr().out
    assert run(["policy", "--json"]) == PASS
    assert '"name": "standard"' in capsys.readouterr().out


def test_the_hash_of_the_gold_is_the_one_that_is_held(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["policy", "--gold", "data/answers.csv"]) == PASS
    held = capsys.readouterr().out.strip()
    (folder / "policy.toml").write_text(f'name = "lab"\n[held]\ngold = ["{held}"]\n')
    asked = Options(data="data/answers.csv", policy="policy.toml", witnesses=("primary",))
    with prepare(asked) as request:
        assert gate.run(replace(request, processes=False)).verdict == "pass"


def test_a_rerun_takes_the_recorded_policy_and_day(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config(folder, WAIVED)
    words = ["--config", "data/crosscheck.toml", "--policy", "policy.toml", "--no-figures", "-q"]
    asked = ["gate", "data/answers.csv", "--witness", "primary", "--today", "2027-01-31"]
    assert run([*asked, *words, "--out", "out"]) == PASS
    monkeypatch.setenv("CROSSCHECK_POLICY", "elsewhere.toml")
    again = rerun(folder / "out", processes=False)
    assert again.differences == ()
    assert again.report.provenance.policy.name == "lab"
    (folder / "policy.toml").write_text('name = "lab"\ntolerance = 1\n')
    with pytest.raises(UserError, match=r"policy\.toml: is not the file that was gated"):
        rerun(folder / "out", processes=False)
    capsys.readouterr()


def test_a_policy_may_require_the_figures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "policy.toml").write_text('name = "lab"\nfigures = true\n')
    asked = ["gate", "data/answers.csv", "--witness", "primary", "--policy", "policy.toml", "-q"]
    assert run([*asked, "--no-figures", "--out", "out"]) == FAILED
    again = rerun(folder / "out", processes=False)
    assert again.differences == ()
    [breach] = [one for one in again.report.findings if one.rule == "XC013"]
    told = "there are no figures (left out with --no-figures), and the policy requires them"
    assert breach.message == told
    assert run(["policy", "--policy", "policy.toml"]) == PASS
    assert "figures     must be drawn (XC013)" in capsys.readouterr().out


def test_a_call_from_python_is_held_to_a_policy_too(folder: Path) -> None:
    (folder / "policy.toml").write_text('name = "lab"\n[claims]\nleast = 1\n')
    asked = {"witnesses": ("primary",), "policy": "policy.toml", "tolerance": 1.0}
    told = check("data/answers.csv", **asked)
    assert {one.rule for one in told.findings if one.severity == "error"} == {"XC001", "XC010"}
