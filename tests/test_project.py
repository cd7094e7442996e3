"""What must stay true of the repository itself."""

from __future__ import annotations

import re
import subprocess
import tomllib
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def tracked(root: Path) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout: the tracked files cannot be listed")
    return [root / name for name in listed.stdout.split("\0") if name and (root / name).is_file()]


def test_the_lock_file_names_versions_and_nothing_else(root: Path) -> None:
    lines = (root / "requirements.lock").read_text().splitlines()
    assert lines
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []


def test_every_direct_dependency_is_locked(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["dev"]
    locked = {
        re.sub(r"[-_.]+", "-", line.split("==")[0]).lower()
        for line in (root / "requirements.lock").read_text().splitlines()
    }
    named = {re.sub(r"[-_.]+", "-", re.split(r"[<>=~ ]", one)[0]).lower() for one in wanted}
    assert named - locked == set()


def test_no_tracked_text_names_a_machine_path_or_a_registry(tracked: list[Path]) -> None:
    slash = "/"
    forbidden = re.compile(
        rf"(?<![.\w]){slash}(work|root|home){slash}\w|index-url|find-links|pythonhosted|npmjs"
    )
    this_file = "test_project.py"
    found = [
        f"{path.name}:{number}"
        for path in tracked
        if path.name != this_file and path.suffix not in {".png", ".pdf", ".parquet"}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if forbidden.search(line)
    ]
    assert found == []


def test_every_make_target_says_what_it_does(root: Path) -> None:
    text = (root / "Makefile").read_text()
    phony = set(re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)[1].split())  # type: ignore[index]
    documented = set(re.findall(r"^([a-z-]+):.*## ", text, re.MULTILINE))
    assert phony == documented
