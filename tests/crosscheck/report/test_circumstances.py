"""What weakens a run: on every surface, and said where it is nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from crosscheck.commands.terminal import weakens
from crosscheck.config import systems
from crosscheck.report import circumstances, html, markdown
from crosscheck.report.assemble import report_of
from crosscheck.witnesses.implementations import PRIMARY, REFERENCE
from crosscheck.witnesses.registry import STANDARD

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crosscheck.gate import Outcome
    from crosscheck.report.view import Report

    Run = Callable[..., Outcome]

KINDS = {
    "config",
    "policy",
    "tolerance",
    "waivers",
    "columns",
    "definitions",
    "rows",
    "sample",
    "witnesses",
    "resamples",
    "claims",
}
ROWS = [
    {"query_id": f"q{n}", "candidates": ["a", "b", "c"], "gold": ["b"], "top1": ["a"]}
    for n in range(4)
]


EVERYBODY = (
    PRIMARY,
    REFERENCE,
    *(replace(one, testify=PRIMARY.testify) for one in STANDARD[2:]),
)
"""Everybody by name; the libraries themselves take a while to load."""


def weak(report: Report) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in report.circumstances:
        if one.weakens:
            found.setdefault(one.kind, []).append(one.text)
    return found


def test_every_kind_is_said_whether_it_weakens_or_not(run_gate: Run) -> None:
    report = report_of(run_gate(ROWS, config=""))
    assert {one.kind for one in report.circumstances} == KINDS


def test_a_run_as_the_contract_has_it_is_weakened_by_nothing(run_gate: Run) -> None:
    report = report_of(run_gate(ROWS, config="", witnesses=EVERYBODY))
    # The fixture writes a config, an empty one: it is named, and weakens nothing.
    assert not weak(report)
    told = [one.text for one in report.circumstances if one.kind == "config"]
    assert told[0].endswith("crosscheck.toml sets nothing")


def test_the_examples_of_an_attacker_are_all_there(run_gate: Run) -> None:
    config = 'tolerance = 1e9\n[columns]\ngold = "top1"\n[waivers]\nXC901 = "."\n'
    rows = [{**row, "split": "EVAL"} for row in ROWS]
    rows += [{**ROWS[0], "query_id": f"t{n}", "split": "TRAIN"} for n in range(5)]
    report = report_of(run_gate(rows, config=config))
    told = weak(report)
    assert told["tolerance"] == ["1e+09 is asked for and not granted: 0.01 holds"]
    assert told["columns"] == ["gold is read from “top1”, although the file has “gold”"]
    assert told["waivers"] == ["XC901 does not count: “.”"]
    assert told["rows"] == [
        "4 EVAL, 5 TRAIN rows; 5 (55.6 %) are of queries evaluated nowhere",
    ]
    assert told["witnesses"] == ["not asked: ranx, scikit-learn, trec_eval, ir_measures, scipy"]
    assert "sets columns, tolerance = 1000000000.0, waivers" in told["config"][0]
    kinds = "weakened by config, tolerance, waivers, columns, rows, witnesses."
    assert report.summary.endswith(kinds)


def test_a_waiver_says_what_it_does_for_whom_and_until_when(run_gate: Run) -> None:
    from datetime import date  # noqa: PLC0415 - only here

    config = (
        '[waivers]\nXC901 = { reason = "an erratum is on its way", owner = "A. Author", '
        'expires = 2027-01-31 }\nXC101 = "known since the pilot study"\n'
    )
    outcome = run_gate(ROWS, config=config, claims={"mrr": 0.1}, today=date(2027, 1, 31))
    assert outcome.verdict == "pass"
    report = report_of(outcome)
    assert weak(report)["waivers"] == [
        "XC901 waives 1 finding: “an erratum is on its way”, A. Author, until 2027-01-31",
        "XC101 waives 0 findings: “known since the pilot study”",
    ]
    assert "waivers are judged as of 2027-01-31" in circumstances.otherwise(report)


def test_few_resamples_and_another_seed_are_said(run_gate: Run) -> None:
    report = report_of(run_gate(ROWS, config="", resamples=5))
    assert weak(report)["resamples"] == [
        "5, where the contract has 10,000",
        "by seed 1, where the contract has 20260119",
    ]


def test_numbers_of_the_claims_that_a_rule_passes_over_are_counted(
    run_gate: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper = tmp_path / "paper.md"
    paper.write_text(
        "| Metric | Ours |\n|---|---|\n| Recall@3 | 1.000 |\n\nOf 12 people, 7 went home.\n"
    )
    real = systems.choose
    monkeypatch.setattr(
        systems, "choose", lambda *one, **more: real(*one, **more | {"claims": (str(paper),)})
    )
    report = report_of(run_gate(ROWS, config=""))
    assert weak(report)["claims"] == ["numbers passed over: 2 prose"]
    assert "numbers that are no claims: 1 name" in circumstances.otherwise(report)


def test_claims_that_could_not_be_verified_are_counted(run_gate: Run) -> None:
    report = report_of(run_gate(ROWS, config="", claims={"mrr": 0.5, "zest": 0.25}))
    assert weak(report)["claims"] == ["1 of 2 could not be verified"]


def test_a_declared_definition_says_what_the_bare_name_would_have_given(run_gate: Run) -> None:
    config = '[definitions]\nmap = "by_gold"\nndcg = "graded"\n'
    rows = [{"query_id": "q", "candidates": ["a", "b"], "gold": ["a", "c", "d"]}]
    report = report_of(run_gate(rows, config=config, claims={"map@1": 0.3333}))
    [ours, other] = weak(report)["definitions"]
    assert "“map” in claims means by_gold: map@1/by_gold|positives_only|all|mean is 0.3333" in ours
    assert ours.endswith(", map@1|positives_only|all|mean would be 1.0000")
    assert other == "“ndcg” in claims means graded"


def test_a_witness_that_fell_silent_is_said(run_gate: Run) -> None:
    from crosscheck.witnesses import Silence  # noqa: PLC0415 - the same

    silent = replace(STANDARD[2], testify=lambda _: Silence("no voice"))
    witnesses = (PRIMARY, REFERENCE, silent, *EVERYBODY[3:])
    report = report_of(run_gate(ROWS, config="", witnesses=witnesses))
    assert weak(report)["witnesses"] == ["fell silent: ranx"]


def test_many_mappings_end_with_how_many_more(run_gate: Run) -> None:
    waivers = "\n".join(f'"XC901 k{n}" = "an erratum is on its way"' for n in range(30))
    told = weak(report_of(run_gate(ROWS, config=f"[waivers]\n{waivers}\n")))["waivers"]
    assert len(told) == 8
    assert told[-1].startswith("and 23 more")


def test_control_characters_and_lengths_stay_out(run_gate: Run) -> None:
    reason = "\\u001b[31mred\\u001b[0m " + "x" * 1000
    report = report_of(run_gate(ROWS, config=f'[waivers]\nXC901 = "{reason}"\n'))
    [told] = weak(report)["waivers"]
    assert "\x1b" not in told
    assert len(told) <= 241


def _terminal(report: Report, width: int = 80) -> str:
    console = Console(width=width, force_terminal=False, no_color=True)
    with console.capture() as held:
        weakens(console, report)
    return held.get()


@pytest.mark.parametrize("surface", ["terminal", "markdown", "html"])
def test_every_surface_says_it_before_the_findings(report: Report, surface: str) -> None:
    shown = {
        "terminal": lambda: _terminal(report),
        "markdown": lambda: markdown.render(report),
        "html": lambda: html.render(report),
    }[surface]()
    assert "What weakens this run" in shown
    assert "columns" in shown
    assert "he tolerance is 0.01" in shown
    if surface != "terminal":
        assert shown.index("What weakens this run") < shown.index("Findings")
    assert "<script>alert" not in shown or surface == "terminal"


@pytest.mark.parametrize("surface", ["terminal", "markdown", "html"])
def test_every_surface_says_that_it_is_nothing(
    make_report: Callable[..., Report], report: Report, surface: str
) -> None:
    calm = [one for one in report.circumstances if not one.weakens]
    none = make_report(circumstances=calm)
    shown = {
        "terminal": lambda: _terminal(none),
        "markdown": lambda: markdown.render(none),
        "html": lambda: html.render(none),
    }[surface]()
    said = {
        "terminal": "What weakens this run: nothing. The tolerance is 0.01.",
        "markdown": "**What weakens this run**: Nothing beyond what the contract has.",
        "html": "What weakens this run: nothing",
    }
    assert said[surface] in shown
