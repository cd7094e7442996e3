"""LaTeX that makes another number, or another metric, of what it is put on: never read as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crosscheck.claims.reading import examine

if TYPE_CHECKING:
    from pathlib import Path


ROW = r"""\newcommand{\rr}{0.417}
\expandafter\def\csname other\endcsname{0.462}
\begin{table}\begin{tabular}{lc}
System & %s \\ \hline
ours & %s \\
\end{tabular}\end{table}
"""


def one_cell(folder: Path, cell: str, head: str = "MRR") -> tuple[str | None, str]:
    file = folder / "paper.tex"
    file.write_text(ROW.replace("%s", head, 1).replace("%s", cell, 1), encoding="utf-8")
    [claim] = examine(str(file)).claims
    return claim.key, claim.printed


@pytest.mark.parametrize(
    "cell",
    [
        r"$\sqrt{0.417}$",
        r"$\sqrt[3]{0.417}$",
        "$0.462^2$",
        "$0.462^{1}$",
        "${0.462}^2$",
        "$0.462{^2}$",
        r"$\mathbf{0.462}^{2}$",
        r"\(0.462^2\)",
        r"$0.462\sp2$",
        r"$46.2\%^2$",
        r"\frac{833}{1000}",
        r"$\dfrac{833}{1000}$",
        r"$833 \over 1000$",
        r"$0.\overline{3}$",
        "0.462$^2$",
        "0.462${}^{2}$",
        r"0.462\textsuperscript{1}",
        r"0.462\(^1\)",
        "$0.462^{n}$",
        "$0.462^k$",
        r"0.\the\numexpr 400+62\relax",
        r"0.462\the\numexpr 1+1\relax",
    ],
)
def test_a_number_that_math_makes_another_is_not_read(tmp_path: Path, cell: str) -> None:
    assert one_cell(tmp_path, cell)[0] is None


@pytest.mark.parametrize(
    "cell",
    [
        "$0.462^{*}$",
        r"$0.462^{\dagger}$",
        "$0.462^{a}$",
        "0.462$^{ab}$",
        r"\csname other\endcsname",
    ],
)
def test_a_mark_on_a_number_changes_nothing(tmp_path: Path, cell: str) -> None:
    assert one_cell(tmp_path, cell) == ("mrr@all|positives_only|all|mean", "0.462")


def test_a_command_that_is_spelled_is_expanded(tmp_path: Path) -> None:
    assert one_cell(tmp_path, r"\csname rr\endcsname")[1] == "0.417"


@pytest.mark.parametrize(
    "head",
    [
        "MRR ** 2",
        "MRR**2",
        "MRR * 2",
        r"MRR $\times$ 2",
        "MRR$^2$",
        r"$\mathrm{MRR}^{2}$",
        r"MRR\textsuperscript{2}",
        r"$\sqrt{\text{MRR}}$",
    ],
)
def test_a_name_that_math_makes_another_is_not_read(tmp_path: Path, head: str) -> None:
    assert one_cell(tmp_path, "0.417", head)[0] is None


@pytest.mark.parametrize("head", ["MRR$^*$", r"MRR$^{\dagger}$"])
def test_a_mark_on_a_name_changes_nothing(tmp_path: Path, head: str) -> None:
    assert one_cell(tmp_path, "0.417", head)[0] == "mrr@all|positives_only|all|mean"
