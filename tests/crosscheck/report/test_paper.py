from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crosscheck import claims
from crosscheck.cli import run
from crosscheck.errors import UserError
from crosscheck.paper import tables, verified
from crosscheck.paper.text import escape, latex, to_markdown
from crosscheck.report import json, ledger
from crosscheck.report.cells import Bracket, Number, Paper, Stated

if TYPE_CHECKING:
    from pathlib import Path

    from crosscheck.report.view import Report

TABLE = Paper(
    name="headline",
    caption="Results & more, ± over 5 folds",
    header=["Metric", "Value", "95 % CI"],
    rows=[
        ["AUROC", Number(0.89721, 0.00149), Bracket(0.89413, 0.90031)],
        ["nDCG_10", Number(0.8161, 0.0302), Bracket(0.801, 0.83)],
        ["Sentences", Number(45485), None],
        ["Brier", Number(0.06123), Bracket(0.0601, 0.0624)],
    ],
    notes=["AUROC: 50 % of it"],
)


def test_latex_keeps_to_booktabs_with_numbers_as_known() -> None:
    lines = [line.strip() for line in latex(TABLE).splitlines()]
    assert lines[2:8] == [
        r"\caption{Results \& more, $\pm$ over 5 folds}",
        r"\label{tab:headline}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"Metric & Value & 95 \% CI \\",
        r"\midrule",
    ]
    assert lines[8:13] == [
        r"AUROC & $0.8972 \pm 0.0015$ & $[0.8941, 0.9003]$ \\",
        r"nDCG\_10 & $0.816 \pm 0.030$ & $[0.801, 0.830]$ \\",
        r"Sentences & $45{,}485$ & – \\".replace("–", "--"),
        r"Brier & $0.0612$ & $[0.0601, 0.0624]$ \\",
        r"\bottomrule",
    ]
    assert r"AUROC: 50 \% of it\par" in lines


def test_markdown_prints_the_same_digits() -> None:
    lines = to_markdown(TABLE).splitlines()
    assert lines[4] == "| AUROC | 0.8972 ± 0.0015 | [0.8941, 0.9003] |"
    assert lines[5] == r"| nDCG\_10 | 0.816 ± 0.030 | [0.801, 0.830] |"


def test_decimals_can_be_fixed() -> None:
    assert "0.897 ± 0.001" in to_markdown(TABLE, 3)


def test_a_change_shows_its_sign() -> None:
    table = Paper("d", "", ["a"], [[Number(-0.0311, signed=True)]], [])
    assert "$-0.0311$" in latex(table)


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a_b%", r"a\_b\%"),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("γ ≤ τ", r"$\gamma$ $\le$ $\tau$"),
    ],
)
def test_names_cannot_be_commands(text: str, safe: str) -> None:
    assert escape(text) == safe


@pytest.fixture
def passed(written: Path, report: Report, tmp_path: Path) -> Path:
    """Give a report's folder in which no number failed; its baseline is the system once more."""
    stored = json.read(written)
    text = (written / "ledger.csv").read_text(encoding="utf-8")
    known = ledger.read(text)["primary"]
    assert stored.comparison is not None
    rows = []
    for row in stored.comparison.rows:
        folds = row.key.replace("|all|mean", "|folds|")
        real = {"folds_mean": known[f"{folds}mean"], "folds_std": known[f"{folds}std"]}
        rows.append(row.model_copy(update={"value": known[row.key], **real}))
    [full] = stored.systems
    clean = stored.model_copy(
        update={
            "findings": [report.findings[0]],
            "systems": [full.model_copy(update={"name": "base"}), full],
            "comparison": stored.comparison.model_copy(update={"rows": rows}),
        }
    )
    (tmp_path / "report.json").write_text(json.render(clean), encoding="utf-8")
    (tmp_path / "ledger.csv").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("form", "suffix"), [("latex", ".tex"), ("markdown", ".md")])
def test_the_claims_reader_reads_the_tables_back_and_they_hold(
    form: str, suffix: str, passed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stated = ledger.read((passed / "ledger.csv").read_text(encoding="utf-8"))["primary"]
    for name in ("headline", "criteria", "deployment", "gamma-sweep", "confusion", "views"):
        assert run(["tables", str(passed), "--table", name, "--format", form]) == 0
        file = passed / f"{name}{suffix}"
        file.write_text(capsys.readouterr().out, encoding="utf-8")
        outcomes = claims.verify(claims.read(file), stated)
        # No reader of tables can take a criterion's name back that is made of markup.
        plain = [each for each in outcomes if "alert" not in each.claim.label]
        numbers = [each for each in plain if each.claim.role in ("value", "std")]
        assert numbers
        assert [each.sentence for each in numbers if each.status != "holds"] == []


def test_headline_metrics_go_by_their_names(passed: Path) -> None:
    report = json.read(passed)
    table = tables.build(report, report.systems[0], "headline")
    names = [str(row[0]) for row in table.rows]
    assert [name for name in names if "_" in name] == []
    assert {"Alerts per 1000 queries", "Weighted F1 (per post)"} <= set(names)


def test_each_variant_has_a_note_of_its_own(passed: Path) -> None:
    report = json.read(passed)
    notes = tables.build(report, report.systems[0], "headline").notes
    macro = [note.partition(":")[0] for note in notes if note.startswith("Macro F1")]
    assert macro == ["Macro F1 (per criterion)", "Macro F1 (per post)"]


def test_every_table_that_is_listed_can_be_written(
    passed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tables", str(passed), "--list"]) == 0
    names = capsys.readouterr().out.split()
    assert names[0] == "headline"
    assert names[-2:] == ["ablation", "differences"]
    assert all(run(["tables", str(passed), "--table", name]) == 0 for name in names)


def test_the_ablation_has_a_row_a_system(passed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["tables", str(passed), "--table", "ablation", "--format", "markdown"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines[4:6]] == ["| base", "| full"]
    assert lines[4].split(" | ")[1:] == lines[5].split(" | ")[1:]


def test_a_system_that_the_report_only_compares_is_refused(
    written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tables", str(written), "--table", "ablation"]) == 2
    assert "has no ledger of the system “base”" in capsys.readouterr().err


def test_a_number_that_failed_the_gate_is_refused(
    written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tables", str(written)]) == 2
    said = capsys.readouterr()
    assert "XC401 map@10|positives_only|all|mean" in said.err
    assert said.out == ""


def test_a_table_without_the_failed_number_is_written(written: Path) -> None:
    assert run(["tables", str(written), "--table", "confusion"]) == 0


def test_a_ledger_that_was_changed_since_is_refused(
    passed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = passed / "ledger.csv"
    file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert run(["tables", str(passed)]) == 2
    assert "is not the ledger that was verified" in capsys.readouterr().err


def test_a_ledger_that_is_gone_is_refused(passed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (passed / "ledger.csv").unlink()
    assert run(["tables", str(passed)]) == 2
    assert "ledger.csv: cannot be read" in capsys.readouterr().err


def test_a_report_that_disagrees_with_its_ledger_is_refused(passed: Path) -> None:
    report = json.read(passed)
    system = report.systems[0]
    stated = Stated(system.name, system.headline[0].key, 0.123)
    with pytest.raises(UserError, match=r"but report.json says 0\.123"):
        verified.verify(report, passed, [stated])


def test_a_table_states_the_mean_over_folds_under_the_key_of_the_folds(passed: Path) -> None:
    report = json.read(passed)
    system = report.systems[0]
    first = system.headline[0]
    states = list(tables.build(report, system, "headline").states())
    folds = Stated(system.name, first.stated_key, first.folds_mean or 0.0)
    assert states[0] == folds
    assert folds.key.split("|")[2:] == ["folds", "mean"]
    known = ledger.read((passed / "ledger.csv").read_text(encoding="utf-8"))["primary"]
    assert [one for one in states if known[one.key] != one.value] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--table", "nonsense"], "no table “nonsense” in this report; there are headline,"),
        (["--system", "other"], "no system “other” in this report; there are base, full"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(
    arguments: list[str], said: str, passed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tables", str(passed), *arguments]) == 2
    assert said in capsys.readouterr().err
