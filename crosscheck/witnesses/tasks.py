"""Tasks: questions for one process, and the answers so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from crosscheck.witnesses import Silence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Progress = Callable[["Task[Any, Any]", "Asked", str], None]
    """Called with “started”, “answered”, “fell silent”, or “printed” where `said` has lines."""


class Asked(Protocol):
    """What a question is about: a case, or two of them that are compared."""

    @property
    def name(self) -> str:
        """How it is called in messages."""

    @property
    def scope(self) -> str:
        """Empty for all rows; else the words that say which sample."""


Subject = TypeVar("Subject", bound=Asked)
Told = TypeVar("Told")


@dataclass(frozen=True, slots=True)
class Task(Generic[Subject, Told]):
    """Work for one process: a question about several subjects, and the answers so far."""

    name: str
    answer: Callable[[Subject], Told]
    """A function of a module, so that another process finds it."""
    subjects: tuple[Subject, ...]
    waiting: str = ""
    """What one is waiting for, when it takes long."""
    answers: list[Told | Silence] = field(default_factory=list)
    """In the order of the subjects."""
    apart: bool = False
    """Its code is not ours."""
    said: list[str] = field(default_factory=list)
    """The last lines of what it printed, where it is."""
    patient: bool = False
    """It may take as long as it takes."""
    after: str = ""
    """The task after which it is best done, in the same process, since both read the same."""

    def take(self, answer: Any, report: Progress) -> None:  # noqa: ANN401 - an answer or a silence
        """Take down the next answer."""
        subject = self.subjects[len(self.answers)]
        self.answers.append(answer)
        if not self.patient:
            report(self, subject, "fell silent" if isinstance(answer, Silence) else "answered")

    def heard(self) -> Iterator[tuple[Subject, Told | Silence]]:
        """Give what was answered by now."""
        return zip(self.subjects, self.answers, strict=False)

    def about(self, name: str) -> Told | Silence | None:
        """Give what was answered about the subject of that name, over all rows."""
        found = (told for one, told in self.heard() if one.name == name and not one.scope)
        return next(found, None)


def ask(answer: Callable[[Subject], Told], subject: Subject) -> Told | Silence:
    """Put one question; whatever goes wrong becomes a `Silence`."""
    try:
        return answer(subject)
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001 - a witness may fail in any way; a panic of polars is no Exception
        refused = type(error).__name__ == "InputError"
        text = str(error) if refused else f"{type(error).__name__}: {error}"
        return Silence(text, refused=refused)


def asked_here(tasks: Iterable[Task[Any, Any]], report: Progress) -> Iterator[Asked]:
    """Put the questions of tasks in this process, one at a time; give what each was about."""
    for task in tasks:
        for subject in task.subjects[len(task.answers) :]:
            report(task, subject, "started")
            task.take(ask(task.answer, subject), report)
            yield subject
