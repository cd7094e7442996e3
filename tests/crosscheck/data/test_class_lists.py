"""scikit-learn frames with a list of probabilities in every row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from crosscheck.config.systems import Source
from crosscheck.data.case import make_case
from crosscheck.data.class_lists import with_class_lists
from crosscheck.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path

FRAME = 'y_true,y_pred,y_prob\n2,10,"[0.2, 0.8]"\n10,10,"[0.1, 0.9]"\n'


def test_lists_are_the_probabilities_of_the_sorted_classes(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(FRAME, encoding="utf-8")
    case = make_case(Source("a", str(path), {}), {}, wants_intervals=False)
    assert case.facts["classes"] == ["2", "10"]
    assert "class_probs" in case.facts["families"]
    assert case.guessed.startswith("y_prob holds a list in every row")


def test_a_typed_frame_is_read_the_same_way(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    frame = {"y_true": ["b", "a"], "y_pred": ["b", "b"], "y_prob": [[0.2, 0.8], [0.4, 0.6]]}
    pl.DataFrame(frame).write_parquet(path)
    settings, _ = with_class_lists(str(path), {})
    assert settings["classes"] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ('y_true,y_prob\n0,"[0.7, 0.3]"\n1,"[0.2, 0.8]"\n', r"predict_proba\(X\)\[:, 1\]"),
        ('y_true,y_prob\na,"[0.7, 0.2, 0.1]"\nb,"[0.1, 0.8, 0.1]"\n', "a column y_pred"),
    ],
)
def test_lists_that_cannot_be_read_get_advice(tmp_path: Path, text: str, advice: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=advice):
        make_case(Source("a", str(path), {}), {}, wants_intervals=False)
