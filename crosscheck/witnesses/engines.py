"""The witnesses that ask an existing engine, as they are named: who answers is loaded when asked.

Most runs name neither, and every process of a run knows all witnesses: the texts in SQL, and what
speaks with an engine, would be loaded by each for nothing.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from crosscheck.witnesses import Testimony, Witness

if TYPE_CHECKING:
    from crosscheck.data.case import Case
    from crosscheck.witnesses.plan import Draws


def by_sql(case: Case, address: str | None = None, draws: Draws | None = None) -> Testimony:
    """Ask an engine in SQL; without an address, that of the environment."""
    from crosscheck.witnesses import sql  # noqa: PLC0415 - see above

    return sql.ask(address, case, draws)


def by_mllib(case: Case, address: str | None = None) -> Testimony:
    """Ask a Spark for what MLlib says; without an address, that of the environment."""
    from crosscheck.witnesses import mllib  # noqa: PLC0415 - see above

    return mllib.ask(address, case)


SQL = Witness(
    name="sql",
    kind="library",
    testify=by_sql,
    packages=("duckdb",),
    waiting="an engine",
    extra="engine",
)
MLLIB = Witness(
    name="mllib",
    kind="library",
    testify=by_mllib,
    packages=("pyspark",),
    waiting="Spark",
    extra="spark",
)


def sql_at(address: str, draws: Draws | None = None) -> Witness:
    """Give the witness that asks one engine."""
    return replace(SQL, testify=partial(by_sql, address=address, draws=draws))


def mllib_at(address: str) -> Witness:
    """Give the witness that asks one Spark."""
    return replace(MLLIB, testify=partial(by_mllib, address=address))
