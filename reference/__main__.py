"""`python -m reference DATA`: the ledger, one key, or one query; nothing to install."""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reference import files, ledger, magnify
from reference.errors import InputError
from reference.reading import load
from reference.settings import read_toml
from reference.values import high_precision, rounded

if TYPE_CHECKING:
    from collections.abc import Sequence

BAD_INPUT = 2


def arguments() -> argparse.ArgumentParser:
    """Describe the command line."""
    parser = argparse.ArgumentParser("python -m reference", description=__doc__)
    parser.add_argument(
        "data", nargs="?", help=f"a {files.known()} file, a folder or a glob of them"
    )
    parser.add_argument("--qrels", help="judgements, with --run instead of DATA")
    parser.add_argument("--run", help="what was retrieved")
    parser.add_argument("--config", help="TOML; crosscheck.toml beside the data if there is one")
    parser.add_argument("--system", metavar="NAME", help="take what the config says of this system")
    parser.add_argument("--key", help="show one key of the ledger with every count behind it")
    parser.add_argument("--query", nargs="+", metavar="ID", help="show one query step by step")
    return parser


def main(words: Sequence[str] | None = None) -> int:
    """Run; bad input is exit code 2 and a message, never a traceback."""
    parser = arguments()
    given = parser.parse_args(words)
    if given.data:
        if given.qrels or given.run:
            parser.error("give DATA, or --qrels and --run, not both")
        data: Any = given.data
    elif given.qrels and given.run:
        data = {"qrels": given.qrels, "run": given.run}
    else:
        parser.error("give DATA, or --qrels and --run")
    place = Path(given.data or given.run)
    beside = (place if place.is_dir() else place.parent) / "crosscheck.toml"
    config = Path(given.config) if given.config else beside if beside.exists() else None
    if given.system and not config:
        parser.error("--system needs a config")
    try:
        shown = _show(given, data, config)
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        return BAD_INPUT
    try:
        sys.stdout.write(f"{shown}\n")
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads, as `head` does, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _show(given: argparse.Namespace, data: object, config: Path | None) -> str:
    settings, unknown = read_toml(config, given.system) if config else ({}, [])
    if unknown:
        sys.stderr.write(f"{config}: not read here: {', '.join(unknown)}\n")
    with high_precision():
        study = load(data, settings)
        if given.query:
            return "\n".join(magnify.query(study, given.query))
        if given.key:
            answer: dict[str, Any] = magnify.key(study, given.key)
        else:
            values = {name: rounded(value) for name, value in ledger.exact(study).items()}
            found = {k: "inf" if v == math.inf else v for k, v in values.items()}
            # As below, but many times as fast: a ledger holds no mapping.
            lines = json.dumps(found, ensure_ascii=False, separators=(",\n ", ": "))
            return f"{{\n {lines[1:-1]}\n}}"
    return json.dumps(answer, indent=1, ensure_ascii=False)


if __name__ == "__main__":
    gc.disable()  # one short run that makes no cycles: nothing to collect before its end
    sys.exit(main())
