"""Words from a stranger's file: no terminal obeys them, no page makes a link or a call of them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from crosscheck.cli import run
from crosscheck.commands.terminal import Screen
from crosscheck.errors import BAD_INPUT, FAILED
from crosscheck.report import github, markdown
from crosscheck.report import json as report_json

if TYPE_CHECKING:
    from pathlib import Path

EVIL = "q\x1b[2J\x1b]0;owned\x07\x9b31m\u202egnp\u2066"
CALLS = "see https://evil.example and WWW.evil.example or @everyone, #12, GH-7, mailto:a@b.example"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def gated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand where a file holds such an id, and a label that contradicts its gold list."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text(
        "query_id,candidates,gold,has_evidence\n"
        f'"{EVIL} {CALLS}",a|b,a,0\nplain,a|b,b,1\nother,a|b,,0\n',
        encoding="utf-8",
    )
    return tmp_path


def test_no_page_and_no_stream_carries_a_control_character(
    gated: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(gated / "summary.md"))
    words = ["gate", "data.csv", "--out", "r", "--no-figures", "--witness", "primary"]
    assert run(words) == FAILED
    shown = capfd.readouterr()
    assert r"\u001b[2J" in shown.out
    assert not RAW.search(shown.out + shown.err)
    for path in [gated / "summary.md", *(gated / "r").iterdir()]:
        text = path.read_text(encoding="utf-8")
        assert not RAW.search(text), path.name
    told = report_json.read(gated / "r")
    assert any(EVIL in (one.place or "") + one.message for one in told.findings)
    assert run([*words, "--json"]) == FAILED
    out = capfd.readouterr().out
    assert not RAW.search(out)
    assert json.loads(out) == json.loads((gated / "r" / "report.json").read_text())
    assert report_json.read(gated / "r") == told


def test_lines_that_look_like_commands_of_github_are_none(
    gated: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    text = (gated / "data.csv").read_text(encoding="utf-8")
    (gated / "data.csv").write_text(text.replace(EVIL, "x\n::set-output name=a::b\n"))
    run(["gate", "data.csv", "--out", "r", "--no-figures", "--witness", "primary"])
    lines = [line.strip() for line in capfd.readouterr().out.splitlines()]
    [stop] = [n for n, line in enumerate(lines) if line.startswith("::stop-commands::")]
    token = lines[stop].removeprefix("::stop-commands::")
    assert lines.index(f"::{token}::") > stop
    outside = lines[:stop] + lines[lines.index(f"::{token}::") :]
    assert not any(line.startswith("::set-output") for line in outside)


@pytest.mark.parametrize("words", [["--config", "crosscheck.toml"], ["--all"]])
def test_a_message_about_a_bad_config_holds_no_command_of_github(
    gated: Path,
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    (gated / "crosscheck.toml").write_text('"::error::a" = 1\n"##[error]b" = 2\n')
    assert run(["gate", *words, "--out", "r"]) == BAD_INPUT
    shown = "".join(capfd.readouterr())
    assert r"\u003a:error::a: unknown key" in shown
    assert r"\u0023#[error]b: unknown key" in shown
    assert not re.search(r"(?m)^\s*::|##\[", shown)


def test_what_a_table_says_is_no_command_of_github(
    gated: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    (gated / "::t.md").write_text("| ::error::a | MRR |\n|---|---|\n| ##[error]b\x1b | 1.7 |\n")
    for more in ([], ["--explain-reading"], ["--json"]):
        run(["claims", "::t.md", *more])
        shown = "".join(capfd.readouterr())
        assert shown
        assert not re.search(r"(?m)^\s*::|##\[|\x1b\]", shown)


def test_a_message_about_a_bad_file_is_harmless(
    gated: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (gated / "data.csv").write_text(f"query_id,prob\n{EVIL},7\n", encoding="utf-8")
    assert run(["gate", "data.csv", "--out", "r"]) == BAD_INPUT
    assert not RAW.search(capfd.readouterr().err)


def test_colours_of_our_own_stay(capfd: pytest.CaptureFixture[str]) -> None:
    screen = Screen(force_terminal=True, color_system="standard", highlight=False)
    screen.print("\x1b[31mtheirs", style="bold")
    assert capfd.readouterr().out == "\x1b[1m\\u001b[31mtheirs\x1b[0m\n"


def test_links_and_calls_are_dead_in_markdown() -> None:
    shown = markdown.text(CALLS)
    for alive in ("https:/", "WWW.", "@e", "#1", "GH-7", "mailto:a", "@b"):
        assert alive not in shown
    assert shown.replace(markdown.APART, "").replace("\\", "") == CALLS


def test_text_cannot_pass_for_markup() -> None:
    assert markdown.text("<b>&lt;~~x~~") == r"\<b\>&amp;lt;\~\~x\~\~"
    assert markdown.code("`a\x1b`") == r"`ˋa\u001bˋ`"


def test_an_annotation_is_one_line() -> None:
    assert github._data("a\r\n\x1b::b%") == r"a%0A%0A\u001b::b%25"  # noqa: SLF001 - what all of it goes through
