"""The single values that break metric code, the plainest first.

Ids that look like numbers or gaps, scores that nearly tie, probabilities on edges.
"""

from __future__ import annotations

from hypothesis import strategies as st

PLAIN_IDS = tuple("abcdefgh")
ODD_IDS = (
    "007",
    "7",
    "7.0",
    "NA",
    "nan",
    "null",
    "None",
    "1e5",
    "true",
    " a",
    "a ",
    "é",
    "é",
    "日本語",
    "🙂",
    "A.1",
    "A,1",
    'a"b',
    "a'b",
    "a|b",
    "a%7Cb",
    "100%",
    "a=b",
    "[a]",
    "a\nb",
    "\\",
)
"""Ids are taken verbatim (section 1): each of these is often read as something else."""

PROBS = (0.0, 0.3, 0.5, 0.7, 1.0, 0.1, 0.2, 0.05, 0.6, 0.9, 0.95, 1 / 3)
EDGES = (0.30000000000000004, 0.7999999999999999, 0.9999999999999999, 5e-324, 1e-9, 0.2999999999)
SCORES = (0.0, 1.0, -1.0, 0.5, 1.000000001, -0.0, 1e-300, 1e300, -2.5, 0.1, 16777217.0, 16777216.0)


def ids(odd: bool, plain: tuple[str, ...] = PLAIN_IDS) -> st.SearchStrategy[str]:
    """Ids: plain letters, or anything that a file can hold."""
    if not odd:
        return st.sampled_from(plain)
    text = st.text(
        st.characters(exclude_categories=["Cs", "Cc"], codec="utf-8"), min_size=1, max_size=4
    )
    return st.sampled_from(plain) | st.sampled_from(ODD_IDS) | text


def probabilities() -> st.SearchStrategy[float]:
    """Probabilities: mostly on edges of bins, thresholds and grids, where definitions part."""
    return st.sampled_from(PROBS) | st.sampled_from(EDGES) | st.floats(0, 1)


def scores() -> st.SearchStrategy[float]:
    """Scores: many ties, near ties in 32 bits, negative ones and both zeros."""
    return st.sampled_from(SCORES) | st.floats(allow_nan=False, allow_infinity=False)
