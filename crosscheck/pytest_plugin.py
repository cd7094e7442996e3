"""For pytest: a fixture `crosscheck` that gates data in a test, and configs as tests.

`def test_numbers(crosscheck): crosscheck.passes("per_query.csv", claims="paper.tex")` fails with
the findings' words. `pytest --crosscheck` makes every `crosscheck.toml` that pytest comes by a
group of tests, one for the verdict and one a claim; so does naming such a file. Without being
asked, nothing is collected: a gate takes longer than a test.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from crosscheck.api import Result
    from crosscheck.model.findings import Finding
    from crosscheck.report.view import ClaimView

CONFIG = "crosscheck.toml"
MOST = 20
"""Findings that a failure says in full."""
HOLDS = ("holds", "ignored")


class GateError(AssertionError):
    """The gate failed: its text is all there is to say."""


class Crosscheck:
    """What the fixture hands out."""

    def check(self, *data: Any, **settings: Any) -> Result:  # noqa: ANN401 - as `crosscheck.check`
        """Gate the data, as `crosscheck.check` does; the result says how it went."""
        from crosscheck.api import check  # noqa: PLC0415 - heavy, and few tests ask for it

        return check(*data, **settings)

    def passes(self, *data: Any, **settings: Any) -> Result:  # noqa: ANN401 - the same
        """Gate the data, and fail the test with the findings' words if it does not pass."""
        __tracebackhide__ = True
        result = self.check(*data, **settings)
        if not result.passed:
            raise GateError(told(result))
        return result


def told(result: Result) -> str:
    """Say why a run failed: its sentence, then each finding that fails it with what to do."""
    failing = [one for one in result.findings if _fails(one)]
    lines = [result.summary]
    for one in failing[:MOST]:
        lines += _said(one)
    if len(failing) > MOST:
        lines.append(f"… and {len(failing) - MOST:,} more")
    return "\n".join(lines)


def _said(one: Finding) -> list[str]:
    about = f"[{one.system}] " if one.system else ""
    return [f"{one.rule} {one.title}: {about}{one.message}", f"  try: {one.remedy}"]


def _fails(one: Finding) -> bool:
    return one.severity == "error" and one.waived is None


@pytest.fixture(scope="session")
def crosscheck() -> Crosscheck:
    """`crosscheck.passes(data, claims=…)`: every number computed twice, compared, checked."""
    return Crosscheck()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the switch that makes configs tests."""
    group = parser.getgroup("crosscheck", "metric-crosscheck")
    group.addoption(
        "--crosscheck",
        action="store_true",
        help=f"make every {CONFIG} a group of tests: the verdict, and each claim",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ConfigFile | None:
    """Collect a config, if configs were asked for or this one was named."""
    if file_path.name != CONFIG:
        return None
    named = any(
        (parent.config.invocation_params.dir / one.split("::")[0]).resolve() == file_path.resolve()
        for one in parent.config.args
    )
    if named or parent.config.getoption("--crosscheck"):
        return ConfigFile.from_parent(parent, path=file_path)
    return None


class ConfigFile(pytest.File):
    """A config: gated when it is collected, since only then its claims are known."""

    def collect(self) -> Iterator[pytest.Item]:
        """Give a test for the verdict, and one a claim."""
        from crosscheck.api import check  # noqa: PLC0415 - heavy

        result = check(config=self.path)
        yield Verdict.from_parent(self, name="verdict", result=result)
        names: dict[str, int] = {}
        for system in result.report.systems:
            for claim in system.claims:
                name = f"{system.name}: {claim.label} = {claim.printed}"
                names[name] = names.get(name, 0) + 1
                again = f" ({names[name]})" if names[name] > 1 else ""
                told = [one for one in result.findings if one.place == claim.place and _fails(one)]
                yield Claim.from_parent(self, name=f"{name}{again}", claim=claim, told=told)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: Any) -> Any:  # noqa: ANN401
        """Say what is wrong with the input in the words of the command."""
        from crosscheck.errors import UserError  # noqa: PLC0415 - the same

        if isinstance(excinfo.value, UserError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


class _Told(pytest.Item):
    """A test whose failure is a sentence, not a traceback."""

    def reportinfo(self) -> tuple[Path, None, str]:
        """Let the failure stand under the name of the test; pytest reads dots as colons else."""
        return self.path, None, f"crosscheck: {self.name}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: Any) -> Any:  # noqa: ANN401
        """Give the sentence alone."""
        if isinstance(excinfo.value, GateError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


class Verdict(_Told):
    """Whether the whole run passes."""

    def __init__(self, *, result: Result, **rest: Any) -> None:  # noqa: ANN401 - pytest's own
        super().__init__(**rest)
        self.result = result

    def runtest(self) -> None:
        """Fail with the findings that fail the run."""
        if not self.result.passed:
            raise GateError(told(self.result))


class Claim(_Told):
    """Whether one claimed number holds."""

    def __init__(self, *, claim: ClaimView, told: list[Finding], **rest: Any) -> None:  # noqa: ANN401 - pytest's own
        super().__init__(**rest)
        self.claim = claim
        self.told = told

    def runtest(self) -> None:
        """Fail with the finding's words, or with what the data give instead."""
        if self.claim.status in HOLDS:
            return
        words = [line for one in self.told for line in _said(one)] or [self.claim.sentence]
        here = f"{self.config.invocation_params.dir}{os.sep}"
        raise GateError("\n".join([f"{self.claim.place.removeprefix(here)}:", *words]))
