"""The settings of docs/interface.md: read into exact numbers, or refused in a sentence."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import primary
from primary import Settings, settings
from primary.arithmetic.decimals import shortest


def refused(given: dict[str, Any]) -> list[str]:
    with pytest.raises(primary.InputError) as caught:
        settings(given)
    return [problem.what for problem in caught.value.problems]


@pytest.mark.parametrize("given", [None, {}])
def test_without_settings_the_contracts_defaults_hold(given: dict[str, Any] | None) -> None:
    tenths = [Fraction(number, 10) for number in range(10)]
    assert settings(given) == Settings(
        columns={},
        threshold=None,
        tau_neg=None,
        tau_pos=None,
        views={},
        k=(1, 3, 5, 10, 20),
        fpr=(Fraction(1), Fraction(3), Fraction(5), Fraction(10)),
        bins=(10,),
        gamma=(tenths[7], tenths[8], tenths[9], Fraction(19, 20)),
        grid_neg=(Fraction(1, 20), tenths[1], tenths[2], tenths[3]),
        grid_pos=tuple(tenths[5:]),
        k_min=2,
        hard_cap=10,
        k_max_ratio=tenths[5],
        ties="order",
        relevance_level=1,
        sample=1,
    )


def test_every_setting_is_read_as_its_decimal() -> None:
    given = {
        "columns": {"prob": "p"},
        "threshold": {"0": 0.3, 1: "0.4"},
        "tau_neg": 0,
        "tau_pos": {"0": 1},
        "views": {"first": ["A.1", "A.2"]},
        "k": [5, 2, 5],
        "fpr": [100, 0, "2.5"],
        "bins": (15, 1),
        "gamma": [1, 0.25],
        "grid": {"tau_neg": [1, 0], "tau_pos": [0.5]},
        "k_min": 0,
        "hard_cap": 0,
        "k_max_ratio": 1,
        "ties": "docid",
        "relevance_level": -2,
        "sample": 3,
    }
    assert settings(given) == Settings(
        columns={"prob": "p"},
        threshold={"0": Fraction(3, 10), "1": Fraction(2, 5)},
        tau_neg=Fraction(0),
        tau_pos={"0": Fraction(1)},
        views={"first": ("A.1", "A.2")},
        k=(2, 5),
        fpr=(Fraction(0), Fraction(5, 2), Fraction(100)),
        bins=(1, 15),
        gamma=(Fraction(1, 4), Fraction(1)),
        grid_neg=(Fraction(0), Fraction(1)),
        grid_pos=(Fraction(1, 2),),
        k_min=0,
        hard_cap=0,
        k_max_ratio=Fraction(1),
        ties="docid",
        relevance_level=-2,
        sample=3,
    )


def test_settings_that_were_read_are_not_read_again() -> None:
    read = settings({"threshold": 0.25})
    assert settings(read) is read


def test_one_half_of_the_grid_leaves_the_other_at_its_default() -> None:
    assert settings({"grid": {"tau_neg": [0.5]}}).grid_pos == Settings().grid_pos
    assert settings({"grid": {"tau_pos": [0.5]}}).grid_neg == Settings().grid_neg


def test_a_tau_that_is_none_is_not_set() -> None:
    assert settings({"tau_neg": None, "tau_pos": None, "threshold": None}) == Settings()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"threshold": "inf"}, "setting 'threshold': 'inf' is not a finite number"),
        ({"threshold": "x"}, "setting 'threshold': 'x' is not a number"),
        ({"threshold": True}, "setting 'threshold': expected a number, found True"),
        ({"gamma": [-0.1]}, "setting 'gamma': expected a number from 0 to 1, found -0.1"),
        ({"fpr": [101]}, "setting 'fpr': expected a number from 0 to 100, found 101"),
        ({"gamma": [2]}, "setting 'gamma': expected a number from 0 to 1, found 2"),
        ({"grid": {"tau_pos": [2]}}, "setting 'grid': expected a number from 0 to 1, found 2"),
        ({"grid": {"tau_neg": [2]}}, "setting 'grid': expected a number from 0 to 1, found 2"),
        ({"k_max_ratio": 2}, "setting 'k_max_ratio': expected a number from 0 to 1, found 2"),
        (
            {"k_max_ratio": -0.5},
            "setting 'k_max_ratio': expected a number from 0 to 1, found -0.5",
        ),
        ({"k": [True]}, "setting 'k': expected a list of ints, found True in it"),
        ({"k": [1.5]}, "setting 'k': expected a list of ints, found 1.5 in it"),
        ({"k": ["all"]}, "setting 'k': expected a list of ints, found 'all' in it"),
        ({"top_k": [1.0]}, "setting 'top_k': expected a list of ints, found 1.0 in it"),
        ({"top_k": [1, "3"]}, "setting 'top_k': expected a list of ints, found '3' in it"),
        ({"k": "135"}, "setting 'k': expected a list, found '135'"),
        ({"bins": [0]}, "setting 'bins': expected a whole number of at least 1, found 0"),
        ({"k_min": -1}, "setting 'k_min': expected a whole number of at least 0, found -1"),
        ({"hard_cap": -1}, "setting 'hard_cap': expected a whole number of at least 0, found -1"),
        ({"sample": 0}, "setting 'sample': expected a whole number of at least 1, found 0"),
        ({"views": {"v": "A.1"}}, "setting 'views': expected a list, found 'A.1'"),
        (
            {"ties": "best"},
            "setting 'ties': expected 'order' or 'docid' or 'trec_eval', found 'best'",
        ),
        (
            {"columns": {"labels": "x", "p": "y"}},
            "setting 'columns': no column of the contract is called 'labels', 'p'",
        ),
        (
            {"grid": {"tau": [1], "t": [1]}},
            "setting 'grid': expected the keys tau_neg and tau_pos, found 'tau'",
        ),
        ({"tau_neg": 0.5}, "one of tau_neg and tau_pos is set alone"),
        ({"tau_pos": 0.5}, "one of tau_neg and tau_pos is set alone"),
        ({"tau_neg": 0.5, "tau_pos": 0.25}, "tau_neg 0.5 is above tau_pos 0.25"),
        (
            {"tau_neg": {"0": 0.1, "1": 0.5}, "tau_pos": {"0": 0.2, "1": 0.4}},
            "tau_neg 0.5 is above tau_pos 0.4 in fold 1",
        ),
        ({"tau_neg": 0.5, "tau_pos": {"3": 0}}, "tau_neg 0.5 is above tau_pos 0 in fold 3"),
        ({"tau_neg": {"3": 1}, "tau_pos": 0.5}, "tau_neg 1 is above tau_pos 0.5 in fold 3"),
    ],
)
def test_a_bad_setting_is_refused_in_a_sentence(given: dict[str, Any], told: str) -> None:
    assert refused(given) == [told]


def test_one_whole_number_may_be_decimal_text() -> None:
    assert settings({"grade_max": "2", "sample": 3.0}) == Settings(grade_max=2, sample=3)


def test_equal_taus_do_not_cross_and_folds_of_one_alone_are_left_to_the_data() -> None:
    assert settings({"tau_neg": 0.5, "tau_pos": 0.5}).tau_neg == Fraction(1, 2)
    given = {"tau_neg": {"0": 0.5}, "tau_pos": {"1": 0.25}}
    assert settings(given).tau_pos == {"1": Fraction(1, 4)}


def test_a_bad_setting_is_told_with_what_to_do() -> None:
    with pytest.raises(primary.InputError) as caught:
        settings({"treshold": 1, "ties": "best", "tau_neg": 1})
    unknown, bad, alone = caught.value.problems
    assert unknown.what == "setting 'treshold' is not known"
    assert unknown.remedy.startswith("Known settings are columns, threshold, tau_neg, tau_pos, ")
    assert bad.remedy == "See docs/interface.md, section Settings."
    assert alone.remedy == "Set both, or neither."
    assert refused({"tau_neg": 1, "tau_pos": 0}) == ["tau_neg 1 is above tau_pos 0"]


def test_crossed_taus_are_told_with_the_contracts_rule() -> None:
    with pytest.raises(primary.InputError, match=r"needs 0 ≤ tau_neg ≤ tau_pos ≤ 1\."):
        settings({"tau_neg": 1, "tau_pos": 0})


def test_small_numbers_in_keys_have_no_exponent() -> None:
    assert shortest(Fraction(1, 10**7)) == "0.0000001"
