"""A disagreement as a vector file (tests/vectors/schema.json), with everybody's answers.

The answer under `expect` is the reference's exact one: a proposal, to be worked out by hand from
the contract before the file joins the others.
"""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from crosscheck.contract import load
from crosscheck.data import door
from crosscheck.fuzz import words
from crosscheck.system import scratch

if TYPE_CHECKING:
    from pathlib import Path

    from crosscheck.fuzz.dataset import DataSet
    from crosscheck.fuzz.disagreement import Disagreement
    from crosscheck.fuzz.search import Found

DIGITS = 30


def write(found: Found, folder: Path, number: int) -> Path:
    """Write the vector, and beside it the data themselves; give the vector's path."""
    one = found.disagreement
    name = f"fuzz-{number}-{_slug(one.accused)}-{_slug(one.metric or one.kind)}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    document = json.dumps(vector(found, name), indent=2, ensure_ascii=False)
    path.write_text(document + "\n", encoding="utf-8", newline="\n")
    for file, text in found.data.texts().items() if found.data.form != "parquet" else ():
        (folder / f"{name}.{file.rpartition('.')[2]}").write_bytes(text.encode())
    return path


def vector(found: Found, name: str) -> dict[str, Any]:
    """Give the vector as the schema has it."""
    one = found.disagreement
    trap = words.known_trap(one)
    flag: dict[str, Any] = {
        "bug": words.headline(one),
        "effect": trap.effect if trap else "Two witnesses give two answers to one question.",
        "trap": trap.id if trap else None,
        "links": [],
    }
    case: dict[str, Any] = {
        "id": name,
        "section": _section(one),
        "comment": f"Found by `crosscheck fuzz`: {words.headline(one)}.",
        "flags": ["Found"],
        **_data(found.data),
        "settings": found.data.settings,
        "expect": _expected(found),
        "working": _working(one),
    }
    return {
        "family": "fuzz",
        "about": "Found by the fuzzer; work the answer out by hand before adopting it.",
        "flags": {"Found": flag},
        "cases": [case],
    }


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _section(one: Disagreement) -> str:
    known = load().find(one.key.partition("|")[0])
    return known.metric.section if known else "1"


def _data(data: DataSet) -> dict[str, Any]:
    if data.form == "trec":
        return dict(data.texts())
    contract = {column.name for column in load().columns}
    plain = contract.issuperset(data.columns)
    if plain and data.form == "jsonl":
        return {"rows": list(data.rows)}
    if plain and data.form == "parquet":
        return {"rows": list(data.rows), "format": "parquet"}
    name, text = next(iter(data.texts().items()))
    return {"file": {"name": name, "text": text}}


def _expected(found: Found) -> dict[str, Any]:
    """Give the reference's exact answer to the key in dispute."""
    key = found.disagreement.key
    with scratch("fuzz") as folder:
        try:
            exact = door.reference.exact(found.data.place(folder), found.data.settings)
        except door.reference.InputError:
            return {}
    return {key: answer(exact[key])} if key in exact else {}


def answer(value: object) -> int | str:
    """Write an exact value as vectors do."""
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Decimal):
        return f"{value:.{DIGITS}f}"
    if isinstance(value, int):
        return value
    return "inf" if value == math.inf else str(value)


def _working(one: Disagreement) -> dict[str, str]:
    return {name: f"says {said!r}" for name, said in one.says.items()}
