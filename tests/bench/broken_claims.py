"""Claims files broken at random: the files, and what is broken in them.

`make mutate-claims` reads a hundred thousand of them, the test suite some thousand.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from crosscheck.claims.accounting import rules

if TYPE_CHECKING:
    import random

    from crosscheck.claims.reading import Reading

SEEDS = {
    "markdown": """# Results of 2026
As Table 1 says, nDCG@10 rises from 0.733 to 0.8206 (p < 0.05), see [12](https://x.org/3).

| Metric | A | **Ours** | Δ |
|:---|---:|---:|---|
| nDCG@10 | 0.7330 ± 0.031 | **0.8206**<sup>1</sup> | +11.95% |
| R@5 (%) | 73.3 | 80,1* | (+3.1) |

- AUROC: 0.897 (95% CI 0.894–0.900)
1. MRR `0.51`

> quoted | 0.5 |

```
          precision  recall
class 0   0.95       0.93
```
<table><tr><th>M</th><th>MRR</th></tr>
<tr><td rowspan="2">A</td><td>0.55 &rarr; 0.64</td></tr></table>
""",
    "latex": r"""\newcommand{\ours}{\textbf{0.8206}} \def\f#1{0.#1}
\begin{table}\caption{Over $n=140$ queries, 5 folds}\label{tab:1}
\begin{tabular*}{\textwidth}{l|S[table-format=1.3]c}
\toprule \multirow{2}{*}{Model} & \multicolumn{2}{c}{All queries} \\ \cmidrule(lr){2-3}
& nDCG$_{10}$ & \textbf{R@5} (\%) \\ \midrule A & $0.73 \pm 0.03$ & 94{,}4\% \\[2pt]
\textcolor{red}{B} & \underline{0.8}$^{*}$ & .9 (0.8--1.0) \\ % B & 0.9
\iffalse C & 0.1 & 0.2 \\ \fi Ours & \ours & \f{51} \tabularnewline \bottomrule
\end{tabular*}\end{table} We reach an nDCG@10 of \ours{} \cite{a2020}.""",
    "json": """{"a": {"positives_only": {"recall@5": 0.832, "skip_no_positives": true,
  "auroc": {"mean": 0.9, "ci": [0.8, 0.95]}, "queries_total": 1490}},
  "rows": [{"model": "B2", "metric": "MRR", "value": "0.7 \\u00b1 0.1"}], "note": "v1.2"}""",
    "csv": """model,metric,value,std
A,"nDCG@10",0.7330,0.031
B,AUC,"1,379",–
C1,R@5,73.3%,"0,5"
""",
    "html": """<html><head><style>td{width:5px}</style></head><body><h1>2 Results</h1>
<table width=10><caption>MRR, 5 folds</caption><thead><tr><th>Model<th colspan=2>Dev</tr></thead>
<tr><td>A1</td><td><b>0.55</b>&plusmn;0.03</td><td>61<sup>2</sup></td></tr></table>
<p>AUROC of 0.9.</p><!-- 0.8 --><script>x=1</script></body></html>""",
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
    "|", "||", "&", "\\\\", "{", "}", "$", "\\", "%", "[", "]", "(", ")", '"', "'", ",",
    ":", "\n", "\n\n", "±", "–", "\\multirow{9999}{*}{x}", "\\multicolumn{99999}{c}{y}",
    "\\fi", "\\pm", "~", "\\begin{tabular}{c}", "\\end{tabular}", "\\textbf{", "1e999",
    "1e-400", "9" * 70, "0.", ".", "-", "NaN", "\\iffalse", "null", "true", "\u0000",
    "\ud7ff", "٣٫١", "½", "²", "\u202f", "\u200b", "@", "fold=", "@10", "|||||", "---",
    "```", "<sub>", "_{", "^{", "<table>", "</td>", "<!--", "-->", "&#48;", "→", "/0.7",
    "(p<0.01)", "0.999", " 🏆", "\\def\\a{1}", "\\a", "\\begin{verbatim}", "> ", "# ",
    "+---+", "<td>", "0,8",
    "[^1]", "\n[^1]: on the development set", "\\footnote{", "\\tnote{a}", "\\item[a]", "^2",
    "¹", "†", "@{.}", ">{9}", "<svg>", "<text>", "<dl><dt>MRR<dd>", "<a href=#f>", " over 5 seeds",
    "Top@3", "Δ", "MRR0.9", "MRR=95", "## Training set\n", "\\section{Dev set}",
]  # fmt: skip


def broken(form: str, chance: random.Random) -> str:
    """Give a file of a format, broken."""
    return (mutated_json if form == "json" else mutated)(SEEDS[form], chance)


def mutated(text: str, chance: random.Random) -> str:
    """Put, take and repeat pieces of a text."""
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


def mutated_json(text: str, chance: random.Random) -> str:
    """Change names and values of a JSON text, mostly so that it stays JSON."""
    if chance.random() < 0.2:
        return mutated(text, chance)

    def changed(node: object) -> object:
        if isinstance(node, dict):
            return {_maybe(key, chance): changed(value) for key, value in node.items()}
        if isinstance(node, list):
            return [changed(value) for value in node]
        return _maybe(str(node), chance) if chance.random() < 0.3 else node

    return json.dumps(changed(json.loads(text)), ensure_ascii=chance.random() < 0.5)


def _maybe(text: str, chance: random.Random) -> str:
    return mutated(text, chance) if chance.random() < 0.3 else text


def problem(reading: Reading) -> str:
    """Say where the account of a file does not add up; empty where it does."""
    states = Counter(one.state for one in reading.entries)
    if states["claimed"] + states["ignored"] != len(reading.source.tokens):
        return f"{len(reading.source.tokens)} tokens, but {dict(states)}"
    unnamed = {one.rule for one in reading.ignored} - set(rules())
    if unnamed:
        return f"ignored by rules that nobody stated: {unnamed}"
    if any(not (one.key or one.problem or one.role == "setting") for one in reading.claims):
        return "a claim with neither key nor problem"
    return ""
