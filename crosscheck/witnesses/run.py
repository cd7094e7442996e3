"""Hear the witnesses: in processes side by side, or all in this one.

A witness that raises, dies, is killed or lets one wait too long leaves a `Silence` with its reason
for every question it had not answered; it never takes the others, or the run, with it. One whose
code is the user's is never heard in this process, and never as anything but data (`apart`).
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from crosscheck.data.readings import keeping
from crosscheck.processes import TIMEOUT
from crosscheck.witnesses import Testimony
from crosscheck.witnesses.resampling import TASK as INTERVALS
from crosscheck.witnesses.tasks import Asked, Subject, Task, Told, ask, asked_here
from crosscheck.witnesses.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from crosscheck.data.case import Case
    from crosscheck.witnesses import Witness
    from crosscheck.witnesses.tasks import Progress

__all__ = ["Asked", "Subject", "Task", "Told", "Workers", "ask", "hear", "task_of"]


def task_of(witness: Witness, cases: Iterable[Case]) -> Task[Case, Testimony]:
    """Make the task of hearing a witness; of one that is not installed, all is said at once."""
    subjects, answer = tuple(cases), witness.testify
    why = witness.absent
    said = [_not_installed(one, why) for one in subjects] if why else []
    # What the reference has read for the intervals is at hand there, where there are any.
    after = INTERVALS if witness.kind == "implementation" else witness.after
    return Task(
        witness.name,
        answer,
        subjects,
        witness.waiting,
        list(said),
        apart=witness.apart,
        after=after,
    )


def _not_installed(case: Case, why: str) -> Testimony:
    return Testimony({}, declined=dict.fromkeys(case.owed, why), note=why, absent=True)


def hear(
    tasks: Iterable[Task[Any, Any]],
    *,
    processes: bool,
    progress: Progress | None = None,
    meanwhile: Callable[[], None] | None = None,
    timeout: float = TIMEOUT,
    workers: Workers | None = None,
    here: Sequence[Task[Any, Any]] = (),
) -> None:
    """Have every task's questions answered; `meanwhile` is called when one has but to wait.

    The next task is taken when there is a process for it: making it may be work as well. Only a
    process can be ended: in this one, a witness takes as long as it takes. `here` are the tasks
    that are done in this one all the same.
    """
    report = progress or _quiet
    chosen = (task for task in tasks if len(task.answers) < len(task.subjects))
    if workers is not None:
        workers.hear(chosen, report, meanwhile, timeout, here)
        return
    with Workers() as own:
        if processes:
            own.hear(chosen, report, meanwhile, timeout, here)
            return
        with keeping():
            for task in chain(here, chosen):
                if task.apart:
                    own.hear(iter([task]), report, meanwhile, timeout)
                else:
                    list(asked_here([task], report))


def _quiet(task: Task[Any, Any], subject: Asked, event: str) -> None:
    del task, subject, event
