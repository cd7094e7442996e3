"""Where a folder or a glob of a stored report lies now: where all its files do, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crosscheck.errors import UserError
from crosscheck.rerun.inputs import _placed

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def moved(tmp_path: Path) -> dict[str, str]:
    """Give two files that were in `old/`, and lie elsewhere now."""
    (tmp_path / "new").mkdir()
    for name in ("a.csv", "b.csv"):
        (tmp_path / "new" / name).touch()
    return {f"old/{name}": str(tmp_path / "new" / name) for name in ("a.csv", "b.csv")}


@pytest.mark.parametrize(("path", "last"), [("old", ""), ("old/*.csv", "*.csv")])
def test_a_folder_or_a_glob_is_found_where_its_files_are(
    moved: dict[str, str], tmp_path: Path, path: str, last: str
) -> None:
    assert _placed(moved, path) == str(tmp_path / "new" / last)


@pytest.mark.parametrize("path", ["old", "old/*.csv", "other", "old/c.csv"])
def test_a_file_that_the_report_does_not_list_is_not_read(
    moved: dict[str, str], tmp_path: Path, path: str
) -> None:
    (tmp_path / "new" / "stranger.csv").touch()
    with pytest.raises(UserError, match="does not list among its inputs"):
        _placed(moved, path)


def test_a_file_is_where_it_was_found(moved: dict[str, str]) -> None:
    assert _placed(moved, "old/a.csv") == moved["old/a.csv"]
