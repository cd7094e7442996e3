"""Seeds that tell a query differently, classes in another order, or under two names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import primary
from crosscheck.checks import Evidence, inputs
from crosscheck.checks.class_order import explained_by
from crosscheck.data.case import Case

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    PrimarySays = Callable[..., Evidence]

SEEDS = "query_id,seed,label,predicted,corpus\na,1,cat,cat,x\nb,1,dog,dog,x\n"


@pytest.fixture
def told(tmp_path: Path, primary_says: PrimarySays) -> Callable[..., dict[str, str]]:
    def tell(text: str, **settings: Any) -> dict[str, str]:
        path = tmp_path / "a.csv"
        path.write_text(text, encoding="utf-8")
        case = Case("study", str(path), settings, primary.describe(str(path), settings), ())
        return {one.rule: one.message for one in inputs.check(primary_says(case)).findings}

    return tell


def test_seeds_that_agree_are_not_spoken_of(told: Callable[..., dict[str, str]]) -> None:
    found = told(f"{SEEDS}a,2,cat,dog,x\nb,2,dog,dog,x\n", slices={"corpus": "corpus"})
    assert not {"XC122", "XC123"} & set(found)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("a,2,dog,cat,x\nb,2,dog,dog,x\n", "first of a: cat in seed 1, dog in seed 2"),
        ("a,2,cat,cat,x\nb,2,dog,dog,y\n", "the slice corpus of 1"),
    ],
)
def test_a_query_has_one_truth_in_every_seed(
    told: Callable[..., dict[str, str]], rows: str, words: str
) -> None:
    assert words in told(f"{SEEDS}{rows}", slices={"corpus": "corpus"})["XC122"]


def test_a_query_that_a_seed_lacks_is_named(told: Callable[..., dict[str, str]]) -> None:
    found = told(f"{SEEDS}a,2,cat,cat,x\nb,2,dog,dog,x\nc,2,cat,cat,x\n")
    assert found["XC123"].endswith("seed 1 1 of 3, first c")


PERMUTED = "".join(
    f'{name},{name},"{probs}"\n'
    for name, probs in (("a", "[0.1,0.8,0.1]"), ("b", "[0.8,0.1,0.1]"), ("c", "[0.1,0.2,0.7]"))
    for _ in range(3)
)


def test_an_order_that_explains_every_prediction_is_an_error(
    told: Callable[..., dict[str, str]],
) -> None:
    table, classes = f"label,predicted,class_probs\n{PERMUTED}", ["a", "b", "c"]
    found = told(table, classes=classes)
    assert "in the order b, a, c instead of a, b, c" in found["XC121"]
    other = told(
        f'label,predicted,class_probs\n{PERMUTED}a,b,"[0.1,0.8,0.1]"\n', classes=["a", "b", "c"]
    )
    assert "XC121" not in other
    assert "XC116" in other


@pytest.mark.parametrize(
    ("likeliest", "predicted", "order"),
    [
        ([0, 1, 2], ["b", "a", "c"], ["b", "a", "c"]),
        ([0, 1], ["b", "a"], ["b", "a", "c"]),
        ([0, 1, None], ["b", "a", "a"], ["b", "a", "c"]),
        ([0, 1], ["a", "b"], None),
        ([0, 1], ["a", "a"], None),
        ([0, 0], ["a", "b"], None),
        ([0], ["b"], ["b", "a", "c"]),
    ],
)
def test_the_order_that_explains_predictions(
    likeliest: list[int | None], predicted: list[str], order: list[str] | None
) -> None:
    assert explained_by(likeliest, predicted, ["a", "b", "c"]) == order


def test_what_was_taken_for_granted_is_told(tmp_path: Path, primary_says: PrimarySays) -> None:
    path = tmp_path / "a.csv"
    path.write_text(SEEDS, encoding="utf-8")
    case = Case("study", str(path), {}, primary.describe(str(path), {}), (), guessed="as given")
    found = {one.rule: one.message for one in inputs.check(primary_says(case)).findings}
    assert found["XC124"] == "as given"


@pytest.mark.parametrize(
    ("true", "given", "words"),
    [
        (("0.0", "1.0", "2.0"), ("0", "1", "2"), "3 of the classes differently: “0.0” and “0”"),
        (("Cat", "dog"), ("cat ", "dog"), "“Cat” and “cat ”"),
        (("0", "1") * 5, ("cat", "dog") * 5, "no class in common: the labels are “0”, “1”, the"),
    ],
)
def test_a_class_that_is_written_in_two_ways_is_told(
    told: Callable[..., dict[str, str]], true: Any, given: Any, words: str
) -> None:
    rows = "".join(f"{a},{b}\n" for a, b in zip(true, given, strict=True))
    assert words in told(f"label,predicted\n{rows}")["XC125"]


@pytest.mark.parametrize("rows", ["a,A\nA,a\n", "1.5,1\n2,2\n", "a,b\nb,c\n", "1.0,1.0\n2,1.0\n"])
def test_classes_that_both_columns_have_may_look_alike(
    told: Callable[..., dict[str, str]], rows: str
) -> None:
    assert "XC125" not in told(f"label,predicted\n{rows}")


def test_the_positive_class_has_one_name_too(told: Callable[..., dict[str, str]]) -> None:
    rows = "label,predicted\nspam,Spam\nham,Spam\nham,ham\n"
    assert "“spam” and “Spam”" in told(rows, positive="spam")["XC125"]
    rest = "label,predicted\nspam,spam\nham,Ham\nham,Ham\n"
    assert "XC125" not in told(rest, positive="spam")


def test_a_space_that_does_not_break_makes_no_other_class(
    told: Callable[..., dict[str, str]],
) -> None:
    assert "XC125" in told("label,predicted\nnew york,new\u00a0york\nla,la\nx,la\n")
