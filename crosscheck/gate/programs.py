"""What programs print beside the contract's numbers: counts, and recall levels rounded their way.

trec_eval counts documents, which are no metrics: they are counted in the data. Its interpolated
precision asks for a whole number of relevant documents, and its versions round r·|G| differently
from the contract and from each other; such a number holds where one of the versions gives it, and
the claim's sentence says which.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from crosscheck.claims.judging.outcome import ClaimOutcome, holds, shown, unverified
from crosscheck.claims.verify import rounds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crosscheck.checks import Evidence
    from crosscheck.claims import Claim

LEVEL = "iprec@recall="
GRADE_MAX = 4
"""The largest grade of gdeval, by which ir_measures computes ERR."""
ROUNDED: dict[str, Callable[[float], int]] = {
    "version 9 (⌊r·|G| + 0.9⌋)": lambda share: math.floor(share + 0.9),
    "version 10 (r·|G| rounded)": lambda share: math.floor(share + 0.5),
}
PROGRAMS = frozenset(("trec_eval", "ir_measures", "nist"))
"""Readers of files whose interpolated precision is trec_eval's."""


@dataclass(frozen=True)
class Output:
    """The data of one system, as a program's output is held against them."""

    evidence: Evidence
    reader: str

    def counted(self, claim: Claim) -> ClaimOutcome:
        """Check a count of documents."""
        rows = self._rows(claim.query)
        if rows is None or claim.number is None:
            return unverified(claim, f"no single query of the data is called “{claim.query}”")
        counts = self._counts
        if claim.counted not in counts:
            return unverified(claim, "the data hold no such documents that could be counted")
        computed = sum(counts[claim.counted][row] for row in rows)
        if rounds(claim, computed):
            return holds(claim, None, computed, f" = {claim.printed} holds: counted in the data")
        distance = abs(float(claim.number.value) - computed) / max(computed, 1)
        sentence = f"{claim.label} is printed as {claim.printed}; the data have {computed:,}"
        return ClaimOutcome(claim, "wrong", sentence, None, claim.printed, computed, distance)

    def judged_again(self, one: ClaimOutcome) -> ClaimOutcome:
        """Look again at a claim that does not hold, by the program's own definition."""
        metric = one.claim.metric
        if one.status != "wrong" or self.reader not in PROGRAMS:
            return one
        if metric.startswith("err@") and self.evidence.facts.get("grade_max") != GRADE_MAX:
            why = "ir_measures computes it for grades up to 4: state grade_max = 4 in the config"
            return unverified(one.claim, why, one.key)
        if not metric.startswith(LEVEL):
            return one
        rows = self._rows(one.claim.query)
        if rows is None:
            return one
        for version, rounding in ROUNDED.items():
            computed = self._level(metric.removeprefix(LEVEL), rounding, rows)
            if rounds(one.claim, computed):
                how = (
                    f" = {one.claim.printed} holds by the rounding of trec_eval, {version}: "
                    f"{shown(computed)}; the contract’s own value is {shown(one.computed or 0.0)}"
                )
                return holds(one.claim, one.key, computed, how)
        return one

    def _rows(self, query: str) -> Sequence[int] | None:
        """Give the rows that a number is of; None where its query is not one row."""
        frame = self.evidence.rows.frame
        if not query:
            return range(frame.height)
        names = frame["query_id"].to_list() if "query_id" in frame.columns else []
        found = [row for row, name in enumerate(names) if name == query]
        return found if len(found) == 1 else None

    @cached_property
    def _counts(self) -> dict[str, list[int]]:
        rows = self.evidence.rows
        if not (rows.has("candidates") and rows.has("gold")):
            return {}
        ranked = list(map(set, self._rankings))
        gold = list(map(set, rows.gold))
        found = {
            "num_ret": list(map(len, ranked)),
            "num_rel": list(map(len, gold)),
            "num_rel_ret": [len(a & b) for a, b in zip(ranked, gold, strict=True)],
        }
        if rows.has("judged"):
            others = (set(uids) for uids in rows.lists("judged"))
            found["num_nonrel_judged_ret"] = [
                len((seen - b) & a) for seen, a, b in zip(others, ranked, gold, strict=True)
            ]
        return found

    @cached_property
    def _rankings(self) -> list[list[str]]:
        return self.evidence.rows.lists("candidates")

    def _level(self, recall: str, rounding: Callable[[float], int], rows: Sequence[int]) -> float:
        """Give the mean interpolated precision at a level, with the number of gold so rounded."""
        values = []
        for row in rows:
            gold = set(self.evidence.rows.gold[row])
            wanted = rounding(float(recall) * len(gold))
            values.append(_best(self._rankings[row], gold, wanted))
        return float(sum(values, Fraction(0)) / len(values)) if values else 0.0


def _best(ranking: Sequence[str], gold: set[str], wanted: int) -> Fraction:
    """Give the largest precision at any place by which so many gold were found."""
    best, found = Fraction(0), 0
    for place, uid in enumerate(ranking, 1):
        found += uid in gold
        if found >= wanted:
            best = max(best, Fraction(found, place))
    return best
