"""Claims files broken at random: is every token accounted for, in time, without a crash?

`make mutate-claims` runs it; `FILES=5000` and `SEED=1` ask for another number and another seed.
It ends with 1 where a count does not add up, a reader crashes, or a file takes too long.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

from crosscheck.claims.accounting import rules
from crosscheck.claims.reading import Reading, examine_text
from crosscheck.errors import UserError

FILES = int(os.environ.get("FILES", "100000"))
SEED = int(os.environ.get("SEED", "0"))
LIMIT = 5.0
"""Seconds of processor time that a file may take."""

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
}  # fmt: skip
PIECES = [
    "|", "||", "&", "\\\\", "{", "}", "$", "\\", "%", "[", "]", "(", ")", '"', "'", ",",
    ":", "\n", "\n\n", "±", "–", "\\multirow{9999}{*}{x}", "\\multicolumn{99999}{c}{y}",
    "\\fi", "\\pm", "~", "\\begin{tabular}{c}", "\\end{tabular}", "\\textbf{", "1e999",
    "1e-400", "9" * 70, "0.", ".", "-", "NaN", "\\iffalse", "null", "true", "\u0000",
    "\ud7ff", "٣٫١", "½", "²", "\u202f", "\u200b", "@", "fold=", "@10", "|||||", "---",
    "```", "<sub>", "_{", "^{", "<table>", "</td>", "<!--", "-->", "&#48;", "→", "/0.7",
    "(p<0.01)", "0.999", " 🏆", "\\def\\a{1}", "\\a", "\\begin{verbatim}", "> ", "# ",
    "+---+", "<td>", "0,8",
]  # fmt: skip


@dataclass
class Tally:
    """What became of the files of one format."""

    files: int = 0
    refused: int = 0
    tokens: int = 0
    claims: int = 0
    ignored: int = 0
    slowest: float = 0.0
    wrong: list[str] = field(default_factory=list)


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


def tried(form: str, text: str, tally: Tally) -> None:
    """Read one file."""
    before = time.process_time()
    tally.files += 1
    try:
        reading = examine_text(text, "mutated", form)
        said = problem(reading)
        states = Counter(one.state for one in reading.entries)
        tally.tokens += len(reading.entries)
        tally.claims += states["claimed"]
        tally.ignored += states["ignored"]
    except UserError as error:
        tally.refused += 1
        said = "" if "cannot be read as" not in str(error) or "CSV:" in str(error) else str(error)
    except Exception as error:  # noqa: BLE001 - a crash is what is looked for
        said = f"{type(error).__name__}: {error}"
    spent = time.process_time() - before
    tally.slowest = max(tally.slowest, spent)
    if spent > LIMIT:
        said = f"took {spent:.1f} s"
    if said:
        tally.wrong.append(f"{said}\n{text!r}")


def main() -> int:
    """Read all of them, print what became of them."""
    chance = random.Random(SEED)
    tallies = {form: Tally() for form in SEEDS}
    for i in range(FILES):
        form = list(SEEDS)[i % len(SEEDS)]
        broken = mutated_json if form == "json" else mutated
        tried(form, broken(SEEDS[form], chance), tallies[form])
    heads = f"{'files':>8}{'refused':>9}{'tokens':>10}{'claimed':>10}{'ignored':>10}{'slowest':>9}"
    print(f"{'format':10}{heads}")
    for form, one in tallies.items():
        counts = f"{one.files:8}{one.refused:9}{one.tokens:10}{one.claims:10}{one.ignored:10}"
        print(f"{form:10}{counts}{one.slowest:8.2f}s")
    wrong = [said for one in tallies.values() for said in one.wrong]
    print(f"{len(wrong)} of {FILES} files crashed, took more than {LIMIT:.0f} s or do not add up")
    for said in wrong[:5]:
        print(said)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
