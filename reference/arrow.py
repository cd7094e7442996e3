"""Tables in columns: Parquet and Arrow IPC, by pyarrow, which nothing but this module needs.

Exactness: a float of fewer than 64 bits means the decimal of its own type's shortest form.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path

    Read = tuple[list[str], Callable[[Sequence[str], Collection[str]], Iterator[list[Any]]]]

SHORT_FLOATS = {"float": ("f", 9), "halffloat": ("e", 5)}
FILE_MAGIC = b"ARROW1"


class UnreadableColumns(Exception):  # noqa: N818 - it is caught one level up, where the file is known
    """A file that pyarrow cannot read, or not without pyarrow."""


def _pyarrow() -> Any:  # noqa: ANN401 - a module without types
    try:
        import pyarrow as pa  # noqa: PLC0415 - the one dependency, only for these formats
    except ImportError as error:
        raise UnreadableColumns("needs pyarrow; install it or convert the file to CSV") from error
    return pa


def unpacked(path: Path) -> Any:  # noqa: ANN401 - a stream of bytes
    """Open what Zstandard packed."""
    try:
        return _pyarrow().input_stream(str(path), compression="zstd")
    except UnreadableColumns as error:
        raise OSError(f"it {error}") from error


def parquet(path: Path) -> Read:
    """Open a Parquet file."""
    pa = _pyarrow()
    import pyarrow.parquet as pq  # noqa: PLC0415 - see above

    broken = (OSError, pa.ArrowException)
    try:
        schema = pq.read_schema(path)
    except broken as error:
        raise UnreadableColumns(f"cannot be read: {error}") from error
    _refuse_types(pa, schema)

    def batches(columns: Sequence[str]) -> Iterator[Any]:
        with pq.ParquetFile(path) as file:
            yield from file.iter_batches(batch_size=4096, columns=list(columns))

    return list(schema.names), lambda columns, ids: _cells(pa, schema, batches, columns, ids)


def ipc(path: Path) -> Read:
    """Open an Arrow IPC file or stream; its first bytes tell which."""
    pa = _pyarrow()
    broken = (OSError, pa.ArrowException)

    def batches(_columns: Sequence[str]) -> Iterator[Any]:
        with path.open("rb") as stream:
            if stream.read(len(FILE_MAGIC)) == FILE_MAGIC:
                file = pa.ipc.open_file(stream)
                yield from (file.get_batch(number) for number in range(file.num_record_batches))
            else:
                stream.seek(0)
                yield from pa.ipc.open_stream(stream)

    try:
        with path.open("rb") as stream:
            whole = stream.read(len(FILE_MAGIC)) == FILE_MAGIC
            stream.seek(0)
            schema = (pa.ipc.open_file if whole else pa.ipc.open_stream)(stream).schema
    except broken as error:
        raise UnreadableColumns(f"cannot be read: {error}") from error
    _refuse_types(pa, schema)
    return list(schema.names), lambda columns, ids: _cells(pa, schema, batches, columns, ids)


def _refuse_types(pa: Any, schema: Any) -> None:  # noqa: ANN401 - untyped
    """Refuse a file with a column of a type that other programs cannot read."""
    for column in schema:
        strange = next(filter(_is_strange(pa), _types_inside(column.type)), None)
        if strange is not None:
            what = f"column {column.name!r} is of the type {strange}, which is not read"
            raise UnreadableColumns(f"{what}; cast it to a list, or to decimal128 or float64")


def _is_strange(pa: Any) -> Callable[[Any], bool]:  # noqa: ANN401 - untyped
    types = pa.types
    return lambda arrow: (
        types.is_list_view(arrow) or types.is_large_list_view(arrow) or types.is_decimal256(arrow)
    )


def _types_inside(arrow: Any) -> Iterator[Any]:  # noqa: ANN401 - untyped
    """Yield a type and those that it is made of."""
    yield arrow
    for number in range(arrow.num_fields):
        yield from _types_inside(arrow.field(number).type)
    for name in ("storage_type", "value_type"):  # of an extension; of a dictionary
        inside = getattr(arrow, name, None)
        if inside is not None and not arrow.num_fields:
            yield from _types_inside(inside)


def _cells(
    pa: Any,  # noqa: ANN401 - untyped
    schema: Any,  # noqa: ANN401 - untyped
    batches: Callable[[Sequence[str]], Iterator[Any]],
    columns: Sequence[str],
    ids: Collection[str],
) -> Iterator[list[Any]]:
    convert = [_typed(pa, schema.field(name).type, name in ids) for name in columns]
    try:
        for batch in batches(columns):
            typed = [batch.column(column).to_pylist() for column in columns]
            for row in zip(*typed, strict=True) if typed else [()] * batch.num_rows:
                yield [each(cell) for each, cell in zip(convert, row, strict=True)]
    except (OSError, pa.ArrowException, ValueError) as error:
        raise UnreadableColumns(f"cannot be read: {error}") from error


def _typed(pa: Any, arrow: Any, is_id: bool) -> Callable[[Any], Any]:  # noqa: ANN401 - untyped
    """Return what turns a cell of this Arrow type into what the cell readers take."""
    if pa.types.is_list(arrow) or pa.types.is_large_list(arrow):
        each = _typed(pa, arrow.value_type, is_id)
        return lambda cell: None if cell is None else [each(item) for item in cell]
    if pa.types.is_dictionary(arrow):
        return _typed(pa, arrow.value_type, is_id)
    if pa.types.is_decimal(arrow):
        if arrow.scale > 0:
            return lambda cell: None if cell is None else float(cell)
        return lambda cell: None if cell is None else str(int(cell)) if is_id else int(cell)
    if is_id and pa.types.is_integer(arrow):
        return lambda cell: None if cell is None else str(cell)
    short = SHORT_FLOATS.get(str(arrow))
    if short is not None:
        return lambda cell: None if cell is None else _shortest(float(cell), *short)
    return _unchanged


def _unchanged(cell: object) -> object:
    return cell


def _shortest(number: float, code: str, digits: int) -> float:
    """Return the float64 whose shortest form is the shortest form of this smaller float."""
    for places in range(1, digits + 1):
        candidate = float(f"{number:.{places}g}")
        try:
            if struct.pack(code, candidate) == struct.pack(code, number):
                return candidate
        except OverflowError:  # rounded up beyond the largest float of this type
            continue
    return number
