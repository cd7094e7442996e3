"""scikit-learn's metrics, loaded for whoever hands them arrays.

It takes pandas for those who hand it data frames, and rich for those who watch it learn: a third of
all that it loads.
"""

from __future__ import annotations

from crosscheck.witnesses.sparing import without

with without("pandas", "rich"):
    from sklearn import config_context, metrics

__all__ = ["config_context", "metrics"]
