"""Ask Spark MLlib in a process of its own, as `on_spark.py` asks Spark.

`python on_mllib.py ADDRESS SETTINGS FILE…` prints an answer for every file, as a line of JSON.
"""

from __future__ import annotations

import json
import sys
from contextlib import closing

from crosscheck.config.systems import Source
from crosscheck.data.case import make_case
from crosscheck.engine.connect import connect
from crosscheck.witnesses import mllib


def main(address: str, stated: str, files: list[str]) -> None:
    """Print the ledger and what was declined, in one session for all files."""
    settings = json.loads(stated)
    with closing(connect(address)) as engine:
        for file in files:
            case = make_case(Source("rows", file, settings), settings, wants_intervals=False)
            answer = mllib.on(engine, case)
            print(json.dumps({"ledger": answer.ledger, "declined": answer.declined}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
