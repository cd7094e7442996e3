"""Adversarial data sets: drawn, put before every witness, and shrunk where two disagree.

The strategies are shared with the property tests; the `fuzz` command adds the search, the
shrinking, the explanation and the vector file.
"""
