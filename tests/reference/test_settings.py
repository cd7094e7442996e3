"""Settings: what is read from a dictionary or TOML, and what is said about a bad one."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from reference import SettingsError, UnreadableError
from reference.settings import Settings, read, read_toml

if TYPE_CHECKING:
    from pathlib import Path


def problems(given: dict[str, Any]) -> list[tuple[str, str | None]]:
    with pytest.raises(SettingsError) as caught:
        read(given)
    return [(problem.what, problem.remedy) for problem in caught.value.problems]


def test_none_means_the_default_and_what_follows_is_read() -> None:
    assert read({"k": None, "bins": [5]}) == Settings(bins=(5,))


def test_every_unknown_setting_is_named_with_the_known_ones() -> None:
    known = (
        "Known settings are columns, threshold, tau_neg, tau_pos, views, k, fpr, bins, gamma, "
        "grid, k_min, hard_cap, k_max_ratio, ties, relevance_level, dedupe, grade_max, rbp, "
        "recall_levels, beta, top_k, task, positive, classes, slices, run_path, sample, families"
    )
    assert problems({"treshold": 1, "K": 2}) == [
        ("unknown setting 'treshold'", known),
        ("unknown setting 'K'", known),
    ]


UNIT = "Give a number from 0 to 1"
FAMILIES = (
    'Give "ranking", "ties", "pairs", "curves", "calibration", "confusion", "tuned", "grid", '
    '"dynamic_k", "k_bounds", "gamma", "deployment", "states", "graded", "exponential", '
    '"judged", "classes", "class_probs", "confusion_matrix", "per_post", "per_criterion", '
    '"state_slices", "has_evidence_slices" or "posts"'
)
BY_FOLD = "Give a number, or a table of them by fold"
NAMES = (
    "Name slices by letters, digits and _, a letter first, and not all, fold, folds, criterion, "
    "criteria, state, view, has_evidence, class, seed, seeds"
)
CLASSES = "Give two classes or more, each once, none of them empty"


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("threshold", [], "Give a number"),
        ("threshold", "x", "Give a number"),
        ("threshold", True, "Give a number"),
        ("threshold", float("inf"), "Give a number"),
        ("threshold", {"0": "x"}, BY_FOLD),
        ("threshold", {"x": 0.5}, BY_FOLD),
        ("tau_neg", 2, UNIT),
        ("tau_neg", {"0": -0.1}, f"{UNIT}, or a table of them by fold"),
        ("rbp", [1], "Give a number between 0 and 1"),
        ("rbp", ["x"], "Give a number between 0 and 1"),
        ("recall_levels", [1.1], UNIT),
        ("beta", [0], "Give a number above 0"),
        ("beta", [-1], "Give a number above 0"),
        ("top_k", [0], "Give an integer, 1 or more"),
        ("grade_max", 0, "Give an integer, 1 or more"),
        ("dedupe", "last", 'Give "first"'),
        ("task", "ranking", 'Give "binary" or "multiclass"'),
        ("classes", "ab", "Give a list"),
        ("classes", ["a"], CLASSES),
        ("classes", ["a", "a"], CLASSES),
        ("classes", ["a", ""], CLASSES),
        ("classes", ["a", 1], "Give text"),
        ("slices", {"fold": "a"}, NAMES),
        ("slices", {"seeds": "a"}, NAMES),
        ("slices", {"1a": "a"}, NAMES),
        ("slices", {"a-b": "a"}, NAMES),
        ("slices", {"é": "a"}, NAMES),
        ("slices", ["a"], "Give a table"),
        ("run_path", 3, "Give text"),
        ("fpr", [101], "Give a number from 0 to 100"),
        ("fpr", [10**400], "Give a number from 0 to 100"),
        ("fpr", [float("nan")], "Give a number from 0 to 100"),
        ("fpr", 5, "Give a list"),
        ("k", [0], "Give an integer, 1 or more"),
        ("k", [1.0], "Give an integer, 1 or more"),
        ("k_min", -1, "Give an integer, 0 or more"),
        ("relevance_level", -(2**31) - 1, "Give an integer, -2147483648 or more"),
        ("views", {"a": [1]}, "Give text"),
        ("views", ["a"], "Give a table"),
        ("columns", {1: "a"}, "Give text"),
        ("grid", {"tau": [0.1]}, "Give the lists tau_neg and tau_pos, or one of them"),
        ("grid", {"tau_neg": 0.1}, "Give a list"),
        ("ties", "random", 'Give "order", "docid" or "trec_eval"'),
        ("ties", ["order"], 'Give "order", "docid" or "trec_eval"'),
        ("families", "ranking", "Give a list"),
        ("families", ["ranking", "rankin"], FAMILIES),
        ("families", [["ranking"]], FAMILIES),
    ],
)
def test_a_bad_setting_is_quoted_with_what_to_give(name: str, value: object, remedy: str) -> None:
    assert problems({name: value}) == [(f"setting {name} is {value!r}", remedy)]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("k", [1], (1,)),
        ("fpr", [0, 100], (Decimal(0), Decimal(100))),
        ("gamma", ["0.5", 0.25], (Decimal("0.25"), Decimal("0.5"))),
        ("relevance_level", -(2**31), -(2**31)),
        ("threshold", {"0": 0, "1": 1}, {0: Decimal(0), 1: Decimal(1)}),
        ("sample", 1, 1),
        ("sample", 10**400, 10**400),
    ],
)
def test_the_ends_of_a_range_belong_to_it(name: str, value: object, expected: object) -> None:
    assert getattr(read({name: value}), name) == expected


@pytest.mark.parametrize("name", ["k_min", "hard_cap", "relevance_level", "grade_max", "sample"])
def test_an_integer_may_be_any_number_that_is_whole(name: str) -> None:
    assert [getattr(read({name: value}), name) for value in ("2", "2.0", 2.0, "2e0")] == [2] * 4
    for value in ("2.5", 2.5, "x", "", "inf", True, [2], -(2**31) - 1.0):
        (problem,) = problems({name: value})
        assert problem[0] == f"setting {name} is {value!r}"


NEG = ("0.05", "0.1", "0.2", "0.3")
POS = ("0.5", "0.6", "0.7", "0.8", "0.9")


@pytest.mark.parametrize(
    ("grid", "neg", "pos"),
    [
        ({}, NEG, POS),
        ({"tau_neg": [0.4]}, ("0.4",), POS),
        ({"tau_pos": [0.75, 0.7]}, NEG, ("0.7", "0.75")),
    ],
)
def test_a_side_of_the_grid_that_is_not_set_keeps_the_contracts_points(
    grid: dict[str, list[float]], neg: tuple[str, ...], pos: tuple[str, ...]
) -> None:
    expected = tuple((Decimal(low), Decimal(high)) for low in neg for high in pos)
    assert read({"grid": grid}).grid == expected


def test_points_of_the_grid_out_of_order_are_left_out() -> None:
    found = read({"grid": {"tau_neg": [0.2, 0.8], "tau_pos": [0.5, 0.8]}}).grid
    assert found == tuple(
        (Decimal(low), Decimal(high))
        for low, high in (("0.2", "0.5"), ("0.2", "0.8"), ("0.8", "0.8"))
    )


@pytest.mark.parametrize(
    ("tau_neg", "tau_pos", "said"),
    [
        (0.5, 0.4, "tau_neg 0.5 is above tau_pos 0.4"),
        (0.5, {"3": 0.4}, "tau_neg 0.5 is above tau_pos 0.4 in fold 3"),
        ({"3": 0.5}, 0.4, "tau_neg 0.5 is above tau_pos 0.4 in fold 3"),
    ],
)
def test_thresholds_out_of_order_are_named_with_their_fold(
    tau_neg: object, tau_pos: object, said: str
) -> None:
    found = problems({"tau_neg": tau_neg, "tau_pos": tau_pos})
    assert found == [(said, "Set 0 ≤ tau_neg ≤ tau_pos ≤ 1")]


def test_one_threshold_of_two_is_refused() -> None:
    expected = [("only one of tau_neg and tau_pos is set", "Set both or neither")]
    assert problems({"tau_neg": 0.5}) == problems({"tau_pos": 0.5}) == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("crosscheck.toml", "k = [3]\nseed = 1\nzeal = 2\ncolour = 3\n"),
        ("pyproject.toml", "[tool.crosscheck]\nk = [3]\nseed = 1\nzeal = 2\ncolour = 3\n"),
    ],
)
def test_toml_is_read_with_what_nobody_knows_apart(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_toml(tmp_path / name) == ({"k": [3]}, ["colour", "zeal"])


@pytest.mark.parametrize("text", ["", "[tool.other]\nk = [3]\n", "k = [3]\n"])
def test_a_pyproject_without_our_table_sets_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(text, encoding="utf-8")
    assert read_toml(path) == ({}, [])


@pytest.fixture
def with_systems(tmp_path: Path) -> Path:
    path = tmp_path / "crosscheck.toml"
    path.write_text(
        "threshold = 0.3\ntau_pos = 0.9\n[columns]\nprob = 'p'\ngold = 'g'\n"
        "[systems.a]\ndata = 'a.csv'\nthreshold = 0.4\ncolumns = { gold = 'h' }\n"
        "[systems.b]\nrule = 'fpr<=5%'\nzeal = 2\n",
        encoding="utf-8",
    )
    return path


def test_a_system_has_its_own_values_over_those_for_all(with_systems: Path) -> None:
    columns = {"prob": "p", "gold": "h"}
    assert read_toml(with_systems, "a") == (
        {"threshold": 0.4, "tau_pos": 0.9, "columns": columns},
        [],
    )


def test_what_a_system_leaves_open_holds_for_all(with_systems: Path) -> None:
    columns = {"prob": "p", "gold": "g"}
    assert read_toml(with_systems, "b") == (
        {"threshold": 0.3, "tau_pos": 0.9, "columns": columns},
        ["zeal"],
    )


def test_systems_are_named_as_not_read_where_none_is_asked_for(with_systems: Path) -> None:
    columns = {"prob": "p", "gold": "g"}
    assert read_toml(with_systems) == (
        {"threshold": 0.3, "tau_pos": 0.9, "columns": columns},
        ["systems"],
    )


def test_columns_of_a_system_alone_are_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "crosscheck.toml"
    path.write_text("[systems.a]\ncolumns = { gold = 'h' }\n", encoding="utf-8")
    assert read_toml(path, "a") == ({"columns": {"gold": "h"}}, [])


@pytest.mark.parametrize(("text", "there"), [("[systems.a]\n[systems.b]\n", "a, b"), ("", "none")])
def test_an_unknown_system_is_refused_with_those_there_are(
    tmp_path: Path, text: str, there: str
) -> None:
    path = tmp_path / "crosscheck.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        read_toml(path, "c")
    (problem,) = caught.value.problems
    assert (problem.what, problem.remedy) == ("has no system 'c'", f"There is {there}")
    assert problem.file == str(path)


def test_text_in_toml_is_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "crosscheck.toml"
    path.write_text('[views]\n"ä" = ["ö"]\n', encoding="utf-8")
    assert read_toml(path) == ({"views": {"ä": ["ö"]}}, [])


def test_broken_toml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "crosscheck.toml"
    path.write_text("k = ", encoding="utf-8")
    with pytest.raises(UnreadableError) as caught:
        read_toml(path)
    (problem,) = caught.value.problems
    assert problem.what.startswith("cannot be read: ")
    assert (problem.file, problem.remedy) == (str(path), "Give a TOML file")
