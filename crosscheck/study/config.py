"""The study's `crosscheck.toml`: thresholds and the rule behind them, views, profile, systems."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from crosscheck.study.files import decimal_text
from crosscheck.study.gate import FPR_PERCENT, PLACES, TAU_NEG, TAU_POS, gate
from crosscheck.study.profile import (
    CRITERIA,
    DSM5,
    FOLD_POSTS,
    POSITIVES,
    POSTS,
    QUERIES,
    SYSTEMS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.study.profile import System

_TEMPLATE: Final = """\
# The built-in study of metric-crosscheck: generated, to the profile of the contract.

data = {data}

# The operating threshold of each fold, as its TUNE rows alone give it by this rule.
rule = "fpr<={percent}%"
# NEG below tau_neg, POS from tau_pos on, UNCERTAIN between.
tau_neg = {tau_neg}
tau_pos = {tau_pos}

[threshold]
{thresholds}

[views]
dsm5 = {dsm5}

[profile]
posts = {posts}
queries = {queries}
with_evidence = {with_evidence}
without_evidence = {without_evidence}
criteria = {criteria}
posts_per_fold = {posts_per_fold}
mean_candidates = [18, 22]
shared_candidates = true
uid_pattern = "{{post_id}}_*"
"""


def text(systems: Sequence[str], suffix: str) -> str:
    """Write the config for these systems' files; the last one is the file gated by default."""
    thresholds = enumerate(gate().threshold)
    head = _TEMPLATE.format(
        data=json.dumps(f"{systems[-1]}.{suffix}"),
        percent=FPR_PERCENT,
        tau_neg=decimal_text(TAU_NEG, PLACES),
        tau_pos=decimal_text(TAU_POS, PLACES),
        thresholds="\n".join(f"{n} = {decimal_text(value, PLACES)}" for n, value in thresholds),
        dsm5=json.dumps(DSM5),
        posts=POSTS,
        queries=QUERIES,
        with_evidence=POSITIVES,
        without_evidence=QUERIES - POSITIVES,
        criteria=json.dumps([criterion.id for criterion in CRITERIA]),
        posts_per_fold=json.dumps(FOLD_POSTS),
    )
    return head + "".join(_system(system, suffix) for system in SYSTEMS if system.name in systems)


def _system(system: System, suffix: str) -> str:
    data = json.dumps(f"{system.name}.{suffix}")
    return f"\n[systems.{system.name}]  # {system.title}\ndata = {data}\n"
