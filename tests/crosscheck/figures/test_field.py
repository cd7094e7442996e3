"""Figures of the field: drawn where the data have what they show, in the data's own words."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from crosscheck.figures import FIGURES, OF_FIELD, draw_all, due

if TYPE_CHECKING:
    from crosscheck.drawing.data import FigureData
    from crosscheck.report.gallery import Drawn, Gallery

STUDY = re.compile(r"\b(sentences?|posts?|criteri(on|a)|evidence|clinicians?)\b", re.IGNORECASE)


@pytest.fixture(scope="module")
def galleries(ranking: FigureData, classes: FigureData) -> dict[str, Gallery]:
    return {"ranking": draw_all(ranking), "classes": draw_all(classes)}


def figure(gallery: Gallery, name: str) -> Drawn:
    return next(one for one in gallery.figures if one.name == name)


def test_each_kind_of_data_has_its_own_figures(galleries: dict[str, Gallery]) -> None:
    names = {kind: [one.name for one in found.figures] for kind, found in galleries.items()}
    assert names == {
        "ranking": ["cutoffs", "graded", "interpolated", "slices", "agreement"],
        "classes": [
            "confusion_matrix",
            "classes",
            "one_vs_rest",
            "top_label",
            "seeds",
            "agreement",
        ],
    }
    assert [found.not_drawn for found in galleries.values()] == [{}, {}]


def test_a_figure_that_the_data_have_nothing_for_is_not_even_missed() -> None:
    assert due({"families": ["curves"]}) == ["roc", "precision_recall", "agreement"]
    assert set(due({"posts": 1})) == set(FIGURES) - OF_FIELD


@pytest.mark.parametrize("kind", ["ranking", "classes"])
def test_no_word_of_the_study_is_in_a_figure_of_other_data(
    galleries: dict[str, Gallery], kind: str
) -> None:
    for one in galleries[kind].figures:
        texts = " ".join(re.findall(r">([^<]+)<", one.inline))
        assert not STUDY.search(f"{texts} {one.title} {one.alt} {one.caption}"), one.name


def test_the_readings_of_the_grades_are_called_by_their_full_names(
    galleries: dict[str, Gallery],
) -> None:
    drawn = figure(galleries["ranking"], "graded")
    assert drawn.title == "Graded nDCG@10 0.550, Exponential nDCG@10 0.500, nDCG@10 (binary) 0.600"
    assert "gain 2^g − 1" in drawn.alt
    # Its letters are wide: the first line ends earlier than by the count of characters.
    assert ">Graded nDCG@10 0.550, Exponential nDCG@10<" in drawn.inline


def test_the_confusion_matrix_names_what_is_confused(galleries: dict[str, Gallery]) -> None:
    drawn = figure(galleries["classes"], "confusion_matrix")
    assert "on the diagonal" in drawn.title
    assert "is taken for" in drawn.title
    assert "cat, big" in drawn.alt


def test_the_leaderboard_names_the_hardest_data_set(galleries: dict[str, Gallery]) -> None:
    drawn = figure(galleries["ranking"], "slices")
    assert drawn.title.startswith("nfcorpus is the hardest dataset (Graded nDCG@10 0.400)")


def test_the_top_label_is_right_as_often_as_counted(galleries: dict[str, Gallery]) -> None:
    # 90 rows, every fourth one is sure of another class.
    drawn = figure(galleries["classes"], "top_label")
    assert "the furthest bin says 0.75 where 0.76 are right" in drawn.title


def test_of_many_classes_the_largest_are_shown(classes: FigureData) -> None:
    data = classes
    names = [*data.classes, *(f"c{place}" for place in range(30))]
    ledger = dict(data.ledger)
    for a in names:
        for b in names:
            written = [one.replace(",", "%2C") for one in (a, b)]
            ledger.setdefault(
                f"count@true={written[0]},predicted={written[1]}|all_queries|all|value", 0
            )
    many = replace(data, ledgers={"primary": ledger}, facts={**data.facts, "classes": names})
    drawn = draw_all(many, ["confusion_matrix"]).figures[0]
    assert "25 of 33 shown" in " ".join(re.findall(r">([^<]+)<", drawn.inline))


def test_seeds_are_spread_like_folds(galleries: dict[str, Gallery]) -> None:
    drawn = figure(galleries["classes"], "seeds")
    assert drawn.title.startswith("Seeds agree most on")
    assert "Each circle is a seed" in drawn.caption
