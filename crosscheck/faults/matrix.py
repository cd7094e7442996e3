"""The matrix fault × rule: as text for people, as Markdown for the page, as data for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crosscheck.faults.selftest import badge, by_family
from crosscheck.mistakes.catalogue import BEYOND_RULES, FAMILIES, searched
from crosscheck.model.findings import rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crosscheck.faults.selftest import FaultResult
    from crosscheck.mistakes.catalogue import Mistake

MARKS = {"error": "E", "drift": "d"}
NOTHING = "·"
LEGEND = (
    "E caught as error, d caught as drift, · silent; the rule in [ ] must catch the fault. "
    "Study: what the fault does to the built-in studies, if they have a place for it."
)


def text(results: Sequence[FaultResult]) -> Iterator[str]:
    """Write one block per family, one line per fault, one column per rule that spoke."""
    for family, some in by_family(results).items():
        columns = spoken(some)
        width = max(len(one.fault.id) for one in some)
        wide = {rule: max(5, len(_short(rule)) + 2) for rule in columns}
        yield ""
        yield FAMILIES.get(family, family)
        heads = "".join(f"{_short(rule):>{wide[rule]}}" for rule in columns)
        yield f"  {'':{width}}{heads}   study"
        for one in some:
            cells = "".join(f"{_cell(one, rule):>{wide[rule]}}" for rule in columns)
            missed = "" if one.caught else "   MISSED" + (f": {one.crashed}" if one.crashed else "")
            study = "–" if one.study == "not tried" else one.study
            yield f"  {one.fault.id:{width}}{cells}   {study}{missed}"
    yield ""
    yield LEGEND


def spoken(results: Sequence[FaultResult]) -> list[str]:
    """Name every rule that must speak, or spoke, in these results: rules first, in their order."""
    found = {rule for one in results for rule in (one.fault.rule, *one.spoken)}
    return sorted(found, key=lambda rule: (rule in BEYOND_RULES, rule))


def _short(rule: str) -> str:
    return rule.removeprefix("XC")


def _cell(one: FaultResult, rule: str) -> str:
    mark = MARKS.get(one.spoken.get(rule, ""), NOTHING)
    return f"[{mark}]" if rule == one.fault.rule else mark


def markdown(results: Sequence[FaultResult]) -> Iterator[str]:
    """Write the catalogue with what became of each fault, as the documentation shows it."""
    for family, some in by_family(results).items():
        yield f"### {FAMILIES.get(family, family)}"
        yield ""
        yield "| mistake | what is wrong | seen | caught by | study | explained |"
        yield "|---|---|---|---|---|---|"
        for one in some:
            also = [rule for rule in spoken([one]) if rule != one.fault.rule]
            caught = " ".join([f"**{one.fault.rule}**" if one.caught else "missed", *also])
            study = "–" if one.study == "not tried" else one.study
            yield f"{_told(one.fault)} {caught} | {study} | {_explained(one.fault)} |"
        yield ""


def searched_alone() -> Iterator[str]:
    """Write the rest of the catalogue: what is not injected, but explains wrong claims."""
    yield "### Not injected, but searched where a claim is wrong"
    yield ""
    yield "| mistake | what is wrong | seen | explained |"
    yield "|---|---|---|---|"
    for one in searched().values():
        if not one.rule:
            yield f"{_told(one)} {_explained(one)} |"


def _told(mistake: Mistake) -> str:
    seen = ", ".join([*([mistake.trap] if mistake.trap else []), *mistake.seen]) or "–"
    bug = mistake.bug.replace("|", r"\|")
    return f"| `{mistake.id}` | {bug} | {seen} |"


def _explained(mistake: Mistake) -> str:
    """Say under which title an explanation names it."""
    found = searched().get(mistake.found_as or mistake.id)
    return "–" if found is None else found.title


def data(results: Sequence[FaultResult]) -> dict[str, Any]:
    """Give everything, for `--json`."""
    return {
        "selftest": badge(results),
        "faults": [
            {
                "id": one.fault.id,
                "family": one.fault.family,
                "kind": one.fault.kind,
                "section": one.fault.section,
                "bug": one.fault.bug,
                "seen": list(one.fault.seen),
                "trap": one.fault.trap or None,
                "rule": one.fault.rule,
                "title": title(one.fault.rule),
                "spoken": one.spoken,
                "study": one.study,
                "caught": one.caught,
                "crashed": one.crashed or None,
            }
            for one in results
        ],
    }


def title(rule: str) -> str:
    """Say what a rule, or what stands in for one, says."""
    return BEYOND_RULES[rule] if rule in BEYOND_RULES else rules()[rule].title
