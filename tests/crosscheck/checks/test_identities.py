"""Sections 11.2 and 11.4: what holds between numbers whatever the data."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.checks import Evidence, Result, Statement, confusion, identities
from crosscheck.checks.identities import Conditions, judge_instance, mcc
from crosscheck.contract import Instance
from crosscheck.contract.model import Identity
from crosscheck.model.findings import finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.data.case import Case

    CaseOf = Callable[..., Case]
    Said = Callable[..., Statement]


def instance(kind: str, *terms: str, **rest: Any) -> Instance:
    factor = rest.pop("factor", 1)
    identity = Identity("id", kind, terms, "text", "11.4", factor=factor)
    return Instance(identity, kind, terms, **rest)


def broken(kind: str, *values: float, **rest: Any) -> str:
    """Judge an identity whose terms are called a, b, c … and hold these values."""
    ledger = dict(zip("abcd", values, strict=False)) | rest.pop("beside", {})
    return judge_instance(instance(kind, *"abcd"[: len(values)], **rest), ledger)


def test_equals_are_equal_exactly() -> None:
    assert broken("equal", 0.5, 0.5, 0.5 + 9e-10) == ""
    assert broken("equal", 3, 3.0) == ""
    assert broken("equal", 0.5, 0.501) == "a is 0.5 and b is 0.501"
    assert broken("equal", 0.5, 0.5, 0.25) == "a is 0.5 and c is 0.25"


def test_order_is_kept_within_1e_9() -> None:
    assert broken("le", 0.25, 0.5, 0.5) == ""
    assert broken("le", 0.5 + 9e-10, 0.5) == ""
    assert broken("le", 0.5 + 1.5e-9, 0.5) == "a is 0.5000000015 and b is 0.5"
    assert broken("le", 0.25, 0.5, 0.375) == "b is 0.5 and c is 0.375"


def test_order_is_kept_within_1e_9_of_the_larger_value() -> None:
    assert broken("le", 1e9 + 1, 1e9) == ""
    assert broken("le", 1e9 + 2, 1e9) == "a is 1000000002 and b is 1000000000"


def test_what_is_no_number_has_no_order() -> None:
    assert broken("le", math.nan, 0.5) == "a is nan and b is 0.5"
    assert broken("le", 0.5, math.nan) == "a is 0.5 and b is nan"


def test_parts_add_up() -> None:
    assert broken("sum", 0.25, 0.75, total="1") == ""
    assert broken("sum", 0.25, 0.5, total="1") == "a = 0.25, b = 0.5 give 0.75, and 1 is due"
    assert broken("sum", 2, 3, total="n", beside={"n": 5}) == ""
    assert broken("sum", 2, 3, total="n", beside={"n": 6}) == "a = 2, b = 3 give 5, and n is 6"


def test_a_mean_is_the_mean() -> None:
    assert broken("mean", 0.25, 0.75, total="m", beside={"m": 0.5}) == ""
    told = "a = 0.25, b = 0.75 give 0.5, and m is 1"
    assert broken("mean", 0.25, 0.75, total="m", beside={"m": 1.0}) == told


def test_f1_is_the_harmonic_mean() -> None:
    # 2 · 0.5 · 0.25 / 0.75
    assert broken("harmonic", 0.5, 0.25, total="f", beside={"f": 1 / 3}) == ""
    told = "a = 0.5, b = 0.25 give 0.3333333333, and f is 0.5"
    assert broken("harmonic", 0.5, 0.25, total="f", beside={"f": 0.5}) == told
    assert broken("harmonic", 0.0, 0.0, total="f", beside={"f": 0.0}) == ""


def test_a_ratio_has_its_factor_and_its_denominator() -> None:
    beside = {"x": 3, "y": 5, "r": 250.0}
    assert broken("ratio", 2, over=("x", "y"), total="r", factor=1000, beside=beside) == ""
    told = "a = 2 give 0.25, and r is 250"
    assert broken("ratio", 2, over=("x", "y"), total="r", beside=beside) == told


def test_a_ratio_to_nothing_is_zero() -> None:
    beside = {"x": 0, "r": 0.0}
    assert broken("ratio", 2, over=("x",), total="r", beside=beside) == ""


def test_matthews_correlation_of_four_counts() -> None:
    # (6·3 − 1·2) / √(7·8·4·5)
    assert mcc(6, 1, 3, 2) == 16 / math.sqrt(1120)
    assert mcc(3, 0, 0, 0) == 0.0
    assert mcc(10**10, 0, 10**10, 0) == 1.0
    assert broken("mcc", 6, 1, 3, 2, total="m", beside={"m": 16 / math.sqrt(1120)}) == ""


def test_matthews_correlation_of_what_is_no_count_is_no_number() -> None:
    told = "a = inf, b = 1, c = 3, d = 2 give nan, and m is 0.5"
    assert broken("mcc", math.inf, 1, 3, 2, total="m", beside={"m": 0.5}) == told


def test_a_kind_of_identity_that_no_check_knows_is_refused() -> None:
    message = "^the contract names a kind of identity that no check knows: cubic$"
    with pytest.raises(ValueError, match=message):
        broken("cubic", 0.5, total="1")


def values(**given: float) -> dict[str, float]:
    return {f"{metric}|all_queries|all|value": value for metric, value in given.items()}


@pytest.mark.parametrize(
    ("ledger", "rule", "text", "section"),
    [
        (
            {"auroc/strict": 0.75, "auroc": 0.5},
            "XC622",
            "ties can only add to AUROC, but {0} is 0.75 and {1} is 0.5",
            "11.4",
        ),
        (
            {"tpr@fpr=1%": 0.75, "tpr@fpr=5%": 0.5},
            "XC623",
            "a larger budget of false positives never lowers TPR, but {0} is 0.75 and {1} is 0.5",
            "4",
        ),
        (
            {"sensitivity": 0.25, "specificity": 0.75, "balanced_accuracy": 0.75},
            "XC621",
            (
                "balanced accuracy is the mean of sensitivity and specificity, "
                "but {0} = 0.25, {1} = 0.75 give 0.5, and {2} is 0.75"
            ),
            "4",
        ),
    ],
)
def test_a_broken_identity_is_told(
    bare: CaseOf, said: Said, *, ledger: dict[str, float], rule: str, text: str, section: str
) -> None:
    case = bare()
    keys = values(**ledger)
    both = said("primary", keys, case), said("reference", keys, case)
    found = identities.check(Evidence(case, both))
    message = f"primary: {text.format(*keys)}"
    told = finding(rule, message, system="study", key=next(iter(keys)), section=section)
    assert found == Result(2, (told,))


def test_the_reference_is_told_where_it_alone_breaks_an_identity(bare: CaseOf, said: Said) -> None:
    case = bare()
    right = values(**{"auroc/strict": 0.25, "auroc": 0.5})
    wrong = values(**{"auroc/strict": 0.75, "auroc": 0.5})
    both = said("primary", right, case), said("reference", wrong, case)
    [found] = identities.check(Evidence(case, both)).findings
    assert found.message.startswith("reference: ties can only add")


def test_every_broken_identity_is_told(bare: CaseOf, said: Said) -> None:
    case = bare()
    ledger = values(**{"auroc/strict": 0.75, "auroc": 0.5, "tpr@fpr=1%": 0.75, "tpr@fpr=5%": 0.5})
    found = identities.check(Evidence(case, (said("primary", ledger, case),)))
    assert [one.rule for one in found.findings] == ["XC622", "XC623"]


def test_what_follows_the_confusion_matrix_is_judged(bare: CaseOf, said: Said) -> None:
    case = bare()
    counts = values(tn=1, fp=1, specificity=0.5)
    ledger = counts | values(sensitivity=0.25, balanced_accuracy=0.375)
    assert identities.check(Evidence(case, (said("primary", ledger, case),))) == Result(1, ())


def test_the_confusion_matrix_is_judged_by_its_own_group(bare: CaseOf, said: Said) -> None:
    case = bare()
    ledger = values(tn=1, fp=1, specificity=0.25)
    evidence = Evidence(case, (said("primary", ledger, case),))
    skipped = Result(0, (), "nothing of the kind in these data")
    assert identities.check(evidence) == skipped


def row(number: int, **cells: Any) -> dict[str, Any]:
    return {"post_id": f"p{number}", "criterion_id": "c", "fold": number % 2} | cells


CONDITIONS = {
    "negative_exists": ({"has_evidence": 0}, {"has_evidence": 1}),
    "positive_exists": ({"has_evidence": 1}, {"has_evidence": 0}),
    "every_passed_query_returns": (
        {"pred": 1, "selected": ["u"]},
        {"pred": 1, "selected": []},
    ),
}


def conditions(case: Case, said: Said, *slices: str) -> Conditions:
    ledger = {f"auroc|all_queries|{part}|value": 0.5 for part in slices}
    statement = said("primary", ledger, case)
    return Conditions(Evidence(case, (statement,)), statement)


def holds(condition: str, found: Conditions, part: str) -> bool:
    identity = Identity("id", "sum", ("a",), "text", "11.4", condition=condition)
    return found.hold(Instance(identity, "sum", (f"a|all_queries|{part}|value",)))


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_holds_slice_by_slice_and_on_folds_in_each(
    case_of: CaseOf, said: Said, condition: str
) -> None:
    met, unmet = CONDITIONS[condition]
    other = {"has_evidence": 1, "pred": 0, "selected": [], "candidates": ["u"]}
    case = case_of(row(0, **(other | met)), row(1, **(other | unmet)))
    found = conditions(case, said, "fold=0", "fold=1", "all")
    assert holds(condition, found, "fold=0")
    assert not holds(condition, found, "fold=1")
    assert not holds(condition, found, "folds")
    assert holds(condition, found, "all") is (condition != "every_passed_query_returns")
    assert holds(condition, conditions(case, said, "fold=0", "all"), "folds")


def test_a_query_that_the_gate_stops_need_not_return(case_of: CaseOf, said: Said) -> None:
    case = case_of(row(0, has_evidence=1, pred=0, selected=[], candidates=["u"]))
    assert holds("every_passed_query_returns", conditions(case, said), "all")


def test_criteria_are_asked_one_by_one(case_of: CaseOf, said: Said) -> None:
    case = case_of(
        row(0, has_evidence=0),
        row(0, has_evidence=1, criterion_id="d"),
    )
    found = conditions(case, said, "criterion=c", "criterion=d", "fold=0")
    assert not holds("negative_exists", found, "criteria")
    assert holds("negative_exists", conditions(case, said, "criterion=c"), "criteria")


def test_a_slice_without_queries_carries_no_identity_of_rates(case_of: CaseOf, said: Said) -> None:
    case = case_of(row(0, has_evidence=0))
    found = conditions(case, said)
    assert holds("query_exists", found, "fold=0")
    assert not holds("query_exists", found, "fold=1")


def test_labels_agree_where_none_contradicts_the_gold(bare: CaseOf, said: Said) -> None:
    for count, agree in ((0, True), (1, False)):
        case = bare(facts={"contradictions": {"has_evidence": count}})
        assert holds("labels_agree", conditions(case, said), "all") is agree


def test_no_condition_holds_always(bare: CaseOf, said: Said) -> None:
    assert holds("", conditions(bare(), said), "all")


def test_a_condition_that_no_check_knows_is_refused(case_of: CaseOf, said: Said) -> None:
    found = conditions(case_of(row(0, has_evidence=0)), said)
    message = "^the contract names a condition that no check knows: full_moon$"
    with pytest.raises(ValueError, match=message):
        holds("full_moon", found, "all")


def test_a_condition_is_looked_up_once_per_slice(case_of: CaseOf, said: Said) -> None:
    found = conditions(case_of(row(0, has_evidence=0)), said)
    found.known["positive_exists", "all"] = True
    assert holds("positive_exists", found, "all")
    assert not holds("positive_exists", found, "fold=0")
    assert found.known["positive_exists", "fold=0"] is False


def test_an_identity_is_not_asserted_where_its_condition_fails(case_of: CaseOf, said: Said) -> None:
    ledger = values(specificity=0.0, fpr=0.0)
    for label, examined in ((0, 1), (1, 0)):
        case = case_of(row(0, has_evidence=label))
        found = identities.check(Evidence(case, (said("primary", ledger, case),)))
        assert found.examined == examined
        assert len(found.findings) == examined


def counted(tp: int, fp: int, tn: int, fn: int, prefix: str = "") -> dict[str, int]:
    names = ("tp", "fp", "tn", "fn")
    cells = zip(names, (tp, fp, tn, fn), strict=True)
    return {f"{prefix}{name}|all_queries|all|value": count for name, count in cells}


@pytest.fixture
def three(case_of: CaseOf) -> Case:
    """Give three queries, of which the first alone has evidence."""
    return case_of(*[row(0, criterion_id=c, has_evidence=int(c == "a")) for c in "abc"])


def told(rule: str, message: str, key: str) -> Any:
    return finding(rule, message, system="study", key=f"{key}|all_queries|all|value")


def test_four_counts_that_are_those_of_the_data_pass(three: Case, said: Said) -> None:
    ledger = counted(1, 1, 1, 0) | counted(0, 0, 2, 1, "deployment_")
    ledger["queries|all_queries|all|n"] = 3
    evidence = Evidence(three, (said("primary", ledger, three), said("reference", ledger, three)))
    # Each of two: twice four cells against all queries, twice against the labels.
    assert confusion.check(evidence) == Result(8, ())


def test_four_counts_that_lose_a_query_are_told(three: Case, said: Said) -> None:
    ledger = counted(1, 1, 1, 0) | {"queries|all_queries|all|n": 4}
    evidence = Evidence(three, (said("primary", ledger, three),))
    keys = ", ".join(
        f"{name}|all_queries|all|value = {ledger[f'{name}|all_queries|all|value']}"
        for name in ("tp", "fp", "tn", "fn")
    )
    message = (
        f"primary: the four cells add up to all queries, but {keys} give 3, "
        "and queries|all_queries|all|n is 4"
    )
    assert confusion.check(evidence) == Result(2, (told("XC611", message, "tp"),))


def test_two_counts_that_are_not_the_positives_are_told(case_of: CaseOf, said: Said) -> None:
    rows = [row(0, criterion_id=c, has_evidence=1, gold=["u"], candidates=["u"]) for c in "ab"]
    case = case_of(*rows)
    ledger = {"tp|all_queries|all|value": 1, "fn|all_queries|all|value": 1}
    ledger["queries|positives_only|all|n"] = 3
    message = (
        "primary: the positives are found or missed, but tp|all_queries|all|value = 1, "
        "fn|all_queries|all|value = 1 give 2, and queries|positives_only|all|n is 3"
    )
    evidence = Evidence(case, (said("primary", ledger, case),))
    assert confusion.check(evidence) == Result(2, (told("XC612", message, "tp"),))


def test_a_rate_that_does_not_follow_from_the_counts_is_told(three: Case, said: Said) -> None:
    ledger = counted(1, 1, 1, 0) | values(specificity=0.25)
    message = (
        "primary: specificity = tn / (tn + fp), but tn|all_queries|all|value = 1 give 0.5, "
        "and specificity|all_queries|all|value is 0.25"
    )
    evidence = Evidence(three, (said("primary", ledger, three),))
    assert confusion.check(evidence) == Result(2, (told("XC613", message, "tn"),))


@pytest.mark.parametrize("prefix", ["", "deployment_"])
def test_labels_turned_round_are_told(three: Case, said: Said, prefix: str) -> None:
    ledger = values(auroc=0.5) | counted(1, 1, 0, 1, prefix)
    cells = ", ".join(f"{prefix}{name}" for name in ("tp", "fp", "tn", "fn"))
    message = f"primary, all: {cells} give 2 positives and 1 negatives; the data have 1 and 2"
    evidence = Evidence(three, (said("primary", ledger, three),))
    assert confusion.check(evidence) == Result(1, (told("XC612", message, f"{prefix}tp"),))


def test_labels_are_counted_slice_by_slice(three: Case, said: Said) -> None:
    ledger = {"tp|all_queries|criterion=a|value": 1, "fn|all_queries|criterion=a|value": 0}
    evidence = Evidence(three, (said("primary", ledger, three),))
    assert confusion.check(evidence) == Result(1, ())
    lost = {"tn|all_queries|criterion=b|value": 1, "tp|all_queries|criterion=b|value": 1}
    evidence = Evidence(three, (said("primary", lost, three),))
    [found] = confusion.check(evidence).findings
    assert found.message.endswith("give 1 positives and 1 negatives; the data have 0 and 1")


def test_labels_of_a_sample_are_counted_in_the_sample(case_of: CaseOf, said: Said) -> None:
    from crosscheck.data.case import Case  # noqa: PLC0415 - only here

    whole = case_of(*[row(0, post_id=f"q{n}", has_evidence=1) for n in range(8)])
    sample = Case("study", whole.data, {"sample": 2}, whole.facts, (), scope="1 in 2 posts")
    evidence = Evidence(whole, (said("primary", counted(8, 0, 0, 0), sample),))
    [found] = confusion.check(evidence).findings
    assert found.message.startswith("primary/sample, all: ")
    assert "give 8 positives and 0 negatives" in found.message
