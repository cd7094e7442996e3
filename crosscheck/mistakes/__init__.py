"""Mistakes that really happen to numbers: one catalogue, and each mistake computed in one place.

`*.toml` says what each mistake is, where it was seen, and who takes it: those with a `rule` are
injected by the self-test, those with a `weight` are tried by `explain` and by the gate where a
claim is wrong; the documentation lists all. A mistake of metric code is a `Formula`: what becomes
of one key of the ledger. Asked for all keys it is a faulty witness, asked for one a hypothesis.
"""
