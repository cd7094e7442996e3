"""What a file looks like, from its first rows: for the message about one that is refused."""

from __future__ import annotations

import csv
import json
import re
from typing import TYPE_CHECKING, Any

from crosscheck.config.places import kind
from crosscheck.data.frames import names_of, written_otherwise
from crosscheck.data.pairs import told_pairs
from crosscheck.data.raw import MAGIC, content

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Columns = dict[str, list[Any]]

ROWS = 50
LARGEST = 1 << 26
"""Bytes of a file that is looked into: a guess is not worth more."""
PARQUET = b"PAR1"
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def looks_like(path: Path, *, alone: bool) -> str | None:
    """Say what a file looks like, and how to give it; `alone`: it was given as DATA."""
    try:
        if path.stat().st_size > LARGEST:
            return None
        held = content(path)
        if held.startswith((PARQUET, MAGIC)):
            return _table(path, _typed(path, held), alone=alone)
        return _text(path, held.decode("utf-8-sig"), alone=alone)
    except Exception:  # noqa: BLE001 - a guess about a broken file may fail in any way
        return None


def columns_of(path: Path, rows: int | None = None) -> Columns:
    """Give the columns of a table, all of its rows or the first; none where it cannot be read."""
    try:
        if path.stat().st_size > LARGEST:
            return {}
        held = content(path)
        if held.startswith((PARQUET, MAGIC)):
            return _typed(path, held, rows=rows)
        text = held.decode("utf-8-sig")
        if text.lstrip()[:1] in {"{", "["}:
            held = _parsed(text, rows=rows)
            return written_otherwise(path, held)[1] or _members(held, rows=rows)
        lines = [line for line in text.splitlines() if line.strip()][: rows and rows + 1]
        return _parted(lines, "\t" if "\t" in lines[0] else ",")
    except Exception:  # noqa: BLE001 - a guess about a broken file may fail in any way
        return {}


def known_as(path: Path) -> str:
    """Name the kind of a file by what it holds; empty where that tells nothing."""
    told = looks_like(path, alone=True) or ""
    found = re.match(r".* looks like (a table|[^.,(]+)", told)
    return found[1].strip() if found else ""


def lists_of(columns: Columns) -> list[str]:
    """Name the columns that hold lists, as rankings and gold do."""
    return [name for name, held in columns.items() if any(_is_list(one) for one in held if one)]


def _text(path: Path, text: str, *, alone: bool) -> str | None:
    if text.lstrip()[:1] in {"{", "["}:
        return _json(path, text, alone=alone)
    lines = [line for line in text.split("\n")[:ROWS] if line.strip()]
    if not lines:
        return None
    for shown, fits, advice in _LINES:
        if all(fits(line.split()) for line in lines):
            return f"{path.name} looks like {shown}. {advice.format(path=path)}" if alone else None
    separator = "\t" if "\t" in lines[0] else ";" if ";" in lines[0] else ","
    if separator not in lines[0]:
        return None
    told = _table(path, _parted(lines, separator), alone=alone)
    if separator == ";" and told:
        return f"{path.name} has semicolons between its columns: write it with commas, or as .tsv"
    return told


def _parted(lines: list[str], separator: str) -> Columns:
    header, *rows = csv.reader(lines, delimiter=separator)
    return {
        name.strip(): [row[place] for row in rows if place < len(row)]
        for place, name in enumerate(header)
    }


def _json(path: Path, text: str, *, alone: bool) -> str | None:
    held = _parsed(text, rows=ROWS)
    otherwise, columns = written_otherwise(path, held)
    if otherwise:
        return f"{otherwise}{_mapping(columns)}" if alone else None
    if isinstance(held, dict) and held and all(_is_ranking(one) for one in held.values()):
        return _PAIR.format(name=path.name, path=path) if alone else None
    if isinstance(held, dict) and held and all(_is_row(one) for one in held.values()):
        return _BY_QUERY.format(name=path.name) if alone else None
    columns = _members(held, rows=ROWS)
    return _table(path, columns, alone=alone) if columns else None


def _parsed(text: str, *, rows: int | None) -> Any:  # noqa: ANN401 - whatever JSON holds
    try:
        return json.loads(text)
    except ValueError:
        lines = [line for line in text.split("\n")[:rows] if line.strip()]
        return [json.loads(line) for line in lines]


def _members(held: Any, *, rows: int | None = None) -> Columns:  # noqa: ANN401 - the same
    if isinstance(held, dict):
        listed = (one for one in held.values() if isinstance(one, list))
        # An object without an array of objects is the only line of a file.
        held = next((one for one in listed if one and isinstance(one[0], dict)), [held])
    objects = [one for one in held[:rows] if isinstance(one, dict)]
    names = dict.fromkeys(name for row in objects for name in row)
    return {name: [row.get(name) for row in objects] for name in names}


def _is_row(value: object) -> bool:
    return isinstance(value, dict) and any(isinstance(one, list) for one in value.values())


def _is_ranking(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(one, int | float) for one in value.values())


def _typed(path: Path, held: bytes, *, rows: int | None = ROWS) -> Columns:
    import polars as pl  # noqa: PLC0415 - heavy

    frame = pl.read_parquet(path, n_rows=rows) if held.startswith(PARQUET) else pl.read_ipc(held)
    return (frame if rows is None else frame.head(rows)).to_dict(as_series=False)


def _table(path: Path, columns: Columns, *, alone: bool) -> str | None:
    """Name the columns, and those that could be meant: two lines of a config map them."""
    if not alone:
        return None
    shown = ", ".join(name or "(unnamed)" for name in columns)
    told = f"{path.name} looks like a table ({kind(path)}) with the columns {shown}."
    told += "".join(f" {one}" for one in _floats(columns))
    if pairs := told_pairs(columns):
        return f"{told} {pairs}"
    return told + (_mapping(columns) or " See docs/data.md for what each kind of number needs.")


def _mapping(columns: Columns) -> str:
    """Give the lines of a config that map the columns; empty where none could be meant."""
    lines = [
        f'  {ours} = "{theirs}"'
        for ours, theirs in _meant(columns).items()
        if theirs not in names_of(ours)
    ]
    needs = " If they mean this, put it into crosscheck.toml beside the file:"
    return "\n".join([needs, "  [columns]", *lines]) if lines else ""


def _floats(columns: Columns) -> Iterator[str]:
    """Name the columns of the gate that are written as floats, which only classes may be."""
    for name in (one for one in columns if one not in OF_CLASSES):
        held = columns[name]
        texts = {str(one) for one in held if one not in (None, "")}
        if texts and texts <= {"0.0", "1.0"}:
            yield (
                f"{name} holds 0.0 and 1.0: call it y_true or y_pred, or write it as whole numbers "
                f"(in pandas: df[{name!r}] = df[{name!r}].astype(int))."
            )


def _meant(columns: Columns) -> dict[str, str]:
    """Guess columns by what they hold: lists are rankings and gold, 0 and 1 labels."""
    found: dict[str, str] = {}
    filled = {
        name: [one for one in held if one not in (None, "")]
        for name, held in columns.items()
        if name not in OF_CLASSES
    }
    lists = {name: held for name, held in filled.items() if any(map(_is_list, held))}
    longest = sorted(lists, key=lambda name: -sum(map(_length, lists[name])))
    found |= dict(zip(("candidates", "gold"), longest, strict=False))
    for name, held in filled.items():
        if not name or name in lists or not held:
            continue
        texts = [str(one).lower() for one in held]
        if set(texts) <= {"0.0", "1.0"}:
            continue  # told apart: a mapping would not help
        if set(texts) <= {"0", "1", "true", "false"}:
            found.setdefault("has_evidence", name)
        elif all(NUMBER.fullmatch(one) and 0 <= float(one) <= 1 for one in texts):
            found.setdefault("prob", name)
        elif len(set(texts)) == len(texts):
            found.setdefault("query_id", name)
    return {ours: found[ours] for ours in _ORDER if ours in found}


OF_CLASSES = ("label", "y_true", "target", "predicted", "y_pred", "class_probs")
"""Columns that are known for what they are: no guess is made about them."""
_ORDER = ("query_id", "candidates", "gold", "has_evidence", "prob")


def _is_list(value: object) -> bool:
    return isinstance(value, list) or (
        isinstance(value, str) and ("|" in value or value[:1] == "[")
    )


def _length(value: object) -> int:
    if isinstance(value, list):
        return len(value)
    return 1 + str(value).count("|") + str(value).count(",")


def is_run(fields: list[str]) -> bool:
    """Whether the fields are those of a line of a TREC run."""
    return len(fields) >= 6 and bool(NUMBER.fullmatch(fields[4]))  # noqa: PLR2004 - the fields of a TREC line


def is_judgements(fields: list[str]) -> bool:
    """Whether the fields are those of a line of TREC qrels."""
    return len(fields) == 4 and bool(re.fullmatch(r"-?\d+", fields[3]))  # noqa: PLR2004 - the same


def _is_measures(fields: list[str]) -> bool:
    return len(fields) == 3 and not fields[0].isdigit() and bool(NUMBER.fullmatch(fields[2]))  # noqa: PLR2004 - measure, topic, value


def _is_marco(fields: list[str]) -> bool:
    return len(fields) == 3 and fields[2].isdigit()  # noqa: PLR2004 - query, document, rank


_BY_QUERY = (
    "{name} looks like an object with an object for each query. Write an array of them, each with "
    'its query as "id": [{{"id": "q1", "retrieved": […], "relevant": […]}}, …]'
)
_PAIR = (
    "{name} looks like qrels or a run as JSON, {{query: {{document: number}}}}. Give both: "
    "crosscheck gate --qrels QRELS --run {path}"
)
_LINES: tuple[tuple[str, Callable[[list[str]], bool], str], ...] = (
    (
        "a TREC run",
        is_run,
        "Give it with its judgements: crosscheck gate --qrels QRELS --run {path}",
    ),
    ("TREC qrels", is_judgements, "Give them with a run: --qrels {path} --run RUN"),
    ("what trec_eval prints", _is_measures, "Those are claims: --claims {path}"),
    ("a run of MS MARCO", _is_marco, "Give it with its judgements: --qrels QRELS --run {path}"),
)
"""What lines of so many fields are, in the order in which it is tried."""
