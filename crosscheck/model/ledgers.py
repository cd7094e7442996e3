"""Two ledgers → how far apart they are, key by key (contract, section 11.3).

The 1 % rule comes first and decides between pass and wrong; only what passes is then called exact
or drift. So 1e-10 against 2e-10 is wrong, although the two lie within 1e-9 of each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from crosscheck.model.frozen import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


Number = int | float
Ledger = dict[str, Number]
Verdict = Literal["exact", "drift", "wrong"]

TOLERANCE = 0.01
EXACT = 1e-9
ZERO = 1e-12


@dataclass(frozen=True, slots=True)
class Difference:
    """One key on which two witnesses are not exactly of one mind."""

    key: str
    first: Number
    second: Number
    """Both as they are shown, and `relative` is of these: last digits differ between machines."""
    relative: float
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class LedgerComparison:
    """Every key that two witnesses share, judged."""

    first: str
    second: str
    shared: int
    differences: tuple[Difference, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]

    @property
    def worst(self) -> Difference | None:
        """The first of the differences that no other exceeds; none where every key is exact."""
        return max(self.differences, key=lambda one: one.relative, default=None)

    @property
    def furthest(self) -> float | None:
        """How far apart the worst key is, for formats without infinity.

        A difference without a ratio is 1, the largest two finite numbers of one sign can have.
        """
        if (worst := self.worst) is None:
            return None
        return 1.0 if math.isinf(worst.relative) else worst.relative

    def count(self, verdict: Verdict) -> int:
        """How many keys were judged so."""
        listed = sum(difference.verdict == verdict for difference in self.differences)
        return self.shared - len(self.differences) if verdict == "exact" else listed


def relative_difference(first: Number, second: Number) -> float:
    """Give |a − b| / max(|a|, |b|): 0 for equals and two zeros, `inf` where no ratio exists."""
    if first == second:
        return 0.0
    if not (math.isfinite(first) and math.isfinite(second)):
        return math.inf
    if abs(first) <= ZERO and abs(second) <= ZERO:
        return 0.0
    return abs(first - second) / max(abs(first), abs(second))


def judge(first: Number, second: Number, tolerance: float = TOLERANCE) -> Verdict:
    """Call two values exact, drift or wrong."""
    if first == second:
        return "exact"
    if isinstance(first, int) or isinstance(second, int):
        return "wrong"
    if relative_difference(first, second) >= tolerance:
        return "wrong"
    reach = EXACT * max(1.0, abs(first), abs(second))
    return "exact" if abs(first - second) <= reach else "drift"


def compare(
    names: tuple[str, str],
    first: Mapping[str, Number],
    second: Mapping[str, Number],
    tolerance: float = TOLERANCE,
) -> LedgerComparison:
    """Judge every shared key, in the first ledger's order."""
    differences = []
    shared = 0
    for key, value in first.items():
        if key not in second:
            continue
        shared += 1
        verdict = judge(value, second[key], tolerance)
        if verdict != "exact":
            both = shown(value), shown(second[key])
            relative = shown(relative_difference(*both))
            differences.append(Difference(key, *both, relative, verdict))
    return LedgerComparison(
        *names,
        shared=shared,
        differences=tuple(differences),
        only_first=tuple(key for key in first if key not in second),
        only_second=tuple(key for key in second if key not in first),
    )


def differing_rows(first: Sequence[Number | None], second: Sequence[Number | None]) -> list[int]:
    """Rows whose per-query values differ, the worst first, then in file order.

    A value that one side lacks differs more than any number could.
    """

    def distance(row: int) -> float:
        a, b = first[row], second[row]
        if a is None or b is None:
            return 0.0 if a is b else math.inf
        if a == b or (math.isnan(a) and math.isnan(b)):
            return 0.0
        gap = abs(a - b)
        if math.isnan(gap):
            return math.inf
        # Judged in full, ordered as shown: equally bad rows must not change places elsewhere.
        return shown(abs(shown(a) - shown(b))) if gap > EXACT * max(1.0, abs(a), abs(b)) else 0.0

    distances = [distance(row) for row in range(min(len(first), len(second)))]
    return sorted(
        (row for row, gap in enumerate(distances) if gap > 0),
        key=lambda row: (-distances[row], row),
    )


def structure(ledger: Mapping[str, object]) -> dict[str, str]:
    """Give each key the name of its value's type: what two ledgers must share before values do."""
    return {key: type(value).__name__ for key, value in ledger.items()}


@dataclass(frozen=True, slots=True)
class Structure:
    """How one ledger's keys and types depart from another's."""

    missing: tuple[str, ...]
    extra: tuple[str, ...]
    retyped: tuple[tuple[str, str, str], ...]
    """Key, expected type, found type."""


def compare_structure(expected: Mapping[str, str], found: Mapping[str, str]) -> Structure:
    """Keys missing or extra, and types that differ, by deepdiff."""
    if expected == found:
        return Structure((), (), ())
    from deepdiff import DeepDiff  # noqa: PLC0415 - 0.8 s to import, and seldom needed

    # Key by key even where few keys are shared, when deepdiff would call the whole mapping changed.
    tree = DeepDiff(dict(expected), dict(found), view="tree", threshold_to_diff_deeper=0)
    return Structure(
        missing=tuple(_keys(tree.get("dictionary_item_removed", ()))),
        extra=tuple(_keys(tree.get("dictionary_item_added", ()))),
        retyped=tuple(
            (str(level.path(output_format="list")[0]), level.t1, level.t2)
            for level in tree.get("values_changed", ())
        ),
    )


def _keys(levels: object) -> list[str]:
    return [str(level.path(output_format="list")[0]) for level in levels]  # type: ignore[attr-defined]
