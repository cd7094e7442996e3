"""What a visitor may set: corrections, columns, options; nothing that names a file or code.

The same become a `crosscheck.toml` and a command line, so that whoever takes them along gets the
same answer without the page.
"""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from crosscheck.config import FILE, Config, from_table, read
from crosscheck.errors import UserError
from crosscheck.limits import refuse_shape
from crosscheck.model.frozen import Model
from crosscheck.model.options import Options, written
from crosscheck.serve import toml


def _encodable(text: str) -> str:
    """Refuse half of a character, which JSON can write and no file can hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("holds half of a surrogate pair, which is no text") from None
    if "\0" in text:
        raise ValueError("holds a NUL character, which is no text")
    return text


Text = Annotated[str, AfterValidator(_encodable)]
Word = Annotated[Text, Field(min_length=1, max_length=1_000)]
Words = Annotated[list[Word], Field(max_length=200)]
Pairs = Annotated[dict[Word, Word], Field(max_length=200)]
Count = Annotated[int, Field(ge=1, le=10**9)]


Opinion = Literal["ranx", "scikit-learn", "trec_eval", "ir_measures", "scipy"]
"""Libraries that can be asked; code of a visitor's cannot."""


class Ignored(Model):
    """Numbers that are no claims, and why."""

    pattern: Word
    reason: Word


class Corrections(Model):
    """What helps to read the claims: `[claims]` of a config (docs/claims.md)."""

    names: Pairs = Field(default={}, description="Label → the metric that it means")
    systems: Pairs = Field(default={}, description="Label → the system that it means")
    include: Words = Field(default=[], description="The only tables that count")
    exclude: Words = Field(default=[], description="Tables that do not")
    quoted: Words = Field(default=[], description="Systems whose numbers are others'")
    ignore: list[Ignored] = Field(default=[], max_length=200)

    def table(self) -> dict[str, Any]:
        """Give the same as `[claims]` says it; what was left open is left out."""
        sides = {"include": list(self.include), "exclude": list(self.exclude)}
        found: dict[str, Any] = {
            "names": dict(self.names),
            "systems": dict(self.systems),
            "tables": {name: some for name, some in sides.items() if some},
            "quoted": list(self.quoted),
            "ignore": [one.model_dump() for one in self.ignore],
        }
        return {name: held for name, held in found.items() if held}


class TableSettings(Model):
    """What is known of a table besides its text."""

    n: Count | None = Field(default=None, description="Queries behind the means")
    folds: Annotated[int, Field(ge=2, le=10_000)] | None = None
    fold_sizes: Annotated[list[Count], Field(max_length=1_000)] = Field(default=[])
    claims: Corrections = Field(default_factory=Corrections)

    def table(self) -> dict[str, Any]:
        """Give the config."""
        claims = self.claims.table()
        return {"claims": claims} if claims else {}

    def command(self, file: str) -> str:
        """Write the command line that does the same."""
        given = {
            "n": self.n,
            "folds": self.folds,
            "fold-sizes": ",".join(map(str, self.fold_sizes)) or None,
            "config": FILE if self.table() else None,
        }
        return shlex.join(written("claims", file, **given))


class DataSettings(Model):
    """How data are read and gated."""

    columns: Pairs = Field(default={}, description="Column of the contract → of the file")
    rankings: Pairs = Field(default={}, description="Name of a system → column of its ranking")
    k: Annotated[list[Annotated[int, Field(ge=1, le=10**6)]], Field(max_length=50)] = Field(
        default=[], description="Cut-offs"
    )
    ties: Literal["order", "docid", "trec_eval"] | None = None
    relevance_level: Annotated[int, Field(ge=0, le=10**6)] | None = None
    dedupe: Literal["first"] | None = None
    witnesses: list[Opinion] = Field(
        default=[], description="Who is asked besides the two implementations; empty: all"
    )
    figures: bool = True
    claims: Corrections = Field(default_factory=Corrections)
    config: Annotated[Text, Field(max_length=100_000)] = Field(
        default="", description="Further settings: a crosscheck.toml that names no files"
    )

    def table(self) -> dict[str, Any]:
        """Give the config: what the visitor wrote, and over it what was chosen."""
        table = _parsed(self.config)
        columns = {**table.get("columns", {}), **self.columns}
        claims = {**table.get("claims", {}), **self.claims.table()}
        return (
            table
            | ({"columns": columns} if columns else {})
            | ({"claims": claims} if claims else {})
        )

    def options(self, files: dict[str, str]) -> Options:
        """Give what is asked of a gate; files by their role."""
        return Options(
            data=files.get("data"),
            qrels=files.get("qrels"),
            run=files.get("run"),
            claims=(files["claims"],) if "claims" in files else (),
            config=FILE if self.table() else None,
            rankings=tuple(self.rankings.items()),
            witnesses=tuple(dict.fromkeys(self.witnesses)),
            k=tuple(dict.fromkeys(self.k)),
            ties=self.ties,
            relevance_level=self.relevance_level,
            dedupe=self.dedupe,
        )

    def gate(self, files: dict[str, str]) -> str:
        """Write the command line that gates the same."""
        figures = () if self.figures else ("--no-figures",)
        return shlex.join((*self.options(files).command, *figures))

    def explain(self, question: str, files: dict[str, str]) -> str:
        """Write the command line that explains the same."""
        data = (files["data"],) if "data" in files else ()
        given = {
            "config": FILE if self.table() else None,
            "ranking": tuple(map("=".join, self.rankings.items())),
            **{role: files.get(role) for role in ("qrels", "run")},
        }
        return shlex.join(written("explain", question, *data, **given))


Settings = TableSettings | DataSettings


def as_toml(settings: Settings) -> str:
    """Write the config that does the same; empty where none is needed."""
    return toml.written(settings.table())


def config_of(settings: Settings) -> Config:
    """Read the config as if it lay beside the files: its words are the command line's."""
    table = settings.table()
    return from_table(table, Path(FILE)) if table else read(None)


_ELSEWHERE = {
    "data": "names files of the machine: drop the file instead",
    "systems": "names files of the machine: choose the columns of the rankings instead",
    "witnesses": "names code, and none of a visitor's is run",
    "timeout": "is the operator's to say",
}
"""Keys of a config that no visitor sets → why."""


def _parsed(text: str) -> dict[str, Any]:
    """Read a visitor's config; it may say how to read, never what to open or run."""
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{FILE} is not valid TOML: {error}. Mend the line named.") from None
    refuse_shape(FILE, table)
    wrong = [f"{FILE}: {name}: {why}" for name, why in _ELSEWHERE.items() if name in table]
    claims = table.get("claims", {})
    if not isinstance(claims, dict) or {"file", "files"} & claims.keys():
        wrong.append(f"{FILE}: claims: {_ELSEWHERE['data']}")
    if not isinstance(table.get("columns", {}), dict):
        wrong.append(f'{FILE}: columns: is no table; expected gold = "their_name"')
    if wrong:
        raise UserError("\n".join(wrong))
    return table
