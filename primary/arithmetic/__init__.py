"""Numbers that are the same on every machine: exact sums, logarithms, decimals, statistics."""
