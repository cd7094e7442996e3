"""Whether a class has one name in the labels and another in the predictions (contract, section 17).

`1.0` beside `1`, `Cat` beside `cat`, numbers beside names: names are verbatim, so such a row is
never right.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from crosscheck.model.findings import finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.checks import Evidence
    from crosscheck.model.findings import Finding

SHOWN = 3
ENOUGH = 10
"""Rows from which on it is no chance that labels and predictions share no class."""


def found(evidence: Evidence) -> Iterator[Finding]:
    """Say so where a class that is never predicted is written like one that is never true."""
    one = evidence.case.settings.get("positive")
    if evidence.facts.get("classes"):
        true, predicted = (set(evidence.rows.texts(name)) for name in ("label", "predicted"))
    elif one is not None:
        # Of one class against the rest, only its own name decides anything.
        true, predicted = (
            {name for name in names if meant(name) == meant(str(one))} for names in _own(evidence)
        )
    else:
        return
    given = {meant(name): str(name) for name in sorted(predicted - true, reverse=True)}
    pairs = [
        f"“{name}” and “{given[meant(name)]}”"
        for name in sorted(true - predicted)
        if meant(name) in given
    ]
    if pairs:
        more = f" and {len(pairs) - SHOWN:,} more" if len(pairs) > SHOWN else ""
        yield finding(
            "XC125",
            f"labels and predictions write {len(pairs):,} of the classes differently: "
            f"{', '.join(pairs[:SHOWN])}{more}; no row of them can be right",
            system=evidence.system,
        )
    elif (
        min(len(true), len(predicted)) > 1
        and len(evidence.rows) >= ENOUGH
        and true.isdisjoint(predicted)
    ):
        yield finding(
            "XC125",
            f"labels and predictions have no class in common: the labels are {_some(true)}, the "
            f"predictions {_some(predicted)}; no row can be right",
            system=evidence.system,
        )


def _own(evidence: Evidence) -> Iterator[set[str]]:
    """Give the names in the file's own columns: as rows they are 0 and 1 already."""
    from crosscheck.data.raw import evaluated  # noqa: PLC0415 - needs polars

    columns = evidence.facts["columns"]
    both = [columns.get(name) for name in ("has_evidence", "pred")]
    frame = evaluated(evidence.case.data, evidence.table, lambda name: name in both)
    known = frame is not None and set(frame.columns) == set(both)
    for name in both:
        yield set(map(str, frame[name])) if known and frame is not None and name else set()


def _some(names: set[str]) -> str:
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return f"{', '.join(f'“{name}”' for name in sorted(names)[:SHOWN])}{more}"


def meant(name: str) -> str:
    """Give what a name means to a reader: a number by its value, else without case and blanks."""
    folded = " ".join(unicodedata.normalize("NFKC", str(name)).split()).casefold()
    whole, point, rest = folded.partition(".")
    if point and whole.removeprefix("-").isdecimal() and not rest.strip("0"):
        return whole
    return folded
