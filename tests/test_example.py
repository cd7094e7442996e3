"""The committed example report still holds: every number is computed again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck import cli

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_example_report_reruns_to_the_same(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = cli.run(["rerun", str(root / "reports" / "example" / "report.json"), "-q"])
    assert code == 0, capsys.readouterr().out
