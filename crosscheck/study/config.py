"""The study's `crosscheck.toml`: thresholds and the rule behind them, views, profile, systems.

One system's config says everything at the top. With several, what all share is at the top, and each
system's table has its file and what belongs to it alone: thresholds and their rule to those with a
gate, τ and the claims to the full pipeline.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from crosscheck.study.decisions import FPR_PERCENT, PLACES, TAU_NEG, TAU_POS, gate
from crosscheck.study.files import decimal_text
from crosscheck.study.profile import (
    CRITERIA,
    DSM5,
    FOLD_POSTS,
    POSITIVES,
    POSTS,
    QUERIES,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crosscheck.study.profile import Configuration

_HEAD: Final = "# The built-in study of metric-crosscheck: generated, to the contract's profile.\n"
_TAU: Final = """\
# NEG below tau_neg, POS from tau_pos on, UNCERTAIN between.
tau_neg = {tau_neg}
tau_pos = {tau_pos}
"""
_DECLARED: Final = """
[views]
dsm5 = {dsm5}

[profile]
posts = {posts}
queries = {queries}
with_evidence = {with_evidence}
without_evidence = {without_evidence}
criteria = {criteria}
posts_per_fold = {posts_per_fold}
queries_per_fold = {queries_per_fold}
mean_candidates = [18, 22]
view_queries = {{ dsm5 = {dsm5_queries} }}
shared_candidates = true
uid_pattern = "{{post_id}}_*"
"""


def text(systems: Sequence[Configuration], suffix: str, claims_name: str) -> str:
    """Write the config for these systems' files."""
    parts = [_HEAD]
    alone = len(systems) == 1
    if alone:
        parts += ["\n", _own(systems[0], suffix, claims_name)]
        parts += ["\n", *_thresholds("")] if systems[0].gates else []
    parts.append(_declared())
    for system in systems if not alone else ():
        table = f"systems.{system.name}"
        parts.append(f"\n# {system.title}\n[{table}]\n{_own(system, suffix, claims_name)}")
        parts += _thresholds(f"{table}.") if system.gates else []
    return "".join(parts)


def _own(system: Configuration, suffix: str, claims_name: str) -> str:
    """Say what belongs to one system alone."""
    lines = f"data = {json.dumps(f'{system.name}.{suffix}')}\n"
    if system.states:
        lines += f"claims = {json.dumps(claims_name)}\n"
        lines += _TAU.format(
            tau_neg=decimal_text(TAU_NEG, PLACES), tau_pos=decimal_text(TAU_POS, PLACES)
        )
    return lines


def _thresholds(place: str) -> list[str]:
    """Say each fold's threshold, and the rule that it was chosen by."""
    values = enumerate(gate().threshold)
    return [
        "# Each fold's threshold, below, is the one that its TUNE rows alone give by this rule.\n",
        f'rule = "fpr<={FPR_PERCENT}%"\n',
        f"\n[{place}threshold]\n",
        *(f"{fold} = {decimal_text(value, PLACES)}\n" for fold, value in values),
    ]


def _declared() -> str:
    return _DECLARED.format(
        dsm5=json.dumps(DSM5),
        posts=POSTS,
        queries=QUERIES,
        with_evidence=POSITIVES,
        without_evidence=QUERIES - POSITIVES,
        criteria=json.dumps([criterion.id for criterion in CRITERIA]),
        posts_per_fold=json.dumps(FOLD_POSTS),
        queries_per_fold=json.dumps([posts * len(CRITERIA) for posts in FOLD_POSTS]),
        dsm5_queries=POSTS * len(DSM5),
    )
