"""Known faults: a catalogue as data, each one injected, and whether the gate caught it.

`*.toml` says what each fault is, where it has really happened, and which rule must catch it. The
Python files beside them inject it: metric code by a wrong formula in place of the right one, data
and claims by a change of the file, the harness by a witness or a report that is not what it seems.
"""
