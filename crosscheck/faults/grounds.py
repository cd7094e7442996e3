"""Where faults are tried: small adversarial data sets, ten posts of the study, the study itself.

A ground is data on disk with its config, and what both implementations truly say about it, computed
once; a fault replaces one answer, and the gate is run again.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck import config as configs
from crosscheck import gate
from crosscheck.config import systems
from crosscheck.data import door
from crosscheck.data.case import make_case
from crosscheck.mistakes.bench import Bench
from crosscheck.witnesses.implementations import PRIMARY, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.config import Config
    from crosscheck.config.systems import Source
    from crosscheck.data.case import Case
    from crosscheck.witnesses import Testimony, Witness

Row = dict[str, Any]
SETS = Path(__file__).parent / "sets.toml"


@dataclass
class Ground:
    """Data, config and claims on disk, and the honest answers about them."""

    data: Path | dict[str, str]
    """A table, or where qrels and run lie."""
    table: dict[str, Any]
    """The config, as TOML has it."""
    claims: tuple[str, ...] = ()
    known: dict[str, Testimony] = field(default_factory=dict)

    @cached_property
    def config(self) -> Config:
        """The config, read."""
        return configs.from_table(self.table)

    @cached_property
    def source(self) -> Source:
        """The system that is gated."""
        where = self.data if isinstance(self.data, dict) else str(self.data)
        chosen = systems.choose(self.config, data=where, claims=self.claims)
        return chosen[0]

    @cached_property
    def case(self) -> Case:
        """What witnesses are asked about."""
        return make_case(self.source, self.source.settings, wants_intervals=False)

    def honest(self, witness: Witness) -> Testimony:
        """Give a witness's true answer, computed once."""
        if witness.name not in self.known:
            self.known[witness.name] = witness.testify(self.case)
        return self.known[witness.name]

    @cached_property
    def bench(self) -> Bench:
        """The workbench for breaking the primary's answers."""
        settings, facts = self.case.settings, self.case.facts
        return Bench(
            door.primary.table(self.case.data, settings),
            settings,
            self.honest(PRIMARY).ledger,
            facts["columns"],
            self.case.data,
        )

    def recorded(self, witness: Witness) -> Witness:
        """Let a witness repeat its true answer instead of working it out again."""
        return replace(witness, testify=lambda _: self.honest(witness), per_query=None)

    @property
    def implementations(self) -> tuple[Witness, Witness]:
        """Both implementations, honest."""
        return self.recorded(PRIMARY), self.recorded(REFERENCE)

    def request(self, witnesses: Sequence[Witness], resamples: int = 0) -> gate.Request:
        """Ask for a run with these witnesses, in this process."""
        return gate.Request(
            sources=(self.source,),
            config=self.config,
            witnesses=tuple(witnesses),
            resamples=resamples,
            processes=False,
        )


def rows_of(columns: dict[str, list[Any]]) -> list[Row]:
    """Turn a set's columns into rows, repeated as `times` says, each with a key."""
    times = columns.get("times")
    names = [name for name in columns if name != "times"]
    rows: list[Row] = []
    for place in range(len(columns[names[0]])):
        for _ in range(times[place] if times else 1):
            row = {name: columns[name][place] for name in names}
            keyed = row if "post_id" in row else {"query_id": f"q{len(rows) + 1}"} | row
            rows.append(keyed)
    return rows


def small(name: str, folder: Path) -> Ground:
    """Write an adversarial small data set."""
    entry = tomllib.loads(SETS.read_text(encoding="utf-8"))[name]
    path = folder / f"{name}.jsonl"
    write(rows_of(entry["columns"]), path)
    return Ground(path, entry.get("settings", {}))


def write(rows: Sequence[Row], path: Path) -> None:
    """Write rows as JSON Lines."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
