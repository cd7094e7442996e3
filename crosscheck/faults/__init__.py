"""The self-test: known mistakes injected, and whether the gate caught each.

The catalogue and the mistakes of metric code are in `crosscheck.mistakes`. Here is what injects
them, and what only an injection has: data and claims by a change of the file, the harness by a
witness or a report that is not what it seems.
"""
