"""Non-negative least squares of our own, against scipy's; and that `claims` loads no scipy."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy.optimize import nnls

from crosscheck.audit.nearest import nearest


@pytest.mark.parametrize(("rows", "columns"), [(3, 10), (8, 3), (4, 4), (5, 200)])
@pytest.mark.parametrize("seed", range(5))
def test_it_comes_as_near_as_scipy_does(rows: int, columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    given = rng.random((rows, columns)) * (rng.random((rows, columns)) < 0.7)
    for target in (rng.normal(size=rows), given @ (rng.random(columns) < 0.2)):
        shares = nearest(given, target, most=400)
        assert (shares >= 0).all()
        _, distance = nnls(given, target)
        assert np.linalg.norm(given @ shares - target) <= distance + 1e-9


def test_a_target_that_no_column_leads_to_gets_none() -> None:
    assert nearest(np.ones((2, 3)), -np.ones(2), most=9).tolist() == [0.0, 0.0, 0.0]
    assert nearest(np.ones((2, 0)), np.ones(2), most=9).size == 0


def test_few_steps_give_what_there_is() -> None:
    shares = nearest(np.eye(3), np.ones(3), most=1)
    assert sorted(shares) == pytest.approx([0.0, 0.0, 1.0])


TRUE = "| System | MRR | Recall@10 | nDCG@10 |\n|---|---|---|---|\n| a | 0.503 | 0.721 | 0.612 |\n"
LOADED = f"""
import sys
from crosscheck.audit import audit
from crosscheck.claims.reading import read_text
found = audit(read_text({TRUE!r}, "a.md", "markdown"))
print(len(found.checked), sorted({{"scipy", "polars", "rich"}} & set(sys.modules)))
"""


def test_a_true_table_is_audited_without_loading_scipy() -> None:
    command = [sys.executable, "-c", LOADED]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert said.stdout == "3 []\n"
