"""Breaches of a policy: what authors may not ask for, and the policy that says so."""

from __future__ import annotations

from copy import deepcopy
from datetime import date
from typing import TYPE_CHECKING, Any

from crosscheck import policy as policies
from crosscheck.faults.data import Study

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.faults.grounds import Row
    from crosscheck.policy import Policy

    Breach = tuple[Callable[[Study], Study], dict[str, Any]]
    """What is done, and what the policy says beyond the standard one."""

TODAY = date(2027, 1, 31)
EXPIRED = {"reason": "an erratum is on its way", "expires": date(2027, 1, 30)}
POSTS = 10
"""What the excerpt of the study has."""


def gold_from_the_ranking(study: Study) -> Study:
    """Call the first candidate gold, in a column of its own."""
    made = study.mapped(lambda row: row | {"top1": row["candidates"][:1]})
    return made.configured(columns={"gold": "top1"})


def post_as_train(study: Study) -> Study:
    """Mark every row of the first post TRAIN."""
    post = study.rows[0]["post_id"]

    def change(row: Row) -> Row:
        return row | {"split": "TRAIN"} if row["post_id"] == post else row

    return Study([change(row) for row in study.rows], study.table)


def nothing(study: Study) -> Study:
    """Ask for nothing: it is the policy that asks for more."""
    return study


INJECT: dict[str, Breach] = {
    "tolerance-without-bounds": (lambda s: s.configured(tolerance=1e9), {}),
    "gold-read-from-the-ranking": (gold_from_the_ranking, {}),
    "waiver-without-a-reason": (lambda s: s.configured(waivers={"XC101": "."}), {}),
    "waiver-that-expired": (lambda s: s.configured(waivers={"XC101": EXPIRED}), {}),
    "witness-of-ones-own": (nothing, {"witnesses": {"allowed": []}}),
    "witness-left-out": (nothing, {"witnesses": {"required": ["trec_eval"]}}),
    "intervals-left-out": (nothing, {"intervals": True}),
    "seed-of-ones-choice": (nothing, {"seed": 20260119}),
    "cut-offs-of-ones-choice": (lambda s: s.configured(k=[7]), {"allowed": {"k": [1, 3, 5, 10]}}),
    "profile-of-ones-own": (
        lambda s: s.configured(profile=s.table["profile"] | {"posts": POSTS + 1}),
        {"profile": {"posts": POSTS}},
    ),
    "claims-withheld": (nothing, {"claims": {"least": 1}}),
    "gold-exchanged": (nothing, {"held": {"gold": ["0" * 64]}}),
    "hard-rows-as-train": (post_as_train, {"unevaluated": 0}),
}


def injected(fault: str, rows: tuple[Row, ...], table: dict[str, Any]) -> tuple[Study, Policy]:
    """Give the study as the fault leaves it, and the policy that it breaks."""
    inject, says = INJECT[fault]
    made = inject(Study(deepcopy(list(rows)), deepcopy(table)))
    return made, policies.from_table({"name": "trial", **says})
