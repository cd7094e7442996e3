"""What footnotes, headings and the sentences before say about a number counts for it."""

from __future__ import annotations

import pytest

from crosscheck.claims import ClaimOutcome, verify
from crosscheck.claims.reading import examine_text
from crosscheck.claims.verify import Run

MRR = "mrr@all|positives_only|all|mean"
EVERY = "mrr@all|all_queries|all|mean"
LEDGER = {MRR: 0.6, EVERY: 0.2}

MARKDOWN = "| System | {} |\n|---|---|\n| ours | {} |\n\n{}\n"
LATEX = r"""\begin{{threeparttable}}\begin{{tabular}}{{lc}} System & {} \\ \midrule ours & {} \\
\end{{tabular}}
{}\end{{threeparttable}}
"""
HTML = "<table><tr><th>System<th>{}</tr><tr><td>ours<td>{}</tr></table>{}"
ITEMS = r"\begin{{tablenotes}}\item[a] {}\end{{tablenotes}}"


def judged(text: str, form: str, *, splits: bool = True) -> list[ClaimOutcome]:
    claims = examine_text(text, f"paper.{form}", form).claims
    run = Run({"ours": LEDGER}, has_splits=splits)
    return verify(claims, LEDGER, system="ours", rankings=["ours"], run=run)


def noted(note: str) -> list[tuple[str, str, str]]:
    """Give a table with a note at the metric's name, and at the number, in each way to write it."""
    texts = []
    for at in (0, 1):
        cells = ["MRR", "0.60"]

        def put(mark: str, cells: list[str] = cells, at: int = at) -> list[str]:
            return [cell + mark * (n == at) for n, cell in enumerate(cells)]

        texts += [
            (f"[^1] at {at}", MARKDOWN.format(*put("[^1]"), f"[^1]: {note}"), "markdown"),
            (f"† at {at}", MARKDOWN.format(*put("†"), f"† {note}"), "markdown"),
            (
                f"<sup> at {at}",
                MARKDOWN.format(*put("<sup>a</sup>"), f"<sup>a</sup> {note}"),
                "markdown",
            ),
            (f"¹ at {at}", MARKDOWN.format(*put("¹"), f"¹ {note}"), "markdown"),
            (f"footnote at {at}", LATEX.format(*put(rf"\footnote{{{note}}}"), ""), "latex"),
            (f"tnote at {at}", LATEX.format(*put(r"\tnote{a}"), ITEMS.format(note)), "latex"),
            (f"$^a$ at {at}", LATEX.format(*put("$^{a}$"), ITEMS.format(note)), "latex"),
            (
                f"footnotemark at {at}",
                LATEX.format(*put(r"\footnotemark"), rf"\footnotetext{{{note}}}"),
                "latex",
            ),
            (
                f"footnotemark[2] at {at}",
                LATEX.format(*put(r"\footnotemark[2]"), rf"\footnotetext[2]{{{note}}}"),
                "latex",
            ),
            (
                f"link at {at}",
                HTML.format(*put("<sup><a href=#fn1>1</a></sup>"), f"<p id=fn1>1. {note}</p>"),
                "html",
            ),
            (
                f"paragraph at {at}",
                HTML.format(*put("<sup>1</sup>"), f"<p><sup>1</sup> {note}</p>"),
                "html",
            ),
        ]  # fmt: skip
    return texts


@pytest.mark.parametrize(
    ("note", "told"),
    [
        ("on the development set", "TUNE"),
        ("Development set.", "TUNE"),
        ("measured on the training queries", "TRAIN"),
        ("without stemming", "without stemming"),
    ],
)
def test_a_note_that_makes_it_another_number_keeps_it_from_being_verified(
    note: str, told: str
) -> None:
    for how, text, form in noted(note):
        found = judged(text, form)
        assert [one.status for one in found] == ["unverified"], how
        assert told in found[0].sentence, how


@pytest.mark.parametrize(
    "note",
    [
        "on the test set",
        "p < 0.05",
        "Significantly better than the baseline (p < 0.01)",
        "our own system",
    ],
)
def test_a_note_that_changes_nothing_lets_it_be_verified(note: str) -> None:
    for how, text, form in noted(note):
        found = [one.status for one in judged(text, form) if one.claim.table]
        assert found == ["holds"], how


def test_a_note_names_the_population() -> None:
    for how, text, form in noted("over all queries"):
        [found] = judged(text, form)
        assert (found.status, found.key) == ("wrong", EVERY), how


def test_a_sign_that_nobody_explains_is_no_note() -> None:
    assert [one.status for one in judged(MARKDOWN.format("MRR", "0.60*", ""), "markdown")] == [
        "holds"
    ]


def test_a_mark_whose_note_is_missing_is_said() -> None:
    [found] = judged(MARKDOWN.format("MRR[^9]", "0.60", ""), "markdown")
    assert found.status == "unverified"
    assert "[^9]" in found.sentence


ABOVE = [
    "# Training set\n\nMRR is 0.60.\n",
    "# Training set\n\n## Ranking\n\nMRR is 0.60.\n",
    "# Results (dev)\n\n- MRR: 0.60\n",
    "On the training set we get this; MRR is 0.60.\n",
    "We report numbers on the validation set. MRR is 0.60.\n",
    "These are numbers over the training queries:\n\n- MRR: 0.60\n",
    "# Training set\n\n## Ranking\n\n| System | MRR |\n|---|---|\n| ours | 0.60 |\n",
    "On the validation set:\n\n| System | MRR |\n|---|---|\n| ours | 0.60 |\n",
    "# Training set\n\n<table><tr><th>System<th>MRR</tr><tr><td>ours<td>0.60</tr></table>\n",
]


@pytest.mark.parametrize("text", ABOVE)
def test_the_split_of_what_stands_above_counts(text: str) -> None:
    assert [one.status for one in judged(text, "markdown")] == ["unverified"]


@pytest.mark.parametrize("text", ABOVE)
def test_of_data_without_splits_it_names_the_rows(text: str) -> None:
    [found] = judged(text, "markdown", splits=False)
    assert found.status == "holds"
    assert "no split column" in found.advice


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (r"\section{Training set}\subsection{Ranking} MRR is 0.60.", "latex"),
        (
            r"\section{Training set}\begin{tabular}{lc} S & MRR \\ ours & 0.60 \\ \end{tabular}",
            "latex",
        ),
        ("<h1>Training set</h1><h2>Ranking</h2><p>MRR is 0.60.</p>", "html"),
    ],
)
def test_headings_of_every_format_count(text: str, form: str) -> None:
    assert [one.status for one in judged(text, form)] == ["unverified"]


@pytest.mark.parametrize(
    "text",
    [
        "# Training set\n\nIt is large.\n\n# Results\n\nMRR is 0.60.\n",
        "The weights were tuned on the validation set. MRR is 0.60.\n",
        "On the training set it is lower. On the test set, MRR is 0.60.\n",
    ],
)
def test_what_is_said_of_something_else_does_not(text: str) -> None:
    assert [one.status for one in judged(text, "markdown")] == ["holds"]


def test_the_population_of_what_stands_above_counts() -> None:
    [found] = judged("Numbers are over all queries. MRR is 0.60.\n", "markdown")
    assert (found.status, found.key) == ("wrong", EVERY)


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ("MRR (MS MARCO dev)", "unverified"),
        ("MRR (MS MARCO)", "holds"),
        ("MRR (TREC test)", "holds"),
    ],
)
def test_a_data_set_that_ends_with_a_split_is_that_split(head: str, status: str) -> None:
    text = MARKDOWN.format(head, "0.60", "")
    assert [one.status for one in judged(text, "markdown")] == [status]


def test_a_remark_over_a_whole_row_is_a_sentence() -> None:
    row = r"\multicolumn{2}{l}{Our system reaches an MRR of %s overall} \\"
    for printed, status in (("0.95", "wrong"), ("0.60", "holds")):
        text = (
            LATEX.replace("{{", "{")
            .replace("}}", "}")
            .replace(r"\end{tabular}", row % printed + r"\end{tabular}")
        )
        text = text.replace("{}", "MRR", 1).replace("{}", "0.60", 1).replace("{}", "", 1)
        assert [one.status for one in judged(text, "latex")] == ["holds", status]
