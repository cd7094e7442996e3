"""Reading never crashes, and every token is accounted for: mutated files of eight formats."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from crosscheck.claims.accounting import rules
from crosscheck.claims.reading import examine_text, read_text
from crosscheck.errors import UserError

FILES = 4_000
PARTS = 4
PUBLISHED = (Path(__file__).parents[1] / "audit" / "s2.md").read_text(encoding="utf-8")
SEEDS = {
    "markdown": "\n".join(PUBLISHED.splitlines()[:7]),
    "latex": r"""
\begin{table}\caption{Over $n=140$ queries, 5 folds}
\begin{tabular*}{\textwidth}{l|cc}
\toprule \multirow{2}{*}{Model} & \multicolumn{2}{c}{All queries} \\ \cmidrule{2-3}
& nDCG$_{10}$ & \textbf{R@5} (\%) \\ \midrule A & $0.73 \pm 0.03$ & 94{,}4\% \\[2pt]
\textcolor{red}{B} & \underline{0.8}$^{*}$ & .9 (0.8--1.0) \\ \bottomrule
\end{tabular*}\end{table}""",
    "json": """{"a": {"positives_only": {"recall@5": 0.832, "skip_no_positives": true,
  "auroc": {"mean": 0.9, "ci": [0.8, 0.95]}, "queries_total": 1490}},
  "per_fold": [{"fold": "0", "MRR": "0.7 ± 0.1"}]}""",
    "csv": 'model,metric,value,std\nA,"nDCG@10",0.7330,0.031\nB,AUC,"1,379",–\n',
    "html": """<h1>2</h1><table width=1><tr><th>M<th colspan=2>MRR</tr><tr><td>A1<td>
<b>0.55</b>&plusmn;0.03<td>61<sup>2</sup></tr></table><!-- 0.8 --><p>AUROC of 0.9.</p>""",
    "yaml": """# 1
ours: &a {mrr: 0.5, 'r@5': "73.3%"}
rows:
- *a
- {metric: MRR, value: 0.4}
""",
    "toml": """# 1
[ours]
mrr = 0.5
'r@5' = ["73.3%", {a = 1}]
[[rows]]
metric = "MRR"
value = 0.4
""",
    "jupyter": json.dumps(
        {
            "cells": [
                {"cell_type": "markdown", "source": ["|M|MRR|\n", "|--|--|\n", "|A|0.5|\n"]},
                {
                    "cell_type": "code",
                    "source": "x=1",
                    "outputs": [{"text": ["MRR  K\n", "0.61  5\n"]}],
                },
            ]
        }
    ),
}
PIECES = [
    "|", "||", "&", "\\\\", "{", "}", "$", "\\", "%", "[", "]", "(", ")", '"', ",", ":", "\n",
    "±", "–", "\\multirow{9999}{*}{x}", "\\multicolumn{99999}{c}{y}", "\\begin{tabular}{c}",
    "\\end{tabular}", "\\textbf{", "\\pm", "1e999", "1e-400", "9" * 40, "0.", ".", "-", "NaN",
    "null", "true", "\u0000", "\ud7ff", "٣٫١", "½", "²", "\u202f", "@", "fold=", "@10", "|||||",
    "---", "```", "<sub>", "_{", "^{",
]  # fmt: skip


def mutated(text: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(text) + 1)
        end = min(len(text), at + chance.choice((0, 0, 1, 3, 20)))
        action = chance.random()
        if action < 0.6:
            text = text[:at] + chance.choice(PIECES) + text[end:]
        elif action < 0.8:
            text = text[:at] + text[end:]
        else:
            text = text[:at] + text[at:end] * chance.randint(2, 30) + text[end:]
    return text


@pytest.mark.parametrize("part", range(PARTS))
def test_a_mutated_file_is_read_or_refused(part: int) -> None:
    chance = random.Random(part)
    forms = list(SEEDS)
    for i in range(FILES // PARTS):
        form = forms[i % len(forms)]
        text = mutated(SEEDS[form], chance)
        try:
            reading = examine_text(text, "mutated", form)
        except UserError as error:
            assert form not in {"markdown", "html"}, text
            assert str(error).startswith("mutated: ")  # noqa: PT017 - the message is the promise
            assert "cannot be read as" not in str(error) or form == "csv", text  # noqa: PT017 - no crash
            continue
        for claim in reading.claims:
            assert claim.key or claim.problem or claim.role == "setting", text
        assert {one.state for one in reading.entries} <= {"claimed", "ignored"}, text
        assert {one.rule for one in reading.ignored} <= set(rules()), text


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 50_000, "[[[[" * 30 + "1" + "]]]]" * 30])
def test_deep_json_is_refused_or_read(text: str) -> None:
    try:
        read_text(text, "deep", "json")
    except UserError as error:
        assert "deep" in str(error)  # noqa: PT017 - the message is the promise


def test_deep_braces_in_latex_are_read() -> None:
    text = "\\begin{tabular}{c} a & " + "{" * 5000 + "\\textbf{" * 5000 + " \\end{tabular}"
    assert read_text(text, "deep", "latex") == []
