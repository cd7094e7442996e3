"""Types of columns: which are refused, and which are only another way to write numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from primary.errors import Problems

REFUSED = ("list_view", "large_list_view", "decimal256")
"""Types of Arrow that nobody reads (docs/interface.md, Cells)."""


def check_parquet(source: Path | Any, problems: Problems) -> None:  # noqa: ANN401 - a path or bytes
    """Refuse a file with such a column before polars looks at it, which would panic."""
    import pyarrow as pa  # noqa: PLC0415 - a tenth of a second, for those who have such files
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        schema = pq.read_schema(source)
    except (pa.ArrowException, OSError, ValueError):
        return  # What is wrong with the file, polars tells.
    check_types(schema, problems)


def check_types(schema: Any, problems: Problems) -> None:  # noqa: ANN401 - a schema of pyarrow, which is not imported here
    """Refuse every column that holds a type of `REFUSED` at any depth."""
    for field in schema:
        odd = next((one for one in map(_name, _within(field.type)) if one in REFUSED), None)
        if odd is not None:
            problems.add(
                f"the column {field.name} is of type {field.type}",
                f"Store it without {odd}: as a plain list, or a decimal of up to 38 digits.",
                column=field.name,
            )
    problems.stop_if_any()


def _within(dtype: Any) -> Iterator[Any]:  # noqa: ANN401 - a type of pyarrow
    """Give a type, and all that it is made of."""
    yield dtype
    for inner in (getattr(dtype, name, None) for name in ("value_type", "storage_type")):
        if inner is not None:
            yield from _within(inner)
    for place in range(dtype.num_fields):
        yield from _within(dtype.field(place).type)


def _name(dtype: Any) -> str:  # noqa: ANN401 - a type of pyarrow
    return str(dtype).partition("<")[0].partition("(")[0]


def plain(frame: pl.DataFrame) -> pl.DataFrame:
    """Give decimals as whole numbers where their scale is 0, else as the nearest floats.

    Text that is stored as numbers of a dictionary is text.
    """
    return frame.with_columns(
        _cast(name, dtype, steps)
        for name, dtype in frame.schema.items()
        if (steps := _steps(getattr(dtype, "inner", dtype)))
    )


def _steps(inner: pl.DataType) -> list[type[pl.DataType]]:
    """Name the types by which one is made plain; none where it is."""
    if isinstance(inner, pl.Categorical | pl.Enum):
        return [pl.String]
    if not isinstance(inner, pl.Decimal):
        return []
    # By way of text: the decimal is divided by nothing, and so rounded once.
    return [pl.String, pl.Float64] if inner.scale else [pl.Int128]


def _cast(name: str, dtype: pl.DataType, steps: list[type[pl.DataType]]) -> pl.Expr:
    column = pl.col(name)
    if isinstance(dtype, pl.Array):
        column = column.arr.to_list()
    for step in steps:
        column = column.cast(pl.List(step) if hasattr(dtype, "inner") else step)
    return column


def check_numbers(frame: pl.DataFrame, found: Mapping[str, str], problems: Problems) -> None:
    """Refuse numbers that a typed file holds as text."""
    for name in ("prob", "score"):
        if name in found and frame[name].dtype == pl.String:
            problems.add(
                "the numbers are stored as text", "Store them as numbers.", column=found[name]
            )
    problems.stop_if_any()
