"""What decides the result of a gate: the command line, less how it is shown.

A report keeps it as data, so that `rerun` asks the same again without reading any command. Such a
report may come from anybody: the model is strict about types, and unknown fields are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from crosscheck.errors import UserError
from crosscheck.model.frozen import Model

if TYPE_CHECKING:
    from collections.abc import Callable

FILES = ("data", "qrels", "run", "config", "policy")
"""Options that name one file."""
SETTINGS = ("k", "ties", "relevance_level", "dedupe")
"""Options that stand for a key of the config."""
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
    k: tuple[Counting, ...] = Field(default=(), description="Cut-offs, in place of the config's")
    ties: Literal["order", "docid", "trec_eval"] | None = None
    relevance_level: Annotated[int, Field(ge=0)] | None = None
    dedupe: Literal["first"] | None = None
    policy: str | None = Field(default=None, description="A file; None: one that is built in")
    strict: bool = False
    engine: str | None = Field(default=None, description="What counts all rows (docs/scale.md)")
    residues: Annotated[int, Field(ge=2)] | None = Field(
        default=None, description="Parts that the primary adds up, with an engine"
    )
    found: bool = Field(default=False, description="Whether the config was found, not named")
    today: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$")] | None = Field(
        default=None, description="The day by which waivers expire; None: none of them does"
    )

    @property
    def settings(self) -> dict[str, Any]:
        """Keys of the config that were given on the command line."""
        given = {name: getattr(self, name) for name in SETTINGS}
        given["k"] = list(self.k)
        return {name: value for name, value in given.items() if value not in (None, [])}

    @property
    def source(self) -> str | dict[str, str] | None:
        """The data that the options name."""
        if self.run and not self.qrels:
            raise UserError("--run needs --qrels: name the judgements too")
        if not self.qrels:
            return self.data
        if self.data and self.run:
            raise UserError("DATA and --run exclude each other: with --qrels, name one run")
        if not (self.data or self.run):
            raise UserError("--qrels needs a run: name it with --run, or as DATA")
        return {"qrels": self.qrels, "run": self.run or self.data or ""}

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
        """Write the command that gives the same result."""
        flags = {None: (), True: ("--intervals",), False: ("--no-intervals",)}[self.intervals]
        data = (self.data,) if self.data else ()
        given = {name: path for name, path in self.named.items() if name != "data"} | {
            "claims": self.claims,
            "ranking": tuple(map("=".join, self.rankings)),
            "witness": self.witnesses,
            "resamples": self.resamples,
            "seed": self.seed,
            "timeout": self.timeout,
            "k": ",".join(map(str, self.k)) or None,
            "ties": self.ties,
            "relevance-level": self.relevance_level,
            "dedupe": self.dedupe,
            "engine": self.engine,
            "residues": self.residues,
            "today": self.today,
        }
        strict = ("--strict",) if self.strict else ()
        return written("gate", *data, *flags, *strict, **given)


def written(command: str, *words: str, **given: object) -> tuple[str, ...]:
    """Write a command in one order, whatever the user typed; a tuple is an option repeated."""
    line = ["crosscheck", command, *words]
    for name, value in given.items():
        for one in value if isinstance(value, tuple) else (value,):
            line += [] if one is None else [f"--{name}", str(one)]
    return tuple(line)
