"""Adding a metric takes at most 4 source files, 6 with a new parameter, and nothing else.

Each addition is really made, on a copy of the packages: one TOML file beside the contract's own
(tests/additions/), and a few lines on each side. Then the gate is run on it, in a process that sees
the copy alone, and the metric is looked for in everything that the gate writes.
"""

from __future__ import annotations

import csv
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

ADDITIONS = Path(__file__).parent / "additions"
ANSWERS = """query_id,candidates,scores,gold
q1,s1|s2|s3|s4,0.9|0.8|0.7|0.6,s1
q2,s5|s6|s7|s8,0.9|0.5|0.5|0.1,s6|s8
q3,s9|s10|s11,0.9|0.8|0.7,s12
q4,s13|s14|s15,0.9|0.8|0.7,
"""

# The last row of each side's table of ranking metrics: a new one follows it.
PRIMARY = """\
    Metric("ndcg@{}/k_eff", "k", lambda cut: (cut.gain, cut.ideal(cut.reachable))),
"""
REFERENCE = """\
    Metric("ndcg@{}/k_eff", gain, ideal_gain_effective),
"""
# Where functions end and the table begins.
REFERENCE_FUNCTIONS = "ALL = None\n"


@dataclass(frozen=True)
class Addition:
    """A metric to be added: its file of the contract, and lines on each side."""

    name: str
    lines: dict[str, dict[str, tuple[str, str]]]
    """File → text in it → what is put before and after that text."""
    metric: str
    claimed: str
    printed: str
    value: float
    shown: tuple[str, ...]
    """What stands in the cells of the report's tables."""
    outside: tuple[str, ...] = ()
    headline: bool = False

    @property
    def files(self) -> set[str]:
        """The source files that it touches."""
        return {f"crosscheck/contract/{self.name}.toml", *self.lines}

    def make(self, copy: Any) -> None:
        """Add it to a copy of the packages."""
        shutil.copy(ADDITIONS / f"{self.name}.toml", copy.tree / "crosscheck" / "contract")
        for file, edits in self.lines.items():
            for place, (before, after) in edits.items():
                copy.put(file, place, before, after)


DICE = Addition(
    name="dice",
    lines={
        "primary/ranking/metrics.py": {
            PRIMARY: (
                "",
                """\
    Metric("dice@{}", "k", lambda cut: (2 * cut.found, cut.places + cut.gold)),
""",
            )
        },
        "reference/ranking.py": {
            REFERENCE_FUNCTIONS: (
                """\
def found_twice(seen: Shape, k: int | None) -> int:
    return 2 * found(seen, k)


def cut_and_gold(seen: Shape, k: int | None) -> int:
    return cut(seen, k) + seen.gold


""",
                "",
            ),
            REFERENCE: (
                "",
                """\
    Metric("dice@{}", found_twice, cut_and_gold),
""",
            ),
        },
    },
    metric="dice@3",
    claimed="Dice@3",
    printed="0.300",
    value=(2 / (3 + 1) + 2 / (3 + 2) + 0) / 3,
    shown=("Dice", "@3"),
)
RSHARE = Addition(
    name="rshare",
    lines={
        "primary/ranking/metrics.py": {
            PRIMARY: (
                "",
                """\
    Metric(
        "rshare",
        "",
        lambda cut: (cut.summed((cut.rank <= cut.gold[cut.query]).astype(float)), cut.gold),
        headline=("",),
    ),
""",
            )
        },
        "reference/ranking.py": {
            REFERENCE_FUNCTIONS: (
                """\
def found_by_gold(seen: Shape, _none: None) -> int:
    return len(seen.within(seen.gold))


""",
                "",
            ),
            REFERENCE: (
                "",
                """\
    Metric("rshare", found_by_gold, gold, headline=(ALL,), values=None),
""",
            ),
        },
    },
    metric="rshare",
    claimed="R-Share",
    printed="0.500",
    value=(1 + 1 / 2 + 0) / 3,
    shown=("R-share",),
    outside=("trec_eval",),
    headline=True,
)
READER = Addition(
    name="reader",
    lines={
        "primary/ranking/metrics.py": {
            PRIMARY: (
                "",
                """\
    Metric(
        "reader@q={}",
        "q",
        lambda cut: (
            float(1 - cut.value) * cut.summed(float(cut.value) ** (cut.rank - 1.0)),
            1.0,
        ),
    ),
""",
            )
        },
        "primary/settings.py": {
            "    bins: tuple[int, ...] = (10,)\n": (
                "",
                '    q: tuple[Fraction, ...] = (fraction("0.8"),)\n',
            ),
            '    "bins": _wholes("bins"),\n': ("", '    "q": _numbers("q", 1),\n'),
        },
        "reference/ranking.py": {
            REFERENCE_FUNCTIONS: (
                """\
def read_on(seen: Shape, p: Decimal) -> Fraction:
    return (1 - Fraction(p)) * sum((Fraction(p) ** (rank - 1) for rank in seen.hits), Fraction(0))


""",
                "",
            ),
            REFERENCE: (
                "",
                """\
    Metric("reader@q={}", read_on, one, values="q"),
""",
            ),
        },
        "reference/settings.py": {
            "    bins: Annotated[tuple[int, ...], _list_of(_integer(1))] = (10,)\n": (
                "",
                '    q: Annotated[tuple[Decimal, ...], _list_of(UNIT)] = _decimals("0.8")\n',
            ),
        },
    },
    metric="reader@q=0.8",
    claimed="Reader precision (q=0.8)",
    printed="0.154",
    value=(0.2 + 0.2 * (0.8 + 0.8**3) + 0) / 3,
    shown=("Reader precision@0.8",),
)


@dataclass(frozen=True)
class Made:
    """An addition that was made, and the copy that it was made on."""

    addition: Addition
    copy: Any


@pytest.fixture(scope="module", params=[DICE, RSHARE, READER], ids=lambda one: one.name)
def made(request: pytest.FixtureRequest, copied: Callable[[], Any]) -> Made:
    addition: Addition = request.param
    copy = copied()
    addition.make(copy)
    (copy.folder / "answers.csv").write_text(ANSWERS, encoding="utf-8")
    for name, printed in (("paper.md", addition.printed), ("wrong.md", "0.900")):
        claims = f"| Metric | Ours |\n|---|---|\n| {addition.claimed} | {printed} |\n"
        (copy.folder / name).write_text(claims, encoding="utf-8")
    gate = copy.run(
        "gate", "answers.csv", "--claims", "paper.md", "--intervals", "--witness", "trec_eval",
        "--out", "out",
    )  # fmt: skip
    assert gate.returncode == 0, gate.stdout + gate.stderr
    return Made(addition, copy)


def test_an_addition_touches_these_files_and_no_other(
    made: Made, copied: Callable[[], Any]
) -> None:
    before, after = copied().sources(), made.copy.sources()
    changed = {name for name in after if before.get(name) != after[name]}
    assert changed == made.addition.files
    assert before.keys() <= after.keys()
    assert len(changed) <= (6 if any("settings" in name for name in changed) else 4)


def test_both_sides_and_the_library_state_it(made: Made) -> None:
    with (made.copy.folder / "out" / "ledger.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["key"]: row for row in csv.DictReader(file)}
    row = rows[f"{made.addition.metric}|positives_only|all|mean"]
    for witness in ("primary", "reference", *made.addition.outside):
        assert float(row[witness]) == pytest.approx(made.addition.value, abs=1e-12)
    worst = rows[f"{made.addition.metric}/tie_low|positives_only|all|mean"]
    assert float(worst["primary"]) == pytest.approx(float(worst["reference"]), abs=1e-12)
    assert float(worst["reference"]) <= made.addition.value


def test_the_claim_holds_over_the_metrics_own_population(made: Made) -> None:
    (system,) = made.copy.report["systems"]
    (claim,) = system["claims"]
    key = f"{made.addition.metric}|positives_only|all|mean"
    assert (claim["key"], claim["status"]) == (key, "holds")


def test_the_report_has_it_in_its_tables(made: Made) -> None:
    text = (made.copy.folder / "out" / "report.html").read_text(encoding="utf-8")
    assert all(f">{cell}<" in text for cell in made.addition.shown)
    (system,) = made.copy.report["systems"]
    tables = [system["headline"], *system["tables"].values()]
    listed = {row["metric"] for rows in tables for row in rows}
    assert made.addition.metric in listed


def test_a_headline_has_intervals_that_both_sides_state(made: Made) -> None:
    (system,) = made.copy.report["systems"]
    rows = {row["metric"]: row for row in system["headline"]}
    assert (made.addition.metric in rows) == made.addition.headline
    if made.addition.headline:
        assert {one["method"] for one in rows[made.addition.metric]["intervals"]} == {
            "percentile",
            "bca",
        }


def test_a_wrong_claim_about_it_is_reported(made: Made) -> None:
    gate = made.copy.run(
        "gate", "answers.csv", "--claims", "wrong.md", "--no-intervals", "--witness", "trec_eval",
        "--out", "wrong",
    )  # fmt: skip
    assert gate.returncode == 1, gate.stdout + gate.stderr
    text = (made.copy.folder / "wrong" / "report.md").read_text(encoding="utf-8")
    assert f"{made.addition.claimed} / Ours is printed as 0.900" in text
    assert f"the data give {made.addition.value:.6f}"[:-1] in text


def test_it_is_explained(made: Made) -> None:
    told = made.copy.run(
        "explain", f"{made.addition.claimed} = {made.addition.printed}", "answers.csv"
    )
    assert told.returncode == 0, told.stderr
    assert f"{made.addition.printed} is right" in told.stdout
    taught = made.copy.run("explain", made.addition.metric, "answers.csv")
    assert taught.returncode == 0, taught.stderr
    assert "What it means" in taught.stdout
    assert ("Who defines it how" in taught.stdout) == bool(made.addition.outside)


def test_the_contract_lists_it_in_its_section(made: Made) -> None:
    page = made.copy.run("contract", "--markdown").stdout
    assert page.count("### Section 3") == 1
    assert page.index(f"`{made.addition.name}") < page.index("### Section 4")
