"""The package can be read from its list of folders: few modules in each, and no long ones."""

from __future__ import annotations

from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "primary"
FOLDERS = sorted({path.parent for path in PACKAGE.rglob("*.py")})


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_folder_says_what_it_holds_and_holds_little(folder: Path) -> None:
    files = list(folder.glob("*.py"))
    assert (folder / "__init__.py").read_text(encoding="utf-8").startswith('"""')
    assert len(files) <= 25
    assert max(len(path.read_text(encoding="utf-8").splitlines()) for path in files) <= 400
