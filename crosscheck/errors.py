"""What ends a run early, and the exit code that says so.

Exit codes: 0 pass, 1 the gate failed, 2 bad usage or bad input, 3 an error of ours.
"""

from __future__ import annotations

PASS = 0
FAILED = 1
BAD_INPUT = 2
OUR_ERROR = 3
SIGNALLED = 128
"""And the signal's number, as shells count."""
INTERRUPTED = SIGNALLED + 2


class UserError(Exception):
    """Something the user can put right: its text says what, where, and what to do."""
