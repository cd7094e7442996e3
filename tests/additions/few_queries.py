"""A check: whether there are queries enough to say anything about a system."""

from __future__ import annotations

from crosscheck.checks import Evidence, Result, result
from crosscheck.model.findings import finding

FEWEST = 5


def check(evidence: Evidence) -> Result:
    """Count the queries."""
    count = evidence.facts["queries"]["all_queries"]
    found = [finding("XC698", f"there are {count} queries", system=evidence.system)]
    return result(1, found if count < FEWEST else [])
