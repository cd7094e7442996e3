"""Real runs and predictions, whose answers others published; the data lie beside the project.

trec_eval itself, given the raw scores, agrees with both implementations query by query.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

import primary
import reference
from crosscheck import cli
from crosscheck.contract import keys_owed
from crosscheck.data.case import Case
from crosscheck.witnesses.trec_eval import WITNESS

if TYPE_CHECKING:
    from pathlib import Path

CLOSE = 1e-12
CUTS = [5, 10, 15, 20, 30, 100, 200, 500, 1000]
QUERY_BY_QUERY = 40
"""Metrics, at the least, that are compared query by query: a shrunken table shows."""

RUNS = {
    "trec_eval": ("trec_eval/qrels.test", "trec_eval/results.test"),
    "truncated": ("trec_eval/qrels.test", "trec_eval/results.trunc"),
    "levels": ("trec_eval/qrels.rel_level", "trec_eval/results.test"),
    "comments": ("trec_eval/qrels.comment.test", "trec_eval/results.comment.test.gz"),
    "ecnu": ("clef_tar/qrel_abs_test.txt.gz", "clef_tar/ecnu.run2.res.gz"),
    "ecnu documents": ("clef_tar/qrel_content_test.txt.gz", "clef_tar/ecnu.run2.res.gz"),
    "waterloo": ("clef_tar/qrel_abs_test.txt.gz", "clef_tar/waterloo.A-rank-normal.res.gz"),
    "waterloo documents": (
        "clef_tar/qrel_content_test.txt.gz", "clef_tar/waterloo.A-rank-normal.res.gz",
    ),
}  # fmt: skip
OF_SECTION_15 = {"rprecision", "bpref", *(f"iprec@recall={n / 10:g}" for n in range(11))}
"""What trec_eval shares of it on any judgements; with grades `ndcg@K/graded` too."""
TIED_IN_32_BITS = {"ecnu": {"CD011145"}, "ecnu documents": set()}
"""Topics whose value depends on two scores that are equal as 32-bit floats, and else are not."""


def case_of(shared_data: Path, name: str, **settings: Any) -> Case:
    qrels, run = RUNS[name]
    data = {"qrels": str(shared_data / qrels), "run": str(shared_data / run)}
    settings = {"ties": "trec_eval", "k": CUTS, **settings}
    facts = primary.describe(data, settings)
    return Case("s", data, settings, facts, tuple(keys_owed(facts, settings)))


@pytest.mark.slow
@pytest.mark.parametrize("package", [primary, reference], ids=lambda p: p.__name__)
@pytest.mark.parametrize("name", RUNS)
def test_trec_eval_agrees_query_by_query(name: str, package: Any, shared_data: Path) -> None:
    case = case_of(shared_data, name)
    assert WITNESS.per_query is not None
    theirs = WITNESS.per_query(case)
    ours = package.per_query(case.data, case.settings)
    shared = {metric for metric in theirs if metric in set(ours)}
    graded = {f"ndcg@{k}/graded" for k in (*CUTS, "all")} if case.facts["grade_max"] else set()
    assert len(shared) >= QUERY_BY_QUERY
    assert shared >= OF_SECTION_15 | graded
    assert apart(ours, theirs) == set()


def apart(ours: Any, theirs: Any) -> set[str]:
    """The topics on which a metric is not what trec_eval says.

    Not asked of it where it would want another number of gold at a recall level.
    """
    topics = list(ours["query_id"])
    return {
        topic
        for metric in theirs
        if metric in set(ours)
        for topic, mine, other in zip(topics, list(ours[metric]), theirs[metric], strict=True)
        if not math.isnan(other) and abs(mine - other) > CLOSE
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", TIED_IN_32_BITS)
def test_without_32_bits_only_the_topics_that_tie_in_them_differ(
    name: str, shared_data: Path
) -> None:
    case = case_of(shared_data, name)
    assert WITNESS.per_query is not None
    full = reference.per_query(case.data, {**case.settings, "ties": "docid"})
    assert apart(full, WITNESS.per_query(case)) == TIED_IN_32_BITS[name]
    assert case.facts["float32_ties"] == 2


@pytest.mark.parametrize("name", ["trec_eval", "ecnu documents"])
def test_trec_evals_geometric_mean_agrees(name: str, shared_data: Path) -> None:
    case = case_of(shared_data, name)
    theirs = WITNESS.testify(case).ledger
    for package in (primary, reference):
        ledger = package.evaluate(case.data, case.settings)
        for population in ("all_queries", "positives_only"):
            key = f"gmap|{population}|all|value"
            assert ledger[key] == pytest.approx(theirs[key], rel=0, abs=CLOSE)


PRINTED = {
    "map": "map@all/by_gold", "Rprec": "rprecision", "bpref": "bpref", "ndcg": "ndcg@all/graded",
    "recip_rank": "mrr@all", "set_P": "precision@all", "set_recall": "recall@all",
    **{f"P_{k}": f"precision@{k}" for k in CUTS},
    **{f"recall_{k}": f"recall@{k}" for k in CUTS},
    **{f"ndcg_cut_{k}": f"ndcg@{k}/graded" for k in CUTS},
    **{f"map_cut_{k}": f"map@{k}/by_gold" for k in CUTS},
    # Version 10, which printed these, rounds r·|G| between the ends; the contract rounds it up.
    "iprec_at_recall_0.00": "iprec@recall=0", "iprec_at_recall_1.00": "iprec@recall=1",
}  # fmt: skip


def printed(path: Path) -> dict[str, float]:
    """Read the means that trec_eval printed."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        measure, topic, value = line.split("\t")[:3]
        if topic == "all" and measure.strip() in PRINTED:
            found[PRINTED[measure.strip()]] = float(value)
    return found


@pytest.mark.parametrize("package", [primary, reference], ids=lambda p: p.__name__)
@pytest.mark.parametrize(
    ("name", "answers", "level"), [("trec_eval", "out.test.aq", 1), ("levels", "out.test.aql", 2)]
)
def test_what_trec_eval_printed_holds_to_four_digits(
    name: str, answers: str, level: int, package: Any, shared_data: Path
) -> None:
    case = case_of(shared_data, name, relevance_level=level)
    published = printed(shared_data / "trec_eval" / answers)
    ledger = package.evaluate(case.data, case.settings)
    found = {}
    for metric in published:
        graded = f"{metric}|all_queries|all|mean"
        # Where no judgement is above 1, graded and binary nDCG are one number.
        found[metric] = ledger.get(graded, ledger.get(graded.replace("/graded", "")))
    assert len(published) >= QUERY_BY_QUERY
    assert found == pytest.approx(published, rel=0, abs=0.00005001)


def test_gm_map_as_printed(shared_data: Path) -> None:
    case = case_of(shared_data, "trec_eval")
    ledger = reference.evaluate(case.data, case.settings)
    rows = (shared_data / "trec_eval" / "out.test.aq").read_text(encoding="utf-8").splitlines()
    [value] = [line.split("\t")[2] for line in rows if line.split("\t")[0].strip() == "gm_map"]
    assert ledger["gmap|all_queries|all|value"] == pytest.approx(float(value), rel=0, abs=0.00005)


YARDSTICK = {
    "accuracy": 0.838,
    "kappa": 0.674876372744204,
    "precision": 0.8194945848375451,
    "sensitivity": 0.8798449612403101,
    "f1": 0.8485981308411216,
    "f_beta@beta=0.5": 0.8308931185944363,
    "mcc": 0.6768475603492129,
    "log_loss": 0.3283096498853139,
    "brier": 0.10561859,
    "auroc": 0.939313857389967,
    "auprc": 0.9465570239988341,
    "auprc/trapezoid": 0.9464467,
}


@pytest.mark.slow
def test_yardstick_holds_from_three_lines(
    shared_data: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Two lines say what its columns are, the third is the command; the file stays as it is."""
    config, claims = tmp_path / "crosscheck.toml", tmp_path / "published.json"
    mapped = 'columns = { label = "truth", prob = "Class1" }'
    config.write_text(f'positive = "Class1"\n{mapped}\n', encoding="utf-8")
    claims.write_text(json.dumps(YARDSTICK), encoding="utf-8")
    data = str(shared_data / "yardstick" / "two_class_example.csv")
    stated = ["--config", str(config), "--claims", str(claims), "--out", str(tmp_path / "report")]
    options = ["--witness", "scikit-learn", "--no-figures", "--no-intervals", "-q"]
    assert cli.run(["gate", data, *stated, *options]) == 0
    assert f"{len(YARDSTICK)} verified, 0 wrong, 0 unverified" in capfd.readouterr().out
