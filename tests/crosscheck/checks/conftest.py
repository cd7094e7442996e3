"""A few rows, what witnesses said about them, and the evidence made of both, without a gate."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

# Loaded here and not in the tests: mutation testing forks after the import, test by test.
import deepdiff  # noqa: F401 - see above
import pytest

import primary
from crosscheck.checks import Evidence, Statement
from crosscheck.data.case import Case
from crosscheck.witnesses import Testimony, Witness

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Row = dict[str, Any]


def never(case: Case) -> Testimony:
    raise AssertionError(f"nobody is asked about {case.system} here")


@pytest.fixture
def case_of(tmp_path: Path) -> Callable[..., Case]:
    """Describe a few rows as the gate does, with facts that can be changed; no key is owed."""

    def make(
        *rows: Row,
        name: str = "data.jsonl",
        settings: dict[str, Any] | None = None,
        facts: dict[str, Any] | None = None,
        **fields: Any,
    ) -> Case:
        path = tmp_path / name
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        known = settings or {}
        described = primary.describe(str(path), known) | (facts or {})
        return Case("study", str(path), known, described, fields.pop("owed", ()), **fields)

    return make


@pytest.fixture
def bare() -> Callable[..., Case]:
    """Give a case without data, for checks that look at numbers alone."""

    def make(**fields: Any) -> Case:
        return Case("study", None, fields.pop("settings", {}), fields.pop("facts", {}), **fields)

    return lambda **fields: make(**({"owed": ()} | fields))


@pytest.fixture
def said() -> Callable[..., Statement]:
    """Put words into a witness's mouth."""

    def make(
        name: str, ledger: dict[str, Any], case: Case, kind: Any = "implementation", **told: Any
    ) -> Statement:
        witness = Witness(name, kind, never, per_query=told.pop("per_query", None))
        return Statement(witness, case, Testimony(ledger, **told))

    return make


@pytest.fixture
def primary_says(said: Callable[..., Statement]) -> Callable[..., Evidence]:
    """Make evidence of the primary's word alone."""

    def make(case: Case, ledger: dict[str, Any] | None = None, **fields: Any) -> Evidence:
        return Evidence(case, (said("primary", ledger or {}, case),), **fields)

    return make
