"""Which systems a run is about: from the config and the command line to data and settings.

A system is one ranking of the queries: a file of its own, a column of a shared file, or a TREC run.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosscheck.config.places import TABLES, called, is_pattern, members, partitions
from crosscheck.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.config import Config


@dataclass(frozen=True, slots=True)
class Source:
    """One system: where its data lie, how to read them, what its authors claim."""

    name: str
    data: str | dict[str, str]
    settings: dict[str, Any]
    claims: tuple[str, ...] = ()
    rule: str | None = None
    named: bool = True
    """False: nobody has named it, so it goes by its file's name, and any claim may be about it."""

    @property
    def files(self) -> tuple[str, ...]:
        """Every data file of the system."""
        return (self.data,) if isinstance(self.data, str) else tuple(self.data.values())


def choose(
    config: Config,
    *,
    data: str | dict[str, str] | None = None,
    rankings: Sequence[tuple[str, str]] = (),
    claims: Sequence[str] = (),
) -> tuple[Source, ...]:
    """Name the systems of a run: the command line's where it names any, else the config's."""
    if rankings:
        _refuse_twice([name for name, _ in rankings])
        return tuple(_of_ranking(config, name, column, data, claims) for name, column in rankings)
    if data is None and config.systems:
        return tuple(_of_config(config, name, claims) for name in config.systems)
    found = data if data is not None else _located(config, config.data)
    if found is None:
        raise UserError("no data: name a file, or set `data` in the config")
    return (_source(config, None, found, claims),)


def _refuse_twice(names: Sequence[str]) -> None:
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise UserError(f"--ranking names {', '.join(twice)} twice; give each ranking its own name")


def _of_ranking(
    config: Config,
    name: str,
    column: str,
    data: str | dict[str, str] | None,
    claims: Sequence[str],
) -> Source:
    found = data if data is not None else _located(config, config.data)
    if not isinstance(found, str):
        raise UserError(
            f"--ranking {name}={column} names a column, so it needs a table file "
            "(CSV, Parquet, JSON Lines), not TREC files"
        )
    plain = _source(config, name if name in config.systems else None, found, claims)
    columns = {**plain.settings.get("columns", {}), "candidates": column}
    settings = {**plain.settings, "columns": columns}
    return Source(name, found, settings, plain.claims, plain.rule)


def _of_config(config: Config, name: str, claims: Sequence[str]) -> Source:
    found = _located(config, config.of(name).data)
    if found is None:
        where = config.file or "the config"
        raise UserError(f"{where}: system “{name}” has no data; set data under [systems.{name}]")
    return _source(config, name, found, claims)


def _source(
    config: Config, name: str | None, data: str | dict[str, str], claims: Sequence[str]
) -> Source:
    one = config.of(name)
    declared = [str(config.locate(file)) for file in one.claims.files] if one.claims else []
    return Source(
        name=name or _stem(data),
        data=data,
        settings=config.settings(name),
        claims=tuple(dict.fromkeys(claims or declared)),
        rule=one.rule,
        named=name is not None,
    )


def _stem(data: str | dict[str, str]) -> str:
    """Name a system after its file."""
    return called(data if isinstance(data, str) else data["run"])


def _located(config: Config, data: str | dict[str, str] | None) -> str | dict[str, str] | None:
    """Find a file that the config names: relative to the config itself."""
    if data is None:
        return None
    if isinstance(data, str):
        return str(config.locate(data))
    return {role: str(config.locate(path)) for role, path in data.items()}


def refuse_missing(sources: Sequence[Source]) -> None:
    """Refuse, all at once, files that are not there or are no files."""
    problems = []
    claims = dict.fromkeys(file for one in sources for file in one.claims)
    for path in dict.fromkeys(file for one in sources for file in one.files) | claims:
        if Path(path).is_dir() and path in claims:
            problems.append(f"{path}: is a folder; name the file in it")
        elif parts := partitions(path):
            problems.append(
                f"{path}: is a set in folders such as {parts[0]}, which an engine reads: add "
                "--engine duckdb, or name files by a glob"
            )
        elif not members(path):
            problems.append(_empty(path))
        elif not Path(path).exists() and not is_pattern(path):
            problems.append(f"{path}: no such file; check the path")
    if problems:
        raise UserError("\n".join(problems))


def _empty(path: str) -> str:
    if Path(path).is_dir():
        endings = ", ".join(f".{one}" for one in TABLES)
        return f"{path}: is a folder without tables ({endings}); name the file, or another folder"
    return f"{path}: no file has such a name; check the path, and quote it on the command line"
