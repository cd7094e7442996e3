"""`make bench`: speed and memory against the peers; rewrites docs/benchmarks.md.

The work is done in `speed/`, in a process that does not see the other scripts of this folder: one
is named like a package that a peer imports.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

if __name__ == "__main__":
    script = Path(__file__).parent / "speed" / "measure.py"
    sys.exit(subprocess.run([sys.executable, str(script), *sys.argv[1:]], check=False).returncode)
