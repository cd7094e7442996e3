"""A small data set with everything in it, and the gate run on it inside this process."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck import config as configs
from crosscheck import gate
from crosscheck import policy as policies
from crosscheck.config import systems
from crosscheck.report.assemble import report_of
from crosscheck.witnesses.implementations import PRIMARY, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date
    from pathlib import Path

    from crosscheck.witnesses import Testimony, Witness

Row = dict[str, Any]

CONFIG = """
threshold = 0.5
tau_neg = 0.2
tau_pos = 0.8
k = [1, 3, 10]
fpr = [1, 5]
gamma = [0.9]
[views]
one = ["A.1"]
both = ["A.1", "A.2"]
[grid]
tau_neg = [0.1]
tau_pos = [0.8]
"""


def make_rows() -> list[Row]:
    """Two folds of six posts, two criteria, ties, a truncated ranking, TUNE rows."""
    random = Random(7)
    rows = []
    for fold in (0, 1):
        for number in range(6):
            post = f"p{fold}{number}"
            size = 1 if number == 5 else 6
            uids = [f"{post}_{n}" for n in range(size)]
            for criterion in ("A.1", "A.2"):
                positive = random.random() < 0.6
                gold = sorted(random.sample(uids, min(2, size))) if positive else []
                if number == 0 and positive:
                    gold.append(f"{post}_99")
                prob = round(min(1, max(0, 0.3 * positive + 0.7 * random.random())), 2)
                rows.append(
                    {
                        "post_id": post,
                        "criterion_id": criterion,
                        "fold": fold,
                        "split": "EVAL",
                        "candidates": uids,
                        "scores": [round(random.random(), 1) for _ in uids],
                        "gold": gold,
                        "has_evidence": int(positive),
                        "prob": prob,
                        "selected": uids[: min(3, size)],
                        "node_probs": [round(random.random(), 2) for _ in uids],
                    }
                )
        for number in range(5):
            rows.extend(
                {
                    "post_id": f"t{fold}{number}",
                    "criterion_id": criterion,
                    "fold": fold,
                    "split": "TUNE",
                    "candidates": [],
                    "scores": [],
                    "gold": [],
                    "has_evidence": int(random.random() < 0.5),
                    "prob": round(random.random(), 2),
                    "selected": [],
                    "node_probs": [],
                }
                for criterion in ("A.1", "A.2")
            )
    return rows


def write_rows(rows: list[Row], path: Path) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for row in rows:
            writer.writerow(
                {k: json.dumps(v) if isinstance(v, list) else v for k, v in row.items()}
            )
    return path


@pytest.fixture
def rows() -> list[Row]:
    return make_rows()


@pytest.fixture(scope="session")
def save() -> Callable[[list[Row], Path], Path]:
    return write_rows


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Write the small data set and its config to a folder."""
    write_rows(make_rows(), tmp_path / "data.csv")
    (tmp_path / "crosscheck.toml").write_text(CONFIG)
    return tmp_path


@pytest.fixture
def run_gate(tmp_path: Path) -> Callable[..., gate.Outcome]:
    """Gate rows inside this process, by the two implementations or whoever is named."""

    def run(
        rows: list[Row] | None = None,
        *,
        config: str = CONFIG,
        witnesses: tuple[Witness, ...] = (PRIMARY, REFERENCE),
        claims: dict[str, Any] | None = None,
        rankings: tuple[tuple[str, str], ...] = (),
        resamples: int = 0,
        onlooker: gate.Onlooker | None = None,
        processes: bool = False,
        policy: policies.Policy | None = None,
        today: date | None = None,
    ) -> gate.Outcome:
        data = write_rows(make_rows() if rows is None else rows, tmp_path / "data.csv")
        (tmp_path / "crosscheck.toml").write_text(config)
        settled = configs.read(tmp_path / "crosscheck.toml")
        files = ()
        if claims is not None:
            (tmp_path / "claims.json").write_text(json.dumps(claims))
            files = (str(tmp_path / "claims.json"),)
        sources = systems.choose(settled, data=str(data), rankings=rankings, claims=files)
        return gate.run(
            gate.Request(
                sources=sources,
                config=settled,
                witnesses=witnesses,
                processes=processes,
                resamples=resamples,
                seed=1,
                policy=policy or policies.built_in("standard"),
                today=today,
            ),
            onlooker=onlooker,
        )

    return run


@pytest.fixture
def rules_of() -> Callable[[gate.Outcome], set[str]]:
    """Give the rules that a run's findings cite."""
    return lambda outcome: {found.rule for found in report_of(outcome).findings}


@pytest.fixture
def errors_of() -> Callable[[gate.Outcome], set[str]]:
    """Give the rules of the findings that fail the gate."""

    def errors(outcome: gate.Outcome) -> set[str]:
        found = report_of(outcome).findings
        return {one.rule for one in found if one.severity == "error" and one.waived is None}

    return errors


@pytest.fixture
def lying() -> Callable[..., Witness]:
    """Make a witness that says what another says, except for some keys."""

    def lie(witness: Witness, **changes: Any) -> Witness:
        def testify(case: Any) -> Testimony:
            told = witness.testify(case)
            ledger = {**told.ledger, **changes.get("ledger", {})}
            for key in changes.get("leave_out", ()):
                del ledger[key]
            facts = {**(told.facts or {}), **changes.get("facts", {})}
            return replace(told, ledger=ledger, facts=facts)

        return replace(witness, testify=testify, per_query=changes.get("per_query"))

    return lie


@pytest.fixture(scope="session")
def honest(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int | float]:
    """Give the primary's ledger of the small data set."""
    import primary  # noqa: PLC0415 - heavy

    folder = tmp_path_factory.mktemp("honest")
    (folder / "crosscheck.toml").write_text(CONFIG)
    settings = configs.read(folder / "crosscheck.toml").settings()
    ledger: dict[str, int | float] = primary.evaluate(
        write_rows(make_rows(), folder / "data.csv"), settings
    )
    return ledger
