"""Ask Spark in a process of its own: its pyspark is not the thin client of the other tests.

`python on_spark.py ADDRESS SETTINGS FILE…` prints the stages as they begin, then the answer.
"""

from __future__ import annotations

import json
import sys
from contextlib import closing

from crosscheck.engine.base import Ordering
from crosscheck.engine.connect import connect
from crosscheck.engine.evaluate import evaluate

CELLS = Ordering(round_rows=1 << 62, cells=64)
"""Few rows would have one cell: a cluster's many are asked for."""


def main(address: str, settings: str, files: list[str]) -> None:
    """Print a line for every stage, and the ledger and what was declined as JSON."""
    with closing(connect(address, CELLS)) as engine:
        answer = evaluate(
            engine, files, json.loads(settings), lambda stage: print(stage, flush=True)
        )
    print(json.dumps({"ledger": answer.ledger, "declined": answer.declined}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
