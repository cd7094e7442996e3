"""Every contradiction comes with a line of arithmetic; here it is worked out again in fractions."""

from __future__ import annotations

import ast
import operator
import re
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from crosscheck.audit import audit
from crosscheck.audit.verdicts import exact, rules
from crosscheck.claims.reading import read_text

if TYPE_CHECKING:
    from crosscheck.audit.verdicts import TableFinding

SIGNS = str.maketrans({"·": "*", "−": "-", "≤": "<"})
ADD = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip


def worth(node: ast.expr, source: str) -> Fraction:
    """Work an expression out exactly, from its digits."""
    if isinstance(node, ast.BinOp):
        return Fraction(ADD[type(node.op)](worth(node.left, source), worth(node.right, source)))
    if isinstance(node, ast.UnaryOp):
        return -worth(node.operand, source)
    return Fraction(ast.get_source_segment(source, node) or "")


def holds(line: str) -> bool:
    """Whether a line such as `2·0.5/(0.5 + 0.5) < 0.6` is true."""
    parts = re.split(r"([<>≤])", line)
    values = [
        worth(ast.parse(text, mode="eval").body, text)
        for text in (part.strip().translate(SIGNS) for part in parts[::2])
    ]
    compare = {"<": operator.lt, ">": operator.gt, "≤": operator.le}
    return len(values) > 1 and all(
        compare[sign](a, b) for sign, (a, b) in zip(parts[1::2], pairwise(values), strict=True)
    )


def table(*rows: str) -> str:
    lines = [f"| {row} |" for row in rows]
    return "\n".join([lines[0], "|---" * (rows[0].count("|") + 1) + "|", *lines[1:]])


GRID = table("|Predicted cat|Predicted dog|Predicted emu", "Actual cat|8|1|1", "Actual dog|2|6|2",
             "Actual emu|0|1|9")  # fmt: skip
BROKEN = {
    "XC911": [table("Model|AUROC", "A|1.02"), table("Model|MCC", "A|-1.3")],
    "XC912": [
        table("Model|R@5|R@10", "A|0.80|0.78"),
        table("Model|P@5|Hit@5", "A|0.10|0.60"),
        table("Model|P@1|nDCG@1", "A|0.50|0.52"),
        table("Model|Graded nDCG@10|Hit@10", "A|0.70|0.60"),
        table("Model|Graded nDCG@10|MRR@10|Hit@10", "A|0.95|0.10|0.97"),
    ],
    "XC913": [table("Model|NDCG@10|MRR@10|Recall@10", "A|0.509|0.762|0.889")],
    "XC915": [
        table("Model|MRR", "A|0.6746", "B|0.7703", "Improvement|+12.02%"),
        table("Model|MRR", "Baseline|0.50", "B|0.60 (+30.0%)"),
    ],
    "XC916": [
        table("Model|Specificity|FPR", "A|0.90|0.15"),
        table("Model|PPV|Sensitivity|F1", "A|0.50|0.50|0.60"),
        table("Model|PPV|Sensitivity|F1", "A|0.90|0.90|0.70"),
        table("Model|TP|FP|TN|FN|Sensitivity", "A|30|10|50|10|0.80"),
        table("Model|TP|FP|TN|FN|MCC", "A|30|10|50|10|0.70"),
        table("Model|Sensitivity|Specificity|Bal. Acc.", "A|0.8|0.6|0.9"),
        table("Model|AUROC|TPR@10%FPR", "A|0.60|0.80"),
        table("Model|ECE|Brier", "A|0.30|0.04"),
    ],
    "XC917": [
        "### Over 40 queries\n\n" + table("Model|Hit@5", "A|0.505"),
        table("Data|n|Accuracy", "A|52|0.64", "B|40|0.50"),
        table("Model|Accuracy", "A (n=40)|0.705"),
    ],
    "XC918": [table("Model|MRR", "A|0.98 ± 0.30")],
    "XC919": [table("Model|Recall|Sensitivity|Specificity", "A|0.70|0.80|0.5")],
    "XC920": [table("Model|PPV|Sensitivity|F1", "A|0.50|0.50|0.40")],
    "XC921": [
        table("Fold|Accuracy", "Fold 1|0.90", "Fold 2|0.70", "Fold 3|0.80", "Average|0.85"),
        table("Class|Precision|Recall|F1|Support", "cat|0.90|0.80|0.85|10", "dog|0.70|0.60|0.65|10",
              "emu|0.80|0.70|0.75|10", "macro avg|0.90|0.70|0.75|30"),
    ],
    "XC922": [
        table("Model|Accuracy|Precision|Recall|Specificity", "A|0.900|0.500|0.800|0.700"),
        table("Model|Sensitivity|Specificity|PPV|NPV", "A|0.800|0.900|0.500|0.500"),
    ],
    "XC923": [table("t|Precision|Recall|FP Rate", "a|17.6%|20.6%|82.4%", "b|25.9%|8.7%|74.1%")],
    "XC924": [table("Model|AUROC|Sensitivity|Specificity", "A|0.7250|0.6500|0.8000")],
    "XC925": [
        table("Model|MRR|R@5|R@10", "A|**0.50**|0.60|**0.80**", "B|0.40|**0.50**|0.70",
              "C|0.30|0.40|0.60"),
        table("Rank|Model|MRR", "1|A|0.70", "2|B|0.80", "3|C|0.60"),
        table("Model|MRR|MRR rank", "A|0.70|2", "B|0.80|1", "C|0.90|3"),
        table("Model|NFCorpus|SciFact|Avg. rank", "A|0.70|0.60|2.0", "B|0.80|0.70|1.0",
              "C|0.60|0.50|3.0").replace("Model|NF", "nDCG@10|NF").replace("|2.0", "|1.5"),
    ],
    "XC926": [
        table("Model|AUROC", "A|0.82 (0.85–0.90)"),
        "### Over 5 folds\n\n"
        + table("Model|Accuracy", "A|0.800 ± 0.001", "B|0.900 ± 0.001 (p=0.6)"),
        "### Welch's test over 5 folds\n\n"
        + table("Model|Accuracy|p", "A|0.800 ± 0.050|–", "B|0.810 ± 0.050|0.001"),
        "### Bootstrap over 5 folds\n\n"
        + table("Model|Accuracy|p", "A|0.800 ± 0.001|–", "B|0.900 ± 0.001|0.6"),
        "### Tested by 1,000 permutations\n\n"
        + table("Model|Accuracy|p", "A|0.80|–", "B|0.90|0.0004"),
        "### Tested with 1000 bootstrap samples\n\n"
        + table("Model|Accuracy|p", "A|0.80|–", "B|0.90|<0.0001"),
        table("Model|Accuracy|SD|SE|n", "A|0.70|0.10|0.05|100"),
        table("Model|Accuracy|SD|SE", "A|0.70|0.10|0.20"),
        table("Model|Accuracy|SEM", "A (n=40)|0.725|0.010"),
        table("Model|MRR|SE|95% CI", "A|0.70|0.020|[0.69, 0.71]"),
        table("Comparison|Δ MRR|95% CI|p", "A vs B|0.03|[0.01, 0.05]|0.20"),
        table("Comparison|Δ MRR|95% CI|p", "A vs B|0.03|[-0.01, 0.07]|0.001"),
        table("Model|MRR (95% CI)|p-value", "A|0.50 (0.48, 0.52)|–", "B|0.60 (0.58, 0.62)|0.4"),
    ],
    "XC927": [table("Topic|Relevant|P@10", "t301|1|0.2")],
    "XC928": [GRID + "\n\n" + table("Metric|Value", "Accuracy|0.900")],
}  # fmt: skip
CASES = [(rule, text) for rule, texts in BROKEN.items() for text in texts]


def found(rule: str, text: str) -> TableFinding:
    findings = audit(read_text(text, "t.md", "markdown"), text=text).findings
    told = [one for one in findings if one.rule == rule]
    assert told, [(one.rule, one.sentence) for one in findings]
    return told[0]


@pytest.mark.parametrize(("rule", "text"), CASES)
def test_the_certificate_of_a_finding_is_true(rule: str, text: str) -> None:
    one = found(rule, text)
    assert one.worked, one.sentence
    assert holds(one.worked), one.worked


@pytest.mark.parametrize(("rule", "text"), CASES)
def test_the_certificate_is_about_the_cells_of_the_finding(rule: str, text: str) -> None:
    one = found(rule, text)
    ends = {exact(end).lstrip("−") for c in one.cells for end in (c.interval.low, c.interval.high)}
    middles = {exact((c.interval.low + c.interval.high) / 2) for c in one.cells}
    sums = {"0.999"}  # of two cells, in XC923
    assert set(re.findall(r"\d+(?:\.\d+)?", one.worked)) & (ends | middles | sums)


def test_every_rule_has_a_certificate_but_one() -> None:
    """MAP under three definitions is three proofs, each told with its cells."""
    assert set(rules()) - set(BROKEN) == {"XC914"}


def test_a_false_line_does_not_hold() -> None:
    assert not holds("2·0.5·0.5/(0.5 + 0.5) < 0.4")
    assert not holds("0.5 < 0.5")
    assert holds("0.5 ≤ 0.5")


def test_every_rule_says_what_holds_and_what_to_do() -> None:
    for rule in rules().values():
        assert rule.title
        assert rule.law.endswith(".")
        assert rule.remedy.endswith(".")
