"""A certain mistake costs infinitely much: legal, compared, and written down as such."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from crosscheck.cli import run
from crosscheck.errors import PASS

if TYPE_CHECKING:
    from pathlib import Path

ROWS = "query_id,has_evidence,prob\na,1,0\nb,1,0.75\nc,0,0.25\nd,0,0.5\ne,1,1\nf,0,0\n"


def test_an_infinite_log_loss_has_intervals_and_a_report(tmp_path: Path) -> None:
    data, out = tmp_path / "rows.csv", tmp_path / "out"
    data.write_text(ROWS, encoding="utf-8")
    asked = ["gate", str(data), "--witness", "primary", "--intervals", "--resamples", "60"]
    assert run([*asked, "--no-figures", "--out", str(out)]) == PASS
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    (loss,) = [one for one in report["systems"][0]["headline"] if one["metric"] == "log_loss"]
    assert loss["value"] == "inf"
    assert {one["high"] for one in loss["intervals"]} == {"inf"}
    assert not [one for one in report["findings"] if one["rule"] == "XC402"]
