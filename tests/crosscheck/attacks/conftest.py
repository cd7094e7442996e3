"""What several attacks begin with: an honest report, and a bundle of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosscheck.cli import run
from crosscheck.errors import PASS
from crosscheck.rerun import bundle

DATA = "query_id,candidates,gold\nq1,a|b|c,b\nq2,a|b|c,a\nq3,a|b|c,d\n"


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gate a small file once; the report and a bundle of it lie beside the file."""
    place = tmp_path_factory.mktemp("honest")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        Path("crosscheck.toml").write_text("k = [1]\n")
        Path("data.csv").write_text(DATA)
        words = ["gate", "data.csv", "--out", "r", "-q", "--no-figures", "--witness", "primary"]
        assert run(words) == PASS
        bundle.pack(Path("r"), Path("b.zip"))
    return place
