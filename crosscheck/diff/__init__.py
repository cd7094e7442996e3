"""What moved between two reports, told from their ledgers alone: nothing is recomputed.

`stored` opens a report from a folder or from a git revision, `moved` compares two of them, and
`markdown` writes the answer for a pull request.
"""

from __future__ import annotations

from crosscheck.diff.moved import Diff, Moved, Number, compare
from crosscheck.diff.stored import Stored, opened

__all__ = ["Diff", "Moved", "Number", "Stored", "compare", "opened"]
