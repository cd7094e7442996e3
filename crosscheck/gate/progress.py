"""What is said while a run works: who is asked, and when each is done."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.witnesses.run import Asked, Task

SILENT = "fell silent"


class Clock:
    """Makes a line of each event, with the seconds since the run began."""

    def __init__(self, *, several: bool) -> None:
        self.several = several
        self.began = time.monotonic()
        self.asked: dict[str, Task[Any, Any]] = {}

    def lines(self, task: Task[Any, Any], subject: Asked, event: str) -> Iterator[str]:
        """Say what happened, and what a witness of the user's own printed."""
        seconds = time.monotonic() - self.began
        about = f" on {subject.name}" if self.several else ""
        sample = f" ({subject.scope})" if subject.scope else ""
        self.asked[task.name] = task
        if event == "started":
            waiting = f": {task.waiting}" if task.waiting else ""
            yield f"{seconds:6.1f} s  {task.name} is asked{waiting}"
        else:
            left = [*self._left()] if event != "printed" else []
            remains = f"; still at work: {', '.join(left)}" if left else ""
            yield f"{seconds:6.1f} s  {task.name}{about}{sample} {event}{remains}"
        for said in task.said if event == "printed" else ():
            yield f"          {said}"

    def _left(self) -> Iterator[str]:
        """Name who has not answered everything, with how much of it remains."""
        for name, task in self.asked.items():
            whole, done = len(task.subjects), len(task.answers)
            if done < whole:
                yield f"{name} ({whole - done} of {whole})" if whole > 1 else name
