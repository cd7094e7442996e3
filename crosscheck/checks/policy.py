"""The policy (docs/policy.md): what a run asks for, and what its data are, against what it may."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from crosscheck.checks import Evidence, Result, result
from crosscheck.config.places import members
from crosscheck.data import door
from crosscheck.data.hashes import sha256
from crosscheck.model.findings import finding
from crosscheck.policy.terms import breaches
from crosscheck.witnesses import Silence

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from crosscheck.model.findings import Finding

KEYS = ("post_id", "criterion_id", "query_id")
TWO_VALUED = {"label": "has_evidence", "predicted": "pred"}
"""A column of classes → what it is read as where it holds 0 and 1."""
EXAMINED = 12
"""Rules of the group that hold under every policy; figures are asked for by some alone."""


def check(evidence: Evidence) -> Result:
    """Hold the run, once, and each system's data against the policy in force."""
    if evidence.terms is None:
        return result(0, (), "no policy is in force")
    asked = EXAMINED + evidence.terms.policy.figures
    return result(asked, [*_run(evidence), *_data(evidence)])


def _run(evidence: Evidence) -> Iterator[Finding]:
    """Say once, with the first system, what the run as a whole may not."""
    terms = evidence.terms
    if terms is None or evidence.system != next(iter(sorted_systems(evidence))):
        return
    for rule, message in breaches(terms):
        yield finding(rule, message)
    held, passed = _claimed(evidence, "holds", "wrong"), _claimed(evidence, "ignored")
    asked = terms.policy.claims
    if held < asked.least:
        told = f"{held:,} claims were held against the data; the policy asks for {asked.least:,}"
        yield finding("XC010", told)
    if asked.passed is not None and passed > asked.passed:
        told = f"the config lets {passed:,} claims pass unverified; the policy allows"
        yield finding("XC010", f"{told} {asked.passed:,}")


def _claimed(evidence: Evidence, *statuses: str) -> int:
    """Count the claims of all systems that came to this; one that several share, once."""
    return len(
        {
            (claim.claim.file, claim.claim.where, claim.claim.label, claim.claim.printed)
            for one in (evidence, *evidence.others.values())
            for claim in one.claims
            if claim.status in statuses
        }
    )


def sorted_systems(evidence: Evidence) -> list[str]:
    """Name the systems of the run, in one order whoever is asked."""
    return sorted([evidence.system, *evidence.others])


def _data(evidence: Evidence) -> Iterator[Finding]:
    terms = evidence.terms
    if terms is None:
        return
    for name, read, own in looked_away(evidence):
        yield finding(
            "XC002",
            f"{name} is read from “{read}”, although the file has {own}",
            system=evidence.system,
        )
    nowhere, rows = unevaluated(evidence)
    if rows and nowhere / rows > terms.policy.unevaluated:
        yield finding(
            "XC012",
            f"{nowhere:,} of {rows:,} rows belong to queries that are evaluated nowhere; the "
            f"policy allows {terms.policy.unevaluated:.0%}",
            system=evidence.system,
        )
    yield from _silent(evidence)
    yield from _held(evidence)


def looked_away(evidence: Evidence) -> Iterator[tuple[str, str, str]]:
    """Name each column of the truth that is mapped away from the one of its own name.

    The primary is asked how it would read the file without the mapping.
    """
    terms, settings = evidence.terms, evidence.case.settings
    if terms is None or isinstance(evidence.case.data, dict):
        return
    granted = terms.policy.allowed.get("columns", {})
    for name, read in settings.get("columns", {}).items():
        allowed = granted.get(name, ()) if isinstance(granted, dict) else ()
        if name in terms.policy.truth and read not in allowed:
            own = _own_column(evidence.case.data, settings, name)
            if own is not None and own != f"“{read}”":
                yield name, read, own


def _own_column(data: str, settings: dict[str, Any], name: str) -> str | None:
    left = {one: read for one, read in settings["columns"].items() if one != name}
    # A positive class is one of the column that is mapped: without it there may be none.
    asked = {one: held for one, held in settings.items() if one != "positive"}
    try:
        facts = door.primary.describe(data, asked | {"columns": left})
    except door.primary.InputError:
        # Without its key a file is refused; any other column may be absent, so it is there, broken.
        return None if name in KEYS else "one of its own that cannot be read"
    read = facts["columns"]
    column = read.get(name, read.get(TWO_VALUED.get(name, "")))
    return None if column is None else f"“{column}”"


def unevaluated(evidence: Evidence) -> tuple[int, int]:
    """Count the rows whose query is evaluated in no fold, and all rows.

    With cross-validation most rows may be TRAIN or TUNE, and yet every query is evaluated once.
    """
    counted = evidence.facts["rows"]
    rows = sum(counted.values())
    if rows == counted["EVAL"]:
        return 0, rows
    table = evidence.table
    keys = [name for name in KEYS if name in table.columns]
    if not keys:
        return rows - counted["EVAL"], rows
    evaluated = table.filter(table["split"] == "EVAL").select(keys).unique()
    return table.join(evaluated, on=keys, how="anti").height, rows


def _silent(evidence: Evidence) -> Iterator[Finding]:
    """Name the required witnesses that were asked and did not answer."""
    required = evidence.terms.policy.witnesses.required if evidence.terms else ()
    for one in evidence.statements:
        if one.witness.name in required and (one.absent or isinstance(one.answer, Silence)):
            how = f"is {one.witness.absent}" if one.absent else "fell silent"
            yield finding(
                "XC005",
                f"the policy requires the witness {one.witness.name}, which {how}",
                system=evidence.system,
            )


def _held(evidence: Evidence) -> Iterator[Finding]:
    """Compare the gold, or the judgements, with what the lab holds itself."""
    held = evidence.terms.policy.held if evidence.terms else None
    if held is None or not (held.gold or held.qrels):
        return
    data = evidence.case.data
    if isinstance(data, dict):
        known = held.qrels
        found = {path.name: sha256(path) for path in members(data["qrels"])}
    else:
        known, found = held.gold, {"the gold": gold_sha256(evidence.rows.frame)}
    for what, own in found.items():
        if own not in known:
            those = ", ".join(known) or "none of this kind"
            yield finding(
                "XC011",
                f"{what} has SHA-256 {own}; the policy holds {those}",
                system=evidence.system,
            )


def _more(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Give what else is true of a row: the grade of each gold uid, who was judged, the class."""
    if row.get("grades") is not None:
        pairs = zip(row["gold"] or [], row["grades"], strict=False)
        yield {"grades": sorted([uid, int(grade)] for uid, grade in pairs)}
    if row.get("judged") is not None:
        yield {"judged": sorted(row["judged"])}
    if row.get("label") is not None:
        yield {"label": str(row["label"])}


def gold_sha256(frame: pl.DataFrame) -> str:
    """Hash what is true of the EVAL rows: their keys, their gold uids, their label.

    One line of JSON a query, in the order of the lines; the order of uids, of rows, of columns and
    the names of columns do not count, nor how often a query stands there (seeds). Where the data
    have grades, what was judged or a class, these are true too, and follow by name.
    """
    keys = [name for name in KEYS if name in frame.columns]
    lines = set()
    for row in frame.iter_rows(named=True):
        gold = sorted(row["gold"] or []) if "gold" in row else None
        label = row.get("has_evidence")
        stated = [*(row[name] for name in keys), gold, None if label is None else int(label)]
        lines.add(json.dumps([*stated, *_more(row)], ensure_ascii=False))
    return hashlib.sha256("".join(f"{line}\n" for line in sorted(lines)).encode()).hexdigest()
