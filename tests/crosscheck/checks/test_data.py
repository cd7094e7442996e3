"""Sections 1, 11.6 to 11.9: what the data themselves show, each rule for its own reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.checks.splits import belonging, choose
from crosscheck.report.assemble import report_of
from crosscheck.witnesses import Silence, Testimony
from crosscheck.witnesses.implementations import PRIMARY, REFERENCE
from crosscheck.witnesses.resampling import Intervals, Replicate

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.gate import Outcome

    Row = dict[str, Any]
    Run = Callable[..., Outcome]

PLAIN = "threshold = 0.5\ntau_neg = 0.2\ntau_pos = 0.8\nk = [1, 10]\nfpr = [5]\ngamma = [0.9]\n"


def evaluated(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["split"] == "EVAL"]


def place_of(outcome: Outcome, rule: str) -> str:
    [found] = [one for one in report_of(outcome).findings if one.rule == rule]
    return found.place or ""


def test_a_label_against_the_gold_is_found_where_it_is(
    run_gate: Run, errors_of: Any, rows: list[Row]
) -> None:
    row = next(row for row in rows if row["gold"])
    row["has_evidence"] = 0
    outcome = run_gate(rows)
    assert "XC101" in errors_of(outcome)
    assert place_of(outcome, "XC101").startswith(
        f"post {row['post_id']}, criterion {row['criterion_id']}"
    )


def test_a_state_against_the_thresholds_is_found(
    run_gate: Run, errors_of: Any, rows: list[Row]
) -> None:
    for row in rows:
        row["state"] = "NEG" if row["prob"] < 0.2 else "POS" if row["prob"] >= 0.8 else "UNCERTAIN"
    assert errors_of(run_gate(rows)) == set()
    row = evaluated(rows)[3]
    row["state"] = "POS" if row["state"] != "POS" else "NEG"
    outcome = run_gate(rows)
    assert errors_of(outcome) == {"XC102"}
    assert place_of(outcome, "XC102").startswith(f"post {row['post_id']}")


def test_a_decision_against_the_threshold_is_found(
    run_gate: Run, errors_of: Any, rows: list[Row]
) -> None:
    for row in rows:
        row["pred"] = int(row["prob"] >= 0.5)
    assert errors_of(run_gate(rows)) == set()
    evaluated(rows)[5]["pred"] ^= 1
    assert errors_of(run_gate(rows)) == {"XC103"}


def test_gold_outside_the_candidates_is_legal_and_counted(run_gate: Run, rules_of: Any) -> None:
    outcome = run_gate()
    assert "XC107" in rules_of(outcome)
    assert outcome.verdict == "pass"


def test_ties_that_move_a_number_are_told(run_gate: Run, rules_of: Any, rows: list[Row]) -> None:
    assert "XC108" in rules_of(run_gate(rows))
    for row in evaluated(rows):
        row["scores"] = [float(-place) for place in range(len(row["candidates"]))]
    assert "XC108" not in rules_of(run_gate(rows))


def test_data_without_gold_are_told(run_gate: Run, rules_of: Any, rows: list[Row]) -> None:
    for row in rows:
        row["gold"] = []
        row["has_evidence"] = 0
    assert "XC109" in rules_of(run_gate(rows))


def test_selections_outside_the_bounds_are_told(
    run_gate: Run, rules_of: Any, rows: list[Row]
) -> None:
    row = next(row for row in evaluated(rows) if row["prob"] >= 0.5 and len(row["candidates"]) > 1)
    row["selected"] = row["candidates"]
    assert "XC110" in rules_of(run_gate(rows))


def test_queries_without_judgements_are_counted(tmp_path: Any, rules_of: Any) -> None:
    from crosscheck import gate  # noqa: PLC0415 - only here
    from crosscheck.config import Config, systems  # noqa: PLC0415 - only here

    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "r").write_text("1 Q0 a 1 2.0 x\n1 Q0 b 2 1.0 x\n2 Q0 a 1 1.0 x\n")
    files = {"qrels": str(tmp_path / "q"), "run": str(tmp_path / "r")}
    request = gate.Request(
        sources=systems.choose(Config(), data=files),
        config=Config(),
        witnesses=(PRIMARY, REFERENCE),
        processes=False,
    )
    outcome = gate.run(request)
    assert "XC106" in rules_of(outcome)
    assert outcome.verdict == "pass"


@pytest.mark.parametrize(
    ("declared", "rule"),
    [
        ("posts = 11", "XC201"),
        ('criteria = ["A.1", "A.3"]', "XC202"),
        ("queries = 23", "XC203"),
        ("with_evidence = 1", "XC204"),
        ("without_evidence = 1", "XC204"),
        ("posts_per_fold = [6, 5]", "XC205"),
        ("queries_per_fold = [12, 11]", "XC205"),
        ("mean_candidates = [18, 22]", "XC206"),
        ("view_queries = { one = 11 }", "XC207"),
    ],
)
def test_a_declared_number_that_the_data_do_not_have_fails(
    run_gate: Run, errors_of: Any, declared: str, rule: str
) -> None:
    config = f'{PLAIN}[views]\none = ["A.1"]\n[profile]\n{declared}\n'
    assert errors_of(run_gate(config=config)) == {rule}


def test_a_true_profile_passes(run_gate: Run, errors_of: Any) -> None:
    profile = """
        [views]
        one = ["A.1"]
        [profile]
        posts = 12
        queries = 24
        criteria = ["A.1", "A.2"]
        posts_per_fold = [6, 6]
        queries_per_fold = [12, 12]
        mean_candidates = [5, 6]
        view_queries = { one = 12 }
        shared_candidates = true
        uid_pattern = "{post_id}_*"
    """
    outcome = run_gate(config=PLAIN + profile)
    assert errors_of(outcome) == set()
    [check] = [one for one in report_of(outcome).systems[0].checks if one.group == "profile"]
    assert (check.status, check.examined) == ("passed", 8)


def test_criteria_of_a_post_with_different_candidates(
    run_gate: Run, errors_of: Any, rules_of: Any, rows: list[Row]
) -> None:
    row = evaluated(rows)[2]
    row["candidates"] = [*row["candidates"][:-1], f"{row['post_id']}_77"]
    assert "XC808" in rules_of(run_gate(rows))
    config = f"{PLAIN}[profile]\nshared_candidates = true\n"
    outcome = run_gate(rows, config=config)
    assert errors_of(outcome) == {"XC208"}
    assert place_of(outcome, "XC208") == f"post {row['post_id']}"


def test_a_post_in_two_folds_is_found(run_gate: Run, errors_of: Any, rows: list[Row]) -> None:
    for row in rows:
        if row["post_id"] == "p13":
            row["post_id"] = "p03"
            row["candidates"] = [uid.replace("p13", "p03") for uid in row["candidates"]]
            row["selected"] = [uid.replace("p13", "p03") for uid in row["selected"]]
            row["gold"] = [uid.replace("p13", "p03") for uid in row["gold"]]
    outcome = run_gate(rows)
    assert errors_of(outcome) == {"XC801"}
    assert place_of(outcome, "XC801") == "post p03"


@pytest.mark.parametrize("split", ["TUNE", "TRAIN"])
def test_a_post_in_two_splits_of_a_fold_is_found(
    run_gate: Run, errors_of: Any, rows: list[Row], split: str
) -> None:
    row = dict(next(row for row in rows if row["split"] == "TUNE"))
    row |= {"post_id": "p00", "split": split}
    outcome = run_gate([*rows, row])
    assert errors_of(outcome) == {"XC802"}
    assert place_of(outcome, "XC802") == "post p00"


def test_a_post_of_another_folds_tune_rows_is_allowed(
    run_gate: Run, errors_of: Any, rows: list[Row]
) -> None:
    row = dict(next(row for row in rows if row["split"] == "TUNE" and row["fold"] == 1))
    outcome = run_gate([*rows, row | {"post_id": "p00"}])
    assert errors_of(outcome) == set()


def tuned(rows: list[Row], fold: int | None) -> float:
    from fractions import Fraction  # noqa: PLC0415 - only here

    tune = [row for row in rows if row["split"] == "TUNE" and fold in {None, row["fold"]}]
    return choose(
        [bool(row["has_evidence"]) for row in tune], [r["prob"] for r in tune], Fraction(40)
    )


def test_a_threshold_that_tune_gives_passes_and_another_fails(
    run_gate: Run, errors_of: Any, rows: list[Row]
) -> None:
    right = {fold: tuned(rows, fold) for fold in (0, 1)}
    config = 'rule = "fpr<=40%"\n[threshold]\n0 = {}\n1 = {}\n'
    assert errors_of(run_gate(rows, config=config.format(right[0], right[1]))) == set()
    outcome = run_gate(rows, config=config.format(right[0], right[1] + 0.01))
    assert errors_of(outcome) == {"XC803"}
    [found] = [one for one in report_of(outcome).findings if one.rule == "XC803"]
    assert "fold 1" in found.message
    assert found.values["TUNE"] == right[1]


def test_one_threshold_for_all_folds_is_chosen_on_all_tune_rows(
    run_gate: Run, errors_of: Any, rows: list[Row]
) -> None:
    config = f'rule = "fpr<=40%"\nthreshold = {tuned(rows, None)}\n'
    assert errors_of(run_gate(rows, config=config)) == set()


def test_a_rule_that_cannot_be_verified_is_an_error(
    run_gate: Run, errors_of: Any, rows: list[Row]
) -> None:
    outcome = run_gate(evaluated(rows), config='rule = "fpr<=5%"\nthreshold = 0.5\n')
    assert errors_of(outcome) == {"XC804"}


@pytest.mark.parametrize(
    ("labels", "probs", "alpha", "threshold"),
    [
        ([1, 0, 1, 0, 1, 0], [0.9, 0.9, 0.7, 0.7, 0.5, 0.5], 70, 0.7),
        ([1, 0], [0.4, 0.6], 5, float("inf")),
        ([1, 1, 0], [0.9, 0.8, 0.1], 0, 0.8),
        ([0] * 20 + [1], [*[n / 100 for n in range(20)], 0.185], 5, 0.185),  # 1/20 is 5 %, T16
        ([0, 0], [0.1, 0.2], 5, float("inf")),
        ([1, 1], [0.1, 0.2], 5, 0.1),
    ],
)
def test_the_threshold_rule(
    labels: list[int], probs: list[float], alpha: int, threshold: float
) -> None:
    from fractions import Fraction  # noqa: PLC0415 - only here

    assert choose([bool(one) for one in labels], probs, Fraction(alpha)) == threshold


def test_a_candidate_of_another_post_is_found(
    run_gate: Run, errors_of: Any, rows: list[Row]
) -> None:
    config = f'{PLAIN}[profile]\nuid_pattern = "{{post_id}}_*"\n'
    assert errors_of(run_gate(rows, config=config)) == set()
    row = evaluated(rows)[4]
    row["candidates"] = [*row["candidates"][:-1], "p99_1"]
    outcome = run_gate(rows, config=config)
    assert errors_of(outcome) == {"XC805"}
    assert place_of(outcome, "XC805").startswith(f"post {row['post_id']}")


def test_gold_of_another_post_is_found(run_gate: Run, errors_of: Any, rows: list[Row]) -> None:
    config = f'{PLAIN}[profile]\nuid_pattern = "{{post_id}}_*"\n'
    row = next(row for row in rows if row["gold"])
    row["gold"] = [*row["gold"], "p99_1"]
    assert errors_of(run_gate(rows, config=config)) == {"XC806"}


@pytest.mark.parametrize(
    ("uid", "pattern", "post", "answer"),
    [
        ("p1_3", "{post_id}_*", "p1", True),
        ("p11_3", "{post_id}_*", "p1", False),
        ("p*_3", "{post_id}_*", "p*", True),
        ("px_3", "{post_id}_*", "p*", False),
        ("s-p[1]-3", "s-{post_id}-?", "p[1]", True),
        ("s-p1-3", "s-{post_id}-?", "p[1]", False),
        ("anything", "any*", "p1", True),
    ],
)
def test_patterns_of_uids(uid: str, pattern: str, post: str, *, answer: bool) -> None:
    assert belonging(pattern)(uid, post) is answer


def test_shares_far_from_the_documents_are_advice(
    run_gate: Run, rules_of: Any, rows: list[Row]
) -> None:
    train = [
        dict(rows[0]) | {"split": "TRAIN", "post_id": f"r{n}", "fold": n % 2} for n in range(3)
    ]
    assert "XC807" in rules_of(run_gate([*rows, *train]))
    near = [
        dict(rows[0]) | {"split": "TRAIN", "post_id": f"r{n}", "fold": n % 2} for n in range(47)
    ]
    assert "XC807" not in rules_of(run_gate([*rows, *near]))


def test_a_probability_that_is_the_label_is_an_error(
    run_gate: Run, errors_of: Any, rows: list[Row]
) -> None:
    for row in rows:
        row["prob"] = row["has_evidence"]
    positives = sum(row["has_evidence"] for row in evaluated(rows))
    assert 8 <= positives <= 16
    assert errors_of(run_gate(rows)) == {"XC821"}


def test_a_column_that_separates_the_classes_is_told(
    run_gate: Run, rules_of: Any, rows: list[Row]
) -> None:
    for number, row in enumerate(rows):
        row["feature"] = number / 1000 - row["has_evidence"]
    outcome = run_gate(rows)
    assert "XC822" in rules_of(outcome)
    assert place_of(outcome, "XC822") == "column feature"
    next(row for row in rows if not row["has_evidence"])["feature"] = -5
    assert "XC822" not in rules_of(run_gate(rows))


def test_a_column_that_repeats_a_metric_is_told(
    run_gate: Run, rules_of: Any, rows: list[Row]
) -> None:
    outcome = run_gate(rows)
    values = outcome.evidence[0].per_query["map@10"]
    for row, value in zip(evaluated(rows), values, strict=True):
        row["extra"] = value
    for row in rows:
        row.setdefault("extra", 0.0)
    outcome = run_gate(rows)
    assert "XC823" in rules_of(outcome)
    [found] = [one for one in report_of(outcome).findings if one.rule == "XC823"]
    assert "map@" in found.message


def test_a_perfect_ranking_is_told(run_gate: Run, rules_of: Any, rows: list[Row]) -> None:
    for row in evaluated(rows):
        row["gold"] = [uid for uid in row["gold"] if uid in row["candidates"]]
        row["scores"] = [float(uid in row["gold"]) for uid in row["candidates"]]
    assert "XC824" in rules_of(run_gate(rows))


def claim(honest: dict[str, Any], change: float = 0.0) -> dict[str, Any]:
    value = honest["ndcg@10|positives_only|all|mean"] + change
    return {"positives_only": {"ndcg@10": round(value, 4)}}


def test_a_true_claim_holds_and_a_false_one_is_found(
    run_gate: Run, errors_of: Any, honest: dict[str, Any]
) -> None:
    outcome = run_gate(claims=claim(honest))
    assert errors_of(outcome) == set()
    assert [one.status for one in report_of(outcome).systems[0].claims] == ["holds"]
    outcome = run_gate(claims=claim(honest, 0.002))
    assert errors_of(outcome) == {"XC901"}
    assert "ndcg@10" in place_of(outcome, "XC901")
    assert "tolerance" in next(o.message for o in report_of(outcome).findings if o.rule == "XC901")


def test_a_claim_of_unknown_name_is_never_passed_over(
    run_gate: Run, errors_of: Any, honest: dict[str, Any]
) -> None:
    claims = claim(honest)
    claims["positives_only"]["ndgc@10"] = 0.5
    assert errors_of(run_gate(claims=claims)) == {"XC902"}


def test_claims_without_a_verifiable_number_are_an_error(run_gate: Run, errors_of: Any) -> None:
    assert errors_of(run_gate(claims={"wibble": 0.5})) == {"XC902", "XC903"}


def test_a_setting_that_is_not_in_force_is_an_error(
    run_gate: Run, errors_of: Any, honest: dict[str, Any]
) -> None:
    claims = claim(honest)
    claims["positives_only"]["skip_no_positives"] = False
    assert errors_of(run_gate(claims=claims)) == {"XC904"}


def test_claims_that_contradict_each_other_are_told(
    run_gate: Run, errors_of: Any, honest: dict[str, Any]
) -> None:
    claims = claim(honest) | {"table": claim(honest, 0.1)}
    assert errors_of(run_gate(claims=claims)) == {"XC901", "XC703"}


def test_a_target_that_is_not_met_is_advice(run_gate: Run, rules_of: Any) -> None:
    outcome = run_gate()
    assert "XC951" in rules_of(outcome)
    assert outcome.verdict == "pass"


def test_intervals_agree_on_the_small_data(run_gate: Run, errors_of: Any) -> None:
    outcome = run_gate(resamples=40)
    assert errors_of(outcome) == set()
    [check] = [one for one in report_of(outcome).systems[0].checks if one.group == "intervals"]
    assert check.status == "passed"
    assert check.examined > 1000
    assert (
        "auroc|all_queries|all|ci_low/post/percentile" in outcome.evidence[0].ledgers()["reference"]
    )


def heard_instead(monkeypatch: pytest.MonkeyPatch, answer: object) -> None:
    """Let the question about intervals be answered with this."""
    monkeypatch.setattr("crosscheck.witnesses.resampling.drawn", lambda *_: answer)


def test_a_resample_that_differs_is_an_error(
    run_gate: Run, errors_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "auroc|all_queries|all|value"
    off = Replicate("post", "replicates", key, 7, 0.8, 0.9, wrong=True)
    heard_instead(monkeypatch, Intervals({}, differing=(off,), recomputed=1))
    outcome = run_gate(resamples=40)
    assert "XC403" in errors_of(outcome)
    assert "XC301" in errors_of(outcome)


def test_intervals_that_fell_back_on_one_side_only_are_an_error(
    run_gate: Run, errors_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "auroc|all_queries|all|ci_low/post/bca"
    heard_instead(monkeypatch, Intervals({}, flags=frozenset({key})))
    assert "XC404" in errors_of(run_gate(resamples=40))


def test_intervals_that_could_not_be_computed_are_an_error(
    run_gate: Run, errors_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard_instead(monkeypatch, Silence("out of memory"))
    assert "XC991" in errors_of(run_gate(resamples=40))


def test_a_library_draws_its_own_intervals_and_is_judged_within_chance(
    run_gate: Run, errors_of: Any, lying: Any
) -> None:
    from crosscheck.witnesses import Witness  # noqa: PLC0415 - only here

    key = "auroc|all_queries|all|ci_low/query/percentile"
    end = run_gate(resamples=200).ledgers["data"]["primary"][key]
    del lying

    def drawing(value: float) -> Witness:
        told = Testimony({}, drawn={key: (value, 1000)})
        return Witness("scipy", "library", lambda case: told)  # noqa: ARG005 - the interface

    near = run_gate(resamples=200, witnesses=(PRIMARY, REFERENCE, drawing(end + 0.001)))
    assert "XC503" not in errors_of(near)
    far = run_gate(resamples=200, witnesses=(PRIMARY, REFERENCE, drawing(end - 0.6)))
    assert "XC503" in errors_of(far)


def test_a_waived_error_passes_and_is_shown_with_its_reason(
    run_gate: Run, errors_of: Any, honest: dict[str, Any]
) -> None:
    config = f'{PLAIN}[waivers]\nXC901 = "erratum of March"\n'
    outcome = run_gate(claims=claim(honest, 0.002), config=config)
    assert errors_of(outcome) == set()
    assert outcome.verdict == "pass"
    [found] = [one for one in report_of(outcome).findings if one.rule == "XC901"]
    assert found.waived == "erratum of March"
    assert "1 waived" in report_of(outcome).summary


def test_a_waiver_for_one_key_leaves_the_others(
    run_gate: Run, errors_of: Any, honest: dict[str, Any]
) -> None:
    config = f'{PLAIN}[waivers]\n"XC901 mrr@*" = "known since March"\n'
    outcome = run_gate(claims=claim(honest, 0.002), config=config)
    assert errors_of(outcome) == {"XC901"}
    assert "XC994" in {found.rule for found in report_of(outcome).findings}


def test_silence_cannot_be_waived(run_gate: Run, errors_of: Any) -> None:
    config = f'{PLAIN}[waivers]\nXC992 = "please"\nXC995 = "please"\n'
    outcome = run_gate(config=config, witnesses=(PRIMARY,))
    assert {"XC992", "XC995"} <= errors_of(outcome)
