"""What a shell fills in."""

from __future__ import annotations

import pytest
from click.shell_completion import ShellComplete

from crosscheck.cli import group


def filled(*words: str) -> list[str]:
    complete = ShellComplete(group, {}, "crosscheck", "_CROSSCHECK_COMPLETE")
    return [one.value for one in complete.get_completions(list(words[:-1]), words[-1])]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("ru",), "rules"),
        (("rules", "xc601"), "XC601"),
        (("contract", "ndcg@1"), "ndcg@10"),
        (("explain", "bri"), "brier"),
        (("gate", "--witness", "sci"), "scikit-learn"),
        (("fuzz", "--witness", "ra"), "ranx"),
    ],
)
def test_a_beginning_is_completed(words: tuple[str, ...], expected: str) -> None:
    assert expected in filled(*words)
