"""Published tables whose truth was worked out by hand: none accused, every known defect found."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosscheck.audit import Audit, audit
from crosscheck.claims import examine

TABLES = Path(__file__).parents[4] / "shared" / "data" / "tables"
CONSISTENT = (
    "L01_fastquerydr.tex", "L03_embedders_retr.tex", "L05_tinysepsis.tex", "L07_yomi_main.tex",
    "L09_recsys18.tex", "L14_hate.tex", "L15_csaw2.tex", "M03_classiflow.md", "M05_lodrec.md",
    "M07_splade.md", "M09_retromae.md", "M13_dylan.md", "M16_eurosat.md", "M21_folds.md",
    "M25_yolo_vi.md", "M26_indobert.tex", "R04_arrows.md", "R05_spreadsheet.md", "R07_wands.md",
    "R09_lumen.md", "R11_dl19.md",
)  # fmt: skip
DEFECTS = {
    "L11_www2026.tex": [("XC919", ("0.8728", "0.764")), ("XC919", ("1.0000", "0.714"))],
    "M01_mpesa.md": [("XC924", ("0.670", "balanced accuracy"))],
    "M12_hate_paper.md": [("XC919", ("0.167", "0.1689", "0.168"))],
    "M17_ragas52.md": [
        ("XC916", ("F1", "0.39", "0.384615")),
        ("XC916", ("Precision", "0.39", "0.384615")),
        ("XC916", ("Accuracy", "0.64", "0.634615")),
    ],
    "M19_sqlfraud.md": [("XC923", ("82.4%", "0.46, 0.75, 0.98"))],
    "R01_esci.md": [("XC913", ("0.509", "0.762", "0.889"))],
}
pytestmark = pytest.mark.skipif(
    not TABLES.is_dir(), reason="the collection of published tables is not beside this checkout"
)


def audited(name: str) -> Audit:
    reading = examine(TABLES / name)
    claims = [claim for claim in reading.claims if claim.number is not None]
    return audit(claims, text=reading.source.text)


@pytest.mark.parametrize("name", CONSISTENT)
def test_a_consistent_table_is_not_accused(name: str) -> None:
    assert [one.sentence for one in audited(name).findings if one.severity == "error"] == []


@pytest.mark.parametrize("name", DEFECTS)
def test_a_known_defect_is_found_with_its_reason(name: str) -> None:
    findings = audited(name).findings
    for rule, words in DEFECTS[name]:
        told = [one.sentence for one in findings if one.rule == rule]
        assert any(all(word in text for word in words) for text in told), (rule, words, told)


def test_recall_that_is_hit_is_among_what_remains() -> None:
    found = [one for one in audited("R01_esci.md").findings if one.rule == "XC913"]
    assert all(any("really Hit" in text for text in one.explanations) for one in found)


def test_a_table_of_two_halves_is_told_once() -> None:
    assert len(audited("R11_dl19.md").findings) <= 1
