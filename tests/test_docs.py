"""The examples in the docs are run, in order, as a reader would.

A fence that names a file after its language (```` ```csv answers.csv ````) writes that file into an
empty folder. A `console` fence runs each line after `$ ` there and compares what follows with what
was printed, `...` standing for anything. Other fences (`sh`, `text`, `toml`) are for reading only.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(page: Path) -> list[tuple[str, str | None, str]]:
    """Give the page's fences that write a file or run a command."""
    fences = [match.groups() for match in FENCE.finditer(page.read_text(encoding="utf-8"))]
    return [(lang, name, body) for lang, name, body in fences if name or lang == "console"]


def run(command: str, folder: Path) -> str:
    """Run one line of a console example; what it prints."""
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "80",
        "NO_COLOR": "1",
    }
    ran = subprocess.run(  # noqa: S602 - the docs' own examples
        command,
        shell=True,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in ran.stderr, ran.stderr
    return ran.stdout


@pytest.mark.parametrize("page", [page for page in PAGES if examples(page)], ids=lambda p: p.name)
def test_the_examples_print_what_the_page_says(page: Path, tmp_path: Path) -> None:
    same = doctest.OutputChecker()
    for _, name, body in examples(page):
        if name:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(body, encoding="utf-8")
            continue
        for block in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, expected = block.partition("\n")
            printed = run(command, tmp_path)
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            assert same.check_output(expected, printed, flags), f"$ {command}\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", ["api", "architecture"])
def test_a_page_made_from_the_code_is_what_the_code_says(page: str) -> None:
    written = subprocess.run(
        [sys.executable, ROOT / "docs" / f"{page}.py"],
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    assert text == written, f"run `make {page}`"
