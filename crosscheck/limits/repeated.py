"""Long values that are written once and stand in many rows: what they come to in memory.

A dictionary names a value by a number; a delta says “as the one before”. Either packs a megabyte
a row into a few bytes, and whoever reads the rows holds every one of them.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from crosscheck.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEXT = ("BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
NAMED = {"RLE_DICTIONARY", "PLAIN_DICTIONARY"}
DELTA = "DELTA_BYTE_ARRAY"
ROOM = 64 * 2**20
"""Bytes that are held at once to measure others."""
ROWS = 1 << 16


def of_parquet(path: str, metadata: Any, enough: int) -> Iterator[int]:  # noqa: ANN401 - pyarrow's
    """Give what the text of a file comes to, so far; what cannot come to `enough` is not read."""
    total = 0
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        for number in range(row_group.num_columns):
            column = row_group.column(number)
            if column.physical_type not in TEXT:
                continue
            if column.num_values * column.total_uncompressed_size <= enough:
                continue
            for size in _chunk(path, group, column, enough):
                yield total + size
                last = size
            total += last if column.num_values else 0


def _chunk(path: str, group: int, column: Any, enough: int) -> Iterator[int]:  # noqa: ANN401 - the same
    """Measure one column of one group of rows: by its longest value where that will do."""
    from pyarrow import parquet  # noqa: PLC0415 - heavy, and for this format alone

    name, encodings = column.path_in_schema, set(column.encodings)
    if not encodings & {*NAMED, DELTA}:
        yield column.total_uncompressed_size
        return
    named = DELTA not in encodings
    held = max(1, column.total_uncompressed_size)
    rows = ROWS if named else max(1, min(ROWS, ROOM // held))
    with parquet.ParquetFile(path, read_dictionary=[name] if named else None) as file:
        if named:
            first = next(file.iter_batches(1, [group], [name]), None)
            longest = max((_longest(one) for one in first.columns), default=0) if first else 0
            if longest * column.num_values <= enough:
                yield longest * column.num_values
                return
        size = 0
        for batch in file.iter_batches(rows, [group], [name]):
            size += sum(_bytes(one) for one in batch.columns)
            yield size


def of_arrow(path: Path) -> Iterator[int]:
    """Give what the text of a table comes to, batch by batch; other repetition is refused."""
    import pyarrow as pa  # noqa: PLC0415 - heavy, and for this format alone

    with pa.memory_map(str(path)) as file:
        try:
            reader = pa.ipc.open_file(file)
            batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
        except pa.ArrowInvalid:
            file.seek(0)
            reader = pa.ipc.open_stream(file)
            batches = iter(reader)
        for field in reader.schema:
            _refuse_views(path, field.name, field.type)
        total = 0
        for batch in batches:
            # Whoever reads a batch believes its offsets.
            batch.validate(full=True)
            total += sum(_bytes(one) for one in batch.columns)
            yield total


def _refuse_views(path: Path, name: str, kind: Any) -> None:  # noqa: ANN401 - pyarrow's
    """Refuse columns whose rows may all show the same values: they pack anything into nothing."""
    from pyarrow import types  # noqa: PLC0415 - the same

    views = ("run_end_encoded", "list_view", "large_list_view")
    for view in views:
        if getattr(types, f"is_{view}")(kind):
            raise UserError(
                f"{path}: the column “{name}” is stored as {kind}, whose rows may share their "
                "values without end; write it as plain text or lists"
            )
    for number in range(kind.num_fields):
        _refuse_views(path, name, kind.field(number).type)


def _longest(column: Any) -> int:  # noqa: ANN401 - an array
    """Give the length of the longest value that a dictionary inside a column names."""
    from pyarrow import compute, types  # noqa: PLC0415 - the same

    if types.is_dictionary(column.type):
        lengths = _lengths(column.dictionary)
        return int(compute.max(lengths).as_py() or 0) if lengths is not None else 8
    return max((_longest(one) for one in _inside(column)), default=0)


def _bytes(column: Any) -> int:  # noqa: ANN401 - an array
    """Say what a column comes to, every value written out."""
    from pyarrow import compute, types  # noqa: PLC0415 - the same

    if types.is_dictionary(column.type):
        lengths = _lengths(column.dictionary)
        if lengths is None:
            return len(column) * 8
        return int(compute.sum(compute.take(lengths, column.indices)).as_py() or 0)
    if types.is_string_view(column.type) or types.is_binary_view(column.type):
        return _viewed(column)
    inside = _inside(column)
    return sum(_bytes(one) for one in inside) if inside else int(column.nbytes)


def _viewed(column: Any) -> int:  # noqa: ANN401 - an array
    """Add up the lengths that views state, each in the first four of its sixteen bytes."""
    import numpy as np  # noqa: PLC0415 - heavy

    stated = np.frombuffer(column.buffers()[1], dtype="<i4")[::4]
    lengths = stated[column.offset : column.offset + len(column)].astype(np.int64)
    return int(lengths[column.is_valid().to_numpy(zero_copy_only=False)].sum())


def _inside(column: Any) -> list[Any]:  # noqa: ANN401 - an array
    """Give the arrays that a column of lists or of tables is made of."""
    from pyarrow import types  # noqa: PLC0415 - the same

    if types.is_struct(column.type):
        return list(column.flatten())
    if types.is_nested(column.type) and not types.is_union(column.type):
        return [column.values]
    return []


def _lengths(values: Any) -> Any:  # noqa: ANN401 - an array
    """Give the length of each text, or None of what is none."""
    import pyarrow as pa  # noqa: PLC0415 - the same
    from pyarrow import compute  # noqa: PLC0415 - the same

    with suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return compute.binary_length(values)
    return None
