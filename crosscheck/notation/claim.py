"""A claim: one number that a file prints, what it is said to be, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from crosscheck.notation.interval import Interval
    from crosscheck.notation.labels import Label
    from crosscheck.notation.number import Quantity

Role = Literal[
    "value", "std", "ci_low", "ci_high", "improvement", "p_value", "count", "setting", "unknown",
    "best", "second", "better", "significant",
]  # fmt: skip
"""What kind of number it is; the last four are words or marks that claim a rank or a test."""


@dataclass(frozen=True, slots=True)
class Claim:
    """`key` is the ledger key that is claimed, None where `problem` says why there is none."""

    file: str
    place: str
    label: str
    printed: str
    role: Role
    number: Quantity | None = None
    system: str | None = None
    key: str | None = None
    percent: bool | None = False
    """Whether the number is in percent; None where the table does not tell."""
    table: str = ""
    title: str = ""
    at: tuple[int, int] = (0, 0)
    """Row and column in the table: which cells are neighbours."""
    problem: str | None = None
    suggestions: tuple[str, ...] = ()
    covers: tuple[tuple[int, int], ...] = ()
    """The ranges of the file's text that it was read from: what it accounts for."""
    line: int = 0
    column: int = 0
    marks: frozenset[str] = frozenset()
    """How the number is set off: `bold`, `underline`."""
    dataset: str | None = None
    """The data set that it is said to be about, where one is named."""
    split: str | None = None
    """The split that it is said to be over, by the contract's name."""
    condition: str = ""
    """What stands beside the metric's name and is not understood: `训练集` of `MRR (训练集)`."""
    candidates: tuple[str, ...] = ()
    """The keys that an ambiguous name can mean; the data may have only one of them."""
    change: str = ""
    """Of an improvement, how it is counted: `relative`, `points`, `difference` or `open`."""
    against: str | None = None
    """The system that a change or a rank is said to be against."""
    name: str = ""
    """The label that names the metric, as it is written: what the config can map."""
    reference: str = ""
    """What the document refers to its table by, such as `tab:main`."""
    said: Label | None = field(default=None, repr=False, compare=False)
    """What its labels say, as they were read."""
    over_folds: bool = False
    """Whether what stands around says that numbers are over folds, or over seeds."""
    over: str = ""
    """Which of the two, where it is said: `folds` or `seeds`."""
    passed: str = ""
    """Why the authors let it pass, where they do."""
    rivals: tuple[str, ...] = ()
    """Of a bold number, the systems among which it is said to be the best."""
    prose: bool = False
    """Whether it stands in running text; `title` is then its sentence."""
    counted: str = ""
    """Of a count of documents, what is counted: `num_rel`, as trec_eval calls it."""
    query: str = ""
    """The one query that it is of, where it is of one."""
    sizes: tuple[tuple[str, int], ...] = ()
    """How many its row or column of the table says that there are, under which names."""
    undeclared: str | None = None
    """The key that the bare name would have meant, where the study declares another."""

    @property
    def metric(self) -> str:
        """The metric of its key, empty without one."""
        return self.key.partition("|")[0] if self.key else ""

    @property
    def beside(self) -> tuple[str, str, str]:
        """File, table and subject: what it has in common with the numbers it is held against."""
        return self.file, self.table, self.subject

    @property
    def subject(self) -> str:
        """System, data set, split and condition: of what the number is."""
        split = None if self.split == "EVAL" else self.split
        parts = (self.system, self.dataset, split, self.condition)
        return " / ".join(part for part in parts if part)

    @property
    def population(self) -> str:
        """The population of its key, empty without one."""
        return self.key.split("|")[1] if self.key else ""

    @property
    def readable(self) -> bool:
        """Whether it prints one number: neither bound nor approximation, its percent known."""
        return self.number is not None and not self.number.relation and self.percent is not None

    @property
    def interval(self) -> Interval:
        """The values that round to what is printed, as fractions of one."""
        if self.number is None:
            raise ValueError(self)
        return self.number.scaled(percent=bool(self.percent))

    @property
    def where(self) -> str:
        """File and place, for a message."""
        file = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{file}, {self.place}" if self.place else file
