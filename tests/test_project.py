"""What must stay true of the repository itself."""

from __future__ import annotations

import ast
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


LOCKS = ("requirements.lock", "tests/bench/requirements.lock")
PIN = re.compile(r"([\w.-]+)==[\w.]+(?: ; [\w .*'=!<>()]+)?")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def locked(root: Path, name: str) -> list[list[str]]:
    """Give each entry of a lock file: its pin, then its hashes."""
    text = (root / name).read_text(encoding="utf-8").replace("\\\n", "")
    return [re.split(r" +(?=--)", line.strip()) for line in text.splitlines()]


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_file_holds_versions_and_hashes_and_nothing_else(root: Path, name: str) -> None:
    entries = locked(root, name)
    assert entries
    assert [pin for pin, *_ in entries if not PIN.fullmatch(pin.strip())] == []
    assert [
        pin for pin, *hashes in entries if not hashes or not all(map(HASH.fullmatch, hashes))
    ] == []


def test_the_lock_files_agree_where_both_name_a_package(root: Path) -> None:
    first, second = ({pin.split(" ")[0] for pin, *_ in locked(root, name)} for name in LOCKS)
    shared = {pin.split("==")[0] for pin in first} & {pin.split("==")[0] for pin in second}
    assert {pin for pin in second - first if pin.split("==")[0] in shared} == set()


def test_every_direct_dependency_is_locked(root: Path) -> None:
    written = tomllib.loads((root / "pyproject.toml").read_text())
    project = written["project"]
    extras = project["optional-dependencies"]
    everyday = project["dependencies"] + [one for extra in extras.values() for one in extra]
    everyday = [one for one in everyday if not one.startswith(project["name"])]
    for name, wanted in zip(LOCKS, (everyday, written["dependency-groups"]["bench"]), strict=True):
        pinned = {pin.split("==")[0] for pin, *_ in locked(root, name)}
        named = {re.sub(r"[-_.]+", "-", re.split(r"[<>=~ ]", one)[0]).lower() for one in wanted}
        assert named - pinned == set()


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


TOP = {
    "action.yml",
    *(
        "pyproject.toml",
        "primary",
        "reference",
        "crosscheck",
        "tests",
        "reports",
        "docs",
        "Makefile",
    ),
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "CITATION.cff"),
    "requirements.lock",
}


def test_the_top_level_holds_what_every_project_has(root: Path, tracked: list[Path]) -> None:
    names = {path.relative_to(root).parts[0] for path in tracked}
    assert {name for name in names if not name.startswith(".")} == TOP


def test_one_version_is_stated_everywhere(root: Path) -> None:
    version = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    cited = re.findall(r"^version: (.*)$", (root / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    changes = (root / "CHANGELOG.md").read_text("utf-8")
    dated = re.findall(r"^## (\S+) – \d{4}-\d\d-\d\d$", changes, re.MULTILINE)
    assert (cited, dated[0]) == ([version], version)


def test_every_package_says_that_it_is_typed(root: Path) -> None:
    for package in ("primary", "reference", "crosscheck"):
        assert (root / package / "py.typed").is_file(), package


def test_the_workflow_runs_the_pythons_of_the_matrix(root: Path) -> None:
    pythons = re.search(r"^PYTHONS \?= (.*)$", (root / "Makefile").read_text("utf-8"), re.MULTILINE)
    workflow = (root / ".github" / "workflows" / "test.yml").read_text("utf-8")
    listed = re.search(r"python: \[(.*)\]", workflow)
    assert pythons
    assert listed
    assert re.findall(r"[\d.]+", listed[1]) == pythons[1].split()
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    run = {one.rpartition(" ")[2] for one in project["classifiers"] if ":: 3." in one}
    assert run <= set(pythons[1].split())


def test_what_is_marked_slow_is_there(root: Path) -> None:
    source = ast.parse((root / "tests" / "conftest.py").read_text("utf-8"))
    [named] = [
        ast.literal_eval(one.value)
        for one in source.body
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "SLOW"
    ]
    assert [name for name in named if not (root / "tests" / name).exists()] == []


def test_every_make_target_says_what_it_does(root: Path) -> None:
    text = (root / "Makefile").read_text()
    phony = set(re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)[1].split())  # type: ignore[index]
    documented = set(re.findall(r"^([a-z-]+):.*## ", text, re.MULTILINE))
    assert phony == documented
