"""Code of one's own, where it is not the gate that runs it: in `fuzz`, and in `explain`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crosscheck.cli import run
from crosscheck.data.case import Case
from crosscheck.errors import PASS
from crosscheck.witnesses import Silence, Testimony
from crosscheck.witnesses.interview import Interview
from crosscheck.witnesses.own import witness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ANSWER = """
import json, os, socket, sys
asked = 0
def metrics(data, settings):
    global asked
    asked += 1
    print("printed")
    {body}
    return {{"mrr@all|positives_only|all|mean": float(asked)}}
"""
KEY = "mrr@all|positives_only|all|mean"


@pytest.fixture
def interview(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Interview]]:
    """Hear a function with this body; it lies in the folder where one stands."""
    monkeypatch.chdir(tmp_path)
    held: list[Interview] = []

    def hear(body: str = "pass", seconds: float = 30.0) -> Interview:
        Path("mine_apart.py").write_text(ANSWER.format(body=body))
        held.append(Interview(witness("mine_apart:metrics"), seconds))
        return held[-1]

    yield hear
    for one in held:
        one.__exit__(None, None, None)


CASE = Case("fuzz", "data.csv", {}, {}, (KEY,))


def test_it_is_asked_often_in_one_process_that_is_not_this_one(
    interview: Callable[..., Interview], capfd: pytest.CaptureFixture[str]
) -> None:
    one = interview("open(os.path.dirname(data) + '/pid', 'a').write(f'{os.getpid()} ')")
    answers = [one.ask(CASE) for _ in range(3)]
    assert [one.ledger[KEY] for one in answers if isinstance(one, Testimony)] == [1.0, 2.0, 3.0]
    assert "mine_apart" not in sys.modules
    assert len(set(Path("pid").read_text().split())) == 1
    assert "printed" not in "".join(capfd.readouterr())


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("os._exit(7) if asked == 1 and not os.path.exists(data) else None", "ended with code 7"),
        ("raise ValueError('no')", "ValueError: no"),
        ("return object()", "TypeError"),
        ("import nothing_of_the_kind", "ModuleNotFoundError"),
    ],
)
def test_whatever_goes_wrong_there_is_silence_here(
    interview: Callable[..., Interview], body: str, told: str
) -> None:
    one = interview(body)
    answer = one.ask(CASE)
    assert isinstance(answer, Silence)
    assert told in answer.reason
    # And the next question is put all the same.
    Path("data.csv").touch()
    assert isinstance(one.ask(CASE), Testimony) is ("_exit" in body)


def test_one_that_never_answers_is_ended(interview: Callable[..., Interview]) -> None:
    one = interview("import time; time.sleep(600)", seconds=3.0)
    answer = one.ask(CASE)
    assert isinstance(answer, Silence)
    assert "3 seconds" in answer.reason


def test_an_answer_before_the_question_is_not_taken_for_the_next(
    interview: Callable[..., Interview],
) -> None:
    forged = json.dumps({"keys": [KEY], "values": [0.99]})
    body = f"""import gc
    for one in [one for one in gc.get_objects() if isinstance(one, socket.socket)]:
        one.sendall(({forged!r} + chr(10)).encode() * 2)"""
    one = interview(body)
    first, second = one.ask(CASE), one.ask(CASE)
    # It may say what it likes; it is asked anew, in a new process, and has one answer a question.
    assert isinstance(first, Testimony)
    assert isinstance(second, Testimony)
    assert second.ledger[KEY] == 0.99


def test_explain_runs_no_code_that_a_config_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text("query_id,candidates,gold\nq1,a|b,b\nq2,a|b,a\n")
    Path("evil.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'w')\n")
    Path("crosscheck.toml").write_text('witnesses = ["evil:run"]\n')
    for more in ([], ["--config", "crosscheck.toml"], ["--witness", "primary"]):
        assert run(["explain", "mrr", "data.csv", "--json", *more]) == PASS
        assert "evil" not in capfd.readouterr().out
    assert not Path("mark").exists()


def test_numba_reads_no_config_of_the_folder_one_stands_in(tmp_path: Path) -> None:
    (tmp_path / ".numba_config.yaml").write_text("disable_jit: 1\ncache_dir: evil\n")
    code = (
        "from crosscheck.witnesses import ranx\n"
        "ranx._settle_numba()\n"
        "from numba.core import config\n"
        "config.reload_config()\n"
        "print(config.DISABLE_JIT)\n"
    )
    words = [sys.executable, "-P", "-c", code]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout == "0\n"
