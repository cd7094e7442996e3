"""The config: where it is found, what it says, and what is refused."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from crosscheck import config
from crosscheck.contract import load
from crosscheck.errors import UserError


def _read(text: str) -> config.Config:
    return config.from_table(tomllib.loads(text))


def _problems(text: str) -> list[str]:
    with pytest.raises(UserError) as caught:
        _read(text)
    return [line.strip() for line in str(caught.value).splitlines()[1:]]


def test_the_defaults_are_the_contract_s() -> None:
    empty = config.read(None)
    assert (empty.tolerance, empty.resamples, empty.seed) == (0.01, 10000, load().defaults["seed"])
    assert empty.settings() == {}
    assert empty.file is None


def test_the_example_of_the_documentation_is_valid(root: Path) -> None:
    text = (root / "docs" / "data.md").read_text("utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    table = tomllib.loads(example)
    _read(example)
    assert set(table) | {"systems"} == set(config.Config.model_fields)
    assert set(table["profile"]) == set(config.DeclaredProfile.model_fields)


def test_every_default_in_the_documentation_is_the_real_one(root: Path) -> None:
    text = (root / "docs" / "data.md").read_text("utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    table = tomllib.loads(example)
    defaults: dict[str, Any] = {p.setting: p.default for p in load().parameters if p.setting}
    shown = {
        name: tuple(str(number) for number in table[name]) for name in defaults if name != "grid"
    }
    assert shown == {name: value for name, value in defaults.items() if name != "grid"}
    grid = tuple(",".join(map(str, table["grid"][side])) for side in ("tau_neg", "tau_pos"))
    assert grid == defaults["grid"]
    for name, value in load().defaults.items():
        assert str(table[name]) == str(value)


def test_settings_hold_what_was_said_and_nothing_else() -> None:
    given = _read("""
        threshold = { 0 = 0.4, 1 = 0.5 }
        tau_neg = 0.1
        tau_pos = 0.8
        k = [1, 5]
        resamples = 100
        [columns]
        gold = "g"
        [grid]
        tau_neg = [0.1]
        [views]
        v = ["A"]
    """)
    assert given.settings() == {
        "threshold": {"0": 0.4, "1": 0.5},
        "tau_neg": 0.1,
        "tau_pos": 0.8,
        "k": [1, 5],
        "columns": {"gold": "g"},
        "grid": {"tau_neg": [0.1], "tau_pos": ["0.5", "0.6", "0.7", "0.8", "0.9"]},
        "views": {"v": ["A"]},
    }


def test_a_system_s_own_values_stand_over_those_for_all() -> None:
    given = _read("""
        threshold = 0.5
        k = [3]
        columns = { gold = "g", candidates = "c" }
        [systems.b]
        threshold = 0.7
        columns = { candidates = "r" }
        data = "b.csv"
        [systems.c]
    """)
    assert given.settings("b") == {
        "threshold": 0.7,
        "k": [3],
        "columns": {"gold": "g", "candidates": "r"},
    }
    assert given.of("b").data == "b.csv"
    assert given.settings("c") == given.settings()


def test_an_unknown_system_is_named() -> None:
    with pytest.raises(UserError, match=r"has no system “baselin”; did you mean baseline\?"):
        _read("[systems.baseline]").settings("baselin")


def test_the_built_in_study_s_config_is_valid() -> None:
    from crosscheck import study  # noqa: PLC0415 - only here

    assert _read(study.config_text()).rule == "fpr<=5%"


@pytest.mark.parametrize(
    "text", ['claims = "a.json"', 'claims = ["a.json"]', '[claims]\nfile = "a.json"',
             '[claims]\nfiles = ["a.json"]'],
)  # fmt: skip
def test_claims_are_files(text: str) -> None:
    claims = _read(text).claims
    assert claims
    assert claims.files == ["a.json"]


def test_trec_files_are_a_table() -> None:
    assert _read('data = { qrels = "q", run = "r" }').data == {"qrels": "q", "run": "r"}


def test_a_rule_is_read_with_blanks() -> None:
    assert _read('rule = "FPR <= 2.5 %"').rule == "fpr<=2.5%"


def test_an_operating_threshold_is_finite() -> None:
    with pytest.raises(UserError, match=r"threshold.* is inf; expected a number that is finite"):
        _read("threshold = inf")


def test_a_waiver_covers_its_rule_and_its_keys() -> None:
    (waiver,) = _read("""[waivers]\n"XC101 *|fold=3|*" = "late"\n""").waivers
    assert waiver.reason == "late"
    assert waiver.covers("XC101", "auroc|all_queries|fold=3|value")
    assert not waiver.covers("XC101", "auroc|all_queries|fold=4|value")
    assert not waiver.covers("XC102", "auroc|all_queries|fold=3|value")
    assert not waiver.covers("XC101", None)


def test_a_waiver_without_a_key_covers_all() -> None:
    (waiver,) = _read("[waivers]\nXC101 = 'late'").waivers
    assert waiver.covers("XC101", None)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("treshold = 1", "treshold: unknown key; did you mean threshold?"),
        ("[profile]\npost = 1", "profile.post: unknown key; did you mean posts?"),
        ("[systems.a]\ndta = 1", "systems.a.dta: unknown key; did you mean data?"),
        ("[grid]\ntau = [1]", "grid.tau: unknown key"),
        ("tolerance = -0.01", "tolerance: is -0.01; expected a number of at least 0"),
        ("tolerance = true", "tolerance: is True; expected a number of at least 0"),
        ("tolerance = nan", "tolerance: is nan; expected a number of at least 0"),
        ("seed = 1.5", "seed: is 1.5; expected a whole number of at least 0"),
        ("resamples = 0", "resamples: is 0; expected a whole number of at least 1"),
        ("k = [1, 0]", "k[1]: is 0; expected a whole number of at least 1"),
        ("k = 5", "k: is 5; expected a list"),
        ("k = []", "k: is []; expected at least one entry"),
        ("fpr = [101]", "fpr[0]: is 101; expected a number from 0 to 100"),
        ('bins = ["ten"]', "bins[0]: is “ten”; expected a whole number of at least 1"),
        ("gamma = [1.5]", "gamma[0]: is 1.5; expected a number from 0 to 1"),
        ("k_max_ratio = 2", "k_max_ratio: is 2; expected a number from 0 to 1"),
        ("tau_pos = 1.5\ntau_neg = 0", "tau_pos: is 1.5; expected a number from 0 to 1"),
        ("tau_pos = { 0 = 2 }\ntau_neg = 0", "tau_pos: of fold 0 is 2; expected a number"),
        ("rbp = [1]", "rbp[0]: is 1; expected a number between 0 and 1"),
        ("beta = [0]", "beta[0]: is 0; expected a number above 0"),
        ('ties = "score"', "ties: is “score”; expected order or docid or trec_eval"),
        ('dedupe = "last"', "dedupe: is “last”; expected first"),
        ('task = "regression"', "task: is “regression”; expected binary or multiclass"),
        ('[slices]\nfold = "x"', "slices.fold: is no name for a slice"),
        ('[slices]\n2nd = "x"', "slices.2nd: is no name for a slice"),
        ("threshold = { a = 0.5 }", "threshold: names the fold “a”; expected whole numbers"),
        ('ties = "random"', "ties: is “random”; expected order or docid"),
        ('rule = "fpr<5"', 'rule: is “fpr<5”; expected a rule such as "fpr<=5%"'),
        ("data = 5", "data: is 5; expected text"),
        ('data = { qrels = "q" }', "data: is a table; for TREC files it needs qrels and run"),
        ("claims = 5", "claims: names no file"),
        ('[columns]\ngolden = "g"', "columns.golden: is no column of the contract; did you"),
        ("[columns]\ngold = 1", "columns.gold: is 1; expected text"),
        ('views = "all"', "views: is “all”; expected a table"),
        ("[views]\nv = []", "views.v: is []; expected at least one entry"),
        ('metrics = ["ndgc@10"]', "metrics[0]: is no metric: “ndgc@10”"),
        ('metrics = ["f1_macro"]', "metrics[0]: is no metric: “f1_macro”"),
        ('witnesses = ["mine"]', 'witnesses[0]: is “mine”; expected "module:function"'),
        ("waivers = 3", "waivers: is no table"),
        ('[waivers]\nXC000 = "why"', "waivers: names XC000, which `crosscheck rules`"),
        ('[waivers]\nXC101 = ""', "waivers: gives no reason for XC101"),
        ('[profile]\nshared_candidates = "no"', "profile.shared_candidates: is “no”; expected"),
        ("[profile]\nmean_candidates = [18]", "profile.mean_candidates: is [18]; expected 2"),
        ("systems = 3", "systems: is 3; expected a table"),
        ("tau_neg = 0.1", "tau_neg: stands alone; give tau_pos too, or neither"),
        ("tau_neg = 0.8\ntau_pos = 0.2", "tau_neg: 0.8 is above tau_pos, 0.2"),
        ("tau_neg = { 0 = 0.1, 1 = 0.9 }\ntau_pos = 0.5", "tau_neg: 0.9 of fold 1 is above"),
        ("tau_neg = { 0 = 0.1 }\ntau_pos = { 1 = 0.5 }", "tau_neg: names other folds than tau_pos"),
        ("tau_neg = 0.1\ntau_pos = 0.5\n[systems.a]\ntau_neg = 0.6", "systems.a.tau_neg: 0.6 is"),
    ],
)  # fmt: skip
def test_a_problem_is_told_in_plain_words(text: str, problem: str) -> None:
    (found,) = _problems(text)
    assert found.startswith(problem)


def test_equal_taus_are_allowed() -> None:
    assert _read("tau_neg = 0.5\ntau_pos = 0.5").settings() == {"tau_neg": 0.5, "tau_pos": 0.5}


def test_all_problems_are_told_at_once() -> None:
    text = "tolerance = -1\ntreshold = 1\ntau_neg = 0.8\ntau_pos = 0.2\nk = [0, -1]"
    assert len(_problems(text)) == 5


def test_the_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "crosscheck.toml"
    path.write_text("tolerance = -1\nseed = -1\n", "utf-8")
    with pytest.raises(UserError, match=r"crosscheck\.toml has 2 problems:"):
        config.read(path)


def test_broken_toml_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "crosscheck.toml"
    path.write_text("tolerance 3\n", "utf-8")
    with pytest.raises(UserError, match=r"is not valid TOML: .*line 1"):
        config.read(path)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read: No such file"):
        config.read(tmp_path / "none.toml")


def test_a_config_is_found_beside_the_data(tmp_path: Path) -> None:
    (tmp_path / "crosscheck.toml").write_text('data = "d.csv"', "utf-8")
    found = config.find(tmp_path / "d.csv")
    assert found == tmp_path / "crosscheck.toml"
    assert config.read(found).locate("d.csv") == tmp_path / "d.csv"


def test_a_config_is_found_in_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "crosscheck.toml").write_text("", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert config.find() == Path("crosscheck.toml")


def test_pyproject_serves_if_it_has_the_table(tmp_path: Path) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text("[project]\nname = 'x'\n[tool.crosscheck]\nk = [7]\n", "utf-8")
    found = config.find(tmp_path)
    assert found == project
    assert config.read(found).k == [7]


def test_pyproject_without_the_table_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert config.find(tmp_path) is None
