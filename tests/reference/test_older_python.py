"""`python -m reference` on a Python that is too old: one sentence, no traceback."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))


def interpreter(version: str) -> Path:
    """Find a Python of this version that starts; without one the test is skipped."""
    on_path = shutil.which(f"python{version}")
    found = [Path(on_path)] if on_path else []
    for path in (*sorted(PYENV.glob(f"versions/{version}.*/bin/python")), *found):
        if subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0:
            return path
    pytest.skip(f"there is no Python {version} here")


@pytest.mark.parametrize("version", ["2.7", "3.6", "3.7", "3.8", "3.9", "3.10"])
def test_an_older_python_is_told_which_one_is_needed(version: str) -> None:
    command = [interpreter(version), "-B", "-m", "reference", "data.csv"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(
        f"reference needs Python 3.11 or newer; this is Python {version}."
    )
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["__init__.py", "__main__.py"])
def test_what_an_older_python_may_meet_first_can_be_parsed_by_it(name: str) -> None:
    text = (ROOT / "reference" / name).read_text(encoding="utf-8")
    assert ast.parse(text, feature_version=(3, 7)).body


def test_the_first_file_needs_no_declared_encoding_and_no_feature_of_a_later_python() -> None:
    text = (ROOT / "reference" / "__init__.py").read_bytes()
    assert text.isascii()
    assert b"__future__" not in text
