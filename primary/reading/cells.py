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
_STRING = r"""(?:'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*")"""
_GAP = r"[ \t\r\n]*"
PYTHON_LIST = re.compile(rf"\[{_GAP}(?:{_STRING}(?:{_GAP},{_GAP}{_STRING})*{_GAP}(?:,{_GAP})?)?\]")
_WRAPPED = rf"np\.str_\(({_STRING})\)"
NUMPY_LIST = re.compile(rf"\[{_GAP}{_WRAPPED}(?:{_GAP},{_GAP}{_WRAPPED})*{_GAP}(?:,{_GAP})?\]")
"""Lists of strings as Python prints them, and as numpy 2 prints its own.

Between the items only the white space of JSON stands: Python itself passes over a form feed too.
"""

_NUMBER = r"np\.(?:float(?:64|32|16)\(([^(),\s]+)|int(?:64|32)\((-?[0-9]+))\)"
NUMPY_NUMBERS = rf"^{_NUMBER}(?:{_GAP},{_GAP}{_NUMBER})*{_GAP},?$"
BLANKS, WHITE = " \t", " \t\r\n"
"""What may stand behind a list without being part of it, and behind an array of JSON."""


def empty_cells(cells: pl.Series) -> pl.Series:
    """Say which cells are the empty list; needs no look at what the others hold."""
    text = cells.fill_null("")
    return text.is_in(["", "null"]) | text.str.contains(rf"^\[{_GAP}\]{_GAP}$")


def text_lists(cells: pl.Series) -> pl.Series:
    """Give the lists of ids; null where a cell is no list."""
    frame = pl.DataFrame({"cell": _ended(cells, BLANKS)}).with_columns(
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
    return (parts[0] if len(parts) == 1 else pl.concat(parts).sort("row"))["items"]


def _ended(cells: pl.Series, blanks: str) -> pl.Series:
    """Give the cells without the blanks behind a list; those behind joined ids are theirs."""
    cell = pl.col("cell")
    frame = pl.DataFrame({"cell": cells.fill_null("")})
    end = cell.str.strip_chars_end(blanks)
    return frame.select(
        pl.when(cell.str.starts_with("[")).then(end).otherwise(cell).alias("cell")
    ).to_series()


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
        if NUMPY_LIST.fullmatch(cell):
            cell = re.sub(_WRAPPED, r"\1", cell)
        elif not PYTHON_LIST.fullmatch(cell):
            return None
        try:
            value = ast.literal_eval(cell)
        except (ValueError, SyntaxError):
            return None
    if type(value) is not list or not all(type(item) is str for item in value):
        return None
    return value if all(map(is_text, value)) else None


def is_text(found: str) -> bool:
    """Half a surrogate pair can be escaped in JSON but is no text."""
    try:
        found.encode()
    except UnicodeEncodeError:
        return False
    return True


def number_lists(cells: pl.Series) -> pl.Series:
    """Give the lists of numbers; null where a cell is no list of numbers."""
    cell = pl.col("cell")
    frame = pl.DataFrame({"cell": _ended(cells, WHITE)}).with_columns(
        array=cell.str.starts_with("["),
        inner=pl.when(cell.str.starts_with("[")).then(
            cell.str.strip_suffix("]").str.slice(1).str.strip_chars(WHITE)
        ),
    )
    array, inner = pl.col("array"), pl.col("inner")
    wrapped = inner.str.contains(NUMPY_NUMBERS)
    bare = inner.str.replace_all(_NUMBER, "${1}${2}")
    frame = frame.with_columns(inner=pl.when(wrapped).then(bare).otherwise(inner))
    if frame["inner"].str.ends_with(",").any():
        # Behind the last item a comma may stand.
        frame = frame.with_columns(inner=inner.str.replace(r"([^,\s])[ \t\r\n]*,$", "${1}"))
    pieces = pl.when(array & cell.str.ends_with("]")).then(inner).str.split(",")
    if not frame["array"].all():
        # Of a number between bars only blanks and tabs at its ends are not part.
        joined = ~array & ~cell.str.contains(r"[\r\n]")
        pieces = pl.coalesce(pieces, pl.when(joined).then(cell).str.split("|"))
    number = pl.element()
    if frame["cell"].str.contains(f"[{WHITE}]").any():
        number = number.str.strip_chars(WHITE)
    frame = frame.select(
        empty=pl.when(array).then(inner == "").otherwise(cell.is_in(["", "null"])),
        numbers=pieces.list.eval(number.cast(pl.Float64, strict=False)),
    )
    return _without_gaps(frame["numbers"], frame["empty"])


def _without_gaps(lists: pl.Series, empty: pl.Series) -> pl.Series:
    """Give the lists, some of them emptied; null for those with anything that is no number."""
    if lists.explode(empty_as_null=False, keep_nulls=False).has_nulls():
        numbers = pl.col("numbers")
        gaps = numbers.list.eval(pl.element().is_null()).list.any()
        frame = pl.DataFrame({"numbers": lists, "empty": empty})
        return frame.select(
            pl.when("empty").then(numbers.list.head(0)).when(~gaps).then(numbers).alias("items")
        )["items"]
    return lists
