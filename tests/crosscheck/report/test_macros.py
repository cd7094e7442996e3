r"""Numbers as LaTeX macros, the paragraph of methods, and the way back through the gate."""

from __future__ import annotations

import math
import random
import re
from typing import TYPE_CHECKING

import pytest

from crosscheck.cli import run
from crosscheck.contract import load
from crosscheck.latex.numbers import stated
from crosscheck.notation.pieces import Unread
from crosscheck.notation.written import Written
from crosscheck.paper.macros import latex, names
from crosscheck.paper.text import escape
from crosscheck.report import json
from crosscheck.report.cells import Stated

if TYPE_CHECKING:
    from pathlib import Path

NDCG = "ndcg@10|positives_only|all|mean"
LINE = re.compile(r"\\newcommand\{\\([A-Za-z]+)\}\{([^{}]+|\\ensuremath\{[^{}]+\})\} % (.+)")


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (NDCG, "ndcgTen"),
        ("ndcg@10|positives_only|folds|mean", "ndcgTenFoldsMean"),
        ("ndcg@10|positives_only|folds|std", "ndcgTenFoldsStd"),
        ("ndcg@10|positives_only|all|ci_low/post/percentile", "ndcgTenLow"),
        ("ndcg@10|all_queries|all|mean", "ndcgTenOverAllQueries"),
        ("ndcg@100|positives_only|all|mean", "ndcgOneZeroZero"),
        ("tpr@fpr=5%|all_queries|all|value", "tprFprFive"),
        ("kappa|all_queries|all|value", "kappaValue"),
    ],
)
def test_a_name_is_spelled_in_letters(key: str, name: str) -> None:
    assert names([Stated("full", key, 0.5)], several=False) == [name]


def test_several_systems_put_their_names_in_front() -> None:
    stated = [Stated("BM25 + rerank", NDCG, 0.5), Stated("漢字", NDCG, 0.5)]
    first, second = names(stated, several=True)
    assert first == "bMTwentyFiveRerankNdcgTen"
    assert re.fullmatch(r"system[a-z]{6}NdcgTen", second)


def test_two_systems_with_one_spelling_have_two_names() -> None:
    stated = [Stated("a-b", NDCG, 0.5), Stated("a b", NDCG, 0.6)]
    assert len(set(names(stated, several=True))) == 2


def test_a_system_cannot_end_its_comment() -> None:
    text = latex([Stated("x\n\\input{y}", NDCG, -0.5)], several=True)
    assert text.splitlines()[2:] == [
        rf"\newcommand{{\xInputYNdcgTen}}{{\ensuremath{{-0.5000}}}} % x \input{{y}}: {NDCG}"
    ]


def test_every_word_of_the_contract_is_written_in_plain_latex() -> None:
    words = {
        word
        for metric in load().metrics
        for word in (metric.meaning, metric.definition, *(v.definition for v in metric.variants))
    }
    assert {char for word in words for char in escape(word) if not char.isascii()} == set()


@pytest.fixture(scope="module")
def gated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gate a small study with folds and intervals, and write everything that a paper takes."""
    folder = tmp_path_factory.mktemp("paper")
    draw, lines = random.Random(3), ["query_id,fold,candidates,gold,label,prob"]
    for query in range(60):
        ranked = [f"s{query}_{place}" for place in range(8)]
        gold = draw.sample(ranked, draw.choice([0, 1, 1, 2]))
        prob = min(1.0, max(0.0, draw.gauss(0.6 if gold else 0.4, 0.2)))
        cells = ("|".join(ranked), "|".join(gold), int(bool(gold)), f"{prob:.3f}")
        lines.append(",".join(map(str, (f"q{query}", query % 3, *cells))))
    (folder / "data.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert run([*GATE, str(folder / "data.csv"), "--out", str(folder / "report")]) == 0
    return folder


GATE = ["gate", "--witness", "trec_eval", "--no-figures", "--intervals", "--resamples", "50", "-q"]
WRITTEN = {
    "numbers.tex": ["--macros"],
    "methods.tex": ["--methods"],
    "headline.tex": [],
    "headline.md": ["--format", "markdown"],
    "confusion.tex": ["--table", "confusion", "--digits", "3"],
}


@pytest.fixture
def written_for_the_paper(gated: Path, capsys: pytest.CaptureFixture[str]) -> list[Path]:
    files = []
    for name, options in WRITTEN.items():
        capsys.readouterr()
        assert run(["tables", str(gated / "report"), *options]) == 0
        files.append(gated / name)
        files[-1].write_text(capsys.readouterr().out, encoding="utf-8")
    return files


def test_the_gate_verifies_every_number_that_tables_wrote(
    gated: Path, written_for_the_paper: list[Path]
) -> None:
    by_name = {file.name: file for file in written_for_the_paper}
    methods = by_name.pop("methods.tex").read_text(encoding="utf-8")
    headline = by_name["headline.tex"]
    headline.write_text(f"{methods}\n{headline.read_text('utf-8')}", encoding="utf-8")
    claims = [word for file in by_name.values() for word in ("--claims", str(file))]
    code = run([*GATE, str(gated / "data.csv"), *claims, "--out", str(gated / "again")])
    system = json.read(gated / "again").systems[0]
    assert [one.sentence for one in system.claims if one.status != "holds"] == []
    assert code == 0
    macros = (gated / "numbers.tex").read_text(encoding="utf-8").splitlines()[2:]
    assert all(LINE.fullmatch(line) for line in macros)
    assert sum(one.file.endswith("numbers.tex") for one in system.claims) == len(macros)


def test_a_macro_that_went_stale_is_wrong(
    gated: Path, written_for_the_paper: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    stale = gated / "stale.tex"
    text = written_for_the_paper[0].read_text(encoding="utf-8")
    found = re.search(r"\\ndcgTen\}\{(0\.\d+)\}", text)
    assert found is not None
    stale.write_text(text.replace(found[1], "0.1234", 1), encoding="utf-8")
    # The first number with these digits may be another's: either way one is wrong.
    assert run([*GATE, str(gated / "data.csv"), "--claims", str(stale), "--out", str(gated / "w")])
    assert "1 wrong" in capsys.readouterr().out


WROTE = latex(
    [Stated("ours", "recall@10|positives_only|all|mean", 0.6), Stated("ours", NDCG, math.inf)]
)
RECALL = r"\newcommand{\recallTen}{0.6000} % recall@10|positives_only|all|mean"


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        (WROTE, 0),
        (WROTE + "% a remark \\def\\x{1}\n\\begin{table}\\end{table}\n", 0),
        (WROTE.replace(r"\recallTen", r"\ndcgFive"), 1),
        (WROTE.replace("% recall@10|", "% other: recall@10|"), 1),
        (WROTE.replace(" % recall@10|positives_only|all|mean", ""), 1),
        (WROTE.replace("{0.6000}", r"{0.9\phantom{0.6000}}"), 1),
        (WROTE + r"\renewcommand{\recallTen}{0.9}", 1),
        (WROTE + r" {\gdef\recallTen{0.9}}", 1),
        (WROTE.partition("\n")[2] + r"\newcommand{\headline}{0.9}", 0),
    ],
)
def test_a_written_file_that_was_edited_is_told(text: str, unread: int) -> None:
    assert RECALL in WROTE
    found = list(stated(Written.of(text)))
    assert sum(isinstance(one, Unread) for one in found) == unread


def test_methods_name_definitions_intervals_and_versions(
    gated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert run(["tables", str(gated / "report"), "--methods", "--format", "markdown"]) == 0
    said = capsys.readouterr().out
    assert "two implementations that share no code" in said
    assert "50 resamples of the posts" in said or "50 resamples of the queries" in said
    assert "divided by that of an ideal ranking" in said
    assert re.search(r"trec\\?_eval \(pytrec\\?_eval-terrier [\d.]+\)", said)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--macros", "--format", "markdown"], "--macros are LaTeX"),
        (["--macros", "--methods"], "choose one"),
    ],
)
def test_what_does_not_go_together_is_refused(
    options: list[str], said: str, gated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tables", str(gated / "report"), *options]) == 2
    assert said in capsys.readouterr().err
