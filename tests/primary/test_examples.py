"""The examples in the documentation of the functions are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import primary

MODULES = ["primary"] + [
    module.name for module in pkgutil.walk_packages(primary.__path__, "primary.")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_every_function_of_the_door_has_an_example() -> None:
    door = (
        "describe",
        "evaluate",
        "per_query",
        "table",
        "intervals",
        "compare",
        "draw",
        "settings",
    )
    assert [name for name in door if ">>>" not in (getattr(primary, name).__doc__ or "")] == []
