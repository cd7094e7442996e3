"""The pytest plugin: a fixture that gates, and configs that are tests."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = ["pytester"]
ROWS = "query_id,candidates,gold\nq1,a|b,a\nq2,a|b,b\n"
"""MRR is (1 + 1/2) / 2 = 0.75."""


@pytest.fixture
def study(pytester: pytest.Pytester) -> Path:
    """A study of two queries with one right claim and one wrong one."""
    folder = pytester.mkdir("paper")
    (folder / "per_query.csv").write_text(ROWS, encoding="utf-8")
    claims = {"MRR": 0.75, "Recall@3": 0.9}
    (folder / "claims.json").write_text(json.dumps(claims), encoding="utf-8")
    config = 'data = "per_query.csv"\nclaims = "claims.json"\n'
    (folder / "crosscheck.toml").write_text(config, encoding="utf-8")
    return folder


def test_the_fixture_fails_a_test_with_the_findings_words(
    pytester: pytest.Pytester, study: Path
) -> None:
    pytester.makepyfile(
        f"""
        import pytest

        DATA = {str(study / "per_query.csv")!r}

        def test_right(crosscheck):
            result = crosscheck.passes(DATA, claims={{"MRR": 0.75}}, witnesses=["trec_eval"])
            assert result.passed

        def test_wrong(crosscheck):
            crosscheck.passes(DATA, claims={{"MRR": 0.95}}, witnesses=["trec_eval"])

        def test_asked(crosscheck):
            claims = {{"MRR": 0.95}}
            assert not crosscheck.check(DATA, claims=claims, witnesses=["trec_eval"]).passed
        """
    )
    outcome = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:xdist")
    outcome.assert_outcomes(passed=2, failed=1)
    outcome.stdout.fnmatch_lines(["*XC901*MRR is printed as 0.95; the data give 0.750000*"])
    outcome.stdout.fnmatch_lines(["*try: *"])


@pytest.mark.slow
def test_a_config_is_a_test_a_claim_and_one_for_the_verdict(
    pytester: pytest.Pytester, study: Path
) -> None:
    outcome = pytester.runpytest_inprocess("-p", "no:xdist", "-v", "--crosscheck", str(study))
    outcome.assert_outcomes(passed=1, failed=2)
    outcome.stdout.fnmatch_lines(
        ["*verdict FAILED*", "*MRR = 0.75 PASSED*", "*Recall@3 = 0.9 FAILED*"]
    )
    outcome.stdout.fnmatch_lines(["___* verdict ___*", "___*Recall@3 = 0.9 ___*"])
    outcome.stdout.fnmatch_lines(["XC901 *Recall@3*the data give 1.000000*", "  try: *"])
    assert "Traceback" not in outcome.stdout.str()


def test_a_config_nobody_asked_for_is_no_test(pytester: pytest.Pytester, study: Path) -> None:
    outcome = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:xdist", str(study))
    outcome.assert_outcomes()


def test_bad_input_is_said_in_the_commands_words(pytester: pytest.Pytester, study: Path) -> None:
    (study / "per_query.csv").unlink()
    outcome = pytester.runpytest_inprocess("-p", "no:xdist", str(study / "crosscheck.toml"))
    outcome.assert_outcomes(errors=1)
    outcome.stdout.fnmatch_lines(["*per_query.csv*"])
    assert "Traceback" not in outcome.stdout.str()


def test_the_plugin_costs_nothing_where_nobody_uses_it() -> None:
    told = "import crosscheck.pytest_plugin, sys; print(*sorted(sys.modules))"
    command = [sys.executable, "-c", told]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    heavy = {"numpy", "polars", "pydantic", "click", "rich", "scipy", "crosscheck.api"}
    assert not heavy.intersection(loaded)


def test_a_frame_is_gated_as_a_file_is(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import polars

        def test_frame(crosscheck):
            lists = {"query_id": ["q1"], "candidates": [["a", "b"]], "gold": [["b"]]}
            crosscheck.passes(
                polars.DataFrame(lists), claims={"MRR": 0.5}, witnesses=["trec_eval"]
            )
        """
    )
    outcome = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:xdist")
    outcome.assert_outcomes(passed=1)
