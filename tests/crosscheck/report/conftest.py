"""A tiny made-up study, really evaluated, and a failing report about it with hostile names."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import primary
from crosscheck.contract import keys_owed
from crosscheck.model.comparison import ComparisonRow
from crosscheck.model.findings import Check, Explanation, Finding, QueryDifference
from crosscheck.report.results import TableSource, headline, tables
from crosscheck.report.sensitivity import conflicts, sensitivity
from crosscheck.report.view import (
    ChecklistItemView,
    Circumstance,
    ClaimView,
    ComparisonView,
    Declined,
    File,
    Pair,
    PolicyView,
    Provenance,
    Report,
    SystemView,
    WitnessView,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HOSTILE = "C</td><script>alert('x')</script>&\"|`*"
CRITERIA = ["A.1", "A.2", "A.10", HOSTILE]
SETTINGS: dict[str, Any] = {
    "tau_neg": "0.2",
    "tau_pos": "0.7",
    "views": {"short": ["A.1", "A.2"]},
    "grid": {"tau_neg": ["0.1"], "tau_pos": ["0.5", "0.8"]},
}


@dataclass(frozen=True)
class Study:
    """What the gate would know about one system."""

    facts: dict[str, Any]
    ledgers: dict[str, dict[str, int | float]]
    label: np.ndarray
    prob: np.ndarray

    @property
    def source(self) -> TableSource:
        return TableSource(self.ledgers, self.facts, SETTINGS)


def _row(draw: random.Random, fold: int, split: str, post: str, criterion: str) -> dict[str, Any]:
    uids = [f"{post}_{n}" for n in range(draw.randint(4, 9))]
    gold = draw.sample(uids, draw.randint(1, 2)) if draw.random() < 0.4 else []
    prob = round(min(1.0, max(0.0, draw.gauss(0.7 if gold else 0.3, 0.25))), 3)
    return {
        "post_id": post,
        "criterion_id": criterion,
        "fold": fold,
        "split": split,
        "candidates": uids,
        "scores": [round(draw.random() + (uid in gold) * 0.4, 2) for uid in uids],
        "node_probs": [round(draw.random(), 2) for _ in uids],
        "gold": gold,
        "has_evidence": int(bool(gold)),
        "prob": prob,
        "pred": int(prob >= 0.5),
        "selected": uids[:2],
    }


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    draw = random.Random(11)
    rows = [
        _row(draw, fold, split, f"{split}{fold}{n}", criterion)
        for fold in (0, 1)
        for split in ("EVAL", "TUNE")
        for n in range(9)
        for criterion in CRITERIA
    ]
    path = tmp_path_factory.mktemp("study") / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    stated = dict(primary.evaluate(path, SETTINGS))
    plan = _plan(posts=18, queries=18 * len(CRITERIA))
    stated |= primary.intervals(path, SETTINGS, plan).ledger
    nearly = {k: v * (1 + 2e-16) if isinstance(v, float) else v for k, v in stated.items()}
    ranx = {k: v for k, v in stated.items() if k.startswith("ndcg@") and k.endswith("|all|mean")}
    evaluated = [row for row in rows if row["split"] == "EVAL"]
    return Study(
        facts=primary.describe(path, SETTINGS),
        ledgers={"primary": stated, "reference": nearly, "ranx": ranx},
        label=np.array([bool(row["gold"]) for row in evaluated]),
        prob=np.array([row["prob"] for row in evaluated]),
    )


def _plan(posts: int, queries: int) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(3)
    return {
        "post": generator.multinomial(posts, [1 / posts] * posts, size=40),
        "query": generator.multinomial(queries, [1 / queries] * queries, size=40),
    }


@pytest.fixture(scope="session")
def system(study: Study) -> SystemView:
    names = list(study.ledgers)
    return SystemView(
        name="full",
        facts=study.facts,
        settings=SETTINGS,
        deployment_threshold="0.5",
        keys=len(keys_owed(study.facts, SETTINGS)),
        compared=len(study.ledgers["primary"]),
        not_owed={"pairs": "the data lack scores"},
        witnesses=[
            WitnessView(
                name=name,
                kind="library" if name == "ranx" else "implementation",
                version="1.0",
                status="answered",
                keys=len(ledger),
                declined=[
                    Declined(reason="divides by |G|", keys=3, example="map@1|posts|all|mean")
                ],
            )
            for name, ledger in study.ledgers.items()
        ],
        pairs=[
            Pair(
                first="primary",
                second="reference",
                shared=len(study.ledgers["primary"]),
                exact=len(study.ledgers["primary"]),
                drift=0,
                wrong=0,
                only_first=0,
                only_second=0,
            )
        ],
        coverage={"ranking": dict.fromkeys(names, 10), "classification": {"primary": 5}},
        checks=_checks(),
        headline=headline(study.source),
        tables=tables(study.source),
        claims=_claims(),
        sensitivity=sensitivity(study.source),
        checklist=[ChecklistItemView(item="Disjoint", status="passed", evidence="no post in two")],
    )


def _checks() -> list[Check]:
    def check(group: str, status: str, **more: Any) -> Check:
        fields = {"title": f"About {group}", "section": "11", "examined": 7, "findings": 0}
        return Check.model_validate(fields | {"group": group, "status": status} | more)

    return [
        check("agreement", "failed", findings=1),
        check("ranges", "passed"),
        check("splits", "skipped", examined=0, reason="there is one fold only"),
    ]


def _claims() -> list[ClaimView]:
    def claim(status: str, sentence: str, **more: Any) -> ClaimView:
        fields = {"place": "summary.json", "label": f"nDCG@10 {HOSTILE}", "printed": "0.82"}
        known = {"key": "ndcg@10|positives_only|all|mean", "status": status, "sentence": sentence}
        return ClaimView.model_validate(fields | known | more)

    return [
        claim("holds", "0.8201 rounds to 0.82.", computed=0.8201),
        claim("wrong", "0.7512 does not round to 0.82.", computed=0.7512),
        claim("unverified", "no such metric", key=None),
    ]


@pytest.fixture(scope="session")
def findings() -> list[Finding]:
    def finding(rule: str, severity: str, **more: Any) -> Finding:
        fields = {
            "rule": rule,
            "title": f"Title of {rule}",
            "group": "agreement",
            "severity": severity,
            "system": "full",
            "message": f"Message of {rule} about {HOSTILE}.",
            "section": "11.3",
            "remedy": f"Do what helps {rule}.",
        }
        return Finding.model_validate(fields | more)

    return [
        finding("XC950", "advice"),
        finding(
            "XC401",
            "error",
            key="map@10|positives_only|all|mean",
            values={"primary": 0.75, "reference": float("inf"), "counted": 3},
            difference=0.02,
            limit=0.01,
            place=f"rows.csv, row 12, query {HOSTILE}",
            starts_at=[QueryDifference(query=HOSTILE, values={"primary": 1.0}, gold=[HOSTILE])],
            explanations=[Explanation(title="÷ |G|", value=0.7, surprise=0.1, sentence="It fits.")],
        ),
        finding("XC402", "drift", waived="known & harmless"),
    ]


@pytest.fixture(scope="session")
def comparison() -> ComparisonView:
    rows = [
        ComparisonRow(
            system=name,
            baseline="base",
            key=f"{metric}|positives_only|all|mean",
            name=label,
            value=0.7 + gain,
            folds_mean=0.7 + gain,
            folds_std=0.0123,
            difference=None if name == "base" else gain,
            improvement=None if name == "base" else gain / 0.7 * 100,
            low=gain - 0.01,
            high=gain + 0.01,
            unit="post",
            p=0.01,
            p_holm=0.02,
        )
        for name, gain in (("base", 0.0), ("full", 0.0511))
        for metric, label in (("ndcg@10", "nDCG@10"), ("mrr@all", "MRR"))
    ]
    return ComparisonView(
        baseline="base",
        systems=["base", "full"],
        metrics=["ndcg@10", "mrr@all"],
        resamples=1000,
        correction="Holm",
        rows=rows,
    )


@pytest.fixture(scope="session")
def make_report(
    system: SystemView, findings: list[Finding], comparison: ComparisonView
) -> Callable[..., Report]:
    """Give the failing report, with any field changed."""

    def make(**changes: Any) -> Report:
        report = Report(
            verdict="fail",
            summary="FAIL: 1 error.",
            circumstances=[
                Circumstance(kind="columns", weakens=True, text=f"gold is read from {HOSTILE}"),
                Circumstance(kind="tolerance", weakens=False, text="the tolerance is 0.01"),
            ],
            findings=findings,
            systems=[system],
            comparison=comparison,
            conflicts=conflicts(),
            selftest="83/83",
            provenance=Provenance(
                command=["crosscheck", "gate", HOSTILE],
                request=None,
                inputs=[File(role="data", path="rows.csv", sha256="ab" * 32, bytes=1234)],
                contract_sha256="cd" * 32,
                policy=PolicyView(name="standard", sha256="ef" * 32),
                versions={"numpy": "2.4"},
                seed=1,
                resamples=40,
                tolerance=0.01,
            ),
        )
        return report.model_copy(update=changes)

    return make


@pytest.fixture(scope="session")
def report(make_report: Callable[..., Report]) -> Report:
    return make_report()


@pytest.fixture(scope="session")
def written(report: Report, study: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a report's folder with every figure that the study allows."""
    from crosscheck.drawing.data import FigureData  # noqa: PLC0415 - the same
    from crosscheck.figures import draw_all, draw_comparison  # noqa: PLC0415 - takes seconds
    from crosscheck.report.write import write_all  # noqa: PLC0415 - the same

    assert report.comparison is not None
    data = FigureData(
        "full", study.ledgers, study.facts, SETTINGS, study.label, study.prob, resamples=40
    )
    galleries = {"full": draw_all(data), None: draw_comparison(report.comparison)}
    folder = tmp_path_factory.mktemp("written")
    write_all(report, {"full": study.ledgers}, galleries, folder)
    return folder
