"""The page lists the catalogue as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.mistakes.catalogue import faults, searched

if TYPE_CHECKING:
    from pathlib import Path


def test_the_page_has_every_fault_with_its_rule_and_no_other(root: Path) -> None:
    page = (root / "docs" / "selftest.md").read_text(encoding="utf-8")
    _, _, table = page.partition("<!-- crosscheck selftest --markdown -->")
    table, _, alone = table.partition("### Not injected")
    cells = [line.split(" | ") for line in table.splitlines() if line.startswith("| `")]
    listed = {line[0].strip("| `"): (line[1], line[3].split()[0]) for line in cells}
    assert listed == {
        one.id: (one.bug.replace("|", r"\|"), f"**{one.rule}**") for one in faults().values()
    }
    named = [line.split("`")[1] for line in alone.splitlines() if line.startswith("| `")]
    assert named == [one.id for one in searched().values() if not one.rule]


def test_the_page_prints_the_badge_of_this_catalogue(root: Path) -> None:
    page = (root / "docs" / "selftest.md").read_text(encoding="utf-8")
    assert f"`selftest {len(faults())}/{len(faults())}`" in page
