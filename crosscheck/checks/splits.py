"""Splits (contract, section 11.6): who shares posts with whom, and what thresholds came from."""

from __future__ import annotations

import fnmatch
import glob
import math
import re
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from crosscheck.checks import Evidence, Result, result
from crosscheck.checks.origin import query_name
from crosscheck.contract import load
from crosscheck.model.findings import finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.model.findings import Finding

FAR = 15
"""Percentage points from the documents' shares that are called far."""
POST = "{post_id}"
"""What stands for the post's id in a pattern of uids."""
GLOB = frozenset("*?[")
"""What in a pattern does not stand for itself."""


def check(evidence: Evidence) -> Result:
    """Look for posts in two places, thresholds that TUNE does not give, foreign candidates."""
    parts = [
        _folds(evidence),
        _splits(evidence),
        _thresholds(evidence),
        _foreign(evidence),
        _shares(evidence),
        _candidate_sets(evidence),
    ]
    examined = sum(count for count, _ in parts)
    findings = [found for _, some in parts for found in some]
    return result(
        examined, findings, "no groups of rows, no folds and no declared pattern to look at"
    )


Part = tuple[int, list["Finding"]]


Places = dict[tuple[str, str], set[tuple[str, str]]]
"""(Seed, post) → the (fold, split) places it stands in: seeds repeat the same posts."""


def _posts(evidence: Evidence) -> Places:
    table = evidence.table
    known = [name for name in ("seed", "post_id", "fold", "split") if name in table.columns]
    table = table.select(known).unique(maintain_order=True)
    nothing = [""] * table.height
    folds = table["fold"].to_list() if "fold" in known else nothing
    seeds = table["seed"].to_list() if "seed" in known else nothing
    places: Places = defaultdict(set)
    rows = zip(seeds, table["post_id"], folds, table["split"], strict=True)
    for seed, post, fold, split in rows:
        places[seed or "", post].add((str(fold), split))
    return places


def _of_seed(seed: str) -> str:
    return f" of seed {seed}" if seed else ""


def _folds(evidence: Evidence) -> Part:
    known = evidence.facts["columns"]
    if "post_id" not in known or "fold" not in known:
        return 0, []
    places = _posts(evidence)
    findings = []
    for (seed, post), where in places.items():
        folds = sorted(fold for fold, split in where if split == "EVAL")
        if len(folds) > 1:
            findings.append(
                finding(
                    "XC801",
                    f"post {post}{_of_seed(seed)} has EVAL rows in folds {', '.join(folds)}",
                    system=evidence.system,
                    place=f"post {post}",
                )
            )
    return len(places), findings


def _splits(evidence: Evidence) -> Part:
    known = evidence.facts["columns"]
    if "post_id" not in known or "split" not in known:
        return 0, []
    places = _posts(evidence)
    findings = []
    for (seed, post), where in places.items():
        by_fold: dict[str, list[str]] = defaultdict(list)
        for fold, split in sorted(where):
            by_fold[fold].append(split)
        findings += [
            finding(
                "XC802",
                f"post {post}{_of_seed(seed)} is in {' and '.join(splits)}"
                f"{f' of fold {fold}' if fold else ''}",
                system=evidence.system,
                place=f"post {post}",
            )
            for fold, splits in by_fold.items()
            if len(splits) > 1
        ]
    return len(places), findings


def _thresholds(evidence: Evidence) -> Part:
    """Choose the threshold again, on TUNE rows alone, by the stated rule."""
    rule = evidence.rule
    if not rule:
        return 0, []
    alpha = Fraction(rule.removeprefix("fpr<=").removesuffix("%"))
    tune = evidence.rows_of(evidence.case, "TUNE")
    if not len(tune) or not (tune.has("prob") or tune.has("score")):
        return 1, [
            finding(
                "XC804",
                f"the config states the rule {rule} for the threshold, and the data have no TUNE "
                "rows with probabilities to apply it to",
                system=evidence.system,
            )
        ]
    configured = evidence.case.settings.get("threshold", "0.5")
    folds = list(configured) if isinstance(configured, dict) else [None]
    findings = []
    for fold in folds:
        mask = tune.within("all" if fold is None else f"fold={fold}")
        chosen = choose(tune.label[mask].tolist(), tune.score[mask].tolist(), alpha)
        stated = configured[fold] if fold is not None else configured
        if Decimal(str(stated)) != Decimal(repr(chosen)):
            findings.append(
                finding(
                    "XC803",
                    f"the threshold {'' if fold is None else f'of fold {fold} '}is configured as "
                    f"{stated}; {rule} on {int(mask.sum()):,} TUNE rows gives {chosen!r}",
                    system=evidence.system,
                    values={"configured": float(stated), "TUNE": chosen},
                )
            )
    return len(folds), findings


def choose(labels: list[bool], probs: list[float], alpha: Fraction) -> float:
    """Give the largest threshold with the largest TPR among those whose FPR is at most α %."""
    negatives = len(labels) - sum(labels)
    best, chosen = 0, math.inf
    true = false = 0
    ordered = sorted(zip(probs, labels, strict=True), reverse=True)
    for place, (prob, label) in enumerate(ordered):
        true += label
        false += not label
        if place + 1 < len(ordered) and ordered[place + 1][0] == prob:
            continue
        if 100 * false > alpha * negatives:
            break
        if true > best:
            best, chosen = true, prob
    return chosen


def _foreign(evidence: Evidence) -> Part:
    """Every candidate and gold id belongs to its query's post, where the profile says how."""
    pattern = evidence.profile.uid_pattern if evidence.profile else None
    rows = evidence.rows
    if not pattern or not rows.has("post_id"):
        return 0, []
    findings: list[Finding] = []
    examined = 0
    strangers_of = strangers(pattern)
    posts = rows.frame["post_id"].to_list()
    for column, rule in (("candidates", "XC805"), ("gold", "XC806")):
        if not rows.has(column):
            continue
        for row, (post, uids) in enumerate(zip(posts, rows.lists(column), strict=True)):
            examined += len(uids)
            foreign = strangers_of(uids, post)
            if foreign:
                place = query_name(evidence, row)
                findings.append(
                    finding(
                        rule,
                        f"{place}: {len(foreign)} of its {column} do not match {pattern}, "
                        f"first {foreign[0]}",
                        system=evidence.system,
                        place=place,
                    )
                )
    return examined, findings


def strangers(pattern: str) -> Callable[[list[str], str], list[str]]:
    """Make what lists the uids of a post that do not match the pattern."""
    start = pattern.removeprefix(POST).removesuffix("*")
    if pattern == f"{POST}{start}*" and not GLOB.intersection(start):
        return lambda uids, post: [uid for uid in uids if not uid.startswith(post + start)]
    belongs = belonging(pattern)
    return lambda uids, post: [uid for uid in uids if not belongs(uid, post)]


def belonging(pattern: str) -> Callable[[str, str], bool]:
    """Make what says whether a uid matches the pattern, in which `{post_id}` is the post's id."""
    if pattern.startswith(POST):
        rest = re.compile(fnmatch.translate(pattern.removeprefix(POST)))
        return lambda uid, post: uid.startswith(post) and rest.match(uid, len(post)) is not None
    # Ids may hold * or [: only the pattern's own text is a pattern.
    return lambda uid, post: fnmatch.fnmatchcase(uid, pattern.replace(POST, glob.escape(post), 1))


def _shares(evidence: Evidence) -> Part:
    rows = evidence.facts["rows"]
    if not rows["TRAIN"]:
        return 0, []  # files of results leave TRAIN out, and then shares cannot be seen
    for described in load().shares:
        total = sum(rows[split] for split in described.shares)
        off = [abs(100 * rows[split] / total - due) for split, due in described.shares.items()]
        if max(off) <= FAR:
            return 1, []
    shown = ", ".join(f"{split} {count:,}" for split, count in rows.items())
    return 1, [finding("XC807", f"the rows are split {shown}", system=evidence.system)]


def _candidate_sets(evidence: Evidence) -> Part:
    if evidence.profile and evidence.profile.shared_candidates:
        return 0, []  # declared, so the profile group looks at it
    examined, different = differing_candidate_sets(evidence)
    if not different:
        return examined, []
    return examined, [
        finding(
            "XC808",
            f"{len(different):,} of {examined:,} posts have criteria with different candidates, "
            f"first {different[0]}",
            system=evidence.system,
            place=different[0],
        )
    ]


def differing_candidate_sets(evidence: Evidence) -> tuple[int, list[str]]:
    """Count the posts, and name those whose criteria do not share one candidate set."""
    rows = evidence.rows
    if not (rows.has("post_id") and rows.has("candidates") and rows.has("criterion_id")):
        return 0, []
    first: dict[tuple[object, object, str], frozenset[str]] = {}
    different = []
    nothing = [None] * len(rows)
    folds = rows.frame["fold"].to_list() if rows.has("fold") else nothing
    seeds = rows.frame["seed"].to_list() if rows.has("seed") else nothing
    posts = rows.frame["post_id"].to_list()
    for seed, fold, post, uids in zip(seeds, folds, posts, rows.lists("candidates"), strict=True):
        known = first.setdefault((seed, fold, post), frozenset(uids))
        if len(known) != len(uids) or not known.issuperset(uids):
            different.append(f"post {post}")
    return len(first), list(dict.fromkeys(different))
