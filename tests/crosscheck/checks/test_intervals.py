"""Section 10: resamples that both compute, fall-backs, and a library's own draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from crosscheck.checks import Evidence, Result, Statement, intervals
from crosscheck.model.findings import finding
from crosscheck.witnesses import Silence
from crosscheck.witnesses.resampling import Intervals, Replicate

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.data.case import Case

    Bare = Callable[..., Case]
    Said = Callable[..., Statement]

KEY = "auroc|all_queries|all|value"
LOW = "auroc|all_queries|all|ci_low/query/percentile"
HIGH = "auroc|all_queries|all|ci_high/query/percentile"


def positives(count: int) -> dict[str, Any]:
    return {"queries": {"positives_only": count}}


def test_intervals_that_nobody_asked_for_are_skipped(bare: Bare) -> None:
    skipped = Result(0, (), "intervals were not asked for (--intervals)")
    assert intervals.check(Evidence(bare(), ())) == skipped


def test_intervals_that_could_not_be_computed_are_told(bare: Bare) -> None:
    told = finding("XC991", "no intervals were computed: out of memory", system="study")
    evidence = Evidence(bare(), (), intervals=Silence("out of memory"))
    assert intervals.check(evidence) == Result(0, (told,))


@pytest.mark.parametrize(
    ("kind", "wrong", "rule", "what"),
    [
        ("replicates", True, "XC403", "resample 7"),
        ("replicates", False, "XC402", "resample 7"),
        ("jackknife", True, "XC403", "leaving out post 7"),
    ],
)
def test_a_resample_that_differs_is_told(
    bare: Bare, *, kind: str, wrong: bool, rule: str, what: str
) -> None:
    off = Replicate("post", kind, KEY, 7, 0.5, 0.625, wrong=wrong)
    evidence = Evidence(bare(), (), intervals=Intervals({}, differing=(off,), recomputed=3))
    told = finding(
        rule,
        f"{KEY} by post, {what}: primary 0.5, reference 0.625",
        system="study",
        key=KEY,
        values={"primary": 0.5, "reference": 0.625},
        difference=0.2,
    )
    assert intervals.check(evidence) == Result(3, (told,))


def test_a_fall_back_of_one_side_only_is_told(bare: Bare) -> None:
    heard = Intervals({}, flags=frozenset("abc"), reference_flags=frozenset("bd"), recomputed=2)
    message = "{}: only the {} fell back to the percentile interval"
    assert intervals.check(Evidence(bare(), (), intervals=heard)) == Result(
        5,
        tuple(
            finding("XC404", message.format(key, who), system="study", key=key)
            for key, who in (("a", "primary"), ("c", "primary"), ("d", "reference"))
        ),
    )


def drawing(bare: Bare, said: Said, drawn: dict[str, tuple[float, int]]) -> Evidence:
    """Let the primary's interval be [0.5, 0.5] with four positives: chance explains 1/4."""
    case = bare(facts=positives(4))
    silent = Statement(said("ranx", {}, case, "library").witness, case, Silence("was asleep"))
    ours = said("primary", {LOW: 0.5, HIGH: 0.5, "alone|a|all|ci_low/post/bca": 0.5}, case)
    theirs = said("scipy", {}, case, "library", drawn=drawn)
    return Evidence(case, (silent, ours, theirs), intervals=Intervals({}), resamples=100)


def test_an_end_that_chance_explains_passes(bare: Bare, said: Said) -> None:
    evidence = drawing(bare, said, {LOW: (0.75, 1000), HIGH: (0.25, 1000)})
    assert intervals.check(evidence) == Result(2, ())


def test_an_end_that_chance_does_not_explain_is_told(bare: Bare, said: Said) -> None:
    drawn = {
        "unknown|a|all|ci_low/post/bca": (9.0, 1000),
        "alone|a|all|ci_low/post/bca": (9.0, 1000),
        LOW: (0.5, 1000),
        HIGH: (0.875, 1000),
    }
    told = finding(
        "XC503",
        f"{HIGH}: primary 0.5, scipy 0.875 from 1,000 resamples of its own; chance explains 0.25",
        system="study",
        key=HIGH,
        values={"primary": 0.5, "scipy": 0.875},
    )
    assert intervals.check(drawing(bare, said, drawn)) == Result(2, (told,))


def test_an_interval_may_be_all_that_the_primary_says(bare: Bare, said: Said) -> None:
    case = bare(facts=positives(4))
    ours = said("primary", {LOW: 0.5, HIGH: 0.5}, case)
    theirs = said("scipy", {}, case, "library", drawn={LOW: (0.5, 1000)})
    evidence = Evidence(case, (ours, theirs), intervals=Intervals({}), resamples=100)
    assert intervals.check(evidence) == Result(1, ())


@pytest.mark.parametrize("key", [LOW, HIGH])
def test_chance_is_five_standard_errors_and_one_query(bare: Bare, said: Said, key: str) -> None:
    case = bare(facts=positives(50))
    ours = said("primary", {LOW: 0.3, HIGH: 0.692}, case)
    # σ = 0.392 / 3.92 = 0.1; an end's standard error 2.67 σ √(1/100 + 1/300); one query 1/50
    expected = 5 * 2.67 * 0.1 * (1 / 100 + 1 / 300) ** 0.5 + 1 / 50
    evidence = Evidence(case, (ours,), resamples=300)
    assert intervals.chance(evidence, key, 100) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("count", [0, 1])
def test_chance_is_never_more_than_a_whole_query(bare: Bare, said: Said, count: int) -> None:
    case = bare(facts=positives(count))
    evidence = Evidence(case, (said("primary", {LOW: 0.5, HIGH: 0.5}, case),), resamples=300)
    assert intervals.chance(evidence, LOW, 100) == 1.0
