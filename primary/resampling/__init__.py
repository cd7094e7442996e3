"""Intervals and comparisons (contract, section 10): every headline metric, weighed again."""
