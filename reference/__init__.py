"""The reference: every metric of the contract by definition, exactly, with the standard library.

An older Python reads this file and no other: it holds nothing that Python 2.7 cannot parse.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - whoever has nothing installed may have any Python
    found = sys.version.split()[0]
    sys.stderr.write("reference needs Python 3.11 or newer; this is Python " + found + ".\n")
    sys.exit(2)

from reference.door import compare, describe, evaluate, exact, intervals, per_query, read
from reference.errors import (
    DataError,
    InputError,
    MismatchError,
    Problem,
    SettingsError,
    UnreadableError,
)

__all__ = [
    "DataError",
    "InputError",
    "MismatchError",
    "Problem",
    "SettingsError",
    "UnreadableError",
    "compare",
    "describe",
    "evaluate",
    "exact",
    "intervals",
    "per_query",
    "read",
]
