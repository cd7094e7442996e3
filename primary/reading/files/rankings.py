"""Qrels and runs of every kind (docs/interface.md, Files), told by what the file holds.

The answer is a frame of line, query, doc and relevance, or score; what is no number is left for
`trec.py` to refuse. In JSON there are no lines.
"""

from __future__ import annotations

import codecs
import io
import json
from typing import TYPE_CHECKING, Any

import polars as pl

from primary.errors import KEPT, refuse
from primary.reading.cells import is_text
from primary.reading.files.arrow import MAGIC, whole
from primary.reading.files.blocks import in_blocks
from primary.reading.files.csv_file import columns_of, opened
from primary.reading.files.json_lines import lines_of, parsed, records_of
from primary.reading.files.json_table import is_table, of_document
from primary.reading.files.lines import MARCO, QRELS, RUN, fields_of, read_lines
from primary.reading.files.raw import check_utf8, contents, no_rows, once_each
from primary.reading.files.several import kind_of
from primary.reading.files.types import check_parquet, plain

if TYPE_CHECKING:
    from pathlib import Path

    from primary.errors import Problems

PARQUET = b"PAR1"
TABLES = ("parquet", "arrow", "feather", "csv")
"""Files that are tables by their names."""

COMPRESSED = (".gz", ".zst")
OTHERS = (PARQUET, MAGIC, codecs.BOM_UTF8, b"[", b"{", b"#", b" ", b"\t")
"""How files begin that are no plain lines, or may not be."""

QUERY = ("qid", "query_id", "query-id", "topic")
DOC = ("docno", "docid", "doc_id", "did", "document_id", "corpus-id", "pid")
RELEVANCE = ("label", "relevance", "rel", "qrel", "grade", "score")
SCORE = ("score", "sim")
RANK = ("rank",)
"""Names of the columns of a table, the one that is meant first (PyTerrier has docno and docid)."""

Paths = dict[str, dict[str, Any]]
"""Runs of a nested file, by the names that lead to them."""


def read_qrels(path: Path, problems: Problems) -> pl.DataFrame:
    """Read judgements."""
    plain = _plain(path, QRELS)
    if plain is not None:
        return plain
    content = contents(path).removeprefix(codecs.BOM_UTF8)
    table = _table(content, path, problems)
    if table is not None:
        return _named(table, path, problems, {"query": QUERY, "doc": DOC, "relevance": RELEVANCE})
    document = _document(content, problems)
    if document is None:
        return read_lines(content, QRELS, path, problems)
    if not _is_run(document):
        problems.add(
            "the file is JSON, but no judgements", "Write {query: {document: whole number}}."
        )
        problems.stop_if_any()
    return _nested(document, "relevance", path, problems)


def read_run(path: Path, run_path: str | None, problems: Problems) -> pl.DataFrame:
    """Read a ranking of documents for each query."""
    plain = _plain(path, RUN)
    if plain is not None:
        return plain
    content = contents(path).removeprefix(codecs.BOM_UTF8)
    table = _table(content, path, problems)
    if table is not None:
        scored = any(name.lower() in SCORE for name in table.columns)
        by = {"score": SCORE} if scored else {"rank": RANK}
        return _by_rank(_named(table, path, problems, {"query": QUERY, "doc": DOC, **by}))
    document = _document(content, problems)
    if document is None:
        names = MARCO if fields_of(content) == len(MARCO) else RUN
        frame = read_lines(content, names, path, problems)
        return _by_rank(frame) if names == MARCO else frame
    return _nested(_chosen(document, run_path, problems), "score", path, problems)


def _plain(path: Path, names: tuple[str, ...]) -> pl.DataFrame | None:
    """Read lines in the common form; None of any other file, and of none."""
    if not path.is_file() or kind_of(path) in TABLES or path.suffix.lower() in COMPRESSED:
        return None
    try:
        with path.open("rb") as file:
            first = file.readline()
        other = first.startswith(OTHERS) or _separator(first, path) is not None
        # Of three fields it is MS MARCO's, whose are parted by tabs.
        if other or fields_of(first) == len(MARCO):
            return None
        return in_blocks(path, first, names)
    except OSError:
        return None


def _by_rank(frame: pl.DataFrame) -> pl.DataFrame:
    """Score a run that has only ranks: −rank; what is no number stays as it is."""
    if "score" in frame.columns:
        return frame
    rank = frame["rank"]
    text = rank.cast(pl.String) if rank.dtype != pl.String else rank
    bare = text.str.strip_chars(" \t")
    number = bare.cast(pl.Int64, strict=False)
    if number.has_nulls():
        number = bare.cast(pl.Float64, strict=False)
        number = number.set(~number.is_finite(), None)
    score = pl.select(pl.when(number.is_null()).then(text).otherwise((-number).cast(pl.String)))
    return frame.with_columns(score=score.to_series())


# --- tables -------------------------------------------------------------------------------------


def _table(content: bytes, path: Path, problems: Problems) -> pl.DataFrame | None:
    """Read a table as text or its own types; None of what is none."""
    kind = kind_of(path)
    if content.startswith(PARQUET) or kind == "parquet":
        return _parquet(content, path, problems)
    if content.startswith(MAGIC) or kind in ("arrow", "feather"):
        return whole(path, problems)
    start = content.lstrip()[:1]
    if start in (b"[", b"{"):
        return _json_table(content, path, problems)
    table = _json_lines(content, problems) if _begins_object(content) else None
    return _text_table(content, path, problems) if table is None else table


def _text_table(content: bytes, path: Path, problems: Problems) -> pl.DataFrame | None:
    """Read a table whose first line names its columns; None of what is none."""
    separator = _separator(io.BytesIO(content).readline(), path)
    if separator is None:
        return None
    header, content = opened(content, path, problems, separator)
    columns = {name: name for name in header if name}
    return columns_of(content, header, columns, problems, separator)


def _separator(line: bytes, path: Path) -> str | None:
    """Give what parts the columns that a first line names; a .csv file's is always such a line."""
    # In a table a carriage return alone ends a line too.
    first = line.partition(b"\r")[0].decode(errors="replace").rstrip("\n")
    for separator in ("\t", ","):
        names = {name.strip(' "').lower() for name in first.split(separator)}
        known = bool(names & set(QUERY) and names & set(DOC))
        if known or (separator == "," and kind_of(path) == "csv"):
            return separator
    return None


def _parquet(content: bytes, path: Path, problems: Problems) -> pl.DataFrame:
    check_parquet(io.BytesIO(content), problems)
    try:
        return pl.read_parquet(io.BytesIO(content))
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise refuse(
            f"the file cannot be read as Parquet ({error})",
            "It may be truncated or damaged; write it again.",
            file=str(path),
        ) from None


def _json_table(content: bytes, path: Path, problems: Problems) -> pl.DataFrame | None:
    """Read an array of objects, an object that holds one, or an object a line."""
    check_utf8(content, problems)
    try:
        document = parsed(content.decode())
    except (ValueError, RecursionError):
        return _json_lines(content, problems)
    if isinstance(document, dict) and not any(map(is_table, document.values())):
        names = {name.lower() for name in document}
        if not (names & set(QUERY) and names & set(DOC)):
            return None
        return _frame([document], problems)
    return _frame(of_document(document, path, problems), problems)


def _begins_object(content: bytes) -> bool:
    """Say whether a brace comes first, white space of every kind apart."""
    lines = (line.decode(errors="replace").lstrip() for line in io.BytesIO(content))
    return next((line for line in lines if line), "").startswith("{")


def _json_lines(content: bytes, problems: Problems) -> pl.DataFrame | None:
    """Read an object a line; None where the first line that shows anything is no such line."""
    check_utf8(content, problems)
    lines = lines_of(content.decode())
    first = next((bare for line in lines if (bare := line.strip())), "")
    if len(lines) > 1 and first.startswith("{") and first.endswith("}"):
        return _frame(records_of(content, problems), problems)
    return None


def _frame(records: list[dict[str, Any]], problems: Problems) -> pl.DataFrame:
    """Hold each column as text, numbers and all, as JSON wrote them."""
    names = list(dict.fromkeys(name for record in records for name in record))
    for name in names:
        if name.strip().lower() in (*QUERY, *DOC):
            _check_ids([record.get(name) for record in records], name, problems)
    problems.stop_if_any()
    return pl.DataFrame(
        {
            name: pl.Series([_as_text(record.get(name)) for record in records], dtype=pl.String)
            for name in names
        }
    )


def _check_ids(values: list[Any], name: str, problems: Problems) -> None:
    """Refuse ids that are neither text nor whole numbers; a missing one is told as empty."""
    bad = [row for row, one in enumerate(values, start=1) if not _is_id(one)]
    for row in bad[:KEPT]:
        shown = json.dumps(values[row - 1])[:40]
        problems.add(
            f"found {shown} as an id", "Write ids as text or whole numbers.", row=row, column=name
        )
    problems.more(max(0, len(bad) - KEPT))


def _is_id(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    return value is None or type(value) is int or (type(value) is str and is_text(value))


def _as_text(value: Any) -> str | None:  # noqa: ANN401 - any JSON value
    """Give a number with all its digits; of what is none, what a message can show."""
    if value is None:
        return None
    if isinstance(value, str):
        return value if is_text(value) else json.dumps(value)
    shown = json.dumps(value)
    return shown if isinstance(value, int | float) else shown[:40]


def _named(
    table: pl.DataFrame, path: Path, problems: Problems, wanted: dict[str, tuple[str, ...]]
) -> pl.DataFrame:
    """Give the wanted columns their names; ids as text."""
    once_each(table.columns, problems)
    present = {name.strip().lower(): name for name in reversed(table.columns)}
    found = {}
    for name, known in wanted.items():
        source = next((present[one] for one in known if one in present), None)
        if source is None:
            problems.add(
                f"no column is the {name}; found {', '.join(table.columns)}",
                f"Call it {' or '.join(known)}.",
            )
        else:
            found[name] = source
    problems.stop_if_any()
    if not table.height:
        raise no_rows(str(path))
    frame = plain(table.select(pl.col(source).alias(name) for name, source in found.items()))
    for name in ("query", "doc"):
        frame = frame.with_columns(_ids(frame[name], found[name], problems))
    problems.stop_if_any()
    return frame.with_row_index("line", offset=1)


def _ids(series: pl.Series, source: str, problems: Problems) -> pl.Series:
    """Give ids as text; whole numbers become theirs."""
    if series.dtype.is_integer() or isinstance(series.dtype, pl.Categorical | pl.Enum):
        series = series.cast(pl.String)
    if series.dtype != pl.String:
        problems.add(f"the ids are of type {series.dtype}", "Store ids as text.", column=source)
        problems.stop_if_any()
    empty = (series.is_null() | (series == "")).arg_true()
    for row in empty.head(KEPT).to_list():
        problems.add("the id is empty", "Every row needs its ids.", row=row + 1, column=source)
    problems.more(max(0, len(empty) - KEPT))
    return series


# --- JSON ---------------------------------------------------------------------------------------


def _document(content: bytes, problems: Problems) -> dict[str, Any] | None:
    """Give the object that a file holds; None of a file of lines."""
    if content.lstrip()[:1] != b"{":
        return None
    check_utf8(content, problems)
    try:
        document = parsed(content.decode())
    except (ValueError, RecursionError) as error:
        problems.add(f"the file is not JSON ({error})", "It may be truncated; write it again.")
        problems.stop_if_any()
    return dict(document)


def _is_run(node: dict[str, Any]) -> bool:
    """Say whether the members are queries: objects that hold no further ones."""
    return bool(node) and all(
        isinstance(one, dict) and not any(isinstance(inner, dict | list) for inner in one.values())
        for one in node.values()
    )


def _runs(node: dict[str, Any], path: tuple[str, ...] = ()) -> Paths:
    """Find every run of a nested file."""
    if _is_run(node):
        return {"/".join(path): node}
    found: Paths = {}
    for name, member in node.items():
        if isinstance(member, dict) and len(path) < DEEPEST:
            found |= _runs(member, (*path, name))
    return found


DEEPEST = 256
"""Levels of names above a run."""


def _chosen(document: dict[str, Any], run_path: str | None, problems: Problems) -> dict[str, Any]:
    found = _runs(document)
    if run_path is not None and run_path in found:
        return found[run_path]
    if run_path is None and len(found) == 1:
        return next(iter(found.values()))
    if not found:
        problems.add("the file is JSON, but no run", "Write {query: {document: number}}.")
    else:
        shown = ", ".join(repr(one) for one in list(found)[:20])
        problems.add(
            f"the file holds no run {run_path!r}; its runs are {shown}"
            if run_path is not None
            else f"the file holds {len(found)} runs: {shown}",
            "Say which one with the setting run_path.",
        )
    problems.stop_if_any()
    raise LookupError("unreachable")


def _nested(document: dict[str, Any], name: str, path: Path, problems: Problems) -> pl.DataFrame:
    """Give each document of each query a row."""
    for query, held in document.items():
        for column, ids in (("query", [query]), ("doc", held)):
            if "" in ids:
                problems.add(
                    "the id is empty", "Every row needs its ids.", query=query, column=column
                )
            broken = next((one for one in ids if not is_text(one)), None)
            if broken is not None:
                problems.add(
                    f"the id {json.dumps(broken)[:60]} holds half of a surrogate pair",
                    "Write the character whole.",
                    query=json.dumps(query),
                    column=column,
                )
    problems.stop_if_any()
    queries = [query for query, docs in document.items() for _ in docs]
    if not queries:
        raise no_rows(str(path))
    docs = [doc for held in document.values() for doc in held]
    values = [_as_text(value) for held in document.values() for value in held.values()]
    frame = pl.DataFrame({"query": queries, "doc": docs, name: pl.Series(values, dtype=pl.String)})
    return frame.with_columns(line=pl.lit(None, dtype=pl.Int64))
