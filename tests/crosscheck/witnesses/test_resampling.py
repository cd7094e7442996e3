"""Intervals: what the reference is handed, and how often the data are read for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import reference
from crosscheck.witnesses.resampling import Lists

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


def test_the_reference_is_handed_plain_floats() -> None:
    array = np.array([0.5, 0.25])
    lists = Lists({"a": array, "b": array})
    assert (list(lists), len(lists)) == (["a", "b"], 2)
    assert lists["a"] == [0.5, 0.25]
    assert {type(value) for value in lists["a"]} == {float}


def test_a_list_is_made_when_it_is_asked_for_and_let_go() -> None:
    array = np.array([0.5])
    lists = Lists({"a": array})
    array[0] = 0.75
    assert lists["a"] == [0.75]
    assert lists["a"] is not lists["a"]


def test_the_reference_reads_once_for_intervals_and_values(
    run_gate: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []
    honest = reference.read

    def counted(data: Any, settings: Any) -> Any:
        read.append(data)
        return honest(data, settings)

    monkeypatch.setattr(reference, "read", counted)
    run_gate(resamples=20)
    assert len(read) == 1
