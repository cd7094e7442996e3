"""What decides the result of a gate: the command line, less how it is shown.

A report keeps it as data, so that `rerun` asks the same again without reading any command. Such a
report may come from anybody: the model is strict about types, and unknown fields are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from crosscheck.errors import UserError
from crosscheck.model.frozen import Model

if TYPE_CHECKING:
    from collections.abc import Callable

FILES = ("data", "qrels", "run", "config")
"""Options that name one file."""
Counting = Annotated[int, Field(ge=1)]


class Options(Model, strict=True):
    """What was asked; what is left open follows from the config."""

    data: str | None = None
    claims: tuple[str, ...] = ()
    config: str | None = Field(default=None, description="The one in force, named or found")
    rankings: tuple[tuple[str, str], ...] = Field(default=(), description="Name, column of data")
    qrels: str | None = None
    run: str | None = None
    witnesses: tuple[str, ...] = Field(default=(), description="Empty: all the standard ones")
    intervals: bool | None = None
    resamples: Counting | None = None
    seed: Annotated[int, Field(ge=0)] | None = None
    timeout: Counting | None = None

    @property
    def source(self) -> str | dict[str, str] | None:
        """The data that the options name."""
        if bool(self.qrels) != bool(self.run):
            raise UserError("--qrels and --run go together: name both TREC files")
        if self.qrels and self.run:
            if self.data:
                raise UserError("DATA and --qrels/--run exclude each other: name one or the other")
            return {"qrels": self.qrels, "run": self.run}
        return self.data

    @property
    def named(self) -> dict[str, str]:
        """Option → the one file that it names."""
        return {name: path for name in FILES if (path := getattr(self, name))}

    @property
    def files(self) -> tuple[str, ...]:
        """Every file that the options name."""
        return (*self.named.values(), *self.claims)

    def placed(self, place: Callable[[str], str]) -> Options:
        """Give the same options with every file where `place` says that it lies."""
        named = {name: place(path) for name, path in self.named.items()}
        return self.model_copy(update=named | {"claims": tuple(map(place, self.claims))})

    @property
    def command(self) -> tuple[str, ...]:
        """Write the command that gives the same result, in one order whatever the user typed."""
        words = ["crosscheck", "gate"]
        for name, path in self.named.items():
            words += [path] if name == "data" else [f"--{name}", path]
        for file in self.claims:
            words += ["--claims", file]
        for name, column in self.rankings:
            words += ["--ranking", f"{name}={column}"]
        for name in self.witnesses:
            words += ["--witness", name]
        if self.intervals is not None:
            words.append("--intervals" if self.intervals else "--no-intervals")
        for name in ("resamples", "seed", "timeout"):
            number = getattr(self, name)
            words += [f"--{name}", str(number)] if number is not None else []
        return tuple(words)
