"""Outside libraries: they agree on what is shared, and decline the rest with reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.contract import headline_keys, keys_owed, load
from crosscheck.data.case import Case
from crosscheck.model.ledgers import compare
from crosscheck.witnesses import Silence, Testimony, Witness
from crosscheck.witnesses.own import witness as own
from crosscheck.witnesses.registry import BY_NAME, STANDARD, choose
from crosscheck.witnesses.run import Task, Workers, ask, hear, task_of

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = {"tau_neg": 0.2, "tau_pos": 0.8, "views": {"one": ["A.1"]}}
IN_PROCESS = ("scikit-learn", "scipy", "trec_eval")


def case_of(data: Path, settings: dict[str, Any]) -> Case:
    import primary  # noqa: PLC0415 - heavy

    facts = primary.describe(data, settings)
    return Case("s", str(data), settings, facts, tuple(keys_owed(facts, settings)))


@pytest.fixture
def case(study: Path) -> Case:
    return case_of(study / "data.csv", SETTINGS)


@pytest.fixture
def truth(case: Case) -> dict[str, float]:
    import reference  # noqa: PLC0415 - like the primary

    return reference.evaluate(case.data, case.settings)


def told(witness: Witness, case: Case) -> Testimony:
    answer = ask(witness.testify, case)
    assert isinstance(answer, Testimony), answer
    return answer


def test_a_process_of_ours_asks_scikit_learn_without_pandas_and_may_load_it_later(
    case: Case, truth: dict[str, float]
) -> None:
    asked = task_of(BY_NAME["scikit-learn"], [case])
    there, later = (
        Task(question, eval, (question,))
        for question in (
            "sorted({'sklearn', 'pandas', 'rich'} & {*__import__('sys').modules})",
            "__import__('pandas').__name__",
        )
    )
    with Workers() as workers:
        for task in (asked, there, later):
            hear([task], processes=True, workers=workers)
    assert there.answers == [["sklearn"]]
    assert later.answers == ["pandas"]
    [answer] = asked.answers
    assert answer == told(BY_NAME["scikit-learn"], case)
    assert compare(("scikit-learn", "reference"), answer.ledger, truth).differences == ()


@pytest.mark.parametrize("name", IN_PROCESS)
def test_a_library_agrees_exactly_and_declines_the_rest_with_reasons(
    name: str, case: Case, truth: dict[str, float]
) -> None:
    answer = told(BY_NAME[name], case)
    found = compare((name, "reference"), answer.ledger, truth)
    assert found.differences == ()
    assert found.only_first == ()
    assert found.shared > 20
    assert set(answer.ledger) | set(answer.declined) == set(case.owed)
    assert set(answer.ledger).isdisjoint(answer.declined)
    assert all(answer.declined.values())


def test_ranx_agrees_in_a_process_of_its_own(case: Case, truth: dict[str, float]) -> None:
    task = task_of(BY_NAME["ranx"], [case])
    hear([task], processes=True)
    [answer] = task.answers
    assert isinstance(answer, Testimony), answer
    found = compare(("ranx", "reference"), answer.ledger, truth)
    assert found.differences == ()
    assert found.shared > 500
    assert "map@10|positives_only|all|mean" in answer.declined
    assert "T6" in answer.declined["map@10|positives_only|all|mean"]


def test_every_headline_number_that_a_library_defines_is_covered(case: Case) -> None:
    heard: set[str] = set()
    for name in IN_PROCESS:
        heard |= set(told(BY_NAME[name], case).ledger)
    left = {
        key.partition("|")[0]
        for key in headline_keys(case.facts, case.settings)
        if key not in heard and "|all|" in key
    }
    assert left == {
        "map@3",  # no library divides by min(|G|, K)
        "map@5",
        "map@10",
        "f1_weighted/per_post",
        "ece@10/equal_mass",
        "neg_rate",
        "uncertain_rate",
        "pos_rate",
        "alert_rate_per_1000",
    }


@pytest.mark.parametrize("name", IN_PROCESS)
def test_a_library_answers_about_every_metric_that_the_contract_says_it_shares(
    name: str, case: Case, field_case: Any
) -> None:
    contract = load()
    cases = [case, *(field_case(kind) for kind in ("graded", "classes"))]
    keys = {key for one in cases for key in told(BY_NAME[name], one).ledger}
    answered = {contract.metric(key.partition("|")[0]) for key in keys}
    ids = {one.text for one in answered} | {one.template for one in answered}
    said = [one for one in contract.measures if one.library == name and not one.differs]
    assert {metric for one in said for metric in one.metrics} - ids == set()


def test_map_is_asked_by_gold(case: Case) -> None:
    answer = told(BY_NAME["trec_eval"], case)
    assert "map@10/by_gold|positives_only|all|mean" in answer.ledger
    assert "map@10|positives_only|all|mean" not in answer.ledger
    assert "map@all|positives_only|all|mean" in answer.ledger


def tiny(path: Path, labels: list[int], probs: list[float]) -> Case:
    lines = ["query_id,has_evidence,prob"]
    lines += [f"q{n},{y},{p}" for n, (y, p) in enumerate(zip(labels, probs, strict=True))]
    file = path / "tiny.csv"
    file.write_text("\n".join(lines) + "\n")
    return case_of(file, {"fpr": [3, 70], "bins": [10]})


def test_points_of_the_roc_curve_are_not_dropped(tmp_path: Path) -> None:
    case = tiny(tmp_path, [1, 0, 1, 0, 1, 0], [0.9, 0.9, 0.7, 0.7, 0.5, 0.5])
    answer = told(BY_NAME["scikit-learn"], case)
    assert answer.ledger["tpr@fpr=70%|all_queries|all|value"] == pytest.approx(2 / 3)


def test_one_class_is_not_asked_of_scikit_learn(tmp_path: Path) -> None:
    answer = told(BY_NAME["scikit-learn"], tiny(tmp_path, [1, 1, 1], [0.9, 0.8, 0.1]))
    for metric in ("auroc", "auprc", "balanced_accuracy", "tpr@fpr=3%"):
        assert f"{metric}|all_queries|all|value" in answer.declined
    assert answer.ledger["sensitivity|all_queries|all|value"] == pytest.approx(2 / 3)


def test_edges_of_bins_are_the_contracts_for_scipy(tmp_path: Path) -> None:
    probs = [0.0, 0.1, 0.3, 0.6, 0.7, 0.95, 1.0, 0.29999999999999999]
    case = tiny(tmp_path, [0, 1, 0, 1, 0, 1, 0, 1], probs)
    answer = told(BY_NAME["scipy"], case)
    counts = [answer.ledger[f"reliability@10/bin={j}|all_queries|all|n"] for j in range(10)]
    assert counts == [1, 1, 0, 2, 0, 0, 1, 1, 0, 2]


def test_queries_without_gold_or_ranking_count_as_zero_in_trec_eval(tmp_path: Path) -> None:
    file = tmp_path / "d.jsonl"
    file.write_text(
        '{"query_id": "a", "candidates": ["x", "none"], "gold": ["none"]}\n'
        '{"query_id": "b", "candidates": [], "gold": ["none"]}\n'
        '{"query_id": "c", "candidates": ["x"], "gold": []}\n'
    )
    answer = told(BY_NAME["trec_eval"], case_of(file, {}))
    assert answer.ledger["mrr@all|all_queries|all|mean"] == pytest.approx(0.5 / 3)
    assert answer.ledger["recall@1|positives_only|all|mean"] == 0.0


@pytest.mark.parametrize("name", IN_PROCESS)
def test_no_library_falls_silent_on_trec_files(name: str, tmp_path: Path) -> None:
    import primary  # noqa: PLC0415 - heavy

    (tmp_path / "q").write_text("a 0 a 1\n")
    (tmp_path / "r").write_text("a Q0 a 1 0.0 run\n")
    data = {"qrels": str(tmp_path / "q"), "run": str(tmp_path / "r")}
    facts = primary.describe(data, {})
    told(BY_NAME[name], Case("s", data, {}, facts, tuple(keys_owed(facts, {}))))


@pytest.mark.parametrize("name", IN_PROCESS)
def test_no_library_falls_silent_on_a_single_criterion(name: str, tmp_path: Path) -> None:
    import reference  # noqa: PLC0415 - like the primary

    file = tmp_path / "d.jsonl"
    file.write_text('{"post_id":"p","criterion_id":"A","candidates":[],"gold":[],"prob":0.0}\n')
    case = case_of(file, {})
    answer = told(BY_NAME[name], case)
    truth = reference.evaluate(str(file), {})
    assert compare((name, "reference"), answer.ledger, truth).differences == ()


def test_scipy_called_by_name_draws_intervals_within_chance(run_gate: Any, errors_of: Any) -> None:
    outcome = run_gate(witnesses=choose(["scipy"]), resamples=500)
    assert errors_of(outcome) == set()
    [scipy] = [one for one in outcome.evidence[0].statements if one.name == "scipy"]
    assert isinstance(scipy.answer, Testimony)
    drawn = scipy.answer.drawn
    assert "auroc|all_queries|all|ci_low/query/percentile" in drawn
    assert "ndcg@10|positives_only|all|ci_high/query/percentile" in drawn
    assert set(drawn) <= set(outcome.evidence[0].case.intervals)
    assert "resamples of its own" in (scipy.answer.note or "")


def test_scipy_is_asked_where_scikit_learn_has_loaded_it() -> None:
    assert task_of(BY_NAME["scipy"], ()).after == "scikit-learn"
    assert task_of(choose(["scipy"])[-1], ()).after == "scikit-learn"


def test_the_implementations_are_always_asked() -> None:
    assert [one.name for one in choose(["trec_eval"])] == ["primary", "reference", "trec_eval"]
    assert choose([]) == STANDARD
    assert [one.name for one in choose([], ["m:f"])][-1] == "m:f"


def test_a_users_function_is_a_witness(
    tmp_path: Path, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine_of_the_test.py").write_text(
        "def good(data, settings):\n    return {'auroc|all_queries|all|value': 0.5}\n"
        "def typed(data, settings):\n    return {'auroc|all_queries|all|value': '0.5'}\n"
        "def keyless(data, settings):\n    return {'auroc': 0.5}\n"
        "def listed(data, settings):\n    return [1]\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    answer = told(own("mine_of_the_test:good"), case)
    assert answer.ledger == {"auroc|all_queries|all|value": 0.5}
    for name, words in (
        ("typed", "expected a plain int or float"),
        ("keyless", "is not a key"),
        ("listed", "expected a mapping"),
        ("absent", "no attribute"),
    ):
        silent = ask(own(f"mine_of_the_test:{name}").testify, case)
        assert isinstance(silent, Silence)
        assert words in silent.reason
