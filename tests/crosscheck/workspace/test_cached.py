"""The cache: what has not changed is not computed again, and nothing else is taken from it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from crosscheck import system
from crosscheck.commands.gate import command
from crosscheck.errors import UserError
from crosscheck.witnesses import Silence
from crosscheck.workspace import cached

if TYPE_CHECKING:
    from collections.abc import Callable

OPTIONS = ["--witness", "primary", "--no-intervals", "--no-figures"]
ROWS = """\
query_id,candidates,scores,gold
q1,"[""a"",""b"",""c""]","[3,2,1]","[""a""]"
q2,"[""a"",""b"",""c""]","[3,2,1]","[""c""]"
q3,"[""a"",""b"",""c""]","[3,2,1]","[""b""]"
"""

PAPER = r"\begin{document}\input{table}\input{more}\input{linked.tex}\end{document}"
TABLE = r"\begin{tabular}{lr} Metric & Ours \\ MRR & 0.611 \\ \end{tabular}"


@pytest.fixture(scope="module")
def gated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with data that were gated once, the report, and what was kept of it."""
    folder = tmp_path_factory.mktemp("gated")
    (folder / "data.csv").write_text(ROWS)
    (folder / "paper.tex").write_text(PAPER)
    (folder / "table.tex").write_text(TABLE)
    (folder / "old.tex").write_text(TABLE)
    (folder / "linked.tex").symlink_to("old.tex")
    with pytest.MonkeyPatch.context() as patch:
        _at_home(patch, folder)
        patch.setattr(cached, "COARSE", 0)  # these files are as young as the command
        _gate("first")
    return folder


def _at_home(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.chdir(folder)
    patch.setattr(cached.system, "cache_folder", lambda: folder / "cache")
    patch.setattr(cached, "_surroundings", lambda: ["the same"])


def _gate(out: str) -> Any:
    words = ["data.csv", "--claims", "paper.tex", *OPTIONS, "--cache", "--out", out]
    done = CliRunner().invoke(command, words, standalone_mode=False, catch_exceptions=False)
    assert done.return_value in {0, 1}
    return done


@pytest.fixture
def kept(gated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a copy of the folder, to be spoiled; one stands in it."""
    place = gated.parent / "spoiled"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(gated, place)
    _at_home(monkeypatch, place)
    # The folder is part of what an entry is known by.
    monkeypatch.setattr(cached.Path, "cwd", lambda: gated)
    (tmp_path / "out").mkdir()
    return place


def asked(**more: Any) -> dict[str, Any]:
    """Give what the command line makes of the words of `_gate`."""
    words = ["data.csv", "--claims", "paper.tex", *OPTIONS]
    told = command.make_context("gate", words).params
    own = ("out", "cache", "figures", "every", "quiet", "as_json", "allowed")
    return {name: value for name, value in told.items() if name not in own} | more


def taken(folder: Path, options: dict[str, Any] | None = None) -> bool:
    kept = cached.Cache.of(options or asked(), "figures: False").find()
    if kept is not None:
        kept.put(folder)
    return kept is not None


def entry(kept: Path) -> Path:
    [found] = (kept / "cache" / cached.FOLDER).iterdir()
    return found


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in cached._below(folder)}  # noqa: SLF001


def test_a_second_gate_gives_the_same_bytes_without_computing(
    gated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _at_home(monkeypatch, gated)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("it was computed")

    monkeypatch.setattr("crosscheck.gate.job.run", never)
    done = _gate("second")
    assert "cached" in done.stderr
    assert bytes_of(gated / "first") == bytes_of(gated / "second")
    shutil.rmtree(gated / "second")


def test_a_second_gate_prints_what_the_first_one_did(
    gated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _at_home(monkeypatch, gated)
    monkeypatch.setattr("crosscheck.gate.job.run", None)
    again = [_gate("second").stdout, _gate("second").stdout]
    monkeypatch.setattr(cached, "_screen", lambda: ["another one"])
    assert again == [_gate("second").stdout] * 2
    assert "F A I L" in again[0]
    shutil.rmtree(gated / "second")


def test_a_report_made_before_replaces_no_file_of_others(
    gated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _at_home(monkeypatch, gated)
    _gate("third")
    (gated / "third" / "notes.txt").write_text("mine")
    with pytest.raises(UserError, match=r"notes\.txt"):
        _gate("third")
    shutil.rmtree(gated / "third")


def test_what_was_made_before_is_given_without_a_library(gated: Path) -> None:
    words = ["gate", "data.csv", "--claims", "paper.tex", *OPTIONS, "--cache", "--out", "fourth"]
    asked = f"import sys; from crosscheck.cli import run; run({words!r}); print(*sys.modules)"
    environment = {**os.environ, "XDG_CACHE_HOME": str(gated / "own")}
    where = f"crosscheck.system._checkout_cache = lambda: None; {asked}"
    code = f"import crosscheck.system; {where}"
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=gated,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
    assert cached.TOLD in done.stderr
    heavy = {"numpy", "polars", "pydantic", "rich", "jinja2", "primary", "reference"}
    assert not heavy & {*done.stdout.splitlines()[-1].split()}
    shutil.rmtree(gated / "fourth")


def test_what_has_not_changed_is_taken(kept: Path, tmp_path: Path) -> None:
    assert taken(tmp_path / "out")
    assert bytes_of(tmp_path / "out") == bytes_of(kept / "first")


def _data(kept: Path) -> None:
    (kept / "data.csv").write_text(ROWS.replace("q3", "q4"))


def _table_that_is_taken_in(kept: Path) -> None:
    (kept / "table.tex").write_text(TABLE.replace("0.611", "0.911"))


def _table_that_was_not_there(kept: Path) -> None:
    (kept / "more.tex").write_text(TABLE.replace("0.611", "0.911"))


def _link_that_leads_elsewhere(kept: Path) -> None:
    (kept / "new.tex").write_text(TABLE.replace("0.611", "0.911"))
    (kept / "linked.tex").unlink()
    (kept / "linked.tex").symlink_to("new.tex")


def _gone(kept: Path) -> None:
    (kept / "data.csv").unlink()


def _pipe(kept: Path) -> None:
    _gone(kept)
    os.mkfifo(kept / "data.csv")


def _config(kept: Path) -> None:
    (kept / "crosscheck.toml").write_text("threshold = 0.4\n")


def _tampered(kept: Path) -> None:
    page = entry(kept) / cached.REPORT / "report.json"
    page.write_text(page.read_text().replace('"fail"', '"pass"') + " ")


def _half(kept: Path) -> None:
    (entry(kept) / cached.REPORT / "report.html").unlink()


def _stranger(kept: Path) -> None:
    (entry(kept) / cached.REPORT / "more.txt").write_text("more")


def _link(kept: Path) -> None:
    page = entry(kept) / cached.REPORT / "report.md"
    page.rename(kept / "elsewhere")
    page.symlink_to(kept / "elsewhere")


def _no_record(kept: Path) -> None:
    (entry(kept) / cached.ENTRY).write_text('{"key": ')


def _shared(kept: Path) -> None:
    entry(kept).chmod(0o777)


def _another_key(kept: Path) -> None:
    _edited(kept, key="another")


def _yesterday(kept: Path) -> None:
    _edited(kept, day="2001-01-01")


def _edited(kept: Path, **told: str) -> None:
    record = entry(kept) / cached.ENTRY
    record.write_text(json.dumps(json.loads(record.read_text()) | told))


@pytest.mark.parametrize(
    "spoil",
    [
        _data,
        _table_that_is_taken_in,
        _table_that_was_not_there,
        _link_that_leads_elsewhere,
        _gone,
        pytest.param(_pipe, marks=pytest.mark.skipif(os.name != "posix", reason="no pipes")),
        _config,
        _tampered,
        _half,
        _stranger,
        _link,
        _no_record,
        pytest.param(_shared, marks=pytest.mark.skipif(os.name != "posix", reason="no modes")),
        _another_key,
        _yesterday,
    ],
)
def test_nothing_is_taken_where_anything_is_different(
    kept: Path, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(kept)
    assert not taken(tmp_path / "out")
    assert not any((tmp_path / "out").iterdir())


def test_other_options_have_an_entry_of_their_own(kept: Path, tmp_path: Path) -> None:
    assert not taken(tmp_path / "out", asked(seed=7))
    assert cached.Cache.of(asked(), "figures: True").find() is None
    assert entry(kept)


@pytest.mark.parametrize("name", ["PYTHONHASHSEED", "OMP_NUM_THREADS", "CROSSCHECK_LIMITS"])
def test_the_environment_counts_but_for_the_terminals(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    around = cached._surroundings.__wrapped__  # noqa: SLF001
    monkeypatch.setattr(cached, "_code", lambda: iter([("crosscheck/gate.py", "1")]))
    before = around()
    monkeypatch.setenv("COLUMNS", "40")
    assert around() == before
    monkeypatch.setenv(name, "1")
    assert around() != before


@pytest.mark.parametrize("part", ["_code", "_installed"])
def test_code_and_versions_count(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    around = cached._surroundings.__wrapped__  # noqa: SLF001
    monkeypatch.setattr(cached, "_code", lambda: iter([("crosscheck/gate.py", "1")]))
    before = around()
    monkeypatch.setattr(cached, part, lambda: iter([("numpy-0.1.dist-info", "2")]))
    assert around() != before


def test_every_file_of_the_program_is_its_code() -> None:
    names = {name for name, _ in cached._code()}  # noqa: SLF001
    assert {"crosscheck/workspace/cached.py", "primary/__init__.py"} <= names
    assert "crosscheck/contract/contract.toml" in names
    assert not [name for name in names if name.endswith(".pyc")]


def outcome(**told: Any) -> Any:
    statement = SimpleNamespace(answer=told.get("answer"))
    evidence = SimpleNamespace(statements=[statement], intervals=told.get("intervals"))
    witness = SimpleNamespace(apart=told.get("apart", False))
    options = SimpleNamespace(engine=told.get("engine"))
    request = SimpleNamespace(witnesses=[witness], options=options)
    found = [SimpleNamespace(rule=told.get("rule", "XC101"))]
    return SimpleNamespace(request=request, evidence=[evidence], findings=found)


@pytest.mark.parametrize(
    "told",
    [
        {"apart": True},
        {"engine": "duckdb"},
        {"answer": Silence("it was ended after 3 seconds")},
        {"intervals": Silence("it was ended after 3 seconds")},
        {"rule": "XC991"},
    ],
)
def test_what_may_come_out_differently_is_not_kept(told: dict[str, Any]) -> None:
    assert cached._repeatable(outcome())  # noqa: SLF001
    assert not cached._repeatable(outcome(**told))  # noqa: SLF001


@pytest.mark.parametrize(("later", "holds"), [(-1, False), (1, True)])
def test_a_config_that_was_written_after_the_command_began_is_not_what_was_read(
    tmp_path: Path, *, later: int, holds: bool
) -> None:
    file = tmp_path / "crosscheck.toml"
    file.write_text("threshold = 0.4\n")
    began = file.stat().st_ctime_ns + later * 10**9
    none = SimpleNamespace(file=None)
    request: Any = SimpleNamespace(
        config=SimpleNamespace(file=file), policy=none, sources=[], rivals=[], shown={}
    )
    assert cached.Seen.of(request, began).holds(request, []) is holds


def test_the_oldest_entries_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place, name in enumerate("abcd"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(bytes(100))
        os.utime(tmp_path / name, (place, place))
    monkeypatch.setattr(cached, "MOST", 3)
    cached._tidy(tmp_path)  # noqa: SLF001
    assert sorted(one.name for one in tmp_path.iterdir()) == ["b", "c", "d"]
    monkeypatch.setattr(cached, "MOST_BYTES", 250)
    cached._tidy(tmp_path)  # noqa: SLF001
    assert sorted(one.name for one in tmp_path.iterdir()) == ["c", "d"]


def test_rerun_knows_no_cache() -> None:
    root = Path(system.__file__).parent
    files = [root / "commands" / "rerun.py", *sorted((root / "rerun").glob("*.py"))]
    assert not [file for file in files if "cached" in file.read_text(encoding="utf-8")]
