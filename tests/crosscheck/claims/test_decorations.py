"""A value with anything around it passes only where it is right, and is never accused there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from crosscheck.claims import verify
from crosscheck.claims.reading import read_text

if TYPE_CHECKING:
    from collections.abc import Callable

RIGHT, WRONG = "0.6806", "0.8306"
LEDGER = {"ndcg@10|positives_only|all|mean": 0.6806, "mrr@all|positives_only|all|mean": 0.5}
DECORATIONS = [
    "{}", "{} (best)", "{} (roughly)", "{} ± 0.01", "{}±0.01", "{} (p<0.01)", "{} pp",
    "{}¹", "{}^1", "{} 🏆", "{};", "{} / 0.998", "0.998 / {}", "0.9–{}", "{}–1.0",
    "{} (90% CI 0.6-0.7)", "~{}", "{} (95% CI 0.6-0.7)", "≥ {}", "{}*", "†{}", "({})",
    "[{}]", "{} (+3.1)", "0.5 → {}", "{} → 0.5", "{}a", "{} (0.01)", "{} 0.7", "nDCG {}",
    "{}e0", "+{}", "{} (n=140)", "{}x", "x{}", "{}.", "'{}'", '"{}"', "\u200b{}",
    "{} (train)", "={}", "{}→", "{}" + "0" * 70, "{}\u00a0", "{} vs. baseline",
]  # fmt: skip


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _tex(text: str) -> str:
    return text.replace("%", r"\%").replace("^1", "$^{1}$").replace("~", r"$\sim$")


FORMS: dict[str, Callable[[str], str]] = {
    "json": lambda text: json.dumps({"ndcg@10": text, "mrr": 0.5}),
    "yaml": lambda text: json.dumps({"ndcg@10": text, "mrr": 0.5}, ensure_ascii=False),
    "csv": lambda text: f"system,ndcg@10,mrr\nA,{_quoted(text)},0.5\n",
    "markdown": lambda text: f"| system | nDCG@10 | MRR |\n|--|--|--|\n| A | {text} | 0.5 |\n",
    "latex": lambda text: (
        r"\begin{tabular}{lcc} system & nDCG@10 & MRR \\ \midrule "
        rf"A & {_tex(text)} & 0.5 \\ \end{{tabular}}"
    ),
    "html": lambda text: (
        "<html><table><tr><th>system<th>nDCG@10<th>MRR</tr>"
        f"<tr><td>A<td>{text.replace('<', '&lt;')}<td>0.5</tr></table>"
    ),
}


def statuses(text: str, form: str) -> set[str]:
    outcomes = verify(read_text(FORMS[form](text), "f", form), LEDGER)
    return {one.status for one in outcomes if one.key != "mrr@all|positives_only|all|mean"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("decoration", DECORATIONS)
def test_a_wrong_value_never_passes(form: str, decoration: str) -> None:
    assert statuses(decoration.replace("{}", WRONG), form) & {"wrong", "unverified"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("decoration", DECORATIONS)
def test_a_right_value_is_never_accused(form: str, decoration: str) -> None:
    found = statuses(decoration.replace("{}", RIGHT), form)
    assert found
    assert "wrong" not in found
