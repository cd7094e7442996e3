"""From options to a request: who decides how long a witness may take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from crosscheck import gate
from crosscheck.gate.request import prepare
from crosscheck.model.options import Options

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("written", "asked", "seconds"),
    [
        ("", None, 3600),
        ("timeout = 7\n", None, 7),
        ("timeout = 7\n", 5, 5),
        ("", 10**400, 2_000_000),
    ],
)
def test_the_option_comes_before_the_config_and_the_config_before_an_hour(
    study: Path, *, written: str, asked: int | None, seconds: int
) -> None:
    (study / "crosscheck.toml").write_text(written)
    with prepare(Options(data=str(study / "data.csv"), timeout=asked)) as request:
        assert request.timeout == seconds


def test_the_command_that_is_stored_names_the_time_limit() -> None:
    options = Options(data="d.csv", resamples=10, seed=0, timeout=5)
    words = ("--resamples", "10", "--seed", "0", "--timeout", "5")
    assert options.command == ("crosscheck", "gate", "d.csv", *words)


def test_the_time_limit_reaches_the_hearing(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Asked(Exception):  # noqa: N818 - ends the run where the test has seen enough
        pass

    def hear(_: Any, **asked: Any) -> Any:
        raise Asked(asked["timeout"])

    monkeypatch.setattr(gate, "hear", hear)
    with prepare(Options(data=str(study / "data.csv"), timeout=5)) as request:
        with pytest.raises(Asked) as caught:
            gate.run(request)
        assert caught.value.args == (5,)
