"""The hearing: a witness that fails or dies is heard as silence, and never hurts others."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from crosscheck.data.case import Case
from crosscheck.witnesses import Silence, Testimony, Witness
from crosscheck.witnesses.own import witness as own
from crosscheck.witnesses.run import Task, Workers, hear, task_of

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

MODULE = f"""
import os, signal
def good(data, settings):
    return {{"auroc|all_queries|all|value": 0.5}}
def bad(data, settings):
    raise RuntimeError("no luck")
def killed(data, settings):
    os.kill(os.getpid(), {signal.SIGKILL.value})
def quits(data, settings):
    os._exit(7)
def half_way(data, settings):
    if data.endswith("second"):
        os.kill(os.getpid(), {signal.SIGKILL.value})
    return good(data, settings)
"""


def cases(*names: str) -> tuple[Case, ...]:
    return tuple(Case(name, name, {}, {}, ()) for name in names)


def heard(function: str, *names: str) -> Task[Case, Testimony]:
    return task_of(own(function), cases(*names))


def test_one_witness_killed_leaves_the_others_standing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "witness_of_the_test.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    names = ("good", "bad", "killed", "quits", "half_way")
    events: list[tuple[str, str]] = []
    tasks = {name: heard(f"witness_of_the_test:{name}", "first", "second") for name in names}
    hear(
        tasks.values(),
        processes=True,
        progress=lambda task, case, event: events.append((task.name, event)),  # noqa: ARG005 - the interface
    )
    answers = {
        (name, case.system): answer for name in names for case, answer in tasks[name].heard()
    }
    assert isinstance(answers["good", "first"], Testimony)
    assert isinstance(answers["good", "second"], Testimony)
    assert answers["bad", "first"] == Silence("RuntimeError: no luck")
    assert answers["killed", "first"] == answers["killed", "second"]
    assert "SIGKILL" in answers["killed", "first"].reason  # type: ignore[union-attr]
    assert "code 7" in answers["quits", "second"].reason  # type: ignore[union-attr]
    assert isinstance(answers["half_way", "first"], Testimony)
    assert isinstance(answers["half_way", "second"], Silence)
    assert len(events) == len(names) * 3


def test_a_witness_that_takes_too_long_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "witness_that_hangs.py").write_text(
        "import threading\ndef hang(data, settings):\n    threading.Event().wait()\n"
    )
    monkeypatch.chdir(tmp_path)
    events: list[str] = []
    task = heard("witness_that_hangs:hang", "first", "second")
    hear(
        [task],
        processes=True,
        progress=lambda task, case, event: events.append(f"{case.name} {event}"),  # noqa: ARG005 - the interface
        timeout=0.1,
    )
    ended = Silence("it was ended after 0.1 seconds without an answer; --timeout allows more")
    assert task.answers == [ended, ended]
    assert events == ["first started", "first fell silent", "second fell silent"]


def test_what_a_witness_leaves_running_does_not_keep_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "witness_that_lingers.py").write_text(
        "import threading\n"
        "def linger(data, settings):\n"
        "    threading.Thread(target=threading.Event().wait).start()\n"
        '    return {"auroc|all_queries|all|value": 0.5}\n'
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("crosscheck.witnesses.workers.FAREWELL", 0.1)
    task = heard("witness_that_lingers:linger", "a")
    hear([task], processes=True)
    [answer] = task.answers
    assert isinstance(answer, Testimony)
    assert answer.ledger == {"auroc|all_queries|all|value": 0.5}


def test_what_can_be_done_meanwhile_is_done_with_what_was_heard() -> None:
    seen: list[int] = []
    task: Task[Case, str] = Task("a function of any module", str, cases("first", "second"))
    hear([task], processes=True, meanwhile=lambda: seen.append(len(task.answers)))
    assert seen == [0, 1]


def test_in_this_process_any_function_will_do() -> None:
    here = os.getpid()
    witness = Witness(
        "w", "library", lambda case: Testimony({"pid": os.getpid()}, note=case.system)
    )
    task = task_of(witness, cases("a", "b"))
    hear([task], processes=False)
    assert task.answers == [Testimony({"pid": here}, note=name) for name in ("a", "b")]
    assert task.about("b") == Testimony({"pid": here}, note="b")
    assert task.about("c") is None


def test_a_witness_without_cases_is_not_started() -> None:
    task = heard("no_such_module:f")
    hear([task], processes=True)
    assert task.answers == []


def test_refusals_are_told_from_crashes() -> None:
    class InputError(ValueError):
        pass

    def refuse(case: Case) -> Testimony:
        raise InputError(f"{case.data}: row 2")

    task = task_of(Witness("w", "library", refuse), cases("a"))
    hear([task], processes=False)
    assert task.answers == [Silence("a: row 2", refused=True)]


PID = "__import__('os').getpid()"


def asked(*questions: str) -> list[Task[Any, Any]]:
    return [Task(question, eval, (question,)) for question in questions]


def test_one_process_serves_one_task_after_the_other() -> None:
    tasks = asked(*[PID] * 5)
    with Workers() as workers:
        for task in tasks:
            hear([task], processes=True, workers=workers)
    assert len({pid for task in tasks for pid in task.answers}) == 1


def test_a_task_is_done_where_the_one_before_it_was() -> None:
    before = [Task(name, eval, (PID,)) for name in ("a", "b")]
    after = [Task(f"after {one.name}", eval, (PID,), after=one.name) for one in before]
    with Workers() as workers:
        hear(before, processes=True, workers=workers)
        for task in reversed(after):
            hear([task], processes=True, workers=workers)
    assert before[0].answers != before[1].answers
    assert [one.answers for one in after] == [one.answers for one in before]


def test_a_task_lets_others_go_first_while_the_one_before_it_is_at_work() -> None:
    first, other = asked(PID, "1 + 1")
    then = Task("then", eval, (PID,), after=first.name)
    began: list[str] = []
    hear(
        [first, then, other],
        processes=True,
        progress=lambda task, _, event: began.append(task.name) if event == "started" else None,
    )
    assert began == [first.name, other.name, then.name]
    assert all(one.answers for one in (first, then, other))


def test_a_task_is_done_although_the_process_of_the_one_before_it_died() -> None:
    [dying] = asked("__import__('os')._exit(7)")
    then = Task("then", eval, (PID,), after=dying.name)
    hear([dying, then], processes=True)
    assert [type(answer) for answer in then.answers] == [int]


def test_a_process_that_dies_costs_its_own_task_alone() -> None:
    dying, *others = asked("__import__('os')._exit(7)", PID, "1 / 0", PID)
    hear([dying, *others], processes=True)
    assert dying.answers == [Silence("its process ended with code 7 before it answered")]
    assert [type(answer) for task in others for answer in task.answers] == [int, Silence, int]


def test_what_only_waits_for_a_free_process_is_not_waited_for() -> None:
    [first, later] = asked(PID, PID)
    later = replace(later, patient=True)
    with Workers() as workers:
        workers.waiting.append(later)
        hear([first], processes=True, workers=workers)
        assert first.answers
        workers.finish()
    assert len(later.answers) == 1


def test_what_waits_is_begun_while_one_is_busy_without_waiting_for_it() -> None:
    slow, later = asked("__import__('time').sleep(0.2) or 1", PID)
    with Workers() as workers:
        workers.waiting += [replace(slow, patient=True), replace(later, patient=True)]
        drawn = list(workers.waiting)
        workers.tend()
        # Both are at work, or wait for a core; nobody has waited for an answer.
        assert not drawn[0].answers
        while not all(one.answers for one in drawn):
            workers.tend()
        assert not workers.waiting
