"""The core install: what `pip install metric-crosscheck` has to do without any extra.

Every package that only an extra brings is hidden from the command and its processes, so that the
core is held honest in an environment that has them all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from crosscheck.extras import EXTRA_OF, EXTRAS

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DATA = "query_id,candidates,gold\nq1,s1|s2|s3,s1\nq2,s4|s5|s6,s5|s6\nq3,s7|s8,s9\n"
TABLE = "| Metric | Ours |\n|---|---|\n| MRR | 0.500 |\n| MAP@3 | 0.500 |\n"
HIDE = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
"""


def _needed(wanted: list[str]) -> set[str]:
    """Name every distribution that requirements lead to."""
    found: set[str] = set()
    left = [Requirement(one) for one in wanted]
    while left:
        one = left.pop()
        name = canonicalize_name(one.name)
        if name in found or (one.marker and not one.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        try:
            left += map(Requirement, metadata.requires(name) or [])
        except metadata.PackageNotFoundError:
            continue
    return found


def _modules_beyond_the_core() -> set[str]:
    core = _needed(PROJECT["dependencies"]) | {"metric-crosscheck"}
    return {
        module
        for module, names in metadata.packages_distributions().items()
        if not core & set(map(canonicalize_name, names)) and not module.startswith("_")
    }


@dataclass(frozen=True)
class Core:
    folder: Path
    environment: dict[str, str]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "crosscheck", *words],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Core:
    hidden = tmp_path_factory.mktemp("hidden")
    names = repr(_modules_beyond_the_core())
    (hidden / "sitecustomize.py").write_text(HIDE.format(names=names), encoding="utf-8")
    folder = tmp_path_factory.mktemp("core")
    (folder / "answers.csv").write_text(DATA, encoding="utf-8")
    (folder / "paper.md").write_text(TABLE, encoding="utf-8")
    path = os.pathsep.join([str(hidden), str(ROOT)])
    return Core(folder, os.environ | {"PYTHONPATH": path, "COLUMNS": "200"})


@pytest.fixture(scope="module")
def gated(core: Core) -> subprocess.CompletedProcess[str]:
    policy = 'name = "lab"\nfigures = true\n[witnesses]\nrequired = ["ranx"]\n'
    (core.folder / "policy.toml").write_text(policy, encoding="utf-8")
    words = ("--claims", "paper.md", "--policy", "policy.toml", "--out", "report")
    return core.run("gate", "answers.csv", *words)


@pytest.mark.parametrize("module", ["ranx", "matplotlib", "pyarrow", "hypothesis", "lxml"])
def test_what_only_an_extra_brings_is_hidden_here(module: str) -> None:
    assert module in _modules_beyond_the_core()


def test_every_module_of_an_extra_is_declared() -> None:
    declared = PROJECT["optional-dependencies"]
    assert {*EXTRAS, "all", "dev"} == set(declared)
    [everything] = (Requirement(one) for one in declared["all"])
    assert everything.extras == set(EXTRAS)
    assert len(EXTRA_OF) == sum(map(len, EXTRAS.values()))


def test_the_core_gates_a_table_and_its_claims(gated: subprocess.CompletedProcess[str]) -> None:
    assert gated.returncode == 1, gated.stderr
    assert "MAP@3 / Ours is printed as 0.500" in " ".join(gated.stdout.split())
    assert "could not be tried" not in gated.stdout


def test_a_witness_that_is_not_installed_is_named(
    gated: subprocess.CompletedProcess[str], core: Core
) -> None:
    told = "not installed: pip install 'metric-crosscheck[ranx]'"
    assert f"ranx is {told}" in gated.stdout
    report = json.loads((core.folder / "report" / "report.json").read_text(encoding="utf-8"))
    [ranx] = [one for one in report["systems"][0]["witnesses"] if one["name"] == "ranx"]
    assert (ranx["status"], ranx["note"], ranx["keys"]) == ("not asked", told, 0)
    assert told.replace("'", "&#39;") in (core.folder / "report" / "report.html").read_text("utf-8")


@pytest.mark.usefixtures("gated")
def test_figures_that_cannot_be_drawn_are_named(core: Core) -> None:
    report = json.loads((core.folder / "report" / "report.json").read_text(encoding="utf-8"))
    lacking = report["systems"][0]["not_drawn"]
    assert set(lacking) == {"cutoffs", "interpolated", "agreement"}
    assert set(lacking.values()) == {"not installed: pip install 'metric-crosscheck[figures]'"}


@pytest.mark.usefixtures("gated")
def test_a_report_of_the_core_reruns_to_the_same_where_everything_is_installed(core: Core) -> None:
    again = Core(core.folder, dict(os.environ)).run("rerun", "report")
    assert "SAME: report" in again.stdout, again.stdout + again.stderr


def test_required_figures_that_cannot_be_drawn_fail_the_run(
    gated: subprocess.CompletedProcess[str],
) -> None:
    told = "there are no figures (not installed: pip install 'metric-crosscheck[figures]')"
    assert f"{told}, and the policy requires them" in " ".join(gated.stdout.split())


def test_a_required_witness_that_is_not_installed_fails_the_run(
    gated: subprocess.CompletedProcess[str],
) -> None:
    assert "requires the witness ranx, which is not installed: pip install" in gated.stdout


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("claims", "paper.md"), 0, "table 1 “Ours”"),
        (("explain", "map@3=0.500", "answers.csv"), 0, "by_hits"),
        (
            ("gate", "answers.csv", "--witness", "ranx"),
            2,
            "--witness ranx: not installed: pip install 'metric-crosscheck[ranx]'",
        ),
        (
            ("gate", "results.parquet"),
            2,
            "results.parquet: pyarrow is not installed: pip install 'metric-crosscheck[parquet]'",
        ),
        (
            ("claims", "table.xlsx"),
            2,
            "table.xlsx: openpyxl is not installed: pip install 'metric-crosscheck[documents]'",
        ),
        (
            ("fuzz", "--seconds", "1"),
            2,
            "hypothesis is not installed: pip install 'metric-crosscheck[fuzz]'",
        ),
    ],
)
def test_a_command_works_in_the_core_or_says_which_extra_it_needs(
    core: Core, words: tuple[str, ...], code: int, told: str
) -> None:
    (core.folder / "results.parquet").write_bytes(b"PAR1 and more")
    (core.folder / "table.xlsx").write_bytes(b"PK and more")
    ran = core.run(*words)
    assert ran.returncode == code, ran.stdout + ran.stderr
    assert told in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr
