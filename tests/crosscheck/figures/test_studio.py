"""How figures are dealt out to the processes that draw them."""

from __future__ import annotations

from collections import deque
from itertools import chain, pairwise
from types import SimpleNamespace
from typing import Any

import pytest

from crosscheck.figures import studio
from crosscheck.report.gallery import Gallery
from crosscheck.witnesses import Silence
from crosscheck.witnesses.tasks import Task


@pytest.mark.parametrize("cores", [1, 2, 64])
@pytest.mark.parametrize("count", [0, 1, 2, 10])
def test_every_figure_is_in_one_share_and_no_share_is_larger_than_the_one_before(
    monkeypatch: pytest.MonkeyPatch, cores: int, count: int
) -> None:
    monkeypatch.setattr(studio, "cores", lambda: cores)
    names = [str(number) for number in range(count)]
    dealt = list(studio.shares(names))
    assert list(chain.from_iterable(dealt)) == names
    assert all(dealt)
    assert all(len(later) <= len(earlier) for earlier, later in pairwise(dealt))
    assert len(dealt) >= min(cores, count)


class Dying:
    """Processes of which the first few die over a figure."""

    def __init__(self, deaths: int) -> None:
        self.deaths = deaths
        self.waiting: deque[Task[Any, Any]] = deque()

    def finish(self) -> None:
        while self.waiting:
            task = self.waiting.popleft()
            for sheet in task.subjects:
                died, self.deaths = self.deaths > 0, self.deaths - 1
                drawn = Gallery((), {sheet.name: "there is nothing to see"})
                task.answers.append(Silence("it died") if died else drawn)


def drawn_by(processes: Any) -> Gallery:
    drawing = studio.Studio(processes)
    sheets = (SimpleNamespace(name="roc"), SimpleNamespace(name="cutoffs"))
    task: Task[Any, Any] = Task("figures", len, sheets)
    processes.waiting.append(task)
    drawing.drawn["full"] = [task]
    return drawing.galleries(None)["full"]


def test_a_figure_whose_process_died_is_drawn_once_more() -> None:
    assert set(drawn_by(Dying(2)).not_drawn) == {"roc", "cutoffs"}


def test_a_figure_over_which_two_processes_died_ends_the_run() -> None:
    with pytest.raises(RuntimeError, match="the figure roc was not drawn: it died; nothing was"):
        drawn_by(Dying(3))
