"""The study's own summary with one value decorated: it never passes unless the value is right."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from crosscheck.claims import ClaimOutcome, read, verify
from crosscheck.claims.reading import examine_text

if TYPE_CHECKING:
    from pathlib import Path

SYSTEMS = ("retriever", "reranked")
RIGHT, WRONG = "0.6902", "0.8402"
DECORATED = [
    "{}",
    "{} (best)",
    "{} (p<0.01)",
    "{} pp",
    "{}¹",
    "${}^{{1}}$",
    "{} 🏆",
    "{};",
    "{} / 0.5",
    "0.5–{}",
    "{}–0.99",
    "{} (90% CI 0.5-0.9)",
    "{} (95% CI 0.5-0.9)",
    "{} ± 0.01",
    "{} (0.01)",
    "{} (+3.1)",
    "{} → 0.7",
    "0.7 → {}",
    "~{}",
    "≈ {}",
    "≥ {}",
    "{}*",
    "{}†",
    "**{}**",
    "{} %",
    "{}‰",
    "{}x",
    "{} ms",
    "{} points",
    "about {}",
    "{} or so",
    "'{}'",
    '"{}"',
    "{} {}",
    "{}, {}",
    "v{}",
    "n={}",
    "{} on dev",
    "[{}]",
    "{{{}}}",
    "<{}>",
    "{}e0",
    "{}e1",
    "10^{}",
    "−{}",
    "+{}",
]
HIDDEN = ["0.69\u200b02", "0.\u200d6902", "\ufeff0.6902"]


@pytest.fixture(scope="module")
def truth(shared_data: Path) -> tuple[dict[str, object], dict[str, dict[str, float]]]:
    """The summary, and each system's ledger as it states it."""
    path = shared_data / "study" / "summary.json"
    ledgers: dict[str, dict[str, float]] = {name: {} for name in SYSTEMS}
    for claim in read(path):
        if claim.system in ledgers and claim.key and claim.number is not None:
            ledgers[claim.system][claim.key] = float(claim.number.value)
    return json.loads(path.read_text(encoding="utf-8")), ledgers


def outcomes(
    summary: dict[str, object], ledgers: dict[str, dict[str, float]]
) -> list[ClaimOutcome]:
    claims = examine_text(json.dumps(summary, ensure_ascii=False), "summary.json", "json").claims
    return [
        one
        for name in SYSTEMS
        for one in verify(claims, ledgers[name], system=name, rankings=SYSTEMS, ledgers=ledgers)
    ]


def passes(found: list[ClaimOutcome]) -> bool:
    return all(one.status == "holds" for one in found)


def stated(truth: tuple[dict[str, object], dict[str, dict[str, float]]], text: object) -> bool:
    summary = json.loads(json.dumps(truth[0]))
    summary["reranked"]["positives_only"]["ndcg@10"] = text
    return passes(outcomes(summary, truth[1]))


def test_the_summary_passes_with_every_number_verified(
    truth: tuple[dict[str, object], dict[str, dict[str, float]]],
) -> None:
    found = outcomes(*truth)
    assert passes(found)
    assert len(found) == 82


@pytest.mark.parametrize("decoration", DECORATED)
def test_a_wrong_value_never_passes_however_it_is_decorated(
    decoration: str, truth: tuple[dict[str, object], dict[str, dict[str, float]]]
) -> None:
    assert not stated(truth, decoration.format(WRONG, WRONG))


@pytest.mark.parametrize("decoration", ["{}", "{} (best)", "{}*", "{}†", "**{}**", "{} 🏆", "{};"])
def test_a_right_value_passes_with_what_says_nothing_about_it(
    decoration: str, truth: tuple[dict[str, object], dict[str, dict[str, float]]]
) -> None:
    assert stated(truth, decoration.format(RIGHT))


@pytest.mark.parametrize("text", HIDDEN)
def test_what_is_not_seen_changes_no_number(
    text: str, truth: tuple[dict[str, object], dict[str, dict[str, float]]]
) -> None:
    assert stated(truth, text)
    assert not stated(truth, text.replace("6", "8"))


@pytest.mark.parametrize("value", [1, 0, 84, "1e400", "n/a", "-", "", None, [0.84]])
def test_no_number_and_a_coarse_one_never_pass(
    value: object, truth: tuple[dict[str, object], dict[str, dict[str, float]]]
) -> None:
    summary = json.loads(json.dumps(truth[0]))
    summary["reranked"]["positives_only"]["ndcg@10"] = value
    found = outcomes(summary, truth[1])
    verified = [one for one in found if one.status == "holds" and "ndcg@10" in (one.key or "")]
    assert len(verified) == 3, "the decorated one is not among those that hold"
    gone = value in ("n/a", "-", "", None)
    assert passes(found) == gone


def test_all_values_raised_and_called_best_fail(
    truth: tuple[dict[str, object], dict[str, dict[str, float]]],
) -> None:
    summary = json.loads(json.dumps(truth[0]))
    for system in SYSTEMS:
        for population in ("positives_only", "all_queries"):
            value = summary[system][population]["ndcg@10"]
            summary[system][population]["ndcg@10"] = f"{value + 0.15:.4f} (best)"
    found = outcomes(summary, truth[1])
    assert sum(one.status == "wrong" for one in found) == 4
