"""How the numbers of a report were made, as a paragraph for the paper.

Every word of it follows from the report and the contract: which definition each name stands for,
over which rows, what the intervals are, and which versions computed it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck import contract
from crosscheck.contract.naming import base_name, name_of
from crosscheck.report.printing import WITHIN, count, tiny

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crosscheck.report.view import Report, RowView, SystemView, WitnessView

OURS = "implementation"
PROGRAM = "metric-crosscheck"


def paragraphs(report: Report, system: SystemView) -> list[str]:
    """Say how it was computed, what the names mean, and what is not claimed."""
    return [
        " ".join((*_verified(report, system), *_spread(report, system))),
        " ".join(_defined(system)),
    ]


def _verified(report: Report, system: SystemView) -> Iterator[str]:
    version = report.provenance.versions.get(PROGRAM, "")
    yield (
        f"All metrics were computed from the raw predictions with {PROGRAM} {version} by two "
        "implementations that share no code"
        + (f", and compared with {_libraries(system)}." if _others(system) else ".")
    )
    apart = [one.worst_difference for one in system.pairs if one.worst_difference is not None]
    furthest = f"at most {tiny(max(apart))} apart" if apart else f"equal {WITHIN}"
    yield (
        f"Of {count(system.keys)} numbers, {count(system.compared)} were stated by at least two "
        f"of them, {furthest}."
    )
    if system.sampled:
        yield system.sampled
    if report.verdict == "fail":
        yield "The report's verdict is FAIL: not all of its numbers, or claims, hold."
    waived = sum(one.waived is not None for one in report.findings)
    if waived:
        yield f"Findings that the authors waived: {waived}."


def _others(system: SystemView) -> list[WitnessView]:
    return [one for one in system.witnesses if one.kind in ("library", "user") and one.keys]


def _libraries(system: SystemView) -> str:
    named = [
        one.version if one.version.startswith(one.name) else f"{one.name} ({one.version})"
        for one in _others(system)
    ]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


def _spread(report: Report, system: SystemView) -> Iterator[str]:
    folds = len(system.facts.get("folds") or [])
    if folds > 1:
        yield f"Values written as mean ± standard deviation are over {folds} folds."
    shown = next((row.intervals[0] for row in system.headline if row.intervals), None)
    if shown is None:
        yield "No intervals were drawn."
        return
    units = system.facts.get("resampled", {}).get(shown.unit, f"the {_units(shown.unit)}")
    yield (
        f"Intervals are 95 % bootstrap intervals ({shown.method}) from "
        f"{count(report.provenance.resamples)} resamples of {units} with seed "
        f"{report.provenance.seed}."
    )


def _units(unit: str) -> str:
    return {"query": "queries"}.get(unit, f"{unit}s")


def _defined(system: SystemView) -> Iterator[str]:
    """Define each headline metric once, all its cut-offs together, variants by their own words."""
    words = contract.load().words(system.facts)
    alike: dict[str, list[RowView]] = {}
    for row in system.headline:
        variant = contract.load().metric(row.metric).variant
        name = name_of(row.metric) if variant else base_name(row.metric)
        alike.setdefault(name, []).append(row)
    for name, rows in alike.items():
        ids = ", ".join(name_of(row.metric) for row in rows)
        behind = rows[0].population.replace("_", " ")
        behind += f", n = {count(rows[0].n)}" if rows[0].n is not None else ""
        text = words.fit(contract.load().metric(rows[0].metric).definition).rstrip(".")
        each = f"{ids}; {behind}" if ids != name else behind
        yield f"{name} ({each}): {text}."
