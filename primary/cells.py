"""Text cells into lists: JSON arrays, Python literals, `|`-joined (contract, section 1, Cells).

The plain forms are parsed by polars, column-wise. What has escapes or mixed quotes is parsed cell
by cell, and strictly: neighbouring strings without a comma are no list, whatever Python thinks.
"""

from __future__ import annotations

import ast
import json
import re

import polars as pl

PLAIN_JSON = r'^\[[ \t]*(?:"[^"\\\x00-\x1f]*"(?:[ \t]*,[ \t]*"[^"\\\x00-\x1f]*")*[ \t]*)?\]$'
PLAIN_PYTHON = PLAIN_JSON.replace('"', "'").replace("[^'", "[^'\"")
_STRING = r"""(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"""
PYTHON_LIST = re.compile(rf"\[\s*(?:{_STRING}(?:\s*,\s*{_STRING})*\s*)?\]")


def empty_cells(cells: pl.Series) -> pl.Series:
    """Say which cells are the empty list; needs no look at what the others hold."""
    text = cells.fill_null("")
    return text.is_in(["", "null"]) | text.str.contains(r"^\[\s*\]\s*$")


def text_lists(cells: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Give the lists of ids, and which cells are no list (those come out empty)."""
    frame = pl.DataFrame({"cell": cells.cast(pl.String).fill_null("")}).with_columns(
        kind=pl.when(pl.col("cell").is_in(["", "null"]))
        .then(pl.lit("empty"))
        .when(~pl.col("cell").str.starts_with("["))
        .then(pl.lit("joined"))
        .when(pl.col("cell").str.contains(PLAIN_JSON))
        .then(pl.lit("json"))
        .when(pl.col("cell").str.contains(PLAIN_PYTHON))
        .then(pl.lit("python"))
        .otherwise(pl.lit("other"))
    )
    kinds = frame["kind"].unique().to_list()
    parts = [_parsed(frame["cell"], frame["kind"] == kind, kind) for kind in kinds]
    if len(parts) == 1 and parts[0].height == frame.height:
        done = parts[0]
    else:
        done = pl.concat(parts).sort("row")
    bad = done["items"].is_null()
    return done["items"].fill_null(pl.Series([[]], dtype=pl.List(pl.String))), bad


def _parsed(cells: pl.Series, chosen: pl.Series, kind: str) -> pl.DataFrame:
    """Parse the cells of one kind; null stands for what cannot be parsed."""
    some = cells.filter(chosen)
    if kind == "joined":
        items = some.str.split("|")
    elif kind == "json":
        items = some.str.json_decode(pl.List(pl.String))
    elif kind == "python":
        items = some.str.replace_all("'", '"', literal=True).str.json_decode(pl.List(pl.String))
    elif kind == "empty":
        items = pl.Series([[]], dtype=pl.List(pl.String)).new_from_index(0, len(some))
    else:
        items = pl.Series([_strictly(cell) for cell in some], dtype=pl.List(pl.String))
    return pl.DataFrame({"row": chosen.arg_true(), "items": items})


def _strictly(cell: str) -> list[str] | None:
    """Parse one array that has escapes, mixed quotes or mistakes in it."""
    try:
        value = json.loads(cell)
    except (ValueError, RecursionError):
        if not PYTHON_LIST.fullmatch(cell):
            return None
        try:
            value = ast.literal_eval(cell)
        except (ValueError, SyntaxError):
            return None
    if type(value) is not list or not all(type(item) is str for item in value):
        return None
    return value if all(_is_text(item) for item in value) else None


def _is_text(item: str) -> bool:
    """Half a surrogate pair can be escaped in JSON but is no text."""
    try:
        item.encode()
    except UnicodeEncodeError:
        return False
    return True


def number_lists(cells: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Give the lists of numbers, and which cells are no list of numbers (those come out empty)."""
    cell = pl.col("cell")
    inner = cell.str.strip_suffix("]").str.slice(1).str.strip_chars(" \t\r\n")
    frame = pl.DataFrame({"cell": cells.cast(pl.String).fill_null("")}).with_columns(
        array=cell.str.starts_with("[")
    )
    frame = frame.with_columns(
        open=pl.col("array") & ~cell.str.ends_with("]"),
        inner=pl.when(pl.col("array")).then(inner).otherwise(cell),
    ).with_columns(
        empty=pl.when(pl.col("array"))
        .then(pl.col("inner") == "")
        .otherwise(cell.is_in(["", "null"]))
    )
    pieces = (
        pl.when(pl.col("array")).then(pl.col("inner").str.split(",")).otherwise(cell.str.split("|"))
    )
    split = frame.select(
        pl.when(pl.col("empty") | pl.col("open"))
        .then(pl.lit(None, dtype=pl.List(pl.String)))
        .otherwise(pieces)
        .alias("items")
    )["items"]
    numbers = split.list.eval(
        pl.element().str.strip_chars(" \t\r\n").cast(pl.Float64, strict=False)
    )
    bad = frame["open"] | numbers.list.eval(pl.element().is_null()).list.any().fill_null(
        value=False
    )
    kept = pl.DataFrame({"numbers": numbers, "bad": bad}).select(
        pl.when(pl.col("bad")).then(None).otherwise(pl.col("numbers")).alias("items")
    )["items"]
    return kept.fill_null(pl.Series([[]], dtype=pl.List(pl.Float64))), bad
