"""`python -m crosscheck`: the command line where no script is installed.

Run like this, Python looks for every module in the working folder first, which may be anybody's:
that stops here, before anything else is imported, unless the program itself lies there.
"""

import os
import sys

if not sys.flags.safe_path and sys.path[0] != os.path.dirname(os.path.dirname(__file__)):  # noqa: PTH120 - pathlib may be a file of that folder
    del sys.path[0]

from crosscheck.cli import main

main()
