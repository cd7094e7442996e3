"""Claims in a gate: every system's own file, the authors' help, and counts that add up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crosscheck import config
from crosscheck.config import systems
from crosscheck.errors import UserError
from crosscheck.gate import Outcome, Request, run
from crosscheck.report.assemble import report_of
from crosscheck.witnesses.implementations import PRIMARY, REFERENCE

if TYPE_CHECKING:
    from pathlib import Path

ROWS = "query_id,one,two,gold\nq1,a|b|c,b|a|c,a\nq2,d|e|f,e|d|f,d\nq3,g|h|i,g|h|i,g\n"
SYSTEMS = """
[systems.first]
data = "rows.csv"
columns = { candidates = "one" }
claims = "a.json"

[systems.second]
data = "rows.csv"
columns = { candidates = "two" }
claims = "b.json"
"""


def gated(folder: Path, text: str = "", **files: str) -> Outcome:
    (folder / "rows.csv").write_text(ROWS, encoding="utf-8")
    for name, held in files.items():
        (folder / name.replace("_", ".")).write_text(held, encoding="utf-8")
    file = folder / "crosscheck.toml"
    file.write_text(text + SYSTEMS, encoding="utf-8")
    read = config.read(file)
    return run(Request(systems.choose(read), read, witnesses=(PRIMARY, REFERENCE), processes=False))


def claimed(outcome: Outcome) -> dict[str, list[str]]:
    return {one.system: [each.status for each in one.claims] for one in outcome.evidence}


@pytest.mark.parametrize(("second", "status"), [("0.6667", "holds"), ("1.0000", "wrong")])
def test_a_second_system_s_own_claims_are_verified(
    tmp_path: Path, second: str, status: str
) -> None:
    outcome = gated(tmp_path, a_json='{"mrr": 1.0000}', b_json=f'{{"mrr": {second}}}')
    assert claimed(outcome) == {"first": ["holds"], "second": [status]}
    assert outcome.verdict == ("pass" if status == "holds" else "fail")


def test_the_counts_add_up_and_stand_in_the_summary(tmp_path: Path) -> None:
    stated = '{"mrr": 1.0000, "recall@1": 0.5, "fluency": 0.9}'
    report = report_of(gated(tmp_path, a_json=stated, b_json='{"mrr": 0.6667}'))
    assert "claims: 2 verified, 1 wrong, 1 unverified, 1 ignored" in report.summary
    first = report.systems[0]
    assert first.claim_counts is not None
    assert first.claim_counts.model_dump() == {
        "verified": 1, "wrong": 1, "unverified": 1, "ignored": 1,
    }  # fmt: skip
    assert [(one.line, one.column) for one in first.claims] == [(1, 9), (1, 29), (1, 45)]
    assert [(one.rule, one.text) for one in first.ignored] == [("name", "1")]


def test_a_file_of_counts_alone_does_not_pass(tmp_path: Path) -> None:
    outcome = gated(tmp_path, a_json='{"queries_total": 3}', b_json='{"mrr": 0.6667}')
    assert [one.rule for one in outcome.findings if one.severity == "error"] == ["XC903"]


def test_definitions_and_what_is_let_pass_stand_on_the_first_screen(tmp_path: Path) -> None:
    text = (
        '[definitions]\nmrr = "mrr@1"\n'
        '[[claims.ignore]]\npattern = "fluency"\nreason = "rated by hand elsewhere"\n'
    )
    stated = {"a_json": '{"mrr": 1.0000, "fluency": 0.9}', "b_json": '{"mrr": 0.3333}'}
    report = report_of(gated(tmp_path, text, **stated))
    assert report.verdict == "pass"
    told = [one.text for one in report.circumstances if one.weakens]
    meant = "“mrr” in claims means mrr@1: mrr@1|positives_only|all|mean is 1.0000, "
    assert f"{meant}mrr@all|positives_only|all|mean would be 1.0000" in told
    assert any("rated by hand" in text for text in told)


def test_a_split_that_the_data_do_not_have_is_advice(tmp_path: Path) -> None:
    stated = '{"eval_split": "val", "mrr": 1.0000}'
    outcome = gated(tmp_path, a_json=stated, b_json='{"mrr": 0.6667}')
    assert outcome.verdict == "pass"
    assert "XC905" in {one.rule for one in outcome.findings}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[claims.names]\n"MRR" = "hit@3"\n', "“MRR” means mrr@all by the contract"),
        ('[claims.names]\n"M-R-R" = "hit@3"\n', r"\[definitions\]"),
        ('[claims.names]\n"MRR" = "mrr@1"\n', r"\[definitions\]"),
        ('[claims.systems]\nfirst = "second"\n', "“first” is itself a system of the run"),
        ('[claims.systems]\n"First" = "second"\n', "“First” is itself a system of the run"),
    ],
)
def test_what_is_known_cannot_be_made_another(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        gated(tmp_path, text, a_json='{"mrr": 1.0}', b_json='{"mrr": 0.6667}')


def test_every_mapping_of_the_config_weakens_the_run(tmp_path: Path) -> None:
    names = "".join(f'"Score {n}" = "hit@{n}"\n' for n in range(1, 12))
    text = (
        f'[claims.names]\n"MRR" = "mrr@all"\nAP = "map@all"\n{names}'
        '[claims.systems]\n"Ours (full)" = "first"\n[claims.tables]\nexclude = ["3"]\n'
    )
    report = report_of(gated(tmp_path, text, a_json='{"AP": 1.0}', b_json='{"mrr": 0.6667}'))
    told = {one.text for one in report.circumstances if one.kind == "claims" and one.weakens}
    assert told >= {
        "“AP” is read as map@all, by the config",
        *(f"“Score {n}” is read as hit@{n}, by the config" for n in range(1, 12)),
        "“Ours (full)” is read as the system “first”, by the config",
        "tables “3” are left out by the config",
    }
